//! Replies to callers of this process that are made later than the up-call ends. The caller
//! waits.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

use scoped_tls::scoped_thread_local;
use taut_giop::SystemException;
use taut_sync::lock::{Condvar, Mutex};

use crate::messaging::Messaging;
use crate::nested_calls;
use crate::server::{Disposition, ServerRequest};
use crate::service_contexts::ServiceContextList;

/// The place where a reply is left for the caller.
#[derive(Default)]
pub(in crate::server) struct LocalReply {
    given: Mutex<Option<Given>>,
    changed: Condvar,
}

/// A reply.
#[derive(Debug)]
pub(in crate::server) struct Given {
    pub(in crate::server) outcome: Result<Disposition, SystemException>,
    /// The message, if there is one.
    pub(in crate::server) octets: Vec<u8>,
    pub(in crate::server) contexts: ServiceContextList,
}

impl Default for Given {
    fn default() -> Self {
        Self {
            outcome: Ok(Disposition::Done),
            octets: Vec::new(),
            contexts: ServiceContextList::default(),
        }
    }
}

/// A request of this process whose servant the calling thread runs.
struct Running {
    /// Its place in memory, which tells it from others within it.
    request: usize,
    reply: Arc<LocalReply>,
    messaging: Messaging,
    is_deferred: Cell<bool>,
}

scoped_thread_local!(static RUNNING: Running);

fn address(request: &ServerRequest<'_>) -> usize {
    std::ptr::from_ref(request).addr()
}

impl LocalReply {
    /// Runs `run`, which carries out this request of the process. Returns the place of its reply
    /// if that is made later.
    pub(in crate::server) fn around<R>(
        request: &mut ServerRequest<'_>,
        messaging: Messaging,
        run: impl FnOnce(&mut ServerRequest<'_>) -> R,
    ) -> (R, Option<Arc<Self>>) {
        let running = Running {
            request: address(request),
            reply: Arc::default(),
            messaging,
            is_deferred: Cell::new(false),
        };
        let result = RUNNING.set(&running, || run(request));
        let is_deferred = running.is_deferred.get();
        (result, is_deferred.then_some(running.reply))
    }

    /// Defers the reply to a request, if that is one of this process which the calling thread
    /// carries out.
    pub(super) fn defer(request: &ServerRequest<'_>) -> Option<(Arc<Self>, Messaging)> {
        if !RUNNING.is_set() {
            return None;
        }
        RUNNING.with(|running| {
            let is_it = running.request == address(request);
            is_it.then(|| {
                running.is_deferred.set(true);
                (Arc::clone(&running.reply), running.messaging)
            })
        })
    }

    /// Leaves the reply.
    pub(super) fn complete(&self, given: Given) {
        *self.given.lock() = Some(given);
        self.changed.notify_all();
    }

    /// Waits for the reply.
    pub(in crate::server) fn wait(&self) -> Given {
        let _waiting = nested_calls::note();
        let mut given = self.given.lock();
        loop {
            match given.take() {
                Some(given) => return given,
                None => self.changed.wait(&mut given),
            }
        }
    }
}

impl fmt::Debug for LocalReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalReply").finish_non_exhaustive()
    }
}
