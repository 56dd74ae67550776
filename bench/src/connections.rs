//! `taut-bench connections`: the latency of a call while many connections are
//! open, which the server's threads share.

use clap::Args;

use crate::case::{Case, Transport};
use crate::driver::{self, Outcome};
use crate::error::BenchError;
use crate::options::{Output, Turns};
use crate::ping;
use crate::placement::{Mode, Placement};
use crate::raw::MessageSizes;
use crate::record::Row;
use crate::render::Layout;
use crate::system::System;

/// The arguments of `taut-bench connections`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// How many connections are open, over which the client calls in turn
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [1, 100, 1_000])]
    counts: Vec<usize>,
    /// The threads that share them; omniORB gives each its own
    #[arg(long, value_name = "N", default_value_t = 2)]
    threads: usize,
    #[command(flatten)]
    turns: Turns,
    #[command(flatten)]
    output: Output,
    /// The systems to measure; without `raw` there are no ratios
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [System::Raw, System::Taut, System::Omniorb])]
    systems: Vec<System>,
    #[command(flatten)]
    sizes: MessageSizes,
}

/// A table for each number of connections.
pub(crate) const LAYOUT: Layout = Layout {
    title: "{connections} connections, mode {mode}: {rounds} rounds of {calls} calls",
    tables: &["connections"],
    lines: &["system"],
    columns: &ping::COLUMNS,
};

/// Measures, shows a table for each number of connections, and writes the
/// records. Client and server share a CPU, so that the work is what counts.
///
/// # Errors
///
/// Those of [`driver::measure`] and [`Output::write`].
pub(crate) fn run(arguments: &Arguments) -> Result<(), BenchError> {
    let placement = Placement::here(Mode::Same)?;
    let plan = arguments.turns.plan();
    let mut records = Vec::new();
    for &count in &arguments.counts {
        let mut systems = Vec::new();
        for &system in &arguments.systems {
            let programs = system.sharing_programs(arguments.sizes, arguments.threads, count)?;
            systems.extend(programs.map(|programs| (system, programs)));
        }
        let outcomes = driver::measure(plan, placement, systems)?;
        let subject = Row::new()
            .with("case", Case::Void.name())
            .with("mode", Mode::Same)
            .with("transport", Transport::Tcp)
            .with("connections", count)
            .with("calls", plan.calls);
        let rows = Outcome::rows(&outcomes, &subject);
        print!("{}", LAYOUT.text(&rows));
        records.extend(rows);
    }
    arguments.output.write("connections", records)
}
