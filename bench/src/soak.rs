//! `taut-bench soak`: whether anything is left behind by many calls and by many
//! connections that come and go.
//!
//! Two numbers say what memory a process has. The *allocated* memory is exact, and grows
//! with the first thing that is left behind. The *resident* memory is the part that the
//! machine gives, the C library's own hoard included. The GNU C library keeps, for each
//! thread, up to 7 free pieces of each of 64 sizes, some 240 KiB in all, which fill up
//! within some 20,000 connections, and the stacks of threads that have ended. Both are
//! bounded and say nothing of Taut, so it is told to do without.

use std::fmt;
use std::thread;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum, value_parser};
use taut_sys::cpu;

use crate::error::BenchError;
use crate::footprint::Footprint;
use crate::peer::Peer;
use crate::system;

/// How long connections may take to be gone once their clients are.
const PATIENCE: Duration = Duration::from_secs(20);
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// Has the GNU C library keep neither free memory nor stacks for each thread.
const NO_HOARD: (&str, &str) = (
    "GLIBC_TUNABLES",
    "glibc.malloc.tcache_count=0:glibc.pthread.stack_cache_size=0",
);

/// By how many octets what is allocated may differ in any case: tables grow when
/// connections overlap as never before. A single octet for each of 100,000
/// connections would be far more.
const SLACK: u64 = 4 * 1024;

/// At how many points of the warm-up, and again of what follows, there is a look.
const STEPS: u32 = 8;

/// The arguments of `taut-bench soak`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Calls over one connection
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    calls: u32,
    /// ORBs that connect, call once and end
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    connects: u32,
    /// How many connections and a hundred times as many calls come before the
    /// first look that counts
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    warm_up: u32,
    /// Whose threads serve the connections
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [Threads::Own, Threads::Reactor])]
    threads: Vec<Threads>,
    /// By how many percent memory may differ
    #[arg(long, value_name = "PERCENT", default_value_t = 1)]
    tolerance: u64,
    /// Seconds that the client may need for one step of its work
    #[arg(long, value_name = "N", default_value_t = 3_600, value_parser = value_parser!(u64).range(1..))]
    time_out_s: u64,
}

/// The threads that serve the server's connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Threads {
    /// Each has a thread of its own.
    Own,
    /// They share two.
    Reactor,
}

crate::options::display_as_option!(Threads);

/// Soaks a server and a client, and shows what each has on the way.
///
/// # Errors
///
/// [`BenchError::Leak`] when one of them has more or less in the end than after the
/// warm-up; those of [`Peer`].
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
        tolerance,
        ..
    } = *arguments;
    let mut pair = Pair::start(threads, Duration::from_secs(arguments.time_out_s))?;
    println!("threads: {threads}");
    println!(" {:>9} {:>9}", "calls", "connects");
    let before = pair.work_in_steps(warm_up.saturating_mul(100), warm_up)?;
    println!("  warmed up");
    let after = pair.work_in_steps(calls, connects)?;
    compare("server", before.server, after.server, tolerance)?;
    compare("client", before.client, after.client, tolerance)?;
    println!("  nothing is left behind: memory within {tolerance} %");
    Ok(())
}

/// The resources of both processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Look {
    server: Resources,
    client: Resources,
}

/// The resources of one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Resources {
    footprint: Footprint,
    /// Octets.
    allocated: u64,
}

impl Resources {
    fn of(process: &mut Peer) -> Result<Self, BenchError> {
        let line = process.ask("memory")?;
        let Ok(allocated) = line.parse() else {
            return Err(process.misunderstood(line));
        };
        Ok(Self {
            footprint: Footprint::of(process.id())?,
            allocated,
        })
    }

    /// All but what the C library and the machine have a say in.
    fn exact(&self) -> (u64, u64, usize) {
        let Footprint {
            threads,
            descriptors,
            ..
        } = self.footprint;
        (self.allocated, threads, descriptors)
    }
}

impl fmt::Display for Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} octets allocated, {}", self.allocated, self.footprint)
    }
}

/// A server and a client, each a process.
struct Pair {
    client: Peer,
    server: Peer,
}

impl Pair {
    fn start(threads: Threads, time_out: Duration) -> Result<Self, BenchError> {
        let mut programs = system::own_programs("soak-server", "soak-client")?;
        for program in [&mut programs.server, &mut programs.client] {
            program.env(NO_HOARD.0, NO_HOARD.1);
        }
        if threads == Threads::Reactor {
            programs.server.arg("--reactor-threads=2");
        }
        let allowed = cpu::allowed().map_err(BenchError::system("cannot ask for the CPUs"))?;
        let (Some(&first), Some(&last)) = (allowed.first(), allowed.last()) else {
            return Err(BenchError::Nothing);
        };
        let mut server = Peer::start(programs.server, last, time_out)?;
        programs.client.arg(server.read_line()?);
        let client = Peer::start(programs.client, first, time_out)?;
        Ok(Self { client, server })
    }

    /// Has the client call and connect so often, and prints what both have at each
    /// step. Returns what they have after the last.
    fn work_in_steps(&mut self, calls: u32, connects: u32) -> Result<Look, BenchError> {
        let share = |all: u32, step: u32| {
            let until = |step: u32| u64::from(all) * u64::from(step) / u64::from(STEPS);
            (until(step), until(step) - until(step - 1))
        };
        let mut last = None;
        for step in 1..=STEPS {
            let ((calls, more_calls), (connects, more_connects)) =
                (share(calls, step), share(connects, step));
            self.work(more_calls, more_connects)?;
            let look = self.rest()?;
            println!("  {calls:>8} {connects:>9}  server: {}", look.server);
            println!("  {:>8} {:>9}  client: {}", "", "", look.client);
            last = Some(look);
        }
        last.ok_or(BenchError::Nothing)
    }

    fn work(&mut self, calls: u64, connects: u64) -> Result<(), BenchError> {
        for request in [format!("call {calls}"), format!("connect {connects}")] {
            let line = self.client.ask(&request)?;
            if line != "done" {
                return Err(self.client.misunderstood(line));
            }
        }
        Ok(())
    }

    fn look(&mut self) -> Result<Look, BenchError> {
        Ok(Look {
            server: Resources::of(&mut self.server)?,
            client: Resources::of(&mut self.client)?,
        })
    }

    /// Looks when nothing changes any more: the server has noticed that its clients
    /// are gone, and its threads have ended.
    fn rest(&mut self) -> Result<Look, BenchError> {
        let exact = |look: &Look| (look.server.exact(), look.client.exact());
        let deadline = Instant::now() + PATIENCE;
        let mut before = self.look()?;
        loop {
            thread::sleep(LOOK_AGAIN);
            let now = self.look()?;
            if exact(&now) == exact(&before) || Instant::now() >= deadline {
                return Ok(now);
            }
            before = now;
        }
    }
}

/// # Errors
///
/// [`BenchError::Leak`].
fn compare(
    who: &str,
    before: Resources,
    after: Resources,
    tolerance: u64,
) -> Result<(), BenchError> {
    let leak = |what: String| Err(BenchError::Leak { what });
    let (had, has) = (before.footprint, after.footprint);
    if (had.threads, had.descriptors) != (has.threads, has.descriptors) {
        return leak(format!("{who}: {before}; then {after}"));
    }
    for (what, before, after, slack) in [
        ("octets allocated", before.allocated, after.allocated, SLACK),
        ("KiB resident", had.resident_kib, has.resident_kib, 0),
    ] {
        if after.abs_diff(before) > (before * tolerance / 100).max(slack) {
            return leak(format!(
                "{who}: {before} {what}, then {after}: more than {tolerance} % apart"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_behind_is_an_error() {
        let with = |allocated, resident_kib, threads, descriptors| Resources {
            footprint: Footprint {
                resident_kib,
                threads,
                descriptors,
            },
            allocated,
        };
        let before = with(800_000, 10_000, 3, 7);
        for (after, is_leak) in [
            (before, false),
            (with(808_000, 10_100, 3, 7), false),
            (with(792_000, 9_900, 3, 7), false),
            (with(808_001, 10_000, 3, 7), true),
            (with(800_000, 10_101, 3, 7), true),
            (with(800_000, 10_000, 4, 7), true),
            (with(800_000, 10_000, 3, 8), true),
        ] {
            assert_eq!(compare("x", before, after, 1).is_err(), is_leak, "{after}");
        }
        let few = with(20_000, 10_000, 3, 7);
        assert!(compare("x", few, with(24_096, 10_000, 3, 7), 1).is_ok());
        assert!(compare("x", few, with(24_097, 10_000, 3, 7), 1).is_err());
    }
}
