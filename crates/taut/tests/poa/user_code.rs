//! Each place where the ORB calls the application's code, and what that code may do there:
//! whatever it is, the ORB finishes what it has begun, and nobody waits for ever.

use std::panic::panic_any;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;
use taut::codegen::Servant;
use taut::{
    AdapterActivator, Cookie, IdAssignmentPolicy, LifespanPolicy, ObjectId, ObjectRef, Orb, Poa,
    Policy, RequestProcessingPolicy, ServantActivator, ServantLocator, ServantManager,
    ServantManagerError, ServantRetentionPolicy, SystemException, ThreadPolicy,
};

use crate::common::{Echo, EchoError, EchoSkeleton, Refused};
use crate::house::{ECHO, House, WOULD_DEADLOCK, abroad, ends, named, skeleton};

/// The object whose end does something, among others.
const GRIM: &str = "grim";
const QUIET: [&str; 3] = ["a", "m", "z"];

/// What the application's code does where it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    Panic,
    PanicWithPanickingPayload,
    CallOthers,
    WaitForShutdown,
    WaitForDestruction,
    WaitForManager,
    Shutdown,
    Run,
    DestroyPoa,
    DestroyRoot,
    Activate,
    DeactivateOthers,
    DeactivateManager,
    CreatePoa,
}

impl Deed {
    const ALL: [Self; 14] = [
        Self::Panic,
        Self::PanicWithPanickingPayload,
        Self::CallOthers,
        Self::WaitForShutdown,
        Self::WaitForDestruction,
        Self::WaitForManager,
        Self::Shutdown,
        Self::Run,
        Self::DestroyPoa,
        Self::DestroyRoot,
        Self::Activate,
        Self::DeactivateOthers,
        Self::DeactivateManager,
        Self::CreatePoa,
    ];
}

/// Where the application's code is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Request,
    MainThreadRequest,
    DropAfterRequest,
    DropAtDeactivation,
    DropAtDestruction,
    DropAtShutdown,
    DropOfDefaultServant,
    DropOfLocatedServant,
    Incarnate,
    EtherealizeAtDeactivation,
    EtherealizeAfterRequest,
    EtherealizeAtDestruction,
    EtherealizeAtShutdown,
    EtherealizeByManager,
    Preinvoke,
    Postinvoke,
    UnknownAdapter,
    UnknownAdapterForRequest,
    DropOfAdapterActivator,
    ObjectKeyLocator,
    DropOfObjectKeyLocator,
}

/// A payload of a panic that panics once more.
struct Payload;

impl Drop for Payload {
    fn drop(&mut self) {
        panic!("the payload was asked to panic");
    }
}

type Act = Arc<dyn Fn() + Send + Sync>;

/// A servant that is counted as long as it lives, and does something in calls and at its
/// end.
struct Tracked {
    at_call: Option<Act>,
    at_drop: Option<Act>,
    _counted: Counted,
}

/// Counts itself.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Drop for Tracked {
    fn drop(&mut self) {
        if let Some(act) = self.at_drop.take() {
            act();
        }
    }
}

impl Echo for Tracked {
    fn echo(&self, text: &str) -> Result<String, EchoError> {
        if let Some(act) = &self.at_call {
            act();
        }
        Ok(text.to_owned())
    }
}

/// A server in which one piece of code does something.
struct World {
    deed: Deed,
    /// Shuts the ORB down, in the end.
    _house: House,
    orb: Orb,
    root: Poa,
    poa: Poa,
    other: ObjectRef,
    /// How many servants live.
    live: Arc<AtomicUsize>,
    /// How often the deed was begun.
    begun: AtomicUsize,
    faults: Mutex<Vec<String>>,
}

impl World {
    fn new(place: Place, deed: Deed) -> Arc<Self> {
        // Connections of others lie idle at the end.
        let house = House::with(|settings| settings.drain_timeout = Duration::from_millis(10));
        let poa = house.child("deeds", &place.policies());
        let other = house.root.activate(skeleton(&named("other"))).unwrap();
        Arc::new(Self {
            deed,
            orb: house.orb.clone(),
            root: house.root.clone(),
            poa,
            other: taut::Reference::as_object(&other).clone(),
            _house: house,
            live: Arc::default(),
            begun: AtomicUsize::new(0),
            faults: Mutex::default(),
        })
    }

    /// Does the deed.
    fn act(&self) {
        self.begun.fetch_add(1, Ordering::SeqCst);
        let Self {
            orb, root, poa, ..
        } = self;
        match self.deed {
            Deed::Panic => panic!("the application was asked to panic"),
            Deed::PanicWithPanickingPayload => panic_any(Payload),
            // Whether the other is still there is not said.
            Deed::CallOthers => drop(abroad(&self.other).echo("")),
            Deed::WaitForShutdown => self.expect_refusal(orb.shutdown(true)),
            Deed::WaitForDestruction => self.expect_refusal(poa.destroy(true, true)),
            Deed::WaitForManager => {
                let held = poa.manager().hold_requests(true);
                self.expect_refusal(held.map_err(|error| match error {
                    taut::PoaManagerError::System(exception) => exception,
                    taut::PoaManagerError::AdapterInactive => WOULD_DEADLOCK,
                }));
            }
            Deed::Shutdown => orb.shutdown(false).unwrap(),
            Deed::Run => {
                let other = orb.clone();
                let other = thread::spawn(move || other.shutdown(false));
                orb.run();
                other.join().unwrap().unwrap();
            }
            Deed::DestroyPoa => poa.destroy(true, false).unwrap(),
            Deed::DestroyRoot => root.destroy(true, false).unwrap(),
            Deed::Activate => {
                // They may be refused, and are dropped then.
                for id in [GRIM, "new"] {
                    let _ = poa.activate_object_with_id(&id.into(), self.servant(None, None));
                }
                let _ = root.activate_object(self.servant(None, None));
            }
            Deed::DeactivateOthers => QUIET.iter().for_each(|&id| {
                let _ = poa.deactivate_object(&id.into());
            }),
            Deed::DeactivateManager => {
                // It may be inactive already.
                let _ = poa.manager().deactivate(true, false);
            }
            Deed::CreatePoa => {
                // The parent may be about to end.
                let _ = poa.create_poa("another", Some(root.manager()), &[]);
            }
        }
    }

    fn expect_refusal(&self, outcome: Result<(), SystemException>) {
        if outcome != Err(WOULD_DEADLOCK) {
            self.faults.lock().push(format!("a wait: {outcome:?}"));
        }
    }

    fn servant(&self, at_call: Option<Act>, at_drop: Option<Act>) -> EchoSkeleton<Tracked> {
        self.live.fetch_add(1, Ordering::SeqCst);
        EchoSkeleton(Arc::new(Tracked {
            at_call,
            at_drop,
            _counted: Counted(Arc::clone(&self.live)),
        }))
    }

    fn deed(self: &Arc<Self>) -> Option<Act> {
        let world = Arc::clone(self);
        Some(Arc::new(move || world.act()))
    }

    /// Activates servants: one that does what it is given, and quiet ones.
    fn activate(&self, at_call: Option<Act>, at_drop: Option<Act>) {
        let [first, others @ ..] = QUIET;
        let activate = |id: &str, servant| {
            self.poa
                .activate_object_with_id(&id.into(), servant)
                .unwrap();
        };
        activate(first, self.servant(None, None));
        activate(GRIM, self.servant(at_call, at_drop));
        for id in others {
            activate(id, self.servant(None, None));
        }
    }

    /// Calls the object, if the call ends well or not.
    fn call(&self, id: &str) {
        let object = self.poa.create_reference_with_id(&id.into(), ECHO).unwrap();
        drop(abroad(&object).echo(""));
    }

    /// Deactivates its own object.
    fn deactivates_itself(self: &Arc<Self>) -> Option<Act> {
        let world = Arc::clone(self);
        Some(Arc::new(move || {
            world.poa.deactivate_object(&GRIM.into()).unwrap();
        }))
    }

    /// Sees that all ends: the ORB, for all who wait, and each servant.
    fn conclude(&self) {
        drop(abroad(&self.other).echo("later"));
        for _ in 0..2 {
            assert_eq!(self.orb.shutdown(true), Ok(()));
            self.orb.run();
        }
        assert!(self.begun.load(Ordering::SeqCst) > 0, "not called");
        assert_eq!(self.live.load(Ordering::SeqCst), 0, "servants live");
        let faults = self.faults.lock();
        assert!(faults.is_empty(), "{faults:?}");
    }
}

/// Servant managers and adapter activators that do the deed where `place` says.
struct Doer(Arc<World>, Place);

impl Doer {
    fn act_at(&self, places: &[Place]) {
        if places.contains(&self.1) {
            self.0.act();
        }
    }
}

impl ServantActivator for Doer {
    fn incarnate(&self, _: &ObjectId, _: &Poa) -> Result<Arc<dyn Servant>, ServantManagerError> {
        self.act_at(&[Place::Incarnate]);
        Ok(Arc::new(self.0.servant(None, None)))
    }

    fn etherealize(&self, id: &ObjectId, _: &Poa, _: &Arc<dyn Servant>, _: bool, _: bool) {
        if *id == GRIM.into() && self.1 != Place::Incarnate {
            self.0.act();
        }
    }
}

impl ServantLocator for Doer {
    fn preinvoke(
        &self,
        _: &ObjectId,
        _: &Poa,
        _: &str,
    ) -> Result<(Arc<dyn Servant>, Cookie), ServantManagerError> {
        self.act_at(&[Place::Preinvoke]);
        let at_drop = self
            .0
            .deed()
            .filter(|_| self.1 == Place::DropOfLocatedServant);
        Ok((Arc::new(self.0.servant(None, at_drop)), None))
    }

    fn postinvoke(&self, _: &ObjectId, _: &Poa, _: &str, _: Cookie, _: &Arc<dyn Servant>) {
        self.act_at(&[Place::Postinvoke]);
    }
}

impl AdapterActivator for Doer {
    fn unknown_adapter(&self, parent: &Poa, name: &str) -> Result<bool, SystemException> {
        self.act_at(&[Place::UnknownAdapter, Place::UnknownAdapterForRequest]);
        let manager = Some(self.0.root.manager());
        let policies = [LifespanPolicy::Persistent.into()];
        Ok(parent.create_poa(name, manager, &policies).is_ok())
    }
}

/// Does the deed at its own end.
struct AtEnd(Act);

impl Drop for AtEnd {
    fn drop(&mut self) {
        (self.0)();
    }
}

impl AdapterActivator for AtEnd {
    fn unknown_adapter(&self, _: &Poa, _: &str) -> Result<bool, SystemException> {
        Ok(false)
    }
}

impl Place {
    fn policies(self) -> Vec<Policy> {
        let mut policies: Vec<Policy> = vec![IdAssignmentPolicy::UserId.into()];
        let on_demand = RequestProcessingPolicy::UseServantManager.into();
        match self {
            Self::MainThreadRequest => policies.push(ThreadPolicy::MainThread.into()),
            Self::Incarnate
            | Self::EtherealizeAtDeactivation
            | Self::EtherealizeAfterRequest
            | Self::EtherealizeAtDestruction
            | Self::EtherealizeAtShutdown
            | Self::EtherealizeByManager => policies.push(on_demand),
            Self::Preinvoke | Self::Postinvoke | Self::DropOfLocatedServant => {
                policies.extend([on_demand, ServantRetentionPolicy::NonRetain.into()]);
            }
            Self::DropOfDefaultServant => {
                policies.push(RequestProcessingPolicy::UseDefaultServant.into());
                policies.push(taut::IdUniquenessPolicy::MultipleId.into());
            }
            Self::UnknownAdapterForRequest => policies.push(LifespanPolicy::Persistent.into()),
            _ => {}
        }
        policies
    }

    /// Sees that the world's deed is done here.
    fn visit(self, world: &Arc<World>) {
        match self {
            Self::Request
            | Self::MainThreadRequest
            | Self::DropAfterRequest
            | Self::DropAtDeactivation
            | Self::DropAtDestruction
            | Self::DropAtShutdown
            | Self::DropOfDefaultServant => self.visit_servants(world),
            Self::Incarnate
            | Self::EtherealizeAtDeactivation
            | Self::EtherealizeAfterRequest
            | Self::EtherealizeAtDestruction
            | Self::EtherealizeAtShutdown
            | Self::EtherealizeByManager => self.visit_activators(world),
            Self::Preinvoke | Self::Postinvoke | Self::DropOfLocatedServant => {
                let locator = ServantManager::locator(Doer(Arc::clone(world), self));
                world.poa.set_servant_manager(locator).unwrap();
                world.call(GRIM);
            }
            _ => self.visit_the_orb(world),
        }
    }

    fn visit_servants(self, world: &Arc<World>) {
        let World { orb, poa, .. } = &**world;
        match self {
            Self::Request => {
                world.activate(world.deed(), None);
                world.call(GRIM);
            }
            Self::MainThreadRequest => {
                world.activate(world.deed(), None);
                let runner = orb.clone();
                let runner = thread::spawn(move || runner.run());
                world.call(GRIM);
                world.call("a");
                orb.shutdown(true).unwrap();
                runner.join().unwrap();
            }
            Self::DropAfterRequest => {
                world.activate(world.deactivates_itself(), world.deed());
                world.call(GRIM);
            }
            Self::DropOfDefaultServant => {
                let grim = world.servant(None, world.deed());
                poa.set_servant(grim).unwrap();
                world.call("any");
                poa.set_servant(world.servant(None, None)).unwrap();
            }
            _ => {
                world.activate(None, world.deed());
                world.call(GRIM);
                self.end_objects(world);
            }
        }
    }

    fn visit_activators(self, world: &Arc<World>) {
        let activator = ServantManager::activator(Doer(Arc::clone(world), self));
        world.poa.set_servant_manager(activator).unwrap();
        match self {
            Self::Incarnate => {
                world.call("a");
                world.call(GRIM);
            }
            Self::EtherealizeAfterRequest => {
                world.activate(world.deactivates_itself(), None);
                world.call(GRIM);
            }
            _ => {
                world.activate(None, None);
                world.call(GRIM);
                self.end_objects(world);
            }
        }
    }

    fn end_objects(self, world: &World) {
        let World { orb, poa, .. } = world;
        match self {
            Self::DropAtDeactivation | Self::EtherealizeAtDeactivation => {
                poa.deactivate_object(&GRIM.into()).unwrap();
            }
            Self::DropAtDestruction | Self::EtherealizeAtDestruction => {
                assert_eq!(poa.destroy(true, true), Ok(()));
                assert_eq!(poa.destroy(true, true), Ok(()));
            }
            Self::EtherealizeByManager => {
                assert_eq!(poa.manager().deactivate(true, true), Ok(()));
            }
            _ => assert_eq!(orb.shutdown(true), Ok(())),
        }
    }

    fn visit_the_orb(self, world: &Arc<World>) {
        let World { orb, poa, .. } = &**world;
        let deed = world.deed().unwrap();
        let founder = || Some(Arc::new(Doer(Arc::clone(world), self)) as _);
        match self {
            Self::UnknownAdapter => {
                poa.set_adapter_activator(founder());
                let _ = poa.find_poa("child", true);
                let _ = poa.find_poa("child", true);
            }
            Self::UnknownAdapterForRequest => {
                let policies = [LifespanPolicy::Persistent.into()];
                let manager = Some(world.root.manager());
                let child = poa.create_poa("child", manager, &policies).unwrap();
                let object = child.create_reference(ECHO).unwrap();
                child.destroy(true, true).unwrap();
                poa.set_adapter_activator(founder());
                for _ in 0..2 {
                    drop(abroad(&object).echo(""));
                }
            }
            Self::DropOfAdapterActivator => {
                poa.set_adapter_activator(Some(Arc::new(AtEnd(deed))));
                assert_eq!(poa.destroy(true, true), Ok(()));
            }
            Self::ObjectKeyLocator => {
                orb.set_object_key_locator(move |_| {
                    deed();
                    None
                });
                call_by_key(orb);
            }
            _ => {
                let at_end = AtEnd(deed);
                orb.set_object_key_locator(move |_| {
                    let _ = &at_end;
                    None
                });
                call_by_key(orb);
                assert_eq!(orb.shutdown(true), Ok(()));
            }
        }
    }
}

/// Calls an object whose key only a locator can know.
fn call_by_key(orb: &Orb) {
    let url = format!("corbaloc::{}/Nowhere", orb.published_addresses()[0]);
    let nowhere = abroad(&orb.string_to_object(&url).unwrap());
    let refused: Result<String, EchoError> = nowhere.echo("");
    assert!(!matches!(refused, Ok(_) | Err(EchoError::Refused(Refused { .. }))));
}

/// Does each deed at each of the places; a cell that hangs is named.
fn try_all_at(places: &[Place]) {
    for &place in places {
        for deed in Deed::ALL {
            ends(&format!("{place:?} × {deed:?}"), move || {
                let world = World::new(place, deed);
                place.visit(&world);
                world.conclude();
            });
        }
    }
}

#[test]
fn requests_may_do_anything() {
    try_all_at(&[Place::Request, Place::MainThreadRequest]);
}

#[test]
fn servants_may_do_anything_as_they_are_dropped() {
    try_all_at(&[
        Place::DropAfterRequest,
        Place::DropAtDeactivation,
        Place::DropAtDestruction,
        Place::DropAtShutdown,
        Place::DropOfDefaultServant,
        Place::DropOfLocatedServant,
    ]);
}

#[test]
fn servant_activators_may_do_anything() {
    try_all_at(&[
        Place::Incarnate,
        Place::EtherealizeAtDeactivation,
        Place::EtherealizeAfterRequest,
        Place::EtherealizeAtDestruction,
        Place::EtherealizeAtShutdown,
        Place::EtherealizeByManager,
    ]);
}

#[test]
fn servant_locators_may_do_anything() {
    try_all_at(&[Place::Preinvoke, Place::Postinvoke]);
}

#[test]
fn what_the_orb_asks_may_do_anything() {
    try_all_at(&[
        Place::UnknownAdapter,
        Place::UnknownAdapterForRequest,
        Place::DropOfAdapterActivator,
        Place::ObjectKeyLocator,
        Place::DropOfObjectKeyLocator,
    ]);
}
