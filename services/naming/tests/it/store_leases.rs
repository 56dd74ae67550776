//! The part of the conformance suite of stores that has to do with leases.

use std::thread;
use std::time::{Duration, Instant};

use taut_naming::store::{
    Answer, Bound, Change, ContextId, Done, Lease, LeaseId, Refusal, StoreLimits, Why,
};

use crate::store::{Tested, not_found, object, path};

/// The shortest time for which every store grants leases.
const SECONDS: u32 = 2;

impl Tested {
    fn grant(&self, seconds: u32) -> Lease {
        match self.change(Change::GrantLease { seconds }) {
            Ok(Done::Granted(lease)) => lease,
            answer => panic!("{answer:?}"),
        }
    }

    fn bind_upon(&self, lease: LeaseId, name: &str, bound: Bound) -> Answer {
        self.change(Change::Bind {
            start: ContextId::ROOT,
            path: path(name),
            bound,
            replaces: true,
            lease: Some(lease),
        })
    }

    /// Waits until a name is gone. When that is no test asks: a machine may be busy.
    fn wait_until_gone(&self, name: &str) {
        let started = Instant::now();
        while self.resolve(name).is_ok() {
            assert!(started.elapsed() < Duration::from_secs(60), "{name} stays");
            thread::sleep(Duration::from_millis(50));
        }
    }
}

pub(crate) fn a_lease_ends_and_its_names_with_it(tested: &Tested) {
    let lease = tested.grant(SECONDS);
    assert!(lease.seconds >= SECONDS);
    tested.context("room");
    for name in ["a", "room/b"] {
        assert_eq!(
            tested.bind_upon(lease.id, name, object("1")),
            Ok(Done::Plain)
        );
        assert_eq!(tested.resolve(name), Ok(object("1")));
    }
    tested.bind("c", object("2")).unwrap();
    tested.wait_until_gone("a");
    tested.wait_until_gone("room/b");
    assert_eq!(tested.resolve("c"), Ok(object("2")));
    assert_eq!(tested.totals().bindings, 2);
    assert_eq!(tested.store.renew_lease(lease.id), Ok(None));
    let bound = tested.bind_upon(lease.id, "a", object("1"));
    assert_eq!(bound, Err(Refusal::NoSuchLease));

    // One that its owner ends is gone at once.
    let lease = tested.grant(1000);
    tested.bind_upon(lease.id, "d", object("1")).unwrap();
    let end = || tested.change(Change::EndLease { lease: lease.id });
    assert_eq!(end(), Ok(Done::Plain));
    assert_eq!(tested.resolve("d"), Err(not_found(Why::MissingNode, 0)));
    assert_eq!(end(), Err(Refusal::NoSuchLease));
    let limits = StoreLimits {
        max_leases: 0,
        ..tested.limits
    };
    let refused = tested
        .store
        .change(Change::GrantLease { seconds: SECONDS }, limits);
    assert_eq!(refused, Ok(Err(Refusal::TooManyLeases)));
}

pub(crate) fn a_lease_that_is_renewed_goes_on(tested: &Tested) {
    // Long enough for a machine on which the renewals come late.
    const LONG: u32 = 6;
    let lease = tested.grant(LONG);
    tested.bind_upon(lease.id, "a", object("1")).unwrap();
    let other = tested.grant(SECONDS);
    tested.bind_upon(other.id, "b", object("1")).unwrap();
    // In all, longer than the time of either.
    for _ in 0..5 {
        thread::sleep(Duration::from_millis(1500));
        let renewed = tested.store.renew_lease(lease.id).unwrap();
        assert_eq!(renewed, Some(lease));
        assert_eq!(tested.resolve("a"), Ok(object("1")));
    }
    tested.wait_until_gone("b");
}

pub(crate) fn a_name_that_is_bound_anew_is_parted_from_its_lease(tested: &Tested) {
    let lease = tested.grant(1000);
    for name in ["a", "b", "c"] {
        tested.bind_upon(lease.id, name, object("1")).unwrap();
    }
    tested.rebind("a", object("2")).unwrap();
    tested.unbind("b").unwrap();
    tested.bind("b", object("2")).unwrap();
    tested.change(Change::EndLease { lease: lease.id }).unwrap();
    assert_eq!(tested.resolve("a"), Ok(object("2")));
    assert_eq!(tested.resolve("b"), Ok(object("2")));
    assert_eq!(tested.resolve("c"), Err(not_found(Why::MissingNode, 0)));
    assert_eq!(tested.totals().bindings, 2);
}
