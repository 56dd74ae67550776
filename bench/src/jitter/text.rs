//! Latencies and counts for people at a terminal.

use super::figures::{Figures, SHARE_NAMES};
use crate::statistics::ratio;
use crate::system::System;
use crate::table::{align, microseconds};

/// A table of latencies, those of raw sockets as multiples of which the others are
/// shown too, and one of what was counted.
pub(super) fn render(all: &[Figures]) -> String {
    format!("{}\n{}", latencies(all), counts(all))
}

fn latencies(all: &[Figures]) -> String {
    let headings = ["system", ""].into_iter().chain(SHARE_NAMES);
    let mut rows = vec![headings.map(str::to_owned).collect::<Vec<_>>()];
    let raw = all.iter().find(|figures| figures.system == System::Raw);
    for figures in all {
        let times = figures.percentiles_ns.map(microseconds);
        rows.push(row([figures.system.to_string(), "µs".to_owned()], times));
        if let Some(raw) = raw.filter(|raw| raw.system != figures.system) {
            let pairs = figures.percentiles_ns.iter().zip(raw.percentiles_ns);
            let ratios = pairs.map(|(&own, raw)| format!("{:.3}", ratio(own, raw)));
            rows.push(row([String::new(), "× raw".to_owned()], ratios));
        }
    }
    align(&rows, &[0, 1])
}

/// Of client and server together, in a million calls.
fn counts(all: &[Figures]) -> String {
    let headings = [
        "in 10⁶ calls",
        "page faults",
        "from disk",
        "switches",
        "forced switches",
        "allocations of the client",
    ];
    let mut rows = vec![headings.map(str::to_owned).to_vec()];
    for figures in all {
        let usage = figures.usage;
        let counts = [
            usage.minor_faults,
            usage.major_faults,
            usage.voluntary_switches,
            usage.involuntary_switches,
        ];
        let counts = counts.map(|count| format!("{:.0}", figures.per_million(count)));
        let allocations = (figures.allocations).map_or_else(
            || "not counted".to_owned(),
            |of_one| format!("{:.0}", 1e6 * of_one),
        );
        rows.push(row(
            [figures.system.to_string()],
            counts.into_iter().chain([allocations]),
        ));
    }
    align(&rows, &[0])
}

fn row<const N: usize>(first: [String; N], rest: impl IntoIterator<Item = String>) -> Vec<String> {
    first.into_iter().chain(rest).collect()
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
        let text = render(&[figures(System::Raw, 10_000), figures(System::Taut, 15_000)]);
        let expected = [
            "  system           p50    p90    p99  p99.9  p99.99    max",
            "  raw     µs     10.00  10.00  10.00  10.00   10.00  10.00",
            "  taut    µs     15.00  15.00  15.00  15.00   15.00  15.00",
            "          × raw  1.500  1.500  1.500  1.500   1.500  1.500",
            "",
            "  in 10⁶ calls  page faults  from disk  switches  forced switches  allocations of the client",
            "  raw                     0          0   2000000                0                          0",
            "  taut                    0          0   2000000                0                          0",
            "",
        ];
        assert_eq!(text, expected.join("\n"));
    }
}
