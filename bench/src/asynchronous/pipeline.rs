//! The baseline of calls that are under way together: what two processes can do with one
//! connection, `epoll` and nothing else.
//!
//! Messages have the sizes of GIOP's and begin with a number by which the client finds the call
//! of a reply. Each side takes whatever has arrived at once, up to [`CHUNK`]. All that it has to
//! send for that goes in one system call, which is the limit of any protocol, or with
//! [`Batching::Each`] in one for each message, as ORBs do that answer one request after the
//! other.

use std::io;
use std::net::SocketAddr;

use clap::ValueEnum;
use taut_sys::poll::Poller;
use taut_sys::stream::StreamSocket;
use taut_sys::tcp::TcpStream;

use super::flight::{Flight, Flights};
use crate::error::BenchError;
use crate::protocol;
use crate::raw::{CONNECT_TIME_OUT, MessageSizes, listen};

/// As many octets are taken at once.
const CHUNK: usize = 64 << 10;

/// With more octets than this that wait to be sent, the server receives nothing.
const BACKLOG_MAX: usize = 4 * CHUNK;

/// The octets of the number of a call.
const NUMBER: usize = 4;

/// How messages leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Batching {
    /// Those for all that has been received at once together, by one system call.
    Together,
    /// Each by a system call of its own.
    Each,
}

crate::options::display_as_option!(Batching);

/// The server: prints its address, takes one connection, and answers on it until the client
/// closes it.
///
/// # Errors
///
/// [`BenchError::System`] when it cannot listen, or the connection fails.
pub(crate) fn serve(sizes: MessageSizes, batching: Batching) -> Result<(), BenchError> {
    let (listener, address) = listen().map_err(BenchError::system("cannot listen"))?;
    println!("{address}");
    let accepted = listener.accept();
    let (stream, _) = accepted.map_err(BenchError::system("cannot accept"))?;
    answer(stream, sizes, batching).map_err(BenchError::system("connection"))
}

/// The client of a server at this address.
///
/// # Errors
///
/// [`BenchError::System`] when it cannot connect, and those of [`protocol::answer_requests`].
pub(crate) fn call(
    sizes: MessageSizes,
    batching: Batching,
    address: SocketAddr,
) -> Result<(), BenchError> {
    let connected = TcpStream::connect(address, Some(CONNECT_TIME_OUT));
    let client = connected.and_then(|stream| Client::new(stream, sizes, batching));
    let mut client = client.map_err(BenchError::system("cannot connect"))?;
    let flights = Flights::new(|flight| client.fly(flight).map_err(BenchError::call));
    protocol::answer_requests(io::stdin().lock(), io::stdout(), flights)
}

/// Answers each request until the peer closes the connection.
fn answer(stream: TcpStream, sizes: MessageSizes, batching: Batching) -> io::Result<()> {
    let mut wire = Wire::new(stream, sizes.request_octets, sizes.reply_octets, batching)?;
    wire.backlog_max = BACKLOG_MAX;
    loop {
        match wire.exchange(|number| Ok(Some(number)))? {
            true => wire.wait()?,
            false => return Ok(()),
        }
    }
}

/// A client's end of the connection.
struct Client {
    wire: Wire,
    /// By their numbers, whether calls are under way.
    under_way: Vec<bool>,
}

impl Client {
    fn new(stream: TcpStream, sizes: MessageSizes, batching: Batching) -> io::Result<Self> {
        Ok(Self {
            wire: Wire::new(stream, sizes.reply_octets, sizes.request_octets, batching)?,
            under_way: Vec::new(),
        })
    }

    /// Makes the calls of a flight. The next one begins where one ends.
    fn fly(&mut self, Flight { in_flight, calls }: Flight) -> io::Result<()> {
        let Self { wire, under_way } = self;
        let first = in_flight.min(calls);
        under_way.clear();
        under_way.resize(first as usize, true);
        for number in 0..first {
            wire.push(number)?;
        }
        wire.flush()?;
        let (mut to_begin, mut to_end) = (calls - first, calls);
        while to_end > 0 {
            wire.wait()?;
            let goes_on = wire.exchange(|number| {
                let state = under_way.get_mut(number as usize);
                if !state.is_some_and(std::mem::take) {
                    return Err(io::ErrorKind::InvalidData.into());
                }
                to_end -= 1;
                if to_begin == 0 {
                    return Ok(None);
                }
                to_begin -= 1;
                under_way[number as usize] = true;
                Ok(Some(number))
            })?;
            if !goes_on {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(())
    }
}

/// One side of the connection: messages of one size come in, others of one size go out.
struct Wire {
    stream: TcpStream,
    poller: Poller,
    received: Vec<u8>,
    received_size: usize,
    /// Octets to be sent, from [`sent`](Self::sent) on.
    outgoing: Vec<u8>,
    sent: usize,
    /// With more octets than this to be sent it receives nothing. The client has no such
    /// limit, for two sides that both wait for the other to receive would wait for ever.
    backlog_max: usize,
    message: Vec<u8>,
    batching: Batching,
}

impl Wire {
    fn new(
        stream: TcpStream,
        received_octets: u32,
        sent_octets: u32,
        batching: Batching,
    ) -> io::Result<Self> {
        let poller = Poller::new()?;
        poller.add(&stream, 0)?;
        let received_size = (received_octets as usize).max(NUMBER);
        Ok(Self {
            stream,
            poller,
            received: Vec::with_capacity(CHUNK.max(2 * received_size)),
            received_size,
            outgoing: Vec::with_capacity(CHUNK),
            sent: 0,
            backlog_max: usize::MAX,
            message: vec![0x55; (sent_octets as usize).max(NUMBER)],
            batching,
        })
    }

    /// Waits until something has arrived, or there is room again for what is to be sent.
    fn wait(&mut self) -> io::Result<()> {
        self.poller.wait().map(drop)
    }

    /// Takes all messages that have arrived, and sends those that `next` makes of them, as far
    /// as there is room. False at the end of the stream.
    fn exchange(
        &mut self,
        mut next: impl FnMut(u32) -> io::Result<Option<u32>>,
    ) -> io::Result<bool> {
        // The other side may wait for the octets that wait here.
        self.flush()?;
        while self.outgoing.len() - self.sent <= self.backlog_max {
            let room = self.received.capacity() - self.received.len();
            let count = match self.stream.try_receive(&mut self.received) {
                Ok(0) => return Ok(false),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            };
            self.take_messages(&mut next)?;
            self.flush()?;
            // With room left, nothing is there any more: an event tells of more.
            if count < room {
                break;
            }
        }
        Ok(true)
    }

    fn take_messages(
        &mut self,
        next: &mut impl FnMut(u32) -> io::Result<Option<u32>>,
    ) -> io::Result<()> {
        let mut taken = 0;
        while let Some(message) = self.received.get(taken..taken + self.received_size) {
            let number = message.first_chunk::<NUMBER>().copied().unwrap_or_default();
            taken += self.received_size;
            if let Some(number) = next(u32::from_le_bytes(number))? {
                self.push(number)?;
            }
        }
        self.received.drain(..taken);
        Ok(())
    }

    /// Adds a message to those that are to be sent.
    fn push(&mut self, number: u32) -> io::Result<()> {
        self.message[..NUMBER].copy_from_slice(&number.to_le_bytes());
        self.outgoing.extend_from_slice(&self.message);
        match self.batching {
            Batching::Together => Ok(()),
            Batching::Each => self.flush(),
        }
    }

    /// Sends what is to be sent, as far as there is room.
    fn flush(&mut self) -> io::Result<()> {
        while self.sent < self.outgoing.len() {
            match self.stream.try_send(&self.outgoing[self.sent..]) {
                Ok(count) => self.sent += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        self.outgoing.clear();
        self.sent = 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    const SIZES: MessageSizes = MessageSizes {
        request_octets: 80,
        reply_octets: 24,
    };

    #[test]
    fn calls_are_answered_however_many_are_under_way() {
        for batching in [Batching::Together, Batching::Each] {
            let (listener, address) = listen().unwrap();
            thread::scope(|scope| {
                let serving = scope.spawn(|| answer(listener.accept().unwrap().0, SIZES, batching));
                let stream = TcpStream::connect(address, Some(CONNECT_TIME_OUT)).unwrap();
                let mut client = Client::new(stream, SIZES, batching).unwrap();
                // The last ones fill the sockets' buffers, and those of both sides.
                for (in_flight, calls) in [(1, 3), (5, 2), (256, 1_000), (100_000, 250_000)] {
                    client.fly(Flight { in_flight, calls }).unwrap();
                    assert!(client.under_way.iter().all(|it| !it), "{batching}");
                    assert!(client.wire.outgoing.is_empty() && client.wire.received.is_empty());
                }
                drop(client);
                serving.join().unwrap().unwrap();
            });
        }
    }

    #[test]
    fn a_reply_to_nothing_is_an_error() {
        let (listener, address) = listen().unwrap();
        let stream = TcpStream::connect(address, Some(CONNECT_TIME_OUT)).unwrap();
        let (server, _) = listener.accept().unwrap();
        let mut client = Client::new(stream, SIZES, Batching::Together).unwrap();
        server.send(&[7; 24]).unwrap();
        let flown = client.fly(Flight {
            in_flight: 1,
            calls: 1,
        });
        assert_eq!(flown.unwrap_err().kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn a_server_that_closes_fails_the_call() {
        let (listener, address) = listen().unwrap();
        let stream = TcpStream::connect(address, Some(CONNECT_TIME_OUT)).unwrap();
        drop(listener.accept().unwrap());
        let mut client = Client::new(stream, SIZES, Batching::Together).unwrap();
        let flown = client.fly(Flight {
            in_flight: 1,
            calls: 1,
        });
        assert!(flown.is_err());
    }
}
