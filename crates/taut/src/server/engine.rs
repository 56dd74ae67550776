//! The threads that serve connections: their own, and the reactor's.

use std::io;
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::listening::stopped;
use super::reactor::Reactor;
use super::standby::OwnThreads;
use super::{ObjectAdapter, Server};
#[cfg(feature = "bidirectional")]
use crate::settings::BidirectionalPolicy;

/// Who serves the connections of a server.
pub(super) struct Engine<A> {
    pub(super) own_threads: OwnThreads,
    /// Serves the others.
    reactor: Mutex<Phase<A>>,
}

/// What becomes of the reactor.
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
    /// Lets a connection's own thread go.
    pub(super) fn leave_own_thread(&self, id: u64) {
        let reactor = match &*self.reactor.lock() {
            Phase::Running(reactor) => Some(Arc::clone(reactor)),
            Phase::Wanting | Phase::Stopped => None,
        };
        self.own_threads.leave(id, reactor.as_deref());
    }

    /// Stops the reactor for good.
    pub(super) fn stop(&self) {
        let last = mem::replace(&mut *self.reactor.lock(), Phase::Stopped);
        if let Phase::Running(reactor) = last {
            reactor.stop();
        }
    }
}

impl<A: ObjectAdapter> Server<A> {
    /// Whether a further connection gets a thread of its own.
    pub(super) fn has_thread_left(&self) -> bool {
        let settings = &self.core.settings;
        // Where requests go both ways, replies are to be read at any time.
        #[cfg(feature = "bidirectional")]
        if settings.bidirectional == BidirectionalPolicy::Both {
            return false;
        }
        self.engine.own_threads.count() < settings.connection_threads
    }

    /// Lets the reactor stand by where servants keep connections' own threads, and
    /// says when to look again.
    pub(super) fn stand_by(&self) -> Duration {
        if self.core.settings.max_requests_per_connection <= 1 {
            return Duration::MAX;
        }
        self.engine.own_threads.look(|| {
            let missing = |error: &io::Error| {
                if !self.core.lifecycle.is_stopping() {
                    tracing::warn!(%error, "no reactor to stand by");
                }
            };
            self.reactor().inspect_err(missing).ok()
        })
    }

    /// The reactor, which is started when it is first needed.
    ///
    /// # Errors
    ///
    /// What the operating system answers; [`io::ErrorKind::NotConnected`] once the
    /// server has stopped, for nobody would stop a reactor that is started then.
    pub(super) fn reactor(&self) -> io::Result<Arc<Reactor<A>>> {
        let mut phase = self.engine.reactor.lock();
        match &*phase {
            Phase::Running(reactor) => Ok(Arc::clone(reactor)),
            Phase::Stopped => Err(stopped()),
            Phase::Wanting => {
                let started = Reactor::start(&self.core, &self.adapter()?, &self.registry)?;
                *phase = Phase::Running(Arc::clone(&started));
                Ok(started)
            }
        }
    }

    fn adapter(&self) -> io::Result<Arc<A>> {
        let not_running = || io::Error::other("the server does not run");
        self.adapter.lock().clone().ok_or_else(not_running)
    }
}

#[cfg(test)]
mod tests {
    use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind};

    use super::*;
    use crate::core::OrbCore;
    use crate::server::{Disposition, Presence, ServerRequest};
    use crate::settings::Settings;

    /// An adapter without objects.
    struct Nobody;

    impl ObjectAdapter for Nobody {
        #[cfg(feature = "reactor")]
        type Memory<'m> = ();

        #[cfg(feature = "reactor")]
        fn dispatch_next(
            &self,
            object_key: &[u8],
            request: &mut ServerRequest<'_>,
            (): &mut (),
        ) -> Result<Disposition, SystemException> {
            self.dispatch(object_key, request)
        }

        fn dispatch(
            &self,
            _: &[u8],
            _: &mut ServerRequest<'_>,
        ) -> Result<Disposition, SystemException> {
            Err(SystemException::omg(
                SystemExceptionKind::ObjectNotExist,
                2,
                CompletionStatus::No,
            ))
        }

        fn locate(&self, _: &[u8]) -> Result<Presence, SystemException> {
            Ok(Presence::Unknown)
        }
    }

    fn server() -> Arc<Server<Nobody>> {
        let core = Arc::new(OrbCore::new(Settings::default()));
        let server = Server::new(core, Vec::new());
        server.start(Arc::new(Nobody)).unwrap();
        server
    }

    fn stop(server: &Server<Nobody>) {
        assert!(server.core.lifecycle.begin_stop());
        server.stop();
        server.core.lifecycle.finish_stop();
    }

    #[test]
    fn a_server_that_has_stopped_starts_no_reactor() {
        let server = server();
        stop(&server);
        let refused = server.reactor().err().map(|error| error.kind());
        assert_eq!(refused, Some(io::ErrorKind::NotConnected));

        // Nor a second one.
        let server = self::server();
        let reactor = server.reactor().unwrap();
        assert!(Arc::ptr_eq(&reactor, &server.reactor().unwrap()));
        stop(&server);
        assert!(server.reactor().is_err());
    }
}
