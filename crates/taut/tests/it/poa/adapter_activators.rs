//! Adapter activators: POAs that are created when requests come for their objects.

use std::sync::Arc;
use std::thread;

use taut::{
    IdAssignmentPolicy, LifespanPolicy, ObjectRef, Poa, PoaError, Policy, Reference,
    SystemException, SystemExceptionKind,
};

use crate::common::eventually;
use crate::common::mode::{Mode, for_each_mode};
use crate::poa::house::{
    ACTIVATOR_REFUSED, DISCARDED, ECHO, House, NO_SUCH_POA, Stay, UNKNOWN_OBJECT, a_while, call,
    named, omg, refused, skeleton, who,
};
use crate::poa::keepers::{Diary, Founder};

for_each_mode! {
    [tcp, reactor] {
        a_poa_is_created_for_a_request_level_by_level,
        one_activator_at_a_time_is_asked_for_a_name_and_requests_wait_for_it,
        an_activator_that_does_not_create_the_poa_leaves_requests_without_one,
        a_poa_that_an_activator_makes_but_denies_is_there_all_the_same,
        activators_create_what_is_looked_for_too,
        an_activator_is_asked_as_the_parents_manager_has_it,
        transient_references_do_not_bring_poas_back,
        a_transient_poa_does_not_take_persistent_references,
        an_activator_goes_with_its_poa,
    }
}

const PERSISTENT: [Policy; 2] = [
    Policy::Lifespan(LifespanPolicy::Persistent),
    Policy::IdAssignment(IdAssignmentPolicy::UserId),
];

const ACTIVATOR_FAILED: SystemException = omg(SystemExceptionKind::ObjAdapter, 1);

/// A child with an object that is called as the child is.
fn found(parent: &Poa, name: &str) -> Result<bool, SystemException> {
    let child = parent.create_poa(name, Some(parent.manager()), &PERSISTENT)?;
    child.activate_with_id(&"x".into(), skeleton(&named(name)))?;
    Ok(true)
}

/// A reference to the object x of a POA that is not there any more.
fn orphan(house: &House, path: &[&str]) -> ObjectRef {
    let mut poa = house.root.clone();
    for name in path {
        let child = poa.create_poa(name, Some(house.root.manager()), &PERSISTENT);
        poa = child.unwrap();
    }
    let object = poa.create_reference_with_id(&"x".into(), ECHO).unwrap();
    house
        .root
        .find_poa(path[0], false)
        .unwrap()
        .destroy(true, true)
        .unwrap();
    object
}

fn a_poa_is_created_for_a_request_level_by_level(mode: Mode) {
    let house = House::in_mode(mode);
    let object = orphan(&house, &["one", "two", "three"]);
    assert_eq!(call(&object, ""), Err(NO_SUCH_POA));
    let diary = Diary::default();
    let notes = diary.clone();
    let founder = Founder::asking(&diary, move |parent, name| {
        let founded = found(parent, name);
        let child = parent.find_poa(name, true).unwrap();
        child
            .set_adapter_activator(Some(Founder::asking(&notes, found)))
            .unwrap();
        founded
    });
    house.root.set_adapter_activator(Some(founder)).unwrap();
    assert!(house.root.adapter_activator().is_some());
    // The second level's has no successor, so the third is missing.
    assert_eq!(call(&object, ""), Err(NO_SUCH_POA));
    let two = house
        .root
        .find_poa("one", false)
        .unwrap()
        .find_poa("two", false)
        .unwrap();
    two.set_adapter_activator(Some(Founder::asking(&diary, found)))
        .unwrap();
    assert_eq!(who(&object), "three");
    assert_eq!(who(&object), "three");
    assert_eq!(
        diary.read(),
        [
            "unknown_adapter RootPOA one",
            "unknown_adapter one two",
            "unknown_adapter two three",
        ]
    );
    house.root.set_adapter_activator(None).unwrap();
    assert!(house.root.adapter_activator().is_none());
}

fn one_activator_at_a_time_is_asked_for_a_name_and_requests_wait_for_it(mode: Mode) {
    let house = House::in_mode(mode);
    let object = orphan(&house, &["slow"]);
    let diary = Diary::default();
    let (stay, entered, release) = Stay::new();
    let founder = Founder::asking(&diary, move |parent, name| {
        let founded = found(parent, name);
        // It is there, but nobody may come in before this returns.
        stay.here();
        founded
    });
    house.root.set_adapter_activator(Some(founder)).unwrap();
    thread::scope(|scope| {
        let calls: Vec<_> = (0..16).map(|_| scope.spawn(|| who(&object))).collect();
        entered.recv().unwrap();
        let finds = scope.spawn(|| house.root.find_poa("slow", true));
        let finds_what_is_there = scope.spawn(|| house.root.find_poa("slow", false));
        a_while();
        assert!(calls.iter().all(|call| !call.is_finished()));
        assert!(!finds.is_finished() && !finds_what_is_there.is_finished());
        release.send(()).unwrap();
        for call in calls {
            assert_eq!(call.join().unwrap(), "slow");
        }
        assert_eq!(finds.join().unwrap().unwrap().name(), "slow");
        assert_eq!(finds_what_is_there.join().unwrap().unwrap().name(), "slow");
    });
    assert_eq!(diary.read(), ["unknown_adapter RootPOA slow"]);
}

fn an_activator_that_does_not_create_the_poa_leaves_requests_without_one(mode: Mode) {
    let house = House::in_mode(mode);
    let object = orphan(&house, &["none"]);
    let diary = Diary::default();
    type Answer = fn(&Poa, &str) -> Result<bool, SystemException>;
    let answers: [(Answer, SystemException, PoaError); 5] = [
        (
            |_, _| Ok(false),
            ACTIVATOR_REFUSED,
            PoaError::AdapterNonExistent,
        ),
        (
            |_, _| Ok(true),
            ACTIVATOR_REFUSED,
            PoaError::AdapterNonExistent,
        ),
        (
            |_, _| Err(omg(SystemExceptionKind::NoPermission, 5)),
            ACTIVATOR_FAILED,
            ACTIVATOR_FAILED.into(),
        ),
        (
            |_, _| panic!("the activator was asked to panic"),
            ACTIVATOR_FAILED,
            ACTIVATOR_FAILED.into(),
        ),
        (
            // It looks for what it is to create.
            |parent, name| {
                parent
                    .find_poa(name, true)
                    .map(|_| true)
                    .map_err(|_| UNKNOWN_OBJECT)
            },
            ACTIVATOR_FAILED,
            ACTIVATOR_FAILED.into(),
        ),
    ];
    for (answer, exception, error) in answers {
        house
            .root
            .set_adapter_activator(Some(Founder::asking(&diary, answer)))
            .unwrap();
        assert_eq!(call(&object, ""), Err(exception));
        assert_eq!(house.root.find_poa("none", true), Err(error));
        let missing = house.root.find_poa("none", false);
        assert_eq!(missing, Err(PoaError::AdapterNonExistent));
    }
    assert_eq!(diary.count("unknown_adapter RootPOA none"), 10);
}

fn a_poa_that_an_activator_makes_but_denies_is_there_all_the_same(mode: Mode) {
    let house = House::in_mode(mode);
    let object = orphan(&house, &["denied"]);
    let diary = Diary::default();
    let founder = Founder::asking(&diary, |parent, name| {
        found(parent, name)?;
        Ok(false)
    });
    house.root.set_adapter_activator(Some(founder)).unwrap();
    assert_eq!(call(&object, ""), Err(ACTIVATOR_REFUSED));
    assert_eq!(who(&object), "denied");
    assert_eq!(diary.read().len(), 1);
}

fn activators_create_what_is_looked_for_too(mode: Mode) {
    let house = House::in_mode(mode);
    let diary = Diary::default();
    house
        .root
        .set_adapter_activator(Some(Founder::asking(&diary, found)))
        .unwrap();
    let missing = house.root.find_poa("wanted", false);
    assert_eq!(missing, Err(PoaError::AdapterNonExistent));
    assert!(diary.read().is_empty());
    let wanted = house.root.find_poa("wanted", true).unwrap();
    assert_eq!(house.root.find_poa("wanted", true), Ok(wanted));
    assert_eq!(diary.read().len(), 1);
}

fn an_activator_is_asked_as_the_parents_manager_has_it(mode: Mode) {
    let house = House::in_mode(mode);
    let object = orphan(&house, &["parent", "child"]);
    let diary = Diary::default();
    let parent = house.root.create_poa("parent", None, &PERSISTENT).unwrap();
    parent
        .set_adapter_activator(Some(Founder::asking(&diary, found)))
        .unwrap();
    thread::scope(|scope| {
        let waits = scope.spawn(|| call(&object, ""));
        a_while();
        assert!(!waits.is_finished() && diary.read().is_empty());
        parent.manager().discard_requests(false).unwrap();
        assert_eq!(waits.join().unwrap(), Err(DISCARDED));
    });
    assert_eq!(call(&object, ""), Err(DISCARDED));
    assert!(diary.read().is_empty());
    parent.manager().activate().unwrap();
    assert_eq!(who(&object), "child");
    parent.manager().deactivate(true, true).unwrap();
    let inactive = omg(SystemExceptionKind::ObjectNotExist, 4);
    assert_eq!(call(&object, ""), Err(inactive));
}

fn transient_references_do_not_bring_poas_back(mode: Mode) {
    let house = House::in_mode(mode);
    let poa = house.child("short", &[]);
    let object = poa.activate(skeleton(&named("short"))).unwrap();
    poa.destroy(true, true).unwrap();
    let diary = Diary::default();
    house
        .root
        .set_adapter_activator(Some(Founder::asking(&diary, found)))
        .unwrap();
    assert_eq!(call(object.as_object(), ""), Err(NO_SUCH_POA));
    assert!(diary.read().is_empty());
}

fn a_transient_poa_does_not_take_persistent_references(mode: Mode) {
    let house = House::in_mode(mode);
    let object = orphan(&house, &["changed"]);
    let policies = [IdAssignmentPolicy::UserId.into()];
    let poa = house.child("changed", &policies);
    poa.activate_with_id(&"x".into(), skeleton(&named("transient")))
        .unwrap();
    assert_eq!(call(&object, ""), Err(NO_SUCH_POA));
    assert_eq!(poa.reference_to_id(&object), Err(PoaError::WrongAdapter));
}

fn an_activator_goes_with_its_poa(mode: Mode) {
    let house = House::in_mode(mode);
    let witness = Arc::new(());
    let poa = house.child("parent", &PERSISTENT);
    let held = Arc::clone(&witness);
    let founder = Founder::asking(&Diary::default(), move |_, _| {
        Ok(Arc::strong_count(&held) == 0)
    });
    poa.set_adapter_activator(Some(founder)).unwrap();
    assert_eq!(Arc::strong_count(&witness), 2);
    poa.destroy(true, true).unwrap();
    eventually("the end", || Arc::strong_count(&witness) == 1);
    let refusal = poa.create_poa("late", None, &[]);
    assert_eq!(refusal, refused(SystemExceptionKind::BadInvOrder, 17));
}
