//! `taut-bench scalability`: the latency of a call to one of many servants.
//!
//! All systems activate the same number of servants in one POA, for each number
//! in a process of its own; all processes live at once and take their turns in
//! the same rounds, so that 1 servant and 100,000 are compared within a round.

mod order;
mod report;
mod taut;

use clap::{Args, ValueEnum, value_parser};

pub(crate) use self::order::Order;
use self::report::Measured;
pub(crate) use self::taut::{call, serve};
use crate::case::Transport;
use crate::client::Client;
use crate::driver::{self, Outcome, Plan, Turn};
use crate::error::BenchError;
use crate::options::{Output, Turns};
use crate::placement::{Mode, Placement};
use crate::raw::MessageSizes;
use crate::system::System;

/// More references would not fit the memory of a small machine.
const SERVANTS_MAX: i64 = 1_000_000;

/// The arguments of `taut-bench scalability`.
#[derive(Debug, Args)]
#[command(mut_arg("rounds", |rounds| rounds.default_value("25")))]
#[command(mut_arg("calls", |calls| calls.default_value("4000")))]
#[command(mut_arg("time_out_s", |time_out| time_out.default_value("120")))]
pub(crate) struct Arguments {
    /// How many servants the POA has; without 1 there are no ratios to it
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [1, 100, 200, 300, 400, 500, 1_000, 10_000, 100_000], value_parser = value_parser!(u32).range(1..=SERVANTS_MAX))]
    servants: Vec<u32>,
    /// Whom the client calls next
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = Order::value_variants())]
    orders: Vec<Order>,
    #[command(flatten)]
    turns: Turns,
    #[command(flatten)]
    output: Output,
    /// Only whether everything works: 1, 100 and 1,000 servants, 3 rounds of 500
    /// calls; quote nothing of it
    #[arg(long, conflicts_with_all = ["servants", "rounds", "calls"])]
    quick: bool,
    /// How many percent from its latency with 1 servant a system may be and is
    /// still called flat
    #[arg(long, value_name = "PERCENT", default_value_t = 5.0)]
    flat: f64,
    /// The systems to measure; without `raw` there are no ratios to it
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [System::Raw, System::Taut, System::Omniorb])]
    systems: Vec<System>,
    #[command(flatten)]
    sizes: MessageSizes,
}

/// Measures, shows a table for each order and which curves are flat, and writes
/// the records. Client and server share a CPU, so that the work is what counts.
///
/// # Errors
///
/// [`BenchError::Nothing`] when all systems were left out; those of
/// [`driver::take_turns`] and [`Output::write`].
pub(crate) fn run(arguments: &Arguments) -> Result<(), BenchError> {
    let asked = arguments.turns.plan();
    let (servants, rounds, calls) = match arguments.quick {
        true => (&[1, 100, 1_000][..], 3, 500),
        false => (&arguments.servants[..], asked.rounds, asked.calls),
    };
    let plan = Plan {
        rounds,
        calls,
        ..asked
    };
    let rows = report::rows(&measure(arguments, plan, servants)?, calls);
    if rows.is_empty() {
        return Err(BenchError::Nothing);
    }
    print!("{}", report::render(&rows));
    print!("{}", report::render_verdicts(&rows, arguments.flat));
    arguments.output.write("scalability", rows)
}

fn measure(
    arguments: &Arguments,
    plan: Plan,
    servants: &[u32],
) -> Result<Vec<Measured>, BenchError> {
    let started = start(arguments, plan, servants)?;
    let (mut measured, mut turns) = (Vec::new(), Vec::new());
    // The systems that are compared have their turns one after the other.
    for &order in &arguments.orders {
        for (client, &(system, servants, _)) in started.iter().enumerate() {
            turns.push(Turn {
                client,
                // Without servants the order is only when the turn is.
                kind: servants.map(|_| order.to_string()),
            });
            let rounds = Vec::new();
            measured.push(Measured {
                order,
                servants,
                outcome: Outcome { system, rounds },
            });
        }
    }
    let mut clients: Vec<_> = started.into_iter().map(|(_, _, client)| client).collect();
    let summaries = driver::take_turns(plan, &mut clients, &turns)?;
    for (measured, rounds) in measured.iter_mut().zip(summaries) {
        measured.outcome.rounds = rounds;
    }
    Ok(measured)
}

/// Starts all clients, a system's one after the other, each with its server: for
/// raw sockets one, for the others one for each number of servants.
fn start(
    arguments: &Arguments,
    plan: Plan,
    servants: &[u32],
) -> Result<Vec<(System, Option<u32>, Client)>, BenchError> {
    let placement = Placement::here(Mode::Same)?;
    let mut started = Vec::new();
    for &system in &arguments.systems {
        let start = |programs| Client::start(programs, placement, plan.time_out);
        if system == System::Raw {
            if let Some(programs) = system.void_programs(arguments.sizes, Transport::Tcp)? {
                started.push((system, None, start(programs)?));
            }
            continue;
        }
        for &servants in servants {
            // It has said already that it is not built.
            let Some(programs) = system.scalability_programs(servants)? else {
                break;
            };
            started.push((system, Some(servants), start(programs)?));
        }
    }
    Ok(started)
}
