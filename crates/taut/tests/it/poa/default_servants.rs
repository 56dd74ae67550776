//! Default servants: one for all objects that have none of their own.

use std::sync::Arc;
use std::thread;

use taut::{
    Current, IdAssignmentPolicy, IdUniquenessPolicy, Poa, PoaError, Policy, Reference,
    RequestProcessingPolicy, ServantRetentionPolicy, SystemExceptionKind,
};

use crate::common::eventually;
use crate::poa::house::{
    ECHO, House, Probe, call, named, omg, probe, shared, skeleton, staying, who,
};

const POLICIES: [Policy; 4] = [
    Policy::IdUniqueness(IdUniquenessPolicy::MultipleId),
    Policy::IdAssignment(IdAssignmentPolicy::UserId),
    Policy::RequestProcessing(RequestProcessingPolicy::UseDefaultServant),
    Policy::ServantRetention(ServantRetentionPolicy::Retain),
];

fn object(poa: &Poa, id: &str) -> taut::ObjectRef {
    poa.create_reference_with_id(&id.into(), ECHO).unwrap()
}

/// A servant that asks the POA who it is.
fn inquirer() -> Arc<Probe> {
    Arc::new_cyclic(|own: &std::sync::Weak<Probe>| {
        let own = own.clone();
        Probe::new(move |_| {
            let own = own.upgrade().unwrap();
            let poa = Current::poa()?;
            let id = Current::object_id()?;
            assert_eq!(Current::servant()?.identity(), shared(&own).identity());
            assert_eq!(poa.servant_to_id(skeleton(&own))?, id);
            let reference = poa.servant_to_reference(skeleton(&own))?;
            assert_eq!(poa.reference_to_id(reference.as_object())?, id);
            assert_eq!(reference.as_object(), &Current::reference()?);
            // To another POA it is nobody, and another servant is nobody here.
            let other = poa.servant_to_id(skeleton(&named("other")));
            assert_eq!(other, Err(PoaError::ServantNotActive));
            Ok(id.to_string())
        })
    })
}

#[test]
fn a_default_servant_is_whoever_is_called() {
    let house = House::new();
    for retention in [
        ServantRetentionPolicy::Retain,
        ServantRetentionPolicy::NonRetain,
    ] {
        let mut policies = POLICIES;
        policies[3] = retention.into();
        let poa = house.child("default", &policies);
        let servant = inquirer();
        poa.set_servant(skeleton(&servant)).unwrap();
        for id in ["ada", "bob", "", "a long name that is kept elsewhere"] {
            assert_eq!(who(&object(&poa, id)), id);
        }
        // Outside of a request it is nobody.
        let idle = poa.servant_to_id(skeleton(&servant));
        assert_eq!(idle, Err(PoaError::ServantNotActive));
        poa.destroy(true, true).unwrap();
        eventually("the end", || Arc::strong_count(&servant) == 1);
    }
}

#[test]
fn active_objects_come_before_the_default_servant() {
    let house = House::new();
    let poa = house.child("default", &POLICIES);
    poa.set_servant(skeleton(&named("default"))).unwrap();
    poa.activate_object_with_id(&"ada".into(), skeleton(&named("ada")))
        .unwrap();
    assert_eq!(who(&object(&poa, "ada")), "ada");
    assert_eq!(who(&object(&poa, "bob")), "default");
    poa.deactivate_object(&"ada".into()).unwrap();
    assert_eq!(who(&object(&poa, "ada")), "default");
    let inactive = poa.deactivate_object(&"bob".into());
    assert_eq!(inactive, Err(PoaError::ObjectNotActive));
}

#[test]
fn requests_that_run_keep_the_default_servant_that_they_have() {
    let house = House::new();
    let poa = house.child("default", &POLICIES);
    let (servant, entered, release) = staying();
    let object = object(&poa, "ada");
    assert_eq!(
        call(&object, ""),
        Err(omg(SystemExceptionKind::ObjAdapter, 3))
    );
    poa.set_servant(skeleton(&servant)).unwrap();
    thread::scope(|scope| {
        let running = scope.spawn(|| call(&object, "stay"));
        entered.recv().unwrap();
        poa.set_servant(skeleton(&named("new"))).unwrap();
        assert_eq!(who(&object), "new");
        assert_eq!(Arc::strong_count(&servant), 2);
        release.send(()).unwrap();
        assert_eq!(running.join().unwrap().as_deref(), Ok("stay"));
    });
    eventually("the end", || Arc::strong_count(&servant) == 1);
}

#[test]
fn a_servant_may_be_both_the_default_and_an_objects_own() {
    let house = House::new();
    let poa = house.child("default", &POLICIES);
    let servant = probe(|_| Ok(Current::object_id()?.to_string()));
    poa.set_servant(skeleton(&servant)).unwrap();
    poa.activate_object_with_id(&"ada".into(), skeleton(&servant))
        .unwrap();
    for id in ["ada", "bob"] {
        assert_eq!(who(&object(&poa, id)), id);
    }
}
