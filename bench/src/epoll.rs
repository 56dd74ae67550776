//! The baseline of a server with many connections: what a few threads can do
//! with `epoll` alone.
//!
//! Each thread waits for an event of any connection, receives the message,
//! sends the answer, and waits again: three system calls for a request, which is
//! the pattern of Taut's reactor.

use std::sync::Arc;
use std::{io, thread};

use parking_lot::RwLock;
use taut_sys::poll::Poller;
use taut_sys::stream::StreamSocket;
use taut_sys::tcp::TcpStream;

use crate::error::BenchError;
use crate::protocol;
use crate::raw::{MessageSizes, listen};

/// The server: prints its address, and answers on all connections until standard
/// input ends.
///
/// # Errors
///
/// [`BenchError::System`] when it cannot listen.
pub(crate) fn serve(sizes: MessageSizes, threads: usize) -> Result<(), BenchError> {
    let (listener, address) = listen().map_err(BenchError::system("cannot listen"))?;
    let poller = Poller::new().map_err(BenchError::system("cannot wait for events"))?;
    let server = Arc::new(Server {
        poller,
        connections: RwLock::default(),
        sizes,
    });
    println!("{address}");
    for _ in 0..threads {
        let server = Arc::clone(&server);
        thread::spawn(move || server.work());
    }
    thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            if let Err(error) = server.add(stream) {
                eprintln!("epoll-server: {error}");
            }
        }
    });
    protocol::wait_for_end_of_input(io::stdin().lock())
        .map_err(BenchError::system("standard input"))
}

struct Server {
    poller: Poller,
    connections: RwLock<Vec<Arc<TcpStream>>>,
    sizes: MessageSizes,
}

impl Server {
    fn add(&self, stream: TcpStream) -> io::Result<()> {
        let stream = Arc::new(stream);
        let mut connections = self.connections.write();
        connections.push(Arc::clone(&stream));
        self.poller.add(&*stream, connections.len() as u64 - 1)
    }

    fn work(&self) {
        // A closed loop never has more than one request on a connection.
        let mut request = Vec::with_capacity(64 * 1024);
        let reply = vec![0x55; self.sizes.reply_octets as usize];
        while let Ok(Some(event)) = self.poller.wait() {
            let stream = Arc::clone(&self.connections.read()[event.token as usize]);
            request.clear();
            let received = stream.try_receive(&mut request);
            if let Ok(1..) = received
                && request.len() >= self.sizes.request_octets as usize
                && let Err(error) = stream.send(&reply)
            {
                eprintln!("epoll-server: {error}");
            }
        }
    }
}
