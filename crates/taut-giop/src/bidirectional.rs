//! Bidirectional GIOP: where a client's own objects are, so that the server may
//! call them over the connection on which it is called (CORBA 3.3 part 2, 9.8).

use alloc::string::String;
use alloc::vec::Vec;

use taut_cdr::{ByteOrder, Decoder, Error, ErrorKind, Result};

use crate::tagged::encapsulate;

/// A host and a port, as they stand in the references to the client's objects.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ListenPoint {
    /// A DNS name or a numeric address.
    pub host: String,
    /// The TCP port.
    pub port: u16,
}

/// A string's length and its NUL, and the port.
const MIN_SIZE: usize = 4 + 1 + 2;

/// Reads the data of the service context
/// [`BI_DIR_IIOP`](crate::service_context::id::BI_DIR_IIOP).
///
/// # Errors
///
/// When it is malformed, or has more than `limit` entries.
pub fn from_context_data(data: &[u8], limit: usize) -> Result<Vec<ListenPoint>> {
    let mut input = Decoder::encapsulated(data)?;
    let start = input.position();
    let count = input.read_count(MIN_SIZE)?;
    if count > limit {
        let kind = ErrorKind::BoundExceeded {
            length: count,
            bound: limit,
        };
        return Err(Error::new(kind, start));
    }
    let mut points = Vec::new();
    for _ in 0..count {
        points.push(ListenPoint {
            host: input.read_string()?.into_owned(),
            port: input.read()?,
        });
    }
    Ok(points)
}

/// The data of the service context.
///
/// # Errors
///
/// When a host has a NUL or a character beyond U+00FF.
pub fn to_context_data(points: &[ListenPoint]) -> Result<Vec<u8>> {
    encapsulate(ByteOrder::NATIVE, |out| {
        out.write_length(points.len())?;
        for point in points {
            out.write_string(&point.host)?;
            out.write(point.port);
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(host: &str, port: u16) -> ListenPoint {
        ListenPoint {
            host: host.into(),
            port,
        }
    }

    #[test]
    fn what_was_written_is_read() {
        let points = [
            point("127.0.0.1", 2809),
            point("::1", 1),
            point("x.example", 65535),
        ];
        let data = to_context_data(&points).unwrap();
        assert_eq!(from_context_data(&data, 3).unwrap(), points);
        for cut in 0..data.len() {
            from_context_data(&data[..cut], 3).unwrap_err();
        }
    }

    #[test]
    fn the_limit_holds_and_no_count_is_believed() {
        let data = to_context_data(&[point("a", 1), point("b", 2)]).unwrap();
        assert_eq!(
            from_context_data(&data, 1).unwrap_err().kind(),
            ErrorKind::BoundExceeded {
                length: 2,
                bound: 1
            }
        );
        from_context_data(b"\0\0\0\0\xff\xff\xff\xff", usize::MAX).unwrap_err();
    }

    /// A listen point as the standard lays it out, big-endian.
    #[test]
    fn the_octets_are_those_of_the_standard() {
        let data = b"\0\0\0\0\0\0\0\x01\0\0\0\x03ab\0\0\x0a\xf9";
        assert_eq!(from_context_data(data, 9).unwrap(), [point("ab", 2809)]);
    }
}
