//! Mutexes of an ORB with priorities.

use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use taut::real_time::{RealTime, RtMutex, RtOrb};
use taut::{Orb, SystemExceptionKind, minor};
use taut_sys::{cpu, priority};

use super::refusal;

const SHORT: Duration = Duration::from_millis(20);

fn real_time() -> RtOrb {
    let orb = Orb::builder().real_time(RealTime::new()).build().unwrap();
    orb.real_time().unwrap()
}

#[test]
fn a_mutex_has_the_operations_and_exceptions_of_the_standard() {
    let orb = real_time();
    let mutex = orb.create_mutex();
    let (order, gone) = (
        SystemExceptionKind::BadInvOrder,
        SystemExceptionKind::ObjectNotExist,
    );
    assert_eq!(refusal(mutex.unlock()), (order, minor::MUTEX_NOT_OWNED));
    mutex.lock().unwrap();
    assert_eq!(refusal(mutex.lock()), (order, minor::MUTEX_OWNED));
    assert_eq!(refusal(mutex.try_lock(SHORT)), (order, minor::MUTEX_OWNED));
    assert!(!mutex.try_lock(Duration::ZERO).unwrap());
    assert_eq!(
        refusal(orb.destroy_mutex(&mutex)),
        (order, minor::MUTEX_OWNED)
    );
    thread::scope(|scope| {
        scope.spawn(|| {
            assert_eq!(refusal(mutex.unlock()), (order, minor::MUTEX_NOT_OWNED));
            assert!(!mutex.try_lock(Duration::ZERO).unwrap());
            let begun = Instant::now();
            assert!(!mutex.try_lock(SHORT).unwrap());
            assert!(begun.elapsed() >= SHORT);
        });
    });
    mutex.unlock().unwrap();
    for wait in [Duration::ZERO, SHORT, Duration::MAX] {
        assert!(mutex.try_lock(wait).unwrap());
        mutex.unlock().unwrap();
    }
    orb.destroy_mutex(&mutex).unwrap();
    for refused in [
        mutex.lock(),
        mutex.try_lock(Duration::ZERO).map(drop),
        mutex.try_lock(SHORT).map(drop),
        orb.destroy_mutex(&mutex),
    ] {
        assert_eq!(refusal(refused), (gone, minor::MUTEX_DESTROYED));
    }
    // A thread that ends with a mutex leaves it taken, and others are told.
    let mutex = orb.create_mutex();
    thread::scope(|scope| {
        scope.spawn(|| mutex.lock().unwrap()).join().unwrap();
    });
    assert_eq!(refusal(mutex.lock()), (order, minor::MUTEX_OWNED));
}

/// The system gives such a mutex to one of those that wait.
#[test]
fn all_are_told_of_a_thread_that_ends_with_a_mutex_and_those_that_wait_too() {
    let mutex = real_time().create_mutex();
    let ended = (SystemExceptionKind::BadInvOrder, minor::MUTEX_OWNED);
    let is_taken = Barrier::new(4);
    thread::scope(|scope| {
        scope.spawn(|| {
            mutex.lock().unwrap();
            is_taken.wait();
            // The others wait by then, or come too late, which is the same to them.
            thread::sleep(5 * SHORT);
        });
        for wait in [None, Some(Duration::MAX), Some(Duration::from_secs(60))] {
            let (mutex, is_taken) = (&mutex, &is_taken);
            scope.spawn(move || {
                is_taken.wait();
                let waited = match wait {
                    None => mutex.lock(),
                    Some(most) => mutex.try_lock(most).map(drop),
                };
                assert_eq!(refusal(waited), ended);
            });
        }
    });
    assert_eq!(refusal(mutex.lock()), ended);
    assert_eq!(refusal(real_time().destroy_mutex(&mutex)), ended);
}

#[test]
fn threads_that_wait_get_the_mutex_one_after_the_other() {
    let mutex = real_time().create_mutex();
    let (inside, entries) = (Mutex::new(0), Mutex::new(0));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..500 {
                    mutex.lock().unwrap();
                    *inside.lock() += 1;
                    assert_eq!(*inside.lock(), 1);
                    *entries.lock() += 1;
                    *inside.lock() -= 1;
                    mutex.unlock().unwrap();
                }
            });
        }
    });
    assert_eq!(*entries.lock(), 2_000);
}

#[test]
fn mutexes_with_names_are_found_by_all_handles_of_an_orb() {
    let orb = real_time();
    let missing = orb.open_named_mutex("log").unwrap_err();
    assert_eq!(missing.name, "log");
    assert_eq!(missing.to_string(), "there is no mutex of the name \"log\"");
    let (mutex, is_new) = orb.create_named_mutex("log");
    assert!(is_new);
    assert_eq!(orb.create_named_mutex("log"), (mutex.clone(), false));
    assert_eq!(orb.clone().open_named_mutex("log").unwrap(), mutex);
    assert_ne!(orb.create_named_mutex("other").0, mutex);
    real_time().open_named_mutex("log").unwrap_err();
    orb.destroy_mutex(&mutex).unwrap();
    orb.open_named_mutex("log").unwrap_err();
    assert!(orb.create_named_mutex("log").1);
}

/// A lock that the three threads of the inversion share.
enum Shared {
    Inheriting(RtMutex),
    Plain(taut_sync::lock::Mutex<()>),
}

impl Shared {
    fn within(&self, run: impl FnOnce()) {
        match self {
            Self::Inheriting(mutex) => {
                mutex.lock().unwrap();
                run();
                mutex.unlock().unwrap();
            }
            Self::Plain(mutex) => {
                let _held = mutex.lock();
                run();
            }
        }
    }
}

/// Has a thread of a low priority take the lock, one of a high priority wait for it, and one of
/// a middle priority run, on one CPU, and returns the order of events. None without the right
/// to such priorities.
fn inversion(shared: &Shared) -> Option<Vec<&'static str>> {
    let cpu = cpu::allowed().unwrap()[0];
    let events = Mutex::new(Vec::new());
    let happens = |event| events.lock().push(event);
    let (high_may_begin, middle_may_begin) = (Barrier::new(2), Barrier::new(2));
    let (ready, is_allowed) = (Barrier::new(4), Mutex::new(true));
    // Each is bound to the CPU and has its priority before the first begins.
    let begin = |native: i32| {
        cpu::pin(cpu).unwrap();
        if priority::set_fifo(native).is_err() {
            *is_allowed.lock() = false;
        }
        ready.wait();
        *is_allowed.lock()
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            if begin(3) {
                high_may_begin.wait();
                shared.within(|| happens("high has the lock"));
            }
        });
        scope.spawn(|| {
            if begin(2) {
                middle_may_begin.wait();
                happens("middle runs");
            }
        });
        scope.spawn(|| {
            if begin(1) {
                shared.within(|| {
                    // It runs at once, and waits for the lock.
                    high_may_begin.wait();
                    // It is ready, and runs unless this thread is more urgent by now.
                    middle_may_begin.wait();
                    happens("low gives the lock back");
                });
            }
        });
        begin(4);
    });
    let is_allowed = *is_allowed.lock();
    is_allowed.then(|| events.into_inner())
}

/// The classical inversion: a thread of a high priority waits for a lock that one of a low
/// priority has, and a thread of a middle priority keeps that one from running.
#[test]
fn a_middle_priority_does_not_keep_a_high_one_from_a_mutex() {
    test_tools::in_own_process(
        a_middle_priority_does_not_keep_a_high_one_from_a_mutex,
        || {
            let plain = inversion(&Shared::Plain(taut_sync::lock::Mutex::new(())));
            let Some(plain) = plain else {
                eprintln!(
                    "LEFT OUT: the system does not allow SCHED_FIFO: no inversion of priorities"
                );
                return;
            };
            let inverted = [
                "middle runs",
                "low gives the lock back",
                "high has the lock",
            ];
            assert_eq!(plain, inverted);
            let inheriting = inversion(&Shared::Inheriting(real_time().create_mutex()));
            let prevented = [
                "low gives the lock back",
                "high has the lock",
                "middle runs",
            ];
            assert_eq!(inheriting.unwrap(), prevented);
        },
    );
}
