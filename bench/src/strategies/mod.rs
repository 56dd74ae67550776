//! `taut-bench strategies`: the same calls by stubs and skeletons that marshal by tables,
//! and by such that marshal by code.
//!
//! [`row`] says what is called and what is to be reached, [`report`] shows what was.

mod report;
mod row;

use clap::Args;
use taut_sys::cpu;

use self::report::Outcome;
use crate::client::Client;
use crate::driver::{self, Turn};
use crate::error::BenchError;
use crate::goals::Marshaling;
use crate::options::{Output, Turns};
use crate::placement::{Mode, Placement};
use crate::system::own_programs;

/// What `taut-bench strategies` is asked for.
#[derive(Debug, Args)]
#[command(mut_arg("calls", |calls| calls.default_value("5000")))]
pub(crate) struct Arguments {
    #[command(flatten)]
    turns: Turns,
    #[command(flatten)]
    output: Output,
}

/// Measures all rows over TCP, client and server on one CPU, and shows them.
///
/// # Errors
///
/// Those of [`Client`] and of writing the file.
pub(crate) fn run(arguments: &Arguments) -> Result<(), BenchError> {
    let plan = arguments.turns.plan();
    let allowed = cpu::allowed().map_err(BenchError::system("cannot ask for the CPUs"))?;
    let placement = Placement::choose(Mode::Same, &allowed)?;
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
    println!(
        "strategies over tcp, mode same: {} rounds of {} calls",
        plan.rounds, plan.calls
    );
    println!("{}", report::render(&outcomes));
    arguments.output.write(&report::records(&outcomes))
}
