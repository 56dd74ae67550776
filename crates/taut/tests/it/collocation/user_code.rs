//! The deeds of servants in calls within a process, and as they are dropped after one; the
//! other places where the ORB calls the application's code are in `poa/user_code.rs`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use parking_lot::Mutex;
use taut::codegen::Servant;
use taut::{
    AdapterActivator, CollocationStrategy, IdAssignmentPolicy, LifespanPolicy, ObjectId, ObjectRef,
    Orb, Poa, Policy, Reference, RequestProcessingPolicy, ServantActivator, ServantManager,
    ServantManagerError, SystemException, SystemExceptionKind,
};

use super::identity::Asker;
use super::{Circle, CircleRef, CircleSkeleton};
use crate::common::ends;

/// A deed of a servant in a call, or as it is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    Panic,
    WaitForShutdown,
    WaitForDestruction,
    WaitForManager,
    Shutdown,
    Run,
    DestroyPoa,
    DestroyRoot,
    Activate,
    DeactivateAll,
}

impl Deed {
    const ALL: [Self; 10] = [
        Self::Panic,
        Self::WaitForShutdown,
        Self::WaitForDestruction,
        Self::WaitForManager,
        Self::Shutdown,
        Self::Run,
        Self::DestroyPoa,
        Self::DestroyRoot,
        Self::Activate,
        Self::DeactivateAll,
    ];
}

/// A server in the caller's process.
struct World {
    orb: Orb,
    poa: Poa,
    deed: Deed,
    /// Whether the deed is to be done.
    is_on: AtomicBool,
    /// How many servants live.
    live: Arc<AtomicUsize>,
    waits: Mutex<Vec<Result<(), SystemException>>>,
}

/// Counts itself as long as it lives, and then does something.
struct AtEnd<F: Fn()> {
    live: Arc<AtomicUsize>,
    act: F,
}

impl<F: Fn()> Drop for AtEnd<F> {
    fn drop(&mut self) {
        self.live.fetch_sub(1, Ordering::SeqCst);
        (self.act)();
    }
}

impl World {
    fn new(deed: Deed) -> Arc<Self> {
        let orb = orb();
        let root = orb.root_poa().unwrap();
        let policies = [IdAssignmentPolicy::UserId.into()];
        let poa = root.create_poa("deeds", Some(root.manager()), &policies);
        Arc::new(Self {
            orb,
            poa: poa.unwrap(),
            deed,
            is_on: AtomicBool::new(false),
            live: Arc::default(),
            waits: Mutex::default(),
        })
    }

    fn activate(
        &self,
        id: &str,
        in_call: impl Fn() + Send + Sync + 'static,
        at_end: impl Fn() + Send + Sync + 'static,
    ) -> Option<CircleRef> {
        self.live.fetch_add(1, Ordering::SeqCst);
        let end = AtEnd {
            live: Arc::clone(&self.live),
            act: at_end,
        };
        let servant = Asker(move || {
            let _ = &end;
            in_call();
        });
        let skeleton = CircleSkeleton::new(servant);
        self.poa.activate_with_id(&id.into(), skeleton).ok()
    }

    fn act(&self) {
        if !self.is_on.load(Ordering::SeqCst) {
            return;
        }
        let Self { orb, poa, .. } = self;
        let note = |outcome| self.waits.lock().push(outcome);
        match self.deed {
            Deed::Panic => panic!("the servant was asked to panic"),
            Deed::WaitForShutdown => note(orb.shutdown(true)),
            Deed::WaitForDestruction => note(poa.destroy(true, true)),
            Deed::WaitForManager => {
                note(match poa.manager().hold_requests(true) {
                    Err(taut::PoaManagerError::System(exception)) => Err(exception),
                    // It was inactive when the servant was dropped.
                    Err(_) => return,
                    Ok(()) => Ok(()),
                });
            }
            Deed::Shutdown => orb.shutdown(false).unwrap(),
            Deed::Run => {
                let other = orb.clone();
                let other = thread::spawn(move || other.shutdown(false));
                orb.run();
                other.join().unwrap().unwrap();
            }
            Deed::DestroyPoa => poa.destroy(true, false).unwrap(),
            Deed::DestroyRoot => poa.parent().unwrap().destroy(true, false).unwrap(),
            // It may be refused, and is dropped then.
            Deed::Activate => drop(self.activate("new", || {}, || {})),
            Deed::DeactivateAll => {
                for id in ["first", "grim", "last"] {
                    let _ = poa.deactivate_object(&id.into());
                }
            }
        }
    }

    /// Calls until the reference keeps the servant, if it does, and then for the deed.
    fn call(&self, object: &CircleRef) {
        for _ in 0..3 {
            object.radius().unwrap();
        }
        self.is_on.store(true, Ordering::SeqCst);
        // A direct call's panic is the caller's, and the other deeds have their outcomes.
        let call = || drop(object.radius());
        let _ = catch_unwind(AssertUnwindSafe(call));
        let _ = catch_unwind(AssertUnwindSafe(call));
    }

    fn conclude(&self) {
        for _ in 0..2 {
            assert_eq!(self.orb.shutdown(true), Ok(()));
            self.orb.run();
        }
        assert_eq!(self.live.load(Ordering::SeqCst), 0, "servants live");
        for outcome in &*self.waits.lock() {
            assert_eq!(would_deadlock(outcome), Some(true), "{outcome:?}");
        }
    }
}

/// An ORB whose requests come through at once.
fn orb() -> Orb {
    let orb = Orb::builder().listen("127.0.0.1:0").unwrap();
    let orb = orb.build().unwrap();
    orb.root_poa().unwrap().manager().activate().unwrap();
    orb
}

/// Whether this is BAD_INV_ORDER with OMG minor 3. None when nothing was raised.
fn would_deadlock<T>(outcome: &taut::Result<T>) -> Option<bool> {
    let exception = outcome.as_ref().err()?;
    Some(exception.kind == SystemExceptionKind::BadInvOrder && exception.minor & 0xfff == 3)
}

const STRATEGIES: [CollocationStrategy; 2] =
    [CollocationStrategy::ThroughPoa, CollocationStrategy::Direct];

#[test]
fn servants_may_do_anything_in_a_call_within_the_process() {
    for strategy in STRATEGIES {
        for deed in Deed::ALL {
            ends(&format!("a call, {strategy:?} × {deed:?}"), move || {
                let world = World::new(deed);
                world.activate("first", || {}, || {});
                let in_call = Arc::clone(&world);
                let object = world.activate("grim", move || in_call.act(), || {});
                world.activate("last", || {}, || {});
                world.call(&object.unwrap().with_collocation(strategy));
                world.conclude();
            });
        }
    }
}

#[test]
fn servants_may_do_anything_as_they_are_dropped_after_a_call_within_the_process() {
    for strategy in STRATEGIES {
        for deed in Deed::ALL {
            ends(&format!("a Drop, {strategy:?} × {deed:?}"), move || {
                let world = World::new(deed);
                world.activate("first", || {}, || {});
                let (in_call, at_end) = (Arc::clone(&world), Arc::clone(&world));
                let deactivate = move || {
                    if in_call.is_on.load(Ordering::SeqCst) {
                        let _ = in_call.poa.deactivate_object(&"grim".into());
                    }
                };
                let object = world.activate("grim", deactivate, move || at_end.act());
                world.activate("last", || {}, || {});
                world.call(&object.unwrap().with_collocation(strategy));
                world.conclude();
            });
        }
    }
}

/// Servant managers that call the very object, or POA, that they see to.
struct Eager {
    object: Mutex<Option<CircleRef>>,
    outcomes: Mutex<Vec<Option<bool>>>,
}

impl Eager {
    fn call(&self) {
        let object = self.object.lock().clone();
        let outcome = object.unwrap().radius();
        self.outcomes.lock().push(would_deadlock(&outcome));
    }
}

struct Shared(Arc<Eager>);

impl ServantActivator for Shared {
    fn incarnate(&self, _: &ObjectId, _: &Poa) -> Result<Arc<dyn Servant>, ServantManagerError> {
        self.0.call();
        Ok(Arc::new(CircleSkeleton::new(Asker(|| {}))))
    }

    fn etherealize(&self, _: &ObjectId, _: &Poa, _: &Arc<dyn Servant>, _: bool, _: bool) {
        self.0.call();
    }
}

impl AdapterActivator for Shared {
    fn unknown_adapter(&self, parent: &Poa, name: &str) -> Result<bool, SystemException> {
        parent.create_poa(name, Some(parent.manager()), &persistent())?;
        self.0.call();
        Ok(true)
    }
}

fn persistent() -> [Policy; 2] {
    [
        LifespanPolicy::Persistent.into(),
        IdAssignmentPolicy::UserId.into(),
    ]
}

fn circle(object: &ObjectRef) -> CircleRef {
    object.unchecked_narrow()
}

/// Incarnates a servant that deactivates its object and calls it again.
struct Restarter(Arc<Eager>);

impl ServantActivator for Restarter {
    fn incarnate(&self, id: &ObjectId, poa: &Poa) -> Result<Arc<dyn Servant>, ServantManagerError> {
        let (eager, id, poa) = (Arc::clone(&self.0), id.clone(), poa.clone());
        Ok(Arc::new(CircleSkeleton::new(Asker(move || {
            poa.deactivate_object(&id).unwrap();
            eager.call();
        }))))
    }
}

/// Else it waits for its own end before it is incarnated anew.
#[test]
fn a_servant_that_calls_its_deactivated_object_is_refused() {
    ends("a call of a servant", || {
        let eager = Arc::new(Eager {
            object: Mutex::default(),
            outcomes: Mutex::default(),
        });
        let orb = orb();
        let root = orb.root_poa().unwrap();
        let policies = [
            IdAssignmentPolicy::UserId.into(),
            RequestProcessingPolicy::UseServantManager.into(),
        ];
        let poa = root.create_poa("objects", Some(root.manager()), &policies);
        let poa = poa.unwrap();
        let manager = ServantManager::activator(Restarter(Arc::clone(&eager)));
        poa.set_servant_manager(manager).unwrap();
        let type_id = <CircleRef as Reference>::INTERFACE.repository_id;
        let object = poa.create_reference_with_id(&"ada".into(), type_id);
        let object = circle(&object.unwrap());
        *eager.object.lock() = Some(object.clone());
        for _ in 0..3 {
            object.radius().unwrap();
        }
        assert_eq!(*eager.outcomes.lock(), [Some(true); 3]);
        *eager.object.lock() = None;
        orb.shutdown(true).unwrap();
    });
}

/// Else the call waits for what waits for the call.
#[test]
fn an_activator_that_calls_its_own_object_is_refused() {
    ends("a call of an activator", || {
        let eager = Arc::new(Eager {
            object: Mutex::default(),
            outcomes: Mutex::default(),
        });
        let orb = orb();
        let root = orb.root_poa().unwrap();
        let type_id = <CircleRef as Reference>::INTERFACE.repository_id;
        let mut policies = persistent().to_vec();
        policies.push(RequestProcessingPolicy::UseServantManager.into());
        let poa = root.create_poa("objects", Some(root.manager()), &policies);
        let poa = poa.unwrap();
        let manager = ServantManager::activator(Shared(Arc::clone(&eager)));
        poa.set_servant_manager(manager).unwrap();
        let object = poa.create_reference_with_id(&"ada".into(), type_id);
        let object = circle(&object.unwrap());
        *eager.object.lock() = Some(object.clone());
        object.radius().unwrap();
        poa.deactivate_object(&"ada".into()).unwrap();
        assert_eq!(*eager.outcomes.lock(), [Some(true); 2]);

        // A POA that is not there yet.
        let parent = root.create_poa("parent", Some(root.manager()), &persistent());
        let parent = parent.unwrap();
        let child = parent.create_poa("child", Some(root.manager()), &persistent());
        let child = child.unwrap();
        let object = child.create_reference_with_id(&"bob".into(), type_id);
        let object = circle(&object.unwrap());
        child.destroy(true, true).unwrap();
        *eager.object.lock() = Some(object.clone());
        let founder = Arc::new(Shared(Arc::clone(&eager)));
        parent.set_adapter_activator(Some(founder)).unwrap();
        // The POA is there then, and the object is not.
        assert_eq!(would_deadlock(&object.radius()), Some(false));
        assert!(parent.find_poa("child", false).is_ok());
        assert_eq!(*eager.outcomes.lock(), [Some(true); 3]);
        parent.set_adapter_activator(None).unwrap();
        *eager.object.lock() = None;
        orb.shutdown(true).unwrap();
    });
}
