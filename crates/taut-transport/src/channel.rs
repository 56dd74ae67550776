//! Connections of a transport that is not built on stream sockets.

use std::fmt;
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use taut_sys::poll::DoorbellSlot;

use crate::{CongestionControl, Dscp, Source};

/// A connection: octets both ways, in order, none lost and none twice.
///
/// One thread at a time sends, and one receives, perhaps at the same time as the other;
/// any thread may [shut it down](Self::shutdown). Dropping it closes it: the peer gets the
/// end of the stream.
///
/// The methods that a transport has to write never wait, but for [`wait`](Self::wait):
/// blocking, deadlines and sending all of several parts are made of these.
pub trait Channel: Send + Sync {
    /// Sends as many octets as there is room for, and returns how many: at least one,
    /// unless `octets` is empty. Octets that were not taken are what the next attempt
    /// begins with, unless the connection is given up.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::WouldBlock`] if there is no room; [`io::ErrorKind::BrokenPipe`] or
    /// [`io::ErrorKind::ConnectionReset`] once the connection is over, or this side has
    /// ended sending.
    fn try_send(&self, octets: &[u8]) -> io::Result<usize>;

    /// [`try_send`](Self::try_send) of several parts, in order. Without this method, they
    /// are sent one by one.
    ///
    /// # Errors
    ///
    /// Those of `try_send`.
    fn try_send_parts(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let mut sent = 0;
        for part in parts.iter().filter(|part| !part.is_empty()) {
            match self.try_send(part) {
                Ok(count) if count == part.len() => sent += count,
                Ok(count) => return Ok(sent + count),
                // The next call meets the error again.
                Err(_) if sent > 0 => return Ok(sent),
                Err(error) => return Err(error),
            }
        }
        Ok(sent)
    }

    /// Appends what has arrived to `buffer`, as far as its spare capacity goes, and returns
    /// the number of octets: 0 at the end of the stream, or if there is no spare capacity.
    /// The buffer does not grow.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::WouldBlock`] if nothing has arrived;
    /// [`io::ErrorKind::ConnectionReset`] if the connection was lost, with octets perhaps.
    fn try_receive(&self, buffer: &mut Vec<u8>) -> io::Result<usize>;

    /// [`try_receive`](Self::try_receive) into two places: as many octets as `head` has,
    /// and those behind them into `rest`. Returns how many octets of `head` are filled, and
    /// the filled part of `rest`. Without this method, the octets are copied once more.
    ///
    /// # Errors
    ///
    /// Those of `try_receive`.
    fn try_receive_parts<'r>(
        &self,
        head: &mut [u8],
        rest: &'r mut [MaybeUninit<u8>],
    ) -> io::Result<(usize, &'r mut [u8])> {
        let mut copy = Vec::with_capacity(head.len().saturating_add(rest.len()).min(COPIED_OCTETS));
        self.try_receive(&mut copy)?;
        let in_head = copy.len().min(head.len());
        let (first, behind) = copy.split_at(in_head);
        head[..in_head].copy_from_slice(first);
        // A vector may have more capacity than it was asked for.
        let rest = rest.get_mut(..behind.len());
        let rest =
            rest.ok_or_else(|| io::Error::other("more has arrived than there was room for"))?;
        Ok((in_head, rest.write_copy_of_slice(behind)))
    }

    /// Copies the first octets that have arrived, which stay where they are, and returns
    /// their number: 0 at the end of the stream. Without this method, the ORB gives up a
    /// connection between two calls on which anything arrives.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::WouldBlock`] if nothing has arrived;
    /// [`io::ErrorKind::Unsupported`] if this method is not implemented.
    fn peek(&self, octets: &mut [u8]) -> io::Result<usize> {
        let _ = octets;
        match self.wait(Interest::Receive, Some(Instant::now()))? {
            true => Err(io::ErrorKind::Unsupported.into()),
            false => Err(io::ErrorKind::WouldBlock.into()),
        }
    }

    /// Waits until an attempt to do this would not fail with
    /// [`io::ErrorKind::WouldBlock`]; at most until the deadline, if there is one. Returns
    /// whether this is so: false if the deadline has passed. With a deadline that has
    /// passed it asks, and does not wait.
    ///
    /// # Errors
    ///
    /// The reason why the transport cannot wait. The end of the connection is no error
    /// here: the next attempt meets it at once.
    fn wait(&self, interest: Interest, deadline: Option<Instant>) -> io::Result<bool>;

    /// How a thread that serves many connections learns that something has happened.
    fn readiness(&self) -> Readiness<'_>;

    /// Ends one direction, or both. The peer gets the end of the stream behind what has
    /// been sent. A thread of this side that waits to receive gets the end of the stream,
    /// and one that waits for room an error, where the direction is theirs.
    fn shutdown(&self, direction: Shutdown);

    /// The peer, for messages to people: `host:port`, `process 4711 of user 1000`.
    fn peer(&self) -> &str;

    /// The origin by which limits for each peer are counted, if the transport knows it.
    fn source(&self) -> Option<Source> {
        None
    }

    /// How many octets have certainly reached the peer's side, counted from an arbitrary
    /// start; none where that cannot be known.
    fn acknowledged(&self) -> Option<u64> {
        None
    }

    /// [`acknowledged`](Self::acknowledged), once it is certain that the number will not
    /// grow any more; none if that is not certain within `patience`.
    fn acknowledged_in_all(&self, patience: Duration) -> Option<u64> {
        let _ = patience;
        None
    }

    /// Sets a property of this connection.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::Unsupported`] if the transport has no such property; what else
    /// keeps it from being set.
    fn set_option(&self, option: ChannelOption) -> io::Result<()> {
        let _ = option;
        Err(io::ErrorKind::Unsupported.into())
    }
}

impl fmt::Debug for dyn Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Channel({})", self.peer())
    }
}

/// The octets that are copied at most at once where a channel cannot receive into two
/// places.
const COPIED_OCTETS: usize = 64 * 1024;

/// The operation that a thread waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Interest {
    /// Octets, or the end of the stream.
    Receive,
    /// Room to send.
    Send,
}

/// How to learn that something has happened on a channel: that octets or the end of the
/// stream have arrived, or that there is room again.
#[derive(Debug)]
pub enum Readiness<'c> {
    /// The system tells of it by a descriptor that can be waited for with `epoll`. The
    /// channel may hold octets of which the descriptor does not tell: the ORB asks
    /// [`Channel::wait`], too.
    Descriptor(BorrowedFd<'c>),
    /// The channel [rings](DoorbellSlot::ring) whenever one of these happens, after it has
    /// happened.
    Doorbell(&'c DoorbellSlot),
}

/// A property of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChannelOption {
    /// Ask the peer's machine whether it is still there, after nothing has come for this
    /// long.
    KeepAlive(Duration),
    /// So many octets of room for what is sent and has not been taken yet.
    SendBuffer(usize),
    /// So many octets of room for what has arrived and has not been received yet.
    ReceiveBuffer(usize),
    /// Do not ask the peer's machine whether it is still there.
    NoKeepAlive,
    /// Send each piece at once, or keep it until there is more.
    NoDelay(bool),
    /// Send to hosts of the same network alone.
    DontRoute(bool),
    /// Mark packets, for networks to tell them apart.
    Dscp(Dscp),
    /// Send by this queue of the network device.
    QueuePriority(u32),
    /// Send no more octets than this in a second.
    MaxPacingRate(u64),
    /// Poll the network device for so long before a wait to receive sleeps.
    BusyPoll(Duration),
    /// Deal with what arrives on this CPU.
    IncomingCpu(u32),
    /// Adapt to the network by this algorithm.
    CongestionControl(CongestionControl),
    /// Take no more while so many octets have not left.
    NotSentLowWater(u32),
    /// Send messages of so many octets and more from where they lie.
    ZeroCopyFrom(u32),
}
