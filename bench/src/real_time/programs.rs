//! The hidden commands that run in the processes of a system.

use std::io::{self, Write as _};
use std::time::Instant;

use clap::Subcommand;

use super::{flood, lanes, periodic, sockets};
use crate::error::BenchError;
use crate::raw::{Caller, MessageSizes};
use crate::taut::Client;

/// A hidden command.
#[derive(Subcommand)]
pub(crate) enum Program {
    /// Wakes periodically, and calls nobody.
    #[command(name = "real-time-sleeper", hide = true)]
    Sleeper {
        /// Its native priority.
        #[arg(long)]
        priority: i32,
    },
    /// Answers messages at two priorities; prints both addresses as the first line.
    #[command(name = "real-time-sockets", hide = true)]
    Sockets {
        #[command(flatten)]
        sizes: MessageSizes,
        /// The native priority of the threads that serve the first address.
        #[arg(long)]
        priority: i32,
    },
    /// Sends messages periodically.
    #[command(name = "real-time-raw-client", hide = true)]
    RawClient {
        #[command(flatten)]
        sizes: MessageSizes,
        /// Its native priority.
        #[arg(long)]
        priority: i32,
        /// Both addresses.
        server: String,
    },
    /// Calls the benchmarks' object periodically.
    #[command(name = "real-time-client", hide = true)]
    Client {
        /// Its native priority.
        #[arg(long)]
        priority: i32,
        /// The stringified reference.
        reference: String,
    },
    /// Serves the benchmarks' object by two lanes; prints its reference as the first line.
    #[command(name = "real-time-lanes-server", hide = true)]
    LanesServer {
        /// The native priority of the more urgent lane.
        #[arg(long)]
        priority: i32,
    },
    /// Calls the benchmarks' object periodically, with a priority.
    #[command(name = "real-time-lanes-client", hide = true)]
    LanesClient {
        /// Its native priority.
        #[arg(long)]
        priority: i32,
        /// Whether connections belong to bands of priorities.
        #[arg(long)]
        bands: bool,
        /// The stringified reference.
        reference: String,
    },
    /// Calls as fast as it can, over many connections.
    #[command(name = "real-time-flood", hide = true)]
    Flood {
        #[command(flatten)]
        sizes: MessageSizes,
        /// How many.
        #[arg(long)]
        clients: usize,
        /// An address, or the stringified reference of an object to ping.
        server: String,
    },
}

impl Program {
    /// Runs it.
    ///
    /// # Errors
    ///
    /// When what it needs is not there, or a call fails.
    pub(crate) fn run(self) -> Result<(), BenchError> {
        match self {
            Self::Sleeper { priority } => {
                periodic::take_priority(priority);
                periodic::answer_driver(|_: Instant| Ok(()))
            }
            Self::Sockets { sizes, priority } => sockets::serve(sizes, priority),
            Self::RawClient {
                sizes,
                priority,
                server,
            } => {
                let stream = sockets::connect(&server)?;
                let request = vec![0x55; sizes.request_octets as usize];
                let mut caller = Caller::with_request(&stream, request, sizes.reply_octets);
                periodic::take_priority(priority);
                periodic::answer_driver(|_| caller.call().map_err(BenchError::call))
            }
            Self::Client {
                priority,
                reference,
            } => {
                let client = Client::connect(&reference, |_| ())?;
                periodic::take_priority(priority);
                periodic::answer_driver(|_| client.ping())
            }
            Self::LanesServer { priority } => lanes::serve(priority),
            Self::LanesClient {
                priority,
                bands,
                reference,
            } => lanes::call(&reference, priority, bands),
            Self::Flood {
                sizes,
                clients,
                server,
            } => flood::run(sizes, clients, &server, || {
                let mut output = io::stdout();
                writeln!(output, "connected").and_then(|()| output.flush())
            }),
        }
    }
}
