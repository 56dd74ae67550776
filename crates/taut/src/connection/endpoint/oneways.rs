//! The oneways of an endpoint for which nobody waits (`SYNC_NONE`).

mod delivery;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::{Endpoint, LAST_SLOT, Lease, LeaseError, Slot};
use crate::connection::oneway_sender::{NoThread, OnewayQueues, OnewaySender};
use crate::connection::patience::Patience;
use crate::connection::queue::Batching;
use crate::connection::queue::{Bounds, Pushed, Queue};
use crate::messaging::Fragmentation;
use crate::settings::{Settings, SyncScope};

/// The parts that all of the endpoint's queues share.
pub(super) struct Oneways {
    bounds: Bounds,
    /// There since the first such call.
    sender: OnceLock<Arc<OnewaySender>>,
    /// How many routes of bindings lead here.
    routes: AtomicUsize,
}

/// Why a message was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotTaken {
    /// As many wait as may.
    Full,
    /// The system has no thread to send it.
    NoThread,
    /// It relies on another to tell the code sets, and that one has left.
    Unintroduced,
}

impl From<NoThread> for NotTaken {
    fn from(_: NoThread) -> Self {
        Self::NoThread
    }
}

impl Oneways {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            bounds: Bounds::new(settings),
            sender: OnceLock::new(),
            routes: AtomicUsize::new(0),
        }
    }

    /// Whether any has been left to be sent, so that some may wait.
    #[inline]
    pub(super) fn has_begun(&self) -> bool {
        self.sender().is_some()
    }

    /// Returns the sender of waiting oneways, if any has been left to be sent.
    #[inline]
    fn sender(&self) -> Option<&Arc<OnewaySender>> {
        match SyncScope::MAY_BE_NONE {
            true => self.sender.get(),
            false => None,
        }
    }
}

impl Endpoint {
    /// The queue beside the connection that this thread used last, or that all share.
    fn home(&self) -> usize {
        if self.is_shared() {
            return 0;
        }
        LAST_SLOT.get() % self.slots.len()
    }

    pub(super) fn home_queue(&self) -> &Queue {
        &self.slots[self.home()].queue
    }

    fn oneway_sender(&self) -> &Arc<OnewaySender> {
        let timeout = self.settings.client.oneway_batch_timeout;
        self.oneways
            .sender
            .get_or_init(|| Arc::new(OnewaySender::new(timeout, &self.settings.threads)))
    }

    /// Whether a oneway of this thread goes behind one that tells the code sets.
    pub(crate) fn is_introduced(&self) -> bool {
        self.home_queue().is_introduced()
    }

    /// Takes a request for which nobody waits, to send it soon, together with others. It
    /// tells the code sets (`introduces`), or `relies` on one before it to have done so.
    /// `batching` holds in place of the settings.
    ///
    /// # Errors
    ///
    /// [`NotTaken`]; then it is lost.
    pub(crate) fn post(
        self: &Arc<Self>,
        message: &[u8],
        introduces: bool,
        relies: bool,
        batching: Option<&Batching>,
    ) -> Result<(), NotTaken> {
        let sender = self.oneway_sender();
        sender.rouse(self)?;
        let pieces = self.in_pieces(message);
        let message = pieces.as_deref().unwrap_or(message);
        let index = self.home();
        let own_bounds;
        let bounds = match batching {
            None => &self.oneways.bounds,
            Some(batching) => {
                own_bounds = self.oneways.bounds.with(batching);
                &own_bounds
            }
        };
        match self.slots[index]
            .queue
            .push(message, introduces, relies, bounds)
        {
            Pushed::Behind => Ok(()),
            // There was a thread just now.
            Pushed::First => sender.rouse(self).or(Ok(())),
            Pushed::Sooner => sender.wake(self).or(Ok(())),
            Pushed::Bound if self.try_flush(index) => Ok(()),
            Pushed::Bound => sender.hurry(self).or(Ok(())),
            Pushed::Full => {
                sender.hurry(self)?;
                Err(NotTaken::Full)
            }
            Pushed::Unintroduced => Err(NotTaken::Unintroduced),
        }
    }

    /// The message in fragments, if it is too large.
    fn in_pieces(&self, message: &[u8]) -> Option<Vec<u8>> {
        let fragmentation = Fragmentation::new(self.messaging, &self.settings);
        if fragmentation.is_one_piece(message.len()) {
            return None;
        }
        let mut octets = Vec::with_capacity(message.len() + message.len() / 8);
        let cut = fragmentation.send_pieces(message, &mut |parts| {
            parts.iter().for_each(|part| octets.extend_from_slice(part));
            Ok(())
        });
        cut.ok().map(|()| octets)
    }

    /// Sends what waits in a queue, if its connection is open and free, and as far as
    /// there is room. True when nothing is left to send.
    fn try_flush(&self, index: usize) -> bool {
        if self.is_shared() {
            return self.try_flush_shared(&self.slots[index].queue);
        }
        let Slot { connection, queue } = &self.slots[index];
        let Some(_claim) = queue.claim(Duration::ZERO) else {
            return false;
        };
        let Some(mut place) = connection.try_lock() else {
            return false;
        };
        let Some(connection) = place.as_mut() else {
            return false;
        };
        if connection.has_ended() {
            *place = None;
            return false;
        }
        connection.load(queue);
        let flushed = connection.try_flush();
        queue.note_backlog(connection.batch());
        flushed.unwrap_or_else(|error| {
            self.note_failure(&error);
            *place = None;
            queue.forget_backlog();
            true
        })
    }

    /// A connection for one call, which takes along what this thread has left to be sent.
    #[cold]
    pub(super) fn lease_and_load(&self, patience: Patience) -> Result<Lease<'_>, LeaseError> {
        let home = self.home_queue();
        let claim = home.claim(patience.for_others(&self.settings));
        let _claim = claim.ok_or(LeaseError::AllInUse)?;
        let lease = self.lease_any(patience)?;
        let has_some = |queue: &Queue| queue.has_backlog() || queue.has_waiting();
        if !has_some(home) && !has_some(lease.queue) {
            return Ok(lease);
        }
        let mut lease = self.load(lease, patience)?;
        let beside = lease.queue;
        if !std::ptr::eq(beside, home) {
            home.hand_over(lease.connection.taking(), beside);
        }
        Ok(lease)
    }

    /// Has a connection take what waits beside it; another one if the peer has ended it.
    fn load<'e>(
        &'e self,
        mut lease: Lease<'e>,
        patience: Patience,
    ) -> Result<Lease<'e>, LeaseError> {
        if lease.reused && lease.connection.has_ended() {
            if patience.forbids_reconnecting {
                return Err(LeaseError::Forbidden);
            }
            *lease.connection = self.open_exclusive(patience)?;
            lease.reused = false;
        }
        lease.connection.load(lease.queue);
        lease.has_loaded = true;
        Ok(lease)
    }

    fn note_failure(&self, error: &std::io::Error) {
        tracing::debug!(peer = %self.address, %error, "oneways not sent");
    }

    /// Has all sent that waits, and waits until it is, up to a point in time. False when
    /// it is not by then.
    pub(crate) fn flush(self: &Arc<Self>, deadline: Instant) -> bool {
        let Some(sender) = self.oneways.sender() else {
            return true;
        };
        // Mostly this thread's own oneways are all there are.
        let home = self.home();
        if self.slots[home].queue.is_waiting() {
            self.try_flush(home);
        }
        sender.flush(self, deadline)
    }

    /// Has all sent that waits, soon.
    pub(crate) fn flush_soon(self: &Arc<Self>) {
        if let Some(sender) = self.oneways.sender()
            && self.is_at_work()
        {
            // A oneway that cannot be sent in time is lost, as in other cases.
            let _ = sender.hurry(self);
        }
    }

    /// Notes that another route leads here.
    pub(crate) fn enter_route(&self) {
        self.oneways.routes.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that a route leads here no more. After the last one nobody is left who
    /// could call, and what waits need not wait for more. (While there are others it
    /// must: who calls next, over another connection, takes it along in its order.)
    pub(crate) fn leave_route(self: &Arc<Self>) {
        if self.oneways.routes.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.flush_soon();
        }
    }

    /// Gives up what waits.
    pub(in crate::connection) fn end_oneways(&self) {
        if let Some(sender) = self.oneways.sender() {
            sender.stop();
            for slot in &self.slots {
                slot.queue.lose("shutdown");
            }
        }
    }

    /// Whether oneways wait, or somebody waits for more.
    pub(super) fn has_oneways(&self) -> bool {
        let sender = self.oneways.sender();
        sender.is_some_and(|sender| sender.has_thread()) || self.is_at_work()
    }
}
