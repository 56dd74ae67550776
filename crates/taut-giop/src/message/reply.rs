//! Reply.

use taut_cdr::{ByteOrder, Decoder, Encoder, Result};

use super::lite;
use crate::service_context::ServiceContexts;
use crate::{Limits, Version};

/// The outcome of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum ReplyStatus {
    /// The results follow.
    NoException = 0,
    /// A user exception follows: its repository id, then its members.
    UserException = 1,
    /// A system exception follows; see [`crate::SystemException`].
    SystemException = 2,
    /// A reference follows, at which to try again.
    LocationForward = 3,
    /// As [`Self::LocationForward`], for good (GIOP 1.2; deprecated).
    LocationForwardPerm = 4,
    /// The request must be sent again with the addressing mode that follows as
    /// a `short` (GIOP 1.2); see [`super::AddressingMode`].
    NeedsAddressingMode = 5,
}

impl ReplyStatus {
    pub(super) const ALL: [Self; 6] = [
        Self::NoException,
        Self::UserException,
        Self::SystemException,
        Self::LocationForward,
        Self::LocationForwardPerm,
        Self::NeedsAddressingMode,
    ];

    /// The status with this number.
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// The name that the standard gives it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoException => "NO_EXCEPTION",
            Self::UserException => "USER_EXCEPTION",
            Self::SystemException => "SYSTEM_EXCEPTION",
            Self::LocationForward => "LOCATION_FORWARD",
            Self::LocationForwardPerm => "LOCATION_FORWARD_PERM",
            Self::NeedsAddressingMode => "NEEDS_ADDRESSING_MODE",
        }
    }
}

/// The header of a Reply (CORBA 3.3 part 2, 9.4.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplyHeader<'m> {
    /// The request that is answered.
    pub request_id: u32,
    /// The outcome of the call.
    pub status: ReplyStatus,
    /// The service contexts of the server's ORB.
    pub service_contexts: ServiceContexts<'m>,
}

impl<'m> ReplyHeader<'m> {
    /// Reads the header; the decoder then stands at the body.
    ///
    /// # Errors
    ///
    /// When it is malformed, or the version does not know its status.
    #[inline]
    pub fn decode(version: Version, input: &mut Decoder<'m>) -> Result<Self> {
        Self::decode_within(version, input, &Limits::DEFAULT)
    }

    /// Reads the header, with other limits than the default ones.
    ///
    /// # Errors
    ///
    /// When it is malformed, beyond a limit, or the version does not know its
    /// status.
    #[inline]
    pub fn decode_within(
        version: Version,
        input: &mut Decoder<'m>,
        limits: &Limits,
    ) -> Result<Self> {
        if version.is_lite() {
            return lite::decode_reply(input, limits);
        }
        if version.has_layout_1_2() {
            let request_id = input.read()?;
            let status = ReplyStatus::ALL[input.read_ordinal(6)? as usize];
            let service_contexts = ServiceContexts::decode_within(input, limits)?;
            input.align(8)?;
            return Ok(Self {
                request_id,
                status,
                service_contexts,
            });
        }
        let service_contexts = ServiceContexts::decode_within(input, limits)?;
        let request_id = input.read()?;
        let status = ReplyStatus::ALL[input.read_ordinal(4)? as usize];
        Ok(Self {
            request_id,
            status,
            service_contexts,
        })
    }

    /// Appends the header. [`super::begin_body`] comes next.
    ///
    /// # Errors
    ///
    /// When a service context is too long.
    #[inline]
    pub fn encode(&self, version: Version, out: &mut Encoder) -> Result<EncodedReplyHeader> {
        if version.is_lite() {
            return lite::encode_reply(self, out);
        }
        if !version.has_layout_1_2() {
            self.service_contexts.encode(out)?;
        }
        out.write(self.request_id);
        out.write(self.status as u32);
        let status_offset = out.len() - 4;
        if version.has_layout_1_2() {
            self.service_contexts.encode(out)?;
        }
        Ok(EncodedReplyHeader { status_offset })
    }
}

/// Where in its message a reply header says what may change later. A server
/// writes [`ReplyStatus::NoException`] before it knows the outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EncodedReplyHeader {
    /// Behind the request id, which takes 4 octets.
    status_offset: usize,
}

impl EncodedReplyHeader {
    /// A header whose status stands at this offset.
    #[inline]
    pub(super) fn at(status_offset: usize) -> Self {
        Self { status_offset }
    }

    /// Overwrites the status in the encoder that the header was written to.
    #[inline]
    pub fn set_status(&self, out: &mut Encoder, status: ReplyStatus) {
        out.patch(self.status_offset, status as u32);
    }

    /// Overwrites the request id in the encoder that the header was written to.
    #[inline]
    pub fn set_request_id(&self, out: &mut Encoder, request_id: u32) {
        out.patch(self.status_offset - 4, request_id);
    }

    /// Returns the request id, if the header is in this encoder.
    pub fn request_id(&self, out: &Encoder) -> Option<u32> {
        let octets = out.as_bytes().get(self.status_offset - 4..)?;
        let octets = octets.first_chunk()?;
        Some(match out.order() {
            ByteOrder::Little => u32::from_le_bytes(*octets),
            ByteOrder::Big => u32::from_be_bytes(*octets),
        })
    }

    /// Returns the status, if the header is in this encoder.
    pub fn status(&self, out: &Encoder) -> Option<ReplyStatus> {
        let octets = out.as_bytes().get(self.status_offset..)?;
        let octets = octets.first_chunk()?;
        ReplyStatus::from_number(match out.order() {
            ByteOrder::Little => u32::from_le_bytes(*octets),
            ByteOrder::Big => u32::from_be_bytes(*octets),
        })
    }

    /// The offset of the status from the message's start.
    #[inline]
    pub fn status_offset(&self) -> usize {
        self.status_offset
    }
}
