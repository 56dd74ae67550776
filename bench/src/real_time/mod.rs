//! `taut-bench real-time`: a call of high priority every few milliseconds, while so many
//! clients without a priority flood the same server.
//!
//! [`contender`] says who is compared, [`contest`] has its processes, and [`periodic`] the
//! client's loop. [`programs`] are the hidden commands that run in them, among them the raw
//! [`sockets`] that are the limit, and the [`flood`]. [`report`] and [`picture`] show what
//! was measured.

mod contender;
mod contest;
mod flood;
mod lanes;
mod periodic;
mod picture;
mod programs;
mod report;
mod sockets;

use std::time::Duration;

use clap::{Args, value_parser};

use self::contender::Contender;
use self::contest::Contest;
use self::periodic::{Schedule, Turn};
pub(crate) use self::picture::draw;
pub(crate) use self::programs::Program;
pub(crate) use self::report::{FAR, LAYOUT};
use crate::driver;
use crate::error::BenchError;
use crate::options::{Output, Rounds, TimeOut};
use crate::placement::{Mode, Placement};
use crate::raw::MessageSizes;
use crate::record::Row;

/// The most clients that flood a server: each has a connection and a thread.
const CLIENTS_MAX: i64 = 200;

/// The arguments of `taut-bench real-time`.
#[derive(Debug, Args)]
#[command(mut_arg("rounds", |rounds| rounds.default_value("3")))]
pub(crate) struct Arguments {
    /// How many clients without a priority flood the server meanwhile
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [0, 1, 8, 64], value_parser = value_parser!(u32).range(0..=CLIENTS_MAX))]
    clients: Vec<u32>,
    #[command(flatten)]
    rounds: Rounds,
    #[command(flatten)]
    time_out: TimeOut,
    #[command(flatten)]
    output: Output,
    /// Seconds of a turn; the 99.99th percentile needs 10,000 calls in all rounds, which are
    /// 50 seconds of a period of 5 ms
    #[arg(long, value_name = "N", default_value_t = 1.0, value_parser = seconds)]
    seconds: f64,
    /// Microseconds from one call of high priority to the next
    #[arg(long, value_name = "N", default_value_t = 5_000, value_parser = value_parser!(u64).range(100..=1_000_000))]
    period_us: u64,
    /// Microseconds after its release by which a call must have its reply; without, the period
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..=1_000_000))]
    deadline_us: Option<u64>,
    /// The native priority (SCHED_FIFO) of the periodic client and of what serves it; the least is
    /// the lane's of the flood
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = value_parser!(i32).range(2..=98))]
    priority: i32,
    /// Whether client and server share a CPU
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [Mode::Same, Mode::Split])]
    modes: Vec<Mode>,
    /// The systems to measure; without `raw` nothing is compared with it
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = Contender::ALL)]
    systems: Vec<Contender>,
    #[command(flatten)]
    sizes: MessageSizes,
}

/// Reads the length of a turn.
fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse::<f64>().ok();
    let seconds = seconds.filter(|it| (0.01..=3_600.0).contains(it));
    seconds.ok_or_else(|| "it is a number from 0.01 to 3600".to_owned())
}

impl Arguments {
    fn schedule(&self) -> Schedule {
        let period = Duration::from_micros(self.period_us);
        let releases = (self.seconds / period.as_secs_f64()).round();
        Schedule {
            // At most an hour of the shortest period, 36,000,000.
            releases: (releases as u32).max(1),
            period,
            deadline: self.deadline_us.map_or(period, Duration::from_micros),
        }
    }
}

/// The turns of a system beside so many clients that flood its server.
#[derive(Debug)]
struct Outcome {
    system: Contender,
    clients: u32,
    turns: Vec<Turn>,
}

/// Measures, shows tables for each mode, and writes the records.
///
/// A mode for which there are too few CPUs, and a system that is not built, are left out with a
/// line on standard error.
///
/// # Errors
///
/// [`BenchError::Nothing`] when everything was left out; those of [`Contest`] and
/// [`Output::write`].
pub(crate) fn run(arguments: &Arguments) -> Result<(), BenchError> {
    let mut rows: Vec<Row> = Vec::new();
    for (mode, placement) in Placement::of_all(&arguments.modes)? {
        let outcomes = measure(arguments, placement)?;
        let of_mode = report::rows(mode, arguments.schedule(), &outcomes);
        print!("{}", report::render(&of_mode));
        rows.extend(of_mode);
    }
    if rows.is_empty() {
        return Err(BenchError::Nothing);
    }
    arguments.output.write("real-time", rows)
}

/// Lets all systems take turns beside each number of clients.
fn measure(arguments: &Arguments, placement: Placement) -> Result<Vec<Outcome>, BenchError> {
    let most = arguments.clients.iter().copied().max().unwrap_or(0);
    let mut contests = Vec::new();
    for &system in &arguments.systems {
        if let Some(parts) = system.parts(arguments.sizes, arguments.priority)? {
            let time_out = arguments.time_out.duration();
            contests.push((system, Contest::start(parts, placement, most, time_out)?));
        }
    }
    let mut places = Vec::new();
    for &clients in &arguments.clients {
        for (place, (system, _)) in contests.iter().enumerate() {
            // The machine by itself is looked at once: nobody calls there.
            if system.is_called() || clients == arguments.clients[0] {
                places.push((place, clients));
            }
        }
    }
    let schedule = arguments.schedule();
    let rounds = driver::interleave(arguments.rounds.count, places.len(), |turn| {
        let (place, clients) = places[turn];
        contests[place].1.turn(schedule, clients)
    })?;
    let outcome = |((place, clients), turns): ((usize, u32), Vec<Turn>)| {
        let system = contests[place].0;
        let clients = if system.is_called() { clients } else { 0 };
        Outcome {
            system,
            clients,
            turns,
        }
    };
    Ok(places.into_iter().zip(rounds).map(outcome).collect())
}
