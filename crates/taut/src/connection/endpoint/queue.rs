//! The calls of an endpoint for which nobody waits (`SYNC_NONE`).

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use taut_giop::framing::Fragments;

use super::Endpoint;
use crate::connection::courier::{Courier, Line, NotTaken};

/// What is to be sent soon.
#[derive(Default)]
pub(super) struct Queue {
    /// There since the first such call.
    courier: OnceLock<Arc<Courier>>,
}

impl Endpoint {
    /// Takes a request for which nobody waits, to send it soon.
    ///
    /// # Errors
    ///
    /// [`NotTaken`]; then it is lost.
    pub(crate) fn post(self: &Arc<Self>, message: Vec<u8>) -> Result<(), NotTaken> {
        let courier = self
            .queue
            .courier
            .get_or_init(|| Arc::new(Courier::new(&self.settings)));
        let message = self.in_pieces(message);
        let endpoint = Arc::clone(self);
        courier.take(message, move || {
            let opened = endpoint.open(|stream, _permit, _| Ok(Line { stream, _permit }));
            opened.ok()
        })
    }

    /// The message, in fragments if it is too large.
    fn in_pieces(&self, message: Vec<u8>) -> Vec<u8> {
        let size = self.settings.fragment_size;
        if message.len() <= size {
            return message;
        }
        match Fragments::new(&message, size) {
            Some(pieces) => pieces.fold(Vec::new(), |mut octets, piece| {
                octets.extend_from_slice(piece.head());
                octets.extend_from_slice(piece.payload);
                octets
            }),
            None => message,
        }
    }
}

impl Queue {
    /// Whether anything waits or is being sent.
    pub(super) fn is_at_work(&self) -> bool {
        self.courier
            .get()
            .is_some_and(|courier| courier.is_at_work())
    }

    /// Whether nothing waits and there is no connection.
    pub(super) fn is_idle(&self) -> bool {
        self.courier.get().is_none_or(|courier| courier.is_idle())
    }

    /// Waits until all is sent, up to a point in time.
    pub(super) fn flush(&self, deadline: Instant) {
        if let Some(courier) = self.courier.get() {
            courier.flush(deadline);
        }
    }

    /// Closes the connection if nothing is sent on it.
    pub(super) fn close_idle(&self) {
        if let Some(courier) = self.courier.get() {
            courier.close_idle();
        }
    }

    /// Closes the connection if nothing is sent on it. False when there is none.
    pub(super) fn give_way(&self) -> bool {
        self.courier.get().is_some_and(|courier| courier.give_way())
    }
}
