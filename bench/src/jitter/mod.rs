//! `taut-bench jitter`: how far the latencies of a call without arguments lie apart, and
//! what the processes had of the machine meanwhile.
//!
//! [`figures`] makes few numbers of the turns of a system, [`report`] shows them.

mod figures;
mod report;

use clap::{Args, value_parser};

use self::figures::{Figures, Turn};
pub(crate) use self::report::{LATENCIES, RATIOS};
use crate::case::Transport;
use crate::client::Client;
use crate::driver;
use crate::error::BenchError;
use crate::options::{Output, Rounds, TimeOut};
use crate::placement::{Mode, Placement};
use crate::protocol::CALLS_MAX;
use crate::raw::MessageSizes;
use crate::statistics::ratio;
use crate::system::System;

/// The arguments of `taut-bench jitter`.
#[derive(Debug, Args)]
#[command(mut_arg("rounds", |rounds| rounds.default_value("20")))]
pub(crate) struct Arguments {
    /// Calls of each system, in all rounds together; the 99.99th percentile of fewer than
    /// 100,000 is one of few samples
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = value_parser!(u32).range(1..=i64::from(CALLS_MAX)))]
    calls: u32,
    #[command(flatten)]
    rounds: Rounds,
    #[command(flatten)]
    time_out: TimeOut,
    #[command(flatten)]
    output: Output,
    /// Whether client and server share a CPU
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [Mode::Same])]
    modes: Vec<Mode>,
    /// The transport of the messages
    #[arg(long, value_name = "NAME", default_value_t = Transport::Tcp)]
    transport: Transport,
    #[command(flatten)]
    sizes: MessageSizes,
}

/// The systems that are measured, raw sockets first: what the others are compared with.
const SYSTEMS: [System; 3] = [System::Raw, System::Taut, System::Omniorb];

/// Allocations are counted in so many further calls.
const COUNTED: u32 = 1_000;

/// Measures, shows two tables for each mode, and writes the records.
///
/// A mode for which there are too few CPUs, and a system that is not built, are
/// left out with a line on standard error.
///
/// # Errors
///
/// [`BenchError::Nothing`] when everything was left out; those of [`Client`] and of
/// writing the file.
pub(crate) fn run(arguments: &Arguments) -> Result<(), BenchError> {
    let mut records = Vec::new();
    for (mode, placement) in Placement::of_all(&arguments.modes)? {
        let all = measure(arguments, placement)?;
        let rows = report::rows(mode, arguments.transport, &all);
        print!("{}", report::render(&rows));
        records.extend(rows);
    }
    if records.is_empty() {
        return Err(BenchError::Nothing);
    }
    arguments.output.write("jitter", records)
}

/// The calls of a turn, of which all rounds together have at least as many as are asked
/// for.
fn turn_calls(arguments: &Arguments) -> u32 {
    arguments.calls.div_ceil(arguments.rounds.count)
}

/// The figures of each system.
fn measure(arguments: &Arguments, placement: Placement) -> Result<Vec<Figures>, BenchError> {
    let time_out = arguments.time_out.duration();
    let mut systems = Vec::new();
    let mut clients = Vec::new();
    for system in SYSTEMS {
        if let Some(programs) = system.void_programs(arguments.sizes, arguments.transport)? {
            systems.push(system);
            clients.push(Client::start(programs, placement, time_out)?);
        }
    }
    let calls = turn_calls(arguments);
    let turns = driver::interleave(arguments.rounds.count, clients.len(), |turn| {
        let (usage, samples_ns) = clients[turn].usage(calls)?;
        Ok(Turn { usage, samples_ns })
    })?;
    let mut all = Vec::new();
    for ((system, client), turns) in systems.into_iter().zip(&mut clients).zip(turns) {
        // The clients of other ORBs do not count.
        let allocations = match system {
            System::Raw | System::Taut => Some(client.allocations(COUNTED)?),
            System::Omniorb | System::Jacorb => None,
        };
        let allocations = allocations.map(|count| ratio(count, COUNTED.into()));
        all.extend(Figures::of(system, turns, allocations));
    }
    Ok(all)
}
