//! An allocator that counts, for tests and benchmarks of what is promised about memory.
//! A program that depends on this crate has it for its global allocator.
//!
//! The functions at the crate's root count what the calling thread does, so that tests
//! of one program may run side by side. Those of [`every_thread`] count the whole process,
//! for tests of an ORB with threads of its own: one such test in a program. They leave out
//! the program's first thread, where the test harness keeps its books while the tests run
//! on threads of their own.

#![allow(unsafe_code, reason = "a global allocator is unsafe to implement")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicIsize, AtomicU64, AtomicUsize, Ordering};

/// Returns the most octets that the calling thread had allocated at once while `body` ran,
/// beyond those it had before.
pub fn peak(body: impl FnOnce()) -> usize {
    let before = live();
    THREAD.with(|thread| thread.peak.set(before));
    body();
    let peak = THREAD.with(|thread| thread.peak.get());
    usize::try_from(peak - before).unwrap_or(0)
}

/// Returns the octets that the calling thread has allocated, less those that it has freed,
/// whichever thread they were of. May be negative.
pub fn live() -> isize {
    THREAD.with(|thread| thread.live.get())
}

/// Returns how often the calling thread allocates during `calls` calls that follow as many:
/// the cost of calls once everything is there that they keep.
pub fn in_steady_state(calls: u64, call: impl FnMut()) -> u64 {
    increase(calls, call, || {
        THREAD.with(|thread| thread.allocations.get())
    })
}

/// Counts of all threads but the harness's.
pub mod every_thread {
    use super::{ALLOCATIONS, LIVE, Ordering, PEAK, count_calling_thread, increase};

    /// Returns the most octets that all threads together had allocated at once while `body`
    /// ran, beyond those they had before.
    pub fn peak(body: impl FnOnce()) -> usize {
        let before = live();
        PEAK.store(before, Ordering::Relaxed);
        body();
        let peak = PEAK.load(Ordering::Relaxed);
        usize::try_from(peak - before).unwrap_or(0)
    }

    /// Returns the octets that are allocated at this moment. Memory that the harness
    /// allocated and another thread frees makes it less, even negative.
    pub fn live() -> isize {
        count_calling_thread();
        LIVE.load(Ordering::Relaxed)
    }

    /// Returns how often all threads together allocate during `calls` calls that follow as
    /// many.
    pub fn in_steady_state(calls: u64, call: impl FnMut()) -> u64 {
        count_calling_thread();
        increase(calls, call, || ALLOCATIONS.load(Ordering::SeqCst))
    }
}

/// Returns by how much a count grows in the second of two rounds of calls.
fn increase(calls: u64, mut call: impl FnMut(), count: impl Fn() -> u64) -> u64 {
    (0..calls).for_each(|_| call());
    let before = count();
    (0..calls).for_each(|_| call());
    count() - before
}

/// The counts of one thread.
struct Thread {
    live: Cell<isize>,
    peak: Cell<isize>,
    allocations: Cell<u64>,
}

thread_local! {
    // Without a destructor, so that a thread may allocate until its very end.
    static THREAD: Thread = const {
        Thread { live: Cell::new(0), peak: Cell::new(0), allocations: Cell::new(0) }
    };
}

/// The address of the harness's [`THREAD`], which is there as long as the program: that of
/// the thread that allocates first. Later [`NO_HARNESS`] if tests run on it.
static HARNESS: AtomicUsize = AtomicUsize::new(UNKNOWN);
const UNKNOWN: usize = 0;
const NO_HARNESS: usize = 1;

static LIVE: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

/// Counts the first thread, too, if it is the calling one: then a test runs on it.
fn count_calling_thread() {
    if is_harness() {
        HARNESS.store(NO_HARNESS, Ordering::Relaxed);
    }
}

/// Tells whether the calling thread is the harness's.
fn is_harness() -> bool {
    let own = THREAD.with(|thread| ptr::from_ref(thread).addr());
    let known = HARNESS.load(Ordering::Relaxed);
    if known == UNKNOWN {
        HARNESS.store(own, Ordering::Relaxed);
        return true;
    }
    known == own
}

/// Notes that memory of this size was allocated. The memory that it replaces, for it grows,
/// is freed at the same moment: the system moves large memory page by page, so that old and
/// new are never there together.
fn note_allocated(size: usize, replaces: usize) {
    let more = size.cast_signed() - replaces.cast_signed();
    THREAD.with(|thread| {
        let live = thread.live.get() + more;
        thread.live.set(live);
        thread.peak.set(thread.peak.get().max(live));
        thread.allocations.set(thread.allocations.get() + 1);
    });
    if !is_harness() {
        let live = LIVE.fetch_add(more, Ordering::Relaxed) + more;
        PEAK.fetch_max(live, Ordering::Relaxed);
        ALLOCATIONS.fetch_add(1, Ordering::SeqCst);
    }
}

/// Notes that memory of this size was freed.
fn note_freed(size: usize) {
    let less = size.cast_signed();
    THREAD.with(|thread| thread.live.set(thread.live.get() - less));
    if !is_harness() {
        LIVE.fetch_sub(less, Ordering::Relaxed);
    }
}

/// The system's allocator, with its work noted.
struct Counting;

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note_allocated(layout.size(), 0);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        note_freed(layout.size());
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note_allocated(size, layout.size());
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[cfg(test)]
mod tests {
    use std::hint::black_box;
    use std::thread;

    use super::{every_thread, in_steady_state, live, peak};

    /// One test, for the counts of every thread are the process's.
    #[test]
    fn own_counts_leave_other_threads_out_and_those_of_every_thread_do_not() {
        let allocate = |octets| drop(black_box(vec![1_u8; octets]));
        let elsewhere = |octets| {
            thread::scope(|scope| {
                scope.spawn(|| allocate(octets));
            });
        };
        assert_eq!(peak(|| allocate(1_000_000)), 1_000_000);
        assert!(peak(|| elsewhere(1_000_000)) < 100_000);
        assert!(every_thread::peak(|| allocate(1_000_000)) >= 1_000_000);
        assert!(every_thread::peak(|| elsewhere(1_000_000)) >= 1_000_000);

        assert_eq!(in_steady_state(10, || allocate(8)), 10);
        assert!(every_thread::in_steady_state(10, || elsewhere(8)) >= 10);

        let before = (live(), every_thread::live());
        let kept = black_box(vec![1_u8; 1_000]);
        assert_eq!(live() - before.0, 1_000);
        assert!(every_thread::live() - before.1 >= 1_000);
        // Memory may be freed by another thread than allocated it.
        thread::spawn(move || drop(kept)).join().unwrap_or(());
        assert!(live() - before.0 >= 1_000);
        assert!(every_thread::live() - before.1 < 1_000);
    }
}
