//! A relay between clients and a server, which shows the octets that pass.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::thread;

/// The direction in which octets pass a relay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the side that opened the connection.
    There,
    /// From the side that accepted it.
    Back,
}

/// A relay that listens on a port of the loopback, and passes on to a server what comes
/// there, and back.
///
/// Its threads end with the connections; the listener stays as long as the process.
#[derive(Debug)]
pub struct Relay {
    address: SocketAddr,
}

impl Relay {
    /// Starts a relay to the server at this address.
    ///
    /// `observer` is asked for an observer of each direction of each connection, the one
    /// of [`Direction::There`] first. An observer sees octets before they are passed on,
    /// cut at any place.
    ///
    /// # Errors
    ///
    /// The answer of the system when no port is free.
    pub fn start<O: FnMut(&[u8]) + Send + 'static>(
        server: SocketAddr,
        mut observer: impl FnMut(Direction) -> O + Send + 'static,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (there, back) = (observer(Direction::There), observer(Direction::Back));
                // On failure the client's connection is dropped, which tells it that there
                // is no server.
                let _ = connect(client, server, there, back);
            }
        });
        Ok(Self { address })
    }

    /// The address at which the relay listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

fn connect<O: FnMut(&[u8]) + Send + 'static>(
    client: TcpStream,
    server: SocketAddr,
    there: O,
    back: O,
) -> io::Result<()> {
    let server = TcpStream::connect(server)?;
    for stream in [&client, &server] {
        stream.set_nodelay(true)?;
    }
    let (from_client, from_server) = (client.try_clone()?, server.try_clone()?);
    thread::spawn(move || pass_on(from_client, server, there));
    thread::spawn(move || pass_on(from_server, client, back));
    Ok(())
}

/// Passes on octets until the stream ends, and then ends the other.
fn pass_on(mut from: TcpStream, mut to: TcpStream, mut observe: impl FnMut(&[u8])) {
    let mut buffer = vec![0; 1 << 16];
    loop {
        match from.read(&mut buffer) {
            Ok(octets @ 1..) => {
                observe(&buffer[..octets]);
                if to.write_all(&buffer[..octets]).is_err() {
                    break;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            _ => break,
        }
    }
    // Fails when the other side is gone already.
    let _ = to.shutdown(Shutdown::Write);
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn octets_pass_and_are_seen_before() {
        let server = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let (sender, seen) = mpsc::channel();
        let relay = Relay::start(server.local_addr().unwrap(), move |direction| {
            let sender = sender.clone();
            move |octets: &[u8]| sender.send((direction, octets.len())).unwrap()
        });
        let mut client = TcpStream::connect(relay.unwrap().address()).unwrap();
        let (mut server, _) = server.accept().unwrap();
        let mut buffer = vec![7; 100_000];
        for (direction, count) in [(Direction::There, 100_000), (Direction::Back, 3)] {
            let (from, to) = match direction {
                Direction::There => (&mut client, &mut server),
                Direction::Back => (&mut server, &mut client),
            };
            from.write_all(&buffer[..count]).unwrap();
            to.read_exact(&mut buffer[..count]).unwrap();
            let octets: usize = (seen.try_iter())
                .map(|(its, octets)| {
                    assert_eq!(its, direction);
                    octets
                })
                .sum();
            assert_eq!(octets, count);
        }
        assert!(buffer.iter().all(|octet| *octet == 7));
        drop(client);
        assert_eq!(server.read(&mut buffer).unwrap(), 0, "the end passes too");
    }
}
