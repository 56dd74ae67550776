//! `taut-bench async`: the calls of a second when many are under way at once over one
//! connection.
//!
//! A turn is a [`Flight`]: so many calls, of which so many are under way at once, for the next
//! one begins where one ends. How many calls a turn has follows from how long the turn before
//! took, so that the turns of all systems last about as long.

mod contender;
mod flight;
pub(crate) mod pipeline;
pub(crate) mod report;
pub(crate) mod taut;

use std::time::Duration;

use clap::{Args, value_parser};

use contender::Contender;
use flight::Flight;

use crate::client::Client;
use crate::driver;
use crate::error::BenchError;
use crate::options::{Output, Rounds, TimeOut};
use crate::placement::{Mode, Placement};
use crate::raw::MessageSizes;
use crate::record::Row;

/// More calls than this are not under way at once.
const IN_FLIGHT_MAX: i64 = 1_000_000;

/// The arguments of `taut-bench async`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// How many calls are under way at once
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [1, 16, 256, 10_000], value_parser = value_parser!(u32).range(1..=IN_FLIGHT_MAX))]
    in_flight: Vec<u32>,
    #[command(flatten)]
    rounds: Rounds,
    #[command(flatten)]
    time_out: TimeOut,
    #[command(flatten)]
    output: Output,
    /// Milliseconds that a turn should last
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = value_parser!(u64).range(1..))]
    turn_ms: u64,
    /// Whether client and server share a CPU
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [Mode::Same, Mode::Split])]
    modes: Vec<Mode>,
    /// The systems to measure; without `raw` and `tonic` nothing is compared with them
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = Contender::ALL)]
    systems: Vec<Contender>,
    #[command(flatten)]
    sizes: MessageSizes,
}

/// The turns of a system with so many calls under way at once.
#[derive(Debug)]
pub(crate) struct Outcome {
    in_flight: u32,
    system: Contender,
    /// The calls of all rounds.
    calls: u64,
    /// The calls of a second, round by round.
    calls_per_s: Vec<f64>,
}

/// Measures, shows a table for each mode, and writes the records.
///
/// A mode for which there are too few CPUs, and a system that is not built, are left out with a
/// line on standard error.
///
/// # Errors
///
/// [`BenchError::Nothing`] when everything was left out; those of [`Client`] and
/// [`Output::write`].
pub(crate) fn run(arguments: &Arguments) -> Result<(), BenchError> {
    let mut rows: Vec<Row> = Vec::new();
    for (mode, placement) in Placement::of_all(&arguments.modes)? {
        let of_mode = report::rows(mode, &measure(arguments, placement)?);
        print!("{}", report::LAYOUT.text(&of_mode));
        print!("{}", report::verdicts(&of_mode));
        rows.extend(of_mode);
    }
    if rows.is_empty() {
        return Err(BenchError::Nothing);
    }
    arguments.output.write("async", rows)
}

/// Lets all systems take turns with each number of calls under way.
fn measure(arguments: &Arguments, placement: Placement) -> Result<Vec<Outcome>, BenchError> {
    let time_out = arguments.time_out.duration();
    let mut clients = Vec::new();
    for &system in &arguments.systems {
        if let Some(programs) = system.programs(arguments.sizes)? {
            clients.push((system, Client::start(programs, placement, time_out)?));
        }
    }
    let turns: Vec<(usize, u32)> = (arguments.in_flight.iter())
        .flat_map(|&in_flight| (0..clients.len()).map(move |client| (client, in_flight)))
        .collect();
    let turn = Duration::from_millis(arguments.turn_ms);
    let mut flights: Vec<Option<Flight>> = vec![None; turns.len()];
    let rounds = driver::interleave(arguments.rounds.count, turns.len(), |place| {
        let (client, in_flight) = turns[place];
        let client = &mut clients[client].1;
        let flight = match flights[place] {
            Some(flight) => flight,
            None => fitting(client, Flight::first(in_flight), turn)?,
        };
        let taken_ns = fly(client, flight)?;
        flights[place] = Some(flight.lasting(turn, taken_ns));
        Ok((flight, taken_ns))
    })?;
    let outcome = |((client, in_flight), rounds): ((usize, u32), Vec<(Flight, u64)>)| {
        let calls_per_s = rounds.iter();
        let calls_per_s = calls_per_s.map(|(flight, taken_ns)| flight.calls_per_s(*taken_ns));
        Outcome {
            in_flight,
            system: clients[client].0,
            calls: rounds
                .iter()
                .map(|(flight, _)| u64::from(flight.calls))
                .sum(),
            calls_per_s: calls_per_s.collect(),
        }
    };
    Ok(turns.into_iter().zip(rounds).map(outcome).collect())
}

/// The flight of a client that lasts as long as a turn should. The first flight has all that is
/// done only once, such as connecting, so that a second one, shorter than a turn, has the say.
fn fitting(client: &mut Client, first: Flight, turn: Duration) -> Result<Flight, BenchError> {
    let second = first.lasting(turn / 4, fly(client, first)?);
    Ok(second.lasting(turn, fly(client, second)?))
}

/// How long a flight takes, in nanoseconds.
fn fly(client: &mut Client, flight: Flight) -> Result<u64, BenchError> {
    client.select(&flight.to_string())?;
    Ok(client.run(1)?.median_ns)
}
