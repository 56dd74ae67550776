//! Locks and condition variables between threads, in every order of events.

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

use super::algorithm::{Bell, Lock};
use super::word::Tried;

/// A value that loom sees two threads touch at once.
struct Guarded {
    lock: Lock<Tried>,
    bell: Bell<Tried>,
    value: UnsafeCell<u32>,
}

// The lock is what is tried here: loom finds it out if two threads see the value at once.
#[allow(unsafe_code)]
unsafe impl Sync for Guarded {}

impl Guarded {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            lock: Lock::of(Tried::new(0)),
            bell: Bell::of(Tried::new(0), Tried::new(0)),
            value: UnsafeCell::new(0),
        })
    }

    #[allow(unsafe_code)]
    fn change(&self, change: impl FnOnce(u32) -> u32) -> u32 {
        // SAFETY: loom checks that no other thread has the value.
        self.value.with_mut(|value| unsafe {
            *value = change(*value);
            *value
        })
    }

    /// Takes the lock and adds one.
    fn add(&self) {
        self.lock.take();
        self.change(|value| value + 1);
        self.lock.give_back();
    }

    /// Waits until there is something, and takes one of it.
    fn take(&self) {
        self.lock.take();
        while self.change(|value| value) == 0 {
            let before = self.bell.enter();
            self.lock.give_back();
            assert!(!self.bell.wait(before, None));
            self.lock.take();
        }
        self.change(|value| value - 1);
        self.lock.give_back();
    }
}

/// Tries the orders with at most two switches away from a thread that could go on: others
/// are too many.
fn tried(run: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(run);
}

#[test]
fn one_thread_at_a_time_has_the_lock_and_none_waits_for_ever() {
    tried(|| {
        let guarded = Guarded::new();
        let others: Vec<_> = (0..2)
            .map(|_| {
                let guarded = Arc::clone(&guarded);
                thread::spawn(move || guarded.add())
            })
            .collect();
        guarded.add();
        for other in others {
            other.join().unwrap();
        }
        guarded.lock.take();
        assert_eq!(guarded.change(|value| value), 3);
    });
}

#[test]
fn no_signal_is_lost() {
    tried(|| {
        let guarded = Guarded::new();
        let takers: Vec<_> = (0..2)
            .map(|_| {
                let guarded = Arc::clone(&guarded);
                thread::spawn(move || guarded.take())
            })
            .collect();
        for _ in 0..2 {
            guarded.add();
            guarded.bell.signal(1);
        }
        for taker in takers {
            taker.join().unwrap();
        }
    });
}
