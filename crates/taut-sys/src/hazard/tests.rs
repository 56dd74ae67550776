use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Weak};
use std::thread;

use super::domain::has_loan;
use super::*;

/// Counts how many there are, and spoils itself when it ends.
struct Counted<'c> {
    live: &'c AtomicUsize,
    number: usize,
}

impl<'c> Counted<'c> {
    fn new(live: &'c AtomicUsize, number: usize) -> Option<Arc<Self>> {
        live.fetch_add(1, Ordering::SeqCst);
        Some(Arc::new(Self { live, number }))
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.live.fetch_sub(1, Ordering::SeqCst);
        self.number = usize::MAX;
    }
}

#[test]
fn what_is_held_lives_until_it_is_let_go_of() {
    let live = AtomicUsize::new(0);
    let cell = AtomicArc::from(Counted::new(&live, 1));
    let held = cell.load().unwrap();
    let again = cell.load().unwrap();
    cell.store(Counted::new(&live, 2));
    assert_eq!((held.number, again.number), (1, 1));
    assert_eq!(cell.load().unwrap().number, 2);
    assert_eq!(live.load(Ordering::SeqCst), 2);
    drop(held);
    assert_eq!(live.load(Ordering::SeqCst), 2);
    drop(again);
    assert_eq!(live.load(Ordering::SeqCst), 1);

    // Also beyond the place itself.
    let held = cell.load().unwrap();
    drop(cell);
    assert_eq!(held.number, 2);
    drop(held);
    assert_eq!(live.load(Ordering::SeqCst), 0);
}

#[test]
fn a_thread_knows_what_it_holds_itself() {
    let cell = AtomicArc::from(Some(Arc::new(5)));
    let held = cell.load().unwrap();
    let address = ptr::from_ref(&*held).addr();
    assert!(holds(address));
    thread::scope(|scope| scope.spawn(|| assert!(!holds(address))).join().unwrap());
    drop(held);
    assert!(!holds(address));
}

#[test]
fn what_nobody_holds_ends_at_once() {
    let live = AtomicUsize::new(0);
    let cell = AtomicArc::empty();
    assert!(cell.load().is_none() && cell.swap(None).is_none());
    cell.store(Counted::new(&live, 1));
    drop(cell.load());
    let kept = cell.load_full().unwrap();
    let given_back = cell.swap(None).unwrap();
    assert!(Arc::ptr_eq(&kept, &given_back) && Arc::strong_count(&kept) == 2);
    drop((kept, given_back));
    assert_eq!(live.load(Ordering::SeqCst), 0);
}

#[test]
fn one_value_may_lie_in_several_places() {
    let live = AtomicUsize::new(0);
    let value = Counted::new(&live, 7);
    let cells = [(); 3].map(|()| AtomicArc::from(value.clone()));
    drop(value);
    let held = cells[1].load().unwrap();
    for cell in &cells {
        cell.store(None);
    }
    assert_eq!((held.number, live.load(Ordering::SeqCst)), (7, 1));
    drop(held);
    assert_eq!(live.load(Ordering::SeqCst), 0);
}

#[test]
fn more_is_held_than_there_are_places() {
    let live = AtomicUsize::new(0);
    let cells: Vec<_> = (0..100)
        .map(|number| AtomicArc::from(Counted::new(&live, number)))
        .collect();
    let held: Vec<_> = cells.iter().map(|cell| cell.load().unwrap()).collect();
    for cell in &cells {
        cell.store(None);
    }
    assert_eq!(live.load(Ordering::SeqCst), 100);
    for (number, held) in held.iter().enumerate() {
        assert_eq!(held.number, number);
    }
    drop(held);
    assert_eq!(live.load(Ordering::SeqCst), 0);
}

#[test]
fn another_thread_takes_a_value_away_and_the_one_that_holds_it_ends_it() {
    let live = AtomicUsize::new(0);
    let cell = AtomicArc::from(Counted::new(&live, 1));
    let step = Barrier::new(2);
    thread::scope(|scope| {
        scope.spawn(|| {
            let held = cell.load().unwrap();
            step.wait();
            step.wait();
            assert_eq!((held.number, live.load(Ordering::SeqCst)), (1, 1));
            drop(held);
            assert_eq!(live.load(Ordering::SeqCst), 0);
        });
        step.wait();
        cell.store(None);
        step.wait();
    });
}

#[test]
fn a_thread_that_ends_leaves_nothing_held() {
    struct Last(AtomicArc<u32>);
    impl Drop for Last {
        fn drop(&mut self) {
            // Where the thread may have no record any more.
            assert_eq!(self.0.load().as_deref(), Some(&5));
        }
    }
    thread_local!(static LAST: Last = Last(AtomicArc::from(Some(Arc::new(5)))));
    let values: Vec<Weak<u32>> = (0..50)
        .map(|number| {
            let value = Arc::new(number);
            let weak = Arc::downgrade(&value);
            let cell = AtomicArc::from(Some(value));
            thread::spawn(move || {
                LAST.with(|last| assert!(last.0.load().is_some()));
                assert_eq!(cell.load().as_deref(), Some(&number));
            })
            .join()
            .unwrap();
            weak
        })
        .collect();
    assert!(values.iter().all(|weak| weak.upgrade().is_none()));
}

#[test]
fn readers_and_writers_race_and_each_value_ends_once() {
    let live = AtomicUsize::new(0);
    let cells = [(); 3].map(|()| AtomicArc::from(Counted::new(&live, 0)));
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for reader in 0..3 {
            let (cells, stop) = (&cells, &stop);
            scope.spawn(move || {
                let mut turn = reader;
                while !stop.load(Ordering::Relaxed) {
                    turn += 1;
                    let first = cells[turn % 3].load();
                    let second = cells[(turn / 3) % 3].load();
                    for held in [&first, &second].into_iter().flatten() {
                        assert!(held.number < usize::MAX && held.live.load(Ordering::Relaxed) > 0);
                    }
                    if turn % 2 == 0 {
                        drop(second);
                        drop(first);
                    }
                }
            });
        }
        let writers = [1, 2].map(|writer: usize| {
            let (cells, live) = (&cells, &live);
            scope.spawn(move || {
                for turn in 0..20_000 {
                    let value = match turn % 5 {
                        0 => None,
                        _ => Counted::new(live, turn),
                    };
                    let cell = &cells[(turn * writer) % 3];
                    match turn % 3 {
                        0 => cell.store(value),
                        _ => drop(cell.swap(value)),
                    }
                }
            })
        });
        for writer in writers {
            writer.join().unwrap();
        }
        stop.store(true, Ordering::Relaxed);
    });
    drop(cells);
    assert_eq!(live.load(Ordering::SeqCst), 0);
}

/// Something that is there until it is revoked, in a thread that has loaded before.
fn revocable(live: &AtomicUsize) -> Revocable<Counted<'_>> {
    live.fetch_add(1, Ordering::SeqCst);
    let revocable = Revocable::new(Arc::new(Counted { live, number: 1 }));
    drop(revocable.load());
    revocable
}

/// What becomes of a value that is lent. None when it is not.
fn borrow<'c, R>(
    revocable: &Revocable<Counted<'c>>,
    borrow: impl FnOnce(&Counted<'c>) -> R,
) -> Option<R> {
    revocable.lend(
        (),
        |counted| Some(counted),
        |(), _, counted| Some(borrow(counted)),
        |()| None,
    )
}

#[test]
fn what_is_lent_lives_until_it_is_given_back() {
    let live = AtomicUsize::new(0);
    let revocable = revocable(&live);
    assert!(!has_loan());
    // Each within the one before, beyond the places that a thread has.
    fn nest(revocable: &Revocable<Counted<'_>>) -> usize {
        let lent = borrow(revocable, |counted| {
            assert!(has_loan());
            let within = nest(revocable);
            if within == 0 {
                revocable.revoke();
            }
            assert_eq!(counted.number, 1);
            within + 1
        });
        lent.unwrap_or(0)
    }
    assert!(nest(&revocable) > 1);
    assert!(!has_loan());
    assert_eq!(live.load(Ordering::SeqCst), 0);
    assert!(revocable.is_revoked());
    assert_eq!(borrow(&revocable, |counted| counted.number), None);
    assert!(revocable.load().is_none());
}

#[test]
fn a_thread_that_has_loaded_nothing_is_lent_nothing() {
    let live = AtomicUsize::new(0);
    let revocable = revocable(&live);
    thread::scope(|scope| {
        scope.spawn(|| {
            assert_eq!(borrow(&revocable, |counted| counted.number), None);
            assert_eq!(revocable.load().unwrap().number, 1);
            assert_eq!(borrow(&revocable, |counted| counted.number), Some(1));
        });
    });
}

#[test]
fn nothing_is_lent_where_nothing_is_found() {
    let live = AtomicUsize::new(0);
    let revocable = revocable(&live);
    let lent = revocable.lend(
        5,
        |counted| (counted.number == 2).then_some(&counted.number),
        |_, _, &number| number,
        |state| state,
    );
    assert_eq!(lent, 5);
    assert!(!has_loan());
    revocable.revoke();
    assert_eq!(live.load(Ordering::SeqCst), 0);
}

#[test]
fn a_panic_gives_back_what_was_lent() {
    let live = AtomicUsize::new(0);
    let revocable = revocable(&live);
    let lent = AssertUnwindSafe(|| borrow(&revocable, |_| panic!("it panics")));
    assert!(catch_unwind(lent).is_err());
    assert!(!has_loan());
    revocable.revoke();
    assert_eq!(live.load(Ordering::SeqCst), 0);
}

#[test]
fn what_another_thread_borrows_ends_there_when_it_is_revoked() {
    let live = AtomicUsize::new(0);
    let revocable = revocable(&live);
    let (lent, revoked) = (Barrier::new(2), Barrier::new(2));
    thread::scope(|scope| {
        let borrower = scope.spawn(|| {
            drop(revocable.load());
            borrow(&revocable, |counted| {
                lent.wait();
                revoked.wait();
                counted.number
            })
        });
        lent.wait();
        revocable.revoke();
        assert_eq!(live.load(Ordering::SeqCst), 1);
        revoked.wait();
        assert_eq!(borrower.join().unwrap(), Some(1));
    });
    assert_eq!(live.load(Ordering::SeqCst), 0);
}
