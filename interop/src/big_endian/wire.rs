//! Whole messages on a stream, and references in them.

use std::io::{self, Read};
use std::net::TcpStream;

use taut::{CompletionStatus, Ior, ObjectRef, Orb, Reference, SystemException};
use taut_cdr::{Decode, Decoder, Result as CdrResult};
use taut_giop::message::{HEADER_SIZE, MessageHeader};

/// The most octets of a message that is believed.
const MESSAGE_SIZE_MAX: usize = 16 << 20;

/// Reads one message; `None` at the end of the stream.
pub(super) fn read_message(mut stream: &TcpStream) -> io::Result<Option<(MessageHeader, Vec<u8>)>> {
    let mut octets = [0; HEADER_SIZE];
    match stream.read_exact(&mut octets) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let invalid = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
    let header = MessageHeader::parse(&octets).map_err(|error| invalid(error.to_string()))?;
    if header.more_fragments || header.total_size() > MESSAGE_SIZE_MAX {
        return Err(invalid("a fragment, or a huge message".to_owned()));
    }
    let mut message = octets.to_vec();
    message.resize(header.total_size(), 0);
    stream.read_exact(&mut message[HEADER_SIZE..])?;
    Ok(Some((header, message)))
}

/// Reads a reference, which shall belong to `orb`.
pub(super) fn read_reference<R: Reference>(
    input: &mut Decoder<'_>,
    orb: &Orb,
) -> taut::Result<Option<R>> {
    let ior = unmarshal(Ior::decode(input))?;
    if ior.is_nil() {
        return Ok(None);
    }
    let object: ObjectRef = orb.string_to_object(&ior.to_string())?;
    Ok(Some(object.unchecked_narrow()))
}

/// MARSHAL for what could not be read or written.
pub(super) fn unmarshal<T>(result: CdrResult<T>) -> taut::Result<T> {
    result.map_err(|error| SystemException::from_cdr(&error, CompletionStatus::Maybe))
}
