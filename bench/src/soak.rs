//! `taut-bench soak`: whether anything is left behind by many calls and by many
//! connections that come and go.

use std::io::{self, BufRead, Write};
use std::thread;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum, value_parser};
use taut_sys::cpu;

use crate::error::BenchError;
use crate::footprint::Footprint;
use crate::peer::Peer;
use crate::system;
use crate::taut::Client;

/// How long connections may take to be gone once their clients are.
const PATIENCE: Duration = Duration::from_secs(20);
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// What `taut-bench soak` is asked for.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Calls over one connection
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    calls: u32,
    /// ORBs that connect, call once and end
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    connects: u32,
    /// How many connections and a hundred times as many calls come before the
    /// first look
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    warm_up: u32,
    /// Whose threads serve the connections
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [Threads::Own, Threads::Reactor])]
    threads: Vec<Threads>,
    /// By how many percent memory may differ
    #[arg(long, value_name = "PERCENT", default_value_t = 1)]
    tolerance: u64,
    /// Seconds that the client may need for all its calls
    #[arg(long, value_name = "N", default_value_t = 3_600, value_parser = value_parser!(u64).range(1..))]
    time_out_s: u64,
}

/// Who serves the server's connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Threads {
    /// Each has a thread of its own.
    Own,
    /// They share two.
    Reactor,
}

impl std::fmt::Display for Threads {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Own => "own",
            Self::Reactor => "reactor",
        })
    }
}

/// Soaks a server and a client, and shows what each has before and after.
///
/// # Errors
///
/// [`BenchError::Leak`] when one of them has more or less than after the warm-up;
/// those of [`Peer`].
pub(crate) fn run(arguments: &Arguments) -> Result<(), BenchError> {
    for &threads in &arguments.threads {
        soak(arguments, threads)?;
    }
    Ok(())
}

fn soak(arguments: &Arguments, threads: Threads) -> Result<(), BenchError> {
    let Arguments {
        calls,
        connects,
        warm_up,
        ..
    } = *arguments;
    let mut pair = Pair::start(threads, Duration::from_secs(arguments.time_out_s))?;
    println!("threads: {threads}");
    pair.work(warm_up.saturating_mul(100), warm_up)?;
    let before = pair.rest()?;
    for (who, footprint) in before {
        println!("  {who} after the warm-up: {footprint}");
    }
    pair.work(calls, connects)?;
    let after = pair.settle(before)?;
    println!("  {calls} calls and {connects} connections later:");
    for (who, footprint) in after {
        println!("  {who}: {footprint}");
    }
    for ((who, before), (_, after)) in before.into_iter().zip(after) {
        compare(who, before, after, arguments.tolerance)?;
    }
    Ok(())
}

/// What one process has, with the process's name.
type Look = [(&'static str, Footprint); 2];

/// A server and a client, each a process.
struct Pair {
    client: Peer,
    server: Peer,
}

impl Pair {
    fn start(threads: Threads, time_out: Duration) -> Result<Self, BenchError> {
        let mut programs = system::own_programs("taut-server", "soak-client")?;
        if threads == Threads::Reactor {
            programs.server.arg("--reactor-threads=2");
        }
        let allowed = cpu::allowed().map_err(BenchError::system("cannot ask for the CPUs"))?;
        let (Some(&first), Some(&last)) = (allowed.first(), allowed.last()) else {
            return Err(BenchError::Nothing);
        };
        let server = Peer::start(programs.server, last, time_out)?;
        programs.client.arg(server.read_line()?);
        let client = Peer::start(programs.client, first, time_out)?;
        Ok(Self { client, server })
    }

    /// Has the client call and connect so often.
    fn work(&mut self, calls: u32, connects: u32) -> Result<(), BenchError> {
        for request in [format!("call {calls}"), format!("connect {connects}")] {
            self.client.write_line(&request)?;
            let line = self.client.read_line()?;
            if line != "done" {
                let program = self.client.program().to_owned();
                return Err(BenchError::Answer { program, line });
            }
        }
        Ok(())
    }

    fn look(&self) -> Result<Look, BenchError> {
        Ok([
            ("server", Footprint::of(self.server.id())?),
            ("client", Footprint::of(self.client.id())?),
        ])
    }

    /// Looks when nothing changes any more: the last of the connections are gone.
    fn rest(&self) -> Result<Look, BenchError> {
        let mut before = self.look()?;
        loop {
            thread::sleep(10 * LOOK_AGAIN);
            let now = self.look()?;
            if is_alike(&now, &before) {
                return Ok(now);
            }
            before = now;
        }
    }

    /// Looks when the server has noticed that its clients are gone, and its
    /// threads have ended.
    fn settle(&self, before: Look) -> Result<Look, BenchError> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let now = self.look()?;
            if is_alike(&now, &before) || Instant::now() >= deadline {
                return Ok(now);
            }
            thread::sleep(LOOK_AGAIN);
        }
    }
}

/// Whether two looks show the same threads and descriptors.
fn is_alike(one: &Look, other: &Look) -> bool {
    one.iter().zip(other).all(|((_, one), (_, other))| {
        (one.threads, one.descriptors) == (other.threads, other.descriptors)
    })
}

/// # Errors
///
/// [`BenchError::Leak`].
fn compare(
    who: &str,
    before: Footprint,
    after: Footprint,
    tolerance: u64,
) -> Result<(), BenchError> {
    let leak = |what: String| Err(BenchError::Leak { what });
    if (before.threads, before.descriptors) != (after.threads, after.descriptors) {
        return leak(format!("{who}: {before}; then {after}"));
    }
    let difference = after.resident_kib.abs_diff(before.resident_kib);
    if difference * 100 > before.resident_kib * tolerance {
        return leak(format!(
            "{who}: {} KiB resident, then {}: more than {tolerance} % apart",
            before.resident_kib, after.resident_kib
        ));
    }
    Ok(())
}

/// The client: reads `call N` and `connect N`, does so, and answers `done`.
///
/// # Errors
///
/// [`BenchError::Request`] for another line, and those of [`Client`].
pub(crate) fn call(reference: &str) -> Result<(), BenchError> {
    let client = Client::connect(reference)?;
    for line in io::stdin().lock().lines() {
        let line = line.map_err(BenchError::system("standard input"))?;
        let request = line.split_once(' ');
        match request.and_then(|(what, count)| Some((what, count.parse::<u32>().ok()?))) {
            Some(("call", count)) => (0..count).try_for_each(|_| client.ping())?,
            Some(("connect", count)) => (0..count).try_for_each(|_| {
                let client = Client::connect(reference)?;
                client.ping()?;
                client.end()
            })?,
            _ => return Err(BenchError::Request { line }),
        }
        writeln!(io::stdout(), "done").map_err(BenchError::system("standard output"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_behind_is_an_error() {
        let before = Footprint {
            resident_kib: 10_000,
            threads: 3,
            descriptors: 7,
        };
        let with = |resident_kib, threads, descriptors| Footprint {
            resident_kib,
            threads,
            descriptors,
        };
        for (after, is_leak) in [
            (before, false),
            (with(10_100, 3, 7), false),
            (with(9_900, 3, 7), false),
            (with(10_101, 3, 7), true),
            (with(10_000, 4, 7), true),
            (with(10_000, 3, 8), true),
        ] {
            assert_eq!(compare("x", before, after, 1).is_err(), is_leak, "{after}");
        }
    }
}
