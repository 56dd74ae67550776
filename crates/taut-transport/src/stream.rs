//! Connections, as the ORB has them.

mod bounded;
#[cfg_attr(not(feature = "connection-options"), path = "stream/options_absent.rs")]
mod options;

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use taut_cdr::Landing;
use taut_sys::poll::Poller;
use taut_sys::return_stack::refill_behind;
use taut_sys::stream::StreamSocket;
use taut_sys::tcp::TcpStream;
use taut_sys::unix::UnixStream;

use crate::added::{Held, Plugged};
use crate::socket::Connection;
use crate::{Channel, ChannelOption, Interest, Readiness, Source, tcp, unix};

/// A connection: octets both ways, in order.
///
/// One thread at a time sends, and one receives; any thread may shut it down.
#[derive(Debug)]
pub struct Stream(Kind);

#[derive(Debug)]
enum Kind {
    /// Over TCP.
    Tcp(Connection<TcpStream>),
    /// Over a Unix-domain socket.
    Unix(Connection<UnixStream>),
    /// Over any other transport.
    Plugged(Held),
}

impl From<Connection<TcpStream>> for Stream {
    fn from(connection: Connection<TcpStream>) -> Self {
        Self(Kind::Tcp(connection))
    }
}

impl From<Connection<UnixStream>> for Stream {
    fn from(connection: Connection<UnixStream>) -> Self {
        Self(Kind::Unix(connection))
    }
}

impl Stream {
    /// The connection of a protocol that was added.
    pub(crate) fn plugged(plugged: Held) -> Self {
        Self(Kind::Plugged(plugged))
    }

    /// The socket, or else the channel. The socket lies at the same place whatever the
    /// transport, so that what goes by it costs one branch that is foreseen.
    #[inline(always)]
    fn socket(&self) -> Result<BorrowedFd<'_>, &Plugged> {
        match &self.0 {
            Kind::Tcp(connection) => Ok(connection.as_fd()),
            Kind::Unix(connection) => Ok(connection.as_fd()),
            Kind::Plugged(plugged) => Err(plugged),
        }
    }

    /// Sends all octets, in one system call where the system lets it.
    ///
    /// # Errors
    ///
    /// The error of the transport; [`io::ErrorKind::WouldBlock`] after the
    /// [time-out](Self::set_send_timeout).
    #[inline]
    pub fn send(&self, octets: &[u8]) -> io::Result<()> {
        match self.socket() {
            Ok(socket) => refill_behind(socket.send(octets)),
            Err(plugged) => plugged.send(octets),
        }
    }

    /// Waits for octets and appends them to the buffer's spare capacity, in one
    /// system call. 0 is the end of the stream.
    ///
    /// # Errors
    ///
    /// The error of the transport; [`io::ErrorKind::WouldBlock`] after the
    /// [time-out](Self::set_receive_timeout).
    #[inline(always)]
    pub fn receive(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        match self.socket() {
            Ok(socket) => refill_behind(socket.receive(buffer)),
            Err(plugged) => plugged.receive(buffer),
        }
    }

    /// Waits for octets, of which the first go to `head`, and those behind them to
    /// `landing`, up to `end` octets there in all. Says how many these were, by one system
    /// call. 0 is the end of the stream.
    ///
    /// # Errors
    ///
    /// Those of [`receive`](Self::receive).
    pub fn receive_parts(
        &self,
        head: &mut [u8],
        landing: &mut Landing,
        end: usize,
    ) -> io::Result<usize> {
        match self.socket() {
            Ok(socket) => fill(head, landing, end, |head, room| {
                refill_behind(socket.receive_parts(head, room))
            }),
            Err(plugged) => loop {
                let tried = fill(head, landing, end, |head, room| {
                    plugged.channel.try_receive_parts(head, room)
                });
                match tried {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        plugged.wait_to_receive()?;
                    }
                    received => return received,
                }
            },
        }
    }

    /// [`receive_parts`](Self::receive_parts), but of what has arrived.
    ///
    /// # Errors
    ///
    /// Those of [`try_receive`](Self::try_receive).
    pub fn try_receive_parts(
        &self,
        head: &mut [u8],
        landing: &mut Landing,
        end: usize,
    ) -> io::Result<usize> {
        fill(head, landing, end, |head, room| match self.socket() {
            Ok(socket) => refill_behind(socket.try_receive_parts(head, room)),
            Err(plugged) => plugged.channel.try_receive_parts(head, room),
        })
    }

    /// Sends all octets of all parts, in one system call where the system lets it.
    ///
    /// # Errors
    ///
    /// Those of [`send`](Self::send).
    #[inline]
    pub fn send_parts(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        match self.socket() {
            Ok(socket) => refill_behind(socket.send_parts(parts)),
            Err(plugged) => plugged.send_parts(parts),
        }
    }

    /// Sends as many octets as there is room for, and says how many.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::WouldBlock`] if there is no room; what else the transport says.
    #[inline]
    pub fn try_send(&self, octets: &[u8]) -> io::Result<usize> {
        match self.socket() {
            Ok(socket) => refill_behind(socket.try_send(octets)),
            Err(plugged) => plugged.channel.try_send(octets),
        }
    }

    /// Sends as many octets of all parts as there is room for, in one system call, and
    /// says how many.
    ///
    /// # Errors
    ///
    /// Those of [`try_send`](Self::try_send).
    #[inline]
    pub fn try_send_parts(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        match self.socket() {
            Ok(socket) => refill_behind(socket.try_send_parts(parts)),
            Err(plugged) => plugged.channel.try_send_parts(parts),
        }
    }

    /// Appends what has arrived to the buffer's spare capacity. 0 is the end of
    /// the stream.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::WouldBlock`] if nothing has arrived; what else the transport says.
    #[inline]
    pub fn try_receive(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        match self.socket() {
            Ok(socket) => refill_behind(socket.try_receive(buffer)),
            Err(plugged) => plugged.channel.try_receive(buffer),
        }
    }

    /// Whether a [`try_receive`](Self::try_receive) that had so much `room` has taken
    /// everything that was there. A socket that gave less than was asked for is empty; any
    /// other transport may have more.
    #[inline]
    pub fn is_drained(&self, received: usize, room: usize) -> bool {
        received < room && self.socket().is_ok()
    }

    /// Whether a receive would not have to wait: something has arrived, or the
    /// stream has ended.
    pub fn has_arrived(&self) -> bool {
        let has_arrived = match self.socket() {
            Ok(socket) => socket.has_arrived(),
            Err(plugged) => plugged.is_ready(Interest::Receive),
        };
        // A stream that failed has nothing to wait for.
        has_arrived.unwrap_or(true)
    }

    /// Looks at the first of what has arrived, without taking it. 0 is the end of the
    /// stream.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::WouldBlock`] if nothing has arrived;
    /// [`io::ErrorKind::Unsupported`] if something has, and the transport cannot show it;
    /// what else the transport says.
    pub fn peek(&self, octets: &mut [u8]) -> io::Result<usize> {
        match self.socket() {
            Ok(socket) => socket.peek(octets),
            Err(plugged) => plugged.channel.peek(octets),
        }
    }

    /// Waits until there is room for octets, or the connection has failed; at most for so
    /// long.
    ///
    /// # Errors
    ///
    /// The reason why it cannot wait.
    pub fn wait_for_room(&self, timeout: Duration) -> io::Result<()> {
        match self.socket() {
            Ok(socket) => socket.wait_for_room(timeout),
            Err(plugged) => {
                let deadline = Instant::now().checked_add(timeout);
                plugged.channel.wait(Interest::Send, deadline).map(drop)
            }
        }
    }

    /// Makes what happens here an event of `poller`.
    ///
    /// # Errors
    ///
    /// The reason why `poller` cannot watch the connection.
    pub fn watch(&self, poller: &Poller, token: u64) -> io::Result<()> {
        match self.socket() {
            Ok(socket) => poller.add(socket, token),
            Err(plugged) => plugged.watch(poller, token),
        }
    }

    /// Makes an event again of what is there now, and gives the events this token.
    ///
    /// # Errors
    ///
    /// Those of [`watch`](Self::watch).
    pub fn watch_again(&self, poller: &Poller, token: u64) -> io::Result<()> {
        match self.socket() {
            Ok(socket) => poller.renew(socket, token),
            Err(plugged) => plugged.watch_again(poller, token),
        }
    }

    /// Makes no event any more of what happens here.
    pub fn unwatch(&self, poller: &Poller) {
        match self.socket() {
            Ok(socket) => poller.remove(socket),
            Err(plugged) => plugged.unwatch(poller),
        }
    }

    /// How many octets the peer's system has acknowledged, counted from an
    /// arbitrary start; none where that cannot be known.
    pub fn acknowledged(&self) -> Option<u64> {
        match &self.0 {
            Kind::Tcp(connection) => tcp::acknowledged(connection),
            // Sent octets are at the peer at once; whether they are read cannot be known.
            Kind::Unix(_) => None,
            Kind::Plugged(plugged) => plugged.channel.acknowledged(),
        }
    }

    /// How many octets the peer's system has acknowledged, from the same start
    /// on, once it is certain that it will acknowledge no more; none when that
    /// cannot be known in time.
    pub fn acknowledged_in_all(&self, patience: Duration) -> Option<u64> {
        match &self.0 {
            Kind::Tcp(connection) => tcp::acknowledged_in_all(connection, patience),
            Kind::Unix(_) => None,
            Kind::Plugged(plugged) => plugged.channel.acknowledged_in_all(patience),
        }
    }

    /// Limits how long a receive waits from here on; none: for ever.
    ///
    /// # Errors
    ///
    /// An error of the operating system.
    pub fn set_receive_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        match self.socket() {
            Ok(socket) => socket.set_receive_timeout(timeout),
            Err(plugged) => {
                plugged.set_receive_timeout(timeout);
                Ok(())
            }
        }
    }

    /// Limits how long a send waits for room from here on; none: for ever.
    ///
    /// # Errors
    ///
    /// An error of the operating system.
    pub fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        match self.socket() {
            Ok(socket) => socket.set_send_timeout(timeout),
            Err(plugged) => {
                plugged.set_send_timeout(timeout);
                Ok(())
            }
        }
    }

    /// Sets a property of this connection.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::Unsupported`] if the transport has no such property; what else
    /// keeps it from being set.
    pub fn set_option(&self, option: ChannelOption) -> io::Result<()> {
        match (&self.0, option) {
            (Kind::Tcp(connection), ChannelOption::KeepAlive(idle)) => {
                connection.socket.set_keep_alive(idle)
            }
            // The end of a process of this machine is known at once.
            (Kind::Unix(_), ChannelOption::KeepAlive(_)) => Ok(()),
            (Kind::Plugged(plugged), option) => plugged.channel.set_option(option),
            (
                Kind::Tcp(connection),
                option @ (ChannelOption::SendBuffer(_) | ChannelOption::ReceiveBuffer(_)),
            ) => set_buffer(connection, option),
            (
                Kind::Unix(connection),
                option @ (ChannelOption::SendBuffer(_) | ChannelOption::ReceiveBuffer(_)),
            ) => set_buffer(connection, option),
            (Kind::Tcp(connection), option) => options::set_of_tcp(&connection.socket, option),
            (Kind::Unix(connection), option) => options::set_of_unix(&connection.socket, option),
        }
    }

    /// Ends both directions: a thread that waits for octets gets the end of the
    /// stream, one that waits for room an error.
    pub fn stop(&self) {
        self.shutdown(Shutdown::Both);
    }

    /// Ends sending: the peer gets the end of the stream.
    pub fn stop_sending(&self) {
        self.shutdown(Shutdown::Write);
    }

    /// Ends one direction, or both.
    pub fn shutdown(&self, direction: Shutdown) {
        match self.socket() {
            // It can only fail when the connection is gone, which is what is wanted.
            Ok(socket) => drop(socket.shutdown(direction)),
            Err(plugged) => plugged.channel.shutdown(direction),
        }
    }

    /// Where the other end is.
    pub fn source(&self) -> Option<Source> {
        match &self.0 {
            Kind::Tcp(connection) => tcp::source(connection),
            Kind::Unix(connection) => unix::source(connection),
            Kind::Plugged(plugged) => plugged.channel.source(),
        }
    }

    /// Names the peer, for messages to people.
    pub fn peer(&self) -> &str {
        match &self.0 {
            Kind::Tcp(connection) => &connection.peer,
            Kind::Unix(connection) => &connection.peer,
            Kind::Plugged(plugged) => plugged.channel.peer(),
        }
    }
}

/// A stream is a channel, so that a transport can be built on one: for TLS, for instance, or
/// to count what goes over it.
impl Channel for Stream {
    fn try_send(&self, octets: &[u8]) -> io::Result<usize> {
        Self::try_send(self, octets)
    }

    fn try_send_parts(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        Self::try_send_parts(self, parts)
    }

    fn try_receive(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        Self::try_receive(self, buffer)
    }

    fn try_receive_parts<'r>(
        &self,
        head: &mut [u8],
        rest: &'r mut [MaybeUninit<u8>],
    ) -> io::Result<(usize, &'r mut [u8])> {
        match self.socket() {
            Ok(socket) => refill_behind(socket.try_receive_parts(head, rest)),
            Err(plugged) => plugged.channel.try_receive_parts(head, rest),
        }
    }

    fn peek(&self, octets: &mut [u8]) -> io::Result<usize> {
        Self::peek(self, octets)
    }

    fn wait(&self, interest: Interest, deadline: Option<Instant>) -> io::Result<bool> {
        let socket = match self.socket() {
            Ok(socket) => socket,
            Err(plugged) => return plugged.channel.wait(interest, deadline),
        };
        loop {
            let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
            match socket.wait_until_ready(interest == Interest::Send, left) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                waited => return waited,
            }
        }
    }

    fn readiness(&self) -> Readiness<'_> {
        match self.socket() {
            Ok(socket) => Readiness::Descriptor(socket),
            Err(plugged) => plugged.channel.readiness(),
        }
    }

    fn shutdown(&self, direction: Shutdown) {
        Self::shutdown(self, direction);
    }

    fn peer(&self) -> &str {
        Self::peer(self)
    }

    fn source(&self) -> Option<Source> {
        Self::source(self)
    }

    fn acknowledged(&self) -> Option<u64> {
        Self::acknowledged(self)
    }

    fn acknowledged_in_all(&self, patience: Duration) -> Option<u64> {
        Self::acknowledged_in_all(self, patience)
    }

    fn set_option(&self, option: ChannelOption) -> io::Result<()> {
        Self::set_option(self, option)
    }
}

/// Has `receive` fill the head and then the landing, and says how many octets came.
#[inline]
fn fill(
    head: &mut [u8],
    landing: &mut Landing,
    end: usize,
    receive: impl for<'r> FnOnce(
        &mut [u8],
        &'r mut [MaybeUninit<u8>],
    ) -> io::Result<(usize, &'r mut [u8])>,
) -> io::Result<usize> {
    let mut in_head = 0;
    let landed = landing.fill(end, |room| {
        let (count, filled) = receive(head, room)?;
        in_head = count;
        Ok::<_, io::Error>(filled)
    })?;
    Ok(in_head + landed)
}

/// Sets the size of one of a socket's buffers.
fn set_buffer(socket: &impl AsFd, option: ChannelOption) -> io::Result<()> {
    let socket = socket.as_fd();
    match option {
        ChannelOption::SendBuffer(octets) => socket.set_send_buffer(octets),
        ChannelOption::ReceiveBuffer(octets) => socket.set_receive_buffer(octets),
        _ => Err(io::ErrorKind::Unsupported.into()),
    }
}
