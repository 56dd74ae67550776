//! The contexts of requests whose servants run in this thread.
//!
//! A request that is answered later leaves its thread without an end there: its servant has
//! returned, and the points at its end run elsewhere. So a slot of the ORB's (CORBA 3.3 part 1,
//! 16.4) tells which request a thread carries out, for the ORB sets and restores the slots of a
//! thread around each servant. Contexts of requests that are inside of that one are stale.

use std::cell::RefCell;
use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};

use opentelemetry::{Context, ContextGuard};
use taut::Any;
use taut::interceptors::SlotId;

thread_local! {
    /// The requests that the thread carries out, the innermost last.
    static ATTACHED: RefCell<Requests> = const { RefCell::new(Requests(Vec::new())) };
}

/// The requests of a thread. Where the thread ends, their contexts end with it: a guard that
/// is dropped then would look for the thread's contexts, which may be gone.
struct Requests(Vec<Attached>);

impl Drop for Requests {
    fn drop(&mut self) {
        self.0.drain(..).for_each(mem::forget);
    }
}

/// Runs `run` with the requests of the thread, unless the thread is at its end.
fn with_attached<R>(run: impl FnOnce(&mut Vec<Attached>) -> R) -> Option<R> {
    let attached = ATTACHED.try_with(|attached| run(&mut attached.borrow_mut().0));
    attached.ok()
}

/// A request whose context is, or was, that of the thread.
struct Attached {
    key: RequestKey,
    _guard: ContextGuard,
}

/// The number of a request that no other one in the process has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RequestKey {
    orb: u64,
    number: u64,
}

/// The slot in which the threads of an ORB have the number of the request that they carry out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestSlot {
    orb: u64,
    slot: SlotId,
}

impl RequestSlot {
    pub(crate) fn new(slot: SlotId) -> Self {
        let orb = next();
        Self { orb, slot }
    }

    /// The slot's number.
    pub(crate) fn id(&self) -> SlotId {
        self.slot
    }

    /// A key for a further request.
    pub(crate) fn next_key(&self) -> RequestKey {
        let (orb, number) = (self.orb, next());
        RequestKey { orb, number }
    }

    /// Drops the contexts of requests that the thread does not carry out any more. `current` is
    /// what the slot has in this thread.
    pub(crate) fn drop_stale(&self, current: &Any) {
        let innermost = current.extract::<u64>().ok();
        // The guards are dropped when the list is free again, for a span may end with one.
        let _stale: Option<Vec<Attached>> = with_attached(|attached| {
            let of_orb = |one: &Attached| one.key.orb == self.orb;
            let is_innermost = |one: &Attached| of_orb(one) && Some(one.key.number) == innermost;
            let valid = attached.iter().rposition(is_innermost);
            let valid = valid.map_or(0, |at| at + 1);
            let tail = attached.split_off(valid);
            let (stale, others): (Vec<_>, Vec<_>) = tail.into_iter().partition(of_orb);
            attached.extend(others);
            stale
        });
    }
}

impl RequestKey {
    /// The value for the slot.
    pub(crate) fn to_any(self) -> Option<Any> {
        Any::new(&self.number).ok()
    }

    /// Makes a request's context that of the thread.
    pub(crate) fn attach(self, context: Context) {
        let one = Attached {
            key: self,
            _guard: context.attach(),
        };
        with_attached(|attached| attached.push(one));
    }

    /// Takes a request's context from the thread, if it is there.
    pub(crate) fn detach(self) {
        let _one = with_attached(|attached| {
            let at = attached.iter().rposition(|one| one.key == self)?;
            Some(attached.remove(at))
        });
    }
}

/// A number that there has not been yet.
fn next() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    /// A request that is answered later leaves its context in a thread that may end then.
    #[test]
    fn a_thread_may_end_with_contexts_that_are_left() {
        let key = |number| RequestKey { orb: 0, number };
        let contexts_first = thread::spawn(move || key(0).attach(Context::new()));
        let requests_first = thread::spawn(move || {
            key(1).detach();
            key(2).attach(Context::new());
        });
        assert!(contexts_first.join().is_ok() && requests_first.join().is_ok());
    }
}
