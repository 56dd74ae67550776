//! POA managers: their states, who waits for what, and who is refused.

use std::thread;
use std::time::Duration;

use taut::{
    ManagerAlreadyExists, Poa, PoaManager, PoaManagerError, PoaManagerState, Reference,
    RequestProcessingPolicy, SystemException, SystemExceptionKind,
};

use crate::common::{Echo, eventually};
use crate::poa::house::{
    DISCARDED, House, NO_SUCH_POA, UNKNOWN_OBJECT, WOULD_DEADLOCK, a_while, abroad, call, ends,
    named, omg, probe, skeleton, staying, who,
};
use crate::poa::keepers::{Activator, Diary};

use crate::common::mode::{Mode, for_each_mode};
use PoaManagerState::{Active, Discarding, Holding, Inactive};

for_each_mode! {
    [tcp, reactor] {
        every_state_follows_every_other_but_inactive_is_final,
        requests_fare_as_the_state_says,
        requests_that_wait_fare_as_the_next_state_says,
        requests_that_wait_are_refused_when_their_poa_is_destroyed,
        requests_that_wait_are_refused_when_the_orb_is_shut_down,
        no_more_requests_wait_than_the_setting_says,
        completion_is_that_of_requests_in_all_the_managers_poas,
        a_wait_for_completion_ends_when_the_state_changes_again,
        a_servant_changes_the_state_but_does_not_wait_for_completion,
        deactivating_takes_leave_of_objects_after_the_last_request,
        deactivating_waits_for_the_farewell,
        managers_have_ids_and_are_listed,
        oneway_requests_wait_too,
        a_manager_that_outlives_its_poa_is_deactivated_with_the_orb,
    }
}

const STATES: [PoaManagerState; 4] = [Holding, Active, Discarding, Inactive];

/// The exception of calls while the manager is inactive.
const INACTIVE: SystemException = omg(SystemExceptionKind::ObjectNotExist, 4);

fn enter(manager: &PoaManager, state: PoaManagerState, wait: bool) -> Result<(), PoaManagerError> {
    match state {
        Holding => manager.hold_requests(wait),
        Active => manager.activate(),
        Discarding => manager.discard_requests(wait),
        Inactive => manager.deactivate(true, wait),
    }
}

/// A POA with a manager in this state.
fn poa_in(house: &House, state: PoaManagerState) -> Poa {
    let poa = house.root.create_poa("managed", None, &[]).unwrap();
    assert_eq!(poa.manager().state(), Holding);
    enter(poa.manager(), state, false).unwrap();
    poa
}

fn every_state_follows_every_other_but_inactive_is_final(mode: Mode) {
    let house = House::in_mode(mode);
    for wait in [false, true] {
        for from in STATES {
            for to in STATES {
                let poa = poa_in(&house, from);
                let manager = poa.manager();
                assert_eq!(manager.state(), from);
                let entered = enter(manager, to, wait);
                if from == Inactive {
                    assert_eq!(entered, Err(PoaManagerError::AdapterInactive));
                    assert_eq!(manager.state(), Inactive);
                } else {
                    assert_eq!(entered, Ok(()));
                    assert_eq!(manager.state(), to);
                }
                poa.destroy(true, true).unwrap();
            }
        }
    }
}

fn requests_fare_as_the_state_says(mode: Mode) {
    let house = House::in_mode(mode);
    for state in [Active, Discarding, Inactive] {
        let poa = poa_in(&house, state);
        let object = poa.activate(skeleton(&named("here"))).unwrap();
        let expected = match state {
            Active => Ok("here".to_owned()),
            Discarding => Err(DISCARDED),
            _ => Err(INACTIVE),
        };
        assert_eq!(call(object.as_object(), ""), expected);
        poa.destroy(true, true).unwrap();
    }
}

fn requests_that_wait_fare_as_the_next_state_says(mode: Mode) {
    let house = House::in_mode(mode);
    for state in [Active, Discarding, Inactive] {
        let poa = poa_in(&house, Holding);
        let object = poa.activate(skeleton(&named("here"))).unwrap();
        let expected = match state {
            Active => Ok("here".to_owned()),
            Discarding => Err(DISCARDED),
            _ => Err(INACTIVE),
        };
        thread::scope(|scope| {
            let calls: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| call(object.as_object(), "")))
                .collect();
            a_while();
            assert!(calls.iter().all(|call| !call.is_finished()));
            enter(poa.manager(), state, false).unwrap();
            for call in calls {
                assert_eq!(call.join().unwrap(), expected);
            }
        });
        poa.destroy(true, true).unwrap();
    }
}

/// The manager of a POA that has gone is known to nobody, who could tell those that
/// wait to go on.
fn requests_that_wait_are_refused_when_their_poa_is_destroyed(mode: Mode) {
    let house = House::in_mode(mode);
    let poa = poa_in(&house, Holding);
    let object = poa.activate(skeleton(&named("gone"))).unwrap();
    let called = object.as_object().clone();
    ends("a request for a destroyed POA", move || {
        let waits = thread::spawn(move || call(&called, ""));
        a_while();
        assert!(!waits.is_finished());
        poa.destroy(true, true).unwrap();
        assert_eq!(waits.join().unwrap(), Err(NO_SUCH_POA));
    });
}

fn requests_that_wait_are_refused_when_the_orb_is_shut_down(mode: Mode) {
    let house = House::in_mode(mode);
    let poa = poa_in(&house, Holding);
    let object = poa.activate(skeleton(&named("gone"))).unwrap();
    let called = object.as_object().clone();
    let orb = house.orb.clone();
    ends("the shutdown", move || {
        let waits = thread::spawn(move || call(&called, ""));
        // Long enough for the request to come on a busy machine: nothing tells of it.
        thread::sleep(Duration::from_millis(300));
        assert!(!waits.is_finished());
        orb.shutdown(true).unwrap();
        let refusal = waits.join().unwrap().unwrap_err();
        assert_eq!(refusal.completed, taut::CompletionStatus::No);
    });
}

fn no_more_requests_wait_than_the_setting_says(mode: Mode) {
    let house = House::with(mode, |settings| settings.server.max_held_requests = 3);
    let poa = poa_in(&house, Holding);
    let object = poa.activate(skeleton(&named("here"))).unwrap();
    thread::scope(|scope| {
        let calls: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| call(object.as_object(), "")))
            .collect();
        let finished = || calls.iter().filter(|call| call.is_finished()).count();
        eventually("the refusal of five", || finished() == 5);
        a_while();
        assert_eq!(finished(), 5);
        poa.manager().activate().unwrap();
        let outcomes: Vec<_> = calls.into_iter().map(|call| call.join().unwrap()).collect();
        let refused = outcomes
            .iter()
            .filter(|outcome| **outcome == Err(DISCARDED));
        assert_eq!(refused.count(), 5);
        assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 3);
    });
    // Those that have waited do not count any more.
    poa.manager().hold_requests(true).unwrap();
    thread::scope(|scope| {
        let waits = scope.spawn(|| call(object.as_object(), ""));
        a_while();
        assert!(!waits.is_finished());
        poa.manager().activate().unwrap();
        assert!(waits.join().unwrap().is_ok());
    });
}

fn completion_is_that_of_requests_in_all_the_managers_poas(mode: Mode) {
    let house = House::in_mode(mode);
    for state in [Holding, Discarding, Inactive] {
        let manager = house
            .root
            .manager_factory()
            .create_poa_manager(&format!("{state:?}"));
        let manager = manager.unwrap();
        manager.activate().unwrap();
        let poas =
            ["one", "two"].map(|name| house.root.create_poa(name, Some(&manager), &[]).unwrap());
        let (servant, entered, release) = staying();
        let busy = poas[1].activate(skeleton(&servant)).unwrap();
        let idle = poas[0].activate(skeleton(&named("idle"))).unwrap();
        assert_eq!(who(idle.as_object()), "idle");
        thread::scope(|scope| {
            let running = scope.spawn(|| call(busy.as_object(), "stay"));
            entered.recv().unwrap();
            let waits = scope.spawn(|| enter(&manager, state, true));
            eventually("the change", || manager.state() == state);
            a_while();
            assert!(!waits.is_finished());
            release.send(()).unwrap();
            assert!(running.join().unwrap().is_ok());
            assert_eq!(waits.join().unwrap(), Ok(()));
        });
        poas.iter().for_each(|poa| poa.destroy(true, true).unwrap());
    }
}

fn a_wait_for_completion_ends_when_the_state_changes_again(mode: Mode) {
    let house = House::in_mode(mode);
    let poa = poa_in(&house, Active);
    let (servant, entered, release) = staying();
    let busy = poa.activate(skeleton(&servant)).unwrap();
    thread::scope(|scope| {
        let running = scope.spawn(|| call(busy.as_object(), "stay"));
        entered.recv().unwrap();
        let waits = scope.spawn(|| poa.manager().hold_requests(true));
        eventually("the change", || poa.manager().state() == Holding);
        poa.manager().activate().unwrap();
        assert_eq!(waits.join().unwrap(), Ok(()));
        assert!(!running.is_finished());
        release.send(()).unwrap();
        running.join().unwrap().unwrap();
    });
}

fn a_servant_changes_the_state_but_does_not_wait_for_completion(mode: Mode) {
    let house = House::in_mode(mode);
    let poa = poa_in(&house, Active);
    let own = poa.clone();
    let servant = probe(move |_| {
        for state in [Holding, Discarding, Inactive] {
            let refused = Err(PoaManagerError::System(WOULD_DEADLOCK));
            assert_eq!(enter(own.manager(), state, true), refused);
            assert_eq!(own.manager().state(), Active);
        }
        enter(own.manager(), Discarding, false).unwrap();
        Ok("changed".to_owned())
    });
    let object = poa.activate(skeleton(&servant)).unwrap();
    assert_eq!(who(object.as_object()), "changed");
    assert_eq!(call(object.as_object(), ""), Err(DISCARDED));
}

fn deactivating_takes_leave_of_objects_after_the_last_request(mode: Mode) {
    let house = House::in_mode(mode);
    let diary = Diary::default();
    let managed = [RequestProcessingPolicy::UseServantManager.into()];
    let poa = house.root.create_poa("managed", None, &managed).unwrap();
    let plain = house
        .root
        .create_poa("plain", Some(poa.manager()), &[])
        .unwrap();
    poa.manager().activate().unwrap();
    let activator = Activator::new(&diary, |_, _| Err(UNKNOWN_OBJECT.into()));
    poa.set_servant_manager(activator.manager()).unwrap();
    let (servant, entered, release) = staying();
    // A request that runs in one POA delays events in another of the same manager.
    let busy = plain.activate(skeleton(&servant)).unwrap();
    let idle = poa.activate_object(skeleton(&named("idle"))).unwrap();
    thread::scope(|scope| {
        let running = scope.spawn(|| call(busy.as_object(), "stay"));
        entered.recv().unwrap();
        poa.manager().deactivate(true, false).unwrap();
        a_while();
        assert!(diary.read().is_empty());
        release.send(()).unwrap();
        running.join().unwrap().unwrap();
        let expected = format!("etherealize {idle} cleanup");
        eventually("the farewell", || diary.count(&expected) == 1);
    });
    // Without an activator, objects stay.
    assert!(plain.reference_to_servant(busy.as_object()).is_ok());
    assert!(poa.id_to_servant(&idle).is_err());
    assert_eq!(diary.read().len(), 1);

    // An object that is activated later is no part of that.
    let later = poa.activate_object(skeleton(&named("later"))).unwrap();
    poa.deactivate_object(&later).unwrap();
    assert_eq!(diary.read(), [format!("etherealize {later}")]);
}

fn deactivating_waits_for_the_farewell(mode: Mode) {
    let house = House::in_mode(mode);
    for etherealize in [true, false] {
        let diary = Diary::default();
        let managed = [RequestProcessingPolicy::UseServantManager.into()];
        let poa = house.root.create_poa("managed", None, &managed).unwrap();
        poa.manager().activate().unwrap();
        let activator = Activator::new(&diary, |_, _| Err(UNKNOWN_OBJECT.into()));
        poa.set_servant_manager(activator.and(|_, _| a_while()).manager())
            .unwrap();
        for _ in 0..3 {
            poa.activate_object(skeleton(&named("idle"))).unwrap();
        }
        poa.manager().deactivate(etherealize, true).unwrap();
        assert_eq!(diary.count("etherealize"), if etherealize { 3 } else { 0 });
        poa.destroy(true, true).unwrap();
        assert_eq!(diary.count("etherealize"), 3);
    }
}

fn managers_have_ids_and_are_listed(mode: Mode) {
    let house = House::in_mode(mode);
    let factory = house.root.manager_factory();
    let one = factory.create_poa_manager("one").unwrap();
    assert_eq!(one.id(), "one");
    assert_eq!(one.state(), Holding);
    assert_eq!(
        factory.create_poa_manager("one").unwrap_err(),
        ManagerAlreadyExists
    );
    assert_eq!(factory.find("one").unwrap().id(), "one");
    assert!(factory.find("two").is_none());
    // The names that POAs' own managers get may be taken.
    factory.create_poa_manager("POAManager1").unwrap();
    let own = house.root.create_poa("own", None, &[]).unwrap();
    let ids: Vec<_> = factory
        .list()
        .iter()
        .map(|manager| manager.id().to_owned())
        .collect();
    assert_eq!(ids.len(), 4);
    for id in ["RootPOAManager", "one", "POAManager1", own.manager().id()] {
        assert!(ids.iter().any(|listed| listed == id), "{id}");
    }
    // A clone is the same.
    factory.find("one").unwrap().activate().unwrap();
    assert_eq!(one.state(), Active);
    // One that was made for a POA stays as long as another has it.
    let other = house
        .root
        .create_poa("other", Some(own.manager()), &[])
        .unwrap();
    own.destroy(true, true).unwrap();
    assert!(factory.find(other.manager().id()).is_some());
}

fn oneway_requests_wait_too(mode: Mode) {
    let house = House::in_mode(mode);
    let poa = poa_in(&house, Holding);
    let diary = Diary::default();
    let note = diary.clone();
    let servant = probe(move |text| {
        note.note(text);
        Ok(String::new())
    });
    let object = poa.activate(skeleton(&servant)).unwrap();
    let client = abroad(object.as_object());
    for number in 0..3 {
        client.note(&number.to_string()).unwrap();
    }
    a_while();
    assert!(diary.read().is_empty());
    poa.manager().activate().unwrap();
    client.ping().unwrap();
    eventually("the oneways", || diary.count("") == 4);
}

/// The manager of a POA that had ended was forgotten, though somebody gave it to
/// another one: the shutdown of the ORB waited for the requests that it held.
fn a_manager_that_outlives_its_poa_is_deactivated_with_the_orb(mode: Mode) {
    let house = House::in_mode(mode);
    let own = house.root.create_poa("own", None, &[]).unwrap();
    let manager = own.manager().clone();
    own.destroy(true, true).unwrap();
    assert!(house.root.manager_factory().find(manager.id()).is_none());
    let heir = house.root.create_poa("heir", Some(&manager), &[]).unwrap();
    assert!(house.root.manager_factory().find(manager.id()).is_some());
    let object = heir.activate(skeleton(&named("held"))).unwrap();
    let called = object.as_object().clone();
    let orb = house.orb.clone();
    ends("the shutdown", move || {
        let waits = thread::spawn(move || call(&called, ""));
        a_while();
        assert!(!waits.is_finished());
        orb.shutdown(true).unwrap();
        assert!(waits.join().unwrap().is_err());
    });
    assert_eq!(manager.state(), Inactive);
}
