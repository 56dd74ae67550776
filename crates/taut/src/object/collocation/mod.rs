//! Objects of this process: who runs calls for them, and how a reference finds
//! out that it leads to one (M6).
//!
//! A server that listens is in a [table] of the whole process, by the addresses
//! that its references carry. A reference looks there when its binding is made,
//! so it does not matter where it came from, nor which of the process's ORBs has
//! it. The binding keeps an [`AdapterHandle`], which says whether the server still runs: if
//! not, calls go by message, and end as those of others do.

mod adapter_handle;
mod direct;
mod local_servant;
mod table;
mod views;

use std::any::TypeId;
use std::fmt;
use std::sync::{Arc, OnceLock};

use taut_cdr::CharacterForms;
use taut_giop::message::ResponseFlags;
use taut_giop::{Ior, SystemException, Version};

use super::{Interface, Passes, View};
use crate::core::OrbCore;
use crate::messaging::Messaging;
use crate::service_contexts::ServiceContextList;

pub(crate) use adapter_handle::{AdapterHandle, Entered};
pub(crate) use direct::{DirectServant, DirectTarget};
pub(crate) use local_servant::LocalServant;
pub(crate) use table::find;

/// Runs calls for the objects of an ORB of this process.
pub(crate) trait LocalAdapter: Send + Sync {
    /// Whether requests with this key are for here: it is of an object, active or
    /// not, or of one that they are forwarded to.
    fn knows(&self, object_key: &[u8]) -> bool;

    /// Runs the call with the servant of that key, as a request would be carried
    /// out.
    ///
    /// # Errors
    ///
    /// The system exception that the caller gets.
    fn call(
        &self,
        object_key: &[u8],
        call: &mut LocalCall<'_>,
    ) -> Result<LocalOutcome, SystemException>;

    /// Carries a request out whose arguments are marshaled, in the caller's thread.
    ///
    /// # Errors
    ///
    /// The system exception that the caller gets.
    fn carry_out(
        &self,
        object_key: &[u8],
        request: &mut LocalRequest<'_>,
    ) -> Result<LocalOutcome, SystemException>;

    /// Tells where the object with this key is.
    ///
    /// # Errors
    ///
    /// The system exception that the caller gets.
    fn locate(&self, object_key: &[u8]) -> Result<LocalOutcome, SystemException>;

    /// Returns the target that a reference of `caller` may keep to call the servant of that
    /// key by itself, most often as this view, which it has been called as before.
    fn direct(
        &self,
        object_key: &[u8],
        view: TypeId,
        caller: &Arc<OrbCore>,
    ) -> Option<Arc<DirectTarget>>;
}

/// The action of a call on the servant. (A closure behind a `dyn FnMut` would have its code
/// twice, for it can be called once, too.)
pub(crate) trait Call {
    /// Calls the servant, if what was found is what the operation wants.
    fn run(&mut self, found: Found<'_>);
}

/// The result of looking for the servant of a call.
#[derive(Clone, Copy)]
pub(crate) enum Found<'a> {
    /// The servant, to be called.
    Servant(&'a View),
    /// Which interface it has, which was all that was asked.
    Interface(&'static Interface),
}

/// A call in the caller's thread.
pub(crate) struct LocalCall<'a> {
    /// The operation's name on the wire.
    pub(crate) operation: &'a str,
    pub(crate) passes: Passes,
    /// The type that `run` wants: `Arc<dyn Circle>`, or the servant's [`Interface`].
    pub(crate) view: TypeId,
    /// Whether it may wait while a POA manager holds requests.
    pub(crate) may_wait: bool,
    /// Calls the servant.
    pub(crate) run: &'a mut dyn Call,
}

/// A request in the caller's thread, whose arguments and results are marshaled.
pub(crate) struct LocalRequest<'a> {
    /// The operation's name on the wire.
    pub(crate) operation: &'a str,
    /// The arguments, in this machine's byte order.
    pub(crate) arguments: &'a [u8],
    pub(crate) characters: CharacterForms,
    pub(crate) response: ResponseFlags,
    /// Whether it may wait while a POA manager holds requests.
    pub(crate) may_wait: bool,
    /// The service contexts of the request.
    pub(crate) contexts: &'a ServiceContextList,
    /// How the reply is laid out, and the id that it has.
    pub(crate) messaging: Messaging,
    pub(crate) version: Version,
    pub(crate) request_id: u32,
    /// Where the message of the reply goes.
    pub(crate) reply: &'a mut Vec<u8>,
    /// Where the service contexts of the reply go.
    pub(crate) replied: &'a mut ServiceContextList,
}

/// The outcome of a call, or a question, to a local adapter.
#[derive(Debug)]
pub(crate) enum LocalOutcome {
    /// The servant has been called, or the object is here.
    Done,
    /// There is no such object.
    Unknown,
    /// It cannot be answered in the caller's thread, and nothing has happened.
    ByMessage,
    /// The object is elsewhere.
    Forward(Box<Ior>),
}

/// A binding's knowledge of its object, if that is in this process.
#[derive(Debug)]
pub(crate) struct Local {
    pub(crate) adapter: Arc<AdapterHandle>,
    pub(crate) object_key: Box<[u8]>,
    /// Whether the reference belongs to the same ORB as the object.
    pub(crate) is_same_orb: bool,
    /// The servant, once it has been called, for references that keep it. A target that can
    /// be told at once is also kept in a [shorter way](super::BindingCell::kept).
    pub(crate) direct: OnceLock<Arc<DirectTarget>>,
}

impl Local {
    /// Whether the call may be made as it is: references belong to an ORB, and are
    /// not passed to another one's objects.
    #[inline]
    pub(crate) fn may_take(&self, passes: Passes) -> bool {
        self.is_same_orb || passes == Passes::Values
    }
}

impl fmt::Debug for LocalCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalCall")
            .field("operation", &self.operation)
            .finish_non_exhaustive()
    }
}
