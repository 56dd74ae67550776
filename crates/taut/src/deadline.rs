//! How long calls may take.
//!
//! A call may have a deadline: whatever it waits for then, it ends with TIMEOUT. The time
//! is that of the whole call: looking up the names of hosts, connecting to each address,
//! waiting for a connection, sending, waiting for the reply and receiving it, and all of
//! this again where a server forwards the call or the call is tried again. It is
//! COMPLETED_NO if the request has not left in full, and COMPLETED_MAYBE otherwise. The
//! text of the exception names the deadline, and where the call stood.
//!
//! | what has the deadline | how |
//! |---|---|
//! | all calls of an ORB | [`ClientSettings::call_timeout`](crate::ClientSettings::call_timeout), `-ORBCallTimeout` |
//! | calls through one reference | [`Reference::with_call_timeout`](crate::Reference::with_call_timeout), [`ObjectRef::with_call_timeout`](crate::ObjectRef::with_call_timeout); it replaces the ORB's |
//! | one call | [`ObjectRef::invoke_with`](crate::ObjectRef::invoke_with); it replaces the reference's |
//! | all calls of a part of a program together | [`within`], beside the others: the earliest ends the call |
//!
//! The first three are the standard's `RelativeRoundtripTimeoutPolicy` (CORBA 3.3 part 1,
//! chapter 17), by whose rules a nearer policy replaces a farther one. The connection of a call
//! that has ended so is closed, unless other calls share it or the request had not begun
//! to leave. A oneway with [`SyncScope::None`](crate::SyncScope::None) waits for nothing.
//!
//! A servant in the caller's own process runs in the caller's thread, where nothing ends
//! it: such a call does not begin after its deadline, and does not end at it. With
//! `CollocationStrategy::Direct`, a call through a reference that has met its servant
//! begins in any case. But the calls that the servant makes in turn are made within the
//! caller's time, where that was set by [`within`].
//!
//! # In the server
//!
//! A server that asks for it (`DeadlinePropagationPolicy`, docs/real-time.md) is told how much
//! time a call has left. Its servant then runs as in [`within`] that time: [`time_left`] tells
//! it, and the calls that it makes end with it. A request that comes too late is not carried
//! out.

use std::cell::Cell;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use taut_giop::deadline_context::{DeadlineContext, to_units};
use taut_giop::{CompletionStatus, LimitReached, SystemException, SystemExceptionKind, minor};

use crate::counters;
use crate::straight_way::{LIMITED, close_by};

/// A point in time at which a call ends, and the limit that sets it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    pub(crate) at: Instant,
    pub(crate) limit: LimitReached,
    /// The handle of the operation in the schedule that has the deadline; 0: none.
    pub(crate) operation: u32,
}

thread_local! {
    /// The deadline of all calls of this thread.
    static OF_THREAD: Cell<Option<Deadline>> = const { Cell::new(None) };

    /// The handle of the operation that this thread carries out; 0: none.
    static OPERATION: Cell<u32> = const { Cell::new(0) };
}

/// Runs a part of a program, all of whose calls must have ended when this time has passed:
/// those of generated stubs as those by name, and those that servants in the same thread
/// make. A call at which the time is over ends with TIMEOUT; each further one does so at
/// once. Within another, the earlier deadline holds.
///
/// ```
/// use std::time::Duration;
///
/// use taut::{ObjectRef, deadline};
///
/// /// Asks two objects within 200 ms in all.
/// fn are_gone(one: &ObjectRef, other: &ObjectRef) -> taut::Result<bool> {
///     deadline::within(Duration::from_millis(200), || {
///         Ok(one.non_existent()? && other.non_existent()?)
///     })
/// }
/// ```
pub fn within<R>(time: Duration, run: impl FnOnce() -> R) -> R {
    let outer = OF_THREAD.get();
    let own = Deadline::after(time, "deadline::within");
    let _restored = Restored(outer);
    set(Deadline::earlier(outer, own));
    run()
}

/// Returns the time that the calling thread's calls have by [`within`]; zero after their
/// deadline.
pub fn time_left() -> Option<Duration> {
    of_thread().map(|deadline| deadline.time_left())
}

/// Runs a part of a program as an operation of a schedule, which has this handle
/// (`taut_scheduling`): requests that tell their deadlines tell it too. 0: none.
pub fn for_operation<R>(handle: u32, run: impl FnOnce() -> R) -> R {
    let _restored = RestoredOperation(OPERATION.replace(handle));
    run()
}

/// Returns the handle of the operation that the calling thread carries out: by
/// [`for_operation`], or as the request has told that its servant runs for.
pub fn operation() -> Option<u32> {
    let handle = OPERATION.get();
    (handle != 0).then_some(handle)
}

/// Runs `run` with this deadline and its operation, beside what the thread has: the earlier
/// deadline holds.
pub(crate) fn with<R>(deadline: Option<Deadline>, run: impl FnOnce() -> R) -> R {
    let Some(deadline) = deadline else {
        return run();
    };
    let outer = OF_THREAD.get();
    let _restored = Restored(outer);
    set(Deadline::earlier(outer, Some(deadline)));
    for_operation(deadline.operation, run)
}

/// Returns the reading of a clock that began with the first reading, in units of 100 ns.
pub(crate) fn clock() -> u64 {
    static BEGINNING: OnceLock<Instant> = OnceLock::new();
    to_units(BEGINNING.get_or_init(Instant::now).elapsed())
}

/// Checks that the deadline of the calling thread has not passed, for a request that is going
/// to be carried out.
///
/// # Errors
///
/// TIMEOUT, COMPLETED_NO, with [`minor::REQUEST_EXPIRED`].
#[inline]
pub(crate) fn check_in_time() -> Result<(), SystemException> {
    match of_thread() {
        Some(deadline) if deadline.time_left().is_zero() => Err(expired("queue")),
        _ => Ok(()),
    }
}

/// Returns the exception that answers a request whose deadline has passed, and counts it.
#[cold]
pub(crate) fn expired(stage: &'static str) -> SystemException {
    counters::server::expired(stage);
    let (kind, minor) = (SystemExceptionKind::Timeout, minor::REQUEST_EXPIRED);
    SystemException::new(kind, minor, CompletionStatus::No)
}

/// Gives the thread the operation back that it had before.
struct RestoredOperation(u32);

impl Drop for RestoredOperation {
    fn drop(&mut self) {
        OPERATION.set(self.0);
    }
}

/// Gives the thread its deadline back that it had before.
struct Restored(Option<Deadline>);

impl Drop for Restored {
    fn drop(&mut self) {
        set(self.0);
    }
}

fn set(deadline: Option<Deadline>) {
    OF_THREAD.set(deadline);
    close_by(LIMITED, deadline.is_some());
}

/// Returns the deadline of all calls of the calling thread.
pub(crate) fn of_thread() -> Option<Deadline> {
    OF_THREAD.get()
}

impl Deadline {
    /// Returns the deadline that is reached so long from now; none if that is beyond what
    /// the clock can say.
    pub(crate) fn after(time: Duration, setting: &'static str) -> Option<Self> {
        let at = Instant::now().checked_add(time)?;
        let (limit, operation) = (limit(setting, time), OPERATION.get());
        Some(Self {
            at,
            limit,
            operation,
        })
    }

    /// Returns the same deadline of the operation that the thread carries out now.
    pub(crate) fn of_current_operation(self) -> Self {
        let operation = OPERATION.get();
        Self { operation, ..self }
    }

    /// Returns what a request that is sent now tells of it.
    pub(crate) fn to_context(self) -> DeadlineContext {
        DeadlineContext {
            operation: self.operation,
            time_left: to_units(self.time_left()),
            sent_at: clock(),
        }
    }

    /// Returns the earlier of two deadlines.
    pub(crate) fn earlier(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        match (one, other) {
            (Some(one), Some(other)) if other.at < one.at => Some(other),
            (one, other) => one.or(other),
        }
    }

    /// Returns the time until it, zero after it.
    pub(crate) fn time_left(&self) -> Duration {
        self.at.saturating_duration_since(Instant::now())
    }
}

/// A time as a limit that was reached: in ms, or in µs where it is no whole number of ms.
fn limit(setting: &'static str, time: Duration) -> LimitReached {
    let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    let (value, unit) = match micros % 1_000 {
        0 => (micros / 1_000, "ms"),
        _ => (micros, "µs"),
    };
    LimitReached {
        setting,
        value,
        unit,
    }
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;
    use crate::straight_way;

    const LONG: Duration = Duration::from_secs(3_600);

    #[test]
    fn the_earlier_deadline_holds_until_its_part_of_the_program_ends() {
        assert!(time_left().is_none() && straight_way::is_open());
        within(LONG, || {
            assert!(!straight_way::is_open());
            within(2 * LONG, || assert!(time_left().unwrap() <= LONG));
            within(LONG / 2, || assert!(time_left().unwrap() <= LONG / 2));
            assert!(time_left().unwrap() > LONG / 2);
            within(Duration::ZERO, || {
                assert_eq!(time_left(), Some(Duration::ZERO))
            });
        });
        assert!(time_left().is_none() && straight_way::is_open());
    }

    #[test]
    fn a_panic_ends_it_too() {
        let panicked = catch_unwind(|| within(LONG, || panic!("of the test")));
        assert!(panicked.is_err() && straight_way::is_open());
    }

    #[test]
    fn a_time_without_end_is_no_limit() {
        within(Duration::MAX, || assert_eq!(time_left(), None));
    }

    #[test]
    fn a_limit_is_told_in_the_unit_that_fits() {
        let told = |time| limit("client.call_timeout", time).to_string();
        assert_eq!(
            told(Duration::from_millis(200)),
            "client.call_timeout = 200 ms"
        );
        assert_eq!(
            told(Duration::from_micros(1_500)),
            "client.call_timeout = 1500 µs"
        );
    }
}
