//! `taut-bench collocation`: the time of a call to a servant in the caller's own
//! process.

mod cube;
mod report;

use std::process::Command;

use clap::{Args, value_parser};

pub(crate) use self::cube::{Way, call};
use self::report::{CallsMade, Payload, Row};
use crate::case::Transport;
use crate::client::Client;
use crate::driver::{self, Plan, Turn};
use crate::error::BenchError;
use crate::options::{Output, Rounds, TimeOut};
use crate::placement::{Mode, Placement};
use crate::protocol::CALLS_MAX;
use crate::system::{self, System};

/// omniORB's ways, as its client calls them: as it comes, and with the policy by
/// which a reference knows its servant.
const OMNIORB_WAYS: [&str; 2] = ["through_poa", "shortcut"];

/// The samples of which the allocations are counted.
const ALLOCATING_SAMPLES: u32 = 10;

/// The arguments of `taut-bench collocation`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    rounds: Rounds,
    #[command(flatten)]
    time_out: TimeOut,
    #[command(flatten)]
    output: Output,
    /// Samples of a turn
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = value_parser!(u32).range(1..=i64::from(CALLS_MAX)))]
    samples: u32,
    /// Calls of a sample
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = value_parser!(u32).range(1..))]
    batch: u32,
}

/// Measures, shows a table for each payload, and writes the records. All runs on
/// one CPU, each client in a process of its own.
///
/// # Errors
///
/// Those of [`driver::take_turns`], [`Client`] and [`Output::write`].
pub(crate) fn run(arguments: &Arguments) -> Result<(), BenchError> {
    let Arguments { samples, batch, .. } = *arguments;
    let rounds = arguments.rounds.count;
    let plan = Plan {
        rounds,
        calls: samples,
        time_out: arguments.time_out.duration(),
    };
    let (rows, mut clients) = start(plan, batch)?;
    let mut records = Vec::new();
    for payload in Payload::ALL {
        let measured = measure(plan, batch, payload, &rows, &mut clients)?;
        let measured = report::rows(&measured);
        print!("{}", report::LAYOUT.text(&measured));
        records.extend(measured);
    }
    arguments.output.write("collocation", records)
}

/// Starts a client for each row.
fn start(plan: Plan, batch: u32) -> Result<(Vec<Row>, Vec<Client>), BenchError> {
    let placement = Placement::here(Mode::Same)?;
    let (mut rows, mut clients) = (Vec::new(), Vec::new());
    for (row, program) in programs(batch)? {
        rows.push(row);
        clients.push(Client::alone(program, placement.client_cpu, plan.time_out)?);
    }
    Ok((rows, clients))
}

fn programs(batch: u32) -> Result<Vec<(Row, Command)>, BenchError> {
    let mut programs = Vec::new();
    for &way in Way::all() {
        let mut program = system::own_program("collocation-client")?;
        program.arg(format!("--way={}", way.word()));
        program.arg(format!("--batch={batch}"));
        programs.push((way.row(), program));
    }
    for way in OMNIORB_WAYS {
        // It has said already that it is not built.
        let Some(mut program) = system::omniorb_program("collocation_client") else {
            break;
        };
        program.args([way, &batch.to_string()]);
        let row = Row {
            system: System::Omniorb,
            transport: Transport::Local,
            way,
        };
        programs.push((row, program));
    }
    Ok(programs)
}

fn measure(
    plan: Plan,
    batch: u32,
    payload: Payload,
    rows: &[Row],
    clients: &mut [Client],
) -> Result<Vec<CallsMade>, BenchError> {
    let turns = Turn::of_each(clients.len(), Some(payload.kind()));
    let rounds = driver::take_turns(plan, clients, &turns)?;
    let mut measured = Vec::new();
    for ((&row, client), rounds) in rows.iter().zip(clients).zip(rounds) {
        measured.push(CallsMade {
            row,
            payload,
            batch,
            samples: plan.calls,
            rounds,
            allocations: client.allocations(ALLOCATING_SAMPLES)?,
            allocating_calls: u64::from(ALLOCATING_SAMPLES) * u64::from(batch),
        });
    }
    Ok(measured)
}
