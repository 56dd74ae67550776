//! The operations that connected stream sockets have in common, whatever they run over.

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::sockopt::{self, Timeout};
use rustix::net::{RecvFlags, SendAncillaryBuffer, SendFlags, sendmsg};

use crate::scatter;

/// A connected stream socket: octets both ways, in order, one system call each way
/// for a message.
pub trait StreamSocket: AsFd {
    /// Sends all octets; one system call when the socket's buffer has room.
    ///
    /// # Errors
    ///
    /// An error of the operating system.
    #[inline]
    fn send(&self, mut octets: &[u8]) -> io::Result<()> {
        while !octets.is_empty() {
            match rustix::net::send(self, octets, SendFlags::NOSIGNAL) {
                Ok(sent) => octets = &octets[sent..],
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Waits for octets and appends what has arrived to `buffer`, as far as its
    /// spare capacity goes. Returns their number: 0 at the end of the stream, or
    /// when there is no spare capacity.
    ///
    /// # Errors
    ///
    /// An error of the operating system.
    #[inline(always)]
    fn receive(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        loop {
            match rustix::net::recv(self, spare_capacity(buffer), RecvFlags::empty()) {
                Ok((_, count)) => return Ok(count),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Sends all octets of all parts, in order; one system call when the
    /// socket's buffer has room.
    ///
    /// # Errors
    ///
    /// An error of the operating system.
    #[inline]
    fn send_parts(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        let mut parts = parts;
        IoSlice::advance_slices(&mut parts, 0); // skips what is empty
        while !parts.is_empty() {
            let mut control = SendAncillaryBuffer::default();
            match sendmsg(self, parts, &mut control, SendFlags::NOSIGNAL) {
                Ok(sent) => IoSlice::advance_slices(&mut parts, sent),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Sends as many octets as the socket's buffer has room for, and says how
    /// many these were.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::WouldBlock`] when there is no room at all; what else the
    /// operating system answers.
    #[inline]
    fn try_send(&self, octets: &[u8]) -> io::Result<usize> {
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        loop {
            match rustix::net::send(self, octets, flags) {
                Err(Errno::INTR) => {}
                sent => return Ok(sent?),
            }
        }
    }

    /// [`try_send`](Self::try_send) of several parts, in order.
    ///
    /// # Errors
    ///
    /// Those of that one.
    #[inline]
    fn try_send_parts(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        loop {
            let mut control = SendAncillaryBuffer::default();
            match sendmsg(self, parts, &mut control, flags) {
                Err(Errno::INTR) => {}
                sent => return Ok(sent?),
            }
        }
    }

    /// [`receive`](Self::receive), but of what is there.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::WouldBlock`] when there is nothing; what else the
    /// operating system answers.
    #[inline]
    fn try_receive(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        loop {
            match rustix::net::recv(self, spare_capacity(buffer), RecvFlags::DONTWAIT) {
                Ok((_, count)) => return Ok(count),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// [`receive`](Self::receive) into two places: as many octets as `head` has, and those
    /// behind them into `rest`. Says how many are in `head` now, and which in `rest`. None
    /// at all: it is the end of the stream, or there is no room.
    ///
    /// # Errors
    ///
    /// Those of that one.
    fn receive_parts<'r>(
        &self,
        head: &mut [u8],
        rest: &'r mut [MaybeUninit<u8>],
    ) -> io::Result<(usize, &'r mut [u8])> {
        scatter::receive(self.as_fd(), head, rest, 0)
    }

    /// [`receive_parts`](Self::receive_parts), but of what is there.
    ///
    /// # Errors
    ///
    /// Those of [`try_receive`](Self::try_receive).
    fn try_receive_parts<'r>(
        &self,
        head: &mut [u8],
        rest: &'r mut [MaybeUninit<u8>],
    ) -> io::Result<(usize, &'r mut [u8])> {
        scatter::receive(self.as_fd(), head, rest, libc::MSG_DONTWAIT)
    }

    /// Asks for so many octets of room for what is sent and not yet taken by the peer's
    /// system (`SO_SNDBUF`). The system brings it within its bounds, and may count what it
    /// needs itself in: Linux takes twice as much.
    ///
    /// # Errors
    ///
    /// An error of the operating system; [`io::ErrorKind::InvalidInput`] for more than a C
    /// `int` holds.
    fn set_send_buffer(&self, octets: usize) -> io::Result<()> {
        Ok(sockopt::set_socket_send_buffer_size(self, octets)?)
    }

    /// The same for what has arrived and is not yet received (`SO_RCVBUF`); of
    /// Unix-domain sockets that is what the other end has as its room for sending.
    ///
    /// # Errors
    ///
    /// Those of [`set_send_buffer`](Self::set_send_buffer).
    fn set_receive_buffer(&self, octets: usize) -> io::Result<()> {
        Ok(sockopt::set_socket_recv_buffer_size(self, octets)?)
    }

    /// Whether a receive would return at once, with octets or with the end of
    /// the stream.
    ///
    /// # Errors
    ///
    /// An error of the operating system.
    fn has_arrived(&self) -> io::Result<bool> {
        match self.peek(&mut [0]) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Copies the first octets of what has arrived, which stay where they are. Returns
    /// their number: 0 at the end of the stream.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::WouldBlock`] when there are none; what else the operating
    /// system answers.
    fn peek(&self, octets: &mut [u8]) -> io::Result<usize> {
        let flags = RecvFlags::DONTWAIT | RecvFlags::PEEK;
        loop {
            match rustix::net::recv(self, &mut *octets, flags) {
                Err(Errno::INTR) => {}
                peeked => return Ok(peeked?.0),
            }
        }
    }

    /// Waits until the socket's buffer has room, or the connection has failed, which the
    /// next send tells; at most for so long.
    ///
    /// # Errors
    ///
    /// An error of the operating system.
    fn wait_for_room(&self, timeout: Duration) -> io::Result<()> {
        wait_for(self, PollFlags::OUT, timeout)
    }

    /// Waits until octets have arrived, or the stream has ended or failed, which the next
    /// receive tells; at most for so long. A signal may end the wait before.
    ///
    /// # Errors
    ///
    /// An error of the operating system.
    #[inline]
    fn wait_for_octets(&self, timeout: Duration) -> io::Result<()> {
        wait_for(self, PollFlags::IN, timeout)
    }

    /// Waits until a receive, or else a send, would not have to wait, or the connection has
    /// failed; at most for so long, or for ever. Whether it is so.
    ///
    /// # Errors
    ///
    /// The operating system's; [`io::ErrorKind::Interrupted`] after a signal.
    fn wait_until_ready(&self, to_send: bool, timeout: Option<Duration>) -> io::Result<bool> {
        let timeout = timeout.map(Timespec::try_from).transpose();
        let timeout = timeout.map_err(io::Error::other)?;
        let flags = if to_send {
            PollFlags::OUT
        } else {
            PollFlags::IN
        };
        let socket = PollFd::from_borrowed_fd(self.as_fd(), flags);
        Ok(poll(&mut [socket], timeout.as_ref())? > 0)
    }

    /// Limits how long a receive waits; none: for ever. One that has waited for
    /// so long fails with [`io::ErrorKind::WouldBlock`].
    ///
    /// # Errors
    ///
    /// An error of the operating system.
    fn set_receive_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        set_timeout(self, Timeout::Recv, timeout)
    }

    /// Limits how long a send waits for room in the socket's buffer; none: for
    /// ever.
    ///
    /// # Errors
    ///
    /// An error of the operating system.
    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        set_timeout(self, Timeout::Send, timeout)
    }

    /// Ends one direction, or both; waiting receives return.
    ///
    /// # Errors
    ///
    /// An error of the operating system.
    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        let how = match how {
            Shutdown::Read => rustix::net::Shutdown::Read,
            Shutdown::Write => rustix::net::Shutdown::Write,
            Shutdown::Both => rustix::net::Shutdown::Both,
        };
        Ok(rustix::net::shutdown(self, how)?)
    }
}

/// A borrowed socket is one as well.
impl StreamSocket for BorrowedFd<'_> {}

/// Waits until one of these events has happened to a socket, or a signal comes; at most
/// for so long.
fn wait_for(socket: &(impl AsFd + ?Sized), events: PollFlags, timeout: Duration) -> io::Result<()> {
    let timeout = Timespec::try_from(timeout).map_err(io::Error::other)?;
    let socket = PollFd::from_borrowed_fd(socket.as_fd(), events);
    match poll(&mut [socket], Some(&timeout)) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// A time-out of zero would be none for the system; the caller means as short a one
/// as there is.
fn set_timeout(
    socket: &(impl AsFd + ?Sized),
    which: Timeout,
    timeout: Option<Duration>,
) -> io::Result<()> {
    let timeout = timeout.map(|timeout| timeout.max(Duration::from_micros(1)));
    Ok(sockopt::set_socket_timeout(socket, which, timeout)?)
}

/// Lets so many connections wait until they are accepted.
pub(crate) fn set_backlog(socket: impl AsFd, backlog: u32) -> io::Result<()> {
    let backlog = i32::try_from(backlog).unwrap_or(i32::MAX);
    Ok(rustix::net::listen(socket, backlog)?)
}

/// Waits until a client has connected to a listener, or the listener has ended, by `end` if it is
/// given; at most for so long. True when one of them is so.
pub(crate) fn wait_for_client(
    socket: impl AsFd,
    end: Option<&OwnedFd>,
    timeout: Duration,
) -> io::Result<bool> {
    let timeout = Timespec::try_from(timeout).map_err(io::Error::other)?;
    let readable = |socket| PollFd::from_borrowed_fd(socket, PollFlags::IN);
    let socket = readable(socket.as_fd());
    let ready = match end {
        None => poll(&mut [socket], Some(&timeout)),
        Some(end) => poll(&mut [socket, readable(end.as_fd())], Some(&timeout)),
    };
    match ready {
        Ok(ready) => Ok(ready > 0),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Ends a listener: a waiting accept fails.
pub(crate) fn end_listening(socket: impl AsFd) -> io::Result<()> {
    Ok(rustix::net::shutdown(socket, rustix::net::Shutdown::Both)?)
}

/// Tests that each kind of socket passes.
#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::{tcp, unix};

    /// Runs a test with both ends of a connection of each kind.
    macro_rules! over_each {
        ($($name:ident)+) => {
            $(
                mod $name {
                    #[test]
                    fn over_tcp() {
                        let (client, server) = super::tcp::pair();
                        super::$name(client, server);
                    }

                    #[test]
                    fn over_unix() {
                        let (client, server) = super::unix::pair();
                        super::$name(client, server);
                    }
                }
            )+
        };
    }

    over_each! {
        octets_are_appended_as_far_as_there_is_room
        parts_arrive_as_one_stream_whatever_their_size
        what_arrives_fills_two_places_one_behind_the_other
        what_would_wait_does_not
        time_outs_end_what_would_wait
    }

    fn octets_are_appended_as_far_as_there_is_room<S: StreamSocket>(client: S, server: S) {
        client.send(b"hello").unwrap();
        let mut buffer = Vec::with_capacity(3);
        buffer.push(b'>');
        while buffer.len() < 3 {
            assert_ne!(server.receive(&mut buffer).unwrap(), 0);
        }
        assert_eq!(buffer, b">he");
        client.shutdown(Shutdown::Write).unwrap();
        buffer.reserve(10);
        while server.receive(&mut buffer).unwrap() != 0 {}
        assert_eq!(buffer, b">hello");
    }

    fn parts_arrive_as_one_stream_whatever_their_size<S: StreamSocket + Sync>(
        client: S,
        server: S,
    ) {
        let large = vec![7; 5 << 20];
        thread::scope(|scope| {
            let sending = scope.spawn(|| {
                let parts = [b"head".as_slice(), b"", &large, b"tail", b""];
                client.send_parts(&mut parts.map(IoSlice::new)).unwrap();
                client.send_parts(&mut []).unwrap();
            });
            let total = large.len() + 8;
            let mut buffer = Vec::with_capacity(total);
            while buffer.len() < total {
                assert_ne!(server.receive(&mut buffer).unwrap(), 0);
            }
            sending.join().unwrap();
            assert!(buffer.starts_with(b"head\x07") && buffer.ends_with(b"\x07tail"));
        });
    }

    fn what_arrives_fills_two_places_one_behind_the_other<S: StreamSocket>(client: S, server: S) {
        let nothing = server.try_receive_parts(&mut [0], &mut []).unwrap_err();
        assert_eq!(nothing.kind(), io::ErrorKind::WouldBlock);
        let (mut head, mut rest) = ([0; 4], [MaybeUninit::uninit(); 4]);
        for (sent, in_head, in_rest) in [
            ("hea", "hea", ""),
            ("head", "head", ""),
            ("headre", "head", "re"),
            ("headrest", "head", "rest"),
        ] {
            client.send(sent.as_bytes()).unwrap();
            let (count, filled) = server.receive_parts(&mut head, &mut rest).unwrap();
            assert_eq!(
                (&head[..count], &*filled),
                (in_head.as_bytes(), in_rest.as_bytes())
            );
        }
        client.send(b"headrest and more").unwrap();
        let (count, filled) = server.try_receive_parts(&mut head, &mut rest).unwrap();
        assert_eq!((count, &*filled), (4, b"rest".as_slice()));
        let (count, filled) = server.receive_parts(&mut [], &mut rest).unwrap();
        assert_eq!((count, &*filled), (0, b" and".as_slice()));
        client.shutdown(Shutdown::Write).unwrap();
        let (count, filled) = server.receive_parts(&mut head, &mut rest).unwrap();
        assert_eq!((count, &*filled), (4, b"e".as_slice()));
        let (count, filled) = server.receive_parts(&mut head, &mut rest).unwrap();
        assert_eq!((count, filled.len()), (0, 0));
    }

    fn what_would_wait_does_not<S: StreamSocket>(client: S, server: S) {
        let mut buffer = Vec::with_capacity(16);
        let nothing = server.try_receive(&mut buffer).unwrap_err();
        assert_eq!(nothing.kind(), io::ErrorKind::WouldBlock);
        assert!(!server.has_arrived().unwrap());
        let piece = vec![7; 1 << 20];
        let full = loop {
            match client.try_send(&piece) {
                Ok(sent) => assert_ne!(sent, 0),
                Err(error) => break error,
            }
        };
        assert_eq!(full.kind(), io::ErrorKind::WouldBlock);
        assert!(server.has_arrived().unwrap());
        client.wait_for_room(Duration::from_millis(5)).unwrap();
        client.wait_for_octets(Duration::from_millis(5)).unwrap();
        server.wait_for_octets(Duration::from_secs(10)).unwrap();
        let mut first = [0; 3];
        assert_eq!(server.peek(&mut first).unwrap(), 3);
        assert_eq!(first, [7; 3]);
        assert_eq!(server.try_receive(&mut buffer).unwrap(), 16);
        assert_eq!(buffer, [7; 16]);
        assert!(!client.has_arrived().unwrap());
        let nothing = client.peek(&mut first).unwrap_err();
        assert_eq!(nothing.kind(), io::ErrorKind::WouldBlock);
        server.shutdown(Shutdown::Both).unwrap();
        assert!(server.has_arrived().unwrap());
        client.wait_for_room(Duration::from_secs(10)).unwrap();
    }

    fn time_outs_end_what_would_wait<S: StreamSocket>(client: S, _server: S) {
        for short in [Duration::ZERO, Duration::from_millis(5)] {
            client.set_receive_timeout(Some(short)).unwrap();
            client.set_send_timeout(Some(short)).unwrap();
            let late = client.receive(&mut Vec::with_capacity(1)).unwrap_err();
            assert_eq!(late.kind(), io::ErrorKind::WouldBlock);
            let late = client.send(&vec![7; 64 << 20]).unwrap_err();
            assert_eq!(late.kind(), io::ErrorKind::WouldBlock);
        }
        client.set_receive_timeout(None).unwrap();
        client.set_send_timeout(None).unwrap();
    }
}
