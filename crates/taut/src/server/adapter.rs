//! The interface between the server and an object adapter.

use taut_giop::{Ior, SystemException};

use super::ServerRequest;
use crate::object::ServedObject;

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

    /// [`dispatch`](Self::dispatch), where `around` runs the servant.
    ///
    /// # Errors
    ///
    /// Those of [`dispatch`](Self::dispatch), and those of `around`.
    fn dispatch_around(
        &self,
        object_key: &[u8],
        request: &mut ServerRequest<'_>,
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
