//! Parents and children, and how POAs end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use taut::{
    IdAssignmentPolicy, LifespanPolicy, Poa, PoaError, PoaManagerState, Policy, Reference,
    RequestProcessingPolicy, SystemExceptionKind,
};

use crate::common::eventually;
use crate::common::mode::{Mode, for_each_mode};
use crate::poa::house::{
    House, NO_SUCH_POA, POA_NAME_TOO_LONG, UNKNOWN_OBJECT, WOULD_DEADLOCK, a_while, call, ends,
    named, omg, probe, refused, skeleton, staying, who,
};
use crate::poa::keepers::{Activator, Diary};

for_each_mode! {
    [tcp, reactor] {
        children_are_found_by_name,
        names_that_do_not_fit_into_a_key_are_refused,
        a_child_has_the_manager_it_was_given_or_one_of_its_own,
        a_destroyed_poa_is_not_found_and_its_objects_are_not_there,
        the_end_of_a_poa_waits_for_the_request_that_runs_and_for_its_children,
        without_etherealization_the_activator_learns_nothing,
        a_name_is_free_again_when_no_request_runs_any_more,
        a_servant_ends_its_own_poa_but_does_not_wait_for_it,
        the_end_of_the_orb_ends_all_poas_and_drops_their_servants,
        a_poa_that_ends_while_it_is_created_is_forgotten,
        a_manager_that_changes_its_state_while_a_poa_ends_does_not_hang,
        requests_for_a_poa_that_is_being_destroyed_are_told_so,
    }
}

const BAD_INV_ORDER: SystemExceptionKind = SystemExceptionKind::BadInvOrder;

fn names(poas: &[Poa]) -> Vec<String> {
    let mut names: Vec<_> = poas.iter().map(|poa| poa.name().to_owned()).collect();
    names.sort();
    names
}

fn children_are_found_by_name(mode: Mode) {
    let house = House::in_mode(mode);
    let root = &house.root;
    assert_eq!(root.name(), "RootPOA");
    assert_eq!(root.parent(), None);
    let one = house.child("one", &[]);
    let two = one.create_poa("two", None, &[]).unwrap();
    // Siblings' names differ; others' need not, and any text is a name.
    let odd = one.create_poa("a/b\0c.d", None, &[]).unwrap();
    let like_parent = one.create_poa("one", None, &[]).unwrap();
    let empty = one.create_poa("", None, &[]).unwrap();
    assert_eq!(one.parent(), Some(root));
    assert_eq!(two.parent(), Some(&one));
    assert_eq!(names(&root.children()), ["one"]);
    assert_eq!(names(&one.children()), ["", "a/b\0c.d", "one", "two"]);
    assert_eq!(root.find_poa("one", false).as_ref(), Ok(&one));
    assert_eq!(one.find_poa("one", true).as_ref(), Ok(&like_parent));
    assert_eq!(one.find_poa("a/b\0c.d", true).as_ref(), Ok(&odd));
    assert_eq!(one.find_poa("", false).as_ref(), Ok(&empty));
    for activate_it in [false, true] {
        let missing = root.find_poa("two", activate_it);
        assert_eq!(missing, Err(PoaError::AdapterNonExistent));
    }
    let again = root.create_poa("one", None, &[]);
    assert_eq!(again, Err(PoaError::AdapterAlreadyExists));
    let ids = [root, &one, &two, &odd, &like_parent, &empty].map(Poa::id);
    for (index, id) in ids.iter().enumerate() {
        assert!(!ids[..index].contains(id));
    }
}

fn names_that_do_not_fit_into_a_key_are_refused(mode: Mode) {
    let house = House::in_mode(mode);
    let policies: [Policy; 2] = [
        LifespanPolicy::Persistent.into(),
        IdAssignmentPolicy::UserId.into(),
    ];
    let too_long = || Err(POA_NAME_TOO_LONG.into());
    // The path begins with the server's id, which is empty; each name has a length.
    let longest = "n".repeat(65_535 - 4);
    let poa = house
        .root
        .create_poa(&longest, Some(house.root.manager()), &policies)
        .unwrap();
    assert_eq!(poa.create_poa("", None, &[]), too_long());
    for length in [65_535 - 3, 65_535, 65_536, 100_000] {
        let name = "n".repeat(length);
        assert_eq!(house.root.create_poa(&name, None, &[]), too_long());
    }
    let object = poa
        .activate_with_id(&"ada".into(), skeleton(&named("ada")))
        .unwrap();
    assert_eq!(who(object.as_object()), "ada");
}

fn a_child_has_the_manager_it_was_given_or_one_of_its_own(mode: Mode) {
    let house = House::in_mode(mode);
    let shared = house.child("shared", &[]);
    let own = house.root.create_poa("own", None, &[]).unwrap();
    assert_eq!(shared.manager().id(), house.root.manager().id());
    assert_ne!(own.manager().id(), house.root.manager().id());
    assert_eq!(own.manager().state(), PoaManagerState::Holding);
    assert_eq!(shared.manager().state(), PoaManagerState::Active);
    let listed = house.root.manager_factory().list();
    assert_eq!(listed.len(), 2);
    // Its own goes with it.
    own.destroy(true, true).unwrap();
    shared.destroy(true, true).unwrap();
    assert_eq!(house.root.manager_factory().list().len(), 1);
}

fn a_destroyed_poa_is_not_found_and_its_objects_are_not_there(mode: Mode) {
    let house = House::in_mode(mode);
    for policies in [&[][..], &[LifespanPolicy::Persistent.into()]] {
        let poa = house.child("short", policies);
        let below = poa
            .create_poa("below", Some(poa.manager()), policies)
            .unwrap();
        let object = poa.activate(skeleton(&named("short"))).unwrap();
        let object_below = below.activate(skeleton(&named("below"))).unwrap();
        assert_eq!(who(object.as_object()), "short");
        assert_eq!(who(object_below.as_object()), "below");
        poa.destroy(true, true).unwrap();
        poa.destroy(true, true).unwrap();
        below.destroy(false, false).unwrap();
        for object in [&object, &object_below] {
            assert_eq!(call(object.as_object(), ""), Err(NO_SUCH_POA));
        }
        let missing = house.root.find_poa("short", true);
        assert_eq!(missing, Err(PoaError::AdapterNonExistent));
        assert!(house.root.children().is_empty());
        let refusal = poa.create_poa("more", None, &[]);
        assert_eq!(refusal, refused(BAD_INV_ORDER, 17));
        let refusal = poa.activate_object(skeleton(&named("late")));
        assert_eq!(refusal, Err(NO_SUCH_POA.into()));
    }
}

fn the_end_of_a_poa_waits_for_the_request_that_runs_and_for_its_children(mode: Mode) {
    let house = House::in_mode(mode);
    let diary = Diary::default();
    let policies = [RequestProcessingPolicy::UseServantManager.into()];
    let parent = house.child("parent", &policies);
    let child = parent
        .create_poa("child", Some(parent.manager()), &policies)
        .unwrap();
    for poa in [&parent, &child] {
        let activator = Activator::new(&diary, |_, _| Err(UNKNOWN_OBJECT.into()));
        let name = poa.name().to_owned();
        let note = diary.clone();
        let activator = activator.and(move |_, _| note.note(format!("in {name}")));
        poa.set_servant_manager(activator.manager()).unwrap();
    }
    let (servant, entered, release) = staying();
    let busy = child.activate(skeleton(&servant)).unwrap();
    let idle = parent.activate(skeleton(&named("idle"))).unwrap();
    thread::scope(|scope| {
        let running = scope.spawn(|| call(busy.as_object(), "stay"));
        entered.recv().unwrap();
        parent.destroy(true, false).unwrap();
        let waits = scope.spawn(|| parent.destroy(false, true));
        // Nobody new comes in, at neither.
        assert!(call(idle.as_object(), "").is_err());
        assert!(call(busy.as_object(), "").is_err());
        assert_eq!(
            parent.create_poa("more", None, &[]),
            refused(BAD_INV_ORDER, 17)
        );
        a_while();
        assert!(!waits.is_finished());
        assert!(diary.read().is_empty());
        release.send(()).unwrap();
        assert_eq!(running.join().unwrap().as_deref(), Ok("stay"));
        waits.join().unwrap().unwrap();
    });
    let entries = diary.read();
    assert!(entries[0].ends_with("cleanup"), "{entries:?}");
    assert_eq!([&entries[1], &entries[3]], ["in child", "in parent"]);
    assert_eq!(entries.len(), 4);
}

fn without_etherealization_the_activator_learns_nothing(mode: Mode) {
    let house = House::in_mode(mode);
    let diary = Diary::default();
    let poa = house.child(
        "silent",
        &[RequestProcessingPolicy::UseServantManager.into()],
    );
    let activator = Activator::new(&diary, |_, _| Err(UNKNOWN_OBJECT.into()));
    poa.set_servant_manager(activator.manager()).unwrap();
    let servant = named("silent");
    poa.activate(skeleton(&servant)).unwrap();
    poa.destroy(false, true).unwrap();
    assert!(diary.read().is_empty());
    assert_eq!(Arc::strong_count(&servant), 1);
}

fn a_name_is_free_again_when_no_request_runs_any_more(mode: Mode) {
    let house = House::in_mode(mode);
    let old = house.child("phoenix", &[]);
    let (servant, entered, release) = staying();
    let busy = old.activate(skeleton(&servant)).unwrap();
    thread::scope(|scope| {
        let running = scope.spawn(|| call(busy.as_object(), "stay"));
        entered.recv().unwrap();
        old.destroy(true, false).unwrap();
        let creation = scope.spawn(|| house.child("phoenix", &[]));
        a_while();
        assert!(!creation.is_finished());
        release.send(()).unwrap();
        running.join().unwrap().unwrap();
        let new = creation.join().unwrap();
        assert_ne!(new, old);
        let object = new.activate(skeleton(&named("new"))).unwrap();
        assert_eq!(who(object.as_object()), "new");
        assert_eq!(call(busy.as_object(), ""), Err(NO_SUCH_POA));
    });
}

fn a_servant_ends_its_own_poa_but_does_not_wait_for_it(mode: Mode) {
    let house = House::in_mode(mode);
    let poa = house.child("own", &[]);
    let own = poa.clone();
    let servant = probe(move |_| {
        assert_eq!(own.destroy(true, true), Err(WOULD_DEADLOCK));
        let parent = own.parent().unwrap();
        assert_eq!(parent.find_poa("own", false).as_ref(), Ok(&own));
        own.destroy(true, false)?;
        let again = parent.create_poa("own", None, &[]);
        assert_eq!(again, Err(WOULD_DEADLOCK.into()));
        Ok("ended".to_owned())
    });
    let object = poa.activate(skeleton(&servant)).unwrap();
    assert_eq!(call(object.as_object(), "").as_deref(), Ok("ended"));
    poa.destroy(true, true).unwrap();
    assert_eq!(call(object.as_object(), ""), Err(NO_SUCH_POA));
}

fn the_end_of_the_orb_ends_all_poas_and_drops_their_servants(mode: Mode) {
    struct Counted(Arc<AtomicU32>);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let dropped = Arc::new(AtomicU32::new(0));
    let house = House::in_mode(mode);
    let mut poa = house.root.clone();
    for depth in 0..10 {
        poa = poa.create_poa(&depth.to_string(), None, &[]).unwrap();
        let counted = Counted(Arc::clone(&dropped));
        let servant = probe(move |_| Ok(counted.0.load(Ordering::SeqCst).to_string()));
        poa.activate(skeleton(&servant)).unwrap();
    }
    house.orb.shutdown(true).unwrap();
    assert_eq!(dropped.load(Ordering::SeqCst), 10);
}

/// The manager was told of a POA that had ended, and kept it and itself for ever.
fn a_poa_that_ends_while_it_is_created_is_forgotten(mode: Mode) {
    let house = House::in_mode(mode);
    for round in 0..200 {
        let parent = house.child("parent", &[]);
        thread::scope(|scope| {
            scope.spawn(|| {
                while parent.create_poa("child", None, &[]).is_ok() {
                    if let Ok(child) = parent.find_poa("child", false) {
                        let _ = child.destroy(true, round % 2 == 0);
                    }
                }
            });
            scope.spawn(|| {
                for _ in 0..20 {
                    for child in parent.children() {
                        let _ = child.destroy(true, false);
                    }
                }
                parent.destroy(true, false).unwrap();
            });
        });
        parent.destroy(true, true).unwrap();
    }
    eventually("the managers' end", || {
        house.root.manager_factory().list().len() == 1
    });
}

/// The manager told a POA of its new state just when that was the last that knew of
/// it: its end asked the manager, which waited for itself.
fn a_manager_that_changes_its_state_while_a_poa_ends_does_not_hang(mode: Mode) {
    let house = House::in_mode(mode);
    let begin = Instant::now();
    for _ in 0..300 {
        let root = house.root.clone();
        ends("a manager", move || {
            come_and_go_while_the_manager_changes(&root)
        });
        // On a busy machine fewer rounds must do.
        if begin.elapsed() > Duration::from_secs(10) {
            break;
        }
    }
}

fn come_and_go_while_the_manager_changes(root: &Poa) {
    let manager = root.manager_factory().create_poa_manager("busy").ok();
    let manager = manager
        .or_else(|| root.manager_factory().find("busy"))
        .unwrap();
    let poas: Vec<_> = (0..8)
        .map(|number| {
            root.create_poa(&number.to_string(), Some(&manager), &[])
                .unwrap()
        })
        .collect();
    thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..8 {
                manager.activate().unwrap();
                manager.hold_requests(false).unwrap();
            }
        });
        for poa in &poas {
            poa.destroy(true, false).unwrap();
        }
    });
    poas.iter().for_each(|poa| poa.destroy(true, true).unwrap());
}

fn requests_for_a_poa_that_is_being_destroyed_are_told_so(mode: Mode) {
    let house = House::in_mode(mode);
    let policies = [
        LifespanPolicy::Persistent.into(),
        IdAssignmentPolicy::UserId.into(),
    ];
    let poa = house.child("leaving", &policies);
    let below = poa
        .create_poa("below", Some(poa.manager()), &policies)
        .unwrap();
    let gone = below
        .create_reference_with_id(&"x".into(), crate::poa::house::ECHO)
        .unwrap();
    below.destroy(true, true).unwrap();
    let (servant, entered, release) = staying();
    let busy = poa
        .activate_with_id(&"busy".into(), skeleton(&servant))
        .unwrap();
    thread::scope(|scope| {
        let running = scope.spawn(|| call(busy.as_object(), "stay"));
        entered.recv().unwrap();
        poa.destroy(true, false).unwrap();
        let leaving = omg(SystemExceptionKind::Transient, 4);
        assert_eq!(call(busy.as_object(), ""), Err(leaving.clone()));
        // A request for an object that might be found below is answered when the POA is
        // there again.
        assert_eq!(call(&gone, ""), Err(leaving));
        release.send(()).unwrap();
        running.join().unwrap().unwrap();
    });
    poa.destroy(true, true).unwrap();
    assert_eq!(call(busy.as_object(), ""), Err(NO_SUCH_POA));
}
