//! What holds for one call beside what it asks.

use std::time::{Duration, Instant};

use crate::deadline::{self, Deadline};
use crate::object::ObjectRef;
use crate::settings::SyncScope;

/// What one call has of its own, in place of what its reference and its ORB say
/// ([`ObjectRef::invoke_with`], [`ObjectRef::invoke_oneway_with`]).
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
#[derive(Debug, Clone, Default)]
pub struct CallContext {
    timeout: Timeout,
    sync_scope: Option<SyncScope>,
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

    /// What a call without a result waits for; none: for what its reference says.
    pub fn sync_scope(&self) -> Option<SyncScope> {
        self.sync_scope
    }
}

/// What is in force for a call that has begun: its own context, its reference, its thread
/// and its ORB together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {
    /// When it ends, with or without a reply.
    pub(super) deadline: Option<Deadline>,
}

impl Terms {
    /// Those of a call that begins now, and that may have a context of its own.
    pub(super) fn of(object: &ObjectRef, context: Option<&CallContext>) -> Self {
        let timeout = context.map_or(Timeout::OfReference, |context| context.timeout);
        let own = match timeout {
            Timeout::OfReference => object.deadline(),
            Timeout::Own(timeout) => {
                timeout.and_then(|timeout| Deadline::after(timeout, "with_timeout"))
            }
        };
        Self {
            deadline: Deadline::earlier(deadline::of_thread(), own),
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
}
