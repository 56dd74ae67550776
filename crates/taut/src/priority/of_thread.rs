//! The priority of the calling thread.

use std::cell::Cell;
use std::marker::PhantomData;

use taut_giop::SystemException;
use taut_sys::priority::{self as system, Scheduling};

use super::{NativePriority, Priorities, Priority, SchedulingClass};
use crate::straight_way::{PRIORITIZED, close_by, is_closed_by};

thread_local! {
    /// The CORBA priority, if the thread has one.
    static CURRENT: Cell<Option<Priority>> = const { Cell::new(None) };

    /// How the system schedules the thread, as far as Taut knows. Code of the application that
    /// changes it otherwise is not noticed.
    static SCHEDULING: Cell<Option<Scheduling>> = const { Cell::new(None) };

    /// The priority that goes with the native one which the thread has.
    static FITTING: Cell<Fitting> = const { Cell::new(Fitting::UNKNOWN) };

    /// The id of the object whose servant runs at a priority, for transforms; empty else.
    static OBJECT: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// A priority of an ORB, and the native one that goes with it.
#[derive(Debug, Clone, Copy)]
struct Fitting {
    /// The [fit](Priorities::fit) of the priority; 0: none is known.
    fit: u64,
    /// The native priority; none where the system does not allow any.
    native: Option<(SchedulingClass, NativePriority)>,
}

impl Fitting {
    const UNKNOWN: Self = Self {
        fit: 0,
        native: None,
    };
}

/// A priority of the calling thread, until this is dropped.
#[derive(Debug)]
#[must_use = "the thread has the priority until this is dropped"]
pub(crate) struct AtPriority {
    /// The properties of the thread before; none: the ORB has no priorities.
    before: Option<Before>,
    /// The object before; none: it has not changed.
    object_before: Option<Vec<u8>>,
    /// It belongs to its thread.
    _of_thread: PhantomData<*const ()>,
}

/// The same where the native priority is that which the thread has.
#[derive(Debug)]
#[must_use = "the thread has the priority until this is dropped"]
pub(crate) struct AtOnce {
    before: Option<Priority>,
    /// The native priority, which the thread has afterwards, too.
    fitting: Fitting,
    /// It belongs to its thread.
    _of_thread: PhantomData<*const ()>,
}

/// The properties of a thread before it was given a priority.
#[derive(Debug)]
struct Before {
    priority: Option<Priority>,
    /// How the system scheduled it; none if it is not known, or left as it is.
    scheduling: Option<Scheduling>,
}

/// Returns the priority of the calling thread (the standard's `RTCORBA::Current`); none if it
/// has not been given one.
#[inline]
pub(crate) fn current() -> Option<Priority> {
    match is_closed_by(PRIORITIZED) {
        true => CURRENT.get(),
        false => None,
    }
}

/// Gives the calling thread a priority, and the native one that goes with it. An ORB without
/// priorities changes nothing.
///
/// # Errors
///
/// DATA_CONVERSION, OMG minor 2, if it has no native priority; NO_PERMISSION, Taut minor 100,
/// if the system does not allow that and `real_time.without_rights` is `error`. Then nothing has
/// changed.
pub(crate) fn set_current(
    priorities: &Priorities,
    priority: Priority,
) -> Result<(), SystemException> {
    match priorities.is_real_time() {
        true => change(priorities, priority),
        false => Ok(()),
    }
}

/// Gives the calling thread a priority for as long as the value lives that is returned, with
/// the native one. It makes no system call if the thread has the native priority already, and
/// an ORB without priorities changes nothing. Such values are dropped in the opposite order;
/// afterwards the thread is as before, whatever priority it has been given meanwhile.
///
/// # Errors
///
/// As [`set_current`].
pub(crate) fn at(
    priorities: &Priorities,
    priority: Priority,
) -> Result<AtPriority, SystemException> {
    let mut guard = AtPriority {
        before: None,
        object_before: None,
        _of_thread: PhantomData,
    };
    if !priorities.is_real_time() {
        return Ok(guard);
    }
    let before = Before {
        priority: current(),
        scheduling: match priorities.are_applied() {
            true => SCHEDULING.get().or_else(|| system::get().ok()),
            false => None,
        },
    };
    if before.scheduling.is_some() {
        SCHEDULING.set(before.scheduling);
    }
    change(priorities, priority)?;
    guard.before = Some(before);
    Ok(guard)
}

/// [`at`], where the native priority that goes with it is known to be that which the thread has,
/// and no transform has to be told of the object; none where it is not.
#[inline(always)]
pub(crate) fn at_once(priorities: &Priorities, priority: Priority) -> Option<AtOnce> {
    let fitting = FITTING.get();
    if fitting.fit != priorities.fit(priority)? {
        return None;
    }
    let before = CURRENT.replace(Some(priority));
    close_by(PRIORITIZED, true);
    Some(AtOnce {
        before,
        fitting,
        _of_thread: PhantomData,
    })
}

impl Drop for AtOnce {
    #[inline(always)]
    fn drop(&mut self) {
        note(self.before);
        if FITTING.get().fit != self.fitting.fit {
            self.fitting.restore();
        }
    }
}

impl Fitting {
    /// Gives the calling thread back a native priority, where another one has been set meanwhile.
    #[cold]
    #[inline(never)]
    fn restore(self) {
        let is_restored = match self.native {
            Some((class, native)) => restore(class.scheduling(native)),
            None => true,
        };
        if is_restored {
            FITTING.set(self);
        }
    }
}

impl AtPriority {
    /// The same while the thread carries out a request for the object with this id, which
    /// transforms are told of.
    pub(crate) fn for_object(mut self, object_id: &[u8]) -> Self {
        let before = OBJECT.replace(object_id.to_vec());
        self.object_before.get_or_insert(before);
        self
    }
}

/// Runs `run`, code of the application, with the id of the object whose servant runs at a
/// priority.
pub(super) fn with_object<R>(run: impl FnOnce(&[u8]) -> R) -> R {
    let id = OBJECT.take();
    let result = run(&id);
    OBJECT.set(id);
    result
}

impl Drop for AtPriority {
    fn drop(&mut self) {
        if let Some(object) = self.object_before.take() {
            OBJECT.set(object);
        }
        let Some(before) = self.before.take() else {
            return;
        };
        note(before.priority);
        before.scheduling.map(restore);
    }
}

/// Gives the calling thread a priority, and the native one that goes with it.
///
/// # Errors
///
/// Those of [`set_current`].
fn change(priorities: &Priorities, priority: Priority) -> Result<(), SystemException> {
    let native = priorities.applied(priority)?;
    if let Some((class, native)) = native {
        apply(class.scheduling(native)).or_else(|error| priorities.refused(&error))?;
    }
    let fit = priorities.fit(priority).unwrap_or(0);
    FITTING.set(Fitting { fit, native });
    note(Some(priority));
    Ok(())
}

/// Notes the CORBA priority of the calling thread.
#[inline(always)]
fn note(priority: Option<Priority>) {
    CURRENT.set(priority);
    close_by(PRIORITIZED, priority.is_some());
}

/// Lets the system schedule the calling thread as before, and returns whether it does.
fn restore(scheduling: Scheduling) -> bool {
    let restored = apply(scheduling);
    if let Err(error) = &restored {
        tracing::warn!(%error, ?scheduling, "a thread does not get back its native priority");
    }
    restored.is_ok()
}

/// Lets the system schedule the calling thread so, if it does not already.
fn apply(scheduling: Scheduling) -> std::io::Result<()> {
    if SCHEDULING.get() != Some(scheduling) {
        FITTING.set(Fitting::UNKNOWN);
        system::set(scheduling)?;
        SCHEDULING.set(Some(scheduling));
    }
    Ok(())
}

#[cfg(all(test, not(loom)))]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use std::panic::catch_unwind;

    use super::*;
    use crate::priority::of_orb::PriorityOptions;
    use crate::priority::{NativePriority, RealTime, SchedulingClass};
    use crate::straight_way;

    fn priorities() -> Priorities {
        let options = PriorityOptions {
            class: SchedulingClass::Fifo,
            is_direct: false,
            lowest: Some(NativePriority(1)),
            highest: Some(NativePriority(3)),
            needs_rights: false,
            internal_priority: None,
            internal_cpus: Vec::new(),
        };
        Priorities::new(RealTime::new(), options).unwrap()
    }

    fn in_thread(run: impl FnOnce() + Send + 'static) {
        std::thread::spawn(run).join().unwrap();
    }

    /// The native priority of the calling thread; that which is expected, and a word of it, where
    /// the system does not allow any.
    fn native(priorities: &Priorities, expected: Option<i32>) -> Option<i32> {
        match priorities.are_applied() {
            true => system::current().unwrap(),
            false => {
                eprintln!("left out: native priorities are not allowed here");
                expected
            }
        }
    }

    #[test]
    fn a_thread_has_the_priority_that_was_set_last() {
        in_thread(|| {
            let priorities = priorities();
            assert!(current().is_none() && straight_way::is_open());
            for (priority, expected) in [(Priority::MAX, 3), (Priority::MIN, 1)] {
                set_current(&priorities, priority).unwrap();
                assert_eq!(current(), Some(priority));
                assert_eq!(native(&priorities, Some(expected)), Some(expected));
                assert!(!straight_way::is_open());
            }
        });
    }

    #[test]
    fn priorities_nest_and_a_panic_ends_one_too() {
        in_thread(|| {
            let priorities = priorities();
            let panicked = catch_unwind(|| {
                let priorities = self::priorities();
                let _outer = at(&priorities, Priority::MIN).unwrap();
                {
                    let _inner = at(&priorities, Priority::MAX).unwrap();
                    assert_eq!(current(), Some(Priority::MAX));
                    assert_eq!(native(&priorities, Some(3)), Some(3));
                }
                assert_eq!(current(), Some(Priority::MIN));
                assert_eq!(native(&priorities, Some(1)), Some(1));
                panic!("of the test");
            });
            assert!(panicked.is_err());
            assert!(current().is_none() && straight_way::is_open());
            assert_eq!(native(&priorities, None), None);
        });
    }

    #[test]
    fn priorities_that_share_a_native_one_differ_nevertheless() {
        in_thread(|| {
            let priorities = priorities();
            let of = |number| Priority::new(number).unwrap();
            set_current(&priorities, Priority::MAX).unwrap();
            let same = at(&priorities, Priority::MAX).unwrap();
            let (near, nearer) = (of(i16::MAX - 2), of(i16::MAX - 1));
            let mapped = |priority| priorities.to_native(priority).unwrap();
            assert_eq!(mapped(near), mapped(nearer));
            for priority in [near, nearer] {
                let _low = at(&priorities, near).unwrap();
                let same_native = at(&priorities, priority).unwrap();
                assert_eq!(current(), Some(priority));
                assert_eq!(native(&priorities, Some(2)), Some(2));
                drop(same_native);
                assert_eq!(current(), Some(near));
            }
            drop(same);
            assert_eq!(current(), Some(Priority::MAX));
            assert_eq!(native(&priorities, Some(3)), Some(3));
        });
    }

    /// Without it, a servant that sets its priority leaves it to the requests that come after.
    #[test]
    fn a_thread_whose_priority_was_set_meanwhile_is_as_before_afterwards() {
        in_thread(|| {
            let priorities = priorities();
            let outer = at(&priorities, Priority::MIN).unwrap();
            set_current(&priorities, Priority::MAX).unwrap();
            drop(outer);
            assert!(current().is_none() && straight_way::is_open());
            assert_eq!(native(&priorities, None), None);

            set_current(&priorities, Priority::MAX).unwrap();
            for _ in 0..2 {
                let same = at_once(&priorities, Priority::MAX).unwrap();
                set_current(&priorities, Priority::MIN).unwrap();
                assert_eq!(native(&priorities, Some(1)), Some(1));
                // Others come and go in between.
                drop(at_once(&priorities, Priority::MIN).unwrap());
                drop(at(&priorities, Priority::MAX).unwrap());
                assert_eq!(current(), Some(Priority::MIN));
                drop(same);
                assert_eq!(current(), Some(Priority::MAX));
                assert_eq!(native(&priorities, Some(3)), Some(3));
            }
        });
    }

    /// A transform may make calls of objects of this process, and these have transforms.
    #[test]
    fn a_transform_is_told_of_the_object_when_another_one_has_been_called() {
        in_thread(|| {
            let priorities = priorities();
            let at_object = |id: &[u8]| at(&priorities, Priority::MAX).unwrap().for_object(id);
            let _outer = at_object(b"outer");
            with_object(|id| {
                assert_eq!(id, b"outer");
                let _inner = at_object(b"inner");
                with_object(|id| assert_eq!(id, b"inner"));
            });
            with_object(|id| assert_eq!(id, b"outer"));
        });
    }

    #[test]
    fn a_thread_that_has_had_a_native_priority_needs_no_mapping_for_it() {
        in_thread(|| {
            let (priorities, others) = (self::priorities(), self::priorities());
            assert!(at_once(&priorities, Priority::MAX).is_none());
            let outer = at(&priorities, Priority::MAX).unwrap();
            for _ in 0..2 {
                let same = at_once(&priorities, Priority::MAX).unwrap();
                assert_eq!(current(), Some(Priority::MAX));
                // Those of another ORB may be mapped otherwise, and others have to be mapped.
                assert!(at_once(&others, Priority::MAX).is_none());
                assert!(at_once(&priorities, Priority::MIN).is_none());
                drop(same);
            }
            let inner = at(&priorities, Priority::MIN).unwrap();
            assert!(at_once(&priorities, Priority::MAX).is_none());
            drop(inner);
            drop(outer);
            assert!(current().is_none() && straight_way::is_open());
            // The thread has its own native priority again, where the system allows others.
            if priorities.are_applied() {
                assert!(at_once(&priorities, Priority::MAX).is_none());
                set_current(&priorities, Priority::MAX).unwrap();
                drop(at(&priorities, Priority::MAX).unwrap());
                drop(at_once(&priorities, Priority::MAX).unwrap());
                assert_eq!(current(), Some(Priority::MAX));
            }
        });
    }

    #[test]
    fn an_orb_without_priorities_gives_none() {
        in_thread(|| {
            let priorities = Priorities::default();
            set_current(&priorities, Priority::MAX).unwrap();
            let _at = at(&priorities, Priority::MAX).unwrap();
            assert!(current().is_none() && straight_way::is_open());
        });
    }
}
