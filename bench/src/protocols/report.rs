//! The results, in rows and a table.

use super::Rounds;
use super::row::{Messaging, name};
use crate::case::Transport;
use crate::goals::Kind;
use crate::placement::Mode;
use crate::raw::MessageSizes;
use crate::record::Row;
use crate::render::{Column, Layout};
use crate::system::System;

/// A line for each kind of call and transport.
pub(crate) const LAYOUT: Layout = Layout {
    title: "protocols, mode {mode}: {rounds} rounds of {calls} calls",
    tables: &[],
    lines: &["transport", "name"],
    columns: &[
        Column::word("", "transport"),
        Column::word("call", "name"),
        Column::with("octets GIOP", octets).of("messaging", "giop"),
        Column::with("octets lite", octets).of("messaging", "giop_lite"),
        Column::micros("raw µs", "median_ns").of("messaging", ""),
        Column::spread("GIOP × raw (least-most)", "ratio_raw", 3).of("messaging", "giop"),
        Column::spread("lite × raw (least-most)", "ratio_raw", 3).of("messaging", "giop_lite"),
        Column::spread("lite × GIOP (least-most)", "ratio_giop", 3).of("messaging", "giop_lite"),
    ],
};

fn octets(row: &Row) -> Option<String> {
    let [request, reply] = ["request_octets", "reply_octets"].map(|it| row.number(it));
    Some(format!("{}+{}", request?, reply?))
}

/// The rows of raw sockets, of GIOP and of GIOPlite for a kind of call, whose messages have
/// these sizes in GIOP and in GIOPlite. Those of raw sockets are as large as those of GIOP.
/// None without a round.
pub(super) fn rows(
    kind: Kind,
    (transport, mode): (Transport, Mode),
    [giop_sizes, lite_sizes]: [MessageSizes; 2],
    [raw, giop, lite]: &Rounds,
) -> Vec<Row> {
    let row = |messaging: Option<Messaging>, sizes: MessageSizes, rounds| {
        let row = Row::of_rounds(rounds)?
            .with("case", kind.case())
            .with("name", name(kind))
            .with("bytes", kind.bytes())
            .with("mode", mode)
            .with("transport", transport)
            .with("system", messaging.map_or(System::Raw, |_| System::Taut))
            .with("messaging", messaging)
            .with("request_octets", sizes.request_octets)
            .with("reply_octets", sizes.reply_octets);
        Some(row.ratio("ratio_raw", rounds, messaging.map(|_| &**raw)))
    };
    let by_lite = row(Some(Messaging::GiopLite), lite_sizes, lite);
    let rows = [
        row(None, giop_sizes, raw),
        row(Some(Messaging::Giop), giop_sizes, giop),
        by_lite.map(|row| row.ratio("ratio_giop", lite, Some(giop))),
    ];
    rows.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::rounds;

    #[test]
    fn ratios_are_those_of_the_same_round() {
        let size = |request_octets, reply_octets| MessageSizes {
            request_octets,
            reply_octets,
        };
        let all = [
            rounds(&[10_000, 20_000, 10_000]),
            rounds(&[20_000, 20_000, 20_000]),
            rounds(&[10_000, 20_000, 15_000]),
        ];
        let sizes = [size(80, 24), size(64, 16)];
        let place = (Transport::Tcp, Mode::Same);
        let measured = rows(Kind::Void, place, sizes, &all);
        let json = serde_json::to_value(&measured).unwrap();
        assert_eq!(json[0]["system"], "raw");
        assert_eq!(json[0]["request_octets"], 80);
        assert!(json[0].get("messaging").is_none());
        assert_eq!(json[1]["ratio_raw"], 2.0);
        assert_eq!(json[2]["messaging"], "giop_lite");
        assert_eq!(json[2]["reply_octets"], 16);
        assert_eq!(json[2]["ratio_giop"], 0.75);
        assert_eq!(json[2]["ratio_giop_max"], 1.0);
        let text = LAYOUT.text(&measured);
        assert!(text.contains("80+24        64+16"), "{text}");
        assert!(text.contains("0.750 (0.500-1.000)"), "{text}");
        let none = [vec![], vec![], vec![]];
        assert!(rows(Kind::Void, place, sizes, &none).is_empty());
    }
}
