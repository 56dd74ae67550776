//! The protocol: names of places, and how they are found.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use taut_cdr::{Decoder, Encoder, ErrorKind};
use taut_transport::{
    Acceptor, Address, AddressError, Channel, ConnectError, ConnectOptions, ListenOptions,
    Protocol, Reach, Stream,
};

use crate::acceptor::{InProcessAcceptor, Place};

const SCHEME: &str = "inproc";

/// The places by their names.
pub(crate) type Places = Mutex<HashMap<String, Arc<Place>>>;

/// A transport through the memory of a process. Clones reach each other, others do not.
#[derive(Debug, Clone, Default)]
pub struct InProcess {
    places: Arc<Places>,
    /// How many places have been given a name.
    named: Arc<AtomicUsize>,
}

impl InProcess {
    /// A transport that reaches its clones.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Protocol for InProcess {
    fn scheme(&self) -> &str {
        SCHEME
    }

    /// A number that nobody has registered: such references mean nothing elsewhere.
    fn profile_tag(&self) -> u32 {
        0x7461_7570
    }

    fn reach(&self) -> Reach {
        Reach::Process
    }

    /// Any name will do, and none asks for one that nobody has.
    fn parse_endpoint(&self, place: &str) -> Result<String, AddressError> {
        Ok(place.to_owned())
    }

    fn parse_address(&self, place: &str) -> Result<Address, AddressError> {
        match place {
            "" => Err(AddressError::Place(
                "the name is missing: write inproc://name".to_owned(),
            )),
            name => Ok(Address::other(SCHEME, name)),
        }
    }

    fn read_address(&self, profile: &mut Decoder<'_>) -> taut_cdr::Result<Address> {
        let name = profile.read_plain_text()?;
        Ok(Address::other(SCHEME, name))
    }

    fn write_address(&self, address: &Address, profile: &mut Encoder) -> taut_cdr::Result<()> {
        if address.scheme() != SCHEME {
            let kind = ErrorKind::Invalid("the address is not one within a process");
            return Err(taut_cdr::Error::new(kind, profile.position()));
        }
        profile.write_string_octets(address.place().as_bytes())
    }

    fn is_here(&self, address: &Address) -> bool {
        self.places.lock().contains_key(&address.place())
    }

    fn connect(&self, address: &Address, options: &ConnectOptions) -> Result<Stream, ConnectError> {
        let place = self.places.lock().get(&address.place()).cloned();
        let connected = match place {
            Some(place) => place.connect(address.to_string(), options.timeout),
            None => Err(io::ErrorKind::ConnectionRefused.into()),
        };
        match connected {
            Ok(end) => Ok(Stream::from(Box::new(end) as Box<dyn Channel>)),
            Err(error) => Err(ConnectError::new(address, error)),
        }
    }

    fn listen(&self, place: &str, options: &ListenOptions) -> io::Result<Box<dyn Acceptor>> {
        let name = match place {
            "" => format!("{}", self.named.fetch_add(1, Ordering::Relaxed)),
            name => name.to_owned(),
        };
        let backlog = usize::try_from(options.backlog)
            .unwrap_or(usize::MAX)
            .max(1);
        let place = Arc::new(Place::new(backlog));
        match self.places.lock().entry(name.clone()) {
            Entry::Occupied(_) => return Err(io::ErrorKind::AddrInUse.into()),
            Entry::Vacant(entry) => entry.insert(Arc::clone(&place)),
        };
        Ok(Box::new(InProcessAcceptor {
            place,
            address: Address::other(SCHEME, name),
            places: Arc::downgrade(&self.places),
        }))
    }
}
