//! Sockets without an ORB, whose threads have the priorities of their clients: the limit.
//!
//! The server listens at two addresses, and each connection has a thread: those of the first
//! address one of high priority, those of the second an ordinary one.

use std::net::SocketAddr;
use std::{io, thread};

use taut_sys::tcp::{TcpListener, TcpStream};

use super::periodic;
use crate::error::BenchError;
use crate::protocol;
use crate::raw::{self, CONNECT_TIME_OUT, MessageSizes};

/// Serves until standard input ends. Prints the address of high priority and the ordinary one.
///
/// # Errors
///
/// [`BenchError::System`] when it cannot listen.
pub(super) fn serve(sizes: MessageSizes, priority: i32) -> Result<(), BenchError> {
    let listen = || raw::listen().map_err(BenchError::system("cannot listen"));
    let ((urgent, first), (ordinary, second)) = (listen()?, listen()?);
    thread::spawn(move || accept(&urgent, sizes, Some(priority)));
    thread::spawn(move || accept(&ordinary, sizes, None));
    println!("{first} {second}");
    protocol::wait_for_end_of_input(io::stdin().lock())
        .map_err(BenchError::system("standard input"))
}

fn accept(listener: &TcpListener, sizes: MessageSizes, priority: Option<i32>) {
    while let Ok((stream, _)) = listener.accept() {
        thread::spawn(move || {
            if let Some(priority) = priority {
                periodic::take_priority(priority);
            }
            // A client that goes ends its connection, and nothing else.
            let _ = raw::answer(&stream, sizes);
        });
    }
}

/// Connects to the first of the server's addresses.
///
/// # Errors
///
/// [`BenchError::System`].
pub(super) fn connect(server: &str) -> Result<TcpStream, BenchError> {
    let first = server.split(' ').next().unwrap_or_default();
    let address: SocketAddr = first
        .parse()
        .map_err(|_| BenchError::orb("the server is not at a numeric address"))?;
    TcpStream::connect(address, Some(CONNECT_TIME_OUT))
        .map_err(BenchError::system("cannot connect"))
}
