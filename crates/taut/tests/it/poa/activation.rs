//! Objects become active and inactive; ids of all kinds.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, ThreadId};
use std::time::Duration;

use taut::{
    IdAssignmentPolicy, IdUniquenessPolicy, LifespanPolicy, ObjectId, PoaError, Policy, Reference,
};

use crate::common::Echo;
use crate::poa::house::{
    ECHO, House, NO_SUCH_POA, UNKNOWN_OBJECT, abroad, call, ends, named, probe, shared, skeleton,
    staying, who,
};

const LIFESPANS: [Policy; 2] = [
    Policy::Lifespan(LifespanPolicy::Transient),
    Policy::Lifespan(LifespanPolicy::Persistent),
];

#[test]
fn user_ids_of_all_lengths_lead_to_their_servants() {
    let house = House::new();
    for lifespan in LIFESPANS {
        let poa = house.child("users", &[lifespan, IdAssignmentPolicy::UserId.into()]);
        // As long as what the POA assigns, at the edge of what is kept in place, and
        // long; all zero, as the first object's place would be, and not.
        let ids: Vec<ObjectId> = [0, 1, 7, 8, 9, 15, 16, 17, 23, 24, 25, 300]
            .into_iter()
            .flat_map(|length| [0, 0xff].map(|octet| ObjectId::new(vec![octet; length])))
            .collect();
        let mut objects = Vec::new();
        for (number, id) in ids.iter().enumerate() {
            // The one of no octets is there twice.
            let activated = poa.activate_with_id(id, skeleton(&named(&number.to_string())));
            match number {
                1 => assert_eq!(activated, Err(PoaError::ObjectAlreadyActive)),
                _ => objects.push((number, id, activated.unwrap())),
            }
        }
        for (number, id, object) in &objects {
            assert_eq!(who(object.as_object()), number.to_string());
            let made = poa.create_reference_with_id(id, ECHO).unwrap();
            assert_eq!(who(&made), number.to_string());
            assert_eq!(poa.reference_to_id(&made).as_ref(), Ok(*id));
        }
        for (_, id, object) in &objects {
            poa.deactivate_object(id).unwrap();
            assert_eq!(call(object.as_object(), ""), Err(UNKNOWN_OBJECT));
        }
        poa.destroy(true, true).unwrap();
    }
}

/// A servant that calls its POA as it is dropped.
struct Caller(taut::Poa);

impl Drop for Caller {
    fn drop(&mut self) {
        let id = ObjectId::new("nobody");
        assert_eq!(
            self.0.deactivate_object(&id),
            Err(PoaError::ObjectNotActive)
        );
    }
}

impl Echo for Caller {}

/// A servant that says in which thread it is called, and in which it is dropped.
struct Traveller {
    poa: taut::Poa,
    called: Sender<ThreadId>,
    dropped: Sender<ThreadId>,
}

impl Drop for Traveller {
    fn drop(&mut self) {
        self.dropped.send(thread::current().id()).unwrap();
    }
}

impl Echo for Traveller {
    fn ping(&self) -> taut::Result<()> {
        self.called.send(thread::current().id()).unwrap();
        // A call is under way, this one.
        self.poa
            .deactivate_object(&taut::Current::object_id()?)
            .unwrap();
        assert!(self.poa.id_to_servant(&"traveller".into()).is_err());
        Ok(())
    }
}

/// The thread of the last call dropped it, and whoever called next had to wait.
#[test]
fn a_servant_ends_in_no_thread_that_has_called_it() {
    let house = House::new();
    let poa = house.child("users", &[IdAssignmentPolicy::UserId.into()]);
    let id = ObjectId::new("traveller");
    for is_local in [false, true] {
        let ((called, calls), (dropped, end)) = (channel(), channel());
        let traveller = Traveller {
            poa: poa.clone(),
            called,
            dropped,
        };
        let servant = crate::common::EchoSkeleton(Arc::new(traveller));
        poa.activate_object_with_id(&id, servant).unwrap();
        let object = poa.id_to_reference(&id).unwrap();
        match is_local {
            true => object.unchecked_narrow::<crate::common::EchoRef>().ping(),
            false => abroad(&object).ping(),
        }
        .unwrap();
        let called_in = calls.recv().unwrap();
        let dropped_in = end.recv_timeout(Duration::from_secs(60)).unwrap();
        assert!(![called_in, thread::current().id()].contains(&dropped_in));
    }
}

/// The end of the POA came with that of the last request, and after that of its object.
#[test]
fn a_poa_ends_after_the_objects_that_were_deactivated_before() {
    for _ in 0..20 {
        let house = House::new();
        let poa = house.child("users", &[IdAssignmentPolicy::UserId.into()]);
        let ((called, _calls), (dropped, end)) = (channel(), channel());
        let traveller = Traveller {
            poa: poa.clone(),
            called,
            dropped,
        };
        let servant = crate::common::EchoSkeleton(Arc::new(traveller));
        poa.activate_object_with_id(&"traveller".into(), servant)
            .unwrap();
        let object = poa.id_to_reference(&"traveller".into()).unwrap();
        abroad(&object).ping().unwrap();
        poa.destroy(true, true).unwrap();
        assert!(end.try_recv().is_ok());
    }
}

/// It was dropped where the POA's book of servants was locked, and waited for that.
#[test]
fn a_servant_that_is_refused_may_call_its_poa_as_it_is_dropped() {
    let house = House::new();
    let poa = house.child("users", &[IdAssignmentPolicy::UserId.into()]);
    poa.destroy(true, true).unwrap();
    let refused = ends("activation", move || {
        let servant = crate::common::EchoSkeleton(Arc::new(Caller(poa.clone())));
        poa.activate_object_with_id(&"late".into(), servant)
    });
    assert_eq!(refused, Err(NO_SUCH_POA.into()));
}

#[test]
fn an_id_that_was_assigned_may_be_used_again() {
    let house = House::new();
    for lifespan in LIFESPANS {
        let poa = house.child("system", &[lifespan]);
        let first = poa.activate(skeleton(&named("first"))).unwrap();
        let id = poa.reference_to_id(first.as_object()).unwrap();
        poa.deactivate_object(&id).unwrap();
        assert_eq!(call(first.as_object(), ""), Err(UNKNOWN_OBJECT));
        // A servant that takes its place is another object.
        let second = poa.activate(skeleton(&named("second"))).unwrap();
        assert_eq!(call(first.as_object(), ""), Err(UNKNOWN_OBJECT));
        for round in 0..3 {
            let name = format!("again {round}");
            let servant = named(&name);
            poa.activate_object_with_id(&id, skeleton(&servant))
                .unwrap();
            assert_eq!(poa.servant_to_id(skeleton(&servant)).as_ref(), Ok(&id));
            let reference = poa.id_to_reference(&id).unwrap();
            assert_eq!(poa.reference_to_id(&reference).as_ref(), Ok(&id));
            for object in [first.as_object(), &reference] {
                assert_eq!(who(object), name);
            }
            assert_eq!(who(second.as_object()), "second");
            poa.deactivate_object(&id).unwrap();
            for object in [first.as_object(), &reference] {
                assert_eq!(call(object, ""), Err(UNKNOWN_OBJECT));
            }
        }
        poa.destroy(true, true).unwrap();
    }
}

#[test]
fn a_reference_may_come_before_its_object() {
    let house = House::new();
    for lifespan in LIFESPANS {
        let poa = house.child("early", &[lifespan]);
        let early: Vec<_> = (0..5)
            .map(|_| poa.create_reference(ECHO).unwrap())
            .collect();
        let others: Vec<_> = (0..5)
            .map(|number| {
                poa.activate(skeleton(&named(&format!("other {number}"))))
                    .unwrap()
            })
            .collect();
        for object in &early {
            assert_eq!(call(object, ""), Err(UNKNOWN_OBJECT));
        }
        for (number, object) in early.iter().enumerate() {
            let id = poa.reference_to_id(object).unwrap();
            let servant = named(&format!("early {number}"));
            poa.activate_object_with_id(&id, skeleton(&servant))
                .unwrap();
        }
        for (number, (early, other)) in early.iter().zip(&others).enumerate() {
            assert_eq!(who(early), format!("early {number}"));
            assert_eq!(who(other.as_object()), format!("other {number}"));
        }
        poa.destroy(true, true).unwrap();
    }
}

#[test]
fn ids_that_the_poa_will_assign_are_not_taken_before() {
    let house = House::new();
    let poa = house.child("system", &[]);
    let assigned = poa.activate_object(skeleton(&named("one"))).unwrap();
    let mut next = assigned.as_octets().to_vec();
    for octet in [3, 7] {
        // The next place, and the next object there.
        next[octet] += 1;
        let early = poa.activate_object_with_id(&ObjectId::new(&next), skeleton(&named("two")));
        let bad = crate::poa::house::refused(taut::SystemExceptionKind::BadParam, 14);
        assert_eq!(early, bad);
        next[octet] -= 1;
    }
    for length in [0, 7, 9, 16] {
        let early = poa.create_reference_with_id(&ObjectId::new(vec![0; length]), ECHO);
        assert!(early.is_err());
    }
}

#[test]
fn one_servant_incarnates_many_objects_where_it_may() {
    let house = House::new();
    let policies: [Policy; 2] = [
        IdUniquenessPolicy::MultipleId.into(),
        IdAssignmentPolicy::UserId.into(),
    ];
    let poa = house.child("many", &policies);
    let servant = named("all");
    for number in 0..100 {
        let id = ObjectId::new(number.to_string());
        poa.activate_object_with_id(&id, skeleton(&servant))
            .unwrap();
    }
    for number in 0..100 {
        let id = ObjectId::new(number.to_string());
        let object = poa.id_to_reference(&id).unwrap();
        assert_eq!(who(&object), "all");
        poa.deactivate_object(&id).unwrap();
        assert_eq!(call(&object, ""), Err(UNKNOWN_OBJECT));
    }
    assert_eq!(Arc::strong_count(&servant), 1);
}

#[test]
fn an_object_deactivates_itself_and_ends_with_its_last_request() {
    let house = House::new();
    let poa = house.child("own", &[]);
    let own = poa.clone();
    let servant = probe(move |_| {
        let id = taut::Current::object_id()?;
        own.deactivate_object(&id)?;
        assert_eq!(own.deactivate_object(&id), Err(PoaError::ObjectNotActive));
        assert!(own.id_to_servant(&id).is_err());
        // The request still knows whose it is.
        assert_eq!(taut::Current::object_id()?, id);
        assert_eq!(own.reference_to_id(&taut::Current::reference()?)?, id);
        Ok("the last words".to_owned())
    });
    let object = poa.activate(skeleton(&servant)).unwrap();
    assert_eq!(who(object.as_object()), "the last words");
    assert_eq!(call(object.as_object(), ""), Err(UNKNOWN_OBJECT));
    crate::common::eventually("the end", || Arc::strong_count(&servant) == 1);
}

#[test]
fn a_servant_lives_as_long_as_requests_run() {
    let house = House::new();
    let (servant, entered, release) = staying();
    let object = house.root.activate(skeleton(&servant)).unwrap();
    let weak = Arc::downgrade(&servant);
    let id = house.root.reference_to_id(object.as_object()).unwrap();
    drop(servant);
    thread::scope(|scope| {
        let running = scope.spawn(|| call(object.as_object(), "stay"));
        entered.recv().unwrap();
        house.root.deactivate_object(&id).unwrap();
        assert!(weak.upgrade().is_some());
        assert_eq!(call(object.as_object(), ""), Err(UNKNOWN_OBJECT));
        // Another takes the place meanwhile.
        let other = house.root.activate(skeleton(&named("other"))).unwrap();
        assert_eq!(who(other.as_object()), "other");
        release.send(()).unwrap();
        assert_eq!(running.join().unwrap().as_deref(), Ok("stay"));
    });
    crate::common::eventually("the end", || weak.upgrade().is_none());
}

#[test]
fn a_servant_is_told_by_what_it_is_and_not_by_its_skeleton() {
    let house = House::new();
    let servant = named("one");
    let id = house.root.activate_object(skeleton(&servant)).unwrap();
    let found = house.root.id_to_servant(&id).unwrap();
    assert_eq!(found.identity(), shared(&servant).identity());
    let again = house.root.activate_object(skeleton(&servant));
    assert_eq!(again, Err(PoaError::ServantAlreadyActive));
    assert_eq!(house.root.servant_to_id(skeleton(&servant)), Ok(id));
    // In another POA it is another object.
    let other = house.child("other", &[]);
    let id = other.activate_object(skeleton(&servant)).unwrap();
    let reference = other.id_to_reference(&id).unwrap();
    assert_eq!(who(&reference), "one");
}
