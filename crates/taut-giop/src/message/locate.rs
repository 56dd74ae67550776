//! LocateRequest and LocateReply.

use taut_cdr::{Decoder, Encoder, Result};

use super::{TargetAddress, lite};
use crate::{Limits, Version};

/// The question where an object is (CORBA 3.3 part 2, 9.4.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocateRequestHeader<'m> {
    /// Names the question in its answer.
    pub request_id: u32,
    /// The object. Before GIOP 1.2, and in GIOPlite, only [`TargetAddress::Key`] can be sent.
    pub target: TargetAddress<'m>,
}

impl<'m> LocateRequestHeader<'m> {
    /// Reads it.
    ///
    /// # Errors
    ///
    /// When it is malformed.
    #[inline]
    pub fn decode(version: Version, input: &mut Decoder<'m>) -> Result<Self> {
        Self::decode_within(version, input, &Limits::DEFAULT)
    }

    /// Reads it, with other limits than the default ones.
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
        let request_id = input.read()?;
        let target = if version.has_layout_1_2() && !version.is_lite() {
            TargetAddress::decode(input, limits)?
        } else {
            TargetAddress::Key(input.read_octets()?)
        };
        Ok(Self { request_id, target })
    }

    /// Appends it.
    ///
    /// # Errors
    ///
    /// When the target is no plain key and the version allows no other.
    #[inline]
    pub fn encode(&self, version: Version, out: &mut Encoder) -> Result<()> {
        out.write(self.request_id);
        if version.has_layout_1_2() && !version.is_lite() {
            self.target.encode(out)
        } else {
            self.target.encode_key(out)
        }
    }
}

/// The answer where an object is (CORBA 3.3 part 2, 9.4.6).
///
/// The header of a LocateReply. The body depends on the status: nothing, a reference, a
/// system exception or a `short`. It follows at its own alignment in every version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocateReplyHeader {
    /// The question that is answered.
    pub request_id: u32,
    /// The answer.
    pub status: LocateStatus,
}

/// The answer to a request for an object's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum LocateStatus {
    /// There is no such object.
    UnknownObject = 0,
    /// The object is here.
    ObjectHere = 1,
    /// The object is where the reference that follows says.
    ObjectForward = 2,
    /// As [`Self::ObjectForward`], for good (GIOP 1.2; deprecated).
    ObjectForwardPerm = 3,
    /// A system exception follows (GIOP 1.2).
    LocSystemException = 4,
    /// The question must be asked with the addressing mode that follows (GIOP 1.2).
    LocNeedsAddressingMode = 5,
}

impl LocateStatus {
    pub(super) const ALL: [Self; 6] = [
        Self::UnknownObject,
        Self::ObjectHere,
        Self::ObjectForward,
        Self::ObjectForwardPerm,
        Self::LocSystemException,
        Self::LocNeedsAddressingMode,
    ];

    /// The status with this number.
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// The name that the standard gives it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UnknownObject => "UNKNOWN_OBJECT",
            Self::ObjectHere => "OBJECT_HERE",
            Self::ObjectForward => "OBJECT_FORWARD",
            Self::ObjectForwardPerm => "OBJECT_FORWARD_PERM",
            Self::LocSystemException => "LOC_SYSTEM_EXCEPTION",
            Self::LocNeedsAddressingMode => "LOC_NEEDS_ADDRESSING_MODE",
        }
    }
}

impl LocateReplyHeader {
    /// Reads it.
    ///
    /// # Errors
    ///
    /// When it is malformed, or the version does not know its status.
    #[inline]
    pub fn decode(version: Version, input: &mut Decoder<'_>) -> Result<Self> {
        if version.is_lite() {
            return lite::decode_locate_reply(input);
        }
        let request_id = input.read()?;
        let count = if version.has_layout_1_2() { 6 } else { 3 };
        let status = input.read_ordinal(count)?;
        Ok(Self {
            request_id,
            status: LocateStatus::ALL[status as usize],
        })
    }

    /// Appends it to the message that was begun, whose protocol the message tells.
    #[inline]
    pub fn encode(&self, out: &mut Encoder) {
        if lite::is_begun(out) {
            return lite::encode_locate_reply(self, out);
        }
        out.write(self.request_id);
        out.write(self.status as u32);
    }
}
