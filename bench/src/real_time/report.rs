//! The calls of high priority, in rows and tables.

use std::time::Duration;

use super::Outcome;
use super::contender::Contender;
use super::periodic::{Schedule, Turn};
use crate::distribution::Distribution;
use crate::placement::Mode;
use crate::record::Row;
use crate::render::{Column, Layout};
use crate::statistics::{Spread, ratio};

/// The latencies of each system beside each number of clients.
pub(crate) const LAYOUT: Layout = Layout {
    title: "a call every {period_us} µs, mode {mode}, {scheduling}: {calls} calls in {rounds} rounds, in µs",
    tables: &["mode"],
    lines: &["mode", "clients", "system"],
    columns: &[
        Column::word("mode", "mode"),
        Column::number("clients that flood", "clients", 0),
        Column::word("system", "system"),
        Column::micros("p50", "median_ns"),
        Column::micros("p99", "p99_ns"),
        Column::micros("p99.99", "p9999_ns"),
        Column::micros("max", "max_ns"),
        Column::with("missed", missed).left(),
        Column::number("p50 × raw", "median_times_raw", 2),
        Column::number("p99 × raw", "p99_times_raw", 2),
        Column::number("p99.99 × raw", "p9999_times_raw", 2),
        Column::number("calls/s of the flood", "flood_calls_per_s", 0),
    ],
};

/// How far the tails lie from those of raw sockets, by the number of clients.
pub(crate) const FAR: Layout = Layout {
    title: "p99.99 in µs, by the clients that flood the server, mode {mode}",
    tables: &["mode"],
    lines: &["mode", "clients"],
    columns: &[
        Column::word("mode", "mode"),
        Column::number("clients", "clients", 0),
        Column::micros("machine", "p9999_ns").of("system", "machine"),
        Column::micros("raw", "p9999_ns").of("system", "raw"),
        Column::micros("taut", "p9999_ns").of("system", "taut"),
        Column::with("missed", missed).of("system", "taut").left(),
        Column::micros("lanes", "p9999_ns").of("system", "taut_lanes"),
        Column::number("× raw", "p9999_times_raw", 2).of("system", "taut_lanes"),
        Column::with("missed", missed)
            .of("system", "taut_lanes")
            .left(),
        Column::micros("lanes and bands", "p9999_ns").of("system", "taut_bands"),
        Column::number("× raw", "p9999_times_raw", 2).of("system", "taut_bands"),
        Column::with("missed", missed)
            .of("system", "taut_bands")
            .left(),
        Column::micros("omniorb", "p9999_ns").of("system", "omniorb"),
        Column::with("missed", missed)
            .of("system", "omniorb")
            .left(),
    ],
};

/// The aim: with this many clients,
const AIMED_CLIENTS: u32 = 64;
/// the 99.99th percentile is at most so many times that of raw sockets.
const AIM: f64 = 1.2;

/// The percentiles, by the fields that have them.
const SHARES: [(&str, f64); 5] = [
    ("median", 50.0),
    ("p99", 99.0),
    ("p999", 99.9),
    ("p9999", 99.99),
    ("max", 100.0),
];

/// So many deadlines missed of so many releases.
fn missed(row: &Row) -> Option<String> {
    let (missed, releases) = (row.number("missed")?, row.number("releases")?);
    Some(format!("{missed:.0} of {releases:.0}"))
}

/// The calls of all turns together: of the machine by itself, how late its thread woke.
fn distribution(outcome: &Outcome) -> Option<Distribution> {
    let samples = |turn: &Turn| match outcome.system {
        Contender::Machine => turn.responses_ns.clone(),
        _ => turn.calls_ns.clone(),
    };
    Distribution::of(outcome.turns.iter().flat_map(samples))
}

/// The calls of the flood in a second, round by round.
fn flood_calls_per_s(turns: &[Turn]) -> Option<Spread> {
    let rate = |&(calls, elapsed): &(u64, Duration)| {
        (!elapsed.is_zero()).then(|| ratio(calls, 1) / elapsed.as_secs_f64())
    };
    Spread::of(turns.iter().filter_map(|turn| rate(&turn.flood)))
}

/// A row for each outcome that has a call.
pub(super) fn rows(mode: Mode, schedule: Schedule, outcomes: &[Outcome]) -> Vec<Row> {
    let raw = |clients| {
        let mut same = outcomes.iter().filter(|it| it.clients == clients);
        same.find(|it| it.system == Contender::Raw)
            .and_then(distribution)
    };
    let row = |outcome: &Outcome| {
        let own = distribution(outcome)?;
        let is_compared = outcome.system.is_called() && outcome.system != Contender::Raw;
        let raw = is_compared.then(|| raw(outcome.clients)).flatten();
        let is_fifo = outcome.turns.iter().all(|turn| turn.is_fifo);
        let missed: u32 = outcome.turns.iter().map(|turn| turn.missed).sum();
        let mut row = Row::new()
            .with("mode", mode)
            .with("clients", outcome.clients)
            .with("system", outcome.system)
            .with("scheduling", if is_fifo { "fifo" } else { "other" })
            .with("period_us", schedule.period.as_micros() as u64)
            .with("deadline_us", schedule.deadline.as_micros() as u64)
            .with("rounds", outcome.turns.len())
            .with("releases", outcome.turns.len() * schedule.releases as usize)
            .with("calls", own.count())
            .with("missed", missed);
        for (name, share) in SHARES {
            let figure = own.percentile(share);
            row = row.with(&format!("{name}_ns"), figure);
            let times_raw = raw.as_ref().map(|raw| ratio(figure, raw.percentile(share)));
            row = row.with(&format!("{name}_times_raw"), times_raw);
        }
        Some(row.spread("flood_calls_per_s", flood_calls_per_s(&outcome.turns)))
    };
    outcomes.iter().filter_map(row).collect()
}

/// The tables of these rows, and whether the aim is reached.
pub(super) fn render(rows: &[Row]) -> String {
    LAYOUT.text(rows) + &verdicts(rows)
}

/// Whether the systems that know priorities reach the aim; empty where none was measured.
fn verdicts(rows: &[Row]) -> String {
    let aimed = rows.iter().filter(|row| {
        let is_aimed = row.is("clients", &AIMED_CLIENTS.to_string());
        let knows = |it: &Contender| it.has_lanes() && row.is("system", &it.to_string());
        is_aimed && Contender::ALL.iter().any(knows)
    });
    let verdict = |row: &Row| {
        let times_raw = row.number("p9999_times_raw")?;
        let met = if times_raw <= AIM { "met" } else { "MISSED" };
        let (system, mode) = (row.text("system"), row.text("mode"));
        Some(format!(
            "{system}, mode {mode}, {AIMED_CLIENTS} clients: p99.99 is {times_raw:.2} times raw \
             sockets', aimed at {AIM}: {met}\n"
        ))
    };
    aimed.filter_map(verdict).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(system: Contender, clients: u32, call_ns: u64) -> Outcome {
        let turn = Turn {
            is_fifo: true,
            missed: 2,
            calls_ns: vec![call_ns; 98],
            responses_ns: vec![call_ns + 50; 98],
            flood: (u64::from(clients) * 500, Duration::from_millis(500)),
        };
        Outcome {
            system,
            clients,
            turns: vec![turn.clone(), turn],
        }
    }

    fn schedule() -> Schedule {
        Schedule {
            releases: 100,
            period: Duration::from_millis(5),
            deadline: Duration::from_millis(4),
        }
    }

    #[test]
    fn systems_are_compared_with_raw_sockets_beside_the_same_flood() {
        let outcomes = [
            outcome(Contender::Machine, 0, 1),
            outcome(Contender::Raw, 0, 10_000),
            outcome(Contender::Raw, 8, 20_000),
            outcome(Contender::Taut, 8, 30_000),
        ];
        let rows = rows(Mode::Same, schedule(), &outcomes);
        let taut = &rows[3];
        assert_eq!(taut.number("p9999_times_raw"), Some(1.5));
        assert_eq!(taut.number("missed"), Some(4.0));
        assert_eq!(taut.number("releases"), Some(200.0));
        assert_eq!(taut.number("flood_calls_per_s"), Some(8_000.0));
        // The machine's are how late it wakes.
        assert_eq!(rows[0].number("median_ns"), Some(51.0));
        assert_eq!(rows[0].number("median_times_raw"), None);
        assert_eq!(rows[1].number("flood_calls_per_s"), Some(0.0));
        let text = render(&rows);
        assert!(
            text.contains("4 of 200") && text.contains("mode same, fifo"),
            "{text}"
        );
    }
}
