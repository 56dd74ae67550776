//! The results, for people and for programs.

use serde::Serialize;

use super::Rounds;
use super::row::{Messaging, name};
use crate::case::Transport;
use crate::goals::Kind;
use crate::placement::Mode;
use crate::protocol::Summary;
use crate::raw::MessageSizes;
use crate::record::{Head, ratios_to_raw};
use crate::statistics::{Spread, median};
use crate::system::System;
use crate::table::{align, microseconds};

/// The result of a row over a transport.
#[derive(Debug)]
pub(super) struct Outcome {
    kind: Kind,
    transport: Transport,
    mode: Mode,
    rounds: usize,
    raw: Times,
    giop: Measured,
    lite: Measured,
    /// How many times the time of GIOP that of GIOPlite is, round by round.
    lite_to_giop: Spread,
}

/// Medians over the rounds, in nanoseconds.
#[derive(Debug, Clone, Copy)]
struct Times {
    median_ns: u64,
    p99_ns: u64,
}

/// The result of one protocol of messages.
#[derive(Debug, Clone, Copy)]
struct Measured {
    sizes: MessageSizes,
    times: Times,
    /// How many times the time of raw sockets it is, round by round.
    ratio_raw: Spread,
}

impl Times {
    fn of(rounds: &[Summary]) -> Option<Self> {
        Some(Self {
            median_ns: median(Summary::medians(rounds))?,
            p99_ns: median(rounds.iter().map(|it| it.p99_ns))?,
        })
    }
}

impl Measured {
    fn of(sizes: MessageSizes, rounds: &[Summary], raw: &[Summary]) -> Option<Self> {
        Some(Self {
            sizes,
            times: Times::of(rounds)?,
            ratio_raw: Spread::of_ratios(Summary::medians(rounds), Summary::medians(raw))?,
        })
    }
}

impl Outcome {
    /// The result of a row whose messages have these sizes in GIOP and in GIOPlite. None
    /// without a round.
    pub(super) fn of(
        kind: Kind,
        transport: Transport,
        mode: Mode,
        [giop_sizes, lite_sizes]: [MessageSizes; 2],
        [raw, giop, lite]: &Rounds,
    ) -> Option<Self> {
        Some(Self {
            kind,
            transport,
            mode,
            rounds: raw.len(),
            raw: Times::of(raw)?,
            giop: Measured::of(giop_sizes, giop, raw)?,
            lite: Measured::of(lite_sizes, lite, raw)?,
            lite_to_giop: Spread::of_ratios(Summary::medians(lite), Summary::medians(giop))?,
        })
    }

    fn measured(&self, messaging: Messaging) -> &Measured {
        match messaging {
            Messaging::Giop => &self.giop,
            Messaging::GiopLite => &self.lite,
        }
    }
}

/// A line for each row.
pub(super) fn render(outcomes: &[Outcome]) -> String {
    let headings = [
        "",
        "call",
        "octets GIOP",
        "octets lite",
        "raw µs",
        "GIOP × raw (least-most)",
        "lite × raw (least-most)",
        "lite × GIOP (least-most)",
    ];
    let octets = |sizes: MessageSizes| format!("{}+{}", sizes.request_octets, sizes.reply_octets);
    let mut rows = vec![headings.map(str::to_owned).to_vec()];
    rows.extend(outcomes.iter().map(|it| {
        vec![
            it.transport.to_string(),
            name(it.kind),
            octets(it.giop.sizes),
            octets(it.lite.sizes),
            microseconds(it.raw.median_ns),
            it.giop.ratio_raw.to_string(),
            it.lite.ratio_raw.to_string(),
            it.lite_to_giop.to_string(),
        ]
    }));
    align(&rows, &[0, 1, 5, 6, 7])
}

/// The result of a protocol of messages, or of raw sockets, in a row.
#[derive(Debug, Serialize)]
pub(super) struct Record {
    #[serde(flatten)]
    head: Head,
    /// None of raw sockets, whose messages are as large as those of GIOP.
    #[serde(skip_serializing_if = "Option::is_none")]
    messaging: Option<Messaging>,
    request_octets: u32,
    reply_octets: u32,
    rounds: usize,
    median_ns: u64,
    p99_ns: u64,
    #[serde(flatten, serialize_with = "ratios_to_raw")]
    ratio_raw: Option<Spread>,
    /// How many times the time of GIOP it is; of GIOPlite.
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio_giop: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio_giop_min: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio_giop_max: Option<f64>,
}

/// Three records for each row.
pub(super) fn records(outcomes: &[Outcome]) -> Vec<Record> {
    let of_row = |it: &Outcome| {
        let record = |messaging: Option<Messaging>| {
            let measured = messaging.map(|messaging| it.measured(messaging));
            let sizes = measured.unwrap_or(&it.giop).sizes;
            let times = measured.map_or(it.raw, |measured| measured.times);
            let is_lite = messaging == Some(Messaging::GiopLite);
            let to_giop = is_lite.then_some(it.lite_to_giop);
            Record {
                head: Head {
                    bench: "protocols",
                    case: it.kind.case(),
                    mode: it.mode,
                    system: messaging.map_or(System::Raw, |_| System::Taut),
                    transport: it.transport,
                    bytes: it.kind.bytes(),
                },
                messaging,
                request_octets: sizes.request_octets,
                reply_octets: sizes.reply_octets,
                rounds: it.rounds,
                median_ns: times.median_ns,
                p99_ns: times.p99_ns,
                ratio_raw: measured.map(|measured| measured.ratio_raw),
                ratio_giop: to_giop.map(|spread| spread.median),
                ratio_giop_min: to_giop.map(|spread| spread.min),
                ratio_giop_max: to_giop.map(|spread| spread.max),
            }
        };
        [
            record(None),
            record(Some(Messaging::Giop)),
            record(Some(Messaging::GiopLite)),
        ]
    };
    outcomes.iter().flat_map(of_row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_those_of_the_same_round() {
        let rounds = |medians: [u64; 3]| {
            let summary = |median_ns| Summary {
                median_ns,
                p99_ns: 2 * median_ns,
                min_ns: 1,
                max_ns: 1_000,
                mean_ns: median_ns,
            };
            medians.map(summary).to_vec()
        };
        let size = |request_octets, reply_octets| MessageSizes {
            request_octets,
            reply_octets,
        };
        let all = [
            rounds([10_000, 20_000, 10_000]),
            rounds([20_000, 20_000, 20_000]),
            rounds([10_000, 20_000, 15_000]),
        ];
        let sizes = [size(80, 24), size(64, 16)];
        let outcome = Outcome::of(Kind::Void, Transport::Tcp, Mode::Same, sizes, &all).unwrap();
        let records = records(std::slice::from_ref(&outcome));
        let json = serde_json::to_value(&records).unwrap();
        assert_eq!(json[0]["system"], "raw");
        assert_eq!(json[0]["request_octets"], 80);
        assert!(json[0].get("messaging").is_none());
        assert_eq!(json[1]["ratio_raw"], 2.0);
        assert_eq!(json[2]["messaging"], "giop_lite");
        assert_eq!(json[2]["reply_octets"], 16);
        assert_eq!(json[2]["ratio_giop"], 0.75);
        assert_eq!(json[2]["ratio_giop_max"], 1.0);
        let text = render(&[outcome]);
        assert!(text.contains("80+24        64+16"), "{text}");
        assert!(text.contains("0.750 (0.500-1.000)"), "{text}");
        let none = [vec![], vec![], vec![]];
        assert!(Outcome::of(Kind::Void, Transport::Tcp, Mode::Same, sizes, &none).is_none());
    }
}
