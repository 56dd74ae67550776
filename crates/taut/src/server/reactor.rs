//! Connections that share threads: leader and followers over `epoll`.
//!
//! Each thread waits for an event of any connection; the one that gets it reads
//! what has arrived, carries it out, sends the reply, and waits again, while
//! the others wait in its place. There is no queue and no hand-off between
//! reading a request and running its up-call. The requests of one connection
//! are carried out one after the other.
//!
//! A connection that lies idle has no buffers: those belong to the threads.

mod connection;
mod crew;

use std::io;
use std::sync::Arc;
use std::thread;

use taut_cdr::ByteOrder;
use taut_sys::poll::Poller;

use super::ObjectAdapter;
use super::peer::Peer;
use super::registry::Registry;
use super::session::Session;
use crate::settings::Settings;
use crate::slot_table::{SlotId, SlotTable};
use connection::{Bench, Connection, Turn};
use crew::{Crew, Worker};

/// The threads and the connections that they share.
pub(super) struct Reactor<A> {
    poller: Poller,
    connections: SlotTable<Connection<A>>,
    crew: Crew,
    byte_order: ByteOrder,
}

impl<A: ObjectAdapter> Reactor<A> {
    /// A reactor with its threads, which work until [`stop`](Self::stop).
    ///
    /// # Errors
    ///
    /// What the operating system answers.
    pub(super) fn start(registry: &Arc<Registry>, settings: &Settings) -> io::Result<Arc<Self>> {
        let reactor = Arc::new(Self {
            poller: Poller::new()?,
            connections: SlotTable::new(),
            crew: Crew::new(settings),
            byte_order: settings.byte_order,
        });
        for _ in 0..settings.reactor_threads.max(1) {
            if let Err(error) = reactor.hire(registry) {
                reactor.stop();
                return Err(error);
            }
        }
        let (supervised, registry) = (Arc::clone(&reactor), Arc::clone(registry));
        let supervisor = thread::Builder::new().name("taut supervisor".to_owned());
        let supervisor = supervisor.spawn(move || {
            supervised.crew.supervise(|| {
                if let Err(error) = supervised.hire(&registry) {
                    tracing::warn!(%error, "no further thread for the reactor");
                }
            });
        });
        match supervisor {
            Ok(_) => Ok(reactor),
            Err(error) => {
                reactor.stop();
                Err(error)
            }
        }
    }

    /// Serves a connection from now on.
    ///
    /// # Errors
    ///
    /// What the operating system answers.
    pub(super) fn serve(
        &self,
        peer: Arc<Peer>,
        registry_id: u64,
        session: Session<A>,
    ) -> io::Result<()> {
        tracing::debug!(peer = peer.name(), "connection accepted");
        let connection = Connection::new(Arc::clone(&peer), registry_id, session);
        let full = || io::Error::other("the reactor has no room for a connection");
        let id = self.connections.insert(|_| connection).ok_or_else(full)?;
        let watched = peer.stream().watch(&self.poller, token(id));
        if watched.is_err() {
            self.connections.remove(id);
        }
        watched
    }

    /// Ends all threads, as soon as what they carry out is done.
    pub(super) fn stop(&self) {
        self.crew.dismiss();
        self.poller.wake_all();
    }

    /// Starts a thread.
    fn hire(self: &Arc<Self>, registry: &Arc<Registry>) -> io::Result<()> {
        let worker = self.crew.hire();
        let (reactor, registry) = (Arc::clone(self), Arc::clone(registry));
        let thread = thread::Builder::new().name("taut reactor".to_owned());
        let hired = Arc::clone(&worker);
        let spawned = thread.spawn(move || reactor.work(&hired, &registry));
        if spawned.is_err() {
            self.crew.leave(&worker);
        }
        spawned.map(drop)
    }

    /// What each thread does.
    fn work(&self, worker: &Arc<Worker>, registry: &Registry) {
        let mut bench = Bench::new(self.byte_order);
        loop {
            match self.poller.wait() {
                Ok(Some(token)) => {
                    worker.begin();
                    self.attend(slot_id(token), &mut bench, registry);
                    worker.end();
                }
                Ok(None) => break,
                Err(error) => {
                    tracing::error!(%error, "the reactor cannot wait; a thread ends");
                    break;
                }
            }
            if self.crew.may_leave() {
                break;
            }
        }
        self.crew.leave(worker);
    }

    /// Deals with what has happened to a connection.
    fn attend(&self, id: SlotId, bench: &mut Bench, registry: &Registry) {
        let Some(entry) = self.connections.get(id) else {
            return; // it has ended meanwhile
        };
        let Some(connection) = entry.as_ref().map(|entry| &entry.value) else {
            return;
        };
        let Some(mut events) = connection.take_turn() else {
            return; // whoever has its turn will look again
        };
        loop {
            match connection.turn(bench, registry) {
                Turn::Done => match connection.end_turn(events) {
                    Ok(()) => return,
                    Err(more) => events = more,
                },
                Turn::OthersFirst => {
                    connection.pass_turn();
                    let stream = connection.peer().stream();
                    if stream.watch_again(&self.poller, token(id)).is_ok() {
                        return;
                    }
                    break;
                }
                Turn::Over => break,
            }
        }
        self.connections.remove(id);
        registry.leave(connection.registry_id());
    }
}

fn token(id: SlotId) -> u64 {
    u64::from(id.generation) << 32 | u64::from(id.index)
}

fn slot_id(token: u64) -> SlotId {
    SlotId {
        index: token as u32,
        generation: (token >> 32) as u32,
    }
}
