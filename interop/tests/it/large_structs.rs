//! Large sequences of structs that servants return: sent from where they lie, but for the
//! first, and the same for whoever gets them, in whatever way.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::thread;

use bulk::{Sample, Store, StoreRef, StoreSkeleton};
use taut::{ByteOrder, Orb, Reference, Settings, Version};
use taut_interop::over_the_wire;

taut::include_idl!("bulk_test");

struct Servant;

impl Store for Servant {
    fn put(&self, _: &[i32]) -> taut::Result<()> {
        Ok(())
    }

    fn get(&self, count: u32) -> taut::Result<Vec<i32>> {
        Ok((0..).take(count as usize).collect())
    }

    fn get_samples(&self, count: u32) -> taut::Result<Vec<Sample>> {
        Ok(samples(count))
    }
}

fn samples(count: u32) -> Vec<Sample> {
    let sample = |number: u32| Sample {
        id: number as u16,
        value: f64::from(number) / 3.0,
    };
    (0..count).map(sample).collect()
}

/// Nothing, what is copied, what is just sent from where it lies, and more than a socket has
/// room for.
const COUNTS: [u32; 8] = [0, 1, 2, 2_047, 2_048, 2_048, 2_049, 200_000];

fn check(what: &str, adjust: impl Fn(&mut Settings), calls: impl Fn(&StoreRef)) {
    let orb = || over_the_wire().settings(&adjust);
    let server = orb().listen("127.0.0.1:0").unwrap().build().unwrap();
    let poa = server.root_poa().unwrap();
    poa.manager().activate().unwrap();
    let store = poa.activate(StoreSkeleton::new(Servant)).unwrap();
    let url = store.into_object().to_string();
    let client: Orb = orb().build().unwrap();
    let store: StoreRef = client.string_to_object(&url).unwrap().unchecked_narrow();
    println!("{what}");
    calls(&store);
    client.shutdown(true).unwrap();
    server.shutdown(true).unwrap();
}

fn call(store: &StoreRef) {
    for count in COUNTS {
        let back = store.get_samples(count).unwrap();
        assert!(back == samples(count), "{count} samples");
    }
}

#[test]
fn they_arrive_in_all_versions_and_byte_orders() {
    for version in [Version::V1_0, Version::V1_1, Version::V1_2] {
        for order in [ByteOrder::Little, ByteOrder::Big] {
            let adjust = |settings: &mut Settings| {
                settings.wire.giop_version = version;
                settings.wire.byte_order = order;
            };
            check(&format!("{version:?}, {order:?}"), adjust, call);
        }
    }
}

#[test]
fn they_arrive_in_fragments() {
    for size in [1_000, 16_384, 100_000] {
        let adjust = |settings: &mut Settings| settings.wire.fragment_size = size;
        check(&format!("fragments of {size}"), adjust, call);
    }
}

#[test]
fn they_arrive_where_threads_share_a_connection_and_servers_have_none_to_spare() {
    let adjust = |settings: &mut Settings| {
        settings.client.max_connections_per_endpoint = 1;
        settings.server.connection_threads = 0;
    };
    check("one of each", adjust, |store| {
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| call(store));
            }
        });
    });
}
