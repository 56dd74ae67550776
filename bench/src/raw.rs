//! The baseline: what two processes can do with blocking sockets alone.
//!
//! One `send` and one `recv` a side for each call, with messages of the sizes
//! that the ORBs' have, in buffers that are there before the first call. An ORB
//! on the same sockets can only be faster by what it knows of the machine, as Taut
//! does of the return stack ([`taut_sys::return_stack`]); beside raw sockets that
//! refill it as well, what it is slower is its own work.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::time::Duration;

use clap::{Args, value_parser};
use taut_sys::return_stack::refill_behind;
use taut_sys::stream::StreamSocket;
use taut_sys::tcp::{TcpListener, TcpStream};
use taut_sys::unix::{UnixListener, UnixStream};

use crate::error::BenchError;
use crate::protocol;

/// How large a message may be.
const OCTETS_MAX: i64 = 64 << 20;

/// How long a client waits for its connection.
pub(crate) const CONNECT_TIME_OUT: Duration = Duration::from_secs(10);

/// The sizes of the messages that are exchanged, by default those of a GIOP 1.2
/// call without arguments.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct MessageSizes {
    /// Octets of a raw request
    #[arg(long, value_name = "N", default_value_t = 80, value_parser = value_parser!(u32).range(1..=OCTETS_MAX))]
    pub(crate) request_octets: u32,
    /// Octets of a raw reply
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = value_parser!(u32).range(1..=OCTETS_MAX))]
    pub(crate) reply_octets: u32,
}

impl MessageSizes {
    /// The command-line arguments that say the same.
    pub(crate) fn to_arguments(self) -> [String; 2] {
        [
            format!("--request-octets={}", self.request_octets),
            format!("--reply-octets={}", self.reply_octets),
        ]
    }
}

/// A socket that refills the return stack behind each system call, as Taut does.
struct Refilling<S>(S);

impl<S: AsFd> AsFd for Refilling<S> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl<S: StreamSocket> StreamSocket for Refilling<S> {
    #[inline]
    fn send(&self, octets: &[u8]) -> io::Result<()> {
        refill_behind(self.0.send(octets))
    }

    #[inline]
    fn receive(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        refill_behind(self.0.receive(buffer))
    }
}

/// The server: prints its address, takes one connection, and answers on it
/// until the client closes it. Refills the return stack behind each system call if it
/// is to `refill`.
///
/// All in one thread, which is why the end of standard input is not waited for:
/// as soon as a process has a second thread, each of its system calls on a
/// socket has to count a reference to it, and the baseline would pay for that
/// as well.
///
/// # Errors
///
/// [`BenchError::System`] when it cannot listen, or the connection fails.
pub(crate) fn serve(sizes: MessageSizes, unix: bool, refill: bool) -> Result<(), BenchError> {
    if unix {
        let listener = listen_unix().map_err(BenchError::system("cannot listen"))?;
        println!("{}", listener.path().display());
        return answer_one(listener.accept(), sizes, refill);
    }
    let (listener, address) = listen().map_err(BenchError::system("cannot listen"))?;
    println!("{address}");
    answer_one(listener.accept().map(|(stream, _)| stream), sizes, refill)
}

fn answer_one(
    accepted: io::Result<impl StreamSocket>,
    sizes: MessageSizes,
    refill: bool,
) -> Result<(), BenchError> {
    let stream = accepted.map_err(BenchError::system("cannot accept"))?;
    let answered = match refill {
        true => answer(&Refilling(stream), sizes),
        false => answer(&stream, sizes),
    };
    answered.map_err(BenchError::system("connection"))
}

/// The client of a server at `address`: a host and port, or a path. Refills as the
/// server does.
///
/// # Errors
///
/// [`BenchError::System`] when it cannot connect, and those of
/// [`protocol::answer_requests`].
pub(crate) fn call(sizes: MessageSizes, refill: bool, address: &str) -> Result<(), BenchError> {
    let timeout = Some(CONNECT_TIME_OUT);
    match address.parse::<SocketAddr>() {
        Ok(address) => call_over(TcpStream::connect(address, timeout), sizes, refill),
        Err(_) => call_over(
            UnixStream::connect(Path::new(address), timeout),
            sizes,
            refill,
        ),
    }
}

fn call_over(
    connected: io::Result<impl StreamSocket>,
    sizes: MessageSizes,
    refill: bool,
) -> Result<(), BenchError> {
    let stream = connected.map_err(BenchError::system("cannot connect"))?;
    match refill {
        true => call_on(&Refilling(stream), sizes),
        false => call_on(&stream, sizes),
    }
}

fn call_on(stream: &impl StreamSocket, sizes: MessageSizes) -> Result<(), BenchError> {
    let mut caller = Caller::new(stream, sizes);
    protocol::answer_requests(io::stdin().lock(), io::stdout(), || {
        caller.call().map_err(BenchError::call)
    })
}

/// A Unix-domain socket to listen at.
fn listen_unix() -> io::Result<UnixListener> {
    let name = format!("taut-bench-{}", std::process::id());
    UnixListener::bind(&std::env::temp_dir().join(name), 0o600, 1)
}

/// A place to listen at, on the loopback interface.
pub(crate) fn listen() -> io::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0).into())?;
    let address = listener.local_address()?;
    Ok((listener, address))
}

/// Answers each request with a reply until the peer closes the connection.
pub(crate) fn answer(stream: &impl StreamSocket, sizes: MessageSizes) -> io::Result<()> {
    let mut request = Message::new(sizes.request_octets);
    let reply = Message::new(sizes.reply_octets);
    while request.receive(stream)? {
        reply.send(stream)?;
    }
    Ok(())
}

/// A client's end of a connection.
pub(crate) struct Caller<'s, S> {
    stream: &'s S,
    request: Message,
    reply: Message,
}

impl<'s, S: StreamSocket> Caller<'s, S> {
    fn new(stream: &'s S, sizes: MessageSizes) -> Self {
        Self::with_request(
            stream,
            vec![0x55; octets(sizes.request_octets)],
            sizes.reply_octets,
        )
    }

    /// Sends this request each time.
    pub(crate) fn with_request(stream: &'s S, request: Vec<u8>, reply_octets: u32) -> Self {
        Self {
            stream,
            request: Message::from(request),
            reply: Message::new(reply_octets),
        }
    }

    /// The last reply.
    pub(crate) fn reply(&self) -> &[u8] {
        &self.reply.octets
    }

    pub(crate) fn call(&mut self) -> io::Result<()> {
        self.request.send(self.stream)?;
        if self.reply.receive(self.stream)? {
            Ok(())
        } else {
            Err(io::ErrorKind::UnexpectedEof.into())
        }
    }
}

/// A message of a fixed size, and the buffer that it lives in.
struct Message {
    octets: Vec<u8>,
    size: usize,
}

impl From<Vec<u8>> for Message {
    fn from(octets: Vec<u8>) -> Self {
        let size = octets.len();
        Self { octets, size }
    }
}

fn octets(size: u32) -> usize {
    usize::try_from(size).unwrap_or(usize::MAX)
}

impl Message {
    fn new(size: u32) -> Self {
        Self::from(vec![0x55; octets(size)])
    }

    fn send(&self, stream: &impl StreamSocket) -> io::Result<()> {
        stream.send(&self.octets)
    }

    /// Whether there was one before the stream ended.
    fn receive(&mut self, stream: &impl StreamSocket) -> io::Result<bool> {
        self.octets.clear();
        while self.octets.len() < self.size {
            if stream.receive(&mut self.octets)? == 0 {
                return match self.octets.len() {
                    0 => Ok(false),
                    _ => Err(io::ErrorKind::UnexpectedEof.into()),
                };
            }
        }
        if self.octets.len() > self.size {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the message is longer than it should be",
            ));
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn sizes(request_octets: u32, reply_octets: u32) -> MessageSizes {
        MessageSizes {
            request_octets,
            reply_octets,
        }
    }

    /// Runs `client` against a server; what the server said at its end.
    fn with_server(server: MessageSizes, client: impl FnOnce(&TcpStream)) -> io::Result<()> {
        let (listener, address) = listen().unwrap();
        thread::scope(|scope| {
            let serving = scope.spawn(|| answer(&listener.accept().unwrap().0, server));
            client(&TcpStream::connect(address, Some(CONNECT_TIME_OUT)).unwrap());
            serving.join().unwrap()
        })
    }

    #[test]
    fn calls_are_answered_whatever_their_size() {
        // The large ones do not fit the sockets' buffers in one piece.
        for sizes in [
            sizes(80, 24),
            sizes(1, 1),
            sizes(1, 9 << 20),
            sizes(9 << 20, 1),
        ] {
            let served = with_server(sizes, |stream| {
                let mut caller = Caller::new(stream, sizes);
                for _ in 0..3 {
                    caller.call().unwrap();
                    assert_eq!(caller.reply.octets.len(), caller.reply.size);
                }
            });
            assert!(served.is_ok(), "{sizes:?}");
        }
    }

    #[test]
    fn half_a_request_is_an_error() {
        let served = with_server(sizes(80, 24), |stream| stream.send(&[0; 79]).unwrap());
        assert_eq!(served.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn a_server_that_closes_fails_the_call() {
        let (listener, address) = listen().unwrap();
        let stream = TcpStream::connect(address, Some(CONNECT_TIME_OUT)).unwrap();
        drop(listener.accept().unwrap());
        assert!(Caller::new(&stream, sizes(80, 24)).call().is_err());
    }
}
