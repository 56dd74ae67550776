//! `taut-bench`: measures Taut beside raw sockets and other ORBs.
//!
//! For each mode, which says what runs on which CPU, the [`driver`] starts one
//! server and one client of every system, and lets the clients take turns. All
//! of them speak the driver's [`protocol`], on standard input and output; the
//! programs of raw sockets and of Taut are hidden commands of this one.
//!
//! - [`case`], [`system`] and [`placement`] say what is measured: the
//!   operation, who runs it, and where;
//! - [`peer`] is a program that was started, [`raw`] the baseline, and
//!   [`mod@taut`] what is compared with it;
//! - [`statistics`] makes few numbers of many, [`record`] and [`table`] show them.
//!
//! Not here: assertions. Timing is measured and read; what a test may assert
//! are counts, and those are asserted where the code is that they are about.

mod case;
mod driver;
mod error;
mod peer;
mod ping;
mod placement;
mod protocol;
mod raw;
mod record;
mod statistics;
mod system;
mod table;
mod taut;

use std::net::SocketAddr;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::error::BenchError;
use crate::raw::MessageSizes;

/// Measures Taut beside raw sockets and other ORBs.
#[derive(Parser)]
#[command(name = "taut-bench")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// The latency of the smallest two-way call.
    Ping(ping::Arguments),
    /// Answers messages over TCP; prints its address as the first line.
    #[command(hide = true)]
    RawServer {
        #[command(flatten)]
        sizes: MessageSizes,
    },
    /// Sends messages over TCP and waits for each answer.
    #[command(hide = true)]
    RawClient {
        #[command(flatten)]
        sizes: MessageSizes,
        /// Where the server listens.
        address: SocketAddr,
    },
    /// Serves the benchmarks' objects; prints a reference as the first line.
    #[command(hide = true)]
    TautServer,
    /// Calls the benchmarks' objects.
    #[command(hide = true)]
    TautClient {
        /// The stringified reference.
        reference: String,
    },
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("taut-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<(), BenchError> {
    match command {
        Command::Ping(arguments) => ping::run(&arguments),
        Command::RawServer { sizes } => raw::serve(sizes),
        Command::RawClient { sizes, address } => raw::call(sizes, address),
        Command::TautServer => crate::taut::serve(),
        Command::TautClient { reference } => crate::taut::call(&reference),
    }
}
