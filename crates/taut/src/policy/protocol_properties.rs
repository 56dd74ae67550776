//! The properties of protocols (Real-time CORBA 1.2, 4.15).

use std::time::Duration;

use taut_giop::ior::profile::tag;

use crate::transport::ConnectionOptions;

/// The time of TCP keep-alive where a property says that there is one, and not which: the
/// default of [`WireSettings::keep_alive`](crate::WireSettings::keep_alive).
const KEEP_ALIVE: Duration = Duration::from_secs(60);

/// The properties of the connections of one protocol (the standard's `ProtocolProperties`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProtocolProperties {
    /// Those of TCP.
    Tcp(TcpProtocolProperties),
    /// Those of Unix-domain sockets.
    UnixDomain(UnixDomainProtocolProperties),
    /// Options of the connections of any protocol, those of an application among them.
    Options(ConnectionOptions),
}

/// The properties of TCP (the standard's `TCPProtocolProperties`, with TAO's
/// `enable_network_priority`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TcpProtocolProperties {
    /// The octets of room for what is sent; 0: as the system has them.
    pub send_buffer_size: u32,
    /// The octets of room for what arrives; 0: as the system has them.
    pub recv_buffer_size: u32,
    /// Whether a peer that is silent for a minute is asked whether it is there.
    pub keep_alive: bool,
    /// Whether octets go to hosts of the same network alone.
    pub dont_route: bool,
    /// Whether each message is sent at once.
    pub no_delay: bool,
    /// Whether packets are marked with the priority of calls, by the ORB's
    /// `NetworkPriorityMapping`.
    pub enable_network_priority: bool,
}

/// The properties of Unix-domain sockets (TAO's `UnixDomainProtocolProperties`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct UnixDomainProtocolProperties {
    /// The octets of room for what is sent; 0: as the system has them.
    pub send_buffer_size: u32,
    /// The octets of room for what arrives; 0: as the system has them.
    pub recv_buffer_size: u32,
}

/// The standard's defaults: buffers as the system has them, keep-alive, and no delay.
impl Default for TcpProtocolProperties {
    fn default() -> Self {
        Self {
            send_buffer_size: 0,
            recv_buffer_size: 0,
            keep_alive: true,
            dont_route: false,
            no_delay: true,
            enable_network_priority: false,
        }
    }
}

impl ProtocolProperties {
    /// Returns the options that connections have by these properties.
    pub fn options(&self) -> ConnectionOptions {
        let octets = |size: u32| (size > 0).then_some(size);
        let mut options = ConnectionOptions::NONE;
        match self {
            Self::Tcp(tcp) => {
                options.send_buffer = octets(tcp.send_buffer_size);
                options.receive_buffer = octets(tcp.recv_buffer_size);
                let idle = if tcp.keep_alive {
                    KEEP_ALIVE
                } else {
                    Duration::ZERO
                };
                options.keep_alive = Some(idle);
                options.dont_route = Some(tcp.dont_route);
                options.no_delay = Some(tcp.no_delay);
            }
            Self::UnixDomain(unix) => {
                options.send_buffer = octets(unix.send_buffer_size);
                options.receive_buffer = octets(unix.recv_buffer_size);
            }
            Self::Options(own) => options = *own,
        }
        options
    }

    /// Whether packets are marked with the priority of calls.
    pub fn enables_network_priority(&self) -> bool {
        matches!(self, Self::Tcp(tcp) if tcp.enable_network_priority)
    }

    /// Whether the connections of a protocol may have these properties.
    pub(super) fn is_of(&self, protocol_type: u32) -> bool {
        match self {
            Self::Tcp(_) => protocol_type != tag::TAO_UIOP,
            Self::UnixDomain(_) => protocol_type == tag::TAO_UIOP,
            Self::Options(_) => true,
        }
    }
}

impl From<TcpProtocolProperties> for ProtocolProperties {
    fn from(properties: TcpProtocolProperties) -> Self {
        Self::Tcp(properties)
    }
}

impl From<UnixDomainProtocolProperties> for ProtocolProperties {
    fn from(properties: UnixDomainProtocolProperties) -> Self {
        Self::UnixDomain(properties)
    }
}

impl From<ConnectionOptions> for ProtocolProperties {
    fn from(options: ConnectionOptions) -> Self {
        Self::Options(options)
    }
}
