//! The transports of the ORB, which the crate `taut-transport` has, and the reasons for which
//! they give no connection.

mod failure;

pub(crate) use failure::ConnectError;
pub(crate) use taut_transport::{
    Acceptor, Address, AddressError, ChannelOption, ConnectOptions, ConnectionOptions,
    ConnectionReport, KnownProtocol, ListenOptions, PeerNetwork, Protocol, ProtocolError,
    Protocols, Reach, Resolver, Source, Stream,
};
