//! `taut-bench table`: every kind of call beside raw sockets that move the same
//! octets, beside omniORB, and beside its goal.
//!
//! - [`kind`] and [`rows`] say what is called and what it is to reach ([`goal`]);
//! - `suite` has Taut's servant, its client and what is sent: [`compiled`], and once more
//!   for `taut-bench strategies` [`interpretive`];
//! - [`wire`] sees how large messages are, [`mod@measure`] lets systems take turns;
//! - [`mod@result`] makes figures of samples; [`report`] and [`page`] show them, the page
//!   together with those of [`others`].

mod goal;
mod kind;
mod measure;
mod others;
mod page;
mod report;
mod result;
mod rows;
mod wire;

/// The Rust of `idl/table.idl`, marshaled by code.
macro_rules! generated {
    () => {
        taut::include_idl!("table");
    };
}
#[path = "suite/mod.rs"]
mod compiled;

/// The same, marshaled by table: for the module that follows.
macro_rules! generated {
    () => {
        taut::include_idl!("table_interpretive");
    };
}
#[expect(clippy::duplicate_mod, reason = "the same calls in the other strategy")]
#[path = "suite/mod.rs"]
mod interpretive;

use std::path::PathBuf;

use clap::{Args, ValueEnum, value_parser};
use serde::Serialize;

#[cfg(feature = "probes")]
pub(crate) use self::compiled::caller::Caller;
pub(crate) use self::kind::{Cube, Element, Kind, STRING_CHARACTERS};
pub(crate) use self::report::{FLOODS, LAYOUT};
pub(crate) use self::wire::{Probe, Traffic, message_sizes};
use crate::case::Transport;
use crate::error::BenchError;
use crate::options::{Output, Rounds, TimeOut};
use crate::protocol::CALLS_MAX;
use crate::system::Programs;

/// The arguments of `taut-bench table`.
#[derive(Debug, Args)]
#[command(mut_arg("rounds", |rounds| rounds.default_value("15")))]
pub(crate) struct Arguments {
    #[command(flatten)]
    rounds: Rounds,
    #[command(flatten)]
    time_out: TimeOut,
    #[command(flatten)]
    output: Output,
    /// The most calls of a turn
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = value_parser!(u32).range(1..=i64::from(CALLS_MAX)))]
    calls: u32,
    /// MiB that the messages of a turn may have; with large ones it has fewer calls,
    /// though at least 30
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = value_parser!(u64).range(1..=65_536))]
    turn_mib: u64,
    /// MiB of payload of a one-way flood
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = value_parser!(u32).range(1..=1_024))]
    flood_mib: u32,
    /// KiB under way for which each socket of a one-way flood has room; the system may give it
    /// more than asked for
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = value_parser!(u32).range(1..=65_536))]
    queue_kib: u32,
    /// Shorter turns, to be done in two minutes: 7 rounds of at most 2,000 calls or
    /// 16 MiB, floods of 4 MiB
    #[arg(long, conflicts_with_all = ["rounds", "calls", "turn_mib", "flood_mib"])]
    quick: bool,
    /// Measure JacORB as well, where it is built: each of its clients makes calls for a
    /// second before it is measured, until when Java compiles, so it takes minutes more
    #[arg(long)]
    jacorb: bool,
    /// Only rows whose group and name, as in "One-way flood: octets, 1 KiB", contain
    /// this text
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Write the results to this file too, as a page to look at
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Show on the page also what `scalability` or `probes` wrote to this file with
    /// `--json`; may be given several times
    #[arg(long, value_name = "FILE", requires = "html")]
    also: Vec<PathBuf>,
}

/// Taut's server: prints its reference, then serves until standard input ends.
///
/// # Errors
///
/// [`BenchError::Orb`] when it cannot be set up.
pub(crate) fn serve(unix: bool, marshaling: Marshaling) -> Result<(), BenchError> {
    match marshaling {
        Marshaling::Compiled => compiled::target::serve(unix),
        Marshaling::Interpretive => interpretive::target::serve(unix),
    }
}

/// Taut's server, but that it serves until `wait` returns.
///
/// # Errors
///
/// As [`serve`].
#[cfg(feature = "probes")]
pub(crate) fn serve_while(
    unix: bool,
    wait: impl FnOnce() -> std::io::Result<()> + Send + 'static,
) -> Result<(), BenchError> {
    let (orb, target) = compiled::target::activate(compiled::target::endpoint(unix))?;
    crate::taut::serve_object(&orb, taut::Reference::as_object(&target), wait);
    Ok(())
}

/// Taut's client of the object with this stringified reference.
///
/// # Errors
///
/// [`BenchError::Orb`] when the object is not there or is no `Target`, and those
/// of [`crate::protocol::answer_requests`].
pub(crate) fn call(reference: &str, marshaling: Marshaling) -> Result<(), BenchError> {
    match marshaling {
        Marshaling::Compiled => compiled::caller::call(reference),
        Marshaling::Interpretive => interpretive::caller::call(reference),
    }
}

/// How stubs and skeletons marshal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Marshaling {
    /// By code for each type.
    Compiled,
    /// By tables, which one engine reads.
    Interpretive,
}

crate::options::display_as_option!(Marshaling);

/// The programs that exchange the same octets over TCP without an ORB.
///
/// # Errors
///
/// [`BenchError::System`] when this program does not find itself.
pub(crate) fn raw_programs(traffic: Traffic) -> Result<Programs, BenchError> {
    measure::raw_programs(Transport::Tcp, traffic)
}

/// How often the programs of a row start.
const STARTS: u32 = 3;

/// Measures all rows and shows them, as a table and, where asked for, in files.
///
/// # Errors
///
/// [`BenchError::Nothing`] when no row is left; those of [`others::read`], of
/// [`measure::all`] and of writing the files.
pub(crate) fn run(arguments: &Arguments) -> Result<(), BenchError> {
    let (rounds, starts, calls, turn_mib, flood_mib) = match arguments.quick {
        true => (7, 1, 2_000, 16, 4),
        false => (
            arguments.rounds.count,
            STARTS,
            arguments.calls,
            arguments.turn_mib,
            arguments.flood_mib,
        ),
    };
    let mut rows = rows::all(flood_mib << 20);
    if let Some(text) = &arguments.only {
        rows.retain(|row| format!("{}: {}", row.group.title(), row.name).contains(text));
    }
    let plan = measure::Plan {
        orbs: match arguments.jacorb {
            true => measure::ORBS_WITH_JACORB,
            false => measure::ORBS,
        },
        rounds,
        starts,
        calls,
        octets: turn_mib << 20,
        queue_octets: arguments.queue_kib << 10,
        time_out: arguments.time_out.duration(),
    };
    // Before it is measured for minutes, lest a name be mistyped.
    let others = others::read(&arguments.also)?;
    let results = measure::all(plan, &rows)?;
    if results.is_empty() {
        return Err(BenchError::Nothing);
    }
    println!("{}", report::render(&results));
    let rows = report::rows(&results).into_iter();
    let rows = rows.map(|row| match row.is("way", "flood") {
        true => row.with("queue_octets", arguments.queue_kib << 10),
        false => row,
    });
    arguments.output.write("table", rows.collect())?;
    match &arguments.html {
        Some(file) => page::write(&results, &others, file),
        None => Ok(()),
    }
}
