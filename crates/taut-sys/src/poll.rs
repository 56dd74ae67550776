//! Waiting for many sockets at once: `epoll`. A transport without a descriptor has a
//! doorbell.

mod doorbell;

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::io::Errno;

use doorbell::Bells;

pub use doorbell::{Doorbell, DoorbellSlot};

/// The token of the descriptor that ends all waiting.
const WAKE: u64 = u64::MAX;
/// The token of the descriptor that tells of doorbells. Smaller ones are for sockets.
const BELLS: u64 = WAKE - 1;

/// A set of sockets, any of which may be waited for by any number of threads;
/// each event goes to one of them.
///
/// An event says that something *has happened* to a socket (something arrived,
/// there is room again, the peer closed), not that something is there: the thread
/// that gets it takes all there is, or [renews](Self::renew) the socket.
#[derive(Debug)]
pub struct Poller {
    epoll: OwnedFd,
    wake: OwnedFd,
    /// Made with the first doorbell.
    bells: OnceLock<Arc<Bells>>,
}

impl Poller {
    /// An empty set.
    ///
    /// # Errors
    ///
    /// An error of the operating system.
    pub fn new() -> io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        // Not edge-triggered: once woken, all wake, and for ever.
        epoll::add(&epoll, &wake, EventData::new_u64(WAKE), EventFlags::IN)?;
        let bells = OnceLock::new();
        Ok(Self { epoll, wake, bells })
    }

    /// Adds a socket. `token` names it in its events; all but the two largest
    /// numbers may be used. It leaves the set when it is closed.
    ///
    /// # Errors
    ///
    /// An error of the operating system.
    pub fn add(&self, socket: impl AsFd, token: u64) -> io::Result<()> {
        debug_assert!(token < BELLS);
        Ok(epoll::add(
            &self.epoll,
            socket,
            EventData::new_u64(token),
            EVERYTHING,
        )?)
    }

    /// Makes an event again of what is there now. It comes after the events of
    /// other sockets that are due.
    ///
    /// # Errors
    ///
    /// An error of the operating system.
    pub fn renew(&self, socket: impl AsFd, token: u64) -> io::Result<()> {
        Ok(epoll::modify(
            &self.epoll,
            socket,
            EventData::new_u64(token),
            EVERYTHING,
        )?)
    }

    /// A doorbell whose events have this token, for what has no descriptor. Any number of
    /// doorbells may have the same one.
    ///
    /// # Errors
    ///
    /// The operating system's, when the first doorbell is made.
    pub fn doorbell(&self, token: u64) -> io::Result<Doorbell> {
        debug_assert!(token < BELLS);
        let bells = match self.bells.get() {
            Some(bells) => bells,
            None => self.add_bells()?,
        };
        Ok(Doorbell::new(bells, token))
    }

    /// Makes the descriptor of all doorbells.
    fn add_bells(&self) -> io::Result<&Arc<Bells>> {
        let made = Bells::new()?;
        let mut is_new = false;
        let bells = self.bells.get_or_init(|| {
            is_new = true;
            Arc::new(made)
        });
        if is_new {
            let name = EventData::new_u64(BELLS);
            // Not edge-triggered: it is readable as long as there is a bell to answer.
            epoll::add(&self.epoll, bells.descriptor(), name, EventFlags::IN)?;
        }
        Ok(bells)
    }

    /// Takes a socket out of the set, if it is there.
    pub fn remove(&self, socket: impl AsFd) {
        let _ = epoll::delete(&self.epoll, socket);
    }

    /// Waits for an event; none, at once and for ever, after [`wake_all`](Self::wake_all).
    ///
    /// # Errors
    ///
    /// An error of the operating system.
    #[inline]
    pub fn wait(&self) -> io::Result<Option<Event>> {
        loop {
            match self.next(None)? {
                Some(event) if event.token < BELLS => return Ok(Some(event)),
                Some(event) if event.token == WAKE => return Ok(None),
                Some(_) => {
                    if let Some(event) = self.rung() {
                        return Ok(Some(event));
                    }
                }
                None => {}
            }
        }
    }

    /// [`wait`](Self::wait), but for an event that is there.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::WouldBlock`] when there is none; what else the operating system
    /// answers.
    #[inline]
    pub fn try_wait(&self) -> io::Result<Option<Event>> {
        match self.next(Some(&Timespec::default()))? {
            Some(event) if event.token < BELLS => Ok(Some(event)),
            Some(event) if event.token == WAKE => Ok(None),
            Some(_) => match self.rung() {
                Some(event) => Ok(Some(event)),
                None => Err(io::ErrorKind::WouldBlock.into()),
            },
            None => Err(io::ErrorKind::WouldBlock.into()),
        }
    }

    /// [`wait`](Self::wait), but for no longer than this. A signal may end the waiting
    /// earlier.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::TimedOut`] when there has been no event; what else the operating
    /// system answers.
    pub fn wait_for(&self, time: Duration) -> io::Result<Option<Event>> {
        // More than the system can count is as good as for ever.
        let time = Timespec::try_from(time).unwrap_or(Timespec {
            tv_sec: i64::from(i32::MAX),
            tv_nsec: 0,
        });
        match self.next(Some(&time))? {
            Some(event) if event.token < BELLS => Ok(Some(event)),
            Some(event) if event.token == WAKE => Ok(None),
            Some(_) => match self.rung() {
                Some(event) => Ok(Some(event)),
                None => Err(io::ErrorKind::TimedOut.into()),
            },
            None => Err(io::ErrorKind::TimedOut.into()),
        }
    }

    /// The event of a doorbell, unless another thread has taken it.
    #[cold]
    fn rung(&self) -> Option<Event> {
        let token = self.bells.get()?.answer()?;
        Some(Event {
            token,
            is_last: false,
        })
    }

    /// Whether an event is there that nobody has got yet; it stays there. False when the
    /// system does not tell.
    pub fn has_event(&self) -> bool {
        let set = PollFd::from_borrowed_fd(self.epoll.as_fd(), PollFlags::IN);
        poll(&mut [set], Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
    }

    /// The next event within so much time.
    #[inline]
    fn next(&self, time: Option<&Timespec>) -> io::Result<Option<Event>> {
        let mut events = [const { MaybeUninit::<epoll::Event>::uninit() }; 1];
        match epoll::wait(&self.epoll, events.as_mut_slice(), time) {
            Ok(([event, ..], _)) => {
                let flags = event.flags;
                Ok(Some(Event {
                    token: event.data.u64(),
                    is_last: flags.intersects(ENDED),
                }))
            }
            Ok(_) | Err(Errno::INTR) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Ends the waiting of all threads, for ever.
    pub fn wake_all(&self) {
        // It cannot fail: its counter is far from full.
        let _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
    }
}

/// The readiness of a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// The socket's name.
    pub token: u64,
    /// Whether the peer has ended the stream. There may be octets before the end,
    /// but there is no further event for the end alone.
    pub is_last: bool,
}

/// The peer sends nothing any more, or the connection is gone.
const ENDED: EventFlags = EventFlags::RDHUP
    .union(EventFlags::HUP)
    .union(EventFlags::ERR);

/// Edge-triggered, both directions.
const EVERYTHING: EventFlags = EventFlags::IN
    .union(EventFlags::OUT)
    .union(EventFlags::RDHUP)
    .union(EventFlags::ET);

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;
    use crate::stream::StreamSocket;
    use crate::tcp::{TcpListener, TcpStream};

    fn token(poller: &Poller) -> u64 {
        poller.wait().unwrap().unwrap().token
    }

    #[test]
    fn the_end_of_a_stream_is_told_even_behind_octets() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
        let client = TcpStream::connect(listener.local_address().unwrap(), None).unwrap();
        let (server, _) = listener.accept().unwrap();
        let poller = Poller::new().unwrap();
        poller.add(&server, 7).unwrap();
        let event = |is_last| Some(Event { token: 7, is_last });
        assert_eq!(poller.wait().unwrap(), event(false));
        client.send(b"hello").unwrap();
        client.shutdown(std::net::Shutdown::Write).unwrap();
        assert_eq!(poller.wait().unwrap(), event(true));
    }

    #[test]
    fn what_happens_to_a_socket_is_told_once_unless_it_is_renewed() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
        let client = TcpStream::connect(listener.local_address().unwrap(), None).unwrap();
        let (server, _) = listener.accept().unwrap();
        let poller = Poller::new().unwrap();
        poller.add(&server, 7).unwrap();
        // There is room to send.
        assert_eq!(token(&poller), 7);
        let none = poller.try_wait().unwrap_err();
        assert_eq!(none.kind(), io::ErrorKind::WouldBlock);

        assert!(!poller.has_event());
        client.send(b"hello").unwrap();
        while !poller.has_event() {
            std::thread::yield_now();
        }
        assert!(poller.has_event());
        assert_eq!(token(&poller), 7);
        // The octets are still there, and so there is an event after this.
        poller.renew(&server, 8).unwrap();
        assert_eq!(token(&poller), 8);

        // A socket that has been removed has no events, and can be added again.
        poller.remove(&server);
        poller.remove(&server);
        assert!(poller.renew(&server, 8).is_err());
        poller.add(&server, 9).unwrap();
        assert_eq!(token(&poller), 9);

        // Nothing happens within this time, or what a signal leaves of it.
        let none = poller.wait_for(Duration::from_millis(1)).unwrap_err();
        assert_eq!(none.kind(), io::ErrorKind::TimedOut);
        client.send(b"more").unwrap();
        let event = poller.wait_for(Duration::MAX).unwrap();
        assert_eq!(event.map(|event| event.token), Some(9));

        poller.wake_all();
        assert_eq!(poller.wait_for(Duration::MAX).unwrap(), None);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| assert_eq!(poller.wait().unwrap(), None));
            }
        });
        assert_eq!(poller.wait().unwrap(), None);
        assert_eq!(poller.try_wait().unwrap(), None);
    }
}
