//! Priorities on the wire: service contexts of Real-time CORBA, and the endpoints of lanes as
//! TAO tells them.

use alloc::string::String;
use alloc::vec::Vec;

use taut_cdr::{ByteOrder, Decoder, Encoder, ErrorKind, Result};

use crate::Limits;
use crate::component::{TaggedComponent, tag};
use crate::tagged::encapsulate;

/// The octets of the service context RTCorbaPriorityRange
/// ([`RT_CORBA_PRIORITY_RANGE`](crate::service_context::id::RT_CORBA_PRIORITY_RANGE); Real-time
/// CORBA 1.2, 4.12.1), by which a client tells of which band the requests on a connection are: an
/// encapsulation with the least and the most urgent priority.
pub fn priority_range_context(least: i16, most: i16) -> [u8; 6] {
    let [a, b] = least.to_ne_bytes();
    let [c, d] = most.to_ne_bytes();
    [ByteOrder::NATIVE.flag(), 0, a, b, c, d]
}

/// The operation by which a client of Real-time CORBA binds a connection to a band (Real-time
/// CORBA 1.2, 4.12.1), without arguments and results, and with RTCorbaPriorityRange.
pub const BIND_PRIORITY_BAND: &str = "_bind_priority_band";

/// An endpoint of a server with lanes, and the priority of its lane.
///
/// TAO's component [`TAO_ENDPOINTS`](tag::TAO_ENDPOINTS) lists all endpoints of a profile so, the
/// profile's own address first.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LaneEndpoint<A> {
    /// The address, in the form of its transport.
    pub address: A,
    /// The priority of the lane.
    pub priority: i16,
}

/// The address of an endpoint in a profile of IIOP, as TAO writes it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct InternetAddress {
    /// A DNS name or a numeric address; IPv6 without brackets.
    pub host: String,
    /// The TCP port.
    pub port: u16,
}

/// A form of addresses in TAO's component.
pub trait LaneAddress: Sized {
    /// The fewest octets of an address.
    const MIN_SIZE: usize;

    /// Reads an address.
    ///
    /// # Errors
    ///
    /// When it is malformed.
    fn read(input: &mut Decoder<'_>) -> Result<Self>;

    /// Writes an address.
    ///
    /// # Errors
    ///
    /// When it has a NUL or a character beyond U+00FF.
    fn write(&self, out: &mut Encoder) -> Result<()>;
}

impl LaneAddress for InternetAddress {
    /// An empty host, which is no address, but might be written.
    const MIN_SIZE: usize = 7;

    fn read(input: &mut Decoder<'_>) -> Result<Self> {
        Ok(Self {
            host: input.read_string()?.into_owned(),
            port: input.read()?,
        })
    }

    fn write(&self, out: &mut Encoder) -> Result<()> {
        out.write_string(&self.host)?;
        out.write(self.port);
        Ok(())
    }
}

/// The path of a Unix-domain socket, in a profile of TAO's UIOP.
impl LaneAddress for String {
    const MIN_SIZE: usize = 5;

    fn read(input: &mut Decoder<'_>) -> Result<Self> {
        Ok(input.read_string()?.into_owned())
    }

    fn write(&self, out: &mut Encoder) -> Result<()> {
        out.write_string(self)
    }
}

impl<A: LaneAddress> LaneEndpoint<A> {
    /// Reads the endpoints of a component.
    ///
    /// # Errors
    ///
    /// When it is malformed or of another kind, or has more endpoints than
    /// [`Limits::max_components`].
    pub fn read_all(component: &TaggedComponent, limits: &Limits) -> Result<Vec<Self>> {
        let mut input = component.decoder(tag::TAO_ENDPOINTS)?;
        let min_size = A::MIN_SIZE + 2;
        let count = input.read_count(min_size)?;
        if count > limits.max_components {
            return Err(input.error(ErrorKind::BoundExceeded {
                length: count,
                bound: limits.max_components,
            }));
        }
        input.read_each(count, min_size, |input| {
            Ok(Self {
                address: A::read(input)?,
                priority: input.read()?,
            })
        })
    }

    /// Makes the component of these endpoints.
    ///
    /// # Errors
    ///
    /// When an address has a NUL or a character beyond U+00FF.
    pub fn to_component(endpoints: &[Self]) -> Result<TaggedComponent> {
        let data = encapsulate(ByteOrder::NATIVE, |out| {
            out.write_length(endpoints.len())?;
            endpoints.iter().try_for_each(|endpoint| {
                endpoint.address.write(out)?;
                out.write(endpoint.priority);
                Ok(())
            })
        })?;
        let tag = tag::TAO_ENDPOINTS;
        Ok(TaggedComponent { tag, data })
    }
}
