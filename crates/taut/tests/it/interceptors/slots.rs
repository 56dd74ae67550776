//! Data of threads and requests: PICurrent.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use taut::interceptors::{
    ClientRequestInfo, ClientRequestInterceptor, Current, InitializerError, Interruption,
    OrbInitInfo, OrbInitializer, ServerRequestInfo, ServerRequestInterceptor, SlotId,
};
use taut::{Any, CollocationStrategy, Orb, ThreadPolicy};

use super::generated::demo::{Shape, ShapeRef, ShapeSkeleton};
use crate::asynchronous::executor::block_on;

/// A slot, and what was found in it where.
#[derive(Default)]
struct Seen {
    slot: OnceLock<(SlotId, Current)>,
    seen: Mutex<Vec<(&'static str, Option<i32>)>>,
    /// Makes a call of its own in `send_request`, once.
    calls: Mutex<Option<ShapeRef>>,
}

impl Seen {
    fn slot(&self) -> SlotId {
        self.slot.get().unwrap().0
    }

    fn current(&self) -> &Current {
        &self.slot.get().unwrap().1
    }

    fn note(&self, place: &'static str, value: Any) {
        self.seen.lock().push((place, value.extract().ok()));
    }

    fn take(&self) -> Vec<(&'static str, Option<i32>)> {
        std::mem::take(&mut self.seen.lock())
    }
}

fn number(value: i32) -> Any {
    Any::new(&value).unwrap()
}

/// Registers an interceptor of both sides with one slot.
struct Registers(Arc<Seen>);

impl OrbInitializer for Registers {
    fn pre_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), InitializerError> {
        info.allocate_slot_id();
        let slot = info.allocate_slot_id();
        assert!(self.0.slot.set((slot, info.pi_current())).is_ok());
        info.add_client_request_interceptor(Arc::new(Watching(Arc::clone(&self.0))))?;
        info.add_server_request_interceptor(Arc::new(Watching(Arc::clone(&self.0))))?;
        Ok(())
    }
}

struct Watching(Arc<Seen>);

impl ClientRequestInterceptor for Watching {
    fn send_request(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        let seen = &self.0;
        seen.note(
            "send_request",
            info.get_slot(seen.slot())
                .map_err(taut::SystemException::from)?,
        );
        let next = seen.calls.lock().take();
        if let Some(next) = next {
            // The request keeps its own; the call that is made here has another.
            info.current().set_slot(seen.slot(), number(100)).unwrap();
            next.name()?;
            info.current().set_slot(seen.slot(), number(1)).unwrap();
            seen.note("send_request", info.get_slot(seen.slot()).unwrap());
        }
        Ok(())
    }

    fn receive_reply(&self, info: &mut ClientRequestInfo<'_>) -> taut::Result<()> {
        self.0.note("receive_reply", info.get_slot(self.0.slot())?);
        Ok(())
    }
}

impl ServerRequestInterceptor for Watching {
    fn receive_request_service_contexts(
        &self,
        info: &mut ServerRequestInfo<'_>,
    ) -> Result<(), Interruption> {
        let seen = &self.0;
        seen.note(
            "receive_request_service_contexts",
            info.get_slot(seen.slot()).unwrap(),
        );
        info.set_slot(seen.slot(), number(10)).unwrap();
        Ok(())
    }

    fn receive_request(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), Interruption> {
        let seen = &self.0;
        seen.note("receive_request", info.get_slot(seen.slot()).unwrap());
        info.set_slot(seen.slot(), number(11)).unwrap();
        Ok(())
    }

    fn send_reply(&self, info: &mut ServerRequestInfo<'_>) -> taut::Result<()> {
        self.0.note("send_reply", info.get_slot(self.0.slot())?);
        Ok(())
    }
}

/// A servant that finds what the interceptors have set, and sets something else.
struct Named(Arc<Seen>);

impl Shape for Named {
    fn name(&self) -> taut::Result<String> {
        let seen = &self.0;
        seen.note("servant", seen.current().get_slot(seen.slot())?);
        seen.current().set_slot(seen.slot(), number(12))?;
        Ok("named".to_owned())
    }
}

fn orb(seen: &Arc<Seen>, collocation: CollocationStrategy) -> Orb {
    Orb::builder()
        .listen("127.0.0.1:0")
        .unwrap()
        .settings(|settings| settings.client.collocation = collocation)
        .initializer(Registers(Arc::clone(seen)))
        .build()
        .unwrap()
}

fn whole_way(seen: &Seen, orb: &Orb, shape: &ShapeRef) {
    let (slot, current) = (seen.slot(), orb.pi_current());
    current.set_slot(slot, number(1)).unwrap();
    shape.name().unwrap();
    let expected = [
        ("send_request", Some(1)),
        ("receive_request_service_contexts", None),
        ("receive_request", Some(10)),
        ("servant", Some(11)),
        ("send_reply", Some(12)),
        ("receive_reply", Some(1)),
    ];
    assert_eq!(seen.take(), expected);
    // Nothing is left of the request in the caller's thread, which may have run the servant.
    assert_eq!(current.get_slot(slot), Ok(number(1)));
}

#[test]
fn slots_go_from_the_thread_to_the_request_and_from_the_request_to_the_servant() {
    for collocation in [
        CollocationStrategy::Off,
        CollocationStrategy::ThroughPoa,
        CollocationStrategy::Direct,
    ] {
        let seen = Arc::<Seen>::default();
        let orb = orb(&seen, collocation);
        let poa = orb.root_poa().unwrap();
        poa.manager().activate().unwrap();
        let servant = ShapeSkeleton::new(Named(Arc::clone(&seen)));
        let shape = poa.servant_to_reference(servant).unwrap();
        for _ in 0..3 {
            whole_way(&seen, &orb, &shape);
        }
        orb.shutdown(true).unwrap();
    }
}

#[test]
fn a_servant_in_the_main_thread_finds_them_too() {
    let seen = Arc::<Seen>::default();
    let orb = orb(&seen, CollocationStrategy::Off);
    let root = orb.root_poa().unwrap();
    root.manager().activate().unwrap();
    let policies = [ThreadPolicy::MainThread.into()];
    let poa = root
        .create_poa("main", Some(root.manager()), &policies)
        .unwrap();
    let id = poa
        .activate_object(ShapeSkeleton::new(Named(Arc::clone(&seen))))
        .unwrap();
    let shape: ShapeRef = poa.id_to_reference(&id).unwrap().unchecked_narrow();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            whole_way(&seen, &orb, &shape);
            orb.shutdown(false).unwrap();
        });
        orb.run();
    });
}

#[test]
fn a_call_that_an_interceptor_makes_is_told_from_others_by_its_slot() {
    let seen = Arc::<Seen>::default();
    let orb = orb(&seen, CollocationStrategy::Off);
    let poa = orb.root_poa().unwrap();
    poa.manager().activate().unwrap();
    let servant = ShapeSkeleton::new(Named(Arc::clone(&seen)));
    let shape = poa.servant_to_reference(servant).unwrap();
    orb.pi_current().set_slot(seen.slot(), number(1)).unwrap();
    *seen.calls.lock() = Some(shape.clone());
    shape.name().unwrap();
    let sent: Vec<_> = seen
        .take()
        .into_iter()
        .filter(|(place, _)| *place == "send_request")
        .collect();
    assert_eq!(
        sent,
        [
            ("send_request", Some(1)),
            ("send_request", Some(100)),
            ("send_request", Some(1)),
        ]
    );
    orb.shutdown(true).unwrap();
}

#[test]
fn a_future_has_the_slots_of_the_thread_at_its_call() {
    let seen = Arc::<Seen>::default();
    let orb = orb(&seen, CollocationStrategy::Off);
    let poa = orb.root_poa().unwrap();
    poa.manager().activate().unwrap();
    let servant = ShapeSkeleton::new(Named(Arc::clone(&seen)));
    let shape = poa.servant_to_reference(servant).unwrap();
    let current = orb.pi_current();
    current.set_slot(seen.slot(), number(1)).unwrap();
    let future = shape.name_async();
    current.set_slot(seen.slot(), number(2)).unwrap();
    block_on(future).unwrap();
    let sent = seen.take().into_iter();
    let mut sent = sent.filter(|(place, _)| *place == "send_request");
    assert_eq!(sent.next(), Some(("send_request", Some(1))));
    orb.shutdown(true).unwrap();
}

#[test]
fn a_slot_that_nobody_has_asked_for_is_none() {
    let seen = Arc::<Seen>::default();
    let orb = orb(&seen, CollocationStrategy::Off);
    let plain = Orb::builder().build().unwrap();
    let invalid = plain.pi_current().get_slot(seen.slot()).unwrap_err();
    assert!(invalid.to_string().contains("allocate_slot_id"));
    assert!(plain.pi_current().set_slot(seen.slot(), number(1)).is_err());
    assert_eq!(orb.pi_current().get_slot(seen.slot()), Ok(Any::null()));
}
