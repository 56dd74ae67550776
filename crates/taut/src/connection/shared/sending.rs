//! The sending side of a shared connection.

use taut_giop::Version;

use crate::connection::batch::Batch;
use crate::connection::queue::Queue;
use crate::connection::{MAX_REQUEST_ID, Outgoing};
use crate::settings::Settings;

/// The side that has opened a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// This ORB.
    Here,
    /// The peer.
    There,
}

/// The sending side. The thread that holds it may write a request and send it.
#[derive(Debug)]
pub(crate) struct Sending {
    /// Where requests are written.
    pub(crate) outgoing: Outgoing,
    /// Whether a request has told the peer our transmission code sets.
    pub(crate) code_sets_sent: bool,
    /// Whether a request has told the peer our end points.
    pub(crate) listen_points_sent: bool,
    /// The highest version of GIOP of the requests so far.
    pub(crate) version: Version,
    /// The oneways that are sent in front of the next message.
    pub(super) batch: Batch,
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
            outgoing: Outgoing::new(settings.wire.byte_order),
            code_sets_sent: false,
            listen_points_sent: false,
            version: Version::V1_0,
            batch: Batch::default(),
            // Odd ids belong to the side that accepts (CORBA 3.3 part 2, 9.4.2).
            next_request_id: u32::from(origin != Origin::Here),
            id_seen: None,
            sent: 0,
        }
    }

    /// An id that no other request on this connection has, until 2³⁰ later.
    pub(crate) fn next_request_id(&mut self) -> u32 {
        let id = self.next_request_id;
        self.next_request_id = id.wrapping_add(2) & MAX_REQUEST_ID;
        id
    }

    /// How many octets will have been sent before the next message.
    pub(super) fn sent_before(&self) -> u64 {
        self.sent + self.batch.rest().len() as u64
    }

    /// Takes what waits in a queue, to be sent in front of the next message.
    pub(in crate::connection) fn load(&mut self, queue: &Queue) {
        queue.hand_over(&mut self.batch, queue);
        // The connection is in use.
        self.id_seen = None;
    }

    /// Returns the oneways that have been taken and not sent.
    pub(in crate::connection) fn batch(&self) -> &Batch {
        &self.batch
    }

    /// Whether there has been no request since this was last asked.
    pub(super) fn is_unused(&mut self) -> bool {
        let next = self.next_request_id;
        self.id_seen.replace(next) == Some(next)
    }
}
