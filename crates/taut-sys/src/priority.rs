//! Real-time priorities of threads.

#![allow(unsafe_code)]

use std::io;
use std::ops::RangeInclusive;

/// The priorities that a thread with the first-in-first-out policy may have; higher ones are more
/// urgent.
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

/// Gives the calling thread the first-in-first-out policy with this priority: it runs until it
/// waits, or until a thread of a higher priority is ready.
///
/// # Errors
///
/// `EPERM` without the right to do so (`CAP_SYS_NICE`, or `ulimit -r`), `EINVAL` for a priority
/// that the system does not have.
pub fn set_fifo(priority: i32) -> io::Result<()> {
    let parameters = libc::sched_param {
        sched_priority: priority,
    };
    // SAFETY: The function takes no memory and always names a thread.
    let thread = unsafe { libc::pthread_self() };
    // SAFETY: The thread is the calling one, which lives; the parameters outlive the call.
    let error = unsafe { libc::pthread_setschedparam(thread, libc::SCHED_FIFO, &parameters) };
    match error {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}

/// The number of a thread, by which others change its priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadNumber(libc::pid_t);

/// The number of the calling thread.
pub fn this_thread() -> ThreadNumber {
    // SAFETY: The function takes no memory and always succeeds.
    ThreadNumber(unsafe { libc::gettid() })
}

/// Gives a thread the first-in-first-out policy with this priority, as [`set_fifo`] does for the
/// calling one.
///
/// # Errors
///
/// As [`set_fifo`], and `ESRCH` for a thread that has ended.
pub fn set_fifo_of(thread: ThreadNumber, priority: i32) -> io::Result<()> {
    let parameters = libc::sched_param {
        sched_priority: priority,
    };
    // SAFETY: The parameters outlive the call; a number that is no thread's is an error.
    let outcome = unsafe { libc::sched_setscheduler(thread.0, libc::SCHED_FIFO, &parameters) };
    match outcome < 0 {
        true => Err(io::Error::last_os_error()),
        false => Ok(()),
    }
}

/// The real-time priority of the calling thread. None if it has none.
///
/// # Errors
///
/// An error of the operating system.
pub fn current() -> io::Result<Option<i32>> {
    let mut policy = 0;
    let mut parameters = libc::sched_param { sched_priority: 0 };
    // SAFETY: The function takes no memory and always names a thread.
    let thread = unsafe { libc::pthread_self() };
    // SAFETY: The thread is the calling one, which lives; both places outlive the call.
    let error = unsafe { libc::pthread_getschedparam(thread, &mut policy, &mut parameters) };
    match error {
        0 if policy == libc::SCHED_FIFO || policy == libc::SCHED_RR => {
            Ok(Some(parameters.sched_priority))
        }
        0 => Ok(None),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_priority_is_set_where_it_is_allowed() {
        let range = fifo_range().unwrap();
        assert!(range.end() > range.start(), "{range:?}");
        std::thread::spawn(move || {
            assert_eq!(current().unwrap(), None);
            match set_fifo(*range.start()) {
                Ok(()) => {
                    assert_eq!(current().unwrap(), Some(*range.start()));
                    let above = range.start() + 1;
                    set_fifo_of(this_thread(), above).unwrap();
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
        })
        .join()
        .unwrap();
    }
}
