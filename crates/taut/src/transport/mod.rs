//! The transport half of an inter-ORB protocol: how octets get from one ORB to
//! another. What they mean is the business of the messaging half.
//!
//! Connections are an enum over the transports rather than trait objects: a
//! call sends and receives twice, and right after a system call an indirect
//! jump is predicted badly. Whoever adds a transport adds a variant.

mod address;
mod tcp;

use std::io::{self, IoSlice};
use std::net::IpAddr;
use std::time::Duration;

#[cfg(feature = "reactor")]
use taut_sys::poll::Poller;

pub use address::{Address, AddressError, DEFAULT_PORT};

/// A way to carry octets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    /// TCP, the transport of IIOP.
    Tcp,
}

/// A connection: octets both ways, in order.
///
/// One thread at a time sends, and one receives; any thread may shut it down.
#[derive(Debug)]
pub(crate) enum Stream {
    /// Over TCP.
    Tcp(tcp::Connection),
}

/// A place where connections come in.
#[derive(Debug)]
pub(crate) enum Listener {
    /// Over TCP.
    Tcp(tcp::Acceptor),
}

impl Transport {
    /// Connects to an address, in at most `timeout`.
    pub(crate) fn connect(self, address: &Address, timeout: Duration) -> io::Result<Stream> {
        match self {
            Self::Tcp => tcp::connect(address, timeout).map(Stream::Tcp),
        }
    }

    /// Listens at an address, where so many connections may wait to be accepted;
    /// the port may be 0 for a free one.
    pub(crate) fn listen(self, address: &Address, backlog: u32) -> io::Result<Listener> {
        match self {
            Self::Tcp => tcp::listen(address, backlog).map(Listener::Tcp),
        }
    }
}

impl Stream {
    /// Sends all octets, in one system call where the system lets it.
    #[inline]
    pub(crate) fn send(&self, octets: &[u8]) -> io::Result<()> {
        match self {
            Self::Tcp(connection) => connection.send(octets),
        }
    }

    /// Waits for octets and appends them to the buffer's spare capacity, in one
    /// system call. 0 is the end of the stream.
    #[inline]
    pub(crate) fn receive(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        match self {
            Self::Tcp(connection) => connection.receive(buffer),
        }
    }

    /// Sends all octets of all parts, in one system call where the system lets it.
    pub(crate) fn send_parts(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        match self {
            Self::Tcp(connection) => connection.send_parts(parts),
        }
    }

    /// Sends as many octets as there is room for, and says how many.
    #[cfg(feature = "reactor")]
    #[inline]
    pub(crate) fn try_send(&self, octets: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(connection) => connection.try_send(octets),
        }
    }

    /// Appends what has arrived to the buffer's spare capacity. 0 is the end of
    /// the stream.
    #[cfg(feature = "reactor")]
    #[inline]
    pub(crate) fn try_receive(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        match self {
            Self::Tcp(connection) => connection.try_receive(buffer),
        }
    }

    /// Whether a receive would not have to wait: something has arrived, or the
    /// stream has ended.
    pub(crate) fn has_arrived(&self) -> bool {
        match self {
            Self::Tcp(connection) => connection.has_arrived(),
        }
    }

    /// Makes what happens here an event of `poller`.
    #[cfg(feature = "reactor")]
    pub(crate) fn watch(&self, poller: &Poller, token: u64) -> io::Result<()> {
        match self {
            Self::Tcp(connection) => poller.add(connection, token),
        }
    }

    /// Makes an event again of what is there now.
    #[cfg(feature = "reactor")]
    pub(crate) fn watch_again(&self, poller: &Poller, token: u64) -> io::Result<()> {
        match self {
            Self::Tcp(connection) => poller.renew(connection, token),
        }
    }

    /// Makes no event any more of what happens here.
    #[cfg(feature = "reactor")]
    pub(crate) fn unwatch(&self, poller: &Poller) {
        match self {
            Self::Tcp(connection) => poller.remove(connection),
        }
    }

    /// How many octets the peer's system has acknowledged, counted from an
    /// arbitrary start; none where that cannot be known.
    pub(crate) fn acknowledged(&self) -> Option<u64> {
        match self {
            Self::Tcp(connection) => connection.acknowledged(),
        }
    }

    /// How many octets the peer's system has acknowledged, from the same start
    /// on, once it is certain that it will acknowledge no more; none when that
    /// cannot be known in time.
    pub(crate) fn acknowledged_in_all(&self, patience: Duration) -> Option<u64> {
        match self {
            Self::Tcp(connection) => connection.acknowledged_in_all(patience),
        }
    }

    /// Limits how long a receive waits from here on.
    pub(crate) fn set_receive_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        match self {
            Self::Tcp(connection) => connection.set_receive_timeout(timeout),
        }
    }

    /// Limits how long a send waits from here on.
    pub(crate) fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        match self {
            Self::Tcp(connection) => connection.set_send_timeout(timeout),
        }
    }

    /// Lets the system ask the peer's whether it is still there, when nothing has
    /// come for so long.
    pub(crate) fn set_keep_alive(&self, idle: Duration) -> io::Result<()> {
        match self {
            Self::Tcp(connection) => connection.set_keep_alive(idle),
        }
    }

    /// Ends both directions: a thread that waits for octets gets the end of the
    /// stream, one that waits for room an error.
    pub(crate) fn stop(&self) {
        match self {
            Self::Tcp(connection) => connection.stop(),
        }
    }

    /// Ends sending: the peer gets the end of the stream.
    pub(crate) fn stop_sending(&self) {
        match self {
            Self::Tcp(connection) => connection.stop_sending(),
        }
    }

    /// The address of the machine at the other end.
    pub(crate) fn peer_ip(&self) -> Option<IpAddr> {
        match self {
            Self::Tcp(connection) => connection.peer_ip(),
        }
    }

    /// Who is at the other end, for messages to people.
    pub(crate) fn peer(&self) -> &str {
        match self {
            Self::Tcp(connection) => connection.peer(),
        }
    }
}

impl Listener {
    /// Waits for a connection.
    pub(crate) fn accept(&self) -> io::Result<Stream> {
        match self {
            Self::Tcp(acceptor) => acceptor.accept().map(Stream::Tcp),
        }
    }

    /// Where it listens, with the port that it was given.
    pub(crate) fn address(&self) -> &Address {
        match self {
            Self::Tcp(acceptor) => acceptor.address(),
        }
    }

    /// Whether it listens on every interface rather than at one address.
    pub(crate) fn is_wildcard(&self) -> bool {
        match self {
            Self::Tcp(acceptor) => acceptor.is_wildcard(),
        }
    }

    /// Stops listening; a thread that waits in [`accept`](Self::accept) returns.
    pub(crate) fn close(&self) {
        match self {
            Self::Tcp(acceptor) => acceptor.close(),
        }
    }
}
