//! The interface between the server and an object adapter.

use taut_giop::{Ior, SystemException};

use super::ServerRequest;
use crate::object::ServedObject;
use crate::priority::{AtPriority, Priority};

/// Finds the servant of a request and runs it. The ORB core knows the POA by
/// nothing else.
pub(crate) trait ObjectAdapter: Send + Sync + 'static {
    /// The state that is kept from one request to the next, among some that have arrived
    /// together. The things that it holds on to may keep others waiting.
    type Memory<'m>: Default;

    /// Carries out a request for the object with this key.
    ///
    /// # Errors
    ///
    /// The system exception that the caller gets.
    fn dispatch(
        &self,
        object_key: &[u8],
        request: &mut ServerRequest<'_>,
    ) -> Result<Disposition, SystemException>;

    /// [`dispatch`](Self::dispatch), among other requests that a thread carries out one
    /// right after the other.
    ///
    /// # Errors
    ///
    /// Those of [`dispatch`](Self::dispatch).
    fn dispatch_next<'m>(
        &self,
        object_key: &'m [u8],
        request: &mut ServerRequest<'_>,
        memory: &mut Self::Memory<'m>,
    ) -> Result<Disposition, SystemException>;

    /// [`dispatch`](Self::dispatch) of a request whose sender has told its priority, or whose
    /// thread has one.
    ///
    /// # Errors
    ///
    /// Those of [`dispatch`](Self::dispatch), and the reason for which the thread cannot have
    /// the priority.
    fn dispatch_with(
        &self,
        object_key: &[u8],
        request: &mut ServerRequest<'_>,
        _sent: SentPriority,
    ) -> Result<Disposition, SystemException> {
        self.dispatch(object_key, request)
    }

    /// [`dispatch`](Self::dispatch) of a request that has come with this priority, where the
    /// object is found at once, requests for it have the priorities of those who send them, and
    /// `request` has a reply that tells it. None, and nothing has happened, where it is not so.
    fn dispatch_at_once(
        &self,
        _object_key: &[u8],
        _request: &mut ServerRequest<'_>,
        _priority: Priority,
    ) -> Option<Result<(), SystemException>> {
        None
    }

    /// Gives the calling thread the priority of a request for the object with this key, as far as
    /// that is known before it is dispatched, as long as the first value lives that is
    /// returned; the other is for the dispatch.
    ///
    /// # Errors
    ///
    /// The reason for which the thread cannot have it.
    fn begin_priority(
        &self,
        _object_key: &[u8],
        sent: SentPriority,
    ) -> Result<(Option<AtPriority>, SentPriority), SystemException> {
        Ok((None, sent))
    }

    /// [`dispatch_with`](Self::dispatch_with), where `around` runs the servant.
    ///
    /// # Errors
    ///
    /// Those of [`dispatch_with`](Self::dispatch_with), and those of `around`.
    fn dispatch_around(
        &self,
        object_key: &[u8],
        request: &mut ServerRequest<'_>,
        sent: SentPriority,
        around: &mut dyn AroundServant,
    ) -> Result<Disposition, SystemException>;

    /// Tells where the object with this key is.
    ///
    /// # Errors
    ///
    /// The system exception that the caller gets.
    fn locate(&self, object_key: &[u8]) -> Result<Presence, SystemException>;

    /// The object with this key as people know it: its id and the name of its POA.
    fn describe(&self, object_key: &[u8]) -> String {
        object_key.escape_ascii().to_string()
    }
}

/// The priority that a request has by its sender.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum SentPriority {
    /// None: the client has none, or does not tell it.
    #[default]
    None,
    /// A service context tells it.
    Context(Priority),
    /// That of the thread: the caller carries the request out itself.
    OfThread(Priority),
    /// The priority of the request, whoever has said so.
    Known(Priority),
}

/// Runs the servant of a request that an adapter has found, in whichever thread it is to run.
pub(crate) trait AroundServant: Send {
    /// Runs the servant of this object, by `run`.
    ///
    /// # Errors
    ///
    /// Those of `run`; or a reason not to run it.
    fn around(
        &mut self,
        target: Box<dyn ServedObject>,
        request: &mut ServerRequest<'_>,
        run: &mut dyn FnMut(&mut ServerRequest<'_>) -> Result<(), SystemException>,
    ) -> Result<(), SystemException>;
}

/// The outcome of a request.
#[derive(Debug)]
pub(crate) enum Disposition {
    /// A servant has answered it.
    Done,
    /// The caller shall ask there.
    Forward(Box<Ior>),
    /// The caller shall name the target by its key.
    Readdress,
}

/// Where an object is.
#[derive(Debug)]
pub(crate) enum Presence {
    /// Here.
    Here,
    /// Nobody knows.
    Unknown,
    /// There.
    Elsewhere(Ior),
}
