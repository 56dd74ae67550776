//! Oneways that arrive together: each finds its object as if it came alone.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use taut::{Current, Orb, Reference, Settings, SyncScope};

use crate::common::{Echo, EchoRef, eventually, serve};

/// How many oneways arrive together, and which of them does something.
const COUNT: usize = 20;
const TENTH: usize = 10;

/// An action of a servant on its object or its POA, from within a request.
type Deed = fn();

/// A servant that counts what it is told, and does something when that is "now".
struct Actor {
    told: Arc<AtomicUsize>,
    deed: Deed,
}

impl Echo for Actor {
    fn ping(&self) -> taut::Result<()> {
        Ok(())
    }

    fn note(&self, text: &str) -> taut::Result<()> {
        self.told.fetch_add(1, Ordering::SeqCst);
        if text == "now" {
            (self.deed)();
        }
        Ok(())
    }
}

/// A server, and a client whose oneways leave together with its next call.
struct Stage {
    server: Orb,
    client: Orb,
}

impl Stage {
    fn new() -> Self {
        let client = Orb::builder().settings(|settings: &mut Settings| {
            settings.client.sync_scope = SyncScope::None;
            settings.client.oneway_batch_timeout = std::time::Duration::from_secs(3_600);
        });
        Self {
            server: Orb::builder()
                .listen("127.0.0.1:0")
                .unwrap()
                .build()
                .unwrap(),
            client: client.build().unwrap(),
        }
    }

    /// An object, as the client sees it, how often its servant has been told something,
    /// and the servant.
    fn object(&self, deed: Deed) -> (EchoRef, Arc<AtomicUsize>, Arc<Actor>) {
        let told = Arc::<AtomicUsize>::default();
        let actor = Arc::new(Actor {
            told: Arc::clone(&told),
            deed,
        });
        let reference = serve(&self.server, &actor).as_object().to_string();
        let object = self.client.string_to_object(&reference).unwrap();
        let object: EchoRef = object.unchecked_narrow();
        // The contexts of the first request on a connection are no matter of the others.
        object.ping().unwrap();
        (object, told, actor)
    }
}

/// Returns whether a oneway is served that arrives behind the one that does something.
fn goes_on_after(deed: Deed) -> bool {
    let stage = Stage::new();
    let (bystander, ..) = stage.object(|| ());
    let (object, told, actor) = stage.object(deed);
    for number in 1..=COUNT {
        let text = if number == TENTH { "now" } else { "go on" };
        object.note(text).unwrap();
    }
    assert_eq!(told.load(Ordering::SeqCst), 0, "they have left before");
    // All before it have been dealt with then.
    let _ = bystander.ping();
    let told = told.load(Ordering::SeqCst);
    assert!(told == TENTH || told == COUNT, "{told}");
    if told == TENTH {
        // Nothing keeps what has gone, though the connection is open.
        eventually("the servant's end", || Arc::strong_count(&actor) == 1);
    }
    told == COUNT
}

#[test]
fn all_are_served_by_an_object_that_stays() {
    assert!(goes_on_after(|| ()));
}

#[test]
fn an_object_that_deactivates_itself_gets_no_more() {
    assert!(!goes_on_after(|| {
        let (poa, id) = (Current::poa().unwrap(), Current::object_id().unwrap());
        poa.deactivate_object(&id).unwrap();
    }));
}

#[test]
fn an_object_whose_poa_is_destroyed_gets_no_more() {
    assert!(!goes_on_after(|| {
        Current::poa().unwrap().destroy(false, false).unwrap();
    }));
}

#[test]
fn an_object_gets_nothing_that_its_manager_discards() {
    let stage = Stage::new();
    let (object, told, _) = stage.object(|| {
        let poa = Current::poa().unwrap();
        poa.manager().discard_requests(false).unwrap();
    });
    for number in 1..=COUNT {
        let text = if number == TENTH { "now" } else { "go on" };
        object.note(text).unwrap();
    }
    assert!(object.ping().is_err());
    assert_eq!(told.load(Ordering::SeqCst), TENTH);
    // It has not gone: once requests are let in, it is there.
    let poa = stage.server.root_poa().unwrap();
    poa.manager().activate().unwrap();
    object.ping().unwrap();
}

#[test]
fn each_object_gets_its_own() {
    let stage = Stage::new();
    let objects = [1, 2, 3].map(|_| stage.object(|| ()));
    // Now one after the other, now several for the same.
    let order = [0, 1, 2, 0, 0, 1, 1, 1, 2, 0];
    for place in order {
        objects[place].0.note("yours").unwrap();
    }
    objects[0].0.ping().unwrap();
    for (place, (_, told, _)) in objects.iter().enumerate() {
        let own = order.iter().filter(|&&other| other == place).count();
        assert_eq!(told.load(Ordering::SeqCst), own, "{place}");
    }
}

#[test]
fn a_servant_that_panics_keeps_nothing_from_those_behind() {
    assert!(goes_on_after(|| panic!("as the test wants it")));
}
