//! `taut-bench strategies`: the same calls by stubs and skeletons that marshal by tables,
//! and by such that marshal by code.
//!
//! [`row`] says what is called and what is to be reached, [`report`] shows what was.

mod report;
mod row;

use clap::Args;

use crate::client::Client;
use crate::driver::{self, Plan, Turn};
use crate::error::BenchError;
use crate::goals::Marshaling;
use crate::options::{Output, Turns};
use crate::placement::{Mode, Placement};
use crate::raw_flood;
use crate::record::Row;
use crate::system::{System, own_programs};

/// The arguments of `taut-bench strategies`.
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
/// Each round has processes of its own: where the memory of a process lies makes its calls
/// slower or faster by a few hundredths, as long as it lives.
///
/// # Errors
///
/// Those of [`Client`] and of writing the file.
pub(crate) fn run(arguments: &Arguments) -> Result<(), BenchError> {
    let plan = arguments.turns.plan();
    let placement = Placement::here(Mode::Same)?;
    let rows = row::all();
    // The two of a row follow each other, so that both find the machine the same.
    let turn = |client, row: &row::Row| Turn {
        client: if row.is_flood() { client + 2 } else { client },
        kind: Some(row.kind.to_string()),
    };
    let turns: Vec<_> = (rows.iter())
        .flat_map(|row| [turn(0, row), turn(1, row)])
        .collect();
    let mut rounds_of = vec![Vec::new(); turns.len()];
    for _ in 0..plan.rounds {
        let mut clients = start(plan, placement)?;
        let plan = Plan { rounds: 1, ..plan };
        let round = driver::take_turns(plan, &mut clients, &turns)?;
        for (rounds, round) in rounds_of.iter_mut().zip(round) {
            rounds.extend(round);
        }
    }
    let measured: Vec<Row> = (rows.iter())
        .zip(rounds_of.chunks(2))
        .flat_map(|(row, both)| report::rows(row, plan.calls, &both[0], &both[1]))
        .collect();
    print!("{}", report::LAYOUT.text(&measured));
    println!("{}\n", report::verdict(&measured));
    arguments.output.write("strategies", measured)
}

/// Starts a client and a server of each strategy for calls, and again for floods.
fn start(plan: Plan, placement: Placement) -> Result<Vec<Client>, BenchError> {
    let both = [Marshaling::Compiled, Marshaling::Interpretive];
    let start = |(is_of_floods, marshaling)| {
        let mut programs = own_programs("table-server", "table-client")?;
        let option = format!("--marshaling={marshaling}");
        programs.server.arg(&option);
        programs.client.arg(&option);
        if is_of_floods {
            System::Taut.bound_buffers(&mut programs, raw_flood::BUFFER as usize);
        }
        Client::start(programs, placement, plan.time_out)
    };
    let of_floods = [false, true].into_iter();
    of_floods
        .flat_map(|is_of_floods| both.map(|marshaling| (is_of_floods, marshaling)))
        .map(start)
        .collect()
}
