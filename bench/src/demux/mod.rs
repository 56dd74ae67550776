//! `taut-bench demux`: what it costs to find POA, object and operation, in one process
//! and without sockets.
//!
//! [`case`] lists what is measured, [`world`] and [`prepare`] make it, [`visits`] goes
//! through it, [`mod@measure`] takes time and counts instructions, [`report`] and
//! [`verdict`] show what came of it.

mod case;
mod measure;
mod prepare;
mod report;
mod servants;
mod verdict;
mod visits;
mod world;

use clap::Args;
use taut_sys::cpu;

use self::case::{Case, Order};
use self::measure::{Counter, times};
use self::report::{LAYOUT, Outcome};
use crate::error::BenchError;
use crate::options::Output;
use crate::record::Row;

pub(crate) use self::measure::look_up;

/// The arguments of `taut-bench demux`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// How many rounds are counted
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Only what has this in its name: `Dispatch`, `Operation/PerfectHash`
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// At most so many objects
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    max_count: usize,
    /// Count no instructions with valgrind
    #[arg(long)]
    no_instructions: bool,
    #[command(flatten)]
    output: Output,
}

/// The greatest number of things that valgrind looks at: to make more takes it
/// minutes, and cannot change how many instructions a look-up has.
const MAX_COUNTED: usize = 100_000;

/// Measures all that is asked for, and prints tables and verdicts.
///
/// # Errors
///
/// When a look-up goes wrong, or the results cannot be written.
pub(crate) fn run(arguments: &Arguments) -> Result<(), BenchError> {
    let allowed = cpu::allowed().map_err(BenchError::system("cannot ask for the CPUs"))?;
    let cpu = *allowed.last().ok_or(BenchError::Nothing)?;
    cpu::pin(cpu).map_err(BenchError::system("cannot bind a thread to its CPU"))?;
    let counter = match arguments.no_instructions {
        true => None,
        false => Counter::new()?,
    };
    if counter.is_none() && !arguments.no_instructions {
        eprintln!("LEFT OUT: instructions, for valgrind is missing; run `cargo xtask peers`");
    }
    let mut records = Vec::new();
    for group in case::groups() {
        let group: Vec<Case> = group
            .into_iter()
            .filter(|case| case.to_string().contains(&arguments.only))
            .filter(|case| case.count <= arguments.max_count)
            .collect();
        if group.is_empty() {
            continue;
        }
        let group = measure(&group, arguments.rounds.into(), counter.as_ref())?;
        print!("{}", LAYOUT.text(&rows(&group)));
        records.extend(group);
    }
    if records.is_empty() {
        return Err(BenchError::Nothing);
    }
    for line in verdict::lines(&records) {
        println!("{line}");
    }
    arguments.output.write("demux", rows(&records))
}

fn rows(outcomes: &[Outcome]) -> Vec<Row> {
    outcomes.iter().map(Outcome::row).collect()
}

fn measure(
    group: &[Case],
    rounds: usize,
    counter: Option<&Counter>,
) -> Result<Vec<Outcome>, BenchError> {
    let group = times(group, rounds)?;
    let mut records = Vec::new();
    for times in &group {
        // All in no order are no other instructions than some.
        let is_counted = times.case.count <= MAX_COUNTED
            && (times.case.order != Order::Sequential || times.case.count == 1);
        let instructions = match counter.filter(|_| is_counted) {
            Some(counter) => Some(counter.instructions(times.case)?),
            None => None,
        };
        records.extend(Outcome::new(times, &group, instructions));
    }
    Ok(records)
}
