//! Who holds what, and what waits to be given up.
//!
//! Each thread has a record with a few places. It shows there what it is about to
//! use, and then looks whether that is still where it found it. Whoever takes a value
//! away looks at all places *afterwards*. Between these steps either has a fence, so
//! that one of the two sees the other: the reader that the value has gone, or the
//! other that it is held. In that case it marks the place, and leaves the value to the
//! thread that clears it: that looks for a mark, and at all places, in the same way.
//! There too either side has a fence in between.

use std::{mem, ptr, vec};

use super::barrier::{Barrier, free, light};
use super::sync::{AtomicBool, AtomicPtr, Mutex, Ordering, lock};

/// How many values a thread holds at once without counting them. Calls within a
/// process that call again hold two each.
const PLACES: usize = if cfg!(loom) { 2 } else { 16 };

/// How many more it is lent at once, each within the one before.
const LOANS: usize = if cfg!(loom) { 2 } else { 16 };

/// All threads, and what was taken away while they held it.
pub(super) struct Domain {
    state: Mutex<State>,
}

struct State {
    /// What is used for looking; there with the first record.
    barrier: Option<Barrier>,
    records: Vec<&'static Record>,
    /// Those of threads that have ended.
    vacant: Vec<&'static Record>,
    retired: Vec<Retired>,
}

/// What a thread holds. Lives as long as the process; threads that come use those of
/// threads that have gone. Has cache lines of its own.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct Record {
    places: [Place; PLACES],
    /// Those for [loans](Loan), the outermost first.
    loans: [Place; LOANS],
}

/// A place where a thread shows what it holds. Only that thread changes `shown`.
#[derive(Default)]
pub(super) struct Place {
    shown: AtomicPtr<()>,
    /// Whether somebody wants to know when this is cleared.
    is_marked: AtomicBool,
    /// Where a loan is shown that begins while one is shown here; null behind the last.
    /// Points into the same record, and does not change.
    next: AtomicPtr<Self>,
}

/// A share in a value that is to be given up.
struct Retired {
    value: *mut (),
    give_up: unsafe fn(*mut ()),
}

// SAFETY: it is given up by a thread that took the value from where it was, or that
// held it. Both have met it by way of an `AtomicArc` or `Held` of its type, which pass
// from thread to thread only if the value may.
unsafe impl Send for Retired {}

impl Retired {
    fn end(self) {
        // SAFETY: it is in the list, or would be, once for each share; and no place
        // showed it any more after nobody could find it.
        unsafe { (self.give_up)(self.value) };
    }
}

/// Shares that end one after the other: all of them, though the end of one panics.
struct Ended(vec::IntoIter<Retired>);

impl Ended {
    fn end_all(&mut self) {
        self.0.by_ref().for_each(Retired::end);
    }
}

impl Drop for Ended {
    fn drop(&mut self) {
        // Not empty only after a panic. A second panic ends the process, as in any `Drop`.
        self.end_all();
    }
}

impl Place {
    /// Whether the thread that asks, whose place it is, shows nothing here.
    #[inline(always)]
    fn is_vacant(&self) -> bool {
        self.shown.load(Ordering::Relaxed).is_null()
    }

    /// Shows a value, before looking whether it is still where it was found.
    #[inline(always)]
    pub(super) fn show(&self, value: *mut ()) {
        // Whoever sees this sees as well that what was shown before is over.
        self.shown.store(value, Ordering::Release);
        light();
    }

    /// Shows nothing any more.
    #[inline(always)]
    pub(super) fn clear(&self) {
        self.shown.store(ptr::null_mut(), Ordering::Release);
        light();
        self.answer_if_asked();
    }

    #[inline(always)]
    fn answer_if_asked(&self) {
        if self.is_marked.load(Ordering::Relaxed) {
            self.answer();
        }
    }

    /// Gives up what was taken away while it was shown here, if nobody else holds it, and
    /// whatever else nobody holds any more.
    #[cold]
    #[inline(never)]
    fn answer(&self) {
        let mut state = lock(&get().state);
        self.is_marked.store(false, Ordering::Relaxed);
        let retired = mem::take(&mut state.retired);
        let (held, ended) = retired
            .into_iter()
            .partition(|retired| state.is_held(retired.value));
        state.retired = held;
        drop(state);
        let ended: Vec<Retired> = ended;
        Ended(ended.into_iter()).end_all();
    }

    /// The place for a loan within one that is shown here.
    #[inline(always)]
    fn next(&self) -> Option<&'static Self> {
        let next = self.next.load(Ordering::Relaxed);
        // SAFETY: null, or of a record, which lives as long as the process.
        unsafe { next.as_ref() }
    }
}

impl Record {
    fn new() -> &'static Self {
        let record: &'static Self = Box::leak(Box::default());
        for (place, next) in record.loans.iter().zip(&record.loans[1..]) {
            let next = ptr::from_ref(next).cast_mut();
            place.next.store(next, Ordering::Relaxed);
        }
        record
    }

    fn all(&self) -> impl Iterator<Item = &Place> {
        self.places.iter().chain(&self.loans)
    }
}

/// That a value is shown while it is lent. Loans end in the opposite order of their
/// beginnings, so that the next place is known without looking for one. There are none
/// where the light fence is not free.
pub(super) struct Loan(&'static Place);

impl Loan {
    /// Shows a value, before looking whether it is still there. None when there is no
    /// place for it.
    ///
    /// # Safety
    ///
    /// Of several loans that a thread has the last ends first.
    #[inline(always)]
    pub(super) unsafe fn begin(value: *mut ()) -> Option<Self> {
        let place = next_loan()?;
        set_next_loan(place.next());
        // As `Place::show` does.
        place.shown.store(value, Ordering::Release);
        free();
        Some(Self(place))
    }
}

impl Drop for Loan {
    #[inline(always)]
    fn drop(&mut self) {
        self.0.shown.store(ptr::null_mut(), Ordering::Release);
        free();
        set_next_loan(Some(self.0));
        self.0.answer_if_asked();
    }
}

/// Whether this thread shows the value at this address.
pub(super) fn holds(address: usize) -> bool {
    let is_it = |place: &Place| place.shown.load(Ordering::Relaxed).addr() == address;
    own_record().is_some_and(|record| record.all().any(is_it))
}

/// Whether something is lent to this thread.
#[cfg(all(test, not(loom)))]
pub(super) fn has_loan() -> bool {
    own_record().is_some_and(|record| !record.loans[0].shown.load(Ordering::Relaxed).is_null())
}

impl Domain {
    const fn state() -> State {
        State {
            barrier: None,
            records: Vec::new(),
            vacant: Vec::new(),
            retired: Vec::new(),
        }
    }

    /// Gives up a share in a value that nobody finds any more: now, or when the last
    /// thread lets go of it that holds it.
    ///
    /// # Safety
    ///
    /// The share is the caller's, and `give_up` may be called for it once, by any
    /// thread that has held the value.
    pub(super) unsafe fn retire(&self, value: *mut (), give_up: unsafe fn(*mut ())) {
        let retired = Retired { value, give_up };
        let mut state = lock(&self.state);
        if state.is_held(value) {
            state.retired.push(retired);
            return;
        }
        drop(state);
        retired.end();
    }

    /// Runs `action`; no share is given up meanwhile.
    pub(super) fn with_nothing_ending<R>(&self, action: impl FnOnce() -> R) -> R {
        let _state = lock(&self.state);
        action()
    }

    /// A record for a thread.
    fn join(&self) -> &'static Record {
        let mut state = lock(&self.state);
        state.barrier.get_or_insert_with(Barrier::establish);
        state.vacant.pop().unwrap_or_else(|| {
            let record = Record::new();
            state.records.push(record);
            record
        })
    }

    /// Takes a record back. One that still shows something, for the thread forgot it
    /// or gives it up later, is not used again.
    #[cfg(not(loom))]
    fn leave(&self, record: &'static Record) {
        let is_clear = |place: &Place| place.shown.load(Ordering::Relaxed).is_null();
        if record.all().all(is_clear) {
            lock(&self.state).vacant.push(record);
        }
    }
}

impl State {
    /// Whether any thread holds a value that nobody finds any more, or might believe
    /// so for a moment. If so, it will [answer](Place::answer).
    fn is_held(&self, value: *mut ()) -> bool {
        let Some(barrier) = self.barrier else {
            // No thread has ever held anything.
            return false;
        };
        loop {
            if !barrier.heavy() {
                // Rather than taking what may be held from under somebody, it is kept.
                return true;
            }
            let (mut is_shown, mut is_news) = (false, false);
            for place in self.places_of(value) {
                is_shown = true;
                is_news |= !place.is_marked.load(Ordering::Relaxed);
                place.is_marked.store(true, Ordering::Relaxed);
            }
            // Who showed it before the fence, and shows it still, will see the mark.
            // Others may have cleared their places before they could.
            if !is_news {
                return is_shown;
            }
        }
    }

    fn places_of(&self, value: *mut ()) -> impl Iterator<Item = &'static Place> {
        let places = self.records.iter().flat_map(|record| record.all());
        // Acquire: what a thread did with what it showed before happens before what
        // comes of it here.
        places.filter(move |place| place.shown.load(Ordering::Acquire) == value)
    }
}

/// A place of this thread's that shows nothing. None when all show something, or the
/// thread is about to end.
#[inline(always)]
pub(super) fn vacant_place() -> Option<&'static Place> {
    let [first, second, others @ ..] = &own_record()?.places;
    // A request holds its POA and its object.
    if first.is_vacant() {
        return Some(first);
    }
    if second.is_vacant() {
        return Some(second);
    }
    vacant_of(others)
}

#[cold]
#[inline(never)]
fn vacant_of(places: &'static [Place]) -> Option<&'static Place> {
    places.iter().find(|place| place.is_vacant())
}

/// That a thread has a record.
struct Membership(&'static Record);

impl Membership {
    fn new() -> Self {
        Self(get().join())
    }
}

#[cfg(not(loom))]
mod own {
    use std::cell::Cell;

    use super::super::barrier::is_free;
    use super::{Domain, Membership, Mutex, Place, Record};

    static DOMAIN: Domain = Domain {
        state: Mutex::new(Domain::state()),
    };

    thread_local! {
        /// Reading this costs less than reading what has an end.
        static RECORD: Cell<Option<&'static Record>> = const { Cell::new(None) };
        /// Where the next loan is shown.
        static LOAN: Cell<Option<&'static Place>> = const { Cell::new(None) };
        static MEMBERSHIP: Membership = Membership::new();
    }

    /// The domain of this process.
    pub(in super::super) fn get() -> &'static Domain {
        &DOMAIN
    }

    #[inline(always)]
    pub(super) fn own_record() -> Option<&'static Record> {
        RECORD.get().or_else(join)
    }

    /// A record, unless the thread is about to end.
    #[cold]
    #[inline(never)]
    fn join() -> Option<&'static Record> {
        let record = MEMBERSHIP.try_with(|membership| membership.0).ok()?;
        RECORD.set(Some(record));
        LOAN.set(record.loans.first().filter(|_| is_free()));
        Some(record)
    }

    #[inline(always)]
    pub(super) fn next_loan() -> Option<&'static Place> {
        LOAN.get()
    }

    #[inline(always)]
    pub(super) fn set_next_loan(place: Option<&'static Place>) {
        LOAN.set(place);
    }

    impl Drop for Membership {
        fn drop(&mut self) {
            RECORD.set(None);
            LOAN.set(None);
            get().leave(self.0);
        }
    }
}

/// The same, where loom tries it in every order of events. Threads keep their records:
/// what lives longer than a thread has ended there before the main thread does.
#[cfg(loom)]
mod own {
    use std::cell::Cell;

    use super::{Domain, Membership, Mutex, Place, Record};

    loom::lazy_static! {
        static ref DOMAIN: Domain = Domain { state: Mutex::new(Domain::state()) };
    }

    loom::thread_local! {
        static MEMBERSHIP: Membership = Membership::new();
        static LOAN: Cell<Option<&'static Place>> =
            Cell::new(own_record().and_then(|record| record.loans.first()));
    }

    pub(in super::super) fn get() -> &'static Domain {
        &DOMAIN
    }

    pub(super) fn own_record() -> Option<&'static Record> {
        MEMBERSHIP.try_with(|membership| membership.0).ok()
    }

    pub(super) fn next_loan() -> Option<&'static Place> {
        LOAN.try_with(Cell::get).ok().flatten()
    }

    pub(super) fn set_next_loan(place: Option<&'static Place>) {
        let _ = LOAN.try_with(|loan| loan.set(place));
    }
}

pub(super) use own::get;
use own::{next_loan, own_record, set_next_loan};

#[cfg(all(test, not(loom)))]
mod tests {
    use std::cell::Cell;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    thread_local!(static ENDED: Cell<u32> = const { Cell::new(0) });

    unsafe fn end(_: *mut ()) {
        ENDED.set(ENDED.get() + 1);
        assert!(ENDED.get() != 2, "the second of them panics");
    }

    #[test]
    fn a_panic_at_the_end_of_a_value_does_not_keep_others_from_ending() {
        let retired = || Retired {
            value: ptr::null_mut(),
            give_up: end,
        };
        let all = vec![retired(), retired(), retired(), retired()];
        let end_all = AssertUnwindSafe(|| Ended(all.into_iter()).end_all());
        assert!(catch_unwind(end_all).is_err());
        assert_eq!(ENDED.get(), 4);
    }
}
