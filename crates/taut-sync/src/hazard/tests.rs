use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex, Weak, mpsc};
use std::thread::{self, ThreadId};

use super::domain::has_loan;
use super::*;

/// Counts how many there are, and spoils itself when it ends.
struct Counted {
    live: &'static AtomicUsize,
    number: usize,
}

impl Counted {
    fn new(live: &'static AtomicUsize, number: usize) -> Option<Arc<Self>> {
        live.fetch_add(1, Ordering::SeqCst);
        Some(Arc::new(Self { live, number }))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.number = usize::MAX;
        self.live.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The number of values that live, which may outlive the test.
fn counter() -> &'static AtomicUsize {
    Box::leak(Box::default())
}

/// Waits until what `holds` says is so.
fn eventually(what: &str, holds: impl Fn() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < Duration::from_secs(60), "never {what}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Waits until so many values live.
fn eventually_live(live: &AtomicUsize, number: usize) {
    eventually(&format!("{number} alive"), || {
        live.load(Ordering::SeqCst) == number
    });
}

#[test]
fn what_is_held_lives_until_it_is_let_go_of() {
    let live = counter();
    let cell = AtomicArc::from(Counted::new(live, 1));
    let held = cell.load().unwrap();
    let again = cell.load().unwrap();
    cell.store(Counted::new(live, 2));
    assert_eq!((held.number, again.number), (1, 1));
    assert_eq!(cell.load().unwrap().number, 2);
    assert_eq!(live.load(Ordering::SeqCst), 2);
    drop(held);
    assert_eq!(live.load(Ordering::SeqCst), 2);
    drop(again);
    eventually_live(live, 1);

    // Also beyond the place itself.
    let held = cell.load().unwrap();
    drop(cell);
    assert_eq!(held.number, 2);
    drop(held);
    eventually_live(live, 0);
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
    let live = counter();
    let cell = AtomicArc::empty();
    assert!(cell.load().is_none() && cell.swap(None).is_none());
    cell.store(Counted::new(live, 1));
    drop(cell.load());
    let kept = cell.load_full().unwrap();
    let given_back = cell.swap(None).unwrap();
    assert!(Arc::ptr_eq(&kept, &given_back) && Arc::strong_count(&kept) == 2);
    drop((kept, given_back));
    assert_eq!(live.load(Ordering::SeqCst), 0);
}

#[test]
fn one_value_may_lie_in_several_places() {
    let live = counter();
    let value = Counted::new(live, 7);
    let cells = [(); 3].map(|()| AtomicArc::from(value.clone()));
    drop(value);
    let held = cells[1].load().unwrap();
    for cell in &cells {
        cell.store(None);
    }
    assert_eq!((held.number, live.load(Ordering::SeqCst)), (7, 1));
    drop(held);
    eventually_live(live, 0);
}

#[test]
fn more_is_held_than_there_are_places() {
    let live = counter();
    let cells: Vec<_> = (0..100)
        .map(|number| AtomicArc::from(Counted::new(live, number)))
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
    eventually_live(live, 0);
}

/// Sends the thread in which it ends.
struct Witness(mpsc::Sender<ThreadId>);

impl Drop for Witness {
    fn drop(&mut self) {
        let _ = self.0.send(thread::current().id());
    }
}

/// A reader that let go last ended the value, under a lock that all readers shared.
#[test]
fn a_reader_neither_ends_a_value_nor_takes_a_lock() {
    let (sender, ended) = mpsc::channel();
    let cell = Arc::new(AtomicArc::from(Some(Arc::new(Witness(sender)))));
    let step = Arc::new(Barrier::new(2));
    let (done, reader) = mpsc::channel();
    {
        let (cell, step) = (Arc::clone(&cell), Arc::clone(&step));
        thread::spawn(move || {
            let held = cell.load().unwrap();
            step.wait();
            step.wait();
            // Had the reader to lock it, it would wait for itself.
            let state = domain::get().state.lock();
            drop(held);
            drop(state);
            done.send(thread::current().id()).unwrap();
        });
    }
    step.wait();
    cell.store(None);
    assert!(ended.try_recv().is_err(), "it ends while it is held");
    step.wait();
    let reader = reader.recv_timeout(Duration::from_secs(60)).unwrap();
    let ended_in = ended.recv_timeout(Duration::from_secs(60)).unwrap();
    assert_ne!(ended_in, reader);
    assert_ne!(ended_in, thread::current().id());
}

#[test]
fn a_reader_with_a_share_of_its_own_does_not_end_a_value() {
    let (sender, ended) = mpsc::channel();
    let cell = AtomicArc::from(Some(Arc::new(Witness(sender))));
    let other = AtomicArc::from(Some(Arc::new(5)));
    let _others: Vec<_> = (0..100).map(|_| other.load()).collect();
    let held = cell.load().unwrap();
    cell.store(None);
    drop(held);
    let ended_in = ended.recv_timeout(Duration::from_secs(60)).unwrap();
    assert_ne!(ended_in, thread::current().id());
}

#[test]
fn a_value_that_nobody_holds_ends_in_the_thread_that_takes_it_away() {
    let (sender, ended) = mpsc::channel();
    let cell = AtomicArc::from(Some(Arc::new(Witness(sender))));
    drop(cell.load());
    cell.store(None);
    assert_eq!(ended.try_recv(), Ok(thread::current().id()));
}

/// Waits, as it ends, until another value has ended.
struct Waits(
    Option<Mutex<mpsc::Receiver<ThreadId>>>,
    mpsc::Sender<ThreadId>,
);

impl Drop for Waits {
    fn drop(&mut self) {
        let other = self.0.as_ref().and_then(|other| other.lock().ok());
        let waited = other.map(|other| other.recv_timeout(Duration::from_secs(60)));
        // Otherwise nothing is sent, which the test waits for.
        if waited.is_none_or(|waited| waited.is_ok()) {
            let _ = self.1.send(thread::current().id());
        }
    }
}

#[test]
fn a_value_whose_end_takes_long_does_not_keep_others_from_ending() {
    let (second, second_ended) = mpsc::channel();
    let (first, first_ended) = mpsc::channel();
    // More than one waits for the last.
    let waits = Waits(Some(Mutex::new(second_ended)), first);
    let (further, further_ended) = mpsc::channel();
    let cells = [
        AtomicArc::from(Some(Arc::new(waits))),
        AtomicArc::from(Some(Arc::new(Waits(
            Some(Mutex::new(first_ended)),
            further,
        )))),
        AtomicArc::from(Some(Arc::new(Waits(None, second)))),
    ];
    let held: Vec<_> = cells.iter().map(AtomicArc::load).collect();
    cells.iter().for_each(|cell| cell.store(None));
    drop(held);
    let ended = further_ended.recv_timeout(Duration::from_secs(60));
    assert!(ended.is_ok());
}

#[test]
fn a_panic_at_the_end_of_a_value_ends_nothing_else() {
    struct Panics;
    impl Drop for Panics {
        fn drop(&mut self) {
            panic!("it panics as it ends");
        }
    }
    let live = counter();
    let panics = AtomicArc::from(Some(Arc::new(Panics)));
    let counted = AtomicArc::from(Counted::new(live, 1));
    for _ in 0..2 {
        let held = (panics.load(), counted.load());
        panics.store(Some(Arc::new(Panics)));
        counted.store(Counted::new(live, 2));
        drop(held);
        eventually_live(live, 1);
    }
    mem::forget(panics.swap(None));
}

#[test]
fn who_settles_finds_no_value_alive_that_nobody_holds() {
    let live = counter();
    for _ in 0..20 {
        let cells = [(); 5].map(|()| AtomicArc::from(Counted::new(live, 1)));
        let [held @ .., last] = [0, 1, 2, 3, 4].map(|index: usize| cells[index].load());
        drop(cells);
        drop(held);
        settle(Duration::from_secs(60));
        assert_eq!(live.load(Ordering::SeqCst), 1);
        drop(last);
        settle(Duration::from_secs(60));
        assert_eq!(live.load(Ordering::SeqCst), 0);
    }
}

#[test]
fn a_companion_ends_after_its_value() {
    let live = counter();
    for is_held in [false, true] {
        let cell = AtomicArc::from(Counted::new(live, 1));
        let held = is_held.then(|| cell.load());
        struct Companion(&'static AtomicUsize, mpsc::Sender<usize>);
        impl Drop for Companion {
            fn drop(&mut self) {
                self.1.send(self.0.load(Ordering::SeqCst)).unwrap();
            }
        }
        let (sender, ended) = mpsc::channel();
        end_with(cell.swap(None).unwrap(), Companion(live, sender));
        assert_eq!(ended.try_recv().is_ok(), !is_held);
        drop(held);
        if is_held {
            assert_eq!(ended.recv_timeout(Duration::from_secs(60)), Ok(0));
        }
    }
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
    let all_ended = || values.iter().all(|weak| weak.upgrade().is_none());
    eventually("all ended", all_ended);
}

#[test]
fn readers_and_writers_race_and_each_value_ends_once() {
    let live = counter();
    let cells = [(); 3].map(|()| AtomicArc::from(Counted::new(live, 0)));
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
            let cells = &cells;
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
    eventually_live(live, 0);
}

/// Something that is there until it is revoked, in a thread that has loaded before.
fn revocable(live: &'static AtomicUsize) -> Revocable<Counted> {
    live.fetch_add(1, Ordering::SeqCst);
    let revocable = Revocable::new(Arc::new(Counted { live, number: 1 }));
    drop(revocable.load());
    revocable
}

/// Lends the value to `borrow` and returns its result; None when the value is not lent.
/// None when it is not.
fn borrow<R>(revocable: &Revocable<Counted>, borrow: impl FnOnce(&Counted) -> R) -> Option<R> {
    revocable.lend(
        (),
        |counted| Some(counted),
        |(), _, counted| Some(borrow(counted)),
        |()| None,
    )
}

#[test]
fn what_is_lent_lives_until_it_is_given_back() {
    let live = counter();
    let revocable = revocable(live);
    assert!(!has_loan());
    // Each within the one before, beyond the places that a thread has.
    fn nest(revocable: &Revocable<Counted>) -> usize {
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
    eventually_live(live, 0);
    assert!(revocable.is_revoked());
    assert_eq!(borrow(&revocable, |counted| counted.number), None);
    assert!(revocable.load().is_none());
}

#[test]
fn a_thread_that_has_loaded_nothing_is_lent_nothing() {
    let live = counter();
    let revocable = revocable(live);
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
    let live = counter();
    let revocable = revocable(live);
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
    let live = counter();
    let revocable = revocable(live);
    let lent = AssertUnwindSafe(|| borrow(&revocable, |_| panic!("it panics")));
    assert!(catch_unwind(lent).is_err());
    assert!(!has_loan());
    revocable.revoke();
    assert_eq!(live.load(Ordering::SeqCst), 0);
}

#[test]
fn what_another_thread_borrows_ends_after_it_has_been_given_back() {
    let live = counter();
    let revocable = revocable(live);
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
    eventually_live(live, 0);
}
