//! Stream sockets over TCP.

use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use rustix::io::Errno;
use rustix::net::sockopt;

use crate::socket_options::{self, NumberOption};
use crate::stream::{self, StreamSocket};
use crate::{descriptors, info, zero_copy};

/// A connected TCP socket with `TCP_NODELAY` set.
#[derive(Debug)]
pub struct TcpStream {
    socket: std::net::TcpStream,
    /// From how many octets on messages are sent from where they lie; 0: never.
    zero_copy_from: AtomicU32,
}

impl TcpStream {
    /// Connects.
    ///
    /// # Errors
    ///
    /// An error of the operating system; [`io::ErrorKind::TimedOut`] when the peer says
    /// nothing for `timeout`.
    pub fn connect(address: SocketAddr, timeout: Option<Duration>) -> io::Result<Self> {
        let socket = match timeout {
            Some(timeout) => std::net::TcpStream::connect_timeout(&address, timeout)?,
            None => std::net::TcpStream::connect(address)?,
        };
        Self::from_socket(socket)
    }

    fn from_socket(socket: std::net::TcpStream) -> io::Result<Self> {
        socket.set_nodelay(true)?;
        Ok(Self {
            socket,
            zero_copy_from: AtomicU32::new(0),
        })
    }

    /// How many octets the peer's system has acknowledged so far, counted from
    /// an arbitrary start.
    ///
    /// # Errors
    ///
    /// An error of the operating system; [`io::ErrorKind::Unsupported`] where it does not
    /// count them.
    pub fn acknowledged(&self) -> io::Result<u64> {
        Ok(info::delivery(&self.socket)?.acknowledged)
    }

    /// How many octets the peer's system has acknowledged in all, from the same
    /// start on, once it is certain that it will acknowledge no more: because
    /// everything has been, or because the connection is over. None when that is
    /// not certain within `patience`: a peer that has only ended its own sending
    /// may still receive.
    ///
    /// # Errors
    ///
    /// As [`acknowledged`](Self::acknowledged).
    pub fn acknowledged_in_all(&self, patience: Duration) -> io::Result<Option<u64>> {
        const PAUSE: Duration = Duration::from_micros(500);
        let start = Instant::now();
        loop {
            let delivery = info::delivery(&self.socket)?;
            if delivery.is_final {
                return Ok(Some(delivery.acknowledged));
            }
            if start.elapsed() >= patience {
                return Ok(None);
            }
            thread::sleep(PAUSE);
        }
    }

    /// Lets the system ask the peer's whether it is still there, when nothing has
    /// come for `idle`. A peer that does not answer is taken for dead after twice
    /// that time; then sends and receives fail with [`io::ErrorKind::TimedOut`].
    ///
    /// A time that the system cannot set is replaced by the nearest that it can: whole
    /// seconds, at least 1, and at most 32,767, which is some nine hours.
    ///
    /// # Errors
    ///
    /// An error of the operating system.
    pub fn set_keep_alive(&self, idle: Duration) -> io::Result<()> {
        const PROBES: u32 = 4;
        // Linux refuses what is less and what is more (`MAX_TCP_KEEPIDLE`).
        const LEAST: Duration = Duration::from_secs(1);
        const MOST: Duration = Duration::from_secs(32_767);
        let idle = idle.clamp(LEAST, MOST);
        let interval = (idle / PROBES).max(LEAST);
        sockopt::set_tcp_keepidle(&self.socket, idle)?;
        sockopt::set_tcp_keepintvl(&self.socket, interval)?;
        sockopt::set_tcp_keepcnt(&self.socket, PROBES)?;
        Ok(sockopt::set_socket_keepalive(&self.socket, true)?)
    }

    /// Lets [`send_parts_in_place`](Self::send_parts_in_place) send messages of so many octets
    /// and more from where they lie (`SO_ZEROCOPY`); 0: none.
    ///
    /// # Errors
    ///
    /// An error of the operating system, if it does not have that.
    pub fn set_zero_copy_from(&self, octets: u32) -> io::Result<()> {
        let is_wanted = u32::from(octets > 0);
        socket_options::set(&self.socket, NumberOption::ZeroCopy, is_wanted)?;
        self.zero_copy_from.store(octets, Ordering::Relaxed);
        Ok(())
    }

    /// Whether a message of so many octets is sent from where it lies.
    pub fn is_sent_in_place(&self, octets: usize) -> bool {
        match self.zero_copy_from.load(Ordering::Relaxed) {
            0 => false,
            from => octets >= from as usize,
        }
    }

    /// Sends all octets of all parts from where they lie, without a copy in the system where
    /// it can do so (`MSG_ZEROCOPY`), and returns when it has let go of them: when the peer's
    /// system has them, or the connection is over.
    ///
    /// # Errors
    ///
    /// An error of the operating system.
    pub fn send_parts_in_place(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        zero_copy::send_parts(self.as_fd(), parts)
    }

    /// The peer's address.
    ///
    /// # Errors
    ///
    /// An error of the operating system.
    pub fn peer_address(&self) -> io::Result<SocketAddr> {
        self.socket.peer_addr()
    }
}

impl StreamSocket for TcpStream {}

impl AsFd for TcpStream {
    #[inline]
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// A listening TCP socket.
#[derive(Debug)]
pub struct TcpListener {
    socket: std::net::TcpListener,
    /// The event that ends the waiting in a socket that others have as well: theirs goes on listening.
    end: Option<OwnedFd>,
}

impl TcpListener {
    /// Listens at an address; port 0 asks for a free port.
    ///
    /// # Errors
    ///
    /// An error of the operating system.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        let socket = std::net::TcpListener::bind(address)?;
        Ok(Self { socket, end: None })
    }

    /// Listens at a socket that another process has opened and left to this one under a
    /// descriptor. The socket itself, which others may have as well, goes on listening when this
    /// listener is closed. It is non-blocking from then on, for others that have it too: their
    /// `accept` may end with `EAGAIN`.
    ///
    /// # Errors
    ///
    /// `EBADF` if there is no such descriptor; [`io::ErrorKind::InvalidInput`] if it is no TCP
    /// socket that listens.
    pub fn inherit(descriptor: RawFd) -> io::Result<Self> {
        let own = descriptors::duplicate(descriptor)?;
        let refuse = |_| {
            let text = format!("descriptor {descriptor} is no TCP socket that listens");
            io::Error::new(io::ErrorKind::InvalidInput, text)
        };
        match sockopt::socket_acceptconn(&own) {
            Ok(true) => {}
            Ok(false) => return Err(refuse(Errno::INVAL)),
            Err(error) => return Err(refuse(error)),
        }
        let socket = std::net::TcpListener::from(own);
        socket.local_addr().map_err(|_| refuse(Errno::INVAL))?;
        // Another process that accepts here may be faster.
        socket.set_nonblocking(true)?;
        let end = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self {
            socket,
            end: Some(end),
        })
    }

    /// Lets so many connections wait until they are accepted, as far as the
    /// system goes along (`net.core.somaxconn`). A connection beyond that is not refused
    /// but dropped, and its client tries again after a second.
    ///
    /// # Errors
    ///
    /// An error of the operating system.
    pub fn set_backlog(&self, backlog: u32) -> io::Result<()> {
        stream::set_backlog(&self.socket, backlog)
    }

    /// Waits until [`accept`](Self::accept) would not have to wait; at most for so long.
    /// True when it would not. Unlike it, this needs no file descriptor.
    ///
    /// # Errors
    ///
    /// The operating system's error.
    pub fn wait_for_client(&self, timeout: Duration) -> io::Result<bool> {
        stream::wait_for_client(&self.socket, self.end.as_ref(), timeout)
    }

    /// Waits for a connection.
    ///
    /// # Errors
    ///
    /// An error of the operating system; `EINVAL` after [`close`](Self::close).
    pub fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        let (socket, peer) = match &self.end {
            None => self.socket.accept()?,
            Some(end) => self.accept_of_many(end)?,
        };
        Ok((TcpStream::from_socket(socket)?, peer))
    }

    /// Waits for a connection or for `end`.
    fn accept_of_many(&self, end: &OwnedFd) -> io::Result<(std::net::TcpStream, SocketAddr)> {
        loop {
            let of_socket = PollFd::new(&self.socket, PollFlags::IN);
            let of_end = PollFd::new(end, PollFlags::IN);
            let mut both = [of_socket, of_end];
            match poll(&mut both, None) {
                Ok(_) if !both[1].revents().is_empty() => return Err(Errno::INVAL.into()),
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            match self.socket.accept() {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                other => return other,
            }
        }
    }

    /// The address at which it listens, with the port it was given.
    ///
    /// # Errors
    ///
    /// An error of the operating system.
    pub fn local_address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Stops listening; a waiting [`accept`](Self::accept) fails.
    ///
    /// # Errors
    ///
    /// An error of the operating system.
    pub fn close(&self) -> io::Result<()> {
        match &self.end {
            None => stream::end_listening(&self.socket),
            Some(end) => {
                rustix::io::write(end, &1_u64.to_ne_bytes())?;
                Ok(())
            }
        }
    }
}

/// Both ends of a connection: the client's, and the server's.
#[cfg(test)]
pub(crate) fn pair() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let client = TcpStream::connect(
        listener.local_address().unwrap(),
        Some(Duration::from_secs(5)),
    )
    .unwrap();
    let (server, peer) = listener.accept().unwrap();
    assert_eq!(server.peer_address().unwrap(), peer);
    (client, server)
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Shutdown};

    use super::*;

    #[test]
    fn a_socket_that_was_inherited_serves_and_outlives_its_listener() {
        use std::os::fd::AsRawFd;

        let theirs = TcpListener::bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
        let address = theirs.local_address().unwrap();
        let ours = TcpListener::inherit(theirs.socket.as_raw_fd()).unwrap();
        assert_eq!(ours.local_address().unwrap(), address);
        let connect = || TcpStream::connect(address, Some(Duration::from_secs(5))).unwrap();
        let _client = connect();
        assert!(ours.wait_for_client(Duration::from_secs(5)).unwrap());
        ours.accept().unwrap();
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| ours.accept().map(drop).unwrap_err());
            ours.close().unwrap();
            let error = waits.join().unwrap();
            assert_eq!(error.raw_os_error(), Some(22), "{error}");
        });
        assert!(ours.accept().is_err());
        // The process that has opened it goes on.
        let _client = connect();
        theirs.accept().unwrap();
    }

    #[test]
    fn what_is_no_socket_that_listens_is_not_inherited() {
        use std::os::fd::AsRawFd;
        use std::os::linux::net::SocketAddrExt;

        let (client, _server) = pair();
        let file = std::fs::File::open("/dev/null").unwrap();
        for other in [client.socket.as_raw_fd(), file.as_raw_fd()] {
            let error = TcpListener::inherit(other).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
            let expected = format!("descriptor {other} is no TCP socket that listens");
            assert_eq!(error.to_string(), expected);
        }
        let name = format!("taut-sys-inherit-{}", std::process::id());
        let address = std::os::unix::net::SocketAddr::from_abstract_name(name).unwrap();
        let unix = std::os::unix::net::UnixListener::bind_addr(&address);
        assert!(TcpListener::inherit(unix.unwrap().as_raw_fd()).is_err());
        for none in [-1, 1_000_000] {
            let error = TcpListener::inherit(none).unwrap_err();
            assert_eq!(error.raw_os_error(), Some(9), "{error}");
        }
    }

    #[test]
    fn what_the_peer_has_received_is_acknowledged_and_what_it_refuses_is_not() {
        let (client, server) = pair();
        let start = client.acknowledged().unwrap();
        client.send(b"hello").unwrap();
        let mut buffer = Vec::with_capacity(10);
        server.receive(&mut buffer).unwrap();
        server.send(b"answer").unwrap();
        client.receive(&mut buffer).unwrap();
        assert_eq!(client.acknowledged().unwrap() - start, 5);

        drop(server);
        std::thread::sleep(Duration::from_millis(20));
        client.send(b"nobody reads this").unwrap();
        let ended = client.receive(&mut buffer);
        assert!(matches!(ended, Ok(0) | Err(_)), "{ended:?}");
        assert_eq!(client.acknowledged().unwrap() - start, 5);
    }

    #[test]
    fn what_was_sent_to_a_peer_that_only_ended_its_sending_arrives() {
        let (client, server) = pair();
        let start = client.acknowledged().unwrap();
        server.shutdown(Shutdown::Write).unwrap();
        let mut buffer = Vec::with_capacity(10);
        assert_eq!(client.receive(&mut buffer).unwrap(), 0);
        client.send(b"hello").unwrap();
        let patience = Duration::from_secs(10);
        let in_all = client.acknowledged_in_all(patience).unwrap();
        assert_eq!(in_all.unwrap() - start, 5);

        assert_eq!(server.receive(&mut buffer).unwrap(), 5);
        drop(server);
        client.send(b"nobody reads this").unwrap();
        let in_all = client.acknowledged_in_all(patience).unwrap();
        assert_eq!(in_all.unwrap() - start, 5);
    }

    #[test]
    fn as_many_connections_wait_as_the_backlog_says() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
        listener.set_backlog(200).unwrap();
        let address = listener.local_address().unwrap();
        let connect = |_| TcpStream::connect(address, Some(Duration::from_millis(500)));
        let waiting: io::Result<Vec<_>> = (0..200).map(connect).collect();
        waiting.unwrap();
        listener.set_backlog(0).unwrap();
        assert!(connect(0).is_err());
    }

    #[test]
    fn keep_alive_is_what_the_system_says_it_is() {
        let (client, _server) = pair();
        assert!(!sockopt::socket_keepalive(&client).unwrap());
        client.set_keep_alive(Duration::from_secs(60)).unwrap();
        assert!(sockopt::socket_keepalive(&client).unwrap());
        let idle = sockopt::tcp_keepidle(&client).unwrap();
        assert_eq!(idle, Duration::from_secs(60));
        let interval = sockopt::tcp_keepintvl(&client).unwrap();
        assert_eq!(interval, Duration::from_secs(15));
    }

    #[test]
    fn keep_alive_beyond_what_the_system_knows_is_brought_within() {
        let (client, _server) = pair();
        for (wanted, idle_s, interval_s) in [
            (Duration::ZERO, 1, 1),
            (Duration::from_millis(500), 1, 1),
            (Duration::from_secs(24 * 60 * 60), 32_767, 8_192),
            (Duration::MAX, 32_767, 8_192),
        ] {
            client.set_keep_alive(wanted).unwrap();
            assert!(sockopt::socket_keepalive(&client).unwrap());
            let idle = sockopt::tcp_keepidle(&client).unwrap();
            assert_eq!(idle.as_secs(), idle_s, "{wanted:?}");
            let interval = sockopt::tcp_keepintvl(&client).unwrap();
            assert_eq!(interval.as_secs(), interval_s, "{wanted:?}");
        }
    }

    #[test]
    fn buffers_are_as_large_as_was_asked_or_the_error_says_no() {
        let (client, _server) = pair();
        client.set_send_buffer(64 << 10).unwrap();
        client.set_receive_buffer(32 << 10).unwrap();
        // Linux tells of what it takes, which is twice as much.
        let asked = |told: usize| [told, told / 2];
        let told = sockopt::socket_send_buffer_size(&client).unwrap();
        assert!(asked(told).contains(&(64 << 10)), "{told}");
        let told = sockopt::socket_recv_buffer_size(&client).unwrap();
        assert!(asked(told).contains(&(32 << 10)), "{told}");
        let too_many = client.set_send_buffer(usize::MAX).unwrap_err();
        assert_eq!(too_many.kind(), io::ErrorKind::InvalidInput);
    }

    #[test]
    fn closing_a_listener_ends_its_accept() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| listener.accept());
            std::thread::sleep(Duration::from_millis(50));
            listener.close().unwrap();
            assert!(waiting.join().unwrap().is_err());
        });
    }
}
