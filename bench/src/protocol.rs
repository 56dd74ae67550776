//! The protocol between the driver and its clients, line by line.
//!
//! The driver asks for calls with `run CALLS`; the client times each of them
//! and answers `median p99 min max mean`, in nanoseconds. To `samples CALLS` it
//! answers the time of each call, in order. `select WORD` says of what kind the
//! following calls are, for clients that have several, and is not answered; to
//! `allocations CALLS` the answer is how often so many calls allocate on the heap. To `usage CALLS` it answers the page faults and context switches of
//! its process during the calls, and then the time of each. `quit`, or the end of the input, ends the client. A
//! server prints where it is as its first line, and ends with its input or with
//! its client.

use std::fmt;
use std::io::{self, BufRead, Read, Write};
use std::str::FromStr;
use std::time::Instant;

use taut_sys::usage::Usage;

use crate::allocations;
use crate::error::BenchError;
use crate::statistics::percentile;

/// How many calls one request may ask for; the samples of more would not fit
/// the memory of a small machine.
pub(crate) const CALLS_MAX: u32 = 100_000_000;

/// A request of the driver to a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Request {
    /// To make so many calls, 1 to [`CALLS_MAX`], and to time each.
    Run(u32),
    /// To make so many calls, 1 to [`CALLS_MAX`], and to tell the time of each.
    Samples(u32),
    /// To make calls of this kind from now on.
    Select(String),
    /// To make so many calls, 1 to [`CALLS_MAX`], and to count the allocations.
    Allocations(u32),
    /// To make so many calls, 1 to [`CALLS_MAX`], and to tell what the process had of the
    /// machine meanwhile, and the time of each.
    Usage(u32),
    /// To end.
    Quit,
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run(calls) => write!(f, "run {calls}"),
            Self::Samples(calls) => write!(f, "samples {calls}"),
            Self::Select(kind) => write!(f, "select {kind}"),
            Self::Allocations(calls) => write!(f, "allocations {calls}"),
            Self::Usage(calls) => write!(f, "usage {calls}"),
            Self::Quit => f.write_str("quit"),
        }
    }
}

impl FromStr for Request {
    type Err = BenchError;

    fn from_str(line: &str) -> Result<Self, BenchError> {
        let number = |text: &str| text.parse().ok().filter(|n| (1..=CALLS_MAX).contains(n));
        let request = match line.split_once(' ') {
            None if line == "quit" => Some(Self::Quit),
            Some(("run", calls)) => number(calls).map(Self::Run),
            Some(("samples", calls)) => number(calls).map(Self::Samples),
            Some(("allocations", calls)) => number(calls).map(Self::Allocations),
            Some(("usage", calls)) => number(calls).map(Self::Usage),
            Some(("select", kind)) if !kind.is_empty() => Some(Self::Select(kind.to_owned())),
            _ => None,
        };
        request.ok_or_else(|| BenchError::request(line))
    }
}

/// The answer of a client: how long its calls took, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) median_ns: u64,
    pub(crate) p99_ns: u64,
    pub(crate) min_ns: u64,
    pub(crate) max_ns: u64,
    pub(crate) mean_ns: u64,
}

impl Summary {
    /// Summarizes samples, which it sorts. None when there are no samples.
    pub(crate) fn of(samples_ns: &mut [u64]) -> Option<Self> {
        samples_ns.sort_unstable();
        let sum: u64 = samples_ns.iter().sum();
        Some(Self {
            median_ns: percentile(samples_ns, 50)?,
            p99_ns: percentile(samples_ns, 99)?,
            min_ns: *samples_ns.first()?,
            max_ns: *samples_ns.last()?,
            mean_ns: sum / u64::try_from(samples_ns.len()).unwrap_or(u64::MAX),
        })
    }

    /// Reads an answer; none when it is not one, or when a call is said to have
    /// taken no time.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let numbers: Result<Vec<u64>, _> = line.split(' ').map(str::parse).collect();
        match numbers.ok()?[..] {
            [median_ns, p99_ns, min_ns, max_ns, mean_ns] if median_ns > 0 => Some(Self {
                median_ns,
                p99_ns,
                min_ns,
                max_ns,
                mean_ns,
            }),
            _ => None,
        }
    }

    /// The median of each round.
    pub(crate) fn medians(rounds: &[Self]) -> impl Iterator<Item = u64> {
        rounds.iter().map(|round| round.median_ns)
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            median_ns,
            p99_ns,
            min_ns,
            max_ns,
            mean_ns,
        } = self;
        write!(f, "{median_ns} {p99_ns} {min_ns} {max_ns} {mean_ns}")
    }
}

/// The calls of a client. A closure is one with calls of one kind.
pub(crate) trait Calls {
    /// Makes the calls of this kind from now on.
    ///
    /// # Errors
    ///
    /// [`BenchError::Request`] when there is no such kind.
    fn select(&mut self, kind: &str) -> Result<(), BenchError> {
        Err(BenchError::request(
            &Request::Select(kind.to_owned()).to_string(),
        ))
    }

    /// Makes a call.
    ///
    /// # Errors
    ///
    /// [`BenchError::Call`].
    fn call(&mut self) -> Result<(), BenchError>;
}

impl<F: FnMut() -> Result<(), BenchError>> Calls for F {
    fn call(&mut self) -> Result<(), BenchError> {
        self()
    }
}

/// The client's end: reads requests until the input ends or says `quit`, makes
/// the calls and answers.
///
/// # Errors
///
/// [`BenchError::Request`] for a line that is none, [`BenchError::System`] when
/// reading or writing fails, and those of `calls`.
pub(crate) fn answer_requests(
    input: impl BufRead,
    mut output: impl Write,
    mut calls: impl Calls,
) -> Result<(), BenchError> {
    for line in input.lines() {
        let line = line.map_err(BenchError::system("standard input"))?;
        let answer = match line.parse()? {
            Request::Quit => break,
            Request::Select(kind) => {
                calls.select(&kind)?;
                continue;
            }
            Request::Run(count) => Summary::of(&mut time(count, &mut calls)?)
                .map_or_else(String::new, |summary| summary.to_string()),
            Request::Samples(count) => write_samples(&time(count, &mut calls)?),
            Request::Usage(count) => {
                let mut samples_ns = room_for(count);
                let before = Usage::of_this_process().map_err(BenchError::system(USAGE))?;
                time_each(&mut samples_ns, &mut calls)?;
                let after = Usage::of_this_process().map_err(BenchError::system(USAGE))?;
                write_usage(after.since(before), &samples_ns)
            }
            Request::Allocations(count) => {
                let (made, allocations) =
                    allocations::count(|| (0..count).try_for_each(|_| calls.call()));
                made?;
                allocations.to_string()
            }
        };
        writeln!(output, "{answer}")
            .and_then(|()| output.flush())
            .map_err(BenchError::system("standard output"))?;
    }
    Ok(())
}

/// Times so many calls.
fn time(count: u32, calls: &mut impl Calls) -> Result<Vec<u64>, BenchError> {
    let mut samples_ns = room_for(count);
    time_each(&mut samples_ns, calls)?;
    Ok(samples_ns)
}

/// Room for so many samples.
fn room_for(count: u32) -> Vec<u64> {
    // Not zeros, for of zeros the kernel would give pages that are still to be
    // made in the timed loop.
    vec![u64::MAX; usize::try_from(count).unwrap_or(usize::MAX)]
}

/// Times a call for each sample.
fn time_each(samples_ns: &mut [u64], calls: &mut impl Calls) -> Result<(), BenchError> {
    for sample_ns in samples_ns {
        let before = Instant::now();
        calls.call()?;
        *sample_ns = u64::try_from(before.elapsed().as_nanos()).unwrap_or(u64::MAX);
    }
    Ok(())
}

/// The error where the system does not report its usage.
const USAGE: &str = "cannot ask for page faults and context switches";

/// The answer to a request for usage.
fn write_usage(usage: Usage, samples_ns: &[u64]) -> String {
    let Usage {
        minor_faults,
        major_faults,
        voluntary_switches,
        involuntary_switches,
    } = usage;
    let samples = write_samples(samples_ns);
    format!("{minor_faults} {major_faults} {voluntary_switches} {involuntary_switches} {samples}")
}

/// Reads the answer to a request for usage; none when it is not one, or when a call is
/// said to have taken no time.
pub(crate) fn parse_usage(line: &str) -> Option<(Usage, Vec<u64>)> {
    let mut words = line.splitn(5, ' ');
    let mut count = || words.next()?.parse().ok();
    let usage = Usage {
        minor_faults: count()?,
        major_faults: count()?,
        voluntary_switches: count()?,
        involuntary_switches: count()?,
    };
    Some((usage, parse_samples(words.next()?)?))
}

/// The answer to a request for samples.
fn write_samples(samples_ns: &[u64]) -> String {
    let texts: Vec<_> = samples_ns.iter().map(u64::to_string).collect();
    texts.join(" ")
}

/// Reads the answer to a request for samples; none when it is not one, or when a
/// call is said to have taken no time.
pub(crate) fn parse_samples(line: &str) -> Option<Vec<u64>> {
    let sample = |text: &str| text.parse().ok().filter(|&sample_ns| sample_ns > 0);
    line.split(' ').map(sample).collect()
}

/// The server's end: waits until nobody can write to its input any more.
///
/// # Errors
///
/// An error of the operating system.
pub(crate) fn wait_for_end_of_input(input: impl Read) -> io::Result<()> {
    io::copy(&mut { input }, &mut io::sink()).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_as_they_are_written() {
        for request in [
            Request::Run(1),
            Request::Run(CALLS_MAX),
            Request::Samples(2),
            Request::Select("a kind".to_owned()),
            Request::Allocations(CALLS_MAX),
            Request::Usage(3),
            Request::Quit,
        ] {
            assert_eq!(request.to_string().parse::<Request>().unwrap(), request);
        }
    }

    #[test]
    fn what_is_no_request_is_an_error() {
        let too_many = format!("run {}", CALLS_MAX + 1);
        for line in [
            "",
            "run",
            "run ",
            "run 0",
            "run -1",
            "run 1 2",
            "runs 1",
            "samples 0",
            "select",
            "select ",
            "allocations",
            "allocations 0",
            "usage",
            "usage 0",
            "quit 1",
        ] {
            assert!(line.parse::<Request>().is_err(), "{line:?}");
        }
        assert!(too_many.parse::<Request>().is_err());
    }

    #[test]
    fn answers_are_read_as_they_are_written() {
        let mut samples_ns: Vec<u64> = (1..=200).rev().collect();
        let summary = Summary::of(&mut samples_ns).unwrap();
        assert_eq!(summary.to_string(), "100 198 1 200 100");
        assert_eq!(Summary::parse("100 198 1 200 100"), Some(summary));
        for line in ["", "1 2 3 4", "1 2 3 4 5 6", "1 2 3 4 x", "0 1 0 1 1"] {
            assert_eq!(Summary::parse(line), None, "{line:?}");
        }
        assert_eq!(Summary::of(&mut []), None);
    }

    #[test]
    fn usage_is_read_as_it_is_written() {
        let usage = Usage {
            minor_faults: 1,
            major_faults: 2,
            voluntary_switches: 3,
            involuntary_switches: 4,
        };
        let line = write_usage(usage, &[7, 8]);
        assert_eq!(parse_usage(&line), Some((usage, vec![7, 8])));
        for line in ["", "1 2 3 4", "1 2 3 x 5", "1 2 3 4 0"] {
            assert_eq!(parse_usage(line), None, "{line:?}");
        }
    }

    #[test]
    fn a_client_tells_what_its_process_had_of_the_machine() {
        let mut output = Vec::new();
        let sleep = || {
            std::thread::sleep(std::time::Duration::from_millis(1));
            Ok(())
        };
        answer_requests("usage 5\n".as_bytes(), &mut output, sleep).unwrap();
        let output = String::from_utf8(output).unwrap();
        let (usage, samples_ns) = parse_usage(output.trim_end()).unwrap();
        assert_eq!(samples_ns.len(), 5);
        assert!(usage.voluntary_switches >= 5, "{usage:?}");
    }

    #[test]
    fn a_client_makes_the_calls_that_it_is_asked_for() {
        let mut calls = 0;
        let mut output = Vec::new();
        answer_requests(
            "run 3\nrun 4\nquit\nrun 9\n".as_bytes(),
            &mut output,
            || {
                calls += 1;
                std::thread::sleep(std::time::Duration::from_micros(1));
                Ok(())
            },
        )
        .unwrap();
        assert_eq!(calls, 7);
        let output = String::from_utf8(output).unwrap();
        let answers: Vec<_> = output.lines().map(Summary::parse).collect();
        assert!(
            matches!(answers[..], [Some(_), Some(_)]),
            "two answers: {output}"
        );
    }

    /// A client of two kinds of calls, one of which allocates.
    #[derive(Default)]
    struct TwoKinds {
        allocating: bool,
    }

    impl Calls for TwoKinds {
        fn select(&mut self, kind: &str) -> Result<(), BenchError> {
            self.allocating = kind == "allocating";
            Ok(())
        }

        fn call(&mut self) -> Result<(), BenchError> {
            if self.allocating {
                std::hint::black_box(Box::new(1));
            }
            Ok(())
        }
    }

    #[test]
    fn a_client_makes_calls_of_the_kind_that_is_selected() {
        let requests = "select allocating\nallocations 30\nallocations 4\n";
        let mut output = Vec::new();
        answer_requests(requests.as_bytes(), &mut output, TwoKinds::default()).unwrap();
        let output = String::from_utf8(output).unwrap();
        let counts: Vec<u64> = output.lines().map(|line| line.parse().unwrap()).collect();
        // Other tests allocate at the same time.
        assert!(counts[0] >= 30 && counts[1] >= 4, "{counts:?}");
    }

    #[test]
    fn a_client_of_one_kind_of_calls_has_nothing_to_select() {
        let selected = answer_requests("select it\n".as_bytes(), io::sink(), || Ok(()));
        assert!(matches!(selected, Err(BenchError::Request { line }) if line == "select it"));
    }

    #[test]
    fn a_call_that_fails_ends_the_client() {
        let mut output = Vec::new();
        let ended = answer_requests("run 3\n".as_bytes(), &mut output, || {
            Err(BenchError::call("no answer"))
        });
        assert!(matches!(ended, Err(BenchError::Call { .. })));
        assert!(output.is_empty());
    }
}
