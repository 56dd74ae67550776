//! Latencies and counts, in rows and tables.

use super::figures::{Figures, SHARES};
use crate::case::{Case, Transport};
use crate::placement::Mode;
use crate::record::Row;
use crate::render::{Column, Layout};
use crate::statistics::{Spread, ratio};
use crate::system::System;

/// The latencies of each system.
pub(crate) const LATENCIES: Layout = Layout {
    title: "jitter over {transport}, mode {mode}: {calls} calls in {rounds} rounds, in µs",
    tables: &["mode", "transport"],
    lines: &["system"],
    columns: &[
        Column::word("system", "system"),
        Column::micros("p50", "median_ns"),
        Column::micros("p90", "p90_ns"),
        Column::micros("p99", "p99_ns"),
        Column::micros("p99.9", "p999_ns"),
        Column::micros("p99.99", "p9999_ns"),
        Column::micros("max", "max_ns"),
    ],
};

/// The same as multiples of those of raw sockets.
pub(crate) const RATIOS: Layout = Layout {
    title: "× raw",
    columns: &[
        Column::word("system", "system"),
        Column::number("p50", "median_times_raw", 3),
        Column::number("p90", "p90_times_raw", 3),
        Column::number("p99", "p99_times_raw", 3),
        Column::number("p99.9", "p999_times_raw", 3),
        Column::number("p99.99", "p9999_times_raw", 3),
        Column::number("max", "max_times_raw", 3),
    ],
    ..LATENCIES
};

/// The page faults, context switches and allocations of client and server together.
pub(crate) const COUNTS: Layout = Layout {
    title: "in 10⁶ calls",
    columns: &[
        Column::word("system", "system"),
        Column::with("page faults", |row| per_million(row, "minor_faults")),
        Column::with("from disk", |row| per_million(row, "major_faults")),
        Column::with("switches", |row| per_million(row, "voluntary_switches")),
        Column::with("forced switches", |row| {
            per_million(row, "involuntary_switches")
        }),
        Column::with("allocations of the client", |row| {
            let of_one = row.number("allocations");
            Some(of_one.map_or("not counted".to_owned(), |it| format!("{:.0}", 1e6 * it)))
        }),
    ],
    ..LATENCIES
};

/// How often something that was counted happens in a million calls.
fn per_million(row: &Row, field: &str) -> Option<String> {
    Some(format!(
        "{:.0}",
        1e6 * row.number(field)? / row.number("calls")?
    ))
}

/// The names of the percentiles in [`SHARES`], as the fields of rows begin.
const NAMES: [&str; SHARES.len()] = ["median", "p90", "p99", "p999", "p9999", "max"];

/// A row for each system. The counts are those of client and server, in all rounds;
/// `allocations` are on the client's heap for a call; of the distribution the steps without
/// samples are left out.
pub(super) fn rows(mode: Mode, transport: Transport, all: &[Figures]) -> Vec<Row> {
    let raw = all.iter().find(|figures| figures.system == System::Raw);
    let row = |figures: &Figures| {
        let raw = raw.filter(|raw| raw.system != figures.system);
        let steps = figures.distribution.steps().into_iter();
        let mut row = Row::new()
            .with("case", Case::Void.name())
            .with("mode", mode)
            .with("system", figures.system)
            .with("transport", transport)
            .with("rounds", figures.rounds)
            .with("calls", figures.distribution.count())
            .with("minor_faults", figures.usage.minor_faults)
            .with("major_faults", figures.usage.major_faults)
            .with("voluntary_switches", figures.usage.voluntary_switches)
            .with("involuntary_switches", figures.usage.involuntary_switches)
            .with("allocations", figures.allocations)
            .with(
                "histogram",
                steps.filter(|it| it.share > 0.0).collect::<Vec<_>>(),
            );
        for (name, share) in NAMES.into_iter().zip(SHARES) {
            let own = figures.distribution.percentile(share);
            let raw = raw.map(|raw| ratio(own, raw.distribution.percentile(share)));
            row = row.with(&format!("{name}_ns"), own);
            row = row.with(&format!("{name}_times_raw"), raw);
        }
        let medians = raw.map(|raw| raw.medians_ns.iter().copied());
        let ratios =
            medians.and_then(|raw| Spread::of_ratios(figures.medians_ns.iter().copied(), raw));
        row.spread("ratio_raw", ratios)
    };
    all.iter().map(row).collect()
}

/// The tables of these rows.
pub(super) fn render(rows: &[Row]) -> String {
    let compared = rows
        .iter()
        .filter(|row| row.number("median_times_raw").is_some());
    let compared: Vec<_> = compared.cloned().collect();
    LATENCIES.text(rows) + &RATIOS.text(&compared) + &COUNTS.text(rows)
}

#[cfg(test)]
mod tests {
    use taut_sys::usage::Usage;

    use super::super::figures::Turn;
    use super::*;

    #[test]
    fn each_system_has_its_latencies_beside_those_of_raw_sockets() {
        let figures = |system, sample_ns| {
            let usage = Usage {
                voluntary_switches: 20,
                ..Usage::default()
            };
            let samples_ns = vec![sample_ns; 10];
            Figures::of(system, vec![Turn { usage, samples_ns }], Some(0.0)).unwrap()
        };
        let all = [figures(System::Raw, 10_000), figures(System::Taut, 15_000)];
        let text = render(&rows(Mode::Same, Transport::Tcp, &all));
        let expected = [
            "jitter over tcp, mode same: 10 calls in 1 rounds, in µs",
            "  system    p50    p90    p99  p99.9  p99.99    max",
            "  raw     10.00  10.00  10.00  10.00   10.00  10.00",
            "  taut    15.00  15.00  15.00  15.00   15.00  15.00",
            "",
            "× raw",
            "  system    p50    p90    p99  p99.9  p99.99    max",
            "  taut    1.500  1.500  1.500  1.500   1.500  1.500",
            "",
            "in 10⁶ calls",
            "  system  page faults  from disk  switches  forced switches  allocations of the client",
            "  raw               0          0   2000000                0                          0",
            "  taut              0          0   2000000                0                          0",
            "",
            "",
        ];
        assert_eq!(text, expected.join("\n"));
    }
}
