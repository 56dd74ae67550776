//! Each operation of a POA, under each combination of policies.

use taut::{ObjectId, Poa, PoaError, Reference, SystemExceptionKind};

use crate::poa::house::{ECHO, House, UNKNOWN_OBJECT, named, omg, refused, shared, skeleton, who};
use crate::poa::keepers::{Activator, Diary, Locator};
use crate::poa::policies::Combination;

const BAD_PARAM: SystemExceptionKind = SystemExceptionKind::BadParam;
const OBJ_ADAPTER: SystemExceptionKind = SystemExceptionKind::ObjAdapter;
const BAD_INV_ORDER: SystemExceptionKind = SystemExceptionKind::BadInvOrder;

/// `Err(WrongPolicy)` where the policies do not allow it.
fn allowed<T>(is_allowed: bool, value: T) -> Result<T, PoaError> {
    is_allowed.then_some(value).ok_or(PoaError::WrongPolicy)
}

/// An id that the POA takes, of an object that is not active.
fn some_id(poa: &Poa, policies: &Combination) -> ObjectId {
    match policies.is_system() {
        true => poa
            .reference_to_id(&poa.create_reference(ECHO).unwrap())
            .unwrap(),
        false => ObjectId::new("ada"),
    }
}

fn for_each(act: impl Fn(&Poa, &Combination)) {
    let house = House::new();
    for (number, policies) in Combination::legal().enumerate() {
        let poa = house.child(&number.to_string(), &policies.policies());
        act(&poa, &policies);
        poa.destroy(true, true).unwrap();
    }
}

#[test]
fn requests_find_their_servant_wherever_the_policies_say() {
    for_each(|poa, policies| {
        let id = some_id(poa, policies);
        let object = poa.create_reference_with_id(&id, ECHO).unwrap();
        let call = || crate::poa::house::call(&object, "who");
        let by_default = if policies.is_default() {
            assert_eq!(call(), Err(omg(OBJ_ADAPTER, 3)), "{policies:?}");
            poa.set_servant(skeleton(&named("default"))).unwrap();
            Some("default")
        } else if policies.is_managed() {
            assert_eq!(call(), Err(omg(OBJ_ADAPTER, 4)), "{policies:?}");
            let manager = match policies.is_retain() {
                true => Activator::new(&Diary::default(), |_, _| Ok(shared(&named("activator"))))
                    .manager(),
                false => Locator::new(&Diary::default(), |_, _, _| {
                    Ok((shared(&named("locator")), None))
                })
                .manager(),
            };
            poa.set_servant_manager(manager).unwrap();
            Some(if policies.is_retain() {
                "activator"
            } else {
                "locator"
            })
        } else {
            None
        };
        let expected = by_default.map(str::to_owned).ok_or(UNKNOWN_OBJECT);
        assert_eq!(call(), expected, "{policies:?}");
        if !policies.is_retain() {
            return;
        }
        if policies.is_managed() {
            poa.deactivate_object(&id).unwrap();
        }
        poa.activate_object_with_id(&id, skeleton(&named("own")))
            .unwrap();
        assert_eq!(call().as_deref(), Ok("own"), "{policies:?}");
        poa.deactivate_object(&id).unwrap();
        assert_eq!(call(), expected, "{policies:?}");
    });
}

#[test]
fn activating_and_deactivating() {
    for_each(|poa, policies| {
        let (one, two) = (named("one"), named("two"));
        let retains = policies.is_retain();
        let already = match policies.is_unique() {
            true => Err(PoaError::ServantAlreadyActive),
            false => Ok(()),
        };
        let assigned = poa.activate_object(skeleton(&one));
        let is_allowed = retains && policies.is_system();
        assert_eq!(assigned.clone().map(drop), allowed(is_allowed, ()));
        if let Ok(assigned) = assigned {
            assert_eq!(poa.activate_object(skeleton(&one)).map(drop), already);
            let again = poa.activate_object_with_id(&assigned, skeleton(&two));
            assert_eq!(again, Err(PoaError::ObjectAlreadyActive));
        }

        let servant = named("servant");
        let id = some_id(poa, policies);
        let activate = |id: &ObjectId| poa.activate_object_with_id(id, skeleton(&servant));
        assert_eq!(
            poa.deactivate_object(&id),
            match retains {
                true => Err(PoaError::ObjectNotActive),
                false => Err(PoaError::WrongPolicy),
            }
        );
        assert_eq!(activate(&id), allowed(retains, ()));
        if !retains {
            return;
        }
        assert_eq!(activate(&id), Err(PoaError::ObjectAlreadyActive));
        assert_eq!(activate(&some_id_but(poa, policies)), already);
        assert_eq!(poa.deactivate_object(&id), Ok(()));
        assert_eq!(poa.deactivate_object(&id), Err(PoaError::ObjectNotActive));
        assert_eq!(activate(&id), Ok(()));
        let foreign = activate(&ObjectId::new("no id of this POA"));
        match policies.is_system() {
            true => assert_eq!(foreign, refused(BAD_PARAM, 14)),
            false => assert_eq!(foreign, already),
        }
    });
}

/// A further id.
fn some_id_but(poa: &Poa, policies: &Combination) -> ObjectId {
    match policies.is_system() {
        true => some_id(poa, policies),
        false => ObjectId::new("bob"),
    }
}

#[test]
fn references_are_made_and_read() {
    for_each(|poa, policies| {
        let made = poa.create_reference(ECHO);
        assert_eq!(made.clone().map(drop), allowed(policies.is_system(), ()));
        if let Ok(made) = made {
            assert_eq!(made.type_id(), ECHO);
            let other = poa.create_reference(ECHO).unwrap();
            assert_ne!(poa.reference_to_id(&made), poa.reference_to_id(&other));
        }
        let foreign = poa.create_reference_with_id(&"foreign".into(), ECHO);
        match policies.is_system() {
            true => assert_eq!(foreign, refused(BAD_PARAM, 14)),
            false => assert_eq!(poa.reference_to_id(&foreign.unwrap()), Ok("foreign".into())),
        }
        let id = some_id(poa, policies);
        let object = poa.create_reference_with_id(&id, ECHO).unwrap();
        assert_eq!(poa.reference_to_id(&object).as_ref(), Ok(&id));
        let parent = poa.parent().unwrap();
        assert_eq!(parent.reference_to_id(&object), Err(PoaError::WrongAdapter));
        let wrong = parent.reference_to_servant(&object).map(drop);
        assert_eq!(wrong, Err(PoaError::WrongAdapter));
    });
}

#[test]
fn ids_and_references_lead_to_servants() {
    for_each(|poa, policies| {
        let id = some_id(poa, policies);
        let object = poa.create_reference_with_id(&id, ECHO).unwrap();
        let is_allowed = policies.is_retain() || policies.is_default();
        let identity = |found: Result<std::sync::Arc<dyn taut::Servant>, PoaError>| {
            found.map(|servant| servant.identity())
        };
        let expect = |expected: Result<_, PoaError>| {
            let expected = allowed(is_allowed, ()).and(expected);
            assert_eq!(identity(poa.id_to_servant(&id)), expected, "{policies:?}");
            assert_eq!(identity(poa.reference_to_servant(&object)), expected);
        };
        expect(Err(PoaError::ObjectNotActive));
        let reference = poa.id_to_reference(&id);
        let missing = allowed(policies.is_retain(), ()).and(Err(PoaError::ObjectNotActive));
        assert_eq!(reference, missing);

        let default = named("default");
        let default_identity = shared(&default).identity();
        if policies.is_default() {
            poa.set_servant(skeleton(&default)).unwrap();
            expect(Ok(default_identity));
        }
        if policies.is_retain() {
            let own = named("own");
            poa.activate_object_with_id(&id, skeleton(&own)).unwrap();
            expect(Ok(shared(&own).identity()));
            let reference = poa.id_to_reference(&id).unwrap();
            assert_eq!(poa.reference_to_id(&reference).as_ref(), Ok(&id));
            assert_eq!(who(&reference), "own");
        }
    });
}

#[test]
fn servants_lead_to_ids_and_references() {
    for_each(|poa, policies| {
        let is_kept = policies.is_unique() || policies.is_implicit();
        let is_allowed = policies.is_default() || policies.is_retain() && is_kept;
        let (idle, active) = (named("idle"), named("active"));

        let id = poa.servant_to_id(skeleton(&idle));
        let expected = match (is_allowed, policies.is_implicit()) {
            (false, _) => Err(PoaError::WrongPolicy),
            (true, true) => Ok(()),
            (true, false) => Err(PoaError::ServantNotActive),
        };
        assert_eq!(id.clone().map(drop), expected, "{policies:?}");
        let reference = poa.servant_to_reference(skeleton(&idle));
        assert_eq!(reference.clone().map(drop), expected);
        if let (Ok(id), Ok(reference)) = (id, reference) {
            let is_same = poa.reference_to_id(reference.as_object()).as_ref() == Ok(&id);
            // Where servants may have many ids, each question is an activation.
            assert_eq!(is_same, policies.is_unique(), "{policies:?}");
            if !policies.is_default() && !policies.is_managed() {
                assert_eq!(who(reference.as_object()), "idle");
            }
        }

        if policies.is_retain() && policies.is_unique() {
            let id = some_id(poa, policies);
            poa.activate_object_with_id(&id, skeleton(&active)).unwrap();
            assert_eq!(poa.servant_to_id(skeleton(&active)).as_ref(), Ok(&id));
            let reference = poa.servant_to_reference(skeleton(&active)).unwrap();
            assert_eq!(poa.reference_to_id(reference.as_object()), Ok(id));
            assert_eq!(who(reference.as_object()), "active");
        }
    });
}

#[test]
fn default_servants_and_servant_managers_are_set_where_they_are_used() {
    for_each(|poa, policies| {
        let is_default = policies.is_default();
        let missing = match is_default {
            true => PoaError::NoServant,
            false => PoaError::WrongPolicy,
        };
        assert_eq!(poa.servant().map(drop), Err(missing));
        let servant = named("default");
        let set = poa.set_servant(skeleton(&servant));
        assert_eq!(set, allowed(is_default, ()));
        let identity = poa.servant().map(|servant| servant.identity());
        assert_eq!(identity, allowed(is_default, shared(&servant).identity()));

        let is_managed = policies.is_managed();
        let is_set = || poa.servant_manager().map(|manager| manager.is_some());
        assert_eq!(is_set(), allowed(is_managed, false));
        let diary = Diary::default();
        let activator = Activator::new(&diary, |_, _| Err(UNKNOWN_OBJECT.into())).manager();
        let locator = Locator::new(&diary, |_, _, _| Err(UNKNOWN_OBJECT.into())).manager();
        let (right, wrong) = match policies.is_retain() {
            true => (activator, locator),
            false => (locator, activator),
        };
        let of_wrong_kind = poa.set_servant_manager(wrong);
        let expected = allowed(is_managed, ()).and(refused(OBJ_ADAPTER, 4));
        assert_eq!(of_wrong_kind, expected);
        assert_eq!(is_set(), allowed(is_managed, false));
        let set = poa.set_servant_manager(right.clone());
        assert_eq!(set, allowed(is_managed, ()));
        let twice = poa.set_servant_manager(right);
        assert_eq!(
            twice,
            allowed(is_managed, ()).and(refused(BAD_INV_ORDER, 6))
        );
        assert_eq!(is_set(), allowed(is_managed, true));
    });
}
