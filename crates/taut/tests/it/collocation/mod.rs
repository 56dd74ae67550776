//! Calls of objects in the caller's own process: in the caller's thread, without a
//! message, and otherwise as calls of others are.
//!
//! The stubs and skeletons are those of the code generator's test data.

#[allow(
    missing_docs,
    reason = "it stands in no file of its own that would say so"
)]
mod generated {
    include!("../../../../taut-build/tests/data/demo.rs");
    include!("../../../../taut-build/tests/data/contexts.rs");
}

mod access;
mod identity;
mod lives;
mod managers;
mod nested;
mod policies;
mod pools;
mod routes;
mod semantics;
mod service_contexts;
mod strategies;
mod user_code;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, ThreadId};

use crate::common::{EndOfServer, eventually};
use generated::demo::circle::{Broken, OutlineError, SumReply};
use generated::demo::{
    Circle, CircleRef, CircleSkeleton, Colour, DivByZero, Path, Point, Shape, ShapeRef,
};
use parking_lot::Mutex;
use taut::{
    CompletionStatus, Orb, OrbBuilder, Poa, Reference, SystemException, SystemExceptionKind,
};

/// The exception that a failing servant raises.
const FAILURE: SystemException =
    SystemException::new(SystemExceptionKind::NoPermission, 77, CompletionStatus::Yes);

/// The numbers for which `outline` raises an exception, panics or blocks.
const DIVIDES: u32 = 1_000;
const BREAKS: u32 = 1_001;
const FAILS: u32 = 1_002;
const PANICS: u32 = 1_003;
const BLOCKS: u32 = 1_004;

/// The servant. It remembers which thread called it last.
struct Disc {
    radius: Mutex<f64>,
    thread: Mutex<Option<ThreadId>>,
    logged: AtomicU32,
    /// The last reference that it was given.
    other: Mutex<Option<ShapeRef>>,
    /// A call that blocks says so, and waits.
    entered: Mutex<Sender<()>>,
    release: Mutex<Receiver<()>>,
    /// Its ORB, which it is asked to stop.
    orb: Mutex<Option<Orb>>,
}

impl Disc {
    fn note_call(&self) {
        *self.thread.lock() = Some(thread::current().id());
    }

    /// Whether the last call ran in this thread; forgets it.
    fn ran_here(&self) -> bool {
        self.thread.lock().take() == Some(thread::current().id())
    }

    /// Whether a call ran in another thread; forgets it.
    fn ran_elsewhere(&self) -> bool {
        let ran_in = self.thread.lock().take();
        ran_in.is_some_and(|id| id != thread::current().id())
    }
}

impl Shape for Disc {
    fn name(&self) -> taut::Result<String> {
        self.note_call();
        Ok("disc".to_owned())
    }
}

impl Circle for Disc {
    fn radius(&self) -> taut::Result<f64> {
        self.note_call();
        Ok(*self.radius.lock())
    }

    fn set_radius(&self, value: f64) -> taut::Result<()> {
        self.note_call();
        *self.radius.lock() = value;
        Ok(())
    }

    fn outline(&self, n: u32) -> Result<Path, OutlineError> {
        self.note_call();
        match n {
            DIVIDES => Err(DivByZero {
                why: "asked for".to_owned(),
            }
            .into()),
            BREAKS => Err(Broken.into()),
            FAILS => Err(FAILURE.into()),
            PANICS => panic!("the servant was asked to panic"),
            BLOCKS => {
                self.entered.lock().send(()).unwrap();
                self.release.lock().recv().unwrap();
                Ok(Path::new())
            }
            n => Ok(vec![Point::default(); n as usize]),
        }
    }

    /// Adds to `k`, and fails, having done so, when it gets large.
    fn move_by(&self, d: &Point, k: &mut f64) -> taut::Result<Point> {
        self.note_call();
        *k += d.x;
        match *k > 100.0 {
            true => Err(FAILURE),
            false => Ok(*d),
        }
    }

    fn feed(&self, _: &[i32]) -> taut::Result<()> {
        self.note_call();
        let orb = self.orb.lock().take();
        orb.map_or(Ok(()), |orb| orb.shutdown(true))
    }

    fn sum(&self, values: &[i32], name: &str, other: Option<&ShapeRef>) -> taut::Result<SumReply> {
        self.note_call();
        *self.other.lock() = other.cloned();
        Ok(SumReply {
            result: values.iter().sum(),
            s: name.to_owned(),
            c: Colour::LightGreen,
        })
    }

    fn log(&self, msg: &str) -> taut::Result<()> {
        self.note_call();
        self.logged.fetch_add(1, Ordering::SeqCst);
        match msg {
            "fail" => Err(FAILURE),
            "panic" => panic!("the servant was asked to panic"),
            _ => Ok(()),
        }
    }
}

/// An ORB with one object.
struct Home {
    orb: Orb,
    poa: Poa,
    servant: Arc<Disc>,
    circle: CircleRef,
    entered: Receiver<()>,
    release: Sender<()>,
    _end: EndOfServer,
}

impl Home {
    fn new() -> Self {
        Self::with(Orb::builder().listen("127.0.0.1:0").unwrap())
    }

    /// One whose references nobody can follow by message: nothing listens there.
    /// All such ORBs say the same address.
    fn unreachable() -> Self {
        let endpoint = "127.0.0.1:0/publish=127.0.0.1:1";
        Self::with(Orb::builder().listen(endpoint).unwrap())
    }

    fn with(builder: OrbBuilder) -> Self {
        let orb = builder.build().unwrap();
        let poa = orb.root_poa().unwrap();
        let (entered_sender, entered) = channel();
        let (release, release_receiver) = channel();
        let servant = Arc::new(Disc {
            radius: Mutex::new(1.0),
            thread: Mutex::default(),
            logged: AtomicU32::new(0),
            other: Mutex::default(),
            entered: Mutex::new(entered_sender),
            release: Mutex::new(release_receiver),
            orb: Mutex::default(),
        });
        let skeleton = CircleSkeleton::from_arc(Arc::clone(&servant));
        let circle = poa.activate(skeleton).unwrap();
        poa.manager().activate().unwrap();
        Self {
            _end: EndOfServer::of(&orb),
            orb,
            poa,
            servant,
            circle,
            entered,
            release,
        }
    }

    /// Returns the reference as another ORB of the process makes it.
    fn seen_by(&self, orb: &Orb) -> CircleRef {
        let text = self.circle.as_object().to_string();
        orb.string_to_object(&text).unwrap().unchecked_narrow()
    }

    fn deactivate(&self) {
        let id = self.poa.reference_to_id(self.circle.as_object()).unwrap();
        self.poa.deactivate_object(&id).unwrap();
    }

    fn port(&self) -> u16 {
        self.orb.published_addresses()[0].port().unwrap()
    }
}

/// An ORB that only calls.
fn client() -> Orb {
    Orb::builder().build().unwrap()
}

/// The kind of the system exception that a call ended with.
fn kind<T>(result: taut::Result<T>) -> Option<SystemExceptionKind> {
    result.err().map(|exception| exception.kind)
}
