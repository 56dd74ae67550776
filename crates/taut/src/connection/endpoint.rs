//! The connections to one address.

use std::cell::Cell;
use std::fmt;
use std::io;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Instant;

use parking_lot::{Mutex, MutexGuard};
use taut_giop::framing::Fragments;
use taut_giop::{Limits, Version};

use super::budget::{Budget, Permit};
use super::courier::{Courier, Line, NotTaken};
use super::{Bidirectional, ClientConnection, SharedConnection};
use crate::counters;
use crate::settings::{BidirectionalPolicy, ConnectionSharing, Settings};
use crate::sync::AtomicArc;
use crate::transport::{Address, Stream};

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
    /// Whether calls share a connection.
    is_shared: bool,
    /// The one connection of the shared strategy.
    shared: AtomicArc<SharedConnection>,
    /// Held while that is opened.
    opening: Mutex<()>,
    budget: Arc<Budget>,
    /// Sends what nobody waits for; there since the first such call.
    courier: OnceLock<Arc<Courier>>,
    /// Reads requests on connections that are opened here, where it is to.
    bidirectional: Arc<OnceLock<Weak<dyn Bidirectional>>>,
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
        bidirectional: &Arc<OnceLock<Weak<dyn Bidirectional>>>,
    ) -> Self {
        let count = settings.max_connections_per_endpoint.max(1);
        Self {
            address,
            is_shared: settings.connection_sharing == ConnectionSharing::Shared
                || settings.bidirectional == BidirectionalPolicy::Both,
            slots: (0..count).map(|_| Slot::default()).collect(),
            shared: AtomicArc::empty(),
            opening: Mutex::new(()),
            budget: Arc::clone(budget),
            courier: OnceLock::new(),
            bidirectional: Arc::clone(bidirectional),
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

    /// Whether calls share a connection.
    #[inline]
    pub(crate) fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// The connection for all calls, and whether it has been used before. Where
    /// there is somebody to read requests on it, they may come too, if `version`
    /// allows that.
    pub(crate) fn share(
        &self,
        version: Version,
    ) -> Result<(Arc<SharedConnection>, bool), LeaseError> {
        let bidirectional = self.bidirectional.get().and_then(Weak::upgrade);
        let bidirectional = bidirectional.filter(|_| version >= Version::V1_2);
        let is_usable = |current: &Arc<SharedConnection>| {
            !current.has_ended() && (bidirectional.is_none() || current.is_bidirectional())
        };
        let current = || self.shared.load_full().filter(is_usable);
        if let Some(connection) = current() {
            return Ok((connection, true));
        }
        let wait = self.settings.connection_wait;
        let _opening = self
            .opening
            .try_lock_for(wait)
            .ok_or(LeaseError::AllInUse)?;
        if let Some(connection) = current() {
            return Ok((connection, true));
        }
        let connection = self.open(|stream, permit, settings| match &bidirectional {
            // From here on it is the server's, and counts there.
            Some(bidirectional) => bidirectional.adopt(stream),
            None => SharedConnection::new(stream, permit, settings).map(Arc::new),
        })?;
        self.shared.store(Some(Arc::clone(&connection)));
        Ok((connection, false))
    }

    /// Uses a connection that the other side has opened, and that leads here as
    /// it says, unless there is one.
    pub(super) fn offer(&self, connection: &Arc<SharedConnection>) {
        let _opening = self.opening.lock();
        let current = self.shared.load_full();
        if current.is_none_or(|current| current.has_ended() || !current.is_bidirectional()) {
            self.shared.store(Some(Arc::clone(connection)));
        }
    }

    /// Whether it is needed though no reference leads here: oneways may wait to be
    /// sent, or there is a connection that the other side has opened, and that may
    /// be the only way there.
    pub(super) fn is_needed(&self) -> bool {
        let shared = self.shared.load();
        let is_open =
            |connection: &SharedConnection| connection.is_offered() && !connection.has_ended();
        let is_at_work = |courier: &Arc<Courier>| courier.is_at_work();
        self.courier.get().is_some_and(is_at_work) || shared.as_deref().is_some_and(is_open)
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

    /// Takes a request for which nobody waits, to send it soon.
    ///
    /// # Errors
    ///
    /// [`NotTaken`]; then it is lost.
    pub(crate) fn post(self: &Arc<Self>, message: Vec<u8>) -> Result<(), NotTaken> {
        let courier = self
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

    /// Waits until all is sent for which nobody waits.
    pub(super) fn flush(&self, deadline: Instant) {
        if let Some(courier) = self.courier.get() {
            courier.flush(deadline);
        }
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
        if let Some(shared) = self.shared.load_full()
            && shared.is_unused()
        {
            // Calls that have begun meanwhile hold it, and end on it.
            self.shared.store(None);
        }
        if let Some(courier) = self.courier.get() {
            courier.close_idle();
        }
    }

    /// Closes one connection that carries no call. False when there is none.
    pub(super) fn give_way(&self) -> bool {
        let is_closed = |slot: &Slot| {
            slot.try_lock()
                .is_some_and(|mut slot| slot.take().is_some())
        };
        self.slots.iter().any(is_closed)
            || self.give_shared_way()
            || self.courier.get().is_some_and(|courier| courier.give_way())
    }

    /// Closes the connection that all calls share, if no call has it. One that is
    /// read elsewhere is none of those that are counted here.
    fn give_shared_way(&self) -> bool {
        let is_spare =
            |connection: &SharedConnection| !connection.is_bidirectional() && connection.is_idle();
        // Meanwhile nobody opens another, nor waits here: who has it may be the one
        // for whom room is sought.
        let Some(_opening) = self.opening.try_lock() else {
            return false;
        };
        if !self.shared.load().as_deref().is_some_and(is_spare) {
            return false;
        }
        let Some(connection) = self.shared.swap(None) else {
            return false;
        };
        // From here on no call can get it; but one may have just before.
        let is_spare = Arc::strong_count(&connection) == 1;
        if !is_spare {
            self.shared.store(Some(connection));
        }
        is_spare
    }

    /// Whether there is no connection, nor any that is being opened.
    pub(super) fn is_empty(&self) -> bool {
        let is_vacant = |slot: &Slot| slot.try_lock().is_some_and(|slot| slot.is_none());
        self.slots.iter().all(is_vacant)
            && self.shared.load().is_none()
            && self.courier.get().is_none_or(|courier| courier.is_idle())
    }

    /// Closes the connections that carry no call.
    pub(super) fn close_idle(&self) {
        for slot in &self.slots {
            if let Some(mut slot) = slot.try_lock() {
                *slot = None;
            }
        }
        if let Some(shared) = self.shared.load_full()
            && shared.is_idle()
        {
            self.shared.store(None);
        }
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
