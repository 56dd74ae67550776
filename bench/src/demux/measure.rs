//! Time, and instructions.

use std::env;
use std::process::Command;

use taut_sys::cpu;
use test_tools::InstructionCounter;

use super::case::{Case, NOTHING};
use super::prepare::{Worlds, prepare};
use super::visits::{LookUps, look_up_counted};
use crate::error::BenchError;

/// A turn makes at least so many look-ups, unless they are slow.
const LOOK_UPS: usize = 16_384;

/// So many look-ups are made under valgrind, at least one round of them.
const COUNTED: usize = 2_000;

/// In which their instructions are counted.
const COUNTED_FUNCTION: &str = "taut_bench::demux::visits::look_up_counted*";

/// The times of a case's look-ups in each round, in nanoseconds, without the loop around
/// them.
#[derive(Debug, Clone)]
pub(crate) struct Times {
    pub(crate) case: Case,
    pub(crate) rounds_ns: Vec<f64>,
}

/// Measures the cases of a group: in each round every case has one turn, the order
/// rotates from round to round, and the loop around all of them has one, whose time is
/// taken off, as its instructions are. The first round warms up and is dropped.
///
/// # Errors
///
/// [`BenchError::LookUp`] when a look-up finds something else than it should.
pub(crate) fn times(group: &[Case], rounds: usize) -> Result<Vec<Times>, BenchError> {
    let mut worlds = Worlds::default();
    let mut all = Vec::new();
    for &case in group {
        let look_ups = prepare(case, &mut worlds).map_err(BenchError::orb)?;
        let rounds_ns = Vec::with_capacity(rounds);
        all.push((look_ups, Times { case, rounds_ns }));
    }
    let nothing = prepare(NOTHING, &mut worlds).map_err(BenchError::orb)?;
    for round in 0..=rounds {
        let loop_ns = time(NOTHING, &*nothing)?;
        for turn in 0..all.len() {
            let count = all.len();
            let (look_ups, times) = &mut all[(round + turn) % count];
            let time = time(times.case, &**look_ups)?;
            if round > 0 {
                times.rounds_ns.push(time - loop_ns);
            }
        }
    }
    Ok(all.into_iter().map(|(_, times)| times).collect())
}

/// Measures the time of one look-up, in nanoseconds.
#[expect(clippy::cast_precision_loss, reason = "both are far below 2^53")]
fn time(case: Case, look_ups: &dyn LookUps) -> Result<f64, BenchError> {
    let visits = look_ups.len();
    let rounds = case.rounds(visits, LOOK_UPS);
    // Entries that other cases have driven out of the caches come back, as far as there is
    // room.
    if !case.is_slow() && visits <= LOOK_UPS {
        look_ups.look_up(1);
    }
    // The thread's own time: it does not sleep, and what others do is not its cost.
    let start = cpu::thread_time();
    let found = look_ups.look_up(rounds);
    let elapsed = cpu::thread_time() - start;
    check(case, found, visits * rounds)?;
    Ok(elapsed.as_nanos() as f64 / (visits * rounds) as f64)
}

fn check(case: Case, found: usize, expected: usize) -> Result<(), BenchError> {
    match found == expected {
        true => Ok(()),
        false => Err(BenchError::LookUp {
            case: case.to_string(),
            found,
            expected,
        }),
    }
}

/// Makes the look-ups of the case with this name once; valgrind counts.
///
/// # Errors
///
/// [`BenchError::Nothing`] when there is no such case; and as [`times`].
pub(crate) fn look_up(name: &str) -> Result<(), BenchError> {
    let mut cases = super::case::groups().into_iter().flatten().chain([NOTHING]);
    let case = cases.find(|case| case.to_string() == name);
    let case = case.ok_or(BenchError::Nothing)?;
    let look_ups = prepare(case, &mut Worlds::default()).map_err(BenchError::orb)?;
    let rounds = case.rounds(look_ups.len(), COUNTED);
    // Once before, so that everything is there that the first time brings.
    check(case, look_ups.look_up(1), look_ups.len())?;
    let found = look_up_counted(&*look_ups, rounds);
    check(case, found, look_ups.len() * rounds)?;
    println!("{}", look_ups.len() * rounds);
    Ok(())
}

/// Counts instructions with valgrind.
pub(crate) struct Counter {
    counter: InstructionCounter,
    /// The instructions of the loop around a look-up.
    loop_instructions: f64,
}

impl Counter {
    /// None where valgrind is not installed.
    ///
    /// # Errors
    ///
    /// As [`instructions`](Self::instructions).
    pub(crate) fn new() -> Result<Option<Self>, BenchError> {
        let Some(counter) = InstructionCounter::find_silently() else {
            return Ok(None);
        };
        let mut counter = Self {
            counter,
            loop_instructions: 0.0,
        };
        counter.loop_instructions = counter.instructions(NOTHING)?;
        Ok(Some(counter))
    }

    /// Returns the instructions of one look-up of a case, without the loop around it.
    ///
    /// # Errors
    ///
    /// When valgrind cannot be started or does not count.
    #[expect(clippy::cast_precision_loss, reason = "both are far below 2^53")]
    pub(crate) fn instructions(&self, case: Case) -> Result<f64, BenchError> {
        let this = env::current_exe().map_err(BenchError::system("cannot find this program"))?;
        let mut program = Command::new(this);
        program.args(["demux-look-ups", &case.to_string()]);
        let counted = self.counter.count_in(COUNTED_FUNCTION, &program);
        let counted = counted.map_err(|source| BenchError::Count { source })?;
        match counted.output.trim().parse::<u64>() {
            Ok(look_ups @ 1..) => {
                Ok(counted.instructions as f64 / look_ups as f64 - self.loop_instructions)
            }
            _ => Err(BenchError::Answer {
                program: "demux-look-ups".to_owned(),
                line: counted.output,
            }),
        }
    }
}
