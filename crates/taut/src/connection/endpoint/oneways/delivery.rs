//! The work of the oneway sender: it sends the oneways that wait beside the connections of
//! an endpoint.

use std::time::{Duration, Instant};

use super::super::{Endpoint, Lease, LeaseError, Slot};
use crate::connection::oneway_sender::OnewayQueues;
use crate::connection::patience::Patience;
use crate::connection::queue::Turn;

impl OnewayQueues for Endpoint {
    fn serve(&self, patience: Duration, goes_on: &dyn Fn() -> bool) -> Option<Instant> {
        let mut rest: Option<Instant> = None;
        for slot in &self.slots {
            let queue = &slot.queue;
            if !queue.is_at_work() {
                continue;
            }
            let since = queue.since();
            let is_due = since.is_none_or(|since| since.elapsed() >= patience);
            if is_due || queue.has_backlog() {
                self.deliver(slot, goes_on);
            }
            if queue.is_at_work() {
                let since = queue.since().filter(|_| !is_due);
                let since = since.unwrap_or_else(Instant::now);
                rest = Some(rest.map_or(since, |rest| rest.min(since)));
            }
        }
        rest
    }

    fn is_at_work(&self) -> bool {
        self.slots.iter().any(|slot| slot.queue.is_at_work())
    }
}

impl Endpoint {
    /// Sends what waits in a queue over its connection, over another where a call has
    /// that, and over a new one where there is none.
    fn deliver(&self, slot: &Slot, goes_on: &dyn Fn() -> bool) {
        let queue = &slot.queue;
        if self.is_shared() {
            return self.deliver_shared(queue, goes_on);
        }
        // A caller with a claim takes the oneways along.
        let Some(_turn) = queue.serve() else {
            return;
        };
        let delivered = match slot.connection.try_lock() {
            // Oneways that were not sent have ended with their connection.
            Some(place) if place.is_none() && !queue.has_waiting() => {
                queue.forget_backlog();
                return;
            }
            Some(place) => self
                .fill(slot, place, Patience::default())
                .and_then(|lease| self.load(lease, Patience::default()))
                .map(|lease| self.flush_leased(lease, goes_on)),
            // The thread that has the connection sends the oneways that it has taken.
            None if !queue.has_waiting() => return,
            None => self.carry(slot, goes_on),
        };
        match delivered {
            Err(
                LeaseError::Connect(_) | LeaseError::Refused(_) | LeaseError::OptionsRefused(_),
            ) => queue.lose("connect"),
            // Later there may be room for one.
            Ok(())
            | Err(
                LeaseError::AllInUse
                | LeaseError::TooMany
                | LeaseError::NoThread
                | LeaseError::Forbidden,
            ) => {}
        }
    }

    /// Sends what waits beside a connection that is in use over another.
    fn carry(&self, slot: &Slot, goes_on: &dyn Fn() -> bool) -> Result<(), LeaseError> {
        let (_turn, lease) = self.spare()?;
        let mut lease = self.load(lease, Patience::default())?;
        let beside = lease.queue;
        slot.queue.hand_over_if(
            || slot.connection.is_locked(),
            lease.connection.taking(),
            beside,
        );
        self.flush_leased(lease, goes_on);
        Ok(())
    }

    /// A connection that nobody uses, nor is about to: an open one, or a new one.
    fn spare(&self) -> Result<(Turn<'_>, Lease<'_>), LeaseError> {
        let mut vacant = None;
        for slot in &self.slots {
            let Some(turn) = slot.queue.serve() else {
                continue;
            };
            let Some(place) = slot.connection.try_lock() else {
                continue;
            };
            if place.is_some() {
                return Ok((turn, self.fill(slot, place, Patience::default())?));
            }
            vacant.get_or_insert((slot, turn, place));
        }
        let (slot, turn, place) = vacant.ok_or(LeaseError::AllInUse)?;
        Ok((turn, self.fill(slot, place, Patience::default())?))
    }

    fn flush_leased(&self, mut lease: Lease<'_>, goes_on: &dyn Fn() -> bool) {
        match lease.connection().flush(goes_on) {
            Ok(()) => lease.keep(),
            Err(error) => {
                self.note_failure(&error);
                // The oneways that the connection had taken end with it.
                lease.queue.forget_backlog();
            }
        }
    }
}
