//! `Current` in every way of calling: the object whose servant runs, and no other.

use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock, Weak};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;
use taut::codegen::Servant;
use taut::{
    AdapterActivator, CollocationStrategy, Cookie, Current, IdAssignmentPolicy, IdUniquenessPolicy,
    NoContext, ObjectId, Orb, Poa, Policy, Reference, RequestProcessingPolicy, ServantActivator,
    ServantIdentity, ServantLocator, ServantManager, ServantManagerError, ServantRetentionPolicy,
    SystemException, ThreadPolicy,
};

use super::{
    Circle, CircleRef, CircleSkeleton, Colour, FAILURE, OutlineError, Path, Point, Shape, ShapeRef,
    SumReply,
};

/// Asks a servant to panic, instead of so many nested calls.
const PANIC: i32 = -1;

/// The calls on one reference, which keeps the servant from the second on.
const ROUNDS: usize = 4;

/// The objects of a test, which lie in POAs of the same names.
const IDS: [&str; 2] = ["outer", "inner"];

/// The state that the servants and servant managers of a test share.
#[derive(Default)]
struct Shared {
    references: OnceLock<[CircleRef; 2]>,
    /// Where `Current` told something else than it should.
    faults: Mutex<Vec<String>>,
}

impl Shared {
    fn expect<T: PartialEq + Debug>(&self, place: &str, found: T, expected: T) {
        if found != expected {
            let fault = format!("{place}: {found:?} instead of {expected:?}");
            self.faults.lock().push(fault);
        }
    }

    /// Sees that no object is told here.
    fn expect_nobody(&self, place: &str) {
        self.expect(place, Current::object_id(), Err(NoContext));
        self.expect(place, Current::poa().map(drop), Err(NoContext));
        self.expect(place, Current::reference().map(drop), Err(NoContext));
        self.expect(place, Current::servant().map(drop), Err(NoContext));
    }

    fn assert_faultless(&self, what: &str) {
        let faults = self.faults.lock();
        assert!(faults.is_empty(), "{what}: {faults:#?}");
    }
}

/// A servant that sees whether `Current` tells the object that was called.
struct Witness {
    shared: Arc<Shared>,
    this: Weak<Self>,
}

impl Witness {
    fn skeleton(shared: &Arc<Shared>) -> CircleSkeleton<Self> {
        CircleSkeleton::from_arc(Arc::new_cyclic(|this| Self {
            shared: Arc::clone(shared),
            this: Weak::clone(this),
        }))
    }

    /// Sees whether `Current` tells the object with this id.
    fn check(&self, id: &str, when: &str) {
        let place = format!("{id} {when}");
        if let Err(error) = self.try_check(id, &place) {
            self.shared.expect(&place, Err(error), Ok(()));
        }
    }

    fn try_check(&self, id: &str, place: &str) -> Result<(), NoContext> {
        let poa = Current::poa()?;
        self.shared.expect(place, poa.name(), id);
        self.shared.expect(place, Current::object_id()?, id.into());
        let own_id = poa.reference_to_id(&Current::reference()?);
        self.shared.expect(place, own_id, Ok(id.into()));
        let own = ServantIdentity::of(&self.this.upgrade().unwrap());
        self.shared
            .expect(place, Current::servant()?.identity(), own);
        Ok(())
    }

    /// Calls the other object, which calls back as long as there are calls left.
    fn call_other(&self, id: &str, calls: i32) {
        let other = usize::from(id == IDS[0]);
        let reference = &self.shared.references.get().unwrap()[other];
        // A direct call's panic is the caller's.
        let call = || reference.sum(&[calls], IDS[other], None).is_err();
        let has_failed = catch_unwind(AssertUnwindSafe(call)).unwrap_or(true);
        self.shared
            .expect("a call has failed", has_failed, calls == PANIC);
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        self.shared.expect_nobody("Drop");
    }
}

impl Shape for Witness {
    /// Deactivates its own object.
    fn name(&self) -> taut::Result<String> {
        let id = Current::object_id()?;
        Current::poa()?.deactivate_object(&id).unwrap();
        Ok(id.to_string())
    }
}

impl Circle for Witness {
    fn radius(&self) -> taut::Result<f64> {
        Ok(0.0)
    }

    fn set_radius(&self, _: f64) -> taut::Result<()> {
        Ok(())
    }

    /// Has the other object deactivate itself.
    fn outline(&self, _: u32) -> Result<Path, OutlineError> {
        self.check(IDS[0], "before");
        let [_, inner] = self.shared.references.get().unwrap();
        assert_eq!(inner.name()?, IDS[1]);
        self.check(IDS[0], "after the other was deactivated");
        Ok(Path::new())
    }

    fn move_by(&self, _: &Point, _: &mut f64) -> taut::Result<Point> {
        Err(FAILURE)
    }

    fn feed(&self, _: &[i32]) -> taut::Result<()> {
        Ok(())
    }

    /// Sees that it is the object of this name, makes so many nested calls, and sees that
    /// it still is.
    fn sum(&self, calls: &[i32], name: &str, _: Option<&ShapeRef>) -> taut::Result<SumReply> {
        self.check(name, "before");
        assert_ne!(calls, [PANIC], "the servant was asked to panic");
        if calls[0] > 0 {
            self.call_other(name, calls[0] - 1);
            self.check(name, "after a nested call");
            self.call_other(name, PANIC);
            self.check(name, "after a panic");
        }
        Ok(SumReply {
            result: 0,
            s: String::new(),
            c: Colour::LightGreen,
        })
    }

    fn log(&self, _: &str) -> taut::Result<()> {
        Ok(())
    }
}

/// A servant manager of either kind, which belongs to no object.
struct Manager(Arc<Shared>);

impl ServantActivator for Manager {
    fn incarnate(&self, _: &ObjectId, _: &Poa) -> Result<Arc<dyn Servant>, ServantManagerError> {
        self.0.expect_nobody("incarnate");
        Ok(Arc::new(Witness::skeleton(&self.0)))
    }

    fn etherealize(&self, _: &ObjectId, _: &Poa, _: &Arc<dyn Servant>, _: bool, _: bool) {
        self.0.expect_nobody("etherealize");
    }
}

impl ServantLocator for Manager {
    fn preinvoke(
        &self,
        _: &ObjectId,
        _: &Poa,
        _: &str,
    ) -> Result<(Arc<dyn Servant>, Cookie), ServantManagerError> {
        self.0.expect_nobody("preinvoke");
        Ok((Arc::new(Witness::skeleton(&self.0)), None))
    }

    fn postinvoke(&self, _: &ObjectId, _: &Poa, _: &str, _: Cookie, _: &Arc<dyn Servant>) {
        self.0.expect_nobody("postinvoke");
    }
}

/// How the servants of a test come about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Active,
    Default,
    Located,
    Incarnated,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Active, Self::Default, Self::Located, Self::Incarnated];

    fn policies(self) -> Vec<Policy> {
        let mut policies: Vec<Policy> = vec![IdAssignmentPolicy::UserId.into()];
        match self {
            Self::Active => {}
            Self::Default => {
                policies.push(RequestProcessingPolicy::UseDefaultServant.into());
                policies.push(IdUniquenessPolicy::MultipleId.into());
            }
            Self::Located => {
                policies.push(RequestProcessingPolicy::UseServantManager.into());
                policies.push(ServantRetentionPolicy::NonRetain.into());
            }
            Self::Incarnated => policies.push(RequestProcessingPolicy::UseServantManager.into()),
        }
        policies
    }

    fn fill(self, poa: &Poa, shared: &Arc<Shared>) {
        let skeleton = || Witness::skeleton(shared);
        let manager = || Manager(Arc::clone(shared));
        match self {
            Self::Active => poa.activate_object_with_id(&poa.name().into(), skeleton()),
            Self::Default => poa.set_servant(skeleton()),
            Self::Located => poa.set_servant_manager(ServantManager::locator(manager())),
            Self::Incarnated => poa.set_servant_manager(ServantManager::activator(manager())),
        }
        .unwrap();
    }
}

/// An ORB with two objects that call each other.
struct Pair {
    orb: Orb,
    poas: [Poa; 2],
    shared: Arc<Shared>,
}

impl Pair {
    fn new(kind: Kind, threads: [ThreadPolicy; 2], strategy: CollocationStrategy) -> Self {
        let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
        // Its own connections lie idle at the end.
        let builder = builder.settings(|settings| settings.server.drain_timeout = Duration::ZERO);
        let orb = builder.build().unwrap();
        let root = orb.root_poa().unwrap();
        root.manager().activate().unwrap();
        let shared = Arc::<Shared>::default();
        let poas = [0, 1].map(|place| {
            let mut policies = kind.policies();
            policies.push(threads[place].into());
            let manager = Some(root.manager());
            let poa = root.create_poa(IDS[place], manager, &policies).unwrap();
            kind.fill(&poa, &shared);
            poa
        });
        let references = poas.each_ref().map(|poa| {
            let type_id = <CircleRef as Reference>::INTERFACE.repository_id;
            let object = poa.create_reference_with_id(&poa.name().into(), type_id);
            let object: CircleRef = object.unwrap().unchecked_narrow();
            object.with_collocation(strategy)
        });
        shared.references.set(references).unwrap();
        Self { orb, poas, shared }
    }

    fn references(&self) -> &[CircleRef; 2] {
        self.shared.references.get().unwrap()
    }

    /// Makes calls, of which each makes nested ones, and ends the ORB.
    fn run(self, nested: i32) {
        let runner = self.orb.clone();
        let runner = thread::spawn(move || runner.run());
        for _ in 0..ROUNDS {
            for (reference, id) in self.references().iter().zip(IDS).take(nested as usize) {
                reference.sum(&[nested], id, None).unwrap();
                self.shared.expect_nobody("outside of a request");
            }
        }
        self.orb.shutdown(true).unwrap();
        runner.join().unwrap();
    }
}

/// The faults were that a servant called directly was told to be its caller, from the
/// second call on, and that servant managers of nested calls were.
#[test]
fn each_servant_is_told_who_it_is_in_every_way_of_calling() {
    use CollocationStrategy::{Direct, Off, ThroughPoa};
    use ThreadPolicy::{MainThread, OrbControlled, SingleThread};
    for strategy in [ThroughPoa, Direct, Off] {
        for kind in Kind::ALL {
            for policy in [OrbControlled, SingleThread, MainThread] {
                // By message a call back would wait for the thread that waits for it.
                let is_one_way = strategy == Off && policy != OrbControlled;
                let (inner, nested) = match is_one_way {
                    true => (OrbControlled, 1),
                    false => (policy, 2),
                };
                let pair = Pair::new(kind, [policy, inner], strategy);
                let shared = Arc::clone(&pair.shared);
                pair.run(nested);
                shared.assert_faultless(&format!("{strategy:?}, {kind:?}, {policy:?}"));
            }
        }
    }
}

/// Else it deactivated its caller.
#[test]
fn a_servant_called_directly_deactivates_itself_and_not_its_caller() {
    for kind in [Kind::Active, Kind::Incarnated] {
        let pair = Pair::new(
            kind,
            [ThreadPolicy::OrbControlled; 2],
            CollocationStrategy::Direct,
        );
        let [outer, _] = pair.references();
        for _ in 0..ROUNDS {
            outer.sum(&[1], IDS[0], None).unwrap();
        }
        outer.outline(0).unwrap();
        let [outer_poa, inner_poa] = &pair.poas;
        assert!(outer_poa.id_to_servant(&IDS[0].into()).is_ok(), "{kind:?}");
        assert!(inner_poa.id_to_servant(&IDS[1].into()).is_err(), "{kind:?}");
        pair.orb.shutdown(true).unwrap();
        pair.shared.assert_faultless(&format!("{kind:?}"));
    }
}

/// An adapter activator that belongs to no object, and creates nothing.
struct NoFounder(Arc<Shared>);

impl AdapterActivator for NoFounder {
    fn unknown_adapter(&self, _: &Poa, _: &str) -> Result<bool, SystemException> {
        self.0.expect_nobody("unknown_adapter");
        Ok(false)
    }
}

#[test]
fn adapter_activators_and_locators_of_keys_belong_to_no_object() {
    for strategy in [CollocationStrategy::ThroughPoa, CollocationStrategy::Direct] {
        let pair = Pair::new(Kind::Active, [ThreadPolicy::OrbControlled; 2], strategy);
        let shared = Arc::clone(&pair.shared);
        let asked = Arc::new(Mutex::new(0));
        let count = Arc::clone(&asked);
        pair.orb.set_object_key_locator(move |_| {
            shared.expect_nobody("the object key locator");
            *count.lock() += 1;
            None
        });
        let url = format!("corbaloc::{}/Nowhere", pair.orb.published_addresses()[0]);
        let nowhere = pair.orb.string_to_object(&url).unwrap();
        let [outer, inner] = &pair.poas;
        let founder = Arc::new(NoFounder(Arc::clone(&pair.shared)));
        outer.set_adapter_activator(Some(founder)).unwrap();
        let parent = outer.clone();
        let asker = Asker(move || {
            assert!(parent.find_poa("unknown", true).is_err());
            assert!(nowhere.locate().is_ok());
        });
        let id = ObjectId::new("asker");
        let asker = inner.activate_with_id(&id, CircleSkeleton::new(asker));
        let asker = asker.unwrap().with_collocation(strategy);
        for round in 1..=ROUNDS {
            asker.radius().unwrap();
            assert!(*asked.lock() >= round);
        }
        pair.orb.shutdown(true).unwrap();
        pair.shared.assert_faultless(&format!("{strategy:?}"));
    }
}

/// A servant that does something for each call.
pub(crate) struct Asker<F>(pub(crate) F);

impl<F: Fn() + Send + Sync + 'static> Shape for Asker<F> {
    fn name(&self) -> taut::Result<String> {
        Err(FAILURE)
    }
}

impl<F: Fn() + Send + Sync + 'static> Circle for Asker<F> {
    fn radius(&self) -> taut::Result<f64> {
        (self.0)();
        Ok(0.0)
    }

    fn set_radius(&self, _: f64) -> taut::Result<()> {
        Err(FAILURE)
    }

    fn outline(&self, _: u32) -> Result<Path, OutlineError> {
        Err(FAILURE.into())
    }

    fn move_by(&self, _: &Point, _: &mut f64) -> taut::Result<Point> {
        Err(FAILURE)
    }

    fn feed(&self, _: &[i32]) -> taut::Result<()> {
        Err(FAILURE)
    }

    fn sum(&self, _: &[i32], _: &str, _: Option<&ShapeRef>) -> taut::Result<SumReply> {
        Err(FAILURE)
    }

    fn log(&self, _: &str) -> taut::Result<()> {
        Err(FAILURE)
    }
}
