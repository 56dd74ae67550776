//! Plain keys beside those of POAs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use taut::{IdAssignmentPolicy, LifespanPolicy, Located, Policy, Reference};

use crate::common::{self, Echo};
use crate::poa::house::{ECHO, House, UNKNOWN_OBJECT, abroad, call, ends, named, skeleton, who};

const POLICIES: [Policy; 2] = [
    Policy::Lifespan(LifespanPolicy::Persistent),
    Policy::IdAssignment(IdAssignmentPolicy::UserId),
];

#[test]
fn a_plain_key_leads_to_an_object_of_any_poa() {
    let house = House::new();
    let poa = house.child("bank", &POLICIES);
    let object = poa.create_reference_with_id(&"ada".into(), ECHO).unwrap();
    house.orb.bind_object_key("Ada", &object);
    let client = common::client(&house.orb.corbaloc("Ada").unwrap());
    assert!(client.echo("").is_err());
    poa.activate_with_id(&"ada".into(), skeleton(&named("ada")))
        .unwrap();
    assert_eq!(client.echo("").unwrap(), "ada");
    house.orb.unbind_object_key("Ada");
    let client = common::client(&house.orb.corbaloc("Ada").unwrap());
    assert!(client.echo("").is_err());
}

#[test]
fn a_locator_is_asked_for_what_no_poa_has() {
    let (house, elsewhere) = (House::new(), House::new());
    let here = house.child("bank", &POLICIES);
    let there = elsewhere.child("bank", &POLICIES);
    there
        .activate_with_id(&"ada".into(), skeleton(&named("there")))
        .unwrap();
    let moved = here.create_reference_with_id(&"ada".into(), ECHO).unwrap();
    let target = there.id_to_reference(&"ada".into()).unwrap();
    house
        .orb
        .set_object_key_locator(move |_| Some(target.clone()));
    // The POA is there and knows its objects.
    assert_eq!(call(&moved, ""), Err(UNKNOWN_OBJECT));
    here.activate_with_id(&"ada".into(), skeleton(&named("here")))
        .unwrap();
    assert_eq!(who(&moved), "here");
    here.destroy(true, true).unwrap();
    assert_eq!(who(&moved), "there");
    assert_eq!(abroad(&moved).as_object().locate().unwrap(), Located::Here);
}

/// A locator that panicked while an object was located took the connection with it.
#[test]
fn a_locator_that_panics_costs_its_caller_an_exception() {
    let house = House::new();
    let object = house.root.activate(skeleton(&named("here"))).unwrap();
    house
        .orb
        .set_object_key_locator(|_| panic!("the locator was asked to panic"));
    let client = common::client(&house.orb.corbaloc("Nobody").unwrap());
    for _ in 0..3 {
        let refusal = client.ping().unwrap_err();
        assert_eq!(refusal.kind, taut::SystemExceptionKind::Unknown);
        let refusal = client.as_object().locate().unwrap_err();
        assert_eq!(refusal.kind, taut::SystemExceptionKind::Unknown);
    }
    assert_eq!(who(object.as_object()), "here");
}

/// A locator was asked under the lock of the process's adapters. One that called an object while
/// another ORB began or ended hung, and with it all ORBs of the process.
#[test]
fn orbs_begin_and_end_while_a_locator_is_asked() {
    let house = House::new();
    let object = house.root.activate(skeleton(&named("here"))).unwrap();
    let target = object.as_object().clone();
    let (asked, ended) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let counts = (Arc::clone(&asked), Arc::clone(&ended));
    house.orb.set_object_key_locator(move |_| {
        counts.0.fetch_add(1, Ordering::SeqCst);
        ends("another ORB", || drop(House::new()));
        counts.1.fetch_add(1, Ordering::SeqCst);
        Some(target.clone())
    });
    let url = house.orb.corbaloc("Ada").unwrap();
    let client = house.orb.string_to_object(&url).unwrap();
    assert_eq!(who(&client), "here");
    let [asked, ended] = [asked, ended].map(|count| count.load(Ordering::SeqCst));
    assert!(asked > 0 && asked == ended, "{asked} begun, {ended} ended");
}
