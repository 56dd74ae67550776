//! `taut-bench deadlines`: how long calls with a deadline take that stall, wherever they do.

mod stall;

use std::time::{Duration, Instant};

use clap::{Args, value_parser};
use taut::{ConnectionSharing, SystemExceptionKind};

use crate::error::BenchError;
use crate::record::Row;
use crate::render::{Column, Layout};
use crate::statistics::median;
use stall::{Stall, Stalled};

/// The arguments of `taut-bench deadlines`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Calls of each kind
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = value_parser!(u32).range(1..))]
    times: u32,
    /// Milliseconds that a call has
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = value_parser!(u64).range(1..))]
    time_ms: u64,
}

/// Makes the calls, and shows for each stall how long they took.
///
/// # Errors
///
/// [`BenchError::System`] and [`BenchError::Orb`] when a stall cannot be set up;
/// [`BenchError::Call`] when a call ends otherwise than by its deadline.
pub(crate) fn run(arguments: &Arguments) -> Result<(), BenchError> {
    let time = Duration::from_millis(arguments.time_ms);
    println!(
        "{} calls of each kind, which have {} ms",
        arguments.times, arguments.time_ms
    );
    let mut rows = Vec::new();
    for (sharing, name) in [
        (ConnectionSharing::Exclusive, "exclusive"),
        (ConnectionSharing::Shared, "shared"),
    ] {
        for stall in Stall::ALL {
            let stalled = stall.set_up(sharing)?;
            let mut times = Vec::new();
            for _ in 0..arguments.times {
                times.push(one_call(&stalled, time)?);
            }
            rows.push(row(stall, name, &times));
        }
    }
    print!("{}", LAYOUT.text(&rows));
    Ok(())
}

/// A line for each stall and way of sharing connections.
const LAYOUT: Layout = Layout {
    title: "",
    tables: &[],
    lines: &["stall", "connections"],
    columns: &[
        Column::with("stall", |row| Some(row.text("stall"))).left(),
        Column::word("connections", "connections"),
        Column::number("median ms", "median_ms", 1),
        Column::number("max ms", "max_ms", 1),
    ],
};

fn row(stall: Stall, connections: &str, times: &[Duration]) -> Row {
    let microseconds = || times.iter().map(|time| time.as_micros() as u64);
    let ms = |microseconds: Option<u64>| microseconds.map(|it| it as f64 / 1_000.0);
    Row::new()
        .with("stall", stall.to_string())
        .with("connections", connections)
        .with("median_ms", ms(median(microseconds())))
        .with("max_ms", ms(microseconds().max()))
}

/// Makes a call that stalls, and returns how long it took.
fn one_call(stalled: &Stalled, time: Duration) -> Result<Duration, BenchError> {
    let object = stalled.object().with_call_timeout(time);
    let start = Instant::now();
    let outcome = object.invoke("take", |out| {
        out.write_bytes(stalled.arguments());
        Ok(())
    });
    let took = start.elapsed();
    match outcome {
        Err(exception) if exception.kind == SystemExceptionKind::Timeout => Ok(took),
        Err(exception) => Err(BenchError::call(exception)),
        Ok(_) => Err(BenchError::call("a call that stalls has been answered")),
    }
}
