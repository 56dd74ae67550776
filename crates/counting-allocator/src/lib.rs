//! An allocator that counts, for tests and benchmarks of what is promised about
//! memory. Whoever uses this crate has it for the global allocator.
//!
//! The counts are of the whole process: one such test per file.

#![allow(unsafe_code, reason = "a global allocator is unsafe to implement")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// The most that `body` had allocated at once, in octets.
pub fn peak(body: impl FnOnce()) -> usize {
    let before = CURRENT.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    body();
    PEAK.load(Ordering::Relaxed).saturating_sub(before)
}

/// What is allocated at this moment, in octets.
pub fn live() -> usize {
    CURRENT.load(Ordering::Relaxed)
}

/// How often the process allocates during so many calls that follow as many: what
/// calls cost once all is there that they keep.
pub fn in_steady_state(calls: u64, mut call: impl FnMut()) -> u64 {
    (0..calls).for_each(|_| call());
    let before = ALLOCATIONS.load(Ordering::SeqCst);
    (0..calls).for_each(|_| call());
    ALLOCATIONS.load(Ordering::SeqCst) - before
}

/// Counts what is allocated and not yet freed, its maximum, and how often that is
/// done.
struct Counting;

static CURRENT: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
/// What grows is allocated anew.
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let current = CURRENT.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(current, Ordering::Relaxed);
        ALLOCATIONS.fetch_add(1, Ordering::SeqCst);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        CURRENT.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(memory, layout) }
    }

    // What grows counts once: the system moves large memory page by page, so
    // that old and new are never there together.
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let current = CURRENT.fetch_add(size, Ordering::Relaxed) + size;
        CURRENT.fetch_sub(layout.size(), Ordering::Relaxed);
        PEAK.fetch_max(current - layout.size(), Ordering::Relaxed);
        ALLOCATIONS.fetch_add(1, Ordering::SeqCst);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;
