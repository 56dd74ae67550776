//! The baseline of one-way floods: many messages on a bare socket, and one answer.
//!
//! The sender sends each message by itself, as an ORB has to; the receiver takes
//! whatever has arrived, which costs it the fewest system calls.

use std::io;
use std::net::SocketAddr;

use clap::{Args, value_parser};
use taut_sys::stream::StreamSocket;
use taut_sys::tcp::TcpStream;

use crate::error::BenchError;
use crate::protocol;
use crate::raw::{CONNECT_TIME_OUT, listen};

/// The octets that the receiver has room for.
const RECEIVED_AT_ONCE: usize = 256 << 10;

/// The room that a system's socket has for octets under way, at either end of a flood, unless
/// another is asked for: as in the experiments of 1998, which had 8 KiB as well.
pub(crate) const BUFFER: u32 = 64 << 10;

/// How many octets go where in a flood.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Flood {
    /// How many messages
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    pub(crate) messages: u32,
    /// Octets of a message
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    pub(crate) message_octets: u32,
    /// Octets of the request that ends the flood
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    pub(crate) request_octets: u32,
    /// Octets of the reply to it
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    pub(crate) reply_octets: u32,
    /// Octets under way for which a socket has room, at either end
    #[arg(long, value_name = "N", default_value_t = BUFFER, value_parser = value_parser!(u32).range(1..))]
    pub(crate) queue_octets: u32,
}

impl Flood {
    /// The command-line arguments that say the same.
    pub(crate) fn to_arguments(self) -> [String; 5] {
        [
            format!("--messages={}", self.messages),
            format!("--message-octets={}", self.message_octets),
            format!("--request-octets={}", self.request_octets),
            format!("--reply-octets={}", self.reply_octets),
            format!("--queue-octets={}", self.queue_octets),
        ]
    }

    /// The octets of all messages and of the request.
    fn octets_there(self) -> usize {
        let there = u64::from(self.messages) * u64::from(self.message_octets);
        usize::try_from(there + u64::from(self.request_octets)).unwrap_or(usize::MAX)
    }
}

/// The server: prints its address, takes one connection, and answers each flood on
/// it until the client closes it. All in one thread, for the reason of
/// [`crate::raw::serve`].
///
/// # Errors
///
/// [`BenchError::System`] when it cannot listen, or the connection fails.
pub(crate) fn serve(flood: Flood) -> Result<(), BenchError> {
    let (listener, address) = listen().map_err(BenchError::system("cannot listen"))?;
    println!("{address}");
    let (stream, _) = listener
        .accept()
        .map_err(BenchError::system("cannot accept"))?;
    bound_buffers(&stream, flood)?;
    answer(&stream, flood).map_err(BenchError::system("connection"))
}

/// The client of a server at `address`; a call is a flood.
///
/// # Errors
///
/// [`BenchError::System`] when it cannot connect, and those of
/// [`protocol::answer_requests`].
pub(crate) fn call(flood: Flood, address: SocketAddr) -> Result<(), BenchError> {
    let stream = TcpStream::connect(address, Some(CONNECT_TIME_OUT))
        .map_err(BenchError::system("cannot connect"))?;
    bound_buffers(&stream, flood)?;
    let mut sender = Sender::new(&stream, flood);
    protocol::answer_requests(io::stdin().lock(), io::stdout(), || {
        sender.send().map_err(BenchError::call)
    })
}

fn bound_buffers(stream: &TcpStream, flood: Flood) -> Result<(), BenchError> {
    let octets = flood.queue_octets as usize;
    let bounded = stream.set_send_buffer(octets);
    bounded
        .and_then(|()| stream.set_receive_buffer(octets))
        .map_err(BenchError::system("cannot set a socket's buffers"))
}

fn answer(stream: &TcpStream, flood: Flood) -> io::Result<()> {
    let reply = vec![0x55; flood.reply_octets as usize];
    let mut received = Vec::with_capacity(RECEIVED_AT_ONCE);
    loop {
        let mut missing = flood.octets_there();
        while missing > 0 {
            received.clear();
            missing = match stream.receive(&mut received)? {
                0 if missing == flood.octets_there() => return Ok(()),
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                octets => missing
                    .checked_sub(octets)
                    .ok_or(io::ErrorKind::InvalidData)?,
            };
        }
        stream.send(&reply)?;
    }
}

struct Sender<'s> {
    stream: &'s TcpStream,
    flood: Flood,
    message: Vec<u8>,
    request: Vec<u8>,
    reply: Vec<u8>,
}

impl<'s> Sender<'s> {
    fn new(stream: &'s TcpStream, flood: Flood) -> Self {
        Self {
            stream,
            flood,
            message: vec![0x55; flood.message_octets as usize],
            request: vec![0x55; flood.request_octets as usize],
            reply: Vec::with_capacity(flood.reply_octets as usize),
        }
    }

    fn send(&mut self) -> io::Result<()> {
        for _ in 0..self.flood.messages {
            self.stream.send(&self.message)?;
        }
        self.stream.send(&self.request)?;
        self.reply.clear();
        while self.reply.len() < self.flood.reply_octets as usize {
            if self.stream.receive(&mut self.reply)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    const FLOOD: Flood = Flood {
        messages: 1_000,
        message_octets: 1_111,
        request_octets: 80,
        reply_octets: 24,
        queue_octets: BUFFER,
    };

    /// Runs `client` against a server; what the server said at its end.
    fn with_server(client: impl FnOnce(&TcpStream)) -> io::Result<()> {
        let (listener, address) = listen().unwrap();
        thread::scope(|scope| {
            let serving = scope.spawn(|| answer(&listener.accept().unwrap().0, FLOOD));
            client(&TcpStream::connect(address, Some(CONNECT_TIME_OUT)).unwrap());
            serving.join().unwrap()
        })
    }

    #[test]
    fn each_flood_is_answered_once() {
        let served = with_server(|stream| {
            let mut sender = Sender::new(stream, FLOOD);
            for _ in 0..3 {
                sender.send().unwrap();
                assert_eq!(sender.reply.len(), 24);
            }
        });
        assert!(served.is_ok(), "{served:?}");
    }

    #[test]
    fn half_a_flood_is_an_error() {
        let served = with_server(|stream| stream.send(&[0; 1_111]).unwrap());
        assert_eq!(served.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn more_than_a_flood_is_an_error() {
        let octets = vec![0; FLOOD.octets_there() + 1];
        // The server may have closed before all of it is sent.
        let served = with_server(|stream| drop(stream.send(&octets)));
        assert!(served.is_err());
    }
}
