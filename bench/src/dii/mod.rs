//! `taut-bench dii`: calls by the dynamic invocation interface, with and without reuse of the
//! request, two-way, deferred and one-way, and a servant of the dynamic skeleton interface,
//! beside static stubs and skeletons, raw sockets, and omniORB's of each.
//!
//! [`row`] says what is called and what is to be reached, [`contender`] who calls whom,
//! [`report`] shows what came of it. [`operation`] has the signatures that [`caller`] and
//! [`servant`] use.

mod caller;
mod contender;
mod operation;
mod report;
mod row;
mod servant;

use std::io;

use clap::{Args, Subcommand, value_parser};

use self::contender::Contender;
pub(crate) use self::report::{LAYOUT, ONE_WAY};
use self::row::Row as Kind;
use crate::client::Client;
use crate::driver::{self, Plan};
use crate::error::BenchError;
use crate::goals::{self, Probe, Traffic};
use crate::options::{Output, Turns};
use crate::placement::{Mode, Placement};
use crate::protocol::{self, Summary};
use crate::raw_flood::{self, Flood};

/// The arguments of `taut-bench dii`.
#[derive(Debug, Args)]
#[command(mut_arg("calls", |calls| calls.default_value("2000")))]
pub(crate) struct Arguments {
    #[command(flatten)]
    turns: Turns,
    #[command(flatten)]
    output: Output,
    /// MiB that the messages of a turn may have; with large ones it has fewer calls, though at
    /// least 30
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = value_parser!(u32).range(1..=1_024))]
    turn_mib: u32,
    /// KiB of payload of a one-way flood, which is a sample
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = value_parser!(u32).range(1..=65_536))]
    flood_kib: u32,
    /// Only rows whose name, as in "two-way: octets, 1 KiB", contains this text
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

/// A hidden command.
#[derive(Subcommand)]
pub(crate) enum Program {
    /// Serves the table's object by a dynamic servant; prints its reference as the first line.
    #[command(hide = true)]
    DynamicServer,
    /// Calls the table's object by dynamic requests.
    #[command(hide = true)]
    DynamicClient {
        /// How requests are made.
        #[arg(long)]
        way: caller::Way,
        /// The stringified reference.
        reference: String,
    },
}

impl Program {
    /// Runs it.
    ///
    /// # Errors
    ///
    /// When it cannot be set up, or a call fails.
    pub(crate) fn run(self) -> Result<(), BenchError> {
        match self {
            Self::DynamicServer => servant::serve(),
            Self::DynamicClient { way, reference } => {
                let caller = caller::Caller::connect(&reference, way)?;
                protocol::answer_requests(io::stdin().lock(), io::stdout(), caller)
            }
        }
    }
}

/// The fewest calls of a turn, however large their messages are.
const CALLS_MIN: u32 = 30;

/// Measures all rows over TCP, client and server on one CPU, and shows them.
///
/// # Errors
///
/// [`BenchError::Nothing`] when no row is left; those of [`Client`] and of writing the file.
pub(crate) fn run(arguments: &Arguments) -> Result<(), BenchError> {
    let mut rows = row::all(arguments.flood_kib << 10);
    if let Some(text) = &arguments.only {
        rows.retain(|row| row.title().contains(text));
    }
    if rows.is_empty() {
        return Err(BenchError::Nothing);
    }
    let mut probe = Probe::start()?;
    let traffic: Result<Vec<_>, _> = rows.iter().map(|row| probe.traffic(row.kind)).collect();
    let traffic = traffic?;
    probe.end()?;

    let (plan, octets) = (arguments.turns.plan(), u64::from(arguments.turn_mib) << 20);
    let placement = Placement::here(Mode::Same)?;
    let mut measured = Vec::new();
    for (index, (row, traffic)) in rows.iter().zip(traffic).enumerate() {
        let plan = Plan {
            calls: calls(plan.calls, octets, traffic),
            ..plan
        };
        let rounds = measure(plan, placement, row, traffic)?;
        let of_row = report::rows(row, plan.calls, &rounds);
        eprintln!(
            "{:3}/{}  {}{}",
            index + 1,
            rows.len(),
            row.title(),
            report::progress(&of_row)
        );
        measured.extend(of_row);
    }
    print!(
        "{}{}",
        LAYOUT.text(&report::of(&measured, "two_way")),
        ONE_WAY.text(&report::of(&measured, "one_way"))
    );
    println!("{}\n", report::verdict(&measured));
    arguments.output.write("dii", measured)
}

/// The calls of a turn: few of large messages.
fn calls(most: u32, octets: u64, traffic: Traffic) -> u32 {
    let of_call = traffic.octets();
    let fitting = octets / (of_call.there + of_call.back).max(1);
    let fitting = u32::try_from(fitting).unwrap_or(u32::MAX);
    let least = match traffic {
        Traffic::Call(_) => CALLS_MIN,
        Traffic::Flood(_) => CALLS_MIN / 2,
    };
    fitting.max(least).min(most)
}

/// Has all contenders take turns at a row. All programs are new, as where each lies in memory
/// makes it faster or slower.
fn measure(
    plan: Plan,
    placement: Placement,
    row: &Kind,
    traffic: Traffic,
) -> Result<Vec<(Contender, Vec<Summary>)>, BenchError> {
    let traffic = match traffic {
        Traffic::Flood(flood) => Traffic::Flood(Flood {
            queue_octets: raw_flood::BUFFER,
            ..flood
        }),
        call => call,
    };
    let (mut contenders, mut clients) = (Vec::new(), Vec::new());
    for contender in Contender::all(row.is_one_way()) {
        let programs = match contender {
            Contender::Raw => Some(goals::raw_programs(traffic)?),
            _ => contender.programs(row.is_one_way())?,
        };
        let Some(programs) = programs else { continue };
        let mut client = Client::start(programs, placement, plan.time_out)?;
        if contender != Contender::Raw {
            client.select(&row.kind.to_string())?;
        }
        // omniORB's dynamic servant fails at 64 KiB of doubles.
        if let (true, Err(error)) = (contender.is_foreign(), client.run(1)) {
            eprintln!("LEFT OUT: {} of {}: {error}", contender.name(), row.title());
            continue;
        }
        contenders.push(contender);
        clients.push(client);
    }
    let turns = driver::Turn::of_each(clients.len(), None);
    let rounds = driver::take_turns(plan, &mut clients, &turns)?;
    Ok(contenders.into_iter().zip(rounds).collect())
}
