//! Every order of events: `cargo xtask loom`.

use loom::model::Builder;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;
use taut_giop::SystemException;

use super::*;
use crate::object::Interface;
use crate::server::ServerRequest;

struct Anybody(Arc<()>);

impl Servant for Anybody {
    fn interface(&self) -> &'static Interface {
        const { &Interface::new("", &[], &[]) }
    }

    fn identity(&self) -> ServantIdentity {
        ServantIdentity::of(&self.0)
    }

    fn dispatch(&self, _: &mut ServerRequest<'_>) -> Result<(), SystemException> {
        Ok(())
    }
}

/// A map whose objects' ends are counted.
struct House {
    map: ActiveObjectMap,
    ends: AtomicUsize,
}

struct Etherealizers(Arc<House>);

impl Etherealizer for Etherealizers {
    fn etherealize(self: Arc<Self>, id: &ObjectId, _: &Arc<dyn Servant>, _: bool) {
        assert!(self.0.map.find_id(id).is_none(), "it lives again already");
        self.0.ends.fetch_add(1, Ordering::SeqCst);
        self.0.map.settle(id);
    }
}

impl House {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            map: ActiveObjectMap::new(&Settings::default(), &[]),
            ends: AtomicUsize::new(0),
        })
    }

    fn activation(self: &Arc<Self>) -> Activation {
        Activation {
            servant: Arc::new(Anybody(Arc::new(()))),
            id: Some(id()),
            is_unique: true,
            priority: None,
            etherealizer: Some(Arc::new(Etherealizers(Arc::clone(self)))),
        }
    }
}

fn id() -> ObjectId {
    "ada".into()
}

/// As many changes of thread as find what there is to be found.
fn in_every_order(run: impl Fn() + Sync + Send + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(run);
}

/// An object ends once, whichever thread lets go last, and then it may live again.
#[test]
fn an_object_ends_once_and_before_it_lives_again() {
    in_every_order(|| {
        let house = House::new();
        house.map.activate(house.activation(), true).unwrap();
        let request = {
            let house = Arc::clone(&house);
            thread::spawn(move || drop(house.map.find_id(&id())))
        };
        let successor = {
            let house = Arc::clone(&house);
            thread::spawn(move || house.map.activate(house.activation(), true).is_ok())
        };
        house.map.deactivate(&id(), ()).unwrap();
        request.join().unwrap();
        let lives_again = successor.join().unwrap();
        assert_eq!(house.ends.load(Ordering::SeqCst), 1);
        assert_eq!(house.map.find_id(&id()).is_some(), lives_again);
        house.map.deactivate_all(true);
        let ends = 1 + usize::from(lives_again);
        assert_eq!(house.ends.load(Ordering::SeqCst), ends);
    });
}

/// Of two who want to incarnate an object one does, and the other finds it.
#[test]
fn an_object_is_incarnated_once() {
    in_every_order(|| {
        let house = House::new();
        let incarnate = |house: &Arc<House>| match house.map.begin_incarnation(&id()).unwrap() {
            Incarnation::Active(_) => 0,
            Incarnation::Begun => {
                house.map.end_incarnation(house.activation()).unwrap();
                house.map.settle(&id());
                1
            }
        };
        let other = {
            let house = Arc::clone(&house);
            thread::spawn(move || incarnate(&house))
        };
        let own = incarnate(&house);
        assert_eq!(own + other.join().unwrap(), 1);
        house.map.deactivate_all(true);
        assert_eq!(house.ends.load(Ordering::SeqCst), 1);
    });
}
