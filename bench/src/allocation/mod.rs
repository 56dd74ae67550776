//! `taut-bench allocation`: what it takes to get and give back the buffers of messages,
//! from the pool of the thread and from the global allocator, while an application
//! allocates as well.
//!
//! [`mix`] is what is done, [`report`] shows what it took.

mod mix;
mod report;

use clap::{Args, value_parser};
use taut_sys::{cpu, ticks};

use self::mix::{Application, GLOBAL, POOL, Way};
use crate::driver;
use crate::error::BenchError;
use crate::options::{Output, Rounds};

/// The arguments of `taut-bench allocation`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    rounds: Rounds,
    #[command(flatten)]
    output: Output,
    /// Mixes of a turn, each of 16 buffers and 1,000 allocations of the application
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = value_parser!(u32).range(1..=1_000_000))]
    mixes: u32,
}

/// The sizes of the messages that the buffers are for, in octets.
const SIZES: [usize; 3] = [4 << 10, 64 << 10, 1 << 20];

const WAYS: [Way; 2] = [POOL, GLOBAL];

/// Measures on one CPU, shows a table and writes the records.
///
/// # Errors
///
/// [`BenchError::System`] when the thread cannot be bound to its CPU, and those of
/// writing the file.
pub(crate) fn run(arguments: &Arguments) -> Result<(), BenchError> {
    let allowed = cpu::allowed().map_err(BenchError::system("cannot ask for the CPUs"))?;
    let last = *allowed.last().ok_or(BenchError::Nothing)?;
    cpu::pin(last).map_err(BenchError::system("cannot bind a thread to its CPU"))?;
    let tick_ns = ticks::nanoseconds();
    let (rounds, mixes) = (arguments.rounds.count, arguments.mixes);
    // The two of a size follow each other, so that both find the machine the same.
    let turns: Vec<(usize, Way)> = (SIZES.into_iter())
        .flat_map(|size| WAYS.map(|way| (size, way)))
        .collect();
    // One application for all: what it has allocated lies where it lies for both.
    let mut application = Application::new();
    let taken = driver::interleave(rounds, turns.len(), |turn| {
        let (size, way) = turns[turn];
        Ok(mix::times(&mut application, way, size, mixes))
    })?;
    let rows = turns
        .into_iter()
        .zip(taken)
        .filter_map(|((size, way), rounds)| {
            let row = report::row(size, way.name, rounds, tick_ns)?;
            Some(row.with("mixes", mixes))
        });
    let rows = report::compared(rows.collect());
    print!("{}", report::LAYOUT.text(&rows));
    arguments.output.write("allocation", rows)
}
