//! The notes of the threads of a reactor.

use std::cell::OnceCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::straight_way;

/// Whether a thread of a reactor waits for a reply.
#[derive(Debug, Default)]
pub(crate) struct NestedCall(AtomicBool);

thread_local! {
    static OWN: OnceCell<Arc<NestedCall>> = const { OnceCell::new() };
}

impl NestedCall {
    /// Lets the owner of `own` know from here on when the calling thread waits.
    pub(crate) fn watch_this_thread(own: &Arc<Self>) {
        OWN.with(|cell| {
            // A thread works for one reactor only.
            let _ = cell.set(Arc::clone(own));
        });
        straight_way::close_by(straight_way::WATCHED, true);
    }

    /// Whether the thread waits.
    pub(crate) fn is_waiting(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Notes that the calling thread waits, until the result is dropped.
pub(crate) fn note() -> Option<Waiting> {
    straight_way::is_closed_by(straight_way::WATCHED).then(|| {
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
