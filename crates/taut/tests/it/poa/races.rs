//! All at once: threads activate, deactivate, call, create and destroy. Nobody reaches
//! a wrong servant, nothing hangs, nothing is left, and each activation has one end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use taut::{
    Current, IdAssignmentPolicy, LifespanPolicy, ObjectId, ObjectRef, Poa, Policy, Reference,
    RequestProcessingPolicy, ServantRetentionPolicy, SystemExceptionKind, ThreadPolicy,
};

use crate::common::eventually;
use crate::common::mode::{Mode, for_each_mode};
use crate::poa::house::{ECHO, House, Probe, abroad, call, ends, probe, shared, skeleton};
use crate::poa::keepers::{Activator, Diary, Founder, Locator};

for_each_mode! {
    [tcp, reactor] {
        objects_come_and_go_while_they_are_called,
        assigned_ids_lead_to_nobody_else,
        every_activation_has_one_farewell,
        poas_come_and_go_while_their_objects_are_called,
        each_preinvoke_has_its_postinvoke_though_the_poa_ends,
    }
}

/// Servants that are counted when they come and when they go.
#[derive(Clone, Default)]
struct Census(Arc<[AtomicU64; 2]>);

struct Citizen(Census);

impl Drop for Citizen {
    fn drop(&mut self) {
        self.0.0[1].fetch_add(1, Ordering::SeqCst);
    }
}

impl Census {
    /// A servant of this object alone, which notices when another is meant.
    fn servant(&self, id: &ObjectId) -> Arc<Probe> {
        self.0[0].fetch_add(1, Ordering::SeqCst);
        let (citizen, own) = (Citizen(self.clone()), id.clone());
        probe(move |_| {
            let _ = &citizen;
            assert_eq!(Current::object_id()?, own, "a wrong servant is reached");
            Ok(own.to_string())
        })
    }

    fn born(&self) -> u64 {
        self.0[0].load(Ordering::SeqCst)
    }

    fn living(&self) -> u64 {
        self.born() - self.0[1].load(Ordering::SeqCst)
    }
}

/// Calls an object, which is the right one or not there.
fn visit(object: &ObjectRef, id: &ObjectId) -> bool {
    match call(object, "") {
        Ok(answer) => {
            assert_eq!(answer, id.to_string(), "a wrong servant has answered");
            true
        }
        Err(exception) => {
            let is_absent = matches!(
                exception.kind,
                SystemExceptionKind::ObjectNotExist | SystemExceptionKind::Transient
            );
            assert!(is_absent, "{exception}");
            false
        }
    }
}

/// Lets these act again and again, all at once, for a second.
fn at_once(acts: Vec<Box<dyn Fn(u64) + Send>>) {
    ends("the turmoil", move || {
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            for act in acts {
                let is_over = &is_over;
                scope.spawn(move || {
                    let mut round = 0;
                    while !is_over.load(Ordering::Relaxed) {
                        act(round);
                        round += 1;
                    }
                });
            }
            thread::sleep(Duration::from_secs(1));
            is_over.store(true, Ordering::Relaxed);
        });
    });
}

const USER_ID: Policy = Policy::IdAssignment(IdAssignmentPolicy::UserId);
const PERSISTENT: Policy = Policy::Lifespan(LifespanPolicy::Persistent);
const MANAGED: Policy = Policy::RequestProcessing(RequestProcessingPolicy::UseServantManager);

fn ids() -> Vec<ObjectId> {
    (0..6)
        .map(|number| ObjectId::new(format!("object {number}")))
        .collect()
}

fn objects_come_and_go_while_they_are_called(mode: Mode) {
    for policies in [
        &[USER_ID][..],
        &[USER_ID, PERSISTENT],
        &[USER_ID, Policy::Thread(ThreadPolicy::SingleThread)],
    ] {
        let house = House::in_mode(mode);
        let census = Census::default();
        let poa = house.child("turmoil", policies);
        let answered = Arc::new(AtomicU64::new(0));
        let mut acts: Vec<Box<dyn Fn(u64) + Send>> = Vec::new();
        for thread in 0..3 {
            let (poa, census) = (poa.clone(), census.clone());
            acts.push(Box::new(move |round| {
                let id = &ids()[(round as usize * 5 + thread) % 6];
                let servant = census.servant(id);
                if poa.activate_object_with_id(id, skeleton(&servant)).is_ok() && thread == 0 {
                    let _ = poa.servant_to_id(skeleton(&servant));
                }
                thread::yield_now();
                let _ = poa.deactivate_object(&ids()[(round as usize + thread) % 6]);
            }));
        }
        for thread in 0..3 {
            let (poa, answered) = (poa.clone(), Arc::clone(&answered));
            acts.push(Box::new(move |round| {
                let id = &ids()[(round as usize + thread) % 6];
                let object = poa.create_reference_with_id(id, ECHO).unwrap();
                answered.fetch_add(u64::from(visit(&object, id)), Ordering::Relaxed);
            }));
        }
        at_once(acts);
        poa.destroy(true, true).unwrap();
        assert!(answered.load(Ordering::Relaxed) > 0);
        eventually("the end of all servants", || census.living() == 0);
    }
}

fn assigned_ids_lead_to_nobody_else(mode: Mode) {
    let house = House::in_mode(mode);
    let census = Census::default();
    let poa = house.child("turmoil", &[]);
    let mut acts: Vec<Box<dyn Fn(u64) + Send>> = Vec::new();
    for thread in 0..6 {
        let (poa, census) = (poa.clone(), census.clone());
        acts.push(Box::new(move |round| {
            let object = poa.create_reference(ECHO).unwrap();
            let id = poa.reference_to_id(&object).unwrap();
            poa.activate_object_with_id(&id, skeleton(&census.servant(&id)))
                .unwrap();
            assert!(visit(&object, &id));
            poa.deactivate_object(&id).unwrap();
            assert!(!visit(&object, &id));
            if (round + thread) % 3 == 0 {
                poa.activate_object_with_id(&id, skeleton(&census.servant(&id)))
                    .unwrap();
                assert!(visit(&object, &id));
                poa.deactivate_object(&id).unwrap();
            }
        }));
    }
    at_once(acts);
    poa.destroy(true, true).unwrap();
    eventually("the end of all servants", || census.living() == 0);
}

fn every_activation_has_one_farewell(mode: Mode) {
    let house = House::in_mode(mode);
    let census = Census::default();
    let diary = Diary::default();
    let activations = Arc::new(AtomicU64::new(0));
    let found = {
        let (census, diary, activations) = (census.clone(), diary.clone(), activations.clone());
        move |poa: &Poa| {
            let (census, activations) = (census.clone(), activations.clone());
            let activator = Activator::new(&diary, move |id, _| {
                activations.fetch_add(1, Ordering::SeqCst);
                Ok(shared(&census.servant(id)))
            });
            poa.set_servant_manager(activator.manager()).unwrap();
        }
    };
    let poa = house.child("turmoil", &[USER_ID, MANAGED]);
    found(&poa);
    let mut acts: Vec<Box<dyn Fn(u64) + Send>> = Vec::new();
    for thread in 0..4 {
        let poa = poa.clone();
        acts.push(Box::new(move |round| {
            let id = &ids()[(round as usize + thread) % 6];
            let object = poa.create_reference_with_id(id, ECHO).unwrap();
            assert!(visit(&object, id));
        }));
    }
    for thread in 0..2 {
        let (poa, census, activations) = (poa.clone(), census.clone(), activations.clone());
        acts.push(Box::new(move |round| {
            let id = &ids()[(round as usize * 5 + thread) % 6];
            let _ = poa.deactivate_object(id);
            if round % 3 == 0 {
                let servant = census.servant(id);
                let activated = poa.activate_object_with_id(id, skeleton(&servant));
                activations.fetch_add(u64::from(activated.is_ok()), Ordering::SeqCst);
            }
        }));
    }
    at_once(acts);
    poa.destroy(true, true).unwrap();
    let farewells = diary.count("etherealize") as u64;
    assert_eq!(farewells, activations.load(Ordering::SeqCst));
    assert!(farewells > 10);
    eventually("the end of all servants", || census.living() == 0);
}

fn poas_come_and_go_while_their_objects_are_called(mode: Mode) {
    let house = House::in_mode(mode);
    let census = Census::default();
    let diary = Diary::default();
    let (citizens, notes) = (census.clone(), diary.clone());
    let founder = Founder::asking(&diary, move |parent, name| {
        let poa = parent.create_poa(
            name,
            Some(parent.manager()),
            &[USER_ID, PERSISTENT, MANAGED],
        )?;
        poa.set_adapter_activator(parent.adapter_activator())
            .unwrap();
        let census = citizens.clone();
        let activator = Activator::new(&notes, move |id, _| Ok(shared(&census.servant(id))));
        poa.set_servant_manager(activator.manager())?;
        Ok(true)
    });
    house.root.set_adapter_activator(Some(founder)).unwrap();
    let objects: Vec<(ObjectId, ObjectRef)> = {
        let one = house.root.find_poa("one", true).unwrap();
        let two = one.find_poa("two", true).unwrap();
        let of = |poa: &Poa| {
            ids()
                .into_iter()
                .map(|id| {
                    let object = poa.create_reference_with_id(&id, ECHO).unwrap();
                    (id, object)
                })
                .collect::<Vec<_>>()
        };
        [of(&one), of(&two)].concat()
    };
    let answered = Arc::new(AtomicU64::new(0));
    let mut acts: Vec<Box<dyn Fn(u64) + Send>> = Vec::new();
    for thread in 0..4 {
        let (objects, answered) = (objects.clone(), answered.clone());
        acts.push(Box::new(move |round| {
            let (id, object) = &objects[(round as usize + 3 * thread) % objects.len()];
            answered.fetch_add(u64::from(visit(object, id)), Ordering::Relaxed);
        }));
    }
    for thread in 0..2 {
        let root = house.root.clone();
        acts.push(Box::new(move |round| {
            thread::sleep(Duration::from_millis(2));
            let one = root.find_poa("one", round % 2 == 0);
            let Ok(one) = one else { return };
            let poa = match thread {
                0 => Ok(one),
                _ => one.find_poa("two", round % 2 == 0),
            };
            if let Ok(poa) = poa {
                poa.destroy(true, round % 3 != 0).unwrap();
            }
        }));
    }
    let root = house.root.clone();
    acts.push(Box::new(move |_| {
        root.manager().hold_requests(false).unwrap();
        thread::yield_now();
        root.manager().activate().unwrap();
    }));
    at_once(acts);
    for child in house.root.children() {
        child.destroy(true, true).unwrap();
    }
    assert!(answered.load(Ordering::Relaxed) > 0);
    assert!(diary.count("unknown_adapter RootPOA one") > 1);
    assert_eq!(diary.count("incarnate"), diary.count("etherealize"));
    assert_eq!(diary.count("incarnate") as u64, census.born());
    eventually("the end of all servants", || census.living() == 0);
}

fn each_preinvoke_has_its_postinvoke_though_the_poa_ends(mode: Mode) {
    let house = House::in_mode(mode);
    let census = Census::default();
    let diary = Diary::default();
    let forgetful: Policy = ServantRetentionPolicy::NonRetain.into();
    let policies = [USER_ID, PERSISTENT, MANAGED, forgetful];
    let create = {
        let (root, census, diary) = (house.root.clone(), census.clone(), diary.clone());
        move || {
            let poa = root
                .create_poa("located", Some(root.manager()), &policies)
                .unwrap();
            let census = census.clone();
            let locator = Locator::new(&diary, move |id, _, _| {
                Ok((shared(&census.servant(id)), Some(Box::new(1_u32) as _)))
            });
            // A request may have come before; it was told that there is no manager.
            poa.set_servant_manager(locator.manager()).unwrap();
            poa
        }
    };
    let first = create();
    let objects: Vec<_> = ids()
        .into_iter()
        .map(|id| (first.create_reference_with_id(&id, ECHO).unwrap(), id))
        .collect();
    let mut acts: Vec<Box<dyn Fn(u64) + Send>> = Vec::new();
    for thread in 0..4 {
        let objects = objects.clone();
        acts.push(Box::new(move |round| {
            let (object, _) = &objects[(round as usize + thread) % objects.len()];
            let _ = abroad(object).as_object().non_existent();
            let _ = call(object, "");
        }));
    }
    acts.push(Box::new(move |round| {
        thread::sleep(Duration::from_millis(1));
        let poa = first.parent().unwrap().find_poa("located", false).unwrap();
        poa.destroy(true, round % 2 == 0).unwrap();
        create();
    }));
    at_once(acts);
    for child in house.root.children() {
        child.destroy(true, true).unwrap();
    }
    assert!(diary.count("preinvoke") > 10);
    assert_eq!(diary.count("preinvoke"), diary.count("postinvoke"));
    eventually("the end of all servants", || census.living() == 0);
}
