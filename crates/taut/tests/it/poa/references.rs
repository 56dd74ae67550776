//! References: what they are called, whose they are, and which are the same.

use std::collections::HashSet;
use std::thread;

use taut::{
    IdUniquenessPolicy, ImplicitActivationPolicy, Ior, Located, Poa, PoaError, Policy, Reference,
};

use crate::poa::house::{ECHO, House, UNKNOWN_OBJECT, abroad, call, named, skeleton, who};

#[test]
fn implicit_activation_gives_an_idle_servant_an_object() {
    let house = House::new();
    let servant = named("implicit");
    let reference = house.root.servant_to_reference(skeleton(&servant)).unwrap();
    assert_eq!(who(reference.as_object()), "implicit");
    let again = house.root.servant_to_reference(skeleton(&servant)).unwrap();
    assert_eq!(again, reference);
    let id = house.root.servant_to_id(skeleton(&servant)).unwrap();
    house.root.deactivate_object(&id).unwrap();
    assert_eq!(call(reference.as_object(), ""), Err(UNKNOWN_OBJECT));
    let other = house.root.servant_to_reference(skeleton(&servant)).unwrap();
    assert_ne!(other, reference);
}

/// TAO sends a reference back with other octets in the padding of its profile.
#[test]
fn a_reference_that_comes_back_with_other_padding_is_equal_to_itself() {
    let house = House::new();
    let [one, other] = ["one", "other"].map(|name| {
        let servant = named(name);
        let reference = house.root.servant_to_reference(skeleton(&servant)).unwrap();
        reference.as_object().clone()
    });
    let changed = |change: &dyn Fn(&mut Ior)| {
        let mut ior = one.ior().clone();
        change(&mut ior);
        house.orb.string_to_object(&ior.to_string()).unwrap()
    };
    let back = changed(&|ior| {
        // Behind byte order and version, before the length of the host or path.
        assert_eq!(ior.profiles[0].data[3], 0);
        ior.profiles[0].data[3] = 0x5a;
    });
    assert_ne!(back.to_string(), one.to_string());
    assert_eq!(back, one);
    assert!(HashSet::from([one.clone()]).contains(&back));
    assert!(back.is_equivalent(&one));
    let widened = changed(&|ior| ior.type_id.clear());
    assert!(widened != one && widened.is_equivalent(&one));
    for maximum in [0, 1, 1000, u32::MAX] {
        let hash = one.hash_within(maximum);
        assert!(hash <= maximum);
        assert_eq!(back.hash_within(maximum), hash);
        assert_eq!(widened.hash_within(maximum), hash);
    }
    assert!(one != other && !one.is_equivalent(&other));
    assert_ne!(one.hash_within(u32::MAX), other.hash_within(u32::MAX));
}

#[test]
fn many_threads_activate_one_servant_implicitly_but_once() {
    let house = House::new();
    for _ in 0..50 {
        let servant = named("implicit");
        let ids: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| house.root.servant_to_id(skeleton(&servant)).unwrap()))
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .collect()
        });
        assert!(ids.iter().all(|id| *id == ids[0]));
    }
}

#[test]
fn with_many_ids_each_question_activates_anew() {
    let house = House::new();
    let policies: [Policy; 2] = [
        IdUniquenessPolicy::MultipleId.into(),
        ImplicitActivationPolicy::ImplicitActivation.into(),
    ];
    let poa = house.child("many", &policies);
    let servant = named("many");
    let references: Vec<_> = (0..3)
        .map(|_| poa.servant_to_reference(skeleton(&servant)).unwrap())
        .collect();
    for (index, reference) in references.iter().enumerate() {
        assert!(!references[..index].contains(reference));
        assert_eq!(who(reference.as_object()), "many");
    }
}

#[test]
fn only_the_poa_that_made_a_reference_knows_it() {
    let house = House::new();
    let other_house = House::new();
    let child = |house: &House, name: &str| house.child(name, &[]);
    let one = child(&house, "one");
    let object = one.activate(skeleton(&named("one"))).unwrap();
    let strangers: [Poa; 4] = [
        house.root.clone(),
        child(&house, "two"),
        child(&other_house, "one"),
        one.create_poa("one", None, &[]).unwrap(),
    ];
    assert!(one.reference_to_id(object.as_object()).is_ok());
    assert!(one.reference_to_servant(object.as_object()).is_ok());
    for stranger in &strangers {
        let id = stranger.reference_to_id(object.as_object());
        assert_eq!(id, Err(PoaError::WrongAdapter));
        let servant = stranger.reference_to_servant(object.as_object());
        assert_eq!(servant.map(drop), Err(PoaError::WrongAdapter));
    }
    // As another ORB has it, it is still the same.
    let sent = abroad(object.as_object());
    assert!(one.reference_to_id(sent.as_object()).is_ok());
    // One of the same name that took its place did not make it.
    one.destroy(true, true).unwrap();
    let heir = child(&house, "one");
    let id = heir.reference_to_id(object.as_object());
    assert_eq!(id, Err(PoaError::WrongAdapter));
}

#[test]
fn objects_are_located_where_they_may_be() {
    let house = House::new();
    let poa = house.child("plain", &[]);
    let early = poa.create_reference(ECHO).unwrap();
    assert_eq!(
        abroad(&early).as_object().locate().unwrap(),
        Located::Unknown
    );
    let id = poa.reference_to_id(&early).unwrap();
    poa.activate_object_with_id(&id, skeleton(&named("here")))
        .unwrap();
    assert_eq!(abroad(&early).as_object().locate().unwrap(), Located::Here);
    #[cfg(feature = "full")]
    poa.manager().hold_requests(false).unwrap();
    assert_eq!(abroad(&early).as_object().locate().unwrap(), Located::Here);
    poa.destroy(true, true).unwrap();
    assert_eq!(
        abroad(&early).as_object().locate().unwrap(),
        Located::Unknown
    );
}

#[test]
fn references_name_the_interface_they_were_made_for() {
    let house = House::new();
    let poa = house.child("typed", &[]);
    let made = poa.create_reference("IDL:other/Thing:2.3").unwrap();
    assert_eq!(made.type_id(), "IDL:other/Thing:2.3");
    let id = poa.reference_to_id(&made).unwrap();
    let made = poa.create_reference_with_id(&id, "").unwrap();
    assert_eq!(made.type_id(), "");
    poa.activate_object_with_id(&id, skeleton(&named("typed")))
        .unwrap();
    assert_eq!(poa.id_to_reference(&id).unwrap().type_id(), ECHO);
    assert_eq!(who(&made), "typed");
}

/// A servant that another thread activated and deactivated at the same time was said
/// not to be active, where asking activates it.
#[test]
fn implicit_activation_gives_an_object_whoever_deactivates_it_meanwhile() {
    let house = House::new();
    let servant = named("implicit");
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..2_000 {
                    let id = house.root.servant_to_id(skeleton(&servant)).unwrap();
                    let _ = house.root.deactivate_object(&id);
                }
            });
        }
    });
}
