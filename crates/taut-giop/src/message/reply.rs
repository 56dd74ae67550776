//! Reply.

use taut_cdr::{ByteOrder, Decoder, Encoder, Error, ErrorKind, Result};

use super::{BodyStart, HEADER_SIZE, begin_body};
use crate::service_context::{ServiceContext, ServiceContexts};
use crate::tagged::encode_entry;
use crate::{Limits, Version};

/// What came of a call.
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
    const ALL: [Self; 6] = [
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
    /// What came of it.
    pub status: ReplyStatus,
    /// What the server's ORB says besides.
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

    /// Adds a service context behind those that the header has. Of the message, nothing
    /// must have been written behind the header but the beginning of its `body`, which
    /// begins anew.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Invalid`] when something was written of the body, or the encoder has
    /// no message that begins like that; [`ErrorKind::TooLong`] when the length of the
    /// data does not fit in 32 bits.
    #[cold]
    pub fn add_context(
        &mut self,
        out: &mut Encoder,
        body: BodyStart,
        context: ServiceContext<'_>,
    ) -> Result<BodyStart> {
        let invalid = |text| Error::new(ErrorKind::Invalid(text), out.len());
        if out.len() != body.offset() || out.tail_len()? != 0 {
            return Err(invalid("the body of the reply was written"));
        }
        let &[.., major, minor] = out
            .as_bytes()
            .first_chunk::<6>()
            .ok_or(invalid("no reply"))?;
        let version = Version::new(major, minor);
        let number = |at: usize| {
            let octets = out.as_bytes().get(at..)?.first_chunk()?;
            Some(match out.order() {
                ByteOrder::Big => u32::from_be_bytes(*octets),
                ByteOrder::Little => u32::from_le_bytes(*octets),
            })
        };
        // The contexts stand before the request id until GIOP 1.1, and behind the status
        // since.
        let is_last = version.has_layout_1_2();
        let (count_at, contexts_end) = match is_last {
            true => (self.status_offset + 4, body.unpadded()),
            false => (HEADER_SIZE, self.status_offset - 4),
        };
        let (count, id) = number(count_at)
            .zip(number(self.status_offset - 4))
            .ok_or(invalid("no reply"))?;
        out.truncate(contexts_end);
        encode_entry(context.id, context.data, out)?;
        out.patch(count_at, count + 1);
        if !is_last {
            out.write(id);
            out.write(ReplyStatus::NoException as u32);
            self.status_offset = out.len() - 4;
        }
        Ok(begin_body(version, out))
    }

    /// Overwrites the request id in the encoder that the header was written to.
    #[inline]
    pub fn set_request_id(&self, out: &mut Encoder, request_id: u32) {
        out.patch(self.status_offset - 4, request_id);
    }

    /// The offset of the status from the message's start.
    #[inline]
    pub fn status_offset(&self) -> usize {
        self.status_offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{MessageType, begin_message, begin_plain_reply, finish_message};

    /// A reply whose contexts were known when it began.
    fn reply(version: Version, order: ByteOrder, contexts: &[ServiceContext<'_>]) -> Encoder {
        let mut out = Encoder::new(order);
        begin_message(&mut out, version, MessageType::Reply);
        let header = ReplyHeader {
            request_id: 9,
            status: ReplyStatus::UserException,
            service_contexts: ServiceContexts::new(contexts),
        };
        header.encode(version, &mut out).unwrap();
        let body = begin_body(version, &mut out);
        out.write(7_u32);
        body.finish(&mut out);
        finish_message(&mut out).unwrap();
        out
    }

    #[test]
    fn contexts_that_are_added_stand_where_they_would_have_been_written() {
        let contexts = [
            ServiceContext { id: 1, data: b"" },
            ServiceContext {
                id: 2,
                data: b"abcde",
            },
            ServiceContext {
                id: 3,
                data: b"abcd",
            },
        ];
        for version in [Version::V1_0, Version::V1_1, Version::V1_2] {
            for order in [ByteOrder::Big, ByteOrder::Little] {
                let mut out = Encoder::new(order);
                let mut header = begin_plain_reply(&mut out, version, 9);
                let mut body = begin_body(version, &mut out);
                for context in contexts {
                    body = header.add_context(&mut out, body, context).unwrap();
                }
                header.set_status(&mut out, ReplyStatus::UserException);
                out.write(7_u32);
                let late = header.add_context(&mut out, body, contexts[0]);
                assert!(late.is_err());
                body.finish(&mut out);
                finish_message(&mut out).unwrap();
                let expected = reply(version, order, &contexts);
                assert_eq!(out.as_bytes(), expected.as_bytes(), "{version} {order:?}");
            }
        }
    }
}
