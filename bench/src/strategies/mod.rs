//! `taut-bench strategies`: the same calls by stubs and skeletons that marshal by tables,
//! and by such that marshal by code.
//!
//! [`row`] says what is called and what is to be reached, [`report`] shows what was.

mod report;
mod row;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, value_parser};
use taut_sys::cpu;

use self::report::Outcome;
use crate::client::Client;
use crate::driver::{self, Plan, Turn};
use crate::error::BenchError;
use crate::goals::Marshaling;
use crate::placement::{Mode, Placement};
use crate::protocol::CALLS_MAX;
use crate::system::own_programs;

/// What `taut-bench strategies` is asked for.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// How often each strategy has its turn at a row; quote no result of fewer than 7
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = value_parser!(u32).range(1..))]
    rounds: u32,
    /// Calls of a turn
    #[arg(long, value_name = "N", default_value_t = 5_000, value_parser = value_parser!(u32).range(1..=i64::from(CALLS_MAX)))]
    calls: u32,
    /// Write the results to this file too, as a list of records
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Seconds that a program may need to start, or for its turn
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = value_parser!(u64).range(1..))]
    time_out_s: u64,
}

/// Measures all rows over TCP, client and server on one CPU, and shows them.
///
/// # Errors
///
/// Those of [`Client`] and of writing the file.
pub(crate) fn run(arguments: &Arguments) -> Result<(), BenchError> {
    let Arguments { rounds, calls, .. } = *arguments;
    let allowed = cpu::allowed().map_err(BenchError::system("cannot ask for the CPUs"))?;
    let placement = Placement::choose(Mode::Same, &allowed)?;
    let plan = Plan {
        rounds,
        calls,
        time_out: Duration::from_secs(arguments.time_out_s),
    };
    let mut clients = Vec::new();
    for marshaling in [Marshaling::Compiled, Marshaling::Interpretive] {
        let mut programs = own_programs("table-server", "table-client")?;
        let option = format!("--marshaling={marshaling}");
        programs.server.arg(&option);
        programs.client.arg(&option);
        clients.push(Client::start(programs, placement, plan.time_out)?);
    }
    let rows = row::all();
    // The two of a row follow each other, so that both find the machine the same.
    let turn = |client, row: &row::Row| Turn {
        client,
        kind: Some(row.kind.to_string()),
    };
    let turns: Vec<_> = (rows.iter())
        .flat_map(|row| [turn(0, row), turn(1, row)])
        .collect();
    let rounds_of = driver::take_turns(plan, &mut clients, &turns)?;
    let outcomes: Vec<Outcome> = (rows.into_iter())
        .zip(rounds_of.chunks(2))
        .filter_map(|(row, both)| Outcome::of(row, &both[0], &both[1]))
        .collect();
    println!("strategies over tcp, mode same: {rounds} rounds of {calls} calls");
    println!("{}", report::render(&outcomes));
    match &arguments.json {
        Some(file) => crate::record::write(&report::records(&outcomes), file),
        None => Ok(()),
    }
}
