//! How often this process allocates memory on the heap.

#![allow(unsafe_code, reason = "a global allocator is unsafe to implement")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What `body` returns, and how often all threads allocated meanwhile; memory
/// that grows has been allocated once more.
pub(crate) fn count<T>(body: impl FnOnce() -> T) -> (T, u64) {
    let before = COUNTED.load(Ordering::Relaxed);
    COUNTING.store(true, Ordering::Relaxed);
    let result = body();
    COUNTING.store(false, Ordering::Relaxed);
    (result, COUNTED.load(Ordering::Relaxed) - before)
}

/// Whether allocations are counted. Otherwise one costs a glance at this more
/// than it would with the system's allocator alone: calls are not timed and
/// counted at once.
static COUNTING: AtomicBool = AtomicBool::new(false);

static COUNTED: AtomicU64 = AtomicU64::new(0);

struct Counting;

impl Counting {
    fn note() {
        if COUNTING.load(Ordering::Relaxed) {
            COUNTED.fetch_add(1, Ordering::Relaxed);
        }
    }
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::note();
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::note();
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        Self::note();
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;
