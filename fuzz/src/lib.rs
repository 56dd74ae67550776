//! The allocator of all targets: an allocator that knows how much memory is in use.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The bytes of memory that any IDL may claim, however small it is: tables of
/// the compiler, what a few thousand tokens of macros become, 100 diagnostics.
pub const IDL_BASE: usize = 8 << 20;

/// The bytes of memory that IDL may claim for each of its bytes, beyond
/// [`IDL_BASE`].
pub const IDL_FACTOR: usize = 64;

/// The bytes of memory that reading a message or a part of one may claim,
/// however small it is.
pub const MESSAGE_BASE: usize = 64 << 10;

/// The bytes of memory that reading a message or a part of one may claim for
/// each of its bytes, beyond [`MESSAGE_BASE`].
pub const MESSAGE_FACTOR: usize = 4;

/// Counts the bytes in use and the most that were in use at once. A target
/// makes it its global allocator.
#[derive(Debug, Default)]
pub struct Meter {
    used: AtomicUsize,
    most: AtomicUsize,
}

impl Meter {
    /// A meter at zero.
    pub const fn new() -> Self {
        Self {
            used: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
        }
    }

    /// The most bytes that were in use at once while something ran, beyond
    /// those in use before.
    pub fn most_during(&self, run: impl FnOnce()) -> usize {
        let before = self.used.load(Ordering::Relaxed);
        self.most.store(before, Ordering::Relaxed);
        run();
        self.most.load(Ordering::Relaxed).saturating_sub(before)
    }

    /// Reads `input`; no more memory may be claimed for the result than its size allows.
    ///
    /// # Panics
    ///
    /// When it was more.
    pub fn reading<'i, T>(&self, input: &'i [u8], read: impl FnOnce(&'i [u8]) -> T) -> T {
        let mut outcome = None;
        let memory = self.most_during(|| outcome = Some(read(input)));
        assert!(
            memory <= MESSAGE_BASE + MESSAGE_FACTOR * input.len(),
            "{memory} bytes of memory for {} bytes",
            input.len()
        );
        outcome.expect("was just read")
    }

    fn add(&self, bytes: usize) {
        let used = self.used.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.most.fetch_max(used, Ordering::Relaxed);
    }

    fn remove(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}

// SAFETY: every call is handed to the system's allocator as it came. The `realloc` that
// `GlobalAlloc` provides takes the new memory before it frees the old, which counts the
// most that growing can need.
unsafe impl GlobalAlloc for Meter {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.add(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        self.remove(layout.size());
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}
