//! The sending side of a shared connection.

use crate::connection::Outgoing;
use crate::settings::Settings;

/// Who has opened a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// This ORB.
    Here,
    /// The peer.
    #[cfg(feature = "bidirectional")]
    There,
}

/// The sending side. Who holds it may write a request and send it.
#[derive(Debug)]
pub(crate) struct Sending {
    /// Where requests are written.
    pub(crate) outgoing: Outgoing,
    /// Whether a request has told the peer what the first one must: our
    /// transmission code sets and end points.
    pub(crate) is_introduced: bool,
    next_request_id: u32,
    /// The next request's id when it was last looked for idle connections.
    id_seen: Option<u32>,
    /// Octets sent.
    pub(super) sent: u64,
}

impl Sending {
    /// Of a connection on which nothing has been sent.
    pub(super) fn new(origin: Origin, settings: &Settings) -> Self {
        Self {
            outgoing: Outgoing::new(settings.byte_order),
            is_introduced: false,
            // Odd ids belong to the side that accepts (CORBA 3.3 part 2, 9.4.2).
            next_request_id: u32::from(origin != Origin::Here),
            id_seen: None,
            sent: 0,
        }
    }

    /// An id that no other request on this connection has, until 2³¹ later.
    pub(crate) fn next_request_id(&mut self) -> u32 {
        let id = self.next_request_id;
        self.next_request_id = id.wrapping_add(2);
        id
    }

    /// Whether there has been no request since this was last asked.
    pub(super) fn is_unused(&mut self) -> bool {
        let next = self.next_request_id;
        self.id_seen.replace(next) == Some(next)
    }
}
