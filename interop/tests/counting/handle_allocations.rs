//! Calls by handle allocate nothing in steady state, on either side, and neither do
//! forged handles on the server: they cost no more than good ones.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "../it/handles/tap.rs"]
#[allow(dead_code, reason = "the other test uses the rest")]
mod tap;

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};

use counting_allocator::every_thread::in_steady_state;
use taut::{CollocationStrategy, Orb, OrbBuilder, Reference as _, Version};
use taut_giop::component::tag;
use taut_giop::operation_handle::OperationHandles;
use test_tools::in_own_process;

taut::include_idl!("handle_test_perfect_hash");

use handle_test::{Counter, CounterRef, CounterSkeleton};

/// Calls in one round.
const CALLS: u64 = 500;

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
            settings.wire.operation_handles = true;
            settings.client.collocation = CollocationStrategy::Off;
            // No reactor that stands by, which allocates, when the machine is busy.
            settings.server.max_requests_per_connection = 1;
        })
        .listen("127.0.0.1:0")
        .and_then(OrbBuilder::build)
        .unwrap()
}

#[test]
fn neither_good_nor_forged_handles_allocate() {
    in_own_process(neither_good_nor_forged_handles_allocate, count_by_handle);
}

fn count_by_handle() {
    let (server, client) = (orb(), orb());
    let poa = server.root_poa().unwrap();
    poa.manager().activate().unwrap();
    let served = poa.activate(CounterSkeleton::new(Ledger)).unwrap();
    let url = server.object_to_string(served.as_object());
    let counter: CounterRef = client.string_to_object(&url).unwrap().unchecked_narrow();
    let calls = in_steady_state(CALLS, || {
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
        let spent = in_steady_state(CALLS, || {
            stream.write_all(&request).unwrap();
            assert!(stream.read(&mut reply).unwrap() > 0);
        });
        assert_eq!(spent, 0, "{key:?}");
    }
}
