//! Servant activators: objects that become active when they are called.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

use taut::{
    IdAssignmentPolicy, IdUniquenessPolicy, ObjectId, Poa, PoaError, Policy, Reference,
    RequestProcessingPolicy, ServantManagerError, SystemException, SystemExceptionKind,
};

use crate::common::mode::{Mode, for_each_mode};
use crate::common::{Echo, Misbehaviour, eventually};
use crate::poa::house::{
    ECHO, House, Stay, WOULD_DEADLOCK, a_while, abroad, call, ends, named, omg, probe, refused,
    shared, skeleton, staying, who,
};
use crate::poa::keepers::{Activator, Diary};

for_each_mode! {
    [tcp, reactor] {
        an_object_is_incarnated_once_though_many_requests_come_at_once,
        the_farewell_comes_after_the_last_request_and_says_what_remains,
        activation_waits_for_the_farewell,
        a_servant_does_not_wait_for_its_own_farewell,
        an_activator_does_not_wait_for_its_own_incarnation,
        an_activator_does_not_wait_for_its_own_farewell,
        what_incarnate_raises_is_the_callers,
        an_activator_that_gives_an_active_servant_breaks_unique_ids,
        what_was_activated_by_hand_is_etherealized_too,
        an_activator_that_panics_while_its_servant_does_harms_nobody,
        requests_that_run_are_etherealized_once_each_when_the_poa_is_destroyed,
        a_request_keeps_the_object_that_was_incarnated_for_it,
    }
}

const USER: [Policy; 2] = [
    Policy::IdAssignment(IdAssignmentPolicy::UserId),
    Policy::RequestProcessing(RequestProcessingPolicy::UseServantManager),
];

fn managed(house: &House, policies: &[Policy], activator: Activator) -> Poa {
    let poa = house.child("managed", policies);
    poa.set_servant_manager(activator.manager()).unwrap();
    poa
}

fn object(poa: &Poa, id: &str) -> taut::ObjectRef {
    poa.create_reference_with_id(&id.into(), ECHO).unwrap()
}

fn an_object_is_incarnated_once_though_many_requests_come_at_once(mode: Mode) {
    let house = House::in_mode(mode);
    let diary = Diary::default();
    let poa = managed(
        &house,
        &USER,
        Activator::new(&diary, |id, adapter| {
            assert_eq!(adapter.name(), "managed");
            a_while();
            Ok(shared(&named(&id.to_string())))
        }),
    );
    for name in ["ada", "bob"] {
        let object = object(&poa, name);
        thread::scope(|scope| {
            let calls: Vec<_> = (0..16).map(|_| scope.spawn(|| who(&object))).collect();
            for call in calls {
                assert_eq!(call.join().unwrap(), name);
            }
        });
    }
    assert_eq!(diary.read(), ["incarnate ada", "incarnate bob"]);
    assert!(poa.id_to_servant(&"ada".into()).is_ok());
}

fn the_farewell_comes_after_the_last_request_and_says_what_remains(mode: Mode) {
    let house = House::in_mode(mode);
    let diary = Diary::default();
    let (servant, entered, release) = staying();
    let policies = [&USER[..], &[IdUniquenessPolicy::MultipleId.into()]].concat();
    let same = Arc::clone(&servant);
    let activator = Activator::new(&diary, move |_, _| Ok(shared(&same)));
    let poa = managed(&house, &policies, activator);
    let (ada, bob) = (object(&poa, "ada"), object(&poa, "bob"));
    call(&bob, "").unwrap();
    thread::scope(|scope| {
        let running: Vec<_> = (0..2).map(|_| scope.spawn(|| call(&ada, "stay"))).collect();
        entered.recv().unwrap();
        entered.recv().unwrap();
        assert_eq!(diary.read(), ["incarnate bob", "incarnate ada"]);
        poa.deactivate_object(&"ada".into()).unwrap();
        // A further request waits for the end, and then incarnates the object anew.
        let further = scope.spawn(|| call(&ada, "further"));
        a_while();
        assert!(diary.read().is_empty() && !further.is_finished());
        release.send(()).unwrap();
        a_while();
        assert!(diary.read().is_empty() && !further.is_finished());
        release.send(()).unwrap();
        assert_eq!(further.join().unwrap().as_deref(), Ok("further"));
        running
            .into_iter()
            .for_each(|call| drop(call.join().unwrap().unwrap()));
    });
    assert_eq!(diary.read(), ["etherealize ada remains", "incarnate ada"]);
    poa.deactivate_object(&"bob".into()).unwrap();
    eventually("the farewell", || {
        diary.count("etherealize bob remains") == 1
    });
    poa.deactivate_object(&"ada".into()).unwrap();
    eventually("the farewell", || diary.count("etherealize ada") == 1);
    assert_eq!(diary.read().last().unwrap(), "etherealize ada");
}

fn activation_waits_for_the_farewell(mode: Mode) {
    let house = House::in_mode(mode);
    let diary = Diary::default();
    let (stay, entered, release) = Stay::new();
    let activator = Activator::new(&diary, |_, _| Ok(shared(&named("incarnated"))));
    let poa = managed(&house, &USER, activator.and(move |_, _| stay.here()));
    let id = ObjectId::new("ada");
    poa.activate_object_with_id(&id, skeleton(&named("first")))
        .unwrap();
    thread::scope(|scope| {
        scope.spawn(|| poa.deactivate_object(&id).unwrap());
        entered.recv().unwrap();
        assert_eq!(poa.deactivate_object(&id), Err(PoaError::ObjectNotActive));
        let activation =
            scope.spawn(|| poa.activate_object_with_id(&id, skeleton(&named("second"))));
        // Other objects are none of its concern.
        poa.activate_object_with_id(&"bob".into(), skeleton(&named("bob")))
            .unwrap();
        a_while();
        assert!(!activation.is_finished());
        release.send(()).unwrap();
        assert_eq!(activation.join().unwrap(), Ok(()));
    });
    assert_eq!(who(&object(&poa, "ada")), "second");
    release.send(()).unwrap();
    release.send(()).unwrap();
    poa.destroy(true, true).unwrap();
    assert_eq!(diary.count("etherealize"), 3);
}

/// A servant that deactivated its own object and activated it again waited for its
/// own end.
fn a_servant_does_not_wait_for_its_own_farewell(mode: Mode) {
    let house = House::in_mode(mode);
    let diary = Diary::default();
    let activator = Activator::new(&diary, |_, _| {
        Ok(shared(&probe(|_| {
            let (poa, id) = (taut::Current::poa()?, taut::Current::object_id()?);
            poa.deactivate_object(&id)?;
            let again = poa.activate_object_with_id(&id, skeleton(&named("again")));
            assert_eq!(again, Err(WOULD_DEADLOCK.into()));
            Ok("done".to_owned())
        })))
    });
    let poa = managed(&house, &USER, activator);
    assert_eq!(who(&object(&poa, "ada")), "done");
    eventually("the farewell", || diary.count("etherealize ada") == 1);
}

/// An object that was about to be incarnated waited for itself when its activator activated
/// it.
fn an_activator_does_not_wait_for_its_own_incarnation(mode: Mode) {
    let house = House::in_mode(mode);
    let diary = Diary::default();
    let activator = Activator::new(&diary, |id, adapter| {
        let own = adapter.activate_object_with_id(id, skeleton(&named("own")));
        assert_eq!(own, Err(WOULD_DEADLOCK.into()));
        assert_eq!(
            adapter.deactivate_object(id),
            Err(PoaError::ObjectNotActive)
        );
        Ok(shared(&named("incarnated")))
    });
    let poa = managed(&house, &USER, activator);
    let ada = object(&poa, "ada");
    assert_eq!(ends("incarnate", move || who(&ada)), "incarnated");
}

/// The same while it took leave of an object, in whatever thread.
fn an_activator_does_not_wait_for_its_own_farewell(mode: Mode) {
    let house = House::in_mode(mode);
    let diary = Diary::default();
    let activator = Activator::new(&diary, |_, _| Ok(shared(&named("incarnated"))));
    let activator = activator.and(|id, adapter| {
        let again = adapter.activate_object_with_id(id, skeleton(&named("again")));
        assert_eq!(again, Err(WOULD_DEADLOCK.into()));
        assert_eq!(adapter.destroy(true, true), Err(WOULD_DEADLOCK));
        let hold = adapter.manager().hold_requests(true);
        assert_eq!(hold, Err(WOULD_DEADLOCK.into()));
    });
    let poa = managed(&house, &USER, activator);
    poa.activate_object_with_id(&"one".into(), skeleton(&named("one")))
        .unwrap();
    poa.activate_object_with_id(&"two".into(), skeleton(&named("two")))
        .unwrap();
    let farewells = diary.clone();
    ends("etherealize", move || {
        poa.deactivate_object(&"one".into()).unwrap();
        assert_eq!(farewells.count("etherealize one"), 1);
        poa.destroy(true, true).unwrap();
        assert_eq!(farewells.count("etherealize two cleanup"), 1);
    });
}

fn what_incarnate_raises_is_the_callers(mode: Mode) {
    const FAILURE: SystemException = omg(SystemExceptionKind::NoPermission, 0);
    let house = House::in_mode(mode);
    let diary = Diary::default();
    let target = house.root.activate(skeleton(&named("elsewhere"))).unwrap();
    let forward = target.as_object().clone();
    let activator = Activator::new(&diary, move |id, _| match id.as_octets() {
        b"forward" => Err(ServantManagerError::ForwardRequest(forward.clone())),
        b"fail" => Err(FAILURE.into()),
        b"panic" => panic!("the activator was asked to panic"),
        _ => Ok(shared(&named("here"))),
    });
    let poa = managed(&house, &USER, activator);
    for round in 1..3 {
        let client = abroad(&object(&poa, "forward"));
        assert_eq!(client.echo("").unwrap(), "elsewhere");
        // The client knows now, and does not ask again.
        assert_eq!(client.echo("").unwrap(), "elsewhere");
        assert_eq!(diary.count("incarnate forward"), round);
        assert_eq!(call(&object(&poa, "fail"), ""), Err(FAILURE));
        assert_eq!(diary.count("incarnate fail"), round);
        let panicked = call(&object(&poa, "panic"), "").unwrap_err();
        assert_eq!(panicked.kind, SystemExceptionKind::Unknown);
        assert_eq!(diary.count("incarnate panic"), round);
    }
    for id in ["forward", "fail", "panic"] {
        assert!(poa.id_to_servant(&id.into()).is_err());
        poa.activate_object_with_id(&id.into(), skeleton(&named(id)))
            .unwrap();
        assert_eq!(who(&object(&poa, id)), id);
    }
}

fn an_activator_that_gives_an_active_servant_breaks_unique_ids(mode: Mode) {
    let house = House::in_mode(mode);
    let servant = named("only");
    let same = Arc::clone(&servant);
    let diary = Diary::default();
    let activator = Activator::new(&diary, move |_, _| Ok(shared(&same)));
    let poa = managed(&house, &USER, activator);
    assert_eq!(who(&object(&poa, "ada")), "only");
    let refusal = omg(SystemExceptionKind::ObjAdapter, 5);
    assert_eq!(call(&object(&poa, "bob"), ""), Err(refusal));
    assert_eq!(who(&object(&poa, "ada")), "only");
    poa.deactivate_object(&"ada".into()).unwrap();
    assert_eq!(who(&object(&poa, "bob")), "only");
    assert_eq!(diary.count("etherealize"), 1);
}

fn what_was_activated_by_hand_is_etherealized_too(mode: Mode) {
    let house = House::in_mode(mode);
    let diary = Diary::default();
    let activator = Activator::new(&diary, |_, _| Ok(shared(&named("incarnated"))));
    let poa = managed(
        &house,
        &[RequestProcessingPolicy::UseServantManager.into()],
        activator,
    );
    let id = poa.activate_object(skeleton(&named("by hand"))).unwrap();
    let reference = poa.id_to_reference(&id).unwrap();
    assert_eq!(who(&reference), "by hand");
    poa.deactivate_object(&id).unwrap();
    assert_eq!(diary.read(), [format!("etherealize {id}")]);
    assert_eq!(who(&reference), "incarnated");
    let never = poa.create_reference(ECHO).unwrap();
    assert_eq!(who(&never), "incarnated");
    let foreign = poa.activate_object_with_id(&"x".into(), skeleton(&named("x")));
    assert_eq!(foreign, refused(SystemExceptionKind::BadParam, 14));
}

fn an_activator_that_panics_while_its_servant_does_harms_nobody(mode: Mode) {
    let house = House::in_mode(mode);
    let diary = Diary::default();
    let is_grim = Arc::new(AtomicBool::new(true));
    let grim = Arc::clone(&is_grim);
    let activator = Activator::new(&diary, |_, _| Ok(shared(&named("incarnated"))));
    let activator = activator.and(move |_, _| {
        assert!(
            !grim.load(Ordering::SeqCst),
            "the activator was asked to panic"
        );
    });
    let poa = managed(&house, &USER, activator);
    let id = ObjectId::new("ada");
    let own = poa.clone();
    let servant = probe(move |_| {
        own.deactivate_object(&taut::Current::object_id()?)?;
        panic!("the servant was asked to panic");
    });
    poa.activate_object_with_id(&id, skeleton(&servant))
        .unwrap();
    let panicked = call(&object(&poa, "ada"), "").unwrap_err();
    assert_eq!(panicked.kind, SystemExceptionKind::Unknown);
    // In a thread of its own.
    eventually("the etherealization", || diary.count("etherealize") == 1);
    assert_eq!(diary.read(), ["etherealize ada"]);
    assert_eq!(who(&object(&poa, "ada")), "incarnated");
    let panicked = abroad(&object(&poa, "ada")).misbehave(Misbehaviour::Panics);
    assert_eq!(panicked.unwrap_err().kind, SystemExceptionKind::Unknown);
    assert_eq!(who(&object(&poa, "ada")), "incarnated");
    poa.deactivate_object(&id).unwrap();
    is_grim.store(false, Ordering::SeqCst);
    poa.destroy(true, true).unwrap();
    assert_eq!(diary.read(), ["incarnate ada", "etherealize ada"]);
}

fn requests_that_run_are_etherealized_once_each_when_the_poa_is_destroyed(mode: Mode) {
    let house = House::in_mode(mode);
    let diary = Diary::default();
    let calls = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&calls);
    let activator = Activator::new(&diary, move |_, _| {
        let count = Arc::clone(&count);
        Ok(shared(&probe(move |_| {
            count.fetch_add(1, Ordering::SeqCst);
            Ok(String::new())
        })))
    });
    let poa = managed(&house, &USER, activator);
    let objects: Vec<_> = (0..4)
        .map(|number| object(&poa, &number.to_string()))
        .collect();
    thread::scope(|scope| {
        for object in &objects {
            scope.spawn(move || while call(object, "").is_ok() {});
        }
        // However late one of the threads begins.
        eventually("some calls of each", || {
            calls.load(Ordering::SeqCst) > 200 && diary.count("incarnate") == 4
        });
        poa.destroy(true, true).unwrap();
        assert_eq!(diary.count("incarnate"), diary.count("etherealize"));
    });
    assert_eq!(diary.count("incarnate"), 4);
    assert_eq!(diary.count("etherealize"), 4);
}

/// A request that had its object incarnated was told that there is none when the
/// object was deactivated at once.
fn a_request_keeps_the_object_that_was_incarnated_for_it(mode: Mode) {
    let house = House::in_mode(mode);
    let diary = Diary::default();
    let activator = Activator::new(&diary, |_, _| Ok(shared(&named("incarnated"))));
    let poa = managed(&house, &USER, activator);
    let ada = object(&poa, "ada");
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_over.load(Ordering::SeqCst) {
                    let _ = poa.deactivate_object(&"ada".into());
                }
            });
        }
        let client = abroad(&ada);
        let answers: Vec<_> = (0..1_000).map(|_| client.echo("")).collect();
        is_over.store(true, Ordering::SeqCst);
        for answer in answers {
            assert_eq!(answer.unwrap(), "incarnated");
        }
    });
}
