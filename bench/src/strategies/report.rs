//! The results, for people and for programs.

use serde::Serialize;

use super::row::Row;
use crate::case::Transport;
use crate::goals::Marshaling;
use crate::placement::Mode;
use crate::protocol::Summary;
use crate::record::Head;
use crate::statistics::{Spread, median};
use crate::system::System;
use crate::table::{align, microseconds};

/// The results of a row.
#[derive(Debug)]
pub(super) struct Outcome {
    row: Row,
    rounds: usize,
    compiled: Times,
    interpretive: Times,
    /// The speed of tables as a share of that of code, round by round.
    speed: Spread,
}

/// Medians over the rounds, in nanoseconds.
#[derive(Debug, Clone, Copy)]
struct Times {
    median_ns: u64,
    p99_ns: u64,
}

impl Times {
    fn of(rounds: &[Summary]) -> Option<Self> {
        Some(Self {
            median_ns: median(Summary::medians(rounds))?,
            p99_ns: median(rounds.iter().map(|it| it.p99_ns))?,
        })
    }
}

impl Outcome {
    /// None without a round.
    pub(super) fn of(row: Row, compiled: &[Summary], interpretive: &[Summary]) -> Option<Self> {
        Some(Self {
            row,
            rounds: compiled.len(),
            speed: Spread::of_ratios(Summary::medians(compiled), Summary::medians(interpretive))?,
            compiled: Times::of(compiled)?,
            interpretive: Times::of(interpretive)?,
        })
    }

    fn is_met(&self) -> bool {
        self.speed.median >= self.row.goal
    }
}

/// A line for each row, and what is not met.
pub(super) fn render(outcomes: &[Outcome]) -> String {
    let headings = [
        "call",
        "compiled µs",
        "interpretive µs",
        "speed (least-most)",
        "goal",
        "",
    ];
    let mut rows = vec![headings.map(str::to_owned).to_vec()];
    rows.extend(outcomes.iter().map(|it| {
        vec![
            it.row.name.clone(),
            microseconds(it.compiled.median_ns),
            microseconds(it.interpretive.median_ns),
            it.speed.to_string(),
            format!("≥ {:.2}", it.row.goal),
            if it.is_met() { "met" } else { "NOT MET" }.to_owned(),
        ]
    }));
    let missed: Vec<&str> = (outcomes.iter())
        .filter(|it| !it.is_met())
        .map(|it| it.row.name.as_str())
        .collect();
    let verdict = match missed[..] {
        [] => "All goals are met.".to_owned(),
        _ => format!("Not met: {}.", missed.join("; ")),
    };
    format!("{}\n{verdict}\n", align(&rows, &[0, 3, 4, 5]))
}

/// The results of a strategy in a row.
#[derive(Debug, Serialize)]
pub(super) struct Record {
    #[serde(flatten)]
    head: Head,
    strategy: Marshaling,
    rounds: usize,
    median_ns: u64,
    p99_ns: u64,
    /// The speed of tables as a share of that of code; with tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    speed: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    speed_min: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    speed_max: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    goal: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    met: Option<bool>,
}

/// Two records for each row.
pub(super) fn records(outcomes: &[Outcome]) -> Vec<Record> {
    let both = |it: &Outcome| {
        [Marshaling::Compiled, Marshaling::Interpretive].map(|strategy| {
            let (times, speed) = match strategy {
                Marshaling::Compiled => (it.compiled, None),
                Marshaling::Interpretive => (it.interpretive, Some(it.speed)),
            };
            Record {
                head: Head {
                    bench: "strategies",
                    case: it.row.kind.case(),
                    mode: Mode::Same,
                    system: System::Taut,
                    transport: Transport::Tcp,
                    bytes: it.row.kind.bytes(),
                },
                strategy,
                rounds: it.rounds,
                median_ns: times.median_ns,
                p99_ns: times.p99_ns,
                speed: speed.map(|speed| speed.median),
                speed_min: speed.map(|speed| speed.min),
                speed_max: speed.map(|speed| speed.max),
                goal: speed.map(|_| it.row.goal),
                met: speed.map(|_| it.is_met()),
            }
        })
    };
    outcomes.iter().flat_map(both).collect()
}

#[cfg(test)]
mod tests {
    use super::super::row;
    use super::*;

    #[test]
    fn the_speed_is_that_of_the_same_round() {
        let rounds = |medians: [u64; 3]| {
            medians.map(|median_ns| Summary {
                median_ns,
                p99_ns: 2 * median_ns,
                min_ns: 1,
                max_ns: 1_000,
                mean_ns: median_ns,
            })
        };
        let row = row::all().remove(0);
        let outcome = |tables| {
            let code = rounds([10_000, 20_000, 10_000]);
            Outcome::of(row.clone(), &code, &rounds(tables)).unwrap()
        };
        let (met, missed) = (
            outcome([12_500, 20_000, 12_500]),
            outcome([20_000, 20_000, 20_000]),
        );
        assert_eq!((met.speed.median, met.speed.max), (0.8, 1.0));
        let text = render(&[met, missed]);
        assert!(text.contains("0.800 (0.800-1.000)  ≥ 0.75  met"), "{text}");
        assert!(text.ends_with("Not met: no arguments.\n"), "{text}");
        assert!(Outcome::of(row.clone(), &[], &[]).is_none());
    }
}
