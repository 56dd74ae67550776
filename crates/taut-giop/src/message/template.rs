//! Request headers that are the same from call to call: written once, then
//! copied in one piece.

use alloc::boxed::Box;
use alloc::vec::Vec;

use taut_cdr::{ByteOrder, Encoder, Result};

use super::{MessageType, RequestHeader, ResponseFlags, TargetAddress, begin_message};
use crate::Version;
use crate::service_context::ServiceContexts;

/// Everything of a Request, without service contexts, that depends on the target
/// alone: all that stands before the operation's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestTemplate {
    version: Version,
    order: ByteOrder,
    octets: Box<[u8]>,
    request_id_offset: usize,
    response_offset: usize,
}

impl RequestTemplate {
    /// The template of requests to a target, in this byte order.
    ///
    /// # Errors
    ///
    /// When a length does not fit in 32 bits, or the version cannot name the
    /// target in this form.
    pub fn new(version: Version, order: ByteOrder, target: TargetAddress<'_>) -> Result<Self> {
        let mut out = Encoder::with_buffer(Vec::new(), order);
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
            order,
            request_id_offset: encoded.request_id_offset(),
            // Behind the id, in all versions.
            response_offset: encoded.request_id_offset() + 4,
            octets: out.into_buffer().into(),
        })
    }

    /// Gives another request id to a header that was written from this template
    /// to the encoder's start.
    #[inline]
    pub fn set_request_id(&self, out: &mut Encoder, request_id: u32) {
        out.patch(self.request_id_offset, request_id);
    }

    /// Writes a whole header into an empty encoder of the template's byte order;
    /// [`super::begin_body`] comes next.
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
        debug_assert!(out.is_empty() && out.order() == self.order);
        out.write_few_bytes(&self.octets);
        self.set_request_id(out, request_id);
        if response != ResponseFlags::Expected {
            let octet = match self.version.has_layout_1_2() {
                true => response.to_octet(),
                false => u8::from(response.expects_reply()),
            };
            out.patch(self.response_offset, octet);
        }
        out.write_length(operation.len() + 1)?;
        out.write_few_bytes(operation.as_bytes());
        out.write_bytes(&[0]);
        out.write(0_u32);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERSIONS: [Version; 3] = [Version::V1_0, Version::V1_1, Version::V1_2];

    #[test]
    fn a_request_from_a_template_is_the_request() {
        for version in VERSIONS {
            for key in [&b""[..], b"k", b"key", b"a longer key"] {
                for operation in ["ping", "_get_x", "o", "operations", ""] {
                    for response in [ResponseFlags::Expected, ResponseFlags::None] {
                        for order in [ByteOrder::Little, ByteOrder::Big] {
                            is_the_request(version, order, key, operation, response);
                        }
                    }
                }
            }
        }
    }

    fn is_the_request(
        version: Version,
        order: ByteOrder,
        key: &[u8],
        operation: &str,
        response: ResponseFlags,
    ) {
        let target = TargetAddress::Key(key);
        let mut whole = Encoder::new(order);
        begin_message(&mut whole, version, MessageType::Request);
        let header = RequestHeader {
            request_id: 77,
            response,
            target,
            operation: operation.as_bytes(),
            service_contexts: ServiceContexts::EMPTY,
        };
        header.encode(version, &mut whole).unwrap();

        let template = RequestTemplate::new(version, order, target).unwrap();
        let mut out = Encoder::new(order);
        template.write(&mut out, 77, response, operation).unwrap();
        assert_eq!(out.as_bytes(), whole.as_bytes(), "{version} {operation}");
    }
}
