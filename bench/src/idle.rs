//! `taut-bench idle`: what connections cost that lie idle.

use std::time::Duration;

use clap::Args;
use taut_sys::cpu;

use crate::error::BenchError;
use crate::footprint::Footprint;
use crate::many::Streams;
use crate::peer::Peer;
use crate::raw::MessageSizes;
use crate::system::System;

/// The arguments of `taut-bench idle`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// How many connections are opened
    #[arg(long, value_name = "N", default_value_t = 5_000)]
    connections: usize,
    /// The threads that share them
    #[arg(long, value_name = "N", default_value_t = 2)]
    threads: usize,
    #[command(flatten)]
    sizes: MessageSizes,
}

/// Opens the connections to a server of Taut, calls over each of them, and shows
/// what the server's process has before, with all open, and after a second round
/// of calls.
///
/// # Errors
///
/// The reason why a connection or a call does not succeed.
pub(crate) fn run(arguments: &Arguments) -> Result<(), BenchError> {
    let Arguments {
        connections,
        threads,
        sizes,
    } = *arguments;
    let nothing = || BenchError::Nothing;
    let programs = System::Taut
        .sharing_programs(sizes, threads, connections)?
        .ok_or_else(nothing)?;
    let allowed = cpu::allowed().map_err(BenchError::system("cannot ask for the CPUs"))?;
    let cpu = *allowed.last().ok_or_else(nothing)?;
    let mut server = Peer::start(programs.server, cpu, Duration::from_secs(60))?;
    let reference = server.read_line()?;

    // One connection, so that everything is there that the first one brings.
    let first = Streams::open(sizes, 1, &reference)?;
    for caller in &mut first.callers() {
        first.call(caller)?;
    }
    let before = Footprint::of(server.id())?;
    println!("with 1 connection: {before}");
    let streams = Streams::open(sizes, connections, &reference)?;
    let mut callers = streams.callers();
    for round in 1..=2 {
        for caller in &mut callers {
            streams.call(caller)?;
        }
        let after = Footprint::of(server.id())?;
        println!("after round {round} of calls over {connections} more: {after}");
        let grown = after.resident_kib.saturating_sub(before.resident_kib);
        println!(
            "  {} octets of memory for each connection",
            grown * 1024 / connections as u64
        );
    }
    Ok(())
}
