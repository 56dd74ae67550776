//! Where client and server are, and who else is there.

use std::io;
use std::thread;
use std::time::Duration;

use clap::ValueEnum;
use serde::Serialize;

use super::strategy::Strategy;
use super::threads;
use crate::case::Transport;
use crate::error::BenchError;
use crate::peer::Peer;
use crate::placement::{Mode, Placement};
use crate::protocol;
use crate::raw::MessageSizes;
use crate::system::{Programs, System, own_program};

/// How many connections the client of [`Scene::Many`] has.
const CONNECTIONS: usize = 100;

/// The CPUs that client and server use, alone or with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Scene {
    /// A CPU each.
    Split,
    /// One CPU for both.
    Same,
    /// A CPU each, on each of which another program computes.
    Busy,
    /// One CPU for both, on which another program computes.
    BusySame,
    /// A CPU each; the client, which is no ORB and blocks, calls over a hundred
    /// connections in turn, each with a thread of its own in the server.
    Many,
    /// The same, on one CPU.
    ManySame,
    /// A CPU each, for several threads of the client and as many of the server.
    Threads,
    /// The same, on one CPU.
    ThreadsSame,
    /// A CPU each; the client is no ORB and blocks, the server's reactor has one thread.
    Reactor,
}

impl Scene {
    fn mode(self) -> Mode {
        match self {
            Self::Split | Self::Busy | Self::Many | Self::Threads | Self::Reactor => Mode::Split,
            Self::Same | Self::BusySame | Self::ManySame | Self::ThreadsSame => Mode::Same,
        }
    }

    /// The CPUs of client and server.
    ///
    /// # Errors
    ///
    /// [`BenchError::Cpus`].
    pub(super) fn placement(self, allowed: &[usize]) -> Result<Placement, BenchError> {
        Placement::choose(self.mode(), allowed)
    }

    /// How many connections the client has that is no ORB, where it is none.
    fn connections(self) -> Option<usize> {
        match self {
            Self::Many | Self::ManySame => Some(CONNECTIONS),
            Self::Reactor => Some(1),
            _ => None,
        }
    }

    /// Whether there are programs for it over this transport.
    pub(super) fn is_over(self, transport: Transport) -> bool {
        self.connections().is_none() || transport == Transport::Tcp
    }

    /// Whether a strategy can be measured here. A thread that spins for a millisecond on
    /// the CPU that the other needs takes a millisecond for each call.
    pub(super) fn suits(self, strategy: Strategy) -> bool {
        match strategy {
            Strategy::Raw => !self.has_threads(),
            Strategy::Spin => self.mode() == Mode::Split && !self.has_threads(),
            Strategy::Block | Strategy::Adaptive => true,
        }
    }

    /// How many calls a sample is made of.
    pub(super) fn calls_of_sample(self) -> u32 {
        if self.has_threads() {
            threads::CALLS
        } else {
            1
        }
    }

    fn has_threads(self) -> bool {
        matches!(self, Self::Threads | Self::ThreadsSame)
    }

    /// The server and the client.
    ///
    /// # Errors
    ///
    /// [`BenchError::System`] when this program does not find itself.
    pub(super) fn programs(
        self,
        strategy: Strategy,
        transport: Transport,
        sizes: MessageSizes,
    ) -> Result<Programs, BenchError> {
        let system = match strategy {
            Strategy::Raw => System::Raw,
            _ => System::Taut,
        };
        let programs = match self.connections() {
            None => system.void_programs(sizes, transport)?,
            Some(connections) => system.sharing_programs(sizes, 1, connections)?,
        };
        let mut programs = programs.ok_or(BenchError::Nothing)?;
        if system == System::Raw {
            return Ok(programs);
        }
        if self.has_threads() {
            programs.client = own_program("threads-client")?;
        }
        let mut further = String::new();
        if matches!(self, Self::Many | Self::ManySame) {
            // Not the reactor that `sharing_programs` asks for.
            programs.server = own_program("taut-server")?;
            further = format!("-ORBConnectionThreads {}", CONNECTIONS + 1);
        }
        strategy.choose(&mut programs.server, &further);
        strategy.choose(&mut programs.client, "");
        Ok(programs)
    }

    /// On which CPUs other programs compute.
    fn crowded(self, placement: Placement) -> Vec<usize> {
        match self {
            Self::Busy => vec![placement.server_cpu, placement.client_cpu],
            Self::BusySame => vec![placement.client_cpu],
            _ => Vec::new(),
        }
    }
}

crate::options::display_as_option!(Scene);

/// The programs that compute; they are killed when this is dropped.
pub(super) struct Crowd {
    _programs: Vec<Peer>,
}

impl Crowd {
    /// Starts what the scene needs.
    ///
    /// # Errors
    ///
    /// Those of [`Peer::start`].
    pub(super) fn around(
        scene: Scene,
        placement: Placement,
        time_out: Duration,
    ) -> Result<Self, BenchError> {
        let cpus = scene.crowded(placement).into_iter();
        let start = |cpu| Peer::start(own_program("busy")?, cpu, time_out);
        Ok(Self {
            _programs: cpus.map(start).collect::<Result<_, _>>()?,
        })
    }
}

/// Computes until standard input ends.
///
/// # Errors
///
/// [`BenchError::System`] when that cannot be read.
pub(crate) fn be_busy() -> Result<(), BenchError> {
    let input = thread::spawn(|| protocol::wait_for_end_of_input(io::stdin().lock()));
    let mut number = 1_u64;
    while !input.is_finished() {
        for _ in 0..1_000_000 {
            number = std::hint::black_box(number.wrapping_mul(6_364_136_223_846_793_005));
        }
    }
    match input.join() {
        Ok(read) => read.map_err(BenchError::system("cannot read the input")),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}
