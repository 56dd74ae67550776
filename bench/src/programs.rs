//! The hidden commands: what runs in processes of its own while something is measured.

use std::net::SocketAddr;

use clap::Subcommand;

use crate::error::BenchError;
use crate::raw::MessageSizes;
use crate::{
    asynchronous, attacker, collocation, epoll, goals, many, raw, raw_flood, scalability,
    soak_peers, waiting,
};
#[cfg(feature = "probes")]
use crate::{demux, probes};

/// A hidden command.
#[derive(Subcommand)]
pub(crate) enum Program {
    /// Computes until standard input ends.
    #[command(hide = true)]
    Busy,
    /// Calls the benchmarks' object from several threads at once.
    #[command(hide = true)]
    ThreadsClient {
        /// The stringified reference.
        reference: String,
    },
    /// Looks for what a case of `demux` looks for, once.
    #[cfg(feature = "probes")]
    #[command(hide = true)]
    DemuxLookUps {
        /// The name of the case.
        case: String,
    },
    /// Answers messages; prints its address as the first line.
    #[command(hide = true)]
    RawServer {
        #[command(flatten)]
        sizes: MessageSizes,
        /// Over a Unix-domain socket instead of TCP.
        #[arg(long)]
        unix: bool,
        /// Refills the return stack behind each system call.
        #[arg(long)]
        refill: bool,
    },
    /// Sends messages and waits for each answer.
    #[command(hide = true)]
    RawClient {
        #[command(flatten)]
        sizes: MessageSizes,
        /// Refills the return stack behind each system call.
        #[arg(long)]
        refill: bool,
        /// Where the server listens: a host and port, or a path.
        address: String,
    },
    /// Answers messages of which many are under way at once; prints its address as the first
    /// line.
    #[command(hide = true)]
    PipelineServer {
        #[command(flatten)]
        sizes: MessageSizes,
        /// How replies leave.
        #[arg(long)]
        batching: asynchronous::pipeline::Batching,
    },
    /// Sends messages of which many are under way at once.
    #[command(hide = true)]
    PipelineClient {
        #[command(flatten)]
        sizes: MessageSizes,
        /// How requests leave.
        #[arg(long)]
        batching: asynchronous::pipeline::Batching,
        /// Where the server listens.
        address: SocketAddr,
    },
    /// Receives floods of messages over TCP; prints its address as the first line.
    #[command(hide = true)]
    RawFloodServer {
        #[command(flatten)]
        flood: raw_flood::Flood,
    },
    /// Sends floods of messages over TCP.
    #[command(hide = true)]
    RawFloodClient {
        #[command(flatten)]
        flood: raw_flood::Flood,
        /// Where the server listens.
        address: SocketAddr,
    },
    /// Answers messages of many TCP connections by `epoll`; prints its address
    /// as the first line.
    #[command(hide = true)]
    EpollServer {
        #[command(flatten)]
        sizes: MessageSizes,
        /// How many threads wait for events.
        #[arg(long)]
        threads: usize,
    },
    /// Sends messages over many connections, one after the other.
    #[command(hide = true)]
    ManyClient {
        #[command(flatten)]
        sizes: MessageSizes,
        /// How many connections.
        #[arg(long)]
        connections: usize,
        /// An address, or the stringified reference of an object to ping.
        server: String,
    },
    /// Serves the benchmarks' objects; prints a reference as the first line.
    #[command(hide = true)]
    TautServer {
        /// How many threads a reactor has for all connections; without, each
        /// has its own.
        #[arg(long)]
        reactor_threads: Option<usize>,
        /// Over a Unix-domain socket instead of TCP.
        #[arg(long)]
        unix: bool,
    },
    /// Attacks a server from `start` to `stop` on standard input.
    #[command(hide = true)]
    Attacker {
        /// The attack to make.
        #[arg(long)]
        attack: attacker::Attack,
        /// The stringified reference.
        reference: String,
    },
    /// Serves the benchmarks' objects, and says what memory it has when it is asked.
    #[command(hide = true)]
    SoakServer {
        /// As of `taut-server`.
        #[arg(long)]
        reactor_threads: Option<usize>,
    },
    /// Calls and connects as often as it is told on standard input.
    #[command(hide = true)]
    SoakClient {
        /// The stringified reference.
        reference: String,
    },
    /// Calls the benchmarks' objects.
    #[command(hide = true)]
    TautClient {
        /// The stringified reference.
        reference: String,
    },
    /// Calls the benchmarks' object by futures, of which many wait at once.
    #[command(hide = true)]
    FuturesClient {
        /// The stringified reference.
        reference: String,
    },
    /// Serves the table's object; prints its reference as the first line.
    #[command(hide = true)]
    TableServer {
        /// How its skeleton marshals.
        #[arg(long, default_value_t = goals::Marshaling::Compiled)]
        marshaling: goals::Marshaling,
        /// Over a Unix-domain socket instead of TCP.
        #[arg(long)]
        unix: bool,
    },
    /// Calls the table's object.
    #[command(hide = true)]
    TableClient {
        /// How its stub marshals.
        #[arg(long, default_value_t = goals::Marshaling::Compiled)]
        marshaling: goals::Marshaling,
        /// The stringified reference.
        reference: String,
    },
    /// Serves the table's object, and says what its probes have noted when it is asked;
    /// prints its reference as the first line.
    #[cfg(feature = "probes")]
    #[command(hide = true)]
    ProbeServer {
        /// Over a Unix-domain socket instead of TCP.
        #[arg(long)]
        unix: bool,
    },
    /// Calls the table's object, and says what its probes have noted.
    #[cfg(feature = "probes")]
    #[command(hide = true)]
    ProbeClient {
        /// The stringified reference.
        reference: String,
    },
    /// Serves many objects; prints their directory's reference as the first line.
    #[command(hide = true)]
    ScalabilityServer {
        /// How many.
        servants: u32,
    },
    /// Calls many objects.
    #[command(hide = true)]
    ScalabilityClient {
        /// The stringified reference of their directory.
        reference: String,
    },
    /// Calls a servant of its own.
    #[command(hide = true)]
    CollocationClient {
        /// How it reaches the servant.
        #[arg(long)]
        way: collocation::Way,
        /// The calls of a sample.
        #[arg(long)]
        batch: u32,
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
            Self::Busy => waiting::be_busy(),
            Self::ThreadsClient { reference } => waiting::call_by_threads(&reference),
            #[cfg(feature = "probes")]
            Self::DemuxLookUps { case } => demux::look_up(&case),
            Self::RawServer {
                sizes,
                unix,
                refill,
            } => raw::serve(sizes, unix, refill),
            Self::RawClient {
                sizes,
                refill,
                address,
            } => raw::call(sizes, refill, &address),
            Self::PipelineServer { sizes, batching } => {
                asynchronous::pipeline::serve(sizes, batching)
            }
            Self::PipelineClient {
                sizes,
                batching,
                address,
            } => asynchronous::pipeline::call(sizes, batching, address),
            Self::RawFloodServer { flood } => raw_flood::serve(flood),
            Self::RawFloodClient { flood, address } => raw_flood::call(flood, address),
            Self::EpollServer { sizes, threads } => epoll::serve(sizes, threads),
            Self::ManyClient {
                sizes,
                connections,
                server,
            } => many::call(sizes, connections, &server),
            Self::TautServer {
                reactor_threads,
                unix,
            } => crate::taut::serve(reactor_threads, unix),
            Self::Attacker { attack, reference } => attacker::attack(attack, &reference),
            Self::SoakServer { reactor_threads } => soak_peers::serve(reactor_threads),
            Self::SoakClient { reference } => soak_peers::call(&reference),
            Self::TautClient { reference } => crate::taut::call(&reference),
            Self::FuturesClient { reference } => asynchronous::taut::call(&reference),
            Self::TableServer { unix, marshaling } => goals::serve(unix, marshaling),
            Self::TableClient {
                reference,
                marshaling,
            } => goals::call(&reference, marshaling),
            #[cfg(feature = "probes")]
            Self::ProbeServer { unix } => probes::serve(unix),
            #[cfg(feature = "probes")]
            Self::ProbeClient { reference } => probes::call(&reference),
            Self::ScalabilityServer { servants } => scalability::serve(servants),
            Self::ScalabilityClient { reference } => scalability::call(&reference),
            Self::CollocationClient { way, batch } => collocation::call(way, batch),
        }
    }
}
