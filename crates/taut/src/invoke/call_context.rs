//! The context of a call: time, sync scope and service contexts.

mod of_thread;

use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant};

use taut_giop::SystemException;
use taut_giop::service_context::ServiceContexts;
use taut_sync::lock::Mutex;

use crate::core::OrbCore;
use crate::deadline::{self, Deadline};
use crate::object::ObjectRef;
use crate::service_contexts::{ServiceContext, ServiceContextList};
use crate::settings::SyncScope;
use crate::upcall::contexts::{self, Taken, UpcallContexts};

pub(super) use of_thread::{is_in_force, with_that_of_thread};

/// Properties that calls have in place of those of their references and their ORB: a
/// time, a sync scope, and service contexts. It goes with one call by name
/// ([`ObjectRef::invoke_with`], [`ObjectRef::invoke_oneway_with`]), or with all calls of a
/// part of a program ([`within`](Self::within)), those of generated stubs among them.
///
/// ```
/// use std::time::Duration;
///
/// use taut::{CallContext, ObjectRef};
///
/// fn ping(object: &ObjectRef) -> taut::Result<()> {
///     let context = CallContext::new().with_timeout(Duration::from_millis(200));
///     object.invoke_with(&context, "ping", |_| Ok(()))?.no_results()
/// }
/// ```
///
/// # Service contexts
///
/// They go in the header of the request, beside the arguments, and the servant may add some
/// to its reply ([`RequestContext`](crate::RequestContext)). A call whose context has one
/// with an id that the ORB sends itself ends with BAD_PARAM, and one with too many or too
/// long ones with IMP_LIMIT, before anything is sent. A LocateRequest has none.
///
/// ```
/// use taut::{CallContext, ObjectRef};
///
/// /// An id that both sides have agreed on.
/// const TRACE: u32 = 0x4d59_0001;
///
/// /// Asks an object, and says for which trace. Returns what the reply says of it.
/// fn traced(object: &ObjectRef, trace: [u8; 16]) -> taut::Result<Option<Vec<u8>>> {
///     let context = CallContext::new().with_service_context(TRACE, trace);
///     context.within(|| object.non_existent())?;
///     Ok(context.reply_service_context(TRACE))
/// }
/// ```
#[derive(Debug, Default)]
pub struct CallContext {
    timeout: Timeout,
    sync_scope: Option<SyncScope>,
    /// Sent with each request.
    service_contexts: ServiceContextList,
    /// Those of the reply that came last.
    replied: Mutex<ServiceContextList>,
}

/// How long a call may take in all.
#[derive(Debug, Clone, Copy, Default)]
enum Timeout {
    /// As long as the reference says.
    #[default]
    OfReference,
    /// This long; none: for ever.
    Own(Option<Duration>),
}

impl CallContext {
    /// A call that has nothing of its own.
    pub const fn new() -> Self {
        Self {
            timeout: Timeout::OfReference,
            sync_scope: None,
            service_contexts: ServiceContextList::EMPTY,
            replied: Mutex::new(ServiceContextList::EMPTY),
        }
    }

    /// The call may take so much time in all: then it ends with TIMEOUT, whatever it waits
    /// for ([`deadline`](crate::deadline)). `None` is no limit.
    #[must_use]
    pub fn with_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.timeout = Timeout::Own(timeout.into());
        self
    }

    /// The call, if it has no result, waits for this.
    #[must_use]
    pub fn with_sync_scope(mut self, sync_scope: SyncScope) -> Self {
        self.sync_scope = Some(sync_scope);
        self
    }

    /// The request has this service context, behind those that were added before. There may
    /// be several with the same id.
    #[cfg(feature = "full")]
    #[must_use]
    pub fn with_service_context(mut self, id: u32, data: impl AsRef<[u8]>) -> Self {
        self.service_contexts.push(id, data.as_ref());
        self
    }

    /// Returns the sync scope of calls without a result; none: that of the reference.
    pub fn sync_scope(&self) -> Option<SyncScope> {
        self.sync_scope
    }

    /// Returns the service contexts that requests have.
    #[cfg(feature = "full")]
    pub fn service_contexts(&self) -> Vec<ServiceContext> {
        self.service_contexts.to_vec()
    }

    /// Returns the service contexts of the reply to the last call that had this context,
    /// those of ORBs among them. It does not matter whether the reply was a result, a user
    /// exception or a system exception. There are none if no reply came, and where a call
    /// waits for none; for [`SyncScope::WithServer`], they are those of the
    /// acknowledgement, of which Taut sends none. Of a call that was forwarded or tried again, the reply is the last.
    ///
    /// If several threads call with the same context at once, the last is any of theirs.
    #[cfg(feature = "full")]
    pub fn reply_service_contexts(&self) -> Vec<ServiceContext> {
        self.replied.lock().to_vec()
    }

    /// Returns the data of the first service context with this id in
    /// [`reply_service_contexts`](Self::reply_service_contexts).
    #[cfg(feature = "full")]
    pub fn reply_service_context(&self, id: u32) -> Option<Vec<u8>> {
        self.replied.lock().find(id).map(<[u8]>::to_vec)
    }

    /// Forgets the last reply.
    pub(super) fn forget_reply(&self) {
        self.replied.lock().clear();
    }

    /// Gives an up-call in this process what its request would have.
    pub(super) fn pass_to(&self, contexts: &mut UpcallContexts) {
        contexts.received.clone_from(&self.service_contexts);
    }

    /// Takes what such an up-call has left for its reply.
    pub(super) fn take_reply(&self, taken: Option<Taken>) {
        if let Some(mut taken) = taken {
            mem::swap(&mut *self.replied.lock(), &mut taken.replied);
        }
    }

    /// Prepares for a call: what it says is checked, and no reply has come.
    ///
    /// # Errors
    ///
    /// BAD_PARAM or IMP_LIMIT when the service contexts may not be sent.
    pub(super) fn begin(&self, core: &OrbCore) -> Result<(), SystemException> {
        self.forget_reply();
        match contexts::OF_USERS {
            true => self.service_contexts.check(&core.settings.limits.lists),
            false => Ok(()),
        }
    }
}

/// A context with the same properties, to which no reply has come yet.
impl Clone for CallContext {
    fn clone(&self) -> Self {
        Self {
            timeout: self.timeout,
            sync_scope: self.sync_scope,
            service_contexts: self.service_contexts.clone(),
            replied: Mutex::default(),
        }
    }
}

/// Returns what a oneway waits for, by its own context or its thread's, or by its reference.
#[inline]
pub(super) fn sync_scope(object: &ObjectRef, context: Option<&CallContext>) -> SyncScope {
    match context {
        None if !is_in_force() => object.sync_scope(),
        None => with_that_of_thread(|context| own_sync_scope(object, context)),
        context => own_sync_scope(object, context),
    }
}

#[cold]
fn own_sync_scope(object: &ObjectRef, context: Option<&CallContext>) -> SyncScope {
    let own = context.and_then(CallContext::sync_scope);
    own.unwrap_or_else(|| object.sync_scope())
}

/// The terms of a call that lasts longer than the function that has begun it.
#[derive(Debug)]
pub(super) struct KeptTerms {
    deadline: Option<Deadline>,
    context: Option<Arc<CallContext>>,
}

impl KeptTerms {
    /// Those of a call that begins now: with a context of its own, or that of its thread.
    pub(super) fn of(object: &ObjectRef, context: Option<Arc<CallContext>>) -> Self {
        let context = match context {
            None if is_in_force() => CallContext::of_thread().map(Arc::new),
            own => own,
        };
        let deadline = Terms::of(object, context.as_deref()).deadline;
        Self { deadline, context }
    }

    /// The terms.
    pub(super) fn get(&self) -> Terms<'_> {
        Terms {
            deadline: self.deadline,
            context: self.context.as_deref(),
        }
    }

    /// The context of the call, if it has one.
    pub(super) fn context(&self) -> Option<&CallContext> {
        self.context.as_deref()
    }
}

/// The terms of a call that has begun: its own context, its reference, its thread
/// and its ORB together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms<'c> {
    /// When it ends, with or without a reply.
    pub(super) deadline: Option<Deadline>,
    /// The context whose properties go with the call and come back.
    context: Option<&'c CallContext>,
}

impl<'c> Terms<'c> {
    /// Those of a call that begins now, and that may have a context of its own or of its
    /// thread.
    pub(super) fn of(object: &ObjectRef, context: Option<&'c CallContext>) -> Self {
        let timeout = context.map_or(Timeout::OfReference, |context| context.timeout);
        let own = match timeout {
            Timeout::OfReference => object.deadline(),
            Timeout::Own(timeout) => {
                timeout.and_then(|timeout| Deadline::after(timeout, "with_timeout"))
            }
        };
        Self {
            deadline: Deadline::earlier(deadline::of_thread(), own),
            context,
        }
    }

    /// Returns when the call ends.
    pub(super) fn until(&self) -> Option<Instant> {
        self.deadline.map(|deadline| deadline.at)
    }

    /// Whether the time of the call is over.
    pub(super) fn is_late(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| deadline.time_left().is_zero())
    }

    /// Returns the service contexts that user code sends with the request; none if there are
    /// none.
    pub(super) fn of_user(&self) -> Option<&'c ServiceContextList> {
        let contexts = &self.context?.service_contexts;
        (contexts::OF_USERS && !contexts.is_empty()).then_some(contexts)
    }

    /// Forgets what came of an earlier attempt.
    pub(super) fn begin_attempt(&self) {
        if let Some(context) = self.context {
            context.forget_reply();
        }
    }

    /// Notes what a reply has beside what it answers.
    pub(super) fn note_reply(&self, contexts: &ServiceContexts<'_>) {
        if let Some(context) = self.context
            && contexts::OF_USERS
        {
            context.replied.lock().replace(contexts);
        }
    }
}
