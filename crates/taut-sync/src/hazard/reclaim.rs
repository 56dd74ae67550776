//! The end of values that were held when they were taken away.
//!
//! Readers end nothing. A reader that clears a marked place says so, and a *control
//! thread* looks which values nobody holds any more and gives them up. The thread that
//! takes away a value which is held starts one if there is none; a control thread ends
//! when it has had nothing to do for a while.
//!
//! The end of a value may be anybody's code, which may wait for the end of another value.
//! So a control thread that gives up a value while there is more to do leaves another on
//! stand-by, which goes on if the first one takes long.

use std::collections::VecDeque;
#[cfg(not(loom))]
use std::mem;
#[cfg(not(loom))]
use std::panic::{AssertUnwindSafe, catch_unwind};
#[cfg(not(loom))]
use std::time::{Duration, Instant};

/// The time for which the end of a value may keep those of others.
#[cfg(not(loom))]
const PATIENCE: Duration = Duration::from_millis(10);

/// A share in a value that is to be given up when nobody holds the value any more.
pub(super) struct Retired {
    /// The value that may be held.
    pub(super) value: *mut (),
    /// The argument of `give_up`: the value, or what has a share in it.
    pub(super) share: *mut (),
    pub(super) give_up: unsafe fn(*mut ()),
}

// SAFETY: only what may be sent to other threads gets into an `AtomicArc`, and what goes
// with it is `Send` too.
unsafe impl Send for Retired {}

impl Retired {
    /// Gives the share up, which may run anybody's code.
    pub(super) fn end(self) {
        // SAFETY: it was retired once for each share; and no place showed the value any
        // more after nobody could find it.
        unsafe { (self.give_up)(self.share) };
    }

    /// [`end`](Self::end), of which a panic stays here, for nobody waits for it.
    #[cfg(not(loom))]
    pub(super) fn end_quietly(self) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| self.end()))
            && let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(panic)))
        {
            // The end of its payload might panic in turn.
            mem::forget(again);
        }
    }
}

/// The shares that wait for their end.
pub(super) struct Reclamation {
    /// Those whose values were held when this was last looked at, the earliest first.
    held: Vec<Retired>,
    /// Those whose values nobody holds, the earliest first.
    free: VecDeque<Retired>,
    /// Whether the system failed to tell which values are held.
    is_uncertain: bool,
    /// The control threads that look after this, without giving anything up.
    #[cfg(not(loom))]
    pub(super) waiting: usize,
    /// The control thread that gives a share up, unless it takes long.
    #[cfg(not(loom))]
    busy: Option<Busy>,
    #[cfg(not(loom))]
    turns: u64,
}

/// A control thread that gives a share up.
#[cfg(not(loom))]
struct Busy {
    turn: u64,
    since: Instant,
}

impl Reclamation {
    pub(super) const fn new() -> Self {
        Self {
            held: Vec::new(),
            free: VecDeque::new(),
            is_uncertain: false,
            #[cfg(not(loom))]
            waiting: 0,
            #[cfg(not(loom))]
            busy: None,
            #[cfg(not(loom))]
            turns: 0,
        }
    }

    /// Keeps a share whose value is held.
    pub(super) fn keep(&mut self, retired: Retired, is_uncertain: bool) {
        self.held.push(retired);
        self.is_uncertain |= is_uncertain;
    }

    /// Looks which values are held still, of which `is_held` tells, or that it does not
    /// know.
    ///
    /// The latest is looked at first. So if a thread held several values and let go of the
    /// earliest first, that one is not taken for held while a later one is free, and they
    /// end in the order in which they were taken away.
    pub(super) fn sweep(&mut self, is_held: impl Fn(*mut ()) -> Option<bool>) {
        self.is_uncertain = false;
        let mut still_held = Vec::with_capacity(self.held.len());
        let mut free = Vec::new();
        while let Some(retired) = self.held.pop() {
            let is_held = is_held(retired.value);
            self.is_uncertain |= is_held.is_none();
            match is_held {
                Some(false) => free.push(retired),
                _ => still_held.push(retired),
            }
        }
        still_held.reverse();
        self.held = still_held;
        while let Some(retired) = free.pop() {
            self.free.push_back(retired);
        }
    }

    #[cfg(loom)]
    pub(super) fn take_free(&mut self) -> VecDeque<Retired> {
        std::mem::take(&mut self.free)
    }
}

#[cfg(not(loom))]
impl Reclamation {
    /// Whether nothing waits for its end.
    pub(super) fn is_empty(&self) -> bool {
        self.held.is_empty() && self.free.is_empty()
    }

    /// Takes the share that is to be given up next, if it is its turn.
    pub(super) fn begin_turn(&mut self) -> Option<(Retired, u64)> {
        if let Some(busy) = &self.busy
            && busy.since.elapsed() < PATIENCE
        {
            return None;
        }
        let retired = self.free.pop_front()?;
        self.turns += 1;
        let (turn, since) = (self.turns, Instant::now());
        self.busy = Some(Busy { turn, since });
        Some((retired, turn))
    }

    /// Whether the share whose turn it is, or one before it, has yet to be given up.
    pub(super) fn is_before_end_of(&self, turn: u64) -> bool {
        self.turns < turn || self.busy.as_ref().is_some_and(|busy| busy.turn <= turn)
    }

    /// Notes that the share whose turn it was has been given up.
    pub(super) fn end_turn(&mut self, turn: u64) {
        if self.busy.as_ref().is_some_and(|busy| busy.turn == turn) {
            self.busy = None;
        }
    }

    /// Whether the system failed to tell which values are held.
    pub(super) fn is_uncertain(&self) -> bool {
        self.is_uncertain
    }

    /// The turn of the last share that may be given up.
    pub(super) fn last_turn(&self) -> u64 {
        self.turns + self.free.len() as u64
    }

    /// Whether there is a share that may be given up.
    pub(super) fn has_free(&self) -> bool {
        !self.free.is_empty()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::cell::Cell;
    use std::ptr;

    use super::*;

    thread_local!(static ENDED: Cell<u32> = const { Cell::new(0) });

    unsafe fn end(_: *mut ()) {
        ENDED.set(ENDED.get() + 1);
        assert!(ENDED.get() != 2, "the second of them panics");
    }

    fn retired(place: usize) -> Retired {
        Retired {
            value: ptr::without_provenance_mut(place),
            share: ptr::null_mut(),
            give_up: end,
        }
    }

    #[test]
    fn a_panic_at_the_end_of_a_value_does_not_keep_others_from_ending() {
        for place in 1..=4 {
            retired(place).end_quietly();
        }
        assert_eq!(ENDED.get(), 4);
    }

    #[test]
    fn values_end_in_the_order_in_which_they_were_taken_away() {
        let mut reclamation = Reclamation::new();
        (1..=6).for_each(|place| reclamation.keep(retired(place), false));
        let free = |reclamation: &Reclamation| -> Vec<usize> {
            let free = reclamation.free.iter();
            free.map(|retired| retired.value.addr()).collect()
        };
        let looked_at = Cell::new(7);
        reclamation.sweep(|value| {
            assert_eq!(value.addr(), looked_at.get() - 1);
            looked_at.set(value.addr());
            (value.addr() != 4).then_some(value.addr() % 2 == 0)
        });
        assert_eq!(free(&reclamation), [1, 3, 5]);
        assert!(reclamation.is_uncertain);
        reclamation.sweep(|_| Some(false));
        assert_eq!(free(&reclamation), [1, 3, 5, 2, 4, 6]);
        assert!(!reclamation.is_uncertain);
    }
}
