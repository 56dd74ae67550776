//! `taut-bench connections`: the latency of a call while many connections are
//! open, which the server's threads share.

use clap::Args;
use taut_sys::cpu;

use crate::case::{Case, Transport};
use crate::driver;
use crate::error::BenchError;
use crate::options::{Output, Turns};
use crate::placement::{Mode, Placement};
use crate::raw::MessageSizes;
use crate::record::{Record, Subject};
use crate::system::System;
use crate::table;

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

/// Measures, shows a table for each number of connections, and writes the
/// records. Client and server share a CPU, so that the work is what counts.
///
/// # Errors
///
/// Those of [`driver::measure`] and [`Output::write`].
pub(crate) fn run(arguments: &Arguments) -> Result<(), BenchError> {
    let allowed = cpu::allowed().map_err(BenchError::system("cannot ask for the CPUs"))?;
    let placement = Placement::choose(Mode::Same, &allowed)?;
    let plan = arguments.turns.plan();
    let mut records = Vec::new();
    for &count in &arguments.counts {
        let mut systems = Vec::new();
        for &system in &arguments.systems {
            let programs = system.sharing_programs(arguments.sizes, arguments.threads, count)?;
            systems.extend(programs.map(|programs| (system, programs)));
        }
        let outcomes = driver::measure(plan, placement, systems)?;
        let subject = Subject {
            bench: "connections",
            case: Case::Void,
            mode: Mode::Same,
            transport: Transport::Tcp,
            connections: Some(count),
        };
        let measured = Record::list(subject, &outcomes);
        println!(
            "{count} connections, mode same: {} rounds of {} calls",
            plan.rounds, plan.calls
        );
        println!("{}", table::render(&measured));
        records.extend(measured);
    }
    arguments.output.write(&records)
}
