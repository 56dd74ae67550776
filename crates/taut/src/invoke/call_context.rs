//! The context of a call: time, sync scope and service contexts.

mod of_thread;

use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant};

use taut_giop::SystemException;
use taut_giop::service_context::ServiceContexts;
use taut_sync::lock::Mutex;

use super::qos::{self, Qos};
use super::request::Quality;
use crate::connection::Patience;
use crate::core::OrbCore;
use crate::deadline::{self, Deadline};
use crate::object::{Binding, Bound, ObjectRef, Route};
use crate::policy::PolicySet;
use crate::priority::CallPriority;
use crate::service_contexts::{ServiceContext, ServiceContextList};
use crate::settings::{SyncScope, WaitStrategy};
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
    /// Further policies.
    policies: PolicySet,
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
            policies: PolicySet::EMPTY,
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

    /// The call has this policy, in the place of that of its reference, its thread or its ORB
    /// (docs/policies.md). One of the same type that was given before is gone.
    ///
    /// # Errors
    ///
    /// [`PolicyOverrideError`](crate::policy::PolicyOverrideError) when a call cannot have it.
    #[cfg(feature = "full")]
    pub fn with_policy(
        mut self,
        policy: impl Into<crate::policy::Policy>,
    ) -> Result<Self, crate::policy::PolicyOverrideError> {
        use crate::policy::{
            PolicyLevels, RelativeRoundtripTimeoutPolicy, SetOverrideType, SyncScopePolicy,
        };

        let policy = policy.into();
        if let Some(timeout) = policy.value::<RelativeRoundtripTimeoutPolicy>() {
            return Ok(self.with_timeout(timeout.0));
        }
        if let Some(scope) = policy.value::<SyncScopePolicy>() {
            return Ok(self.with_sync_scope(scope.0));
        }
        let (how, level) = (SetOverrideType::Add, PolicyLevels::CALL);
        self.policies = self.policies.with(&[policy], how, level)?;
        Ok(self)
    }

    /// Returns the policies beside time and sync scope.
    pub(super) fn policies(&self) -> &PolicySet {
        &self.policies
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
        if !contexts::OF_USERS {
            return Ok(());
        }
        let limits = &core.settings.limits.lists;
        if core.priorities.is_real_time() {
            self.service_contexts.check_priorities(limits)?;
        }
        self.service_contexts.check(limits)
    }
}

/// A context with the same properties, to which no reply has come yet.
impl Clone for CallContext {
    fn clone(&self) -> Self {
        Self {
            timeout: self.timeout,
            sync_scope: self.sync_scope,
            policies: self.policies.clone(),
            service_contexts: self.service_contexts.clone(),
            replied: Mutex::default(),
        }
    }
}

/// Returns what a oneway waits for, by its own context or its thread's, or by its reference.
#[inline]
pub(super) fn sync_scope(object: &ObjectRef, context: Option<&CallContext>) -> SyncScope {
    match context {
        None if !is_in_force() => of_reference(object),
        None => with_that_of_thread(|context| own_sync_scope(object, context)),
        context => own_sync_scope(object, context),
    }
}

#[cold]
fn own_sync_scope(object: &ObjectRef, context: Option<&CallContext>) -> SyncScope {
    let own = context.and_then(CallContext::sync_scope);
    own.unwrap_or_else(|| of_reference(object))
}

/// The same by the reference, its thread or its ORB.
fn of_reference(object: &ObjectRef) -> SyncScope {
    qos::sync_scope(object).unwrap_or_else(|| object.sync_scope())
}

/// The terms of a call that lasts longer than the function that has begun it.
#[derive(Debug)]
pub(super) struct KeptTerms {
    deadline: Option<Deadline>,
    request_by: Option<Deadline>,
    patience: Patience,
    wait_strategy: Option<WaitStrategy>,
    priority: Option<CallPriority>,
    qos: Qos,
    context: Option<Arc<CallContext>>,
}

impl KeptTerms {
    /// Those of a call that begins now: with a context of its own, or that of its thread.
    pub(super) fn of(object: &ObjectRef, context: Option<Arc<CallContext>>) -> Self {
        let context = match context {
            None if is_in_force() => CallContext::of_thread().map(Arc::new),
            own => own,
        };
        let Terms {
            deadline,
            request_by,
            patience,
            wait_strategy,
            priority,
            qos,
            ..
        } = Terms::of(object, context.as_deref());
        Self {
            deadline,
            request_by,
            patience,
            wait_strategy,
            priority,
            qos,
            context,
        }
    }

    /// The terms.
    pub(super) fn get(&self) -> Terms<'_> {
        Terms {
            deadline: self.deadline,
            request_by: self.request_by,
            patience: self.patience,
            wait_strategy: self.wait_strategy,
            priority: self.priority,
            qos: self.qos.clone(),
            context: self.context.as_deref(),
            watched: None,
        }
    }

    /// The policies of the call.
    pub(super) fn qos(&self) -> &Qos {
        &self.qos
    }

    /// The context of the call, if it has one.
    pub(super) fn context(&self) -> Option<&CallContext> {
        self.context.as_deref()
    }
}

/// The terms of a call that has begun: its own context, its reference, its thread
/// and its ORB together.
#[derive(Debug)]
pub(super) struct Terms<'c> {
    /// When it ends, with or without a reply.
    pub(super) deadline: Option<Deadline>,
    /// When it ends if its request has not left in full; not behind the deadline.
    pub(super) request_by: Option<Deadline>,
    /// How long it waits for a connection.
    pub(super) patience: Patience,
    /// How it waits for its reply, if not as its binding says.
    pub(super) wait_strategy: Option<WaitStrategy>,
    /// The priority of the call, if it has one.
    priority: Option<CallPriority>,
    pub(super) qos: Qos,
    /// The context whose properties go with the call and come back.
    context: Option<&'c CallContext>,
    /// The service contexts of a request in which interceptors take part.
    watched: Option<WatchedContexts<'c>>,
}

/// The service contexts of a request that interceptors have seen, and see again.
#[derive(Debug, Clone, Copy)]
pub(super) struct WatchedContexts<'c> {
    /// All that are sent, those of the call context among them.
    pub(super) sent: &'c ServiceContextList,
    /// Those of the reply.
    pub(super) replied: &'c Mutex<ServiceContextList>,
    /// Whether somebody may look at the results, besides the caller.
    pub(super) are_looked_into: bool,
}

impl<'c> Terms<'c> {
    /// Those of a call that begins now, and that may have a context of its own or of its
    /// thread.
    pub(super) fn of(object: &ObjectRef, context: Option<&'c CallContext>) -> Self {
        let timeout = context.map_or(Timeout::OfReference, |context| context.timeout);
        let qos = Qos::of(object, context);
        let own = match timeout {
            Timeout::OfReference => qos
                .call_deadline(object)
                .unwrap_or_else(|| object.deadline()),
            Timeout::Own(timeout) => {
                timeout.and_then(|timeout| Deadline::after(timeout, "with_timeout"))
            }
        };
        let deadline = qos.reply_by(Deadline::earlier(deadline::of_thread(), own));
        let deadline = deadline.map(Deadline::of_current_operation);
        let request_by = qos.request_by(deadline);
        Self {
            deadline,
            request_by,
            patience: qos.patience(object, request_by),
            wait_strategy: qos.wait_strategy(object),
            priority: object.core().priorities.of_call(),
            qos,
            context,
            watched: None,
        }
    }

    /// The terms of a request in which interceptors take part.
    pub(super) fn with_watched<'w>(&self, watched: WatchedContexts<'w>) -> Terms<'w>
    where
        'c: 'w,
    {
        Terms {
            watched: Some(watched),
            qos: self.qos.clone(),
            ..*self
        }
    }

    /// The same for a call that may bind its reference anew, whatever its policy.
    #[cfg(feature = "full")]
    pub(super) fn explicit(self, object: &ObjectRef) -> Self {
        let qos = self.qos.explicit();
        let patience = qos.patience(object, self.request_by);
        Self {
            qos,
            patience,
            ..self
        }
    }

    /// Returns when the call ends.
    pub(super) fn until(&self) -> Option<Instant> {
        self.deadline.map(|deadline| deadline.at)
    }

    /// Returns when the call ends if its request has not left in full.
    pub(super) fn send_until(&self) -> Option<Instant> {
        self.request_by.map(|deadline| deadline.at)
    }

    /// Returns what a request on this route tells of the quality of the call.
    #[inline]
    pub(super) fn quality_to_tell(&self, route: &Route) -> Quality {
        Quality {
            priority: match self.priority {
                // The way of a call without one has been refused.
                Some(priority) if route.takes_priorities() => priority.sent().ok(),
                _ => None,
            },
            deadline: match self.deadline {
                Some(deadline) if route.takes_deadlines() => self.qos.deadline_to_tell(deadline),
                _ => None,
            },
        }
    }

    /// Returns the binding by which the call goes from where its reference is bound.
    ///
    /// # Errors
    ///
    /// Those of [`Binding::way`].
    #[inline]
    pub(super) fn way<'b>(
        &self,
        object: &ObjectRef,
        binding: &'b Binding,
    ) -> Result<Bound<'b>, SystemException> {
        self.qos.way(object.core(), binding, self.priority)
    }

    /// Whether the time is over in which the request has to leave.
    pub(super) fn is_late(&self) -> bool {
        self.request_by
            .is_some_and(|deadline| deadline.time_left().is_zero())
    }

    /// Returns the service contexts that user code sends with the request; none if there are
    /// none.
    pub(super) fn of_user(&self) -> Option<&'c ServiceContextList> {
        let contexts = match self.watched {
            Some(watched) => watched.sent,
            None => &self.context?.service_contexts,
        };
        (contexts::OF_USERS && !contexts.is_empty()).then_some(contexts)
    }

    /// Whether others than the caller may look at the results, which then stay in one piece.
    pub(super) fn are_looked_into(&self) -> bool {
        self.watched.is_some_and(|watched| watched.are_looked_into)
    }

    /// Forgets what came of an earlier attempt.
    pub(super) fn begin_attempt(&self) {
        if let Some(context) = self.context {
            context.forget_reply();
        }
        if let Some(watched) = self.watched {
            watched.replied.lock().clear();
        }
    }

    /// Notes what a reply has beside what it answers.
    pub(super) fn note_reply(&self, contexts: &ServiceContexts<'_>) {
        if let Some(context) = self.context
            && contexts::OF_USERS
        {
            context.replied.lock().replace(contexts);
        }
        if let Some(watched) = self.watched {
            watched.replied.lock().replace(contexts);
        }
    }

    /// Notes what the reply to a call within the process has.
    #[cfg(feature = "full")]
    pub(super) fn note_local_reply(&self, contexts: &ServiceContextList) {
        if let Some(context) = self.context {
            context.replied.lock().clone_from(contexts);
        }
        if let Some(watched) = self.watched {
            watched.replied.lock().clone_from(contexts);
        }
    }
}
