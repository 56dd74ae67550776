//! How many octets a call has on the wire: seen, not computed.
//!
//! A relay between Taut's client and server counts what passes. By that the raw
//! sockets know how large their messages have to be.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use taut::Ior;
use taut_giop::ior::IiopProfile;

use crate::error::BenchError;

/// Octets each way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Octets {
    pub(crate) there: u64,
    pub(crate) back: u64,
}

/// Passes on what comes to a port of the loopback, and counts it. Its threads end
/// with the connections, the listening one with the process.
pub(crate) struct Relay {
    there: Arc<AtomicU64>,
    back: Arc<AtomicU64>,
    /// The object's reference by way of the relay.
    pub(crate) reference: String,
}

impl Relay {
    /// Begins to relay to the object with this stringified reference.
    ///
    /// # Errors
    ///
    /// [`BenchError::Orb`] when it has no IIOP profile, [`BenchError::System`] when
    /// no port is free.
    pub(crate) fn start(reference: &str) -> Result<Self, BenchError> {
        let mut ior: Ior = reference.parse().map_err(BenchError::orb)?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
        let listener = listener.map_err(BenchError::system("cannot listen"))?;
        let address = listener.local_addr();
        let address = address.map_err(BenchError::system("cannot listen"))?;
        let server = redirect(&mut ior, address)?;
        let relay = Self {
            there: Arc::default(),
            back: Arc::default(),
            reference: ior.to_string(),
        };
        let (there, back) = (Arc::clone(&relay.there), Arc::clone(&relay.back));
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                // A connection that cannot be relayed is dropped, and the client is told
                // so.
                let _ = connect(client, server, &there, &back);
            }
        });
        Ok(relay)
    }

    /// The octets that have passed since the last time.
    pub(crate) fn take(&self) -> Octets {
        Octets {
            there: self.there.swap(0, Ordering::SeqCst),
            back: self.back.swap(0, Ordering::SeqCst),
        }
    }
}

/// Puts an address into a reference; the one that was there.
fn redirect(ior: &mut Ior, address: SocketAddr) -> Result<SocketAddr, BenchError> {
    for tagged in &mut ior.profiles {
        if tagged.tag == taut_giop::ior::profile::tag::INTERNET_IOP {
            let mut profile = IiopProfile::parse(&tagged.data).map_err(BenchError::orb)?;
            let host = profile.host.parse().map_err(BenchError::orb)?;
            let server = SocketAddr::new(host, profile.port);
            profile.host = address.ip().to_string();
            profile.port = address.port();
            *tagged = profile.to_profile().map_err(BenchError::orb)?;
            return Ok(server);
        }
    }
    Err(BenchError::orb("the reference has no IIOP profile"))
}

fn connect(
    client: TcpStream,
    server: SocketAddr,
    there: &Arc<AtomicU64>,
    back: &Arc<AtomicU64>,
) -> io::Result<()> {
    let server = TcpStream::connect(server)?;
    for stream in [&client, &server] {
        stream.set_nodelay(true)?;
    }
    let (from_client, from_server) = (client.try_clone()?, server.try_clone()?);
    let (there, back) = (Arc::clone(there), Arc::clone(back));
    thread::spawn(move || pass_on(from_client, server, &there));
    thread::spawn(move || pass_on(from_server, client, &back));
    Ok(())
}

/// Passes on until the stream ends, and then ends the other. Octets are counted before they
/// are passed on, so a client that has got a reply finds it counted.
fn pass_on(mut from: TcpStream, mut to: TcpStream, count: &AtomicU64) {
    let mut buffer = vec![0; 1 << 16];
    loop {
        match from.read(&mut buffer) {
            Ok(octets @ 1..) => {
                count.fetch_add(octets as u64, Ordering::SeqCst);
                if to.write_all(&buffer[..octets]).is_err() {
                    break;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            _ => break,
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_is_counted() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let profile = IiopProfile {
            version: taut_giop::Version::V1_2,
            host: address.ip().to_string(),
            port: address.port(),
            object_key: b"key".to_vec(),
            components: Vec::new(),
        };
        let ior = Ior {
            type_id: String::new(),
            profiles: vec![profile.to_profile().unwrap()],
        };
        let relay = Relay::start(&ior.to_string()).unwrap();

        let mut relayed: Ior = relay.reference.parse().unwrap();
        let through = redirect(&mut relayed, address).unwrap();
        assert_ne!(through, address);
        assert_eq!(relayed, ior, "only the address differs");

        let mut client = TcpStream::connect(through).unwrap();
        let (mut server, _) = listener.accept().unwrap();
        let mut buffer = [0; 100_000];
        for expected in [
            Octets {
                there: 100_000,
                back: 7,
            },
            Octets {
                there: 1,
                back: 100_000,
            },
        ] {
            client
                .write_all(&buffer[..expected.there as usize])
                .unwrap();
            server
                .read_exact(&mut buffer[..expected.there as usize])
                .unwrap();
            server.write_all(&buffer[..expected.back as usize]).unwrap();
            client
                .read_exact(&mut buffer[..expected.back as usize])
                .unwrap();
            assert_eq!(relay.take(), expected);
        }
    }

    #[test]
    fn a_reference_without_an_address_is_an_error() {
        let nil = Ior {
            type_id: String::new(),
            profiles: Vec::new(),
        };
        assert!(matches!(
            Relay::start(&nil.to_string()),
            Err(BenchError::Orb { .. })
        ));
    }
}
