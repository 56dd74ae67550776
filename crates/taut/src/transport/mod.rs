//! The transport half of an inter-ORB protocol: how octets get from one ORB to
//! another. What they mean is the business of the messaging half.
//!
//! Connections are an enum over the transports rather than trait objects: a
//! call sends and receives twice, and right after a system call an indirect
//! jump is predicted badly. Whoever adds a transport adds a variant.

mod address;
mod connection;
mod failure;
mod network;
mod tcp;
mod unix;

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::net::{IpAddr, Shutdown};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use taut_cdr::Landing;
#[cfg(feature = "reactor")]
use taut_sys::poll::Poller;
use taut_sys::return_stack::refill_behind;
use taut_sys::stream::StreamSocket;

pub use address::{Address, AddressError, DEFAULT_PORT};
pub(crate) use failure::ConnectError;
pub use network::{PeerNetwork, PeerNetworkError};

/// A connection: octets both ways, in order.
///
/// One thread at a time sends, and one receives; any thread may shut it down.
#[derive(Debug)]
pub(crate) enum Stream {
    /// Over TCP.
    Tcp(tcp::Connection),
    /// Over a Unix-domain socket.
    Unix(unix::Connection),
}

/// A place where connections come in.
#[derive(Debug)]
pub(crate) enum Listener {
    /// Over TCP.
    Tcp(tcp::Acceptor),
    /// Over Unix-domain sockets.
    Unix(unix::Acceptor),
}

/// What the system is told of each connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SocketOptions {
    /// When it asks the peer's whether it is still there, after nothing has come for so
    /// long. Within a machine the end of a process is known at once.
    pub(crate) keep_alive: Option<Duration>,
    /// Its room for what is sent, in octets; none: as it thinks fit.
    pub(crate) send_buffer: Option<usize>,
    /// Its room for what has arrived.
    pub(crate) receive_buffer: Option<usize>,
}

/// Where a connection comes from, as far as the system vouches for it: limits hold for
/// each origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Source {
    /// The machine with this address.
    Machine(IpAddr),
    /// A process of this user, on this machine.
    User(u32),
}

/// Does the same with whatever the transport is.
macro_rules! each {
    ($transport:expr, $one:ident => $action:expr) => {
        match $transport {
            Self::Tcp($one) => $action,
            Self::Unix($one) => $action,
        }
    };
}

impl Stream {
    /// Connects to an address, in at most `timeout`.
    ///
    /// # Errors
    ///
    /// [`ConnectError`] has the reason of each numeric address.
    pub(crate) fn connect(address: &Address, timeout: Duration) -> Result<Self, ConnectError> {
        match address {
            Address::Tcp { host, port } => tcp::connect(host, *port, timeout).map(Self::Tcp),
            Address::Unix { path } => unix::connect(path, timeout)
                .map(Self::Unix)
                .map_err(|error| ConnectError::from_io(address, &error, timeout)),
        }
    }

    /// The socket. It lies at the same place whatever the transport, so that what goes
    /// by it costs no branch.
    #[inline(always)]
    fn socket(&self) -> BorrowedFd<'_> {
        each!(self, connection => connection.as_fd())
    }

    /// Sends all octets, in one system call where the system lets it.
    #[inline]
    pub(crate) fn send(&self, octets: &[u8]) -> io::Result<()> {
        refill_behind(self.socket().send(octets))
    }

    /// Waits for octets and appends them to the buffer's spare capacity, in one
    /// system call. 0 is the end of the stream.
    #[inline]
    pub(crate) fn receive(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        refill_behind(self.socket().receive(buffer))
    }

    /// Waits for octets, of which the first go to `head`, and those behind them to
    /// `landing`, up to `end` octets there in all. Says how many these were, by one system
    /// call. 0 is the end of the stream.
    pub(crate) fn receive_parts(
        &self,
        head: &mut [u8],
        landing: &mut Landing,
        end: usize,
    ) -> io::Result<usize> {
        self.receive_by(StreamSocket::receive_parts, head, landing, end)
    }

    /// [`receive_parts`](Self::receive_parts), but of what has arrived.
    pub(crate) fn try_receive_parts(
        &self,
        head: &mut [u8],
        landing: &mut Landing,
        end: usize,
    ) -> io::Result<usize> {
        self.receive_by(StreamSocket::try_receive_parts, head, landing, end)
    }

    /// [`receive_parts`](Self::receive_parts) by what the socket does for it.
    #[inline]
    fn receive_by<'s>(
        &'s self,
        receive: impl for<'r> FnOnce(
            &BorrowedFd<'s>,
            &mut [u8],
            &'r mut [MaybeUninit<u8>],
        ) -> io::Result<(usize, &'r mut [u8])>,
        head: &mut [u8],
        landing: &mut Landing,
        end: usize,
    ) -> io::Result<usize> {
        let mut in_head = 0;
        let landed = landing.fill(end, |room| {
            let (count, filled) = refill_behind(receive(&self.socket(), head, room))?;
            in_head = count;
            Ok::<_, io::Error>(filled)
        })?;
        Ok(in_head + landed)
    }

    /// Sends all octets of all parts, in one system call where the system lets it.
    #[inline]
    pub(crate) fn send_parts(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        refill_behind(self.socket().send_parts(parts))
    }

    /// Sends as many octets as there is room for, and says how many.
    #[inline]
    pub(crate) fn try_send(&self, octets: &[u8]) -> io::Result<usize> {
        refill_behind(self.socket().try_send(octets))
    }

    /// Sends as many octets of all parts as there is room for, in one system call, and
    /// says how many.
    #[inline]
    pub(crate) fn try_send_parts(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        refill_behind(self.socket().try_send_parts(parts))
    }

    /// Appends what has arrived to the buffer's spare capacity. 0 is the end of
    /// the stream.
    #[inline]
    pub(crate) fn try_receive(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        refill_behind(self.socket().try_receive(buffer))
    }

    /// Whether a receive would not have to wait: something has arrived, or the
    /// stream has ended.
    pub(crate) fn has_arrived(&self) -> bool {
        // A stream that failed has nothing to wait for.
        self.socket().has_arrived().unwrap_or(true)
    }

    /// Looks at the first of what has arrived, without taking it. 0 is the end of the
    /// stream.
    #[cfg(feature = "oneway-queue")]
    pub(crate) fn peek(&self, octets: &mut [u8]) -> io::Result<usize> {
        self.socket().peek(octets)
    }

    /// Waits until there is room for octets, or the connection has failed; at most for so
    /// long.
    pub(crate) fn wait_for_room(&self, timeout: Duration) -> io::Result<()> {
        self.socket().wait_for_room(timeout)
    }

    /// Makes what happens here an event of `poller`.
    #[cfg(feature = "reactor")]
    pub(crate) fn watch(&self, poller: &Poller, token: u64) -> io::Result<()> {
        poller.add(self.socket(), token)
    }

    /// Makes an event again of what is there now.
    #[cfg(feature = "reactor")]
    pub(crate) fn watch_again(&self, poller: &Poller, token: u64) -> io::Result<()> {
        poller.renew(self.socket(), token)
    }

    /// Makes no event any more of what happens here.
    #[cfg(feature = "reactor")]
    pub(crate) fn unwatch(&self, poller: &Poller) {
        poller.remove(self.socket());
    }

    /// How many octets the peer's system has acknowledged, counted from an
    /// arbitrary start; none where that cannot be known.
    pub(crate) fn acknowledged(&self) -> Option<u64> {
        match self {
            Self::Tcp(connection) => connection.acknowledged(),
            // What is sent is at the peer at once; whether it is read, nobody tells.
            Self::Unix(_) => None,
        }
    }

    /// How many octets the peer's system has acknowledged, from the same start
    /// on, once it is certain that it will acknowledge no more; none when that
    /// cannot be known in time.
    pub(crate) fn acknowledged_in_all(&self, patience: Duration) -> Option<u64> {
        match self {
            Self::Tcp(connection) => connection.acknowledged_in_all(patience),
            Self::Unix(_) => None,
        }
    }

    /// Limits how long a receive waits from here on.
    pub(crate) fn set_receive_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.socket().set_receive_timeout(timeout)
    }

    /// Limits how long a send waits from here on.
    pub(crate) fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.socket().set_send_timeout(timeout)
    }

    /// Tells the system what holds for this connection.
    pub(crate) fn set_options(&self, options: SocketOptions) -> io::Result<()> {
        if let (Self::Tcp(connection), Some(idle)) = (self, options.keep_alive) {
            connection.set_keep_alive(idle)?;
        }
        if let Some(octets) = options.send_buffer {
            self.socket().set_send_buffer(octets)?;
        }
        if let Some(octets) = options.receive_buffer {
            self.socket().set_receive_buffer(octets)?;
        }
        Ok(())
    }

    /// Ends both directions: a thread that waits for octets gets the end of the
    /// stream, one that waits for room an error.
    pub(crate) fn stop(&self) {
        // It can only fail when the connection is gone, which is what is wanted.
        let _ = self.socket().shutdown(Shutdown::Both);
    }

    /// Ends sending: the peer gets the end of the stream.
    pub(crate) fn stop_sending(&self) {
        let _ = self.socket().shutdown(Shutdown::Write);
    }

    /// Where the other end is.
    pub(crate) fn source(&self) -> Option<Source> {
        each!(self, connection => connection.source())
    }

    /// Who is at the other end, for messages to people.
    pub(crate) fn peer(&self) -> &str {
        each!(self, connection => &connection.peer)
    }
}

impl Listener {
    /// Listens at a host and port, where so many connections may wait to be accepted;
    /// the port may be 0 for a free one.
    pub(crate) fn tcp(host: &str, port: u16, backlog: u32) -> io::Result<Self> {
        tcp::listen(host, port, backlog).map(Self::Tcp)
    }

    /// Listens at a path, or at one that nobody else has, with a file of these
    /// permissions.
    pub(crate) fn unix(path: Option<&str>, mode: u32, backlog: u32) -> io::Result<Self> {
        unix::listen(path, mode, backlog).map(Self::Unix)
    }

    /// Waits until a client has connected that is not accepted yet; at most for so long.
    /// True when there is one, or nobody listens here any more.
    pub(crate) fn wait_for_client(&self, timeout: Duration) -> io::Result<bool> {
        each!(self, acceptor => acceptor.wait_for_client(timeout))
    }

    /// Waits for a connection.
    pub(crate) fn accept(&self) -> io::Result<Stream> {
        match self {
            Self::Tcp(acceptor) => acceptor.accept().map(Stream::Tcp),
            Self::Unix(acceptor) => acceptor.accept().map(Stream::Unix),
        }
    }

    /// Where it listens, with the port or the path that it was given.
    pub(crate) fn address(&self) -> &Address {
        each!(self, acceptor => acceptor.address())
    }

    /// Whether it listens on every interface rather than at one address.
    pub(crate) fn is_wildcard(&self) -> bool {
        match self {
            Self::Tcp(acceptor) => acceptor.is_wildcard(),
            Self::Unix(_) => false,
        }
    }

    /// Stops listening; a thread that waits in [`accept`](Self::accept) returns.
    pub(crate) fn close(&self) {
        each!(self, acceptor => acceptor.close());
    }
}
