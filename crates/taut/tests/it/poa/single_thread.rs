//! The policy SINGLE_THREAD_MODEL: one request at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use taut::{
    IdAssignmentPolicy, IdUniquenessPolicy, Poa, Policy, Reference, RequestProcessingPolicy,
    ServantRetentionPolicy, ThreadPolicy,
};

use crate::common::mode::{Mode, for_each_mode};
use crate::poa::house::{ECHO, House, Probe, call, probe, shared, skeleton, staying, who};
use crate::poa::keepers::{Activator, Diary, Locator};

for_each_mode! {
    [tcp, reactor] {
        servants_take_turns_wherever_they_come_from,
        two_such_poas_do_not_wait_for_each_other,
        a_panic_ends_the_turn,
        an_object_that_was_deactivated_while_its_request_waited_is_not_called,
    }
}

const SINGLE: Policy = Policy::Thread(ThreadPolicy::SingleThread);

/// A servant that notes how many are in it and its like at once.
fn lonely(inside: &Arc<AtomicU32>) -> Arc<Probe> {
    let inside = Arc::clone(inside);
    probe(move |_| {
        alone(&inside);
        Ok(String::new())
    })
}

fn alone(inside: &AtomicU32) {
    assert_eq!(
        inside.fetch_add(1, Ordering::SeqCst),
        0,
        "another is at work"
    );
    (0..100).for_each(|_| thread::yield_now());
    inside.fetch_sub(1, Ordering::SeqCst);
}

fn crowd(objects: &[taut::ObjectRef]) {
    thread::scope(|scope| {
        for number in 0..16 {
            let object = &objects[number % objects.len()];
            scope.spawn(move || (0..20).for_each(|_| drop(call(object, "").unwrap())));
        }
    });
}

fn servants_take_turns_wherever_they_come_from(mode: Mode) {
    let house = House::in_mode(mode);
    let inside = Arc::new(AtomicU32::new(0));
    let user: Policy = IdAssignmentPolicy::UserId.into();
    let objects = |poa: &Poa| {
        ["ada", "bob"].map(|id| poa.create_reference_with_id(&id.into(), ECHO).unwrap())
    };

    let active = house.child("active", &[SINGLE, user]);
    for id in ["ada", "bob"] {
        active
            .activate_object_with_id(&id.into(), skeleton(&lonely(&inside)))
            .unwrap();
    }
    crowd(&objects(&active));

    let many: Policy = IdUniquenessPolicy::MultipleId.into();
    let by_default = RequestProcessingPolicy::UseDefaultServant.into();
    let default = house.child("default", &[SINGLE, user, many, by_default]);
    default.set_servant(skeleton(&lonely(&inside))).unwrap();
    crowd(&objects(&default));

    let managed = RequestProcessingPolicy::UseServantManager.into();
    let activated = house.child("activated", &[SINGLE, user, managed]);
    let shared_inside = Arc::clone(&inside);
    let activator = Activator::new(&Diary::default(), move |_, _| {
        alone(&shared_inside);
        Ok(shared(&lonely(&shared_inside)))
    });
    activated.set_servant_manager(activator.manager()).unwrap();
    crowd(&objects(&activated));

    let forgetful = ServantRetentionPolicy::NonRetain.into();
    let located = house.child("located", &[SINGLE, user, managed, forgetful]);
    let locator = Locator::new(&Diary::default(), move |_, _, _| {
        alone(&inside);
        Ok((shared(&lonely(&inside)), None))
    });
    located.set_servant_manager(locator.manager()).unwrap();
    crowd(&objects(&located));
}

fn two_such_poas_do_not_wait_for_each_other(mode: Mode) {
    let house = House::in_mode(mode);
    let (one, two) = (house.child("one", &[SINGLE]), house.child("two", &[SINGLE]));
    let (servant, entered, release) = staying();
    let busy = one.activate(skeleton(&servant)).unwrap();
    let idle = two
        .activate(skeleton(&crate::poa::house::named("idle")))
        .unwrap();
    thread::scope(|scope| {
        let running = scope.spawn(|| call(busy.as_object(), "stay"));
        entered.recv().unwrap();
        assert_eq!(who(idle.as_object()), "idle");
        let waits = scope.spawn(|| call(busy.as_object(), "next"));
        crate::poa::house::a_while();
        assert!(!waits.is_finished());
        release.send(()).unwrap();
        assert_eq!(running.join().unwrap().as_deref(), Ok("stay"));
        assert_eq!(waits.join().unwrap().as_deref(), Ok("next"));
    });
}

fn a_panic_ends_the_turn(mode: Mode) {
    use crate::common::{Echo, Misbehaviour};
    let house = House::in_mode(mode);
    let poa = house.child("single", &[SINGLE]);
    let object = poa
        .activate(skeleton(&crate::poa::house::named("here")))
        .unwrap();
    let client = crate::poa::house::abroad(object.as_object());
    for _ in 0..3 {
        client.misbehave(Misbehaviour::Panics).unwrap_err();
        assert_eq!(who(object.as_object()), "here");
    }
}

fn an_object_that_was_deactivated_while_its_request_waited_is_not_called(mode: Mode) {
    let house = House::in_mode(mode);
    let poa = house.child("single", &[SINGLE]);
    let (servant, entered, release) = staying();
    let busy = poa.activate(skeleton(&servant)).unwrap();
    let gone = poa
        .activate(skeleton(&crate::poa::house::named("gone")))
        .unwrap();
    let id = poa.reference_to_id(gone.as_object()).unwrap();
    thread::scope(|scope| {
        let running = scope.spawn(|| call(busy.as_object(), "stay"));
        entered.recv().unwrap();
        let waits = scope.spawn(|| call(gone.as_object(), ""));
        crate::poa::house::a_while();
        poa.deactivate_object(&id).unwrap();
        release.send(()).unwrap();
        running.join().unwrap().unwrap();
        assert_eq!(
            waits.join().unwrap(),
            Err(crate::poa::house::UNKNOWN_OBJECT)
        );
    });
}
