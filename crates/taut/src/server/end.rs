//! How the service of a connection ends, and what the client is told.

use taut_giop::Version;
use taut_giop::message::{FrameError, MessageType};

use super::peer::Peer;
use crate::counters;

/// Why a thread no longer serves a connection.
#[derive(Debug)]
pub(super) enum End {
    /// The client closed it, or it failed.
    Gone,
    /// We close it, and have said so.
    Closed,
    /// The client broke the rules of framing.
    Broken {
        /// The fault.
        error: FrameError,
        /// The last message that it gets.
        answer: Box<[u8]>,
    },
    /// A message's header cannot be read, or it goes the wrong way.
    Unreadable(Version),
    /// The client uses the id of a request again that is being served.
    Ambiguous(Version, u32),
    /// The client cancels more than it may.
    Flood,
    /// It does not end: another thread reads the connection now, while this one
    /// ran a servant.
    Relieved {
        /// But that one has ended it meanwhile, and nothing else is under way.
        is_last: bool,
    },
}

impl End {
    /// The rule that the client has broken, in a word.
    fn breach(&self) -> Option<&'static str> {
        match self {
            Self::Gone | Self::Closed => None,
            Self::Relieved { .. } => None,
            Self::Broken { .. } => Some("framing"),
            Self::Unreadable(_) => Some("message"),
            Self::Ambiguous(..) => Some("request_id"),
            Self::Flood => Some("cancels"),
        }
    }
}

/// Tells the client why its connection ends, if it must be told, and those who
/// look after the server. Half-closes the connection, unless it is closed in order:
/// then the thread that says goodbye does so.
pub(super) fn take_leave(peer: &Peer, end: &End) {
    let name = peer.name();
    if let Some(kind) = end.breach() {
        peer.note_breach();
        counters::server::protocol_error(kind);
        if peer.is_restricted() {
            tracing::debug!(peer = name, kind, "protocol error, closing the connection");
            return peer.abort();
        }
    }
    match end {
        End::Gone => {
            tracing::debug!(peer = name, "connection closed by the client");
            peer.stop_sending();
        }
        // The thread that closes it, or that ends the last request, says goodbye.
        End::Closed => tracing::debug!(peer = name, "connection closed"),
        End::Relieved { .. } => {}
        End::Broken { error, answer } => {
            tracing::warn!(peer = name, %error, "protocol error, closing the connection");
            peer.leave_with_octets(answer);
        }
        End::Unreadable(version) => {
            tracing::warn!(peer = name, "unreadable message, closing the connection");
            peer.leave_with(*version, MessageType::MessageError);
        }
        End::Ambiguous(version, request_id) => {
            tracing::warn!(
                peer = name,
                request_id,
                "refused: the id is that of a request under way, closing the connection"
            );
            peer.leave_with(*version, MessageType::MessageError);
        }
        End::Flood => {
            tracing::warn!(
                peer = name,
                "refused: server.max_cancels_per_second is exceeded, closing the connection"
            );
            // Requests whose threads have been relieved are still answered: the thread that
            // ends the last of them says goodbye and half-closes.
            peer.close_by_own_thread();
        }
    }
}
