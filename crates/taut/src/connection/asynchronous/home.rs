//! The connection of an endpoint for calls that are awaited.

use std::io;
use std::mem;
use std::sync::{Arc, Weak};
use std::task::{Poll, Waker};

use taut_sync::lock::Mutex;

use super::connection::AsyncConnection;
use super::engine::{Engine, LazyEngine};
use super::task::{Place, Task};
use crate::connection::Patience;
use crate::connection::endpoint::{Endpoint, LeaseError};

/// The connection for all calls to an endpoint that are awaited, if there is one.
pub(crate) struct Home {
    state: Mutex<State>,
    engine: Arc<LazyEngine>,
}

#[derive(Default)]
enum State {
    #[default]
    Empty,
    Opening(Arc<Opening>),
    Open(Arc<AsyncConnection>),
}

type Opened = Result<Arc<AsyncConnection>, Arc<LeaseError>>;
type Opening = Task<Opened>;

/// A connection that is being opened, and the place of a future that waits for it.
pub(crate) struct Awaited {
    opening: Arc<Opening>,
    place: Place,
}

impl Drop for Awaited {
    fn drop(&mut self) {
        self.opening.forget(&mut self.place);
    }
}

impl Home {
    /// There is none yet.
    pub(in crate::connection) fn new(engine: &Arc<LazyEngine>) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::default(),
            engine: Arc::clone(engine),
        })
    }

    /// Closes the connection if it has carried no call since this was last asked.
    pub(in crate::connection) fn close_unused(&self) {
        self.close_if(AsyncConnection::is_unused);
    }

    /// Closes the connection if it carries no call.
    pub(in crate::connection) fn close_idle(&self) {
        self.close_if(AsyncConnection::is_idle);
    }

    /// Closes the connection if it carries no call. False if there is none such.
    pub(in crate::connection) fn give_way(&self) -> bool {
        self.close_if(AsyncConnection::is_idle)
    }

    /// Whether there is no connection, nor any that is being opened.
    pub(in crate::connection) fn is_empty(&self) -> bool {
        matches!(*self.state.lock(), State::Empty)
    }

    fn close_if(&self, is_spare: impl FnOnce(&AsyncConnection) -> bool) -> bool {
        let mut state = self.state.lock();
        let State::Open(connection) = &*state else {
            return false;
        };
        // A call that has it already ends on it, and is made again.
        if !is_spare(connection) {
            return false;
        }
        let State::Open(connection) = mem::take(&mut *state) else {
            return false;
        };
        drop(state);
        self.engine.close(&connection);
        true
    }

    /// Forgets a connection that has ended.
    pub(super) fn forget(&self, connection: &Arc<AsyncConnection>) {
        let mut state = self.state.lock();
        let is_it = matches!(&*state, State::Open(known) if Arc::ptr_eq(known, connection));
        let ended = is_it.then(|| mem::take(&mut *state));
        drop(state);
        drop(ended);
    }
}

/// A connection, and whether it was there before.
pub(crate) type Found = (Arc<AsyncConnection>, bool);

impl Endpoint {
    /// The connection for calls that are awaited, and whether it was there before. If it has
    /// to be opened, a thread does so, and `waker` is woken when it is there.
    pub(crate) fn poll_connection(
        self: &Arc<Self>,
        engine: &Arc<Engine>,
        patience: Patience,
        awaited: &mut Option<Awaited>,
        waker: &Waker,
    ) -> Poll<Result<Found, Arc<LeaseError>>> {
        if let Some(waiting) = awaited {
            let opened = waiting.opening.poll(&mut waiting.place, waker);
            return opened.map(|opened| {
                *awaited = None;
                Ok((opened?, false))
            });
        }
        let opening = match self.asynchronous.usable() {
            Ok(connection) => return Poll::Ready(Ok((connection, true))),
            Err(Some(opening)) => opening,
            Err(None) if patience.forbids_reconnecting => {
                return Poll::Ready(Err(Arc::new(LeaseError::Forbidden)));
            }
            Err(None) => match self.begin_to_open(engine, patience) {
                Ok(opening) => opening,
                Err(error) => return Poll::Ready(Err(error)),
            },
        };
        let place = Place::default();
        let waiting = awaited.insert(Awaited { opening, place });
        let opened = waiting.opening.poll(&mut waiting.place, waker);
        opened.map(|opened| {
            *awaited = None;
            Ok((opened?, false))
        })
    }

    /// Has a thread open the connection, unless one does so already.
    #[cold]
    fn begin_to_open(
        self: &Arc<Self>,
        engine: &Arc<Engine>,
        patience: Patience,
    ) -> Result<Arc<Opening>, Arc<LeaseError>> {
        let (opening, promise) = Task::new(Err(Arc::new(LeaseError::NoThread)));
        {
            let mut state = self.asynchronous.state.lock();
            if let State::Opening(opening) = &*state {
                return Ok(Arc::clone(opening));
            }
            *state = State::Opening(Arc::clone(&opening));
        }
        let (endpoint, own_engine) = (Arc::clone(self), Arc::clone(engine));
        let own = Arc::clone(&opening);
        let submitted = engine.submit(move || {
            // Others connect anew, if this thread panics.
            let left = Left(&endpoint.asynchronous, &own);
            let opened = endpoint.open_asynchronous(&own_engine, patience);
            let opened = opened.map_err(Arc::new);
            if let Ok(connection) = &opened {
                left.end(State::Open(Arc::clone(connection)));
                if connection.has_ended() {
                    endpoint.asynchronous.forget(connection);
                }
            }
            drop(left);
            promise.finish(opened);
        });
        if let Err(error) = submitted {
            tracing::warn!(%error, "no thread to connect");
            self.asynchronous.end_opening(&opening, State::Empty);
        }
        Ok(opening)
    }

    fn open_asynchronous(
        &self,
        engine: &Arc<Engine>,
        patience: Patience,
    ) -> Result<Arc<AsyncConnection>, LeaseError> {
        // Other calls may wait for it, too, each as long as it may.
        let patience = Patience {
            deadline: None,
            ..patience
        };
        self.open(patience, |stream, permit, settings| {
            let home: Weak<Home> = Arc::downgrade(&self.asynchronous);
            let connection = AsyncConnection::new(stream, self.messaging(), permit, home, settings);
            let connection = Arc::new(connection);
            engine.adopt(&connection)?;
            Ok::<_, io::Error>(connection)
        })
    }
}

impl Home {
    /// The connection if it can be used, or the task of opening it if there is one.
    fn usable(&self) -> Result<Arc<AsyncConnection>, Option<Arc<Opening>>> {
        let state = self.state.lock();
        match &*state {
            State::Empty => Err(None),
            State::Opening(opening) => Err(Some(Arc::clone(opening))),
            State::Open(connection) => Ok(Arc::clone(connection)),
        }
    }

    /// Ends the opening of a connection.
    fn end_opening(&self, opening: &Arc<Opening>, state: State) {
        let mut current = self.state.lock();
        if let State::Opening(known) = &*current
            && Arc::ptr_eq(known, opening)
        {
            let before = mem::replace(&mut *current, state);
            drop(current);
            drop(before);
        }
    }
}

/// The state of opening, which ends with this.
struct Left<'s>(&'s Home, &'s Arc<Opening>);

impl Left<'_> {
    fn end(&self, state: State) {
        self.0.end_opening(self.1, state);
    }
}

impl Drop for Left<'_> {
    fn drop(&mut self) {
        self.end(State::Empty);
    }
}
