//! `taut-bench probes`: what each step of a call takes, on both sides, and how much of a
//! round trip is the ORB's.
//!
//! - `programs` are the server and the client, which the feature `probes` brings;
//! - [`figures`] makes few numbers of the rounds; [`report`] shows them.

mod figures;
#[cfg(feature = "probes")]
mod programs;
mod report;

use std::time::Duration;

use clap::Args;

use self::figures::{Figures, Sides, Told};
#[cfg(feature = "probes")]
pub(crate) use self::programs::{call, serve};
use crate::case::Transport;
use crate::driver;
use crate::error::BenchError;
use crate::goals::{Element, Kind};
use crate::options::{Output, Turns};
use crate::peer::Peer;
use crate::placement::{Mode, Placement};
use crate::system::own_programs;

/// The arguments of `taut-bench probes`.
#[derive(Debug, Args)]
#[command(mut_arg("calls", |calls| calls.default_value("20000")))]
pub(crate) struct Arguments {
    #[command(flatten)]
    turns: Turns,
    #[command(flatten)]
    output: Output,
    /// The transport of the messages
    #[arg(long, value_name = "NAME", default_value_t = Transport::Tcp)]
    transport: Transport,
    /// Only 3 rounds of 2,000 calls; quote nothing of it
    #[arg(long, conflicts_with_all = ["rounds", "calls"])]
    quick: bool,
}

/// The operations that are called, with names for people.
const KINDS: [(Kind, &str); 4] = [
    (Kind::Void, "no arguments"),
    (Kind::String, "a string of 100 characters, there and back"),
    (octets(1 << 10), "1 KiB of octets, there and back"),
    (octets(64 << 10), "64 KiB of octets, there and back"),
];

const fn octets(octets: u32) -> Kind {
    let element = Element::Octet;
    Kind::Echo { element, octets }
}

/// Measures, shows two tables for each kind of call, and writes the records. Client and
/// server share a CPU, so that a wait is the other side's work.
///
/// # Errors
///
/// [`BenchError::WithoutProbes`] when this program was built without them; those of
/// [`Peer`] and of writing the file.
pub(crate) fn run(arguments: &Arguments) -> Result<(), BenchError> {
    if !cfg!(feature = "probes") {
        return Err(BenchError::WithoutProbes);
    }
    let placement = Placement::here(Mode::Same)?;
    let (plan, transport) = (arguments.turns.plan(), arguments.transport);
    let (rounds, calls) = match arguments.quick {
        true => (3, 2_000),
        false => (plan.rounds, plan.calls),
    };
    let mut pair = Pair::start(transport, placement, plan.time_out)?;
    let turns = driver::interleave(rounds, KINDS.len(), |turn| pair.calls(KINDS[turn].0, calls))?;
    let mut records = Vec::new();
    for ((kind, name), rounds) in KINDS.into_iter().zip(turns) {
        let count = rounds.len();
        let Some(figures) = Figures::of(&rounds) else {
            continue;
        };
        let rows = report::rows((kind, name), transport, (count, calls), &figures);
        print!("{}", report::LAYOUT.text(&rows));
        print!("{}", report::share(&figures));
        println!("{}", report::stages(&figures));
        records.extend(rows);
    }
    arguments.output.write("probes", records)
}

/// A server and its client.
struct Pair {
    // In this order, for the client is to be gone when its server goes.
    client: Peer,
    server: Peer,
}

impl Pair {
    fn start(
        transport: Transport,
        placement: Placement,
        time_out: Duration,
    ) -> Result<Self, BenchError> {
        let mut programs = own_programs("probe-server", "probe-client")?;
        if transport == Transport::Unix {
            programs.server.arg("--unix");
        }
        let mut server = Peer::start(programs.server, placement.server_cpu, time_out)?;
        programs.client.arg(server.read_line()?);
        let client = Peer::start(programs.client, placement.client_cpu, time_out)?;
        Ok(Self { client, server })
    }

    /// Has the client make so many calls: what both sides have noted of them.
    fn calls(&mut self, kind: Kind, calls: u32) -> Result<Sides, BenchError> {
        // The first call of a kind is looked at, and is none of these.
        ask(&mut self.client, &format!("select {kind}"))?;
        ask(&mut self.server, "reset")?;
        let client = ask(&mut self.client, &format!("calls {calls}"))?;
        let server = ask(&mut self.server, "read")?;
        Ok(Sides { client, server })
    }
}

/// Returns a program's answer to a request.
fn ask(peer: &mut Peer, request: &str) -> Result<Told, BenchError> {
    let line = peer.ask(request)?;
    serde_json::from_str(&line).map_err(|_| peer.misunderstood(line))
}
