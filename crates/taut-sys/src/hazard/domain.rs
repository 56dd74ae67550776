//! Who holds what, and what waits to be given up.
//!
//! Each thread has a record with a few places. It shows there what it is about to
//! use, and then looks whether that is still where it found it. Whoever takes a value
//! away looks at all places *afterwards*. Between these steps either has a fence, so
//! that one of the two sees the other: the reader that the value has gone, or the
//! other that it is held. In that case it marks the place, and leaves the value to the
//! thread that clears it: that looks for a mark, and at all places, in the same way.
//! There too either side has a fence in between.

use std::ptr;

use super::barrier::{Barrier, light};
use super::sync::{AtomicBool, AtomicPtr, Mutex, Ordering, lock};

/// How many values a thread holds at once without counting them. Calls within a
/// process that call again hold two each.
const PLACES: usize = 16;

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
}

/// A place where a thread shows what it holds. Only that thread changes `shown`.
#[derive(Default)]
pub(super) struct Place {
    shown: AtomicPtr<()>,
    /// Whether somebody wants to know when this is cleared.
    is_marked: AtomicBool,
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

impl Place {
    /// Shows a value, before looking whether it is still where it was found.
    #[inline(always)]
    pub(super) fn show(&self, value: *mut ()) {
        // Whoever sees this sees as well that what was shown before is over.
        self.shown.store(value, Ordering::Release);
        light();
    }

    /// Shows nothing any more.
    #[inline(always)]
    pub(super) fn clear(&self, value: *mut ()) {
        self.shown.store(ptr::null_mut(), Ordering::Release);
        light();
        if self.is_marked.load(Ordering::Relaxed) {
            self.answer(value);
        }
    }

    /// Gives up what was shown here if it was taken away meanwhile and nobody else
    /// holds it.
    #[cold]
    fn answer(&self, value: *mut ()) {
        let mut state = lock(&get().state);
        self.is_marked.store(false, Ordering::Relaxed);
        if state.is_held(value) {
            return;
        }
        let ended = state
            .retired
            .extract_if(.., |retired| retired.value == value);
        let ended: Vec<Retired> = ended.collect();
        drop(state);
        ended.into_iter().for_each(Retired::end);
    }
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
            let record: &'static Record = Box::leak(Box::default());
            state.records.push(record);
            record
        })
    }

    /// Takes a record back. One that still shows something, for the thread forgot it
    /// or gives it up later, is not used again.
    #[cfg(not(loom))]
    fn leave(&self, record: &'static Record) {
        let is_clear = |place: &Place| place.shown.load(Ordering::Relaxed).is_null();
        if record.places.iter().all(is_clear) {
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
        let places = self.records.iter().flat_map(|record| &record.places);
        // Acquire: what a thread did with what it showed before happens before what
        // comes of it here.
        places.filter(move |place| place.shown.load(Ordering::Acquire) == value)
    }
}

/// A place of this thread's that shows nothing. None when all show something, or the
/// thread is about to end.
#[inline(always)]
pub(super) fn vacant_place() -> Option<&'static Place> {
    let record = own_record()?;
    let is_vacant = |place: &&Place| place.shown.load(Ordering::Relaxed).is_null();
    record.places.iter().find(is_vacant)
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

    use super::{Domain, Membership, Mutex, Record};

    static DOMAIN: Domain = Domain {
        state: Mutex::new(Domain::state()),
    };

    thread_local! {
        /// Reading this costs less than reading what has an end.
        static RECORD: Cell<Option<&'static Record>> = const { Cell::new(None) };
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
    fn join() -> Option<&'static Record> {
        let record = MEMBERSHIP.try_with(|membership| membership.0).ok()?;
        RECORD.set(Some(record));
        Some(record)
    }

    impl Drop for Membership {
        fn drop(&mut self) {
            RECORD.set(None);
            get().leave(self.0);
        }
    }
}

/// The same, where loom tries it in every order of events. Threads keep their records:
/// what lives longer than a thread has ended there before the main thread does.
#[cfg(loom)]
mod own {
    use super::{Domain, Membership, Mutex, Record};

    loom::lazy_static! {
        static ref DOMAIN: Domain = Domain { state: Mutex::new(Domain::state()) };
    }

    loom::thread_local! {
        static MEMBERSHIP: Membership = Membership::new();
    }

    pub(in super::super) fn get() -> &'static Domain {
        &DOMAIN
    }

    pub(super) fn own_record() -> Option<&'static Record> {
        MEMBERSHIP.try_with(|membership| membership.0).ok()
    }
}

pub(super) use own::get;
use own::own_record;
