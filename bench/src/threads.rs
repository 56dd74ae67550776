//! `taut-bench threads`: what threads that call at the same time leave each other.
//!
//! All call the same object, each over connections of its own or all over one. A client
//! that has enough of the machine makes more calls with more threads until the machine is
//! busy, and no fewer from there on; and one thread makes about as many as another.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use ::taut::ConnectionSharing;
use clap::{Args, value_parser};
use taut_sys::cpu;

use crate::error::BenchError;
use crate::options::{Output, Rounds, TimeOut};
use crate::peer::Peer;
use crate::record::Row;
use crate::render::{Column, Layout};
use crate::statistics::Spread;
use crate::system;
use crate::taut::Client;

/// The arguments of `taut-bench threads`.
#[derive(Debug, Args)]
#[command(mut_arg("rounds", |rounds| rounds.default_value("7")))]
pub(crate) struct Arguments {
    /// How many threads call at once
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [1, 2, 4, 8, 16], value_parser = value_parser!(u32).range(1..=1_024))]
    threads: Vec<u32>,
    #[command(flatten)]
    rounds: Rounds,
    #[command(flatten)]
    time_out: TimeOut,
    #[command(flatten)]
    output: Output,
    /// Milliseconds of a turn
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = value_parser!(u64).range(1..))]
    turn_ms: u64,
}

const SHARINGS: [(ConnectionSharing, &str); 2] = [
    (ConnectionSharing::Exclusive, "exclusive"),
    (ConnectionSharing::Shared, "shared"),
];

/// The calls of the threads in a turn.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Turn {
    calls_per_s: f64,
    /// The calls of the thread that made fewest, and of the one that made most, by the
    /// mean of all.
    least: f64,
    most: f64,
}

impl Turn {
    /// Of so many calls by each thread.
    fn of(calls: &[u64], elapsed: Duration) -> Self {
        let all: u64 = calls.iter().sum();
        let mean = (all as f64 / calls.len() as f64).max(f64::MIN_POSITIVE);
        let share = |calls: Option<&u64>| calls.map_or(0.0, |calls| *calls as f64 / mean);
        Self {
            calls_per_s: all as f64 / elapsed.as_secs_f64(),
            least: share(calls.iter().min()),
            most: share(calls.iter().max()),
        }
    }
}

/// Measures, and shows a line for each number of threads and way of sharing.
///
/// # Errors
///
/// [`BenchError::Orb`] and [`BenchError::Call`] when a call fails, and those of starting
/// the server and of writing the file.
pub(crate) fn run(arguments: &Arguments) -> Result<(), BenchError> {
    let allowed = cpu::allowed().map_err(BenchError::system("cannot ask for the CPUs"))?;
    let cpu = *allowed.first().ok_or(BenchError::Nothing)?;
    let time_out = arguments.time_out.duration();
    let mut server = Peer::start(system::own_program("taut-server")?, cpu, time_out)?;
    let reference = server.read_line()?;

    let cases: Vec<_> = (arguments.threads.iter())
        .flat_map(|&threads| SHARINGS.map(|(sharing, name)| (threads, sharing, name)))
        .collect();
    let mut turns = vec![Vec::new(); cases.len()];
    let time = Duration::from_millis(arguments.turn_ms);
    for _ in 0..arguments.rounds.count {
        for ((threads, sharing, _), turns) in cases.iter().zip(&mut turns) {
            turns.push(turn(&reference, *threads, *sharing, time)?);
        }
    }
    let rows = cases
        .iter()
        .zip(&turns)
        .map(|(case, turns)| row(case, turns));
    let rows: Vec<Row> = rows.collect();
    print!("{}", LAYOUT.text(&rows));
    arguments.output.write("threads", rows)
}

/// Lets so many threads call at once.
fn turn(
    reference: &str,
    threads: u32,
    sharing: ConnectionSharing,
    time: Duration,
) -> Result<Turn, BenchError> {
    let client = Client::connect(reference, |settings| {
        settings.client.connection_sharing = sharing
    })?;
    let (is_over, start) = (AtomicBool::new(false), Barrier::new(threads as usize + 1));
    let call = || {
        let warmed_up = client.ping();
        start.wait();
        warmed_up?;
        let mut calls = 0;
        while !is_over.load(Ordering::Relaxed) {
            client.ping()?;
            calls += 1;
        }
        Ok(calls)
    };
    let (calls, elapsed) = thread::scope(|scope| {
        let calling: Vec<_> = (0..threads).map(|_| scope.spawn(call)).collect();
        start.wait();
        let begin = Instant::now();
        thread::sleep(time);
        is_over.store(true, Ordering::Relaxed);
        let elapsed = begin.elapsed();
        let joined = calling.into_iter().map(|calling| {
            let gone = |_| Err(BenchError::call("a thread that calls has panicked"));
            calling.join().unwrap_or_else(gone)
        });
        (joined.collect::<Result<Vec<u64>, BenchError>>(), elapsed)
    });
    let turn = Turn::of(&calls?, elapsed);
    client.end()?;
    Ok(turn)
}

/// A line for each number of threads and way of sharing.
pub(crate) const LAYOUT: Layout = Layout {
    title: "",
    tables: &[],
    lines: &["threads", "connections"],
    columns: &[
        Column::number("threads", "threads", 0),
        Column::word("connections", "connections"),
        Column::spread("calls/s (least-most)", "calls_per_s", 0),
        Column::number("least share", "least_share", 2),
        Column::number("most share", "most_share", 2),
    ],
};

fn row((threads, _, name): &(u32, ConnectionSharing, &str), turns: &[Turn]) -> Row {
    let spread = |of: fn(&Turn) -> f64| Spread::of(turns.iter().map(of));
    Row::new()
        .with("threads", threads)
        .with("connections", name)
        .with("rounds", turns.len())
        .spread("calls_per_s", spread(|turn| turn.calls_per_s))
        .spread("least_share", spread(|turn| turn.least))
        .spread("most_share", spread(|turn| turn.most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_what_all_do_on_the_average() {
        let turn = Turn::of(&[50, 100, 150], Duration::from_millis(500));
        let expected = Turn {
            calls_per_s: 600.0,
            least: 0.5,
            most: 1.5,
        };
        assert_eq!(turn, expected);
        assert_eq!(Turn::of(&[0], Duration::from_secs(1)).calls_per_s, 0.0);
    }

    #[test]
    fn threads_call_in_each_way() {
        let (orb, reference) = crate::taut::pinger();
        for (sharing, _) in SHARINGS {
            let turn = turn(&reference, 3, sharing, Duration::from_millis(20)).unwrap();
            assert!(turn.calls_per_s > 0.0 && turn.least <= 1.0 && turn.most >= 1.0);
        }
        orb.shutdown(true).unwrap();
    }
}
