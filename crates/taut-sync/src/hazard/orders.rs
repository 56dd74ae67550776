//! Every order of events: `cargo xtask loom`.

use std::ops::Deref;

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;

use super::{AtomicArc, Revocable, domain};

/// Loom objects if somebody looks at it while it ends, or has not seen its beginning.
struct Value {
    content: UnsafeCell<u32>,
    ended: Arc<AtomicUsize>,
}

// SAFETY: loom watches over each access.
unsafe impl Send for Value {}
// SAFETY: loom watches over each access.
unsafe impl Sync for Value {}

impl Value {
    fn new(content: u32, ended: &Arc<AtomicUsize>) -> Option<Arc<Self>> {
        Some(Arc::new(Self {
            content: UnsafeCell::new(content),
            ended: ended.clone(),
        }))
    }

    fn get(&self) -> u32 {
        self.content.with(|content| {
            // SAFETY: loom objects if another thread changes it.
            unsafe { *content }
        })
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        self.content.with_mut(|content| {
            // SAFETY: loom objects if another thread has it.
            unsafe { *content = u32::MAX };
        });
        self.ended.fetch_add(1, Ordering::Relaxed);
    }
}

fn borrow<R>(revocable: &Revocable<Value>, borrow: impl FnOnce(&Value) -> R) -> Option<R> {
    revocable.lend(
        (),
        |value| Some(value),
        |(), _, value| Some(borrow(value)),
        |()| None,
    )
}

fn look(value: Option<impl Deref<Target = Value>>) -> Option<u32> {
    value.map(|value| value.get())
}

/// Gives up what nobody holds, as a control thread does.
fn reclaim() {
    domain::get().reclaim();
}

/// Tries all orders with at most four changes between threads where one would not
/// have to wait.
fn check(model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(4);
    builder.check(model);
}

#[test]
fn a_value_ends_once_and_not_while_it_is_held() {
    check(|| {
        let ended = Arc::new(AtomicUsize::new(0));
        let cell = Arc::new(AtomicArc::from(Value::new(1, &ended)));
        let writer = {
            let (cell, ended) = (cell.clone(), ended.clone());
            thread::spawn(move || cell.store(Value::new(2, &ended)))
        };
        let first = cell.load();
        let second = look(cell.load());
        assert!(matches!(second, Some(1 | 2)));
        assert!(matches!(look(first), Some(1 | 2)));
        writer.join().unwrap();
        reclaim();
        assert_eq!(ended.load(Ordering::Relaxed), 1);
        assert_eq!(look(cell.load()), Some(2));
        cell.store(None);
        reclaim();
        assert_eq!(ended.load(Ordering::Relaxed), 2);
    });
}

#[test]
fn two_readers_leave_it_to_the_control_thread() {
    check(|| {
        let ended = Arc::new(AtomicUsize::new(0));
        let cell = Arc::new(AtomicArc::from(Value::new(1, &ended)));
        let reader = {
            let cell = cell.clone();
            thread::spawn(move || look(cell.load()))
        };
        let writer = {
            let cell = cell.clone();
            thread::spawn(move || look(cell.swap(None)))
        };
        assert!(matches!(look(cell.load()), None | Some(1)));
        assert!(matches!(reader.join().unwrap(), None | Some(1)));
        assert_eq!(writer.join().unwrap(), Some(1));
        reclaim();
        assert_eq!(ended.load(Ordering::Relaxed), 1);
    });
}

#[test]
fn a_reader_and_two_writers() {
    check(|| {
        let ended = Arc::new(AtomicUsize::new(0));
        let cell = Arc::new(AtomicArc::from(Value::new(1, &ended)));
        let writer = {
            let (cell, ended) = (cell.clone(), ended.clone());
            thread::spawn(move || cell.store(Value::new(2, &ended)))
        };
        let reader = {
            let cell = cell.clone();
            thread::spawn(move || look(cell.load()))
        };
        cell.store(None);
        assert!(matches!(reader.join().unwrap(), None | Some(1 | 2)));
        writer.join().unwrap();
        let left = look(cell.load()).map_or(0, |_| 1);
        reclaim();
        assert_eq!(ended.load(Ordering::Relaxed), 2 - left);
        cell.store(None);
        reclaim();
        assert_eq!(ended.load(Ordering::Relaxed), 2);
    });
}

#[test]
fn what_is_lent_does_not_end_meanwhile() {
    check(|| {
        let ended = Arc::new(AtomicUsize::new(0));
        let revocable = Arc::new(Revocable::new(Value::new(1, &ended).unwrap()));
        let revoker = {
            let revocable = revocable.clone();
            thread::spawn(move || revocable.revoke())
        };
        let within = || borrow(&revocable, Value::get);
        let lent = borrow(&revocable, |value| (value.get(), within(), value.get()));
        assert!(matches!(lent, None | Some((1, None | Some(1), 1))));
        revoker.join().unwrap();
        reclaim();
        assert_eq!(ended.load(Ordering::Relaxed), 1);
        assert_eq!(borrow(&revocable, Value::get), None);
    });
}

#[test]
fn two_borrowers_leave_it_to_the_control_thread() {
    check(|| {
        let ended = Arc::new(AtomicUsize::new(0));
        let revocable = Arc::new(Revocable::new(Value::new(1, &ended).unwrap()));
        let borrower = {
            let revocable = revocable.clone();
            thread::spawn(move || borrow(&revocable, Value::get))
        };
        let revoker = {
            let revocable = revocable.clone();
            thread::spawn(move || revocable.revoke())
        };
        assert!(matches!(borrow(&revocable, Value::get), None | Some(1)));
        assert!(matches!(borrower.join().unwrap(), None | Some(1)));
        revoker.join().unwrap();
        reclaim();
        assert_eq!(ended.load(Ordering::Relaxed), 1);
    });
}

/// A control thread looks at what a reader holds and another thread takes away.
#[test]
fn a_control_thread_beside_a_reader_and_a_writer() {
    check(|| {
        let ended = Arc::new(AtomicUsize::new(0));
        let cell = Arc::new(AtomicArc::from(Value::new(1, &ended)));
        let writer = {
            let cell = cell.clone();
            thread::spawn(move || cell.store(None))
        };
        let control = thread::spawn(reclaim);
        assert!(matches!(look(cell.load()), None | Some(1)));
        writer.join().unwrap();
        control.join().unwrap();
        reclaim();
        assert_eq!(ended.load(Ordering::Relaxed), 1);
    });
}

/// A reader that lets go of the value that was found last is seen to hold neither, or
/// that which was found first.
#[test]
fn what_is_taken_away_first_ends_first() {
    check(|| {
        let (first_ended, second_ended) = (Arc::default(), Arc::default());
        let first = Arc::new(AtomicArc::from(Value::new(1, &first_ended)));
        let second = Arc::new(AtomicArc::from(Value::new(2, &second_ended)));
        let reader = {
            let (first, second) = (first.clone(), second.clone());
            thread::spawn(move || {
                let held_longer = second.load();
                drop(first.load());
                drop(held_longer);
            })
        };
        first.store(None);
        let is_first_pending = first_ended.load(Ordering::Relaxed) == 0;
        if is_first_pending {
            let second = second.swap(None).unwrap();
            drop(second);
            if second_ended.load(Ordering::Relaxed) == 0 {
                reclaim();
                let second_has_ended = second_ended.load(Ordering::Relaxed) == 1;
                assert!(!second_has_ended || first_ended.load(Ordering::Relaxed) == 1);
            }
        } else {
            second.store(None);
        }
        reader.join().unwrap();
        reclaim();
        assert_eq!(first_ended.load(Ordering::Relaxed), 1);
        assert_eq!(second_ended.load(Ordering::Relaxed), 1);
    });
}
