//! The values that threads hold, and those that wait to be given up.
//!
//! Each thread has a record with a few places. It shows there what it is about to
//! use, and then looks whether that is still where it found it. The thread that takes a
//! value away looks at all places *afterwards*. Between these steps either has a fence, so
//! that one of the two sees the other: the reader that the value has gone, or the other
//! that it is held. In that case it marks the place, and leaves the value to a [control
//! thread](super::reclaim). The thread that clears the place looks for the mark afterwards,
//! with a fence in between here too, and says that there is something to look at. It never
//! ends a value, takes a lock or issues a barrier.

use std::ptr;

use super::barrier::{Barrier, free, light};
use super::reclaim::{Reclamation, Retired};
use super::sync::{AtomicBool, AtomicPtr, Mutex, Ordering, lock};

/// How many values a thread holds at once without counting them. Calls within a
/// process that call again hold two each.
const PLACES: usize = if cfg!(loom) { 2 } else { 16 };

/// How many more it is lent at once, each within the one before.
const LOANS: usize = if cfg!(loom) { 2 } else { 16 };

/// All threads, and what was taken away while they held it.
pub(super) struct Domain {
    pub(super) state: Mutex<State>,
    /// Whether a marked place has been cleared since this was last looked at.
    pub(super) is_answered: AtomicBool,
    /// There is more to reclaim.
    #[cfg(not(loom))]
    pub(super) more: super::sync::Condvar,
    /// A control thread has given something up.
    #[cfg(not(loom))]
    pub(super) done: super::sync::Condvar,
}

pub(super) struct State {
    /// The barrier that precedes a look at all places; it is made with the first record.
    barrier: Option<Barrier>,
    records: Vec<&'static Record>,
    /// Those of threads that have ended.
    vacant: Vec<&'static Record>,
    pub(super) reclamation: Reclamation,
}

/// The values that a thread holds. Lives as long as the process; threads that come use
/// those of threads that have gone. Has cache lines of its own.
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

impl Place {
    /// Whether the thread that asks, whose place it is, shows nothing here.
    #[inline(always)]
    fn is_vacant(&self) -> bool {
        self.shown.load(Ordering::Relaxed).is_null()
    }

    /// Shows a value, before looking whether it is still where it was found.
    #[inline(always)]
    pub(super) fn show(&self, value: *mut ()) {
        // A thread that sees this sees as well that the use of the value shown before is
        // over.
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

    /// Says that this place, which was marked, has been cleared: a control thread looks
    /// whether a value can end.
    #[cold]
    #[inline(never)]
    fn answer(&self) {
        self.is_marked.store(false, Ordering::Relaxed);
        // An exchange, as on the other side, so that either is before or behind the other.
        get().is_answered.swap(true, Ordering::Release);
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

/// Keeps loans from beginning until it is dropped.
pub(super) struct NoLoans(Option<&'static Place>);

impl NoLoans {
    pub(super) fn begin() -> Self {
        // Else the thread's first load would open the places for loans.
        let _ = own_record();
        let next = next_loan();
        set_next_loan(None);
        Self(next)
    }
}

impl Drop for NoLoans {
    fn drop(&mut self) {
        set_next_loan(self.0);
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
            reclamation: Reclamation::new(),
        }
    }

    /// Gives up a share in a value that nobody finds any more: now or, if a thread holds
    /// the value, in a control thread later.
    ///
    /// # Safety
    ///
    /// The share is the caller's, and `give_up` may be called with `share` once, by any
    /// thread and at any later time.
    pub(super) unsafe fn retire(
        &'static self,
        value: *mut (),
        share: *mut (),
        give_up: unsafe fn(*mut ()),
    ) {
        let retired = Retired {
            value,
            share,
            give_up,
        };
        let mut state = lock(&self.state);
        let is_held = state.is_held(value);
        if is_held == Some(false) {
            drop(state);
            return retired.end();
        }
        state.reclamation.keep(retired, is_held.is_none());
        self.look_after(state);
    }

    /// Gives up a share later, in a control thread.
    ///
    /// # Safety
    ///
    /// As [`retire`](Self::retire).
    #[cfg(not(loom))]
    pub(super) unsafe fn defer(&'static self, share: *mut (), give_up: unsafe fn(*mut ())) {
        let retired = Retired {
            // Which no place shows.
            value: share,
            share,
            give_up,
        };
        let mut state = lock(&self.state);
        state.reclamation.keep(retired, true);
        self.look_after(state);
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
    /// Looks which of the values that were held are held still.
    pub(super) fn sweep(&mut self) {
        let mut reclamation = std::mem::replace(&mut self.reclamation, Reclamation::new());
        reclamation.sweep(|value| self.is_held(value));
        self.reclamation = reclamation;
    }

    /// Whether any thread holds a value that nobody finds any more, or might believe
    /// so for a moment. If so, it will [answer](Place::answer). None if the system does not
    /// tell.
    fn is_held(&self, value: *mut ()) -> Option<bool> {
        let Some(barrier) = self.barrier else {
            // No thread has ever held anything.
            return Some(false);
        };
        loop {
            if !barrier.heavy() {
                // Rather than taking what may be held from under somebody, it is kept.
                return None;
            }
            let (mut is_shown, mut is_news) = (false, false);
            for place in self.places_of(value) {
                is_shown = true;
                is_news |= !place.is_marked.load(Ordering::Relaxed);
                place.is_marked.store(true, Ordering::Relaxed);
            }
            // A thread that showed the value before the fence, and shows it still, will see
            // the mark. Others may have cleared their places before they could.
            if !is_news {
                return Some(is_shown);
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
    use super::super::sync::Condvar;
    use super::{AtomicBool, Domain, Membership, Mutex, Place, Record};

    static DOMAIN: Domain = Domain {
        state: Mutex::new(Domain::state()),
        is_answered: AtomicBool::new(false),
        more: Condvar::new(),
        done: Condvar::new(),
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

    use super::super::reclaim::Retired;
    use super::super::sync::{MutexGuard, Ordering, lock};
    use super::{AtomicBool, Domain, Membership, Mutex, Place, Record, State};

    loom::lazy_static! {
        static ref DOMAIN: Domain = Domain {
            state: Mutex::new(Domain::state()),
            is_answered: AtomicBool::new(false),
        };
    }

    impl Domain {
        /// Nothing: the models have threads that [reclaim](Self::reclaim).
        pub(super) fn look_after(&self, _: MutexGuard<'_, State>) {}

        /// Gives up what can be, as a control thread does.
        #[cfg_attr(not(test), expect(dead_code, reason = "only models reclaim there"))]
        pub(in super::super) fn reclaim(&self) {
            let mut state = lock(&self.state);
            if self.is_answered.swap(false, Ordering::Acquire) {
                state.sweep();
            }
            let free = state.reclamation.take_free();
            drop(state);
            free.into_iter().for_each(Retired::end);
        }
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
