//! A client with many connections, which is the same for all systems: it calls
//! over one after the other.

use std::io;
use std::net::SocketAddr;

use taut_sys::descriptors;
use taut_sys::tcp::TcpStream;

use crate::error::BenchError;
use crate::raw::{CONNECT_TIME_OUT, Caller, MessageSizes};
use crate::{giop, protocol};

/// Connects so many times to an address, or to the object of a stringified
/// reference, and makes the calls that it is asked for.
///
/// # Errors
///
/// [`BenchError::System`] when it cannot connect, and those of
/// [`protocol::answer_requests`].
pub(crate) fn call(
    sizes: MessageSizes,
    connections: usize,
    server: &str,
) -> Result<(), BenchError> {
    let streams = Streams::open(sizes, connections, server)?;
    let mut callers = streams.callers();
    let mut next = 0;
    protocol::answer_requests(io::stdin().lock(), io::stdout(), || {
        let caller = &mut callers[next];
        next = (next + 1) % connections;
        streams.call(caller)
    })
}

/// Open connections, and what is sent over each.
pub(crate) struct Streams {
    streams: Vec<TcpStream>,
    request: Vec<u8>,
    sizes: MessageSizes,
    speaks_giop: bool,
}

impl Streams {
    /// # Errors
    ///
    /// [`BenchError::System`] when it cannot connect.
    pub(crate) fn open(
        sizes: MessageSizes,
        count: usize,
        server: &str,
    ) -> Result<Self, BenchError> {
        descriptors::raise_limit().map_err(BenchError::system("cannot have more sockets"))?;
        let speaks_giop = server.starts_with("IOR:");
        let (address, request) = match speaks_giop {
            true => giop::ping(server)?,
            false => (server.to_owned(), vec![0x55; sizes.request_octets as usize]),
        };
        let address: SocketAddr = address
            .parse()
            .map_err(|_| BenchError::orb("the server is not at a numeric address"))?;
        let connect = || TcpStream::connect(address, Some(CONNECT_TIME_OUT));
        let streams: io::Result<Vec<_>> = (0..count).map(|_| connect()).collect();
        Ok(Self {
            streams: streams.map_err(BenchError::system("cannot connect"))?,
            request,
            sizes,
            speaks_giop,
        })
    }

    pub(crate) fn callers(&self) -> Vec<Caller<'_, TcpStream>> {
        let caller =
            |stream| Caller::with_request(stream, self.request.clone(), self.sizes.reply_octets);
        self.streams.iter().map(caller).collect()
    }

    /// Calls over one connection.
    ///
    /// # Errors
    ///
    /// [`BenchError::Call`], also when the reply is an exception.
    pub(crate) fn call(&self, caller: &mut Caller<'_, TcpStream>) -> Result<(), BenchError> {
        caller.call().map_err(BenchError::call)?;
        if self.speaks_giop && !giop::is_success(caller.reply()) {
            return Err(BenchError::call("the reply is an exception"));
        }
        Ok(())
    }
}
