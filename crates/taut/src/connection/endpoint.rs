//! The connections to one address.

mod oneways;
#[cfg_attr(not(feature = "full"), path = "endpoint/options_absent.rs")]
mod options;
#[cfg_attr(not(feature = "full"), path = "endpoint/sharing_absent.rs")]
mod sharing;

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::{io, mem};

use taut_giop::{Limits, SystemException};
use taut_sync::lock::{Mutex, MutexGuard};

use super::asynchronous::{Home, LazyEngine};
use super::budget::{Budget, Permit};
use super::flow_control::{Flow, FlowWatch};
use super::greeting::{Greeting, NotGreeted};
use super::patience::Patience;
use super::queue::Queue;
use super::roles::BidirectionalServer;
use super::{ClientConnection, EndpointKey};
use crate::counters;
use crate::messaging::Messaging;
use crate::nested_calls;
#[cfg(feature = "full")]
use crate::quality::FlowControl;
use crate::settings::Settings;
use crate::transport::{Address, ConnectError, Protocols, Stream};
use oneways::Oneways;
use options::EndpointOptions;
use sharing::Sharing;

pub(crate) use oneways::NotTaken;

/// A place for one connection. The thread that holds its lock makes a call over it.
#[derive(Default)]
struct Slot {
    connection: Mutex<Place>,
    /// The oneways that are to be sent over it soon.
    queue: Queue,
}

type Place = Option<Box<ClientConnection>>;

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
    messaging: Messaging,
    slots: Box<[Slot]>,
    sharing: Sharing,
    protocols: Protocols,
    budget: Arc<Budget>,
    oneways: Oneways,
    settings: Arc<Settings>,
    flow: Flow,
    /// The request that is sent first on each connection.
    greeting: Greeting,
    options: EndpointOptions,
    /// The connection for calls that are awaited.
    pub(super) asynchronous: Arc<Home>,
}

/// A connection for one call. Dropping the lease closes the connection;
/// [`keep`](Self::keep) returns it for the next call.
pub(crate) struct Lease<'e> {
    /// Empty while the connection is out on lease.
    place: MutexGuard<'e, Place>,
    connection: Box<ClientConnection>,
    /// Whether it has carried a call before.
    reused: bool,
    queue: &'e Queue,
    /// Whether it has taken what waited in the queue.
    has_loaded: bool,
}

/// Why there is no connection for a call.
#[derive(Debug, Clone)]
pub(crate) enum LeaseError {
    /// The address refused, or did not answer.
    Connect(Box<ConnectError>),
    /// All connections were in use for longer than a call may wait.
    AllInUse,
    /// As many connections are open as may be, to all addresses, and all are in
    /// use.
    TooMany,
    /// There is no thread that could connect.
    NoThread,
    /// There is none, and the call may not open one.
    Forbidden,
    /// The server does not take the connection for what it is to carry.
    Refused(Box<SystemException>),
    /// A connection cannot have an option that it is to have: which, and why.
    OptionsRefused(Box<str>),
}

impl Endpoint {
    pub(super) fn new(
        key: &EndpointKey,
        settings: &Arc<Settings>,
        protocols: &Protocols,
        budget: &Arc<Budget>,
        bidirectional: &Arc<BidirectionalServer>,
        engine: &Arc<LazyEngine>,
        flow: &Arc<FlowWatch>,
    ) -> Self {
        let count = settings.client.max_connections_per_endpoint.max(1);
        Self {
            address: key.address().clone(),
            options: EndpointOptions::of(key),
            messaging: Messaging::of(settings),
            sharing: Sharing::new(settings, bidirectional),
            oneways: Oneways::new(settings),
            slots: (0..count).map(|_| Slot::default()).collect(),
            protocols: protocols.clone(),
            budget: Arc::clone(budget),
            settings: Arc::clone(settings),
            flow: Flow::new(flow),
            greeting: Greeting::default(),
            asynchronous: Home::new(engine),
        }
    }

    /// Where it is.
    pub(crate) fn address(&self) -> &Address {
        &self.address
    }

    /// The protocol of the messages on the connections.
    pub(crate) fn messaging(&self) -> Messaging {
        self.messaging
    }

    /// Returns the flow of the connections, and what waits beside them; none if it is not watched.
    #[cfg(feature = "full")]
    pub(crate) fn flow_control(&self) -> Option<FlowControl> {
        let mut told = FlowControl::default();
        let is_watched = self.flow.tell(&mut told);
        for slot in &self.slots {
            let (messages, octets) = slot.queue.size();
            told.queued_oneways += messages;
            told.queued_octets += octets;
        }
        is_watched.then_some(told)
    }

    /// The settings of the connections.
    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// How long the lists in messages from there may be.
    pub(crate) fn lists(&self) -> &Limits {
        &self.settings.limits.lists
    }

    /// Whether it is needed though no reference leads here: oneways may wait to be
    /// sent, or there is a connection that the other side has opened, and that may
    /// be the only way there.
    pub(super) fn is_needed(&self) -> bool {
        self.has_oneways() || self.sharing.is_offered()
    }

    /// Opens a connection by the deadline.
    pub(super) fn open<T>(
        &self,
        patience: Patience,
        make: impl FnOnce(Stream, Permit, &Settings) -> io::Result<T>,
    ) -> Result<T, LeaseError> {
        let permit = self.budget.permit().ok_or(LeaseError::TooMany)?;
        let (settings, timeout) = (&self.settings, patience.for_address(&self.settings.client));
        let failed = |error| ConnectError::from_io(&self.address, error, timeout);
        let opened = self.connect(patience).map_err(LeaseError::from);
        let opened = opened.and_then(|stream| {
            let set_up = settings.wire.set_options_of(&stream);
            set_up.map_err(failed)?;
            self.options.set(&stream, settings)?;
            let greeted = self
                .greeting
                .exchange(&stream, self.messaging, patience, settings);
            greeted.map_err(|error| match error {
                NotGreeted::Ended(error) => LeaseError::from(failed(error)),
                NotGreeted::Refused(exception) => LeaseError::Refused(exception),
            })?;
            Ok(make(self.flow.watched(stream), permit, settings).map_err(failed)?)
        });
        match &opened {
            Ok(_) => {
                self.budget.note_opened();
                tracing::debug!(peer = %self.address, "connected");
            }
            Err(error) => {
                counters::client::failed();
                if let LeaseError::Connect(error) = error {
                    tracing::debug!(peer = %self.address, %error, "connecting failed");
                }
            }
        }
        opened
    }

    /// Has a request sent first on each connection, whose answer is waited for.
    #[cfg(feature = "full")]
    pub(crate) fn greet_with(&self, request: Vec<u8>) {
        self.greeting.set(request);
    }

    /// Connects by the deadline. While no file descriptor is left, connections that carry
    /// no call give way.
    fn connect(&self, patience: Patience) -> Result<Stream, ConnectError> {
        let options = patience.connect_options(&self.settings.client);
        loop {
            let timeout = options.time_left();
            let connected = self.protocols.connect(&self.address, &options);
            match connected.map_err(|error| ConnectError::of(error, timeout)) {
                Err(error) if error.lacks_descriptors() && self.budget.make_room() => {}
                connected => return connected,
            }
        }
    }

    /// The connection that this thread used last, if it is there and nothing waits beside
    /// it to be sent.
    #[inline(always)]
    pub(crate) fn lease_last(&self) -> Option<Lease<'_>> {
        let slot = self.slots.get(LAST_SLOT.get())?;
        if slot.queue.is_at_work() {
            return None;
        }
        let mut place = slot.connection.try_lock()?;
        let connection = place.take()?;
        Some(Lease::new(slot, place, connection, true))
    }

    /// A connection for one call, by the deadline: an open one, or a new one. It takes
    /// along what this thread has left to be sent.
    pub(crate) fn lease(&self, patience: Patience) -> Result<Lease<'_>, LeaseError> {
        if self.oneways.has_begun() {
            return self.lease_and_load(patience);
        }
        self.lease_any(patience)
    }

    /// A connection for one call, whatever waits beside it.
    fn lease_any(&self, patience: Patience) -> Result<Lease<'_>, LeaseError> {
        let last = LAST_SLOT.get();
        if let Some(slot) = self.slots.get(last)
            && let Some(mut place) = slot.connection.try_lock()
            && let Some(connection) = place.take()
        {
            return Ok(Lease::new(slot, place, connection, true));
        }
        // Looks through all slots for an open connection, and failing that opens one in
        // the first slot that is free.
        let (index, place) = self.find(patience)?;
        let lease = self.fill(&self.slots[index], place, patience)?;
        LAST_SLOT.set(index);
        Ok(lease)
    }

    /// An open connection, or a place for one.
    fn find(&self, patience: Patience) -> Result<(usize, MutexGuard<'_, Place>), LeaseError> {
        let last = LAST_SLOT.get() % self.slots.len();
        let wait_for_last = || {
            let slot = &self.slots[last];
            let patience = patience.for_others(&self.settings);
            let wait = || slot.connection.try_lock_for(patience);
            let place = nested_calls::wait(wait);
            Ok((last, place.ok_or(LeaseError::AllInUse)?))
        };
        let mut vacant = None;
        for (index, slot) in self.slots.iter().enumerate() {
            let Some(place) = slot.connection.try_lock() else {
                continue;
            };
            if place.is_some() {
                return Ok((index, place));
            }
            if vacant.is_none() {
                vacant = Some((index, place));
            }
        }
        vacant.map_or_else(wait_for_last, Ok)
    }

    fn fill<'e>(
        &'e self,
        slot: &'e Slot,
        mut place: MutexGuard<'e, Place>,
        patience: Patience,
    ) -> Result<Lease<'e>, LeaseError> {
        let (connection, reused) = match place.take() {
            Some(connection) => (connection, true),
            None if patience.forbids_reconnecting && !self.has_others(slot) => {
                return Err(LeaseError::Forbidden);
            }
            None => (Box::new(self.open_exclusive(patience)?), false),
        };
        Ok(Lease::new(slot, place, connection, reused))
    }

    /// Whether there is a connection in another place than this.
    fn has_others(&self, than: &Slot) -> bool {
        let is_taken = |slot: &Slot| {
            let place = slot.connection.try_lock();
            place.is_none_or(|place| place.is_some())
        };
        let mut others = self.slots.iter().filter(|slot| !std::ptr::eq(*slot, than));
        others.any(is_taken)
    }

    /// Opens a connection for one call at a time, by the deadline.
    fn open_exclusive(&self, patience: Patience) -> Result<ClientConnection, LeaseError> {
        self.open(patience, |stream, permit, settings| {
            let messaging = self.messaging;
            Ok(ClientConnection::new(stream, messaging, permit, settings))
        })
    }

    /// Closes the connections that have carried no call since this was last
    /// asked.
    pub(super) fn close_unused(&self) {
        for slot in &self.slots {
            if let Some(mut place) = slot.connection.try_lock()
                && place
                    .as_mut()
                    .is_some_and(|connection| connection.is_idle())
            {
                *place = None;
            }
        }
        self.sharing.close_unused();
        self.asynchronous.close_unused();
    }

    /// Closes one connection that carries no call. False when there is none.
    pub(super) fn give_way(&self) -> bool {
        let is_closed = |slot: &Slot| {
            if slot.queue.has_backlog() {
                return false;
            }
            let place = slot.connection.try_lock();
            place.is_some_and(|mut place| place.take().is_some())
        };
        if self.slots.iter().any(is_closed) {
            return true;
        }
        if self.sharing.give_way() {
            return true;
        }
        self.asynchronous.give_way()
    }

    /// Whether there is no connection, nor any that is being opened.
    pub(super) fn is_empty(&self) -> bool {
        let is_vacant = |slot: &Slot| {
            let place = slot.connection.try_lock();
            place.is_some_and(|place| place.is_none())
        };
        if !self.sharing.is_empty() || !self.asynchronous.is_empty() {
            return false;
        }
        if self.has_oneways() {
            return false;
        }
        self.slots.iter().all(is_vacant)
    }

    /// Closes the connections that carry no call.
    pub(super) fn close_idle(&self) {
        for slot in &self.slots {
            if let Some(mut place) = slot.connection.try_lock() {
                *place = None;
            }
        }
        self.sharing.close_idle();
        self.asynchronous.close_idle();
    }
}

impl From<ConnectError> for LeaseError {
    fn from(error: ConnectError) -> Self {
        Self::Connect(Box::new(error))
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl<'e> Lease<'e> {
    #[inline(always)]
    fn new(
        slot: &'e Slot,
        place: MutexGuard<'e, Place>,
        connection: Box<ClientConnection>,
        reused: bool,
    ) -> Self {
        Self {
            place,
            connection,
            reused,
            queue: &slot.queue,
            has_loaded: false,
        }
    }

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
            mut place,
            connection,
            ..
        } = self;
        if self.has_loaded {
            self.queue.note_backlog(connection.batch());
        }
        if !connection.has_surplus() {
            // The place is empty as long as there is a lease: nothing is dropped there.
            mem::forget(place.replace(connection));
        }
    }
}
