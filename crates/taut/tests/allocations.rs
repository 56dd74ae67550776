//! Design invariant: no heap allocation per call in steady state, on either
//! side, for calls whose arguments and results need no memory of their own.

#![allow(unsafe_code, reason = "a global allocator is unsafe to implement")]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use common::{Echo, Server};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is handed to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::SeqCst);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::SeqCst);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of the whole process, client and server, during `calls`, which
/// have been carried out once before.
fn allocations(calls: impl Fn()) -> u64 {
    calls();
    let before = ALLOCATIONS.load(Ordering::SeqCst);
    calls();
    ALLOCATIONS.load(Ordering::SeqCst) - before
}

/// One test, for a second one in parallel would be counted too.
#[test]
fn calls_do_not_allocate() {
    let builder = taut::Orb::builder().listen("127.0.0.1:0").unwrap();
    // No reactor that stands by, which allocates, when the machine is so busy
    // that a servant seems to keep its thread.
    #[cfg(feature = "reactor")]
    let builder = builder.settings(|settings| settings.max_requests_per_connection = 1);
    count(&Server::start_with(builder), 0);
    #[cfg(feature = "reactor")]
    count_with_reactor();
}

#[cfg(feature = "reactor")]
fn count_with_reactor() {
    let builder = taut::Orb::builder().listen("127.0.0.1:0").unwrap();
    let builder = builder.settings(|settings| {
        settings.connection_threads = 0;
        settings.reactor_threads = 2;
        // Not one more, which allocates, when the machine is so busy that none
        // of them gets on.
        settings.max_reactor_threads = 2;
        settings.max_requests_per_connection = 1;
    });
    // When a flood of oneways is cut in the middle of a message, a buffer goes
    // from one thread's pool to another's, until both have what they may keep.
    count(&Server::start_with(builder), 16);
}

fn count(server: &Server, pool_growth: u64) {
    let echo = server.client();
    let text = "x".repeat(1_000);

    let void = allocations(|| (0..1_000).for_each(|_| echo.ping().unwrap()));
    assert_eq!(void, 0, "1,000 calls without arguments");

    // The servant borrows the text from the message.
    let oneway = allocations(|| {
        (0..1_000).for_each(|_| echo.note(&text).unwrap());
        assert!(echo.notes().unwrap() > 0);
    });
    assert!(
        oneway <= pool_growth,
        "{oneway} for 1,000 oneway calls with a string"
    );

    // The counter counts: two strings are owned, the servant's result and ours.
    let owned = allocations(|| {
        (0..1_000).for_each(|_| assert_eq!(echo.echo(&text).unwrap().len(), text.len()));
    });
    assert_eq!(owned, 2_000, "1,000 calls that return a string");
}
