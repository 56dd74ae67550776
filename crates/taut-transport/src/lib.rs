//! Transports of an ORB: how octets get from one ORB to another. The crate does not know
//! the meaning of the octets.
//!
//! - [`Protocol`]: a kind of transport. It reads and writes addresses, connects, and
//!   listens. [`Tcp`] and [`Unix`] are here; a program registers others with the ORB.
//! - [`Acceptor`]: a place where connections come in.
//! - [`Channel`]: a connection.
//! - [`ConnectionOptions`]: what one connection may be asked for;
//! - [`Stream`]: a connection as the ORB has it. One over a socket is called directly, for
//!   a call sends and receives twice, and right after a system call an indirect jump is
//!   predicted badly; any other goes through the trait.
//!
//! To write a transport, implement the three traits, and run the tests of the crate
//! `taut-transport-conformance` with it.

#![cfg_attr(docsrs, feature(doc_cfg))]
// Most of what serves added protocols is compiled without them, too, and nothing leads to it.
#![cfg_attr(not(feature = "added-protocols"), allow(dead_code, unused_imports))]

mod acceptor;
#[cfg_attr(not(feature = "added-protocols"), path = "added_absent.rs")]
mod added;
mod address;
mod channel;
mod connect;
mod connection_options;
mod connection_report;
mod ip_text;
mod known;
mod network;
#[cfg(feature = "added-protocols")]
mod plugged;
mod protocol;
mod resolver;
mod socket;
mod stream;
mod tcp;
mod unix;

pub use taut_sys::poll::{Doorbell, DoorbellSlot, Poller};

pub use acceptor::{Acceptor, ListenOptions};
pub use address::{Address, AddressError, DEFAULT_PORT, split_scheme};
pub use channel::{Channel, ChannelOption, Interest, Readiness};
pub use connect::{ConnectAttempt, ConnectError, ConnectOptions, ConnectStage};
pub use connection_options::{CongestionControl, ConnectionOptions, ConnectionOptionsError, Dscp};
pub use connection_report::{ConnectionReport, OptionFault, OptionOutcome};
pub use known::KnownProtocol;
pub use network::{PeerNetwork, PeerNetworkError, Source};
pub use protocol::{Protocol, ProtocolError, Protocols, Reach};
pub use resolver::{Resolve, Resolver};
pub use stream::Stream;
pub use tcp::Tcp;
pub use unix::Unix;

/// The examples of the README, which are compiled with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
