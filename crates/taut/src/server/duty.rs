//! Whose duty it is to read a connection, and what is under way on it.
//!
//! One thread at a time reads a connection: it is on duty. Mostly it also carries
//! out what it has read, for nothing is quicker. But a client may send a further
//! request before it has the reply, and the servant of the first may even wait
//! for what only that one brings, as callbacks do. Then another thread
//! *relieves* the one that runs the servant: from there on the other reads, and
//! the first still sends its reply, and goes.
//!
//! All this is one number, so that a request which nobody relieves costs three
//! atomic operations and no lock.

#[cfg(all(test, loom))]
mod orders;
#[cfg(all(test, not(loom)))]
mod tests;

use taut_sync::primitives::{AtomicU64, Ordering};

/// No further request is to be served.
const CLOSING: u64 = 1;
/// Nobody reads any more.
const OVER: u64 = 1 << 1;
/// The thread on duty runs a servant, and may be relieved.
const UPCALL: u64 = 1 << 2;
/// The servant runs a oneway: those that come after it are not to overtake it unless they
/// must.
const ONEWAY: u64 = 1 << 3;
/// The thread on duty sends, or has replies to send that wait for others. Unless it runs a servant
/// meanwhile it must not be relieved: octets would mix.
const SENDING: u64 = 1 << 4;
/// The reply to the request whose servant runs is made by another thread than that on duty.
const LEFT: u64 = 1 << 5;
/// The tasks of the thread on duty.
const AT_WORK: u64 = UPCALL | ONEWAY | SENDING | LEFT;
/// Counts the requests whose threads have been relieved: 24 bits.
const APART: u64 = 1 << 8;
const APART_MASK: u64 = (u32::MAX as u64) & !(APART - 1);
/// Counts the reliefs, and so tells the threads on duty apart: 32 bits.
const RELIEF: u64 = 1 << 32;

/// The most requests that can be under way at once.
pub(super) const MAX_APART: usize = (APART_MASK / APART) as usize;

/// The shift that is on duty in a state.
fn shift_of(state: u64) -> Shift {
    Shift(state & !(RELIEF - 1))
}

/// The state of a connection's reading.
#[derive(Debug)]
pub(super) struct Duty(AtomicU64);

/// Which of the threads that read a connection one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shift(u64);

/// How a thread has been relieved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Relief {
    /// The shift of the thread that reads the connection from here on.
    pub(super) shift: Shift,
    /// Whether the relieved thread makes the reply to its request itself, and not another or
    /// nobody.
    pub(super) is_reply_due: bool,
}

/// The task that the thread on duty begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Task {
    /// To serve a request.
    Request,
    /// To serve a request to which there is no reply.
    Oneway,
    /// To send: what needs no servant, or the acknowledgement before a oneway.
    Sending,
}

/// How a servant's end finds the thread that ran it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Upcall {
    /// It is on duty: it must call [`Duty::sent`] when the reply has been sent.
    OnDuty,
    /// It has been relieved: it must call [`Duty::sent_apart`].
    Relieved,
}

/// The task of the thread that has ended something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    /// Nothing: the connection goes on, or others see to its end.
    Nothing,
    /// The connection closes and nothing is under way: to say goodbye.
    Goodbye,
    /// Nobody reads the connection any more, and nothing is under way: to forget
    /// it.
    Forget,
}

impl Duty {
    /// Nothing is under way.
    pub(super) fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// The shift that is on duty now.
    pub(super) fn shift(&self) -> Shift {
        shift_of(self.0.load(Ordering::Acquire))
    }

    /// Begins a task, by the thread on duty. False when the connection is
    /// closing.
    #[inline]
    pub(super) fn begin(&self, shift: Shift, task: Task) -> bool {
        let work = match task {
            Task::Request => UPCALL,
            Task::Oneway => UPCALL | ONEWAY,
            Task::Sending => SENDING,
        };
        self.replace(shift.0, shift.0 | work) || self.begin_among_others(work)
    }

    #[cold]
    #[inline(never)]
    fn begin_among_others(&self, work: u64) -> bool {
        self.update(|state| (state & CLOSING == 0).then_some(state | work))
            .is_ok()
    }

    /// Begins the oneway of which the acknowledgement has been sent.
    pub(super) fn acknowledged(&self) {
        // Nobody else changes these while the thread on duty sends.
        self.0
            .fetch_xor(SENDING | UPCALL | ONEWAY, Ordering::AcqRel);
    }

    /// Ends the up-call that a thread has begun on duty.
    #[inline]
    pub(super) fn upcall_ended(&self, shift: Shift) -> Upcall {
        // Mostly a two-way request, and the only one.
        if self.replace(shift.0 | UPCALL, shift.0 | SENDING) {
            return Upcall::OnDuty;
        }
        self.upcall_ended_among_others(shift)
    }

    #[cold]
    #[inline(never)]
    fn upcall_ended_among_others(&self, shift: Shift) -> Upcall {
        let ended =
            self.update(|state| (shift_of(state) == shift).then_some(state & !AT_WORK | SENDING));
        match ended {
            Ok(_) => Upcall::OnDuty,
            Err(_) => Upcall::Relieved,
        }
    }

    /// Ends a oneway that a thread has begun on duty, after which there is nothing to
    /// send. False when it is not all that is to be said: it has been relieved, or the
    /// connection closes, or other requests are under way.
    #[inline]
    pub(super) fn oneway_ended(&self, shift: Shift) -> bool {
        self.replace(shift.0 | UPCALL | ONEWAY, shift.0)
    }

    /// Notes that the thread on duty has sent what it had to. Where replies wait for others, this
    /// is put off until all of them have been sent.
    #[inline]
    pub(super) fn sent(&self) -> Rest {
        let before = self.0.fetch_and(!AT_WORK, Ordering::AcqRel);
        match before & (CLOSING | APART_MASK) {
            CLOSING => Rest::Goodbye,
            _ => Rest::Nothing,
        }
    }

    /// Notes that a thread which has been relieved has sent its reply.
    pub(super) fn sent_apart(&self) -> Rest {
        let before = self.0.fetch_sub(APART, Ordering::AcqRel);
        if before & APART_MASK != APART {
            Rest::Nothing
        } else if before & OVER != 0 {
            Rest::Forget
        } else if before & (CLOSING | AT_WORK) == CLOSING {
            Rest::Goodbye
        } else {
            Rest::Nothing
        }
    }

    /// Relieves the thread of this shift if it is on duty and runs a servant, unless `limit`
    /// requests are under way then. A oneway is left alone unless it `may_be`
    /// overtaken.
    pub(super) fn relieve(&self, of: Shift, limit: usize, may_overtake: bool) -> Option<Relief> {
        let limit = limit.min(MAX_APART) as u64;
        let kept = if may_overtake { 0 } else { ONEWAY };
        self.relieve_if(of, |state| {
            let apart = (state & APART_MASK) / APART;
            // The thread's own request, and the one that is going to be read.
            let has_room = apart + 2 <= limit;
            has_room && state & (UPCALL | CLOSING | OVER | kept) == UPCALL
        })
    }

    fn relieve_if(&self, of: Shift, may_be: impl Fn(u64) -> bool) -> Option<Relief> {
        let relieved = |state: u64| (state & !AT_WORK).wrapping_add(APART + RELIEF);
        let before =
            self.update(|state| (shift_of(state) == of && may_be(state)).then(|| relieved(state)));
        before.ok().map(|state| Relief {
            shift: shift_of(relieved(state)),
            is_reply_due: state & (ONEWAY | LEFT) == 0,
        })
    }

    /// Counts a request that is going to be answered by another thread than that which
    /// carries it out: it is under way until [`sent_apart`](Self::sent_apart), whatever becomes
    /// of its up-call. False when as many are under way as can be counted.
    pub(super) fn defer(&self) -> bool {
        self.update(|state| (state & APART_MASK != APART_MASK).then_some(state + APART))
            .is_ok()
    }

    /// Leaves the reply to the request whose servant the thread of this shift runs to another
    /// thread. False when it has been relieved.
    pub(super) fn leave_reply(&self, shift: Shift) -> bool {
        self.update(|state| (shift_of(state) == shift).then_some(state | LEFT))
            .is_ok()
    }

    /// Relieves the thread of this shift, which runs a servant, even if the connection is
    /// closing. None when it has been relieved already, or as many requests are under way as can
    /// be counted.
    pub(super) fn hand_over(&self, of: Shift) -> Option<Relief> {
        self.relieve_if(of, |state| {
            let has_room = state & APART_MASK != APART_MASK;
            has_room && state & (UPCALL | OVER) == UPCALL
        })
    }

    /// Lets no further request begin.
    pub(super) fn close(&self) -> Rest {
        let before = self.0.fetch_or(CLOSING, Ordering::AcqRel);
        match before & (CLOSING | OVER | AT_WORK | APART_MASK) {
            0 => Rest::Goodbye,
            _ => Rest::Nothing,
        }
    }

    /// Notes that nobody reads the connection any more.
    pub(super) fn end(&self) -> Rest {
        let before = self.0.fetch_or(CLOSING | OVER, Ordering::AcqRel);
        match before & APART_MASK {
            0 => Rest::Forget,
            _ => Rest::Nothing,
        }
    }

    /// Whether any request is under way.
    pub(super) fn is_busy(&self) -> bool {
        self.0.load(Ordering::Acquire) & (AT_WORK | APART_MASK) != 0
    }

    /// Whether the thread on duty runs a servant.
    pub(super) fn is_in_upcall(&self) -> bool {
        self.0.load(Ordering::Acquire) & UPCALL != 0
    }

    /// Whether other requests than that of the thread on duty are under way.
    #[inline]
    pub(super) fn has_apart(&self) -> bool {
        self.0.load(Ordering::Acquire) & APART_MASK != 0
    }

    /// Whether nobody reads the connection any more.
    pub(super) fn is_over(&self) -> bool {
        self.0.load(Ordering::Acquire) & OVER != 0
    }

    /// Whether no further request is to be served.
    pub(super) fn is_closing(&self) -> bool {
        self.0.load(Ordering::Acquire) & CLOSING != 0
    }

    #[inline]
    fn replace(&self, from: u64, to: u64) -> bool {
        self.0
            .compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }

    fn update(&self, change: impl FnMut(u64) -> Option<u64>) -> Result<u64, u64> {
        self.0
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, change)
    }
}
