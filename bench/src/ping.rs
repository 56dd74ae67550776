//! `taut-bench ping`: the latency of the smallest two-way call.

use clap::Args;

use crate::case::{Case, Transport};
use crate::driver::{self, Outcome};
use crate::error::BenchError;
use crate::options::{Output, Turns};
use crate::placement::{Mode, Placement};
use crate::raw::MessageSizes;
use crate::record::Row;
use crate::render::{Column, Layout};
use crate::system::System;

/// The arguments of `taut-bench ping`.
#[derive(Debug, Args)]
#[command(mut_arg("calls", |calls| calls.default_value("20000")))]
pub(crate) struct Arguments {
    #[command(flatten)]
    turns: Turns,
    #[command(flatten)]
    output: Output,
    /// Whether client and server share a CPU
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [Mode::Same, Mode::Split])]
    modes: Vec<Mode>,
    /// The transports of the messages
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [Transport::Tcp])]
    transports: Vec<Transport>,
    /// The systems to measure; without `raw` there are no ratios
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [System::Raw, System::Taut, System::Omniorb])]
    systems: Vec<System>,
    #[command(flatten)]
    sizes: MessageSizes,
    /// Let raw sockets refill the processor's return stack behind each system call, as
    /// Taut does
    #[arg(long)]
    refill: bool,
}

/// A table for each mode and transport.
pub(crate) const LAYOUT: Layout = Layout {
    title: "ping over {transport}, mode {mode}: {rounds} rounds of {calls} calls",
    tables: &["mode", "transport"],
    lines: &["system"],
    columns: &COLUMNS,
};

/// The latency of a system, and how many times that of raw sockets it is.
pub(crate) const COLUMNS: [Column; 4] = [
    Column::word("system", "system"),
    Column::micros("median µs", "median_ns"),
    Column::micros("p99 µs", "p99_ns"),
    Column::with("× raw (least-most)", ratio_raw).left(),
];

/// The ratio of a row to raw sockets, or the reason for which there is none.
fn ratio_raw(row: &Row) -> Option<String> {
    Some(match row.get_spread("ratio_raw") {
        Some(ratios) => ratios.to_string(),
        None if row.is("system", "raw") => "baseline".to_owned(),
        None => "no baseline".to_owned(),
    })
}

/// Measures, shows a table for each mode and transport, and writes the records.
///
/// A mode for which there are too few CPUs, and a system that is not built, are
/// left out with a line on standard error.
///
/// # Errors
///
/// [`BenchError::Nothing`] when everything was left out; those of
/// [`driver::measure`] and [`Output::write`].
pub(crate) fn run(arguments: &Arguments) -> Result<(), BenchError> {
    let mut records = Vec::new();
    for (mode, placement) in Placement::of_all(&distinct(&arguments.modes))? {
        for transport in distinct(&arguments.transports) {
            records.extend(measure(arguments, mode, placement, transport)?);
        }
    }
    if records.is_empty() {
        return Err(BenchError::Nothing);
    }
    arguments.output.write("ping", records)
}

fn measure(
    arguments: &Arguments,
    mode: Mode,
    placement: Placement,
    transport: Transport,
) -> Result<Vec<Row>, BenchError> {
    let mut systems = Vec::new();
    for system in distinct(&arguments.systems) {
        if let Some(mut programs) = system.void_programs(arguments.sizes, transport)? {
            if arguments.refill && system == System::Raw {
                programs.server.arg("--refill");
                programs.client.arg("--refill");
            }
            systems.push((system, programs));
        }
    }
    let plan = arguments.turns.plan();
    let outcomes = driver::measure(plan, placement, systems)?;
    let subject = Row::new()
        .with("case", Case::Void.name())
        .with("mode", mode)
        .with("transport", transport)
        .with("refill", arguments.refill.then_some("refill"))
        .with("calls", plan.calls);
    let rows = Outcome::rows(&outcomes, &subject);
    print!("{}", LAYOUT.text(&rows));
    Ok(rows)
}

/// Each value once, in the order of its first mention.
fn distinct<T: Copy + PartialEq>(values: &[T]) -> Vec<T> {
    let mut distinct = Vec::new();
    for &value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Spread;

    #[test]
    fn every_system_has_a_line() {
        let row = |system: &str, median_ns: u64| {
            let row = Row::new().with("mode", "same").with("transport", "tcp");
            let row = row.with("rounds", 9).with("calls", 20_000);
            let row = row.with("system", system).with("median_ns", median_ns);
            row.with("p99_ns", 104_005)
        };
        let ratio = Spread::of([1.0, 1.0604, 1.2]);
        let rows = [
            row("raw", 12_496),
            row("taut", 9).spread("ratio_raw", ratio),
            row("omniorb", 9),
        ];
        let expected = [
            "ping over tcp, mode same: 9 rounds of 20000 calls",
            "  system   median µs  p99 µs  × raw (least-most)",
            "  raw          12.50  104.01  baseline",
            "  taut          0.01  104.01  1.060 (1.000-1.200)",
            "  omniorb       0.01  104.01  no baseline",
            "",
            "",
        ];
        assert_eq!(LAYOUT.text(&rows), expected.join("\n"));
    }

    #[test]
    fn what_is_named_twice_is_measured_once() {
        assert_eq!(distinct(&[2, 1, 2, 3, 1]), [2, 1, 3]);
    }
}
