//! How often this process allocates memory on the heap, and how much it has.

#![allow(unsafe_code, reason = "a global allocator is unsafe to implement")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicU64, Ordering};

/// Calls `body`, and returns its result and how often all threads allocated meanwhile;
/// memory that grows has been allocated once more.
pub(crate) fn count<T>(body: impl FnOnce() -> T) -> (T, u64) {
    let before = COUNTED.load(Ordering::Relaxed);
    COUNTING.store(true, Ordering::Relaxed);
    let result = body();
    COUNTING.store(false, Ordering::Relaxed);
    (result, COUNTED.load(Ordering::Relaxed) - before)
}

/// Adds up what is allocated and freed from here on.
pub(crate) fn watch() {
    WATCHING.store(true, Ordering::Relaxed);
}

/// The octets that have been allocated and not freed since [`watch`]; less than none
/// when more was freed of what was there before.
pub(crate) fn live() -> isize {
    LIVE.load(Ordering::Relaxed)
}

/// Whether allocations are counted, and whether their octets are added up. Otherwise
/// one costs a glance at these more than it would with the system's allocator alone:
/// calls are not timed and counted at once.
static COUNTING: AtomicBool = AtomicBool::new(false);
static WATCHING: AtomicBool = AtomicBool::new(false);

static COUNTED: AtomicU64 = AtomicU64::new(0);
static LIVE: AtomicIsize = AtomicIsize::new(0);

struct Counting;

impl Counting {
    fn note(size: usize) {
        if COUNTING.load(Ordering::Relaxed) {
            COUNTED.fetch_add(1, Ordering::Relaxed);
        }
        if WATCHING.load(Ordering::Relaxed) {
            LIVE.fetch_add(size.cast_signed(), Ordering::Relaxed);
        }
    }

    fn note_freed(size: usize) {
        if WATCHING.load(Ordering::Relaxed) {
            LIVE.fetch_sub(size.cast_signed(), Ordering::Relaxed);
        }
    }
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::note(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::note(layout.size());
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        Self::note_freed(layout.size());
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        Self::note_freed(layout.size());
        Self::note(size);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;
