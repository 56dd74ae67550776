//! A client that calls periodically, and what it says of it, line by line.
//!
//! The driver writes `releases COUNT PERIOD_NS DEADLINE_NS`, and the client answers
//! `SCHEDULING MISSED CALL:RESPONSE …`, a pair for each call that it has made: how long the
//! call took, and the time from its release until it had its reply, in nanoseconds.
//! `interop/peers/omniorb/periodic_client.cc` does the same.

use std::fmt;
use std::io::{self, BufRead, Write};
use std::str::FromStr;
use std::thread;
use std::time::{Duration, Instant};

use taut_sys::priority;

use crate::error::BenchError;

/// The releases of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Schedule {
    /// How many there are.
    pub(super) releases: u32,
    /// The time from one to the next.
    pub(super) period: Duration,
    /// The time from a release until the reply must be there.
    pub(super) deadline: Duration,
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (period, deadline) = (self.period.as_nanos(), self.deadline.as_nanos());
        write!(f, "releases {} {period} {deadline}", self.releases)
    }
}

impl FromStr for Schedule {
    type Err = BenchError;

    fn from_str(line: &str) -> Result<Self, BenchError> {
        let wrong = || BenchError::request(line);
        let numbers = line.strip_prefix("releases ").ok_or_else(wrong)?;
        let numbers: Result<Vec<u64>, _> = numbers.split(' ').map(str::parse).collect();
        let numbers = numbers.map_err(|_| wrong())?;
        let [releases, period, deadline] = numbers[..] else {
            return Err(wrong());
        };
        if releases == 0 || period == 0 || deadline == 0 {
            return Err(wrong());
        }
        Ok(Self {
            releases: releases.try_into().map_err(|_| wrong())?,
            period: Duration::from_nanos(period),
            deadline: Duration::from_nanos(deadline),
        })
    }
}

/// The calls of a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Turn {
    /// Whether the client had a real-time priority.
    pub(super) is_fifo: bool,
    /// How many releases had no reply by their deadline, those among them at which no call
    /// could begin because an earlier one still waited.
    pub(super) missed: u32,
    /// The time of each call, in nanoseconds.
    pub(super) calls_ns: Vec<u64>,
    /// The time from each call's release until its reply.
    pub(super) responses_ns: Vec<u64>,
    /// The calls of the clients that flooded the server, and how long they did so.
    pub(super) flood: (u64, Duration),
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheduling = if self.is_fifo { "fifo" } else { "other" };
        write!(f, "{scheduling} {}", self.missed)?;
        for (call, response) in self.calls_ns.iter().zip(&self.responses_ns) {
            write!(f, " {call}:{response}")?;
        }
        Ok(())
    }
}

impl Turn {
    /// Reads a client's answer; none when it is not one.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let is_fifo = match words.next()? {
            "fifo" => true,
            "other" => false,
            _ => return None,
        };
        let mut turn = Self {
            is_fifo,
            missed: words.next()?.parse().ok()?,
            ..Self::default()
        };
        for pair in words {
            let (call, response) = pair.split_once(':')?;
            turn.calls_ns.push(call.parse().ok()?);
            turn.responses_ns.push(response.parse().ok()?);
        }
        (!turn.calls_ns.is_empty()).then_some(turn)
    }
}

/// Gives the calling thread a real-time priority, or says that it has none.
pub(super) fn take_priority(priority: i32) {
    if let Err(error) = priority::set_fifo(priority) {
        eprintln!(
            "LEFT OUT: SCHED_FIFO {priority}, so all have one priority: {error} \
             (needs CAP_SYS_NICE or `ulimit -r`)"
        );
    }
}

/// Calls by the schedules that are read, until the input ends.
///
/// # Errors
///
/// [`BenchError::Request`] for a line that is none, [`BenchError::System`] when reading or
/// writing fails, and those of `call`.
pub(super) fn answer_requests(
    input: impl BufRead,
    mut output: impl Write,
    mut call: impl FnMut(Instant) -> Result<(), BenchError>,
) -> Result<(), BenchError> {
    for line in input.lines() {
        let line = line.map_err(BenchError::system("standard input"))?;
        let turn = keep(line.parse()?, &mut call)?;
        writeln!(output, "{turn}")
            .and_then(|()| output.flush())
            .map_err(BenchError::system("standard output"))?;
    }
    Ok(())
}

/// Calls at each release of a schedule; `call` is told when that was.
///
/// # Errors
///
/// Those of `call`.
fn keep(
    schedule: Schedule,
    mut call: impl FnMut(Instant) -> Result<(), BenchError>,
) -> Result<Turn, BenchError> {
    let room = schedule.releases as usize;
    let mut turn = Turn {
        is_fifo: priority::current().is_ok_and(|it| it.is_some()),
        // Written, so that no page of it is new to the timed loop.
        calls_ns: vec![u64::MAX; room],
        responses_ns: vec![u64::MAX; room],
        ..Turn::default()
    };
    let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let (mut made, mut release) = (0, 0);
    let first = Instant::now() + schedule.period;
    while release < schedule.releases {
        let due = first + schedule.period * release;
        thread::sleep(due.saturating_duration_since(Instant::now()));
        let begun = Instant::now();
        call(due)?;
        let ended = Instant::now();
        let response = ended.saturating_duration_since(due);
        turn.calls_ns[made] = nanoseconds(ended.duration_since(begun)).max(1);
        turn.responses_ns[made] = nanoseconds(response).max(1);
        made += 1;
        release += 1;
        turn.missed += u32::from(response > schedule.deadline);
        // The releases that went by meanwhile are lost.
        while release < schedule.releases && first + schedule.period * release < ended {
            turn.missed += 1;
            release += 1;
        }
    }
    turn.calls_ns.truncate(made);
    turn.responses_ns.truncate(made);
    Ok(turn)
}

/// The lines of standard input, and where answers go.
pub(super) fn answer_driver(
    call: impl FnMut(Instant) -> Result<(), BenchError>,
) -> Result<(), BenchError> {
    answer_requests(io::stdin().lock(), io::stdout(), call)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(releases: u32, period_us: u64) -> Schedule {
        Schedule {
            releases,
            period: Duration::from_micros(period_us),
            deadline: Duration::from_micros(period_us),
        }
    }

    #[test]
    fn schedules_and_turns_are_read_as_they_are_written() {
        let whole = schedule(7, 5_000);
        assert_eq!(whole.to_string().parse::<Schedule>().unwrap(), whole);
        for line in [
            "",
            "releases",
            "releases 0 1 1",
            "releases 1 0 1",
            "run 3",
            "releases 1 2",
        ] {
            assert!(line.parse::<Schedule>().is_err(), "{line:?}");
        }
        let turn = Turn {
            is_fifo: true,
            missed: 1,
            calls_ns: vec![5, 6],
            responses_ns: vec![7, 8],
            ..Turn::default()
        };
        assert_eq!(Turn::parse(&turn.to_string()), Some(turn));
        for line in ["", "fifo", "fifo 1", "rr 1 2:3", "fifo 1 2", "fifo x 2:3"] {
            assert_eq!(Turn::parse(line), None, "{line:?}");
        }
    }

    #[test]
    fn each_release_has_its_call_and_none_begins_before() {
        let turn = keep(schedule(5, 1_000), |due| {
            assert!(Instant::now() >= due);
            Ok(())
        });
        let turn = turn.unwrap();
        let lost = 5 - turn.calls_ns.len();
        assert!(turn.missed as usize >= lost, "{turn:?}");
        assert!(
            turn.responses_ns
                .iter()
                .zip(&turn.calls_ns)
                .all(|(all, call)| all >= call)
        );
    }

    #[test]
    fn releases_that_go_by_during_a_call_are_missed() {
        let mut calls = 0;
        let turn = keep(schedule(10, 1_000), |_| {
            calls += 1;
            thread::sleep(Duration::from_millis(if calls == 1 { 30 } else { 0 }));
            Ok(())
        });
        let turn = turn.unwrap();
        assert_eq!((turn.missed, turn.calls_ns.len()), (10, 1));
    }
}
