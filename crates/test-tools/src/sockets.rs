//! The connections that this process has.

use std::fs;
use std::io;
use std::net::TcpStream;

use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};

/// Both ends of the connections over TCP to a port of this process, as further descriptors of
/// the same sockets.
#[derive(Debug, Default)]
pub struct Connections {
    /// The ends that have connected to the port.
    pub clients: Vec<TcpStream>,
    /// The ends that have been accepted there.
    pub servers: Vec<TcpStream>,
}

/// Finds the connections over TCP to a port, of which both ends are in this process.
///
/// # Errors
///
/// The operating system's.
pub fn connections(port: u16) -> io::Result<Connections> {
    let this = pidfd_open(getpid(), PidfdFlags::empty())?;
    let mut found = Connections::default();
    for entry in fs::read_dir("/proc/self/fd")? {
        let name = entry?.file_name();
        let number = name.to_str().and_then(|name| name.parse().ok());
        let number = number.ok_or_else(|| io::Error::other("a descriptor is no number"))?;
        // It may be closed by now.
        let Ok(socket) = pidfd_getfd(&this, number, PidfdGetfdFlags::empty()) else {
            continue;
        };
        let socket = TcpStream::from(socket);
        let (Ok(own), Ok(peer)) = (socket.local_addr(), socket.peer_addr()) else {
            continue;
        };
        // Another thread may look at the same time, and have further descriptors of them.
        let is_new = |known: &[TcpStream]| {
            let ends = |one: &TcpStream| (one.local_addr().ok(), one.peer_addr().ok());
            known.iter().all(|one| ends(one) != (Some(own), Some(peer)))
        };
        if peer.port() == port && is_new(&found.clients) {
            found.clients.push(socket);
        } else if own.port() == port && is_new(&found.servers) {
            found.servers.push(socket);
        }
    }
    Ok(found)
}
