//! The client: so many calls, of which so many are under way at once.
//!
//! It speaks the benchmarks' protocol. `select IN_FLIGHT CALLS` says how many calls a sample
//! is, and how many of them are under way at once; to `run SAMPLES` it answers `median p99 min
//! max mean` of so many samples, in nanoseconds. `quit`, or the end of the input, ends it.

use std::io::{self, BufRead, Write};
use std::time::Instant;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status};
use tonic_prost::ProstCodec;

use crate::service::{CONNECTION_WINDOW, Nothing, PING};
use crate::{AnyError, runtime};

/// How many requests the channel takes before it makes its callers wait.
const BUFFER_SIZE: usize = 1 << 16;

/// The calls of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Flight {
    /// How many are under way at once.
    pub(crate) in_flight: usize,
    /// How many there are in all.
    pub(crate) calls: usize,
}

/// A line of standard input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    Select(Flight),
    Run(usize),
    Quit,
}

impl Line {
    fn parse(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |text: &str| text.parse().ok().filter(|&number: &usize| number > 0);
        Some(match words[..] {
            ["select", in_flight, calls] => Self::Select(Flight {
                in_flight: number(in_flight)?,
                calls: number(calls)?,
            }),
            ["run", samples] => Self::Run(number(samples)?),
            ["quit"] => Self::Quit,
            _ => return None,
        })
    }
}

/// Makes the calls that standard input asks for.
///
/// # Errors
///
/// Those of the calls, and a line that is not understood.
pub(crate) fn call(address: &str) -> Result<(), AnyError> {
    let runtime = runtime()?;
    let channel = runtime.block_on(connect(address))?;
    let mut flight = None;
    for line in io::stdin().lock().lines() {
        let line = line?;
        match (Line::parse(&line), flight) {
            (Some(Line::Select(selected)), _) => flight = Some(selected),
            (Some(Line::Run(samples)), Some(flight)) => {
                let mut samples_ns = Vec::with_capacity(samples);
                for _ in 0..samples {
                    let before = Instant::now();
                    runtime.block_on(fly(&channel, flight))?;
                    samples_ns.push(u64::try_from(before.elapsed().as_nanos())?);
                }
                writeln!(io::stdout(), "{}", summary(samples_ns))?;
            }
            (Some(Line::Quit), _) => return Ok(()),
            _ => {
                let expected = "`select IN_FLIGHT CALLS`, then `run SAMPLES`, or `quit`";
                return Err(format!("expected {expected}, found: {line:?}").into());
            }
        }
    }
    Ok(())
}

/// A channel of one connection.
///
/// # Errors
///
/// Those of tonic.
pub(crate) async fn connect(address: &str) -> Result<Channel, AnyError> {
    let endpoint = Endpoint::from_shared(format!("http://{address}"))?;
    let endpoint = endpoint
        .tcp_nodelay(true)
        .buffer_size(BUFFER_SIZE)
        .initial_connection_window_size(CONNECTION_WINDOW);
    Ok(endpoint.connect().await?)
}

/// Makes calls, and has the next one begin whenever one has its reply.
///
/// # Errors
///
/// That of the first call that fails.
pub(crate) async fn fly(channel: &Channel, flight: Flight) -> Result<(), Status> {
    let mut calls = FuturesUnordered::new();
    let mut begun = 0;
    while begun < flight.calls && begun < flight.in_flight {
        calls.push(ping(channel));
        begun += 1;
    }
    while let Some(done) = calls.next().await {
        done?;
        if begun < flight.calls {
            calls.push(ping(channel));
            begun += 1;
        }
    }
    Ok(())
}

/// One call.
async fn ping(channel: &Channel) -> Result<(), Status> {
    let mut grpc = Grpc::new(channel.clone());
    let ready = grpc.ready().await;
    ready.map_err(|error| Status::unavailable(error.to_string()))?;
    let codec = ProstCodec::<Nothing, Nothing>::default();
    let path = PathAndQuery::from_static(PING);
    grpc.unary(Request::new(Nothing {}), path, codec).await?;
    Ok(())
}

/// The answer: the median, the 99th percentile, the least, the greatest and the mean.
fn summary(mut samples_ns: Vec<u64>) -> String {
    samples_ns.sort_unstable();
    let rank = |percent: usize| (samples_ns.len() * percent).div_ceil(100).max(1) - 1;
    let last = samples_ns.len() - 1;
    let sum: u64 = samples_ns.iter().sum();
    let [median, p99, least, most] = [rank(50), rank(99), 0, last].map(|place| samples_ns[place]);
    format!(
        "{median} {p99} {least} {most} {}",
        sum / samples_ns.len() as u64
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service;

    #[test]
    fn lines_are_understood() {
        let flight = Flight {
            in_flight: 256,
            calls: 1000,
        };
        assert_eq!(Line::parse("select 256 1000"), Some(Line::Select(flight)));
        assert_eq!(Line::parse("run 3"), Some(Line::Run(3)));
        assert_eq!(Line::parse("quit"), Some(Line::Quit));
        for line in ["", "select 256", "select 0 1", "run", "run 0", "samples 3"] {
            assert_eq!(Line::parse(line), None, "{line:?}");
        }
    }

    #[test]
    fn a_summary_has_the_nearest_ranks() {
        assert_eq!(summary(vec![7]), "7 7 7 7 7");
        assert_eq!(summary((1..=200).rev().collect()), "100 198 1 200 100");
    }

    #[test]
    fn calls_are_answered_however_many_are_under_way() {
        let runtime = runtime().unwrap();
        runtime.block_on(async {
            let (address, incoming) = service::listen().unwrap();
            tokio::spawn(service::serve_at(incoming));
            let channel = connect(&address.to_string()).await.unwrap();
            for (in_flight, calls) in [(1, 3), (5, 2), (300, 1000), (10_000, 20_000)] {
                fly(&channel, Flight { in_flight, calls }).await.unwrap();
            }
        });
    }

    #[test]
    fn a_method_that_is_not_there_is_an_error() {
        let runtime = runtime().unwrap();
        runtime.block_on(async {
            let (address, incoming) = service::listen().unwrap();
            tokio::spawn(service::serve_at(incoming));
            let channel = connect(&address.to_string()).await.unwrap();
            let mut grpc = Grpc::new(channel);
            grpc.ready().await.unwrap();
            let codec = ProstCodec::<Nothing, Nothing>::default();
            let path = PathAndQuery::from_static("/bench.Pinger/pong");
            let called = grpc.unary(Request::new(Nothing {}), path, codec).await;
            assert_eq!(called.unwrap_err().code(), tonic::Code::Unimplemented);
        });
    }
}
