//! `taut-bench ping`: the latency of the smallest two-way call.

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
    arguments.output.write(&records)
}

fn measure(
    arguments: &Arguments,
    mode: Mode,
    placement: Placement,
    transport: Transport,
) -> Result<Vec<Record>, BenchError> {
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
    let subject = Subject {
        bench: "ping",
        case: Case::Void,
        mode,
        transport,
        connections: None,
    };
    let records = Record::list(subject, &outcomes);
    println!(
        "ping over {transport}, mode {mode}: {} rounds of {} calls",
        plan.rounds, plan.calls
    );
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
