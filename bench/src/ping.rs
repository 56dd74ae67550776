//! `taut-bench ping`: the latency of the smallest two-way call.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, value_parser};
use taut_sys::cpu;

use crate::case::{Case, Transport};
use crate::driver::{self, Plan};
use crate::error::BenchError;
use crate::placement::{Mode, Placement};
use crate::protocol::CALLS_MAX;
use crate::raw::MessageSizes;
use crate::record::{self, Record, Subject};
use crate::system::System;
use crate::table;

/// What `taut-bench ping` is asked for.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// How often each system has its turn; quote no result of fewer than 7
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = value_parser!(u32).range(1..))]
    rounds: u32,
    /// Calls of a turn
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = value_parser!(u32).range(1..=i64::from(CALLS_MAX)))]
    calls: u32,
    /// Write the results to this file too, as a list of records
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Whether client and server share a CPU
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [Mode::Same, Mode::Split])]
    modes: Vec<Mode>,
    /// What carries the messages
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [Transport::Tcp])]
    transports: Vec<Transport>,
    /// What to measure; without `raw` there are no ratios
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [System::Raw, System::Taut, System::Omniorb])]
    systems: Vec<System>,
    /// Seconds that a program may need to start, or for its turn
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = value_parser!(u64).range(1..))]
    time_out_s: u64,
    #[command(flatten)]
    sizes: MessageSizes,
}

/// Measures, shows a table for each mode and transport, and writes the records.
///
/// A mode for which there are too few CPUs, and a system that is not built, are
/// left out with a line on standard error.
///
/// # Errors
///
/// [`BenchError::Nothing`] when everything was left out; those of
/// [`driver::measure`] and [`record::write`].
pub(crate) fn run(arguments: &Arguments) -> Result<(), BenchError> {
    let allowed = cpu::allowed().map_err(BenchError::system("cannot ask for the CPUs"))?;
    let mut records = Vec::new();
    for mode in distinct(&arguments.modes) {
        match Placement::choose(mode, &allowed) {
            Ok(placement) => {
                for transport in distinct(&arguments.transports) {
                    records.extend(measure(arguments, mode, placement, transport)?);
                }
            }
            Err(error) => eprintln!("LEFT OUT: mode {mode}, for it {error}"),
        }
    }
    if records.is_empty() {
        return Err(BenchError::Nothing);
    }
    match &arguments.json {
        Some(file) => record::write(&records, file),
        None => Ok(()),
    }
}

fn measure(
    arguments: &Arguments,
    mode: Mode,
    placement: Placement,
    transport: Transport,
) -> Result<Vec<Record>, BenchError> {
    let Arguments { rounds, calls, .. } = *arguments;
    let mut systems = Vec::new();
    for system in distinct(&arguments.systems) {
        if let Some(programs) = system.void_programs(arguments.sizes, transport)? {
            systems.push((system, programs));
        }
    }
    let plan = Plan {
        rounds,
        calls,
        time_out: Duration::from_secs(arguments.time_out_s),
    };
    let outcomes = driver::measure(plan, placement, systems)?;
    let subject = Subject {
        bench: "ping",
        case: Case::Void,
        mode,
        transport,
        connections: None,
    };
    let records = Record::list(subject, &outcomes);
    println!("ping over {transport}, mode {mode}: {rounds} rounds of {calls} calls");
    println!("{}", table::render(&records));
    Ok(records)
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

    #[test]
    fn what_is_named_twice_is_measured_once() {
        assert_eq!(distinct(&[2, 1, 2, 3, 1]), [2, 1, 3]);
    }
}
