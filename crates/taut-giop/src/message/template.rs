//! Headers that are the same from message to message: written once, then
//! copied, or compared, in one piece.

use alloc::boxed::Box;
use alloc::vec::Vec;

use taut_cdr::{ByteOrder, Encoder, Result};

use super::{
    EncodedReplyHeader, HEADER_SIZE, MessageHeader, MessageType, RequestHeader, ResponseFlags,
    TargetAddress, begin_message,
};
use crate::Version;
use crate::service_context::ServiceContexts;

/// Everything of a Request, in this machine's byte order and without service
/// contexts, that depends on the target alone: all that stands before the
/// operation's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestTemplate {
    version: Version,
    octets: Box<[u8]>,
    request_id_offset: usize,
    response_offset: usize,
}

impl RequestTemplate {
    /// The template of requests to a target.
    ///
    /// # Errors
    ///
    /// When a length does not fit in 32 bits, or the version cannot name the
    /// target in this form.
    pub fn new(version: Version, target: TargetAddress<'_>) -> Result<Self> {
        let mut out = Encoder::with_buffer(Vec::new(), ByteOrder::NATIVE);
        begin_message(&mut out, version, MessageType::Request);
        let header = RequestHeader {
            request_id: 0,
            response: ResponseFlags::Expected,
            target,
            operation: b"",
            service_contexts: ServiceContexts::EMPTY,
        };
        let encoded = header.encode(version, &mut out)?;
        // An empty name takes 5 octets; what follows differs by version: a
        // count of contexts, or a principal, each an aligned 0.
        let name = (out.len() - 4 - 5) & !3;
        out.truncate(name);
        Ok(Self {
            version,
            request_id_offset: encoded.request_id_offset(),
            // Behind the id, in all versions.
            response_offset: encoded.request_id_offset() + 4,
            octets: out.into_buffer().into(),
        })
    }

    /// Writes a whole header into an empty encoder of this machine's byte
    /// order; [`super::begin_body`] comes next.
    ///
    /// The operation's name is not searched for NUL, which no name has that
    /// comes from IDL; a peer refuses one that does.
    ///
    /// # Errors
    ///
    /// When the name's length does not fit in 32 bits.
    #[inline]
    pub fn write(
        &self,
        out: &mut Encoder,
        request_id: u32,
        response: ResponseFlags,
        operation: &str,
    ) -> Result<()> {
        debug_assert!(out.is_empty() && out.order() == ByteOrder::NATIVE);
        out.write_bytes(&self.octets);
        out.patch(self.request_id_offset, request_id);
        if response != ResponseFlags::Expected {
            let octet = match self.version.has_layout_1_2() {
                true => response.to_octet(),
                false => u8::from(response.expects_reply()),
            };
            out.patch(self.response_offset, octet);
        }
        out.write_length(operation.len() + 1)?;
        out.write_bytes(operation.as_bytes());
        out.write_bytes(&[0]);
        out.write(0_u32);
        Ok(())
    }
}

/// The octets of a Reply's header, all versions, without service contexts.
const PLAIN_REPLY_SIZE: usize = HEADER_SIZE + 12;

/// A reply's header as most replies have it: NO_EXCEPTION, no service
/// contexts, this machine's byte order.
#[inline]
fn plain_reply(version: Version, request_id: u32, size: u32) -> [u8; PLAIN_REPLY_SIZE] {
    let header = MessageHeader {
        version,
        order: ByteOrder::NATIVE,
        more_fragments: false,
        message_type: MessageType::Reply,
        size,
    };
    let mut octets = [0; PLAIN_REPLY_SIZE];
    octets[..HEADER_SIZE].copy_from_slice(&header.to_bytes());
    let offset = request_id_offset(version);
    octets[offset..offset + 4].copy_from_slice(&request_id.to_ne_bytes());
    octets
}

/// Where the request id stands when there are no service contexts, which come
/// before it until GIOP 1.1 and behind it since.
#[inline]
const fn request_id_offset(version: Version) -> usize {
    if version.has_layout_1_2() {
        HEADER_SIZE
    } else {
        HEADER_SIZE + 4
    }
}

/// Begins a Reply without service contexts in an empty encoder of this
/// machine's byte order; [`super::begin_body`] comes next.
#[inline]
pub fn begin_plain_reply(
    out: &mut Encoder,
    version: Version,
    request_id: u32,
) -> EncodedReplyHeader {
    debug_assert!(out.is_empty() && out.order() == ByteOrder::NATIVE);
    out.write_bytes(&plain_reply(version, request_id, 0));
    EncodedReplyHeader::at(request_id_offset(version) + 4)
}

/// Whether `message` is, in one piece, just the reply that was most likely to
/// come: to this request, in this machine's byte order, NO_EXCEPTION, without
/// service contexts. The body, if there is one, then begins behind
/// [`PLAIN_REPLY_BODY`] octets. Anything else needs to be read in full.
#[inline]
pub fn is_plain_reply(message: &[u8], version: Version, request_id: u32) -> bool {
    let Some((header, body)) = message.split_first_chunk::<PLAIN_REPLY_SIZE>() else {
        return false;
    };
    let Ok(size) = u32::try_from(body.len() + PLAIN_REPLY_SIZE - HEADER_SIZE) else {
        return false;
    };
    *header == plain_reply(version, request_id, size)
}

/// Where the body of a plain reply begins, in all versions.
pub const PLAIN_REPLY_BODY: usize = PLAIN_REPLY_SIZE;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{ReplyHeader, ReplyStatus, begin_body, finish_message};

    const VERSIONS: [Version; 3] = [Version::V1_0, Version::V1_1, Version::V1_2];

    #[test]
    fn a_request_from_a_template_is_the_request() {
        for version in VERSIONS {
            for key in [&b""[..], b"k", b"key", b"a longer key"] {
                for operation in ["ping", "_get_x", "o", "operations", ""] {
                    for response in [ResponseFlags::Expected, ResponseFlags::None] {
                        let target = TargetAddress::Key(key);
                        let mut whole = Encoder::new(ByteOrder::NATIVE);
                        begin_message(&mut whole, version, MessageType::Request);
                        let header = RequestHeader {
                            request_id: 77,
                            response,
                            target,
                            operation: operation.as_bytes(),
                            service_contexts: ServiceContexts::EMPTY,
                        };
                        header.encode(version, &mut whole).unwrap();

                        let template = RequestTemplate::new(version, target).unwrap();
                        let mut out = Encoder::new(ByteOrder::NATIVE);
                        template.write(&mut out, 77, response, operation).unwrap();
                        assert_eq!(out.as_bytes(), whole.as_bytes(), "{version} {operation}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_plain_reply_is_known_by_its_octets_and_nothing_else_is() {
        for version in VERSIONS {
            let reply = |order, id, status, contexts, body: &[u8]| {
                let mut out = Encoder::new(order);
                begin_message(&mut out, version, MessageType::Reply);
                let header = ReplyHeader {
                    request_id: id,
                    status,
                    service_contexts: contexts,
                };
                header.encode(version, &mut out).unwrap();
                let start = begin_body(version, &mut out);
                out.write_bytes(body);
                start.finish(&mut out);
                finish_message(&mut out).unwrap();
                out.into_buffer()
            };
            let plain = ReplyStatus::NoException;
            let none = ServiceContexts::EMPTY;
            for body in [&b""[..], b"x", b"longer body"] {
                let whole = reply(ByteOrder::NATIVE, 9, plain, none, body);
                assert!(is_plain_reply(&whole, version, 9));
                assert_eq!(&whole[PLAIN_REPLY_BODY..], body);
                for cut in 0..whole.len() {
                    assert!(!is_plain_reply(&whole[..cut], version, 9));
                }
                assert!(!is_plain_reply(&[&whole[..], b"."].concat(), version, 9));

                let mut out = Encoder::new(ByteOrder::NATIVE);
                let header = begin_plain_reply(&mut out, version, 9);
                header.set_status(&mut out, plain);
                out.write_bytes(body);
                finish_message(&mut out).unwrap();
                assert_eq!(out.as_bytes(), whole);
            }
            let foreign = match ByteOrder::NATIVE {
                ByteOrder::Little => ByteOrder::Big,
                ByteOrder::Big => ByteOrder::Little,
            };
            let contexts = [crate::service_context::ServiceContext { id: 1, data: b"" }];
            for other in [
                reply(foreign, 9, plain, none, b"x"),
                reply(ByteOrder::NATIVE, 8, plain, none, b"x"),
                reply(ByteOrder::NATIVE, 9, ReplyStatus::UserException, none, b"x"),
                reply(
                    ByteOrder::NATIVE,
                    9,
                    plain,
                    ServiceContexts::new(&contexts),
                    b"x",
                ),
            ] {
                assert!(!is_plain_reply(&other, version, 9));
            }
        }
    }
}
