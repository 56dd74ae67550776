//! Request headers that are the same from call to call: written once, then
//! copied in one piece.

use alloc::vec::Vec;

use smallvec::SmallVec;
use taut_cdr::{ByteOrder, Encoder, Error, ErrorKind, Result};

use super::{MessageType, RequestHeader, ResponseFlags, TargetAddress, begin_message, lite};
use crate::Version;
use crate::service_context::ServiceContexts;

/// Everything of a Request, without service contexts, that depends on the target
/// alone: all that stands before the operation's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestTemplate {
    /// Beside the rest, so that a call meets as little cold memory as can be: keys are
    /// seldom longer than some 50 octets.
    octets: SmallVec<[u8; 80]>,
    /// Where the target ends, without padding.
    target_end: u32,
    version: Version,
    order: ByteOrder,
    /// Not far from the start in any version.
    request_id_offset: u8,
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
        let too_long = |_| Error::new(ErrorKind::TooLong, out.position());
        let target_end = u32::try_from(encoded.target_end()).map_err(too_long)?;
        // An empty name takes 5 octets; what follows differs by version: a
        // count of contexts, or a principal, each an aligned 0, and in GIOPlite nothing.
        let behind_name = match version.is_lite() {
            true => 0,
            false => 4,
        };
        let name = (out.len() - behind_name - 5) & !3;
        out.truncate(name);
        Ok(Self {
            octets: SmallVec::from_slice(out.as_bytes()),
            target_end,
            version,
            order,
            request_id_offset: encoded.request_id_offset() as u8,
        })
    }

    /// Gives another request id to a header that was written from this template
    /// to the encoder's start.
    #[inline]
    pub fn set_request_id(&self, out: &mut Encoder, request_id: u32) {
        out.patch(self.request_id_offset.into(), request_id);
    }

    /// Where it says whether a reply is expected: behind the id, in all versions of GIOP.
    #[inline]
    fn response_offset(&self) -> usize {
        match self.version.is_lite() {
            true => lite::DETAIL_OFFSET,
            false => usize::from(self.request_id_offset) + 4,
        }
    }

    /// Where all begins that differs between targets: behind the id, and in GIOP behind the
    /// response and what is reserved there.
    #[inline]
    fn target_offset(&self) -> usize {
        let response = match self.version.is_lite() {
            true => 0,
            false => 4,
        };
        usize::from(self.request_id_offset) + 4 + response
    }

    /// The object key, if the target is named by key.
    pub fn object_key(&self) -> &[u8] {
        // Its length, which in GIOP 1.2 stands behind the form of the target.
        let before = match self.version.has_layout_1_2() && !self.version.is_lite() {
            true => 8,
            false => 4,
        };
        &self.octets[self.target_offset() + before..self.target_end as usize]
    }

    /// Gives another end to the object key in a header that was written from this
    /// template to the encoder's start. The target must be named by key.
    ///
    /// # Panics
    ///
    /// When the end is longer than the header.
    #[inline]
    pub fn end_key(&self, out: &mut Encoder, end: &[u8]) {
        out.patch_bytes(self.target_end as usize - end.len(), end);
    }

    /// Makes a header that was written from another template of the same
    /// [shape](Self::shape) that of this one: the target is all that is written, and read,
    /// beside the id.
    #[inline]
    pub fn replace(&self, out: &mut Encoder, request_id: u32) {
        let target = self.target_offset();
        out.patch_bytes(target, &self.octets[target..]);
        self.set_request_id(out, request_id);
    }

    /// Returns the length and the version, which two headers must share if one is
    /// [made](Self::replace) of the other.
    #[inline]
    pub fn shape(&self) -> (usize, Version) {
        (self.octets.len(), self.version)
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
            out.patch(self.response_offset(), octet);
        }
        out.write_length(operation.len() + 1)?;
        out.write_few_bytes(operation.as_bytes());
        out.write_bytes(&[0]);
        if !self.version.is_lite() {
            out.write(0_u32);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERSIONS: [Version; 4] = [Version::V1_0, Version::V1_1, Version::V1_2, Version::LITE];

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
        assert_eq!(out.as_bytes(), whole.as_bytes());
        assert_eq!(template.object_key(), key);

        let other_key: Vec<u8> = key.iter().map(|octet| octet ^ 0xff).collect();
        let other = TargetAddress::Key(&other_key);
        let other = RequestTemplate::new(version, order, other).unwrap();
        assert_eq!(other.shape(), template.shape());
        let mut out = Encoder::new(order);
        other.write(&mut out, 76, response, operation).unwrap();
        template.replace(&mut out, 77);
        assert_eq!(out.as_bytes(), whole.as_bytes(), "{version} {operation}");
    }
}
