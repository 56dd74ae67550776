//! The threads that serve connections: their own, and the reactor's.

use std::io;
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use taut_sync::lock::Mutex;

use super::ObjectAdapter;
use super::peer::Peer;
use super::reactor::Reactor;
use super::standby::OwnThreads;
use crate::core::OrbCore;
use crate::lifecycle::stopped;
use crate::settings::BidirectionalPolicy;
use crate::settings::Settings;

/// The threads that serve the connections of a server.
pub(super) struct Engine<A> {
    own_threads: OwnThreads,
    /// Serves the others.
    reactor: Mutex<Phase<A>>,
}

/// The state of the reactor.
enum Phase<A> {
    /// Nobody has needed it yet.
    Wanting,
    /// It works.
    Running(Arc<Reactor<A>>),
    /// It has been stopped, and there will be no other.
    Stopped,
}

impl<A> Default for Engine<A> {
    fn default() -> Self {
        Self {
            own_threads: OwnThreads::default(),
            reactor: Mutex::new(Phase::Wanting),
        }
    }
}

impl<A: ObjectAdapter> Engine<A> {
    /// Enters a connection that has a thread of its own.
    pub(super) fn enter_own_thread(&self, id: u64, peer: &Arc<Peer>) {
        self.own_threads.enter(id, peer);
    }

    /// Lets a connection's own thread go.
    pub(super) fn leave_own_thread(&self, id: u64) {
        let reactor = match &*self.reactor.lock() {
            Phase::Running(reactor) => Some(Arc::clone(reactor)),
            Phase::Wanting | Phase::Stopped => None,
        };
        self.own_threads.leave(id, reactor.as_deref());
    }

    /// Has this reactor serve all connections, unless it has been stopped.
    pub(super) fn run(&self, reactor: &Arc<Reactor<A>>) {
        let mut phase = self.reactor.lock();
        match &*phase {
            Phase::Wanting => *phase = Phase::Running(Arc::clone(reactor)),
            Phase::Running(_) | Phase::Stopped => reactor.stop(),
        }
    }

    /// Stops the reactor for good.
    pub(super) fn stop(&self) {
        let last = mem::replace(&mut *self.reactor.lock(), Phase::Stopped);
        if let Phase::Running(reactor) = last {
            reactor.stop();
        }
    }

    /// Whether a further connection gets a thread of its own.
    pub(super) fn has_thread_left(&self, settings: &Settings) -> bool {
        // Where requests go both ways, replies are to be read at any time.
        if settings.wire.bidirectional != BidirectionalPolicy::Normal {
            return false;
        }
        self.own_threads.count() < settings.server.connection_threads
    }

    /// Lets the reactor stand by where servants keep connections' own threads, and
    /// says when to look again. `start` starts it, if it does not work yet.
    pub(super) fn stand_by(
        &self,
        core: &OrbCore,
        start: impl Fn() -> io::Result<Arc<Reactor<A>>>,
    ) -> Duration {
        if core.settings.server.max_requests_per_connection <= 1 {
            return Duration::MAX;
        }
        self.own_threads.look(|| {
            let missing = |error: &io::Error| {
                if !core.lifecycle.is_stopping() {
                    tracing::warn!(%error, "no reactor to stand by");
                }
            };
            self.reactor(&start).inspect_err(missing).ok()
        })
    }

    /// The reactor, which `start` starts when it is first needed.
    ///
    /// # Errors
    ///
    /// Those of `start`; [`io::ErrorKind::NotConnected`] once the server has stopped, for
    /// nobody would stop a reactor that is started then.
    pub(super) fn reactor(
        &self,
        start: impl FnOnce() -> io::Result<Arc<Reactor<A>>>,
    ) -> io::Result<Arc<Reactor<A>>> {
        let mut phase = self.reactor.lock();
        match &*phase {
            Phase::Running(reactor) => Ok(Arc::clone(reactor)),
            Phase::Stopped => Err(stopped()),
            Phase::Wanting => {
                let started = start()?;
                *phase = Phase::Running(Arc::clone(&started));
                Ok(started)
            }
        }
    }
}
