//! References that outlive their POA and their server.

use taut::{
    IdAssignmentPolicy, LifespanPolicy, ObjectId, Orb, Poa, PoaError, Policy, Reference,
    RequestProcessingPolicy,
};

use crate::poa::house::{
    EARLIER_LIFE, ECHO, House, NO_SUCH_POA, OTHER_SERVER, UNKNOWN_OBJECT, abroad, call, named,
    probe, shared, skeleton, who,
};
use crate::poa::keepers::{Activator, Diary, Founder};

const PERSISTENT: Policy = Policy::Lifespan(LifespanPolicy::Persistent);
const USER_ID: Policy = Policy::IdAssignment(IdAssignmentPolicy::UserId);

/// A further life of a server at the same address.
fn next_life(house: House, server_id: &str) -> House {
    let port = house.orb.published_addresses()[0].port().unwrap();
    house.orb.shutdown(true).unwrap();
    drop(house);
    let server_id = server_id.to_owned();
    let builder = Orb::builder().listen(&format!("127.0.0.1:{port}")).unwrap();
    let builder = builder.settings(crate::common::adjust);
    let orb = builder
        .settings(|settings| settings.server.id = server_id)
        .build()
        .unwrap();
    let root = orb.root_poa().unwrap();
    root.manager().activate().unwrap();
    House { orb, root }
}

fn bank(house: &House, servant: &str) -> Poa {
    let branch = house.child("branch", &[PERSISTENT, USER_ID]);
    let manager = Some(branch.manager());
    let poa = branch
        .create_poa("bank", manager, &[PERSISTENT, USER_ID])
        .unwrap();
    poa.activate_with_id(&"ada".into(), skeleton(&named(servant)))
        .unwrap();
    poa
}

#[test]
fn a_reference_leads_to_the_object_of_the_same_name_in_the_next_life() {
    let house = House::new();
    let poa = bank(&house, "first life");
    let object = poa.id_to_reference(&"ada".into()).unwrap();
    let client = abroad(&object);
    use crate::common::Echo;
    assert_eq!(client.echo("").unwrap(), "first life");
    let house = next_life(house, "");
    assert_eq!(call(&object, ""), Err(NO_SUCH_POA));
    // Something else lies now where the reference says that the POA was.
    let other = house.child("other", &[PERSISTENT, USER_ID]);
    other
        .activate_with_id(&"ada".into(), skeleton(&named("other")))
        .unwrap();
    let poa = bank(&house, "second life");
    assert_eq!(who(&object), "second life");
    assert_eq!(client.echo("").unwrap(), "second life");
    assert_eq!(poa.reference_to_id(&object), Ok("ada".into()));
    assert_eq!(other.reference_to_id(&object), Err(PoaError::WrongAdapter));
    // And to one of another kind not at all.
    let unknown = poa.create_reference_with_id(&"bob".into(), ECHO).unwrap();
    assert_eq!(call(&unknown, ""), Err(UNKNOWN_OBJECT));
}

#[test]
fn servers_of_different_ids_do_not_take_each_others_references() {
    let house = next_life(House::new(), "first");
    let object = bank(&house, "first")
        .id_to_reference(&"ada".into())
        .unwrap();
    assert_eq!(who(&object), "first");
    let house = next_life(house, "second");
    let poa = bank(&house, "second");
    assert_eq!(call(&object, ""), Err(OTHER_SERVER));
    assert_eq!(poa.reference_to_id(&object), Err(PoaError::WrongAdapter));
    let house = next_life(house, "first");
    bank(&house, "first again");
    assert_eq!(who(&object), "first again");
}

#[test]
fn transient_references_end_with_the_life_they_were_made_in() {
    let house = House::new();
    let object = house.root.activate(skeleton(&named("first"))).unwrap();
    let house = next_life(house, "");
    house.root.activate(skeleton(&named("second"))).unwrap();
    assert_eq!(call(object.as_object(), ""), Err(EARLIER_LIFE));
    let wrong = house.root.reference_to_id(object.as_object());
    assert_eq!(wrong, Err(PoaError::WrongAdapter));
}

#[test]
fn ids_that_were_assigned_in_an_earlier_life_may_be_used_and_are_never_assigned_again() {
    let mut house = House::new();
    let mut known: Vec<(ObjectId, taut::ObjectRef)> = Vec::new();
    for life in 0..4 {
        let poa = house.child("system", &[PERSISTENT]);
        for (id, object) in &known {
            assert_eq!(call(object, ""), Err(UNKNOWN_OBJECT));
            assert_eq!(poa.reference_to_id(object).as_ref(), Ok(id));
        }
        for _ in 0..3 {
            let id = poa.activate_object(skeleton(&named("new"))).unwrap();
            assert!(known.iter().all(|(other, _)| *other != id));
            known.push((id.clone(), poa.id_to_reference(&id).unwrap()));
        }
        // Those of the lives before.
        for (number, (id, object)) in known.iter().enumerate().take(3 * life) {
            let name = format!("old {number}");
            poa.activate_object_with_id(id, skeleton(&named(&name)))
                .unwrap();
            assert_eq!(who(object), name);
        }
        house = next_life(house, "");
    }
}

/// The POA that took the place of another of its name assigned the same ids again:
/// references to the old one's objects led to the new one's.
#[test]
fn a_poa_does_not_assign_the_ids_of_one_that_had_its_name() {
    let house = House::new();
    let mut known = Vec::new();
    for round in 0..5 {
        let poa = house.child("phoenix", &[PERSISTENT]);
        let object = poa.activate(skeleton(&named("new"))).unwrap();
        let id = poa.reference_to_id(object.as_object()).unwrap();
        assert_eq!(who(object.as_object()), "new");
        for (old_id, old) in &known {
            assert_ne!(*old_id, id);
            assert_eq!(call(old, ""), Err(UNKNOWN_OBJECT), "in round {round}");
        }
        known.push((id, object.as_object().clone()));
        poa.destroy(true, true).unwrap();
    }
}

#[test]
fn activators_bring_back_whole_paths_in_the_next_life() {
    let house = House::new();
    let object = bank(&house, "first life")
        .id_to_reference(&"ada".into())
        .unwrap();
    let house = next_life(house, "");
    let diary = Diary::default();
    let notes = diary.clone();
    let founder = Founder::asking(&diary, move |parent, name| {
        let policies = [
            PERSISTENT,
            USER_ID,
            RequestProcessingPolicy::UseServantManager.into(),
        ];
        let poa = parent.create_poa(name, Some(parent.manager()), &policies)?;
        poa.set_adapter_activator(parent.adapter_activator())
            .unwrap();
        let activator = Activator::new(&notes, |id, adapter| {
            let name = format!("{}/{id}", adapter.name());
            Ok(shared(&named(&name)))
        });
        poa.set_servant_manager(activator.manager())?;
        Ok(true)
    });
    house.root.set_adapter_activator(Some(founder)).unwrap();
    assert_eq!(who(&object), "bank/ada");
    assert_eq!(
        diary.read(),
        [
            "unknown_adapter RootPOA branch",
            "unknown_adapter branch bank",
            "incarnate ada",
        ]
    );
}

#[test]
fn a_servant_gives_its_persistent_reference_away() {
    let house = House::new();
    let poa = house.child("self", &[PERSISTENT]);
    let servant = probe(|_| Ok(taut::Current::reference()?.to_string()));
    let object = poa.activate(skeleton(&servant)).unwrap();
    let given = house
        .orb
        .string_to_object(&who(object.as_object()))
        .unwrap();
    assert_eq!(given, *object.as_object());
}
