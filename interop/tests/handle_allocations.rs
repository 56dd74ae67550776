//! Calls by handle allocate nothing in steady state, on either side, and neither do
//! forged handles on the server: they cost no more than good ones.

#![allow(unsafe_code, reason = "a global allocator is unsafe to implement")]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "handles/tap.rs"]
#[allow(dead_code, reason = "the other test uses the rest")]
mod tap;

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};

use taut::{CollocationStrategy, Orb, OrbBuilder, Reference as _, Version};
use taut_giop::component::tag;
use taut_giop::operation_handle::OperationHandles;

taut::include_idl!("handle_test_perfect_hash");

use handle_test::{Counter, CounterRef, CounterSkeleton};

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
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of the whole process during a round of calls that follows another.
fn allocations(mut call: impl FnMut()) -> u64 {
    (0..500).for_each(|_| call());
    let before = ALLOCATIONS.load(Ordering::SeqCst);
    (0..500).for_each(|_| call());
    ALLOCATIONS.load(Ordering::SeqCst) - before
}

struct Ledger;

impl Counter for Ledger {
    fn reset(&self) -> taut::Result<()> {
        Ok(())
    }

    fn add(&self, a: i32, b: i32) -> taut::Result<i32> {
        Ok(a + b)
    }
}

fn orb() -> Orb {
    Orb::builder()
        .settings(|settings| {
            settings.operation_handles = true;
            settings.collocation = CollocationStrategy::Off;
            // No reactor that stands by, which allocates, when the machine is busy.
            settings.max_requests_per_connection = 1;
        })
        .listen("127.0.0.1:0")
        .and_then(OrbBuilder::build)
        .unwrap()
}

/// One test, for a second one in parallel would be counted too.
#[test]
fn neither_good_nor_forged_handles_allocate() {
    let (server, client) = (orb(), orb());
    let poa = server.root_poa().unwrap();
    poa.manager().activate().unwrap();
    let served = poa.activate(CounterSkeleton::new(Ledger)).unwrap();
    let url = server.object_to_string(served.as_object());
    let counter: CounterRef = client.string_to_object(&url).unwrap().unchecked_narrow();
    let calls = allocations(|| {
        counter.reset().unwrap();
        assert_eq!(counter.add(1, 2).unwrap(), 3);
    });
    assert_eq!(calls, 0);

    let profile = tap::iiop(served.as_object().ior());
    let component = profile.component(tag::OPERATION_HANDLES).unwrap();
    let handles = OperationHandles::from_component(component)
        .unwrap()
        .unwrap();
    let good = [&handles.key[..], &[0; 4]].concat();
    let forged = |at: usize| {
        let mut key = good.clone();
        key[at] ^= 1;
        key
    };
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, profile.port)).unwrap();
    // Good; of another incarnation, object, interface; of no operation.
    for key in [good.clone(), forged(4), forged(31), forged(36), forged(44)] {
        let request = tap::request(Version::V1_2, &key, b"");
        let mut reply = [0; 256];
        let spent = allocations(|| {
            stream.write_all(&request).unwrap();
            assert!(stream.read(&mut reply).unwrap() > 0);
        });
        assert_eq!(spent, 0, "{key:?}");
    }
}
