//! Why a connection fails.

use std::fmt;
use std::io;

use taut_giop::message::FrameError;
use taut_giop::message::MessageType;

use crate::messaging::Messaging;

/// Why a connection failed.
#[derive(Debug)]
pub(crate) enum ConnectionFault {
    /// The operating system's word.
    Io(io::Error),
    /// The peer closed it without saying so in GIOP.
    Closed,
    /// The peer closed it in answer to the first request of GIOPlite.
    ClosedAtFirst {
        /// Whether the peer's system reset it, instead of closing it in order.
        is_reset: bool,
    },
    /// The peer was silent for longer than a call may wait.
    TimedOut,
    /// The peer sent no more than a part of its reply in the time that a call may wait.
    HalfAnswered,
    /// The peer did not take the request in the time that a call may wait.
    NotTaken,
    /// As many calls as may be were in flight for longer than one may wait.
    Crowded,
    /// More replies to nobody came than are passed over.
    StrayReplies {
        /// `client.max_stray_replies`.
        limit: usize,
    },
    /// A message came that answers no request, or not one of its kind.
    Unexpected(MessageType),
    /// The octets that arrived are not GIOP, or exceed a limit.
    Frame(FrameError),
    /// The first that ever arrived is GIOP where GIOPlite is expected, or the other way
    /// round: the peer has understood no request.
    OtherProtocol(FrameError),
}

impl ConnectionFault {
    /// Whether the connection ended in order (end of stream, or EPIPE once the
    /// peer's system has refused what was sent), so that all that the peer had
    /// received has been acknowledged. A reset may come at any time, and proves
    /// nothing.
    pub(super) fn is_in_order(&self) -> bool {
        match self {
            Self::Closed => true,
            Self::ClosedAtFirst { is_reset } => !is_reset,
            Self::Io(error) => error.kind() == io::ErrorKind::BrokenPipe,
            Self::Crowded | Self::Unexpected(_) => false,
            Self::Frame(_) | Self::OtherProtocol(_) | Self::StrayReplies { .. } => false,
            Self::TimedOut | Self::HalfAnswered | Self::NotTaken => false,
        }
    }
}

impl ConnectionFault {
    /// Whether the time of a call is over.
    pub(crate) fn is_late(&self) -> bool {
        matches!(self, Self::TimedOut | Self::HalfAnswered | Self::NotTaken)
    }

    /// Returns the fault of a message that did not leave.
    #[cold]
    #[inline(never)]
    pub(crate) fn of_sending(error: io::Error) -> Self {
        match Self::from(error) {
            Self::TimedOut => Self::NotTaken,
            fault => fault,
        }
    }

    /// Whether the peer has understood no request, for it speaks another protocol.
    pub(crate) fn is_of_other_protocol(&self) -> bool {
        matches!(self, Self::OtherProtocol(_))
    }

    /// Returns the fault of octets that are no message that may come next; whether the peer
    /// `has_spoken` the protocol before.
    #[cold]
    pub(super) fn of_framing(error: FrameError, has_spoken: bool) -> Self {
        match !has_spoken && error.is_of_other_protocol() {
            true => Self::OtherProtocol(error),
            false => Self::Frame(error),
        }
    }

    /// Returns the fault of waiting for the reply to the request with this id. If that is
    /// the first one and of GIOPlite, the peer may not know GIOPlite.
    #[cold]
    #[inline(never)]
    pub(super) fn of_waiting(self, messaging: Messaging, request_id: u32) -> Self {
        let is_reset =
            matches!(&self, Self::Io(error) if error.kind() == io::ErrorKind::ConnectionReset);
        // One side has even ids, the other odd ones.
        let is_first = messaging.is_lite() && request_id < 2;
        match is_first && (is_reset || matches!(self, Self::Closed)) {
            true => Self::ClosedAtFirst { is_reset },
            false => self,
        }
    }

    /// Returns the fault of a reply of which so much has arrived.
    pub(crate) fn of_receiving(self, arrived: usize) -> Self {
        match self {
            Self::TimedOut if arrived > 0 => Self::HalfAnswered,
            fault => fault,
        }
    }
}

impl From<io::Error> for ConnectionFault {
    #[cold]
    #[inline(never)]
    fn from(error: io::Error) -> Self {
        match error.kind() {
            // A deadline has passed. The system's own patience ends with a number: then
            // the connection is lost.
            io::ErrorKind::TimedOut if error.raw_os_error().is_none() => Self::TimedOut,
            _ => Self::Io(error),
        }
    }
}

impl fmt::Display for ConnectionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Closed => f.write_str("the peer closed the connection"),
            Self::ClosedAtFirst { .. } => f.write_str(
                "the peer closed the connection at the first request of GIOPlite, which it may not \
                 know: give -ORBgioplite to both sides or to neither",
            ),
            Self::Crowded => {
                f.write_str("more calls are in flight than client.max_requests_in_flight allows")
            }
            Self::TimedOut => f.write_str("the peer did not answer in time"),
            Self::HalfAnswered => f.write_str("only a part of the reply came in time"),
            Self::NotTaken => f.write_str("the peer did not take the request in time"),
            Self::StrayReplies { limit } => write!(
                f,
                "more than {limit} replies to nobody, which client.max_stray_replies allows"
            ),
            Self::Unexpected(found) => write!(f, "{found:?} answers no request of ours"),
            Self::Frame(error) | Self::OtherProtocol(error) => error.fmt(f),
        }
    }
}
