//! The deeds of the application's code where the ORB calls it, and the server around it.

use std::panic::panic_any;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;
use taut::{ObjectRef, Orb, Poa, Reference, SystemException};

use super::places::Place;
use crate::common::mode::Mode;
use crate::common::{Echo, EchoError, EchoSkeleton};
use crate::poa::house::{ECHO, House, WOULD_DEADLOCK, abroad, named, skeleton};

/// The object whose end does something, among others.
pub(crate) const GRIM: &str = "grim";
pub(crate) const QUIET: [&str; 3] = ["a", "m", "z"];

/// A deed of the application's code where it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deed {
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
    pub(crate) const ALL: [Self; 14] = [
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

/// A payload of a panic that panics once more.
pub(crate) struct Payload;

impl Drop for Payload {
    fn drop(&mut self) {
        panic!("the payload was asked to panic");
    }
}

pub(crate) type Act = Arc<dyn Fn() + Send + Sync>;

/// A servant that is counted as long as it lives, and does something in calls and at its
/// end.
pub(crate) struct Tracked {
    at_call: Option<Act>,
    at_drop: Option<Act>,
    _counted: Counted,
}

/// Counts itself.
pub(crate) struct Counted(Arc<AtomicUsize>);

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
pub(crate) struct World {
    /// Tells it from all others of the process.
    number: usize,
    place: Place,
    deed: Deed,
    /// Shuts the ORB down, in the end.
    _house: House,
    pub(crate) orb: Orb,
    pub(crate) root: Poa,
    pub(crate) poa: Poa,
    other: ObjectRef,
    /// How many servants live.
    live: Arc<AtomicUsize>,
    /// How often the deed was begun.
    begun: AtomicUsize,
    faults: Mutex<Vec<String>>,
}

impl World {
    pub(crate) fn new(mode: Mode, place: Place, deed: Deed) -> Arc<Self> {
        // Connections of others lie idle at the end.
        let house = House::with(mode, |settings| {
            settings.server.drain_timeout = Duration::from_millis(10)
        });
        let poa = house.child("deeds", &place.policies());
        let other = house.root.activate(skeleton(&named("other"))).unwrap();
        static WORLDS: AtomicUsize = AtomicUsize::new(0);
        Arc::new(Self {
            number: WORLDS.fetch_add(1, Ordering::Relaxed),
            place,
            deed,
            orb: house.orb.clone(),
            root: house.root.clone(),
            poa,
            other: other.as_object().clone(),
            _house: house,
            live: Arc::default(),
            begun: AtomicUsize::new(0),
            faults: Mutex::default(),
        })
    }

    /// The text of the panic in this world, and in no other.
    pub(crate) fn text_of_panic(&self) -> String {
        format!(
            "asked to panic at {:?} in world {}",
            self.place, self.number
        )
    }

    /// Does the deed.
    pub(crate) fn act(&self) {
        self.begun.fetch_add(1, Ordering::SeqCst);
        let Self { orb, root, poa, .. } = self;
        match self.deed {
            Deed::Panic => panic!("{}", self.text_of_panic()),
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

    pub(crate) fn expect_refusal(&self, outcome: Result<(), SystemException>) {
        if outcome != Err(WOULD_DEADLOCK) {
            self.faults.lock().push(format!("a wait: {outcome:?}"));
        }
    }

    pub(crate) fn servant(
        &self,
        at_call: Option<Act>,
        at_drop: Option<Act>,
    ) -> EchoSkeleton<Tracked> {
        self.live.fetch_add(1, Ordering::SeqCst);
        EchoSkeleton(Arc::new(Tracked {
            at_call,
            at_drop,
            _counted: Counted(Arc::clone(&self.live)),
        }))
    }

    pub(crate) fn deed(self: &Arc<Self>) -> Option<Act> {
        let world = Arc::clone(self);
        Some(Arc::new(move || world.act()))
    }

    /// Activates servants: one that does what it is given, and quiet ones.
    pub(crate) fn activate(&self, at_call: Option<Act>, at_drop: Option<Act>) {
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
    pub(crate) fn call(&self, id: &str) {
        let object = self.poa.create_reference_with_id(&id.into(), ECHO).unwrap();
        drop(abroad(&object).echo(""));
    }

    /// Deactivates its own object.
    pub(crate) fn deactivates_itself(self: &Arc<Self>) -> Option<Act> {
        let world = Arc::clone(self);
        Some(Arc::new(move || {
            world.poa.deactivate_object(&GRIM.into()).unwrap();
        }))
    }

    /// Sees that all ends: the ORB, for all who wait, and each servant.
    pub(crate) fn conclude(&self) {
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
