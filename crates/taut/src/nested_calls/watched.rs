//! The notes of the threads of a reactor.

use std::cell::{Cell, OnceCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a thread of a reactor waits for a reply.
#[derive(Debug, Default)]
pub(crate) struct NestedCall(AtomicBool);

thread_local! {
    /// Whether the thread is one of a reactor.
    static IS_WATCHED: Cell<bool> = const { Cell::new(false) };
    static OWN: OnceCell<Arc<NestedCall>> = const { OnceCell::new() };
}

impl NestedCall {
    /// Lets the owner of `own` know from here on when the calling thread waits.
    pub(crate) fn watch_this_thread(own: &Arc<Self>) {
        OWN.with(|cell| {
            // A thread works for one reactor only.
            let _ = cell.set(Arc::clone(own));
        });
        IS_WATCHED.set(true);
    }

    /// Whether the thread waits.
    pub(crate) fn is_waiting(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Whether a reactor has to know that the calling thread waits. Such a thread's calls
/// do not go the straight way, so that other threads pay one comparison and no guard.
#[inline(always)]
pub(crate) fn is_watched() -> bool {
    IS_WATCHED.get()
}

/// Notes that the calling thread waits, until the result is dropped.
pub(crate) fn note() -> Option<Waiting> {
    is_watched().then(|| {
        tell(true);
        Waiting
    })
}

/// The wait of a thread of a reactor, which ends when this value is dropped.
pub(crate) struct Waiting;

impl Drop for Waiting {
    fn drop(&mut self) {
        tell(false);
    }
}

fn tell(is_waiting: bool) {
    // A thread that ends waits for nothing.
    let _ = OWN.try_with(|own| {
        if let Some(own) = own.get() {
            own.0.store(is_waiting, Ordering::Relaxed);
        }
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::nested_calls::wait;

    #[test]
    fn a_thread_that_is_watched_waits_as_long_as_it_does() {
        std::thread::spawn(|| {
            let own = Arc::new(NestedCall::default());
            wait(|| assert!(!own.is_waiting()));
            NestedCall::watch_this_thread(&own);
            wait(|| assert!(own.is_waiting()));
            assert!(!own.is_waiting());
        })
        .join()
        .unwrap();
    }
}
