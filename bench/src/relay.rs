//! The octets that calls have on the wire, counted on their way.
//!
//! A relay between Taut's client and server counts what passes, which tells how large
//! the messages of raw sockets have to be.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use taut::Ior;
use taut_giop::ior::IiopProfile;
use test_tools::Direction;

use crate::error::BenchError;

/// Octets each way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Octets {
    pub(crate) there: u64,
    pub(crate) back: u64,
}

/// A relay that counts octets. Octets are counted before they are passed on, so that a
/// client that has its reply finds it counted.
pub(crate) struct Relay {
    there: Arc<AtomicU64>,
    back: Arc<AtomicU64>,
    /// The object's reference by way of the relay.
    pub(crate) reference: String,
}

impl Relay {
    /// Starts to relay to the object with this stringified reference.
    ///
    /// # Errors
    ///
    /// [`BenchError::Orb`] when it has no IIOP profile, [`BenchError::System`] when
    /// no port is free.
    pub(crate) fn start(reference: &str) -> Result<Self, BenchError> {
        let mut ior: Ior = reference.parse().map_err(BenchError::orb)?;
        let (there, back) = <(Arc<AtomicU64>, Arc<AtomicU64>)>::default();
        let counts = (Arc::clone(&there), Arc::clone(&back));
        redirect(&mut ior, |server| {
            let relay = test_tools::Relay::start(server, move |direction| {
                let count = Arc::clone(match direction {
                    Direction::There => &counts.0,
                    Direction::Back => &counts.1,
                });
                move |octets: &[u8]| _ = count.fetch_add(octets.len() as u64, Ordering::SeqCst)
            });
            let relay = relay.map_err(BenchError::system("cannot listen"))?;
            Ok(relay.address())
        })?;
        Ok(Self {
            there,
            back,
            reference: ior.to_string(),
        })
    }

    /// The octets that have passed since the last time.
    pub(crate) fn take(&self) -> Octets {
        Octets {
            there: self.there.swap(0, Ordering::SeqCst),
            back: self.back.swap(0, Ordering::SeqCst),
        }
    }
}

/// Replaces the address in a reference.
fn redirect(
    ior: &mut Ior,
    replace: impl FnOnce(SocketAddr) -> Result<SocketAddr, BenchError>,
) -> Result<(), BenchError> {
    let iiop = taut_giop::ior::profile::tag::INTERNET_IOP;
    let tagged = ior.profiles.iter_mut().find(|it| it.tag == iiop);
    let tagged = tagged.ok_or_else(|| BenchError::orb("the reference has no IIOP profile"))?;
    let mut profile = IiopProfile::parse(&tagged.data).map_err(BenchError::orb)?;
    let host = profile.host.parse().map_err(BenchError::orb)?;
    let address = replace(SocketAddr::new(host, profile.port))?;
    profile.host = address.ip().to_string();
    profile.port = address.port();
    *tagged = profile.to_profile().map_err(BenchError::orb)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{Ipv4Addr, TcpListener, TcpStream};

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
        let mut through = address;
        let replace = |its| {
            through = its;
            Ok(address)
        };
        redirect(&mut relayed, replace).unwrap();
        assert_ne!(through, address);
        assert_eq!(relayed, ior, "only the address differs");

        let mut client = TcpStream::connect(through).unwrap();
        let (mut server, _) = listener.accept().unwrap();
        let mut buffer = [0; 100_000];
        for (there, back) in [(100_000, 7), (1, 100_000)] {
            client.write_all(&buffer[..there]).unwrap();
            server.read_exact(&mut buffer[..there]).unwrap();
            server.write_all(&buffer[..back]).unwrap();
            client.read_exact(&mut buffer[..back]).unwrap();
            let expected = Octets {
                there: there as u64,
                back: back as u64,
            };
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
