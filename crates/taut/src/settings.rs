//! Every limit and time-out of an ORB, with its default.

#[cfg_attr(not(feature = "full"), path = "settings/choices_minimal.rs")]
mod choices;
mod client;
mod limits;
#[cfg(feature = "full")]
mod real_time;
mod server;
mod wire;

use taut_sys::descriptors;

use crate::threads::InternalThreads;

pub(crate) use choices::HAS_REACTOR;
pub use choices::{BidirectionalPolicy, CollocationStrategy, ConnectionSharing, SyncScope};
pub use client::{ClientSettings, TransportOrder};
pub use limits::MessageLimits;
#[cfg(feature = "full")]
pub use real_time::{FullBuffer, PriorityMappingKind, RealTimeSettings, WithoutRights};
pub use server::{
    DemultiplexingStrategy, PenaltyPolicy, PredictabilityPolicy, ReverseDemultiplexing,
    ServerSettings,
};
pub use wire::{RefusedOptions, WaitStrategy, WireSettings};

/// The limits and time-outs of an ORB. Each has a default; the ORB's builder
/// changes them.
///
/// The shape `minimal` has all of them. Those of the parts that it leaves out
/// (docs/footprint.md) have one value there, or bound events that do not occur: oneways
/// that wait, requests on shared connections, the threads of a reactor, points of clients
/// that listen.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Settings {
    /// The settings of the client side: how it connects, calls and waits.
    pub client: ClientSettings,
    /// The settings of the server side: how it listens, serves and finds objects.
    pub server: ServerSettings,
    /// The settings of connections and messages that both sides have in common.
    pub wire: WireSettings,
    /// The limits of received messages, on both sides.
    pub limits: MessageLimits,
    /// The settings of priorities: whether there are any, and how they are applied.
    #[cfg(feature = "full")]
    pub real_time: RealTimeSettings,
    /// How the threads of the ORB begin that belong to no lane. Each ORB has its own.
    pub(crate) threads: InternalThreads,
}

impl Settings {
    /// The way in which the server waits for requests.
    pub(crate) fn server_waits(&self) -> WaitStrategy {
        self.server.wait_strategy.unwrap_or(self.wire.wait_strategy)
    }
}

/// As many connections as asked for, or as many as the process may have open files for,
/// less some that are left to the program.
fn within_descriptors(most: usize) -> usize {
    let left = |limit: u64| {
        let left_to_program = (limit / 8 + 16).min(1_024);
        usize::try_from(limit.saturating_sub(left_to_program)).unwrap_or(usize::MAX)
    };
    descriptors::limit().map_or(most, |limit| most.min(left(limit)).max(1))
}
