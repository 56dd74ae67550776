//! Every order of events: `cargo xtask loom`.

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

use super::{Closed, Rendezvous};

/// The effect of tasks: loom objects if two do it at once, or one does not see what
/// another did.
#[derive(Clone)]
struct Count(Arc<UnsafeCell<u32>>);

// SAFETY: loom watches over each access.
unsafe impl Send for Count {}
// SAFETY: loom watches over each access.
unsafe impl Sync for Count {}

impl Count {
    fn new() -> Self {
        Self(Arc::new(UnsafeCell::new(0)))
    }

    fn add(&self) {
        self.0.with_mut(|count| {
            // SAFETY: loom objects if another thread has it.
            let count = unsafe { &mut *count };
            *count += 1;
        });
    }

    fn get(&self) -> u32 {
        self.0.with(|count| {
            // SAFETY: loom objects if another thread changes it.
            let count = unsafe { &*count };
            *count
        })
    }
}

#[test]
fn two_callers_are_served_by_one_host() {
    // All orders of four threads would take hours.
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(|| {
        let rendezvous = Arc::new(Rendezvous::default());
        let count = Count::new();
        let caller = thread::spawn({
            let (rendezvous, count) = (Arc::clone(&rendezvous), count.clone());
            move || rendezvous.carry_out(|| count.add())
        });
        let host = thread::spawn({
            let rendezvous = Arc::clone(&rendezvous);
            move || rendezvous.serve()
        });
        assert_eq!(rendezvous.carry_out(|| count.add()), Ok(()));
        assert_eq!(caller.join().unwrap(), Ok(()));
        rendezvous.close();
        host.join().unwrap();
        assert_eq!(count.get(), 2);
    });
}

#[test]
fn a_task_is_done_or_refused_when_all_ends_meanwhile() {
    loom::model(|| {
        let rendezvous = Arc::new(Rendezvous::default());
        let count = Count::new();
        let caller = thread::spawn({
            let (rendezvous, count) = (Arc::clone(&rendezvous), count.clone());
            move || rendezvous.carry_out(|| count.add())
        });
        let closing = thread::spawn({
            let rendezvous = Arc::clone(&rendezvous);
            move || rendezvous.close()
        });
        rendezvous.serve();
        closing.join().unwrap();
        let outcome = caller.join().unwrap();
        let done = match outcome {
            Ok(()) => 1,
            Err(Closed) => 0,
        };
        assert_eq!(count.get(), done);
    });
}

#[test]
fn of_two_hosts_one_at_a_time_serves() {
    loom::model(|| {
        let rendezvous = Arc::new(Rendezvous::default());
        let count = Count::new();
        let host = thread::spawn({
            let rendezvous = Arc::clone(&rendezvous);
            move || rendezvous.serve()
        });
        let other = thread::spawn({
            let rendezvous = Arc::clone(&rendezvous);
            move || _ = rendezvous.serve_one()
        });
        assert_eq!(rendezvous.carry_out(|| count.add()), Ok(()));
        other.join().unwrap();
        rendezvous.close();
        host.join().unwrap();
        assert_eq!(count.get(), 1);
    });
}
