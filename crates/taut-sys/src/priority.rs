//! How the system schedules threads: their class, and their priority in it.

#![allow(unsafe_code)]

use std::io;
use std::mem;
use std::ops::RangeInclusive;
use std::time::Duration;

/// The way in which the system schedules a thread (`sched(7)`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scheduling {
    /// `SCHED_OTHER`: threads share the CPUs. A smaller nice value, from -20 to 19, gives a
    /// larger part of them.
    Other {
        /// The nice value.
        nice: i32,
    },
    /// `SCHED_FIFO`: the thread runs until it waits, or until one of a higher priority is ready.
    Fifo {
        /// The priority; higher ones are more urgent.
        priority: i32,
    },
    /// `SCHED_RR`: the same, but threads of one priority take turns.
    RoundRobin {
        /// The priority; higher ones are more urgent.
        priority: i32,
    },
    /// `SCHED_DEADLINE`: the thread may run for a time in each period, and has run for it at the
    /// deadline.
    Deadline {
        /// How long it runs in a period.
        runtime: Duration,
        /// The time from the begin of a period to the deadline in it.
        deadline: Duration,
        /// The length of a period.
        period: Duration,
    },
    /// A class that is none of these, by the system's number.
    Unknown {
        /// The number of the class.
        policy: u32,
    },
}

/// The nice values that a thread may have; smaller ones are more urgent.
pub const NICE_RANGE: RangeInclusive<i32> = -20..=19;

/// The system's `struct sched_attr`, in its first version.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime: u64,
    deadline: u64,
    period: u64,
}

impl Attributes {
    const SIZE: u32 = mem::size_of::<Self>() as u32;

    fn of(scheduling: Scheduling) -> io::Result<Self> {
        let invalid = || io::Error::from(io::ErrorKind::InvalidInput);
        let unsigned = |number: i32| u32::try_from(number).map_err(|_| invalid());
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).map_err(|_| invalid());
        let mut attributes = Self {
            size: Self::SIZE,
            ..Self::default()
        };
        attributes.policy = match scheduling {
            Scheduling::Other { nice } => {
                // The system would take the nearest.
                if !NICE_RANGE.contains(&nice) {
                    return Err(invalid());
                }
                attributes.nice = nice;
                libc::SCHED_OTHER as u32
            }
            Scheduling::Fifo { priority } => {
                attributes.priority = unsigned(priority)?;
                libc::SCHED_FIFO as u32
            }
            Scheduling::RoundRobin { priority } => {
                attributes.priority = unsigned(priority)?;
                libc::SCHED_RR as u32
            }
            Scheduling::Deadline {
                runtime,
                deadline,
                period,
            } => {
                attributes.runtime = nanoseconds(runtime)?;
                attributes.deadline = nanoseconds(deadline)?;
                attributes.period = nanoseconds(period)?;
                libc::SCHED_DEADLINE as u32
            }
            Scheduling::Unknown { policy } => policy,
        };
        Ok(attributes)
    }

    fn scheduling(&self) -> Scheduling {
        let priority = i32::try_from(self.priority).unwrap_or(i32::MAX);
        match i32::try_from(self.policy) {
            Ok(libc::SCHED_OTHER) => Scheduling::Other { nice: self.nice },
            Ok(libc::SCHED_FIFO) => Scheduling::Fifo { priority },
            Ok(libc::SCHED_RR) => Scheduling::RoundRobin { priority },
            Ok(libc::SCHED_DEADLINE) => Scheduling::Deadline {
                runtime: Duration::from_nanos(self.runtime),
                deadline: Duration::from_nanos(self.deadline),
                period: Duration::from_nanos(self.period),
            },
            _ => Scheduling::Unknown {
                policy: self.policy,
            },
        }
    }
}

/// The priorities that a thread with the first-in-first-out policy may have, or one that takes
/// turns (`SCHED_RR`); higher ones are more urgent.
///
/// # Errors
///
/// An error of the operating system.
pub fn fifo_range() -> io::Result<RangeInclusive<i32>> {
    // SAFETY: The function takes a number and touches no memory.
    let lowest = unsafe { libc::sched_get_priority_min(libc::SCHED_FIFO) };
    // SAFETY: The function takes a number and touches no memory.
    let highest = unsafe { libc::sched_get_priority_max(libc::SCHED_FIFO) };
    match lowest < 0 || highest < 0 {
        true => Err(io::Error::last_os_error()),
        false => Ok(lowest..=highest),
    }
}

/// Lets the system schedule the calling thread so, with one system call.
///
/// # Errors
///
/// `EPERM` without the right to do so (`CAP_SYS_NICE`; `ulimit -r` for priorities, `ulimit -e` for
/// nice values), `EINVAL` for a value that the class does not have. For
/// [`Scheduling::Deadline`] also `EBUSY` if the CPUs have no such time left, and `EPERM` if the
/// thread may not run on all CPUs.
pub fn set(scheduling: Scheduling) -> io::Result<()> {
    set_of(CALLING_THREAD, scheduling)
}

/// The system's number for the calling thread, whichever it is.
const CALLING_THREAD: i32 = 0;

/// Lets the system schedule a thread of this process so, which has this
/// [number](crate::cpu::thread_id).
///
/// # Errors
///
/// Those of [`set`]; `ESRCH` if there is no such thread.
pub fn set_of(thread: i32, scheduling: Scheduling) -> io::Result<()> {
    let attributes = Attributes::of(scheduling)?;
    let no_flags = 0;
    // SAFETY: The attributes have the size that they name, and outlive the call.
    let done = unsafe {
        libc::syscall(
            libc::SYS_sched_setattr,
            thread,
            &raw const attributes,
            no_flags,
        )
    };
    match done {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Returns how the system schedules the calling thread.
///
/// # Errors
///
/// An error of the operating system.
pub fn get() -> io::Result<Scheduling> {
    get_of(CALLING_THREAD)
}

/// Returns how the system schedules a thread of this process, which has this
/// [number](crate::cpu::thread_id).
///
/// # Errors
///
/// An error of the operating system: `ESRCH` if there is no such thread.
pub fn get_of(thread: i32) -> io::Result<Scheduling> {
    let mut attributes = Attributes::default();
    let no_flags = 0;
    // SAFETY: The system writes no more than the size that it is given, which is that of the
    // place.
    let done = unsafe {
        libc::syscall(
            libc::SYS_sched_getattr,
            thread,
            &raw mut attributes,
            Attributes::SIZE,
            no_flags,
        )
    };
    match done {
        0 => Ok(attributes.scheduling()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Returns how long a thread of this process has run so far, which has this
/// [number](crate::cpu::thread_id), without the time in which it slept or others had its CPU.
///
/// # Errors
///
/// An error of the operating system: `EINVAL` if there is no such thread.
pub fn thread_time(thread: i32) -> io::Result<Duration> {
    // The clock that the C library's `pthread_getcpuclockid` names: the bits of the number the
    // other way round, then "scheduled time" and "of a thread".
    let clock = (!thread << 3) | 6;
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: The system writes one time, for which there is room.
    let done = unsafe { libc::clock_gettime(clock, &raw mut time) };
    match done {
        0 => {
            let (seconds, nanos) = (time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs());
            let nanos = u32::try_from(nanos).unwrap_or(0);
            Ok(Duration::new(seconds, nanos))
        }
        _ => Err(io::Error::last_os_error()),
    }
}

/// Gives the calling thread the first-in-first-out policy with this priority: it runs until it
/// waits, or until a thread of a higher priority is ready.
///
/// # Errors
///
/// `EPERM` without the right to do so (`CAP_SYS_NICE`, or `ulimit -r`), `EINVAL` for a priority
/// that the system does not have.
pub fn set_fifo(priority: i32) -> io::Result<()> {
    set(Scheduling::Fifo { priority })
}

/// The real-time priority of the calling thread. None if it has none.
///
/// # Errors
///
/// An error of the operating system.
pub fn current() -> io::Result<Option<i32>> {
    Ok(match get()? {
        Scheduling::Fifo { priority } | Scheduling::RoundRobin { priority } => Some(priority),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs `run` in a thread of its own, whose priority may change.
    fn in_thread(run: impl FnOnce() + Send + 'static) {
        std::thread::spawn(run).join().unwrap();
    }

    /// Sets a class and reads it back. False, and a word of it, if that is not allowed.
    fn is_set(scheduling: Scheduling) -> bool {
        let before = get().unwrap();
        match set(scheduling) {
            Ok(()) => {
                assert_eq!(get().unwrap(), scheduling);
                true
            }
            Err(error) => {
                assert_eq!(error.kind(), io::ErrorKind::PermissionDenied, "{error}");
                assert_eq!(get().unwrap(), before);
                eprintln!("left out: {scheduling:?} is not allowed here");
                false
            }
        }
    }

    #[test]
    fn a_priority_is_set_where_it_is_allowed() {
        let range = fifo_range().unwrap();
        assert!(range.end() > range.start(), "{range:?}");
        in_thread(move || {
            assert_eq!(current().unwrap(), None);
            match set_fifo(*range.start()) {
                Ok(()) => {
                    assert_eq!(current().unwrap(), Some(*range.start()));
                    let above = range.start() + 1;
                    let above_it = Scheduling::Fifo { priority: above };
                    set_of(crate::cpu::thread_id(), above_it).unwrap();
                    assert_eq!(current().unwrap(), Some(above));
                }
                Err(error) => {
                    assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
                    assert_eq!(current().unwrap(), None);
                }
            }
            let error = set_fifo(range.end() + 1).unwrap_err();
            let kinds = [io::ErrorKind::InvalidInput, io::ErrorKind::PermissionDenied];
            assert!(kinds.contains(&error.kind()), "{error}");
        });
    }

    #[test]
    fn a_thread_has_the_class_that_was_set_last() {
        in_thread(|| {
            let Scheduling::Other { nice } = get().unwrap() else {
                panic!("{:?}", get());
            };
            // A thread may always be nicer.
            assert!(is_set(Scheduling::Other { nice: 19.max(nice) }));
            let classes = [
                Scheduling::Fifo { priority: 1 },
                Scheduling::RoundRobin { priority: 2 },
                Scheduling::Other { nice: 19 },
            ];
            for class in classes {
                is_set(class);
            }
        });
    }

    #[test]
    fn a_deadline_is_set_where_it_is_allowed_and_may_be_met() {
        in_thread(|| {
            let [runtime, deadline, period] = [1, 10, 20].map(Duration::from_millis);
            let scheduling = Scheduling::Deadline {
                runtime,
                deadline,
                period,
            };
            match set(scheduling) {
                Ok(()) => assert_eq!(get().unwrap(), scheduling),
                Err(error) => eprintln!("left out: {scheduling:?}: {error}"),
            }
            let too_short = Scheduling::Deadline {
                runtime: period,
                deadline,
                period,
            };
            assert!(set(too_short).is_err());
        });
    }

    #[test]
    fn a_value_that_a_class_does_not_have_is_refused_and_changes_nothing() {
        in_thread(|| {
            let before = get().unwrap();
            for scheduling in [
                Scheduling::Other { nice: 20 },
                Scheduling::Other { nice: -21 },
                Scheduling::Fifo { priority: -1 },
                Scheduling::Unknown { policy: 77 },
            ] {
                let error = set(scheduling).unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{scheduling:?}");
            }
            assert_eq!(get().unwrap(), before);
        });
    }
}
