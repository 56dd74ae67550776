//! Request.

use taut_cdr::{Decoder, Encoder, Error, ErrorKind, Result};

use super::{TargetAddress, lite};
use crate::service_context::ServiceContexts;
use crate::{Limits, Version};

/// Which answer the caller wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ResponseFlags {
    /// None: a oneway call.
    None,
    /// An empty reply from the server's ORB before the object is called. Before
    /// GIOP 1.2 it cannot be told from [`Self::Expected`].
    SyncWithServer,
    /// The reply of the object.
    Expected,
}

impl ResponseFlags {
    /// The octet of GIOP 1.2 (CORBA 3.3 part 2, 9.4.2.1).
    #[inline]
    pub const fn to_octet(self) -> u8 {
        match self {
            Self::None => 0,
            Self::SyncWithServer => 1,
            Self::Expected => 3,
        }
    }

    /// The meaning of GIOP 1.2's octet.
    #[inline]
    pub const fn from_octet(octet: u8) -> Option<Self> {
        match octet {
            0 => Some(Self::None),
            1 => Some(Self::SyncWithServer),
            3 => Some(Self::Expected),
            _ => None,
        }
    }

    /// The boolean of GIOP 1.0 and 1.1: whether any reply is expected.
    #[inline]
    pub const fn expects_reply(self) -> bool {
        !matches!(self, Self::None)
    }
}

/// The header of a Request (CORBA 3.3 part 2, 9.4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestHeader<'m> {
    /// Names the call in its reply.
    pub request_id: u32,
    /// Which answer is wanted.
    pub response: ResponseFlags,
    /// The object that is called. Before GIOP 1.2 only [`TargetAddress::Key`]
    /// can be sent.
    pub target: TargetAddress<'m>,
    /// The operation's name, without the closing NUL.
    pub operation: &'m [u8],
    /// The service contexts of the client's ORB.
    pub service_contexts: ServiceContexts<'m>,
}

impl<'m> RequestHeader<'m> {
    /// Reads the header; the decoder then stands at the body. The requesting
    /// principal of GIOP 1.0 and 1.1, which the standard has withdrawn, is
    /// skipped.
    ///
    /// # Errors
    ///
    /// When it is malformed.
    #[inline]
    pub fn decode(version: Version, input: &mut Decoder<'m>) -> Result<Self> {
        Self::decode_within(version, input, &Limits::DEFAULT)
    }

    /// Reads the header, with other limits than the default ones.
    ///
    /// # Errors
    ///
    /// When it is malformed, or beyond a limit.
    #[inline]
    pub fn decode_within(
        version: Version,
        input: &mut Decoder<'m>,
        limits: &Limits,
    ) -> Result<Self> {
        if version.is_lite() {
            return lite::decode_request(input, limits);
        }
        if !version.has_layout_1_2() {
            return Self::decode_1_0(version, input, limits);
        }
        let request_id = input.read()?;
        let Some(response) = ResponseFlags::from_octet(input.read()?) else {
            let kind = ErrorKind::Invalid("the response flags are none of 0, 1 and 3");
            return Err(Error::new(kind, input.position() - 1));
        };
        input.skip(3)?;
        let target = TargetAddress::decode(input, limits)?;
        let operation = read_operation(input)?;
        let service_contexts = ServiceContexts::decode_within(input, limits)?;
        input.align(8)?;
        Ok(Self {
            request_id,
            response,
            target,
            operation,
            service_contexts,
        })
    }

    /// The layout of GIOP 1.0; that of 1.1 has three reserved octets more.
    fn decode_1_0(version: Version, input: &mut Decoder<'m>, limits: &Limits) -> Result<Self> {
        let service_contexts = ServiceContexts::decode_within(input, limits)?;
        let request_id = input.read()?;
        let response = if input.read_bool()? {
            ResponseFlags::Expected
        } else {
            ResponseFlags::None
        };
        if version.minor >= 1 {
            input.skip(3)?;
        }
        let target = TargetAddress::Key(input.read_octets()?);
        let operation = read_operation(input)?;
        let _requesting_principal = input.read_octets()?;
        Ok(Self {
            request_id,
            response,
            target,
            operation,
            service_contexts,
        })
    }

    /// Appends the header. [`super::begin_body`] comes next.
    ///
    /// # Errors
    ///
    /// When the operation has a NUL, a length does not fit in 32 bits, or the
    /// target is no plain key and the version allows no other.
    #[inline]
    pub fn encode(&self, version: Version, out: &mut Encoder) -> Result<EncodedRequestHeader> {
        if version.is_lite() {
            return lite::encode_request(self, out);
        }
        if !version.has_layout_1_2() {
            return self.encode_1_0(version, out);
        }
        out.write(self.request_id);
        let request_id_offset = out.len() - 4;
        out.write_bytes(&[self.response.to_octet(), 0, 0, 0]);
        self.target.encode(out)?;
        let target_end = out.len();
        self.encode_operation(out)?;
        self.service_contexts.encode(out)?;
        Ok(EncodedRequestHeader {
            request_id_offset,
            target_end,
        })
    }

    fn encode_1_0(&self, version: Version, out: &mut Encoder) -> Result<EncodedRequestHeader> {
        self.service_contexts.encode(out)?;
        out.write(self.request_id);
        let request_id_offset = out.len() - 4;
        out.write(u8::from(self.response.expects_reply()));
        if version.minor >= 1 {
            out.write_bytes(&[0; 3]);
        }
        self.target.encode_key(out)?;
        let target_end = out.len();
        self.encode_operation(out)?;
        out.write(0_u32); // no requesting principal
        Ok(EncodedRequestHeader {
            request_id_offset,
            target_end,
        })
    }

    #[inline]
    pub(super) fn encode_operation(&self, out: &mut Encoder) -> Result<()> {
        if self.operation.contains(&0) {
            return Err(Error::new(ErrorKind::NulInString, out.position()));
        }
        out.write_length(self.operation.len() + 1)?;
        out.write_bytes(self.operation);
        out.write_bytes(&[0]);
        Ok(())
    }
}

/// Reads an operation's name. NUL within it is not looked for: such a name is
/// simply none that a table of operations has.
#[inline]
pub(super) fn read_operation<'m>(input: &mut Decoder<'m>) -> Result<&'m [u8]> {
    match input.read_octets()?.split_last() {
        Some((0, name)) => Ok(name),
        _ => Err(input.error(ErrorKind::UnterminatedString)),
    }
}

/// Where in its message a request header says what changes from call to call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EncodedRequestHeader {
    request_id_offset: usize,
    target_end: usize,
}

impl EncodedRequestHeader {
    /// A header whose request id and whose target's end stand at these offsets.
    pub(super) fn at(request_id_offset: usize, target_end: usize) -> Self {
        Self {
            request_id_offset,
            target_end,
        }
    }

    /// Overwrites the request id in the encoder that the header was written to,
    /// or in one that holds a copy of its message.
    #[inline]
    pub fn set_request_id(&self, out: &mut Encoder, request_id: u32) {
        out.patch(self.request_id_offset, request_id);
    }

    /// The offset of the target's end from the message's start.
    #[inline]
    pub(super) fn target_end(&self) -> usize {
        self.target_end
    }

    /// The offset of the request id from the message's start.
    #[inline]
    pub fn request_id_offset(&self) -> usize {
        self.request_id_offset
    }
}
