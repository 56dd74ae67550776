//! The context of all calls of a thread.

use scoped_tls::scoped_thread_local;
use taut_sync::primitives::without_lending;

use super::CallContext;
use crate::straight_way::{self, IN_CONTEXT};

scoped_thread_local! {
    /// In force if it [`is_in_force`].
    static OF_THREAD: CallContext
}

impl CallContext {
    /// Runs a part of a program, all of whose calls have this context: those of generated
    /// stubs as those by name, and to objects of this process too. The calls that a servant
    /// in the same thread makes are not among them, for they are the servant's.
    ///
    /// Within another context, the inner one replaces the outer one altogether; so does that
    /// of one call. [`of_thread`](Self::of_thread) is what to extend.
    pub fn within<R>(&self, run: impl FnOnce() -> R) -> R {
        OF_THREAD.set(self, || {
            straight_way::in_context(true, || without_lending(run))
        })
    }

    /// Returns a copy of the context that calls of this thread have by
    /// [`within`](Self::within).
    pub fn of_thread() -> Option<Self> {
        with_that_of_thread(|context| context.cloned())
    }
}

/// Whether calls of this thread have a context.
#[inline(always)]
pub(in super::super) fn is_in_force() -> bool {
    straight_way::is_closed_by(IN_CONTEXT)
}

/// Runs `action` with the context that calls of this thread have, if they have one.
pub(in super::super) fn with_that_of_thread<R>(
    action: impl FnOnce(Option<&CallContext>) -> R,
) -> R {
    match is_in_force() {
        true => OF_THREAD.with(|context| action(Some(context))),
        false => action(None),
    }
}

#[cfg(all(test, feature = "full", not(loom)))]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    fn ids() -> Option<Vec<u32>> {
        let contexts = CallContext::of_thread()?.service_contexts();
        Some(contexts.iter().map(|context| context.id).collect())
    }

    #[test]
    fn the_innermost_context_holds_until_its_part_of_the_program_ends() {
        let [one, two] = [1, 2].map(|id| CallContext::new().with_service_context(id, []));
        assert!(ids().is_none() && straight_way::is_open());
        one.within(|| {
            assert_eq!(ids(), Some(vec![1]));
            two.within(|| assert_eq!(ids(), Some(vec![2])));
            straight_way::in_context(false, || {
                assert!(ids().is_none() && straight_way::is_open());
                two.within(|| assert_eq!(ids(), Some(vec![2])));
                assert_eq!(ids(), None);
            });
            assert_eq!(ids(), Some(vec![1]));
        });
        assert!(ids().is_none() && straight_way::is_open());
    }

    #[test]
    fn a_panic_ends_it_too() {
        let panicked = catch_unwind(|| CallContext::new().within(|| panic!("of the test")));
        assert!(panicked.is_err() && straight_way::is_open());
    }
}
