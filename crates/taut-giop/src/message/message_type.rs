//! The types of messages.

use crate::Version;

/// The type of a message (CORBA 3.3 part 2, 9.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum MessageType {
    /// A call.
    Request = 0,
    /// The answer to a call.
    Reply = 1,
    /// The caller no longer wants the answer.
    CancelRequest = 2,
    /// The question where an object is.
    LocateRequest = 3,
    /// The answer to that question.
    LocateReply = 4,
    /// The sender will close the connection and has executed no request that
    /// it did not answer.
    CloseConnection = 5,
    /// The last message received made no sense.
    MessageError = 6,
    /// A further piece of a message (GIOP 1.1 and later).
    Fragment = 7,
}

impl MessageType {
    /// The type with this number.
    #[inline]
    pub const fn from_octet(octet: u8) -> Option<Self> {
        Some(match octet {
            0 => Self::Request,
            1 => Self::Reply,
            2 => Self::CancelRequest,
            3 => Self::LocateRequest,
            4 => Self::LocateReply,
            5 => Self::CloseConnection,
            6 => Self::MessageError,
            7 => Self::Fragment,
            _ => return None,
        })
    }

    /// The name that the standard gives it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Request => "Request",
            Self::Reply => "Reply",
            Self::CancelRequest => "CancelRequest",
            Self::LocateRequest => "LocateRequest",
            Self::LocateReply => "LocateReply",
            Self::CloseConnection => "CloseConnection",
            Self::MessageError => "MessageError",
            Self::Fragment => "Fragment",
        }
    }

    /// Whether such a message has nothing behind its header.
    pub(super) const fn is_bodyless(self) -> bool {
        matches!(self, Self::CloseConnection | Self::MessageError)
    }

    /// Whether such a message of this version may be sent in pieces.
    pub const fn is_fragmentable(self, version: Version) -> bool {
        match self {
            Self::Request | Self::Reply | Self::Fragment => version.minor >= 1,
            Self::LocateRequest | Self::LocateReply => version.has_layout_1_2(),
            Self::CancelRequest | Self::CloseConnection | Self::MessageError => false,
        }
    }
}
