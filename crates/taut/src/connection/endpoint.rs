//! The connections to one address.

#[cfg(feature = "oneway-queue")]
mod queue;
#[cfg(feature = "shared-connections")]
mod sharing;

use std::cell::Cell;
use std::fmt;
use std::io;
use std::sync::Arc;
#[cfg(feature = "oneway-queue")]
use std::time::Instant;

use parking_lot::{Mutex, MutexGuard};
use taut_giop::Limits;

use super::ClientConnection;
use super::budget::{Budget, Permit};
#[cfg(feature = "bidirectional")]
use super::carrier::Acceptor;
use crate::counters;
use crate::settings::Settings;
use crate::transport::{Address, Stream};
#[cfg(feature = "oneway-queue")]
use queue::Queue;
#[cfg(feature = "shared-connections")]
use sharing::Sharing;

/// A place for one connection. Whoever holds its lock makes a call over it.
type Slot = Mutex<Option<Box<ClientConnection>>>;

thread_local! {
    /// The slot that this thread used last. Threads that keep to their own
    /// slots never meet at a lock.
    static LAST_SLOT: Cell<usize> = const { Cell::new(0) };
}

/// The connections to one address, each for one call at a time.
///
/// There is no free list: a thread tries the slot it used last, then looks for
/// an unlocked one. Unrelated calls share no lock, and the slots at the front
/// are used most.
pub(crate) struct Endpoint {
    address: Address,
    slots: Box<[Slot]>,
    #[cfg(feature = "shared-connections")]
    sharing: Sharing,
    budget: Arc<Budget>,
    #[cfg(feature = "oneway-queue")]
    queue: Queue,
    settings: Settings,
}

/// A connection for one call. Dropping the lease closes the connection;
/// [`keep`](Self::keep) returns it for the next call.
pub(crate) struct Lease<'e> {
    /// Empty while the connection is out on lease.
    slot: MutexGuard<'e, Option<Box<ClientConnection>>>,
    connection: Box<ClientConnection>,
    /// Whether it has carried a call before.
    reused: bool,
}

/// Why there is no connection for a call.
#[derive(Debug)]
pub(crate) enum LeaseError {
    /// The address refused, or did not answer.
    Connect,
    /// All connections were in use for longer than a call may wait.
    AllInUse,
    /// As many connections are open as may be, to all addresses, and all are in
    /// use.
    TooMany,
}

impl Endpoint {
    pub(super) fn new(
        address: Address,
        settings: &Settings,
        budget: &Arc<Budget>,
        #[cfg(feature = "bidirectional")] bidirectional: &Arc<Acceptor>,
    ) -> Self {
        let count = settings.max_connections_per_endpoint.max(1);
        Self {
            address,
            #[cfg(feature = "shared-connections")]
            sharing: Sharing::new(
                settings,
                #[cfg(feature = "bidirectional")]
                bidirectional,
            ),
            #[cfg(feature = "oneway-queue")]
            queue: Queue::default(),
            slots: (0..count).map(|_| Slot::default()).collect(),
            budget: Arc::clone(budget),
            settings: settings.clone(),
        }
    }

    /// Where it is.
    pub(crate) fn address(&self) -> &Address {
        &self.address
    }

    /// How long the lists in messages from there may be.
    pub(crate) fn lists(&self) -> &Limits {
        &self.settings.lists
    }

    /// Whether it is needed though no reference leads here: oneways may wait to be
    /// sent, or there is a connection that the other side has opened, and that may
    /// be the only way there.
    pub(super) fn is_needed(&self) -> bool {
        #[cfg(feature = "oneway-queue")]
        if self.queue.is_at_work() {
            return true;
        }
        #[cfg(feature = "bidirectional")]
        if self.sharing.is_offered() {
            return true;
        }
        false
    }

    /// Opens a connection.
    fn open<T>(
        &self,
        make: impl FnOnce(Stream, Permit, &Settings) -> io::Result<T>,
    ) -> Result<T, LeaseError> {
        let permit = self.budget.permit().ok_or(LeaseError::TooMany)?;
        let settings = &self.settings;
        let opened = Stream::connect(&self.address, settings.connect_timeout).and_then(|stream| {
            if let Some(idle) = settings.keep_alive {
                stream.set_keep_alive(idle)?;
            }
            make(stream, permit, settings)
        });
        match &opened {
            Ok(_) => tracing::debug!(peer = %self.address, "connected"),
            Err(error) => {
                counters::client::failed();
                tracing::debug!(peer = %self.address, %error, "connecting failed");
            }
        }
        opened.map_err(|_| LeaseError::Connect)
    }

    /// Waits until all is sent for which nobody waits.
    #[cfg(feature = "oneway-queue")]
    pub(super) fn flush(&self, deadline: Instant) {
        self.queue.flush(deadline);
    }

    /// A connection for one call: an open one, or a new one.
    #[inline(always)]
    pub(crate) fn lease(&self) -> Result<Lease<'_>, LeaseError> {
        let last = LAST_SLOT.get();
        if let Some(mut slot) = self.slots.get(last).and_then(Mutex::try_lock)
            && let Some(connection) = slot.take()
        {
            return Ok(Lease {
                slot,
                connection,
                reused: true,
            });
        }
        self.search()
    }

    /// Looks through all slots for an open connection, and failing that opens
    /// one in the first slot that is free.
    #[cold]
    fn search(&self) -> Result<Lease<'_>, LeaseError> {
        let mut vacant = None;
        for (index, slot) in self.slots.iter().enumerate() {
            let Some(mut slot) = slot.try_lock() else {
                continue;
            };
            if let Some(connection) = slot.take() {
                LAST_SLOT.set(index);
                return Ok(Lease {
                    slot,
                    connection,
                    reused: true,
                });
            }
            if vacant.is_none() {
                vacant = Some((index, slot));
            }
        }
        let (index, slot) = match vacant {
            Some(vacant) => vacant,
            None => {
                let index = LAST_SLOT.get() % self.slots.len();
                let slot = self.slots[index]
                    .try_lock_for(self.settings.connection_wait)
                    .ok_or(LeaseError::AllInUse)?;
                (index, slot)
            }
        };
        LAST_SLOT.set(index);
        self.fill(slot)
    }

    fn fill<'e>(
        &self,
        mut slot: MutexGuard<'e, Option<Box<ClientConnection>>>,
    ) -> Result<Lease<'e>, LeaseError> {
        if let Some(connection) = slot.take() {
            return Ok(Lease {
                slot,
                connection,
                reused: true,
            });
        }
        let connection = Box::new(self.open(ClientConnection::new)?);
        Ok(Lease {
            slot,
            connection,
            reused: false,
        })
    }

    /// Closes the connections that have carried no call since this was last
    /// asked.
    pub(super) fn close_unused(&self) {
        for slot in &self.slots {
            if let Some(mut slot) = slot.try_lock()
                && slot.as_mut().is_some_and(|connection| connection.is_idle())
            {
                *slot = None;
            }
        }
        #[cfg(feature = "shared-connections")]
        self.sharing.close_unused();
        #[cfg(feature = "oneway-queue")]
        self.queue.close_idle();
    }

    /// Closes one connection that carries no call. False when there is none.
    pub(super) fn give_way(&self) -> bool {
        let is_closed = |slot: &Slot| {
            slot.try_lock()
                .is_some_and(|mut slot| slot.take().is_some())
        };
        if self.slots.iter().any(is_closed) {
            return true;
        }
        #[cfg(feature = "shared-connections")]
        if self.sharing.give_way() {
            return true;
        }
        #[cfg(feature = "oneway-queue")]
        if self.queue.give_way() {
            return true;
        }
        false
    }

    /// Whether there is no connection, nor any that is being opened.
    pub(super) fn is_empty(&self) -> bool {
        let is_vacant = |slot: &Slot| slot.try_lock().is_some_and(|slot| slot.is_none());
        #[cfg(feature = "shared-connections")]
        if !self.sharing.is_empty() {
            return false;
        }
        #[cfg(feature = "oneway-queue")]
        if !self.queue.is_idle() {
            return false;
        }
        self.slots.iter().all(is_vacant)
    }

    /// Closes the connections that carry no call.
    pub(super) fn close_idle(&self) {
        for slot in &self.slots {
            if let Some(mut slot) = slot.try_lock() {
                *slot = None;
            }
        }
        #[cfg(feature = "shared-connections")]
        self.sharing.close_idle();
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl Lease<'_> {
    /// The connection.
    #[inline]
    pub(crate) fn connection(&mut self) -> &mut ClientConnection {
        &mut self.connection
    }

    /// Whether the connection has carried a call before.
    #[inline]
    pub(crate) fn is_reused(&self) -> bool {
        self.reused
    }

    /// Returns the connection for the next call, unless it has more to say
    /// than a reply, which on an exclusive connection can only be its end.
    #[inline(always)]
    pub(crate) fn keep(self) {
        let Self {
            mut slot,
            connection,
            ..
        } = self;
        if !connection.has_surplus() {
            *slot = Some(connection);
        }
    }
}
