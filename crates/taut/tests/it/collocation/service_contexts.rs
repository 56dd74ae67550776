//! Calls within the process have service contexts as those from elsewhere.

use std::sync::Arc;

use parking_lot::Mutex;
use taut::{
    CallContext, CollocationStrategy, Current, Orb, Reference, RequestContext, SyncScope,
    SystemExceptionKind, minor,
};

use super::generated::demo::circle::{OutlineError, SumReply};
use super::generated::demo::{
    Circle, CircleRef, CircleSkeleton, Path, Point, Shape, ShapeRef, ShapeSkeleton,
};
use super::{DIVIDES, DivByZero, FAILS, FAILURE, PANICS, client};

const ASKED: u32 = 0x4d59_0001;
const ANSWERED: u32 = 0x4d59_0002;

const EVERY_WAY: [CollocationStrategy; 3] = [
    CollocationStrategy::ThroughPoa,
    CollocationStrategy::Direct,
    CollocationStrategy::Off,
];

/// A servant that answers with what it was asked with.
#[derive(Default)]
struct Teller {
    seen: Mutex<Vec<Vec<Vec<u8>>>>,
    /// Whether the last call came from elsewhere.
    is_remote: Mutex<bool>,
    /// Another, which it calls first, and the one that this calls in turn.
    next: Mutex<Option<CircleRef>>,
}

impl Teller {
    fn tell(&self) -> taut::Result<()> {
        let next = self.next.lock().take();
        if let Some(next) = next {
            // The calls of a servant are not its caller's.
            assert!(CallContext::of_thread().is_none());
            next.set_radius(1.0)?;
            let context = CallContext::new().with_service_context(ASKED, b"by the servant");
            context.within(|| next.set_radius(2.0))?;
            let answer = context.reply_service_context(ANSWERED);
            assert_eq!(answer.as_deref(), Some(&b"by the servant"[..]));
            *self.next.lock() = Some(next);
        }
        let contexts = RequestContext::service_contexts()?.into_iter();
        let asked: Vec<_> = contexts
            .filter(|one| one.id == ASKED)
            .map(|one| one.data)
            .collect();
        for data in &asked {
            RequestContext::add_to_reply(ANSWERED, data)?;
        }
        self.seen.lock().push(asked);
        *self.is_remote.lock() = RequestContext::peer()?.is_some();
        Ok(())
    }

    fn take_seen(&self) -> Vec<Vec<Vec<u8>>> {
        std::mem::take(&mut self.seen.lock())
    }
}

impl Shape for Teller {
    fn name(&self) -> taut::Result<String> {
        self.tell().map(|()| "teller".to_owned())
    }
}

impl Circle for Teller {
    fn radius(&self) -> taut::Result<f64> {
        self.tell().map(|()| 1.0)
    }

    fn set_radius(&self, _: f64) -> taut::Result<()> {
        self.tell()
    }

    fn outline(&self, n: u32) -> Result<Path, OutlineError> {
        self.tell()?;
        match n {
            DIVIDES => Err(DivByZero { why: String::new() }.into()),
            FAILS => Err(FAILURE.into()),
            PANICS => panic!("the servant was asked to panic"),
            _ => Ok(Path::new()),
        }
    }

    fn move_by(&self, d: &Point, _: &mut f64) -> taut::Result<Point> {
        self.tell().map(|()| *d)
    }

    fn feed(&self, _: &[i32]) -> taut::Result<()> {
        self.tell()
    }

    fn sum(&self, _: &[i32], _: &str, _: Option<&ShapeRef>) -> taut::Result<SumReply> {
        self.tell().map(|()| SumReply {
            result: 0,
            s: String::new(),
            c: super::Colour::LightGreen,
        })
    }

    fn log(&self, _: &str) -> taut::Result<()> {
        self.tell()
    }
}

struct House {
    teller: Arc<Teller>,
    circle: CircleRef,
    orb: Orb,
}

impl House {
    fn new() -> Self {
        let orb = Orb::builder()
            .listen("127.0.0.1:0")
            .unwrap()
            .build()
            .unwrap();
        let teller = Arc::new(Teller::default());
        let poa = orb.root_poa().unwrap();
        let circle = poa
            .activate(CircleSkeleton::from_arc(Arc::clone(&teller)))
            .unwrap();
        poa.manager().activate().unwrap();
        Self {
            teller,
            circle,
            orb,
        }
    }

    /// A reference of another ORB's, whose calls go this way; it has met the servant.
    fn met(&self, orb: &Orb, way: CollocationStrategy) -> CircleRef {
        let object = orb
            .string_to_object(&self.circle.as_object().to_string())
            .unwrap();
        let circle: CircleRef = object.with_collocation(way).unchecked_narrow();
        circle.radius().unwrap();
        circle.radius().unwrap();
        self.teller.take_seen();
        circle
    }
}

impl Drop for House {
    fn drop(&mut self) {
        self.teller.next.lock().take();
        self.orb.shutdown(true).unwrap();
    }
}

fn context(data: &[u8]) -> CallContext {
    CallContext::new().with_service_context(ASKED, data)
}

fn answer(context: &CallContext) -> Option<Vec<u8>> {
    context.reply_service_context(ANSWERED)
}

#[test]
fn they_go_in_and_come_back_in_every_strategy() {
    let house = House::new();
    let orb = client();
    for way in EVERY_WAY {
        let circle = house.met(&orb, way);
        let context = context(b"x").with_service_context(ASKED, b"y");
        let check = |what: &str| {
            let seen = [[b"x".to_vec(), b"y".to_vec()]];
            assert_eq!(house.teller.take_seen(), seen, "{way:?}: {what}");
            let replied = context.reply_service_contexts();
            let answers = replied.into_iter().filter(|one| one.id == ANSWERED);
            let answers: Vec<_> = answers.map(|one| one.data).collect();
            assert_eq!(answers, [b"x", b"y"], "{way:?}: {what}");
        };
        context.within(|| {
            circle.radius().unwrap();
            check("a result");
            assert!(circle.outline(DIVIDES).is_err());
            check("a user exception");
            assert!(circle.outline(FAILS).is_err());
            check("a system exception");
            if way != CollocationStrategy::Direct {
                assert!(circle.outline(PANICS).is_err());
                check("a panic");
            }
        });
        circle.radius().unwrap();
        let reply = circle.with_sync_scope(SyncScope::WithTarget).log("");
        assert_eq!(
            (reply, house.teller.take_seen()),
            (Ok(()), vec![vec![]; 2]),
            "{way:?}"
        );
    }
}

/// A panic of a servant that is called directly goes on in its caller, and leaves nothing.
#[test]
fn nothing_stays_behind_a_panic() {
    let house = House::new();
    let circle = house.met(&client(), CollocationStrategy::Direct);
    let call = || context(b"x").within(|| circle.outline(PANICS));
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).is_err());
    assert!(CallContext::of_thread().is_none());
    circle.radius().unwrap();
    assert_eq!(house.teller.take_seen(), [vec![b"x".to_vec()], vec![]]);
}

#[test]
fn a_first_call_has_them_too() {
    for way in EVERY_WAY {
        let house = House::new();
        let object = client()
            .string_to_object(&house.circle.as_object().to_string())
            .unwrap();
        let circle: CircleRef = object.with_collocation(way).unchecked_narrow();
        let context = context(b"first");
        for _ in 0..3 {
            context.within(|| circle.radius()).unwrap();
            assert_eq!(answer(&context), Some(b"first".to_vec()), "{way:?}");
        }
    }
}

#[test]
fn nested_calls_have_their_own() {
    let (house, inner) = (House::new(), House::new());
    let orb = client();
    for way in EVERY_WAY {
        for way_within in EVERY_WAY {
            *house.teller.next.lock() = Some(inner.met(&orb, way_within));
            let circle = house.met(&orb, way);
            inner.teller.take_seen();
            let context = context(b"outer");
            context.within(|| circle.radius()).unwrap();
            let case = format!("{way:?}, {way_within:?}");
            assert_eq!(answer(&context), Some(b"outer".to_vec()), "{case}");
            assert_eq!(house.teller.take_seen(), [[b"outer".to_vec()]], "{case}");
            let by_servant = vec![b"by the servant".to_vec()];
            assert_eq!(inner.teller.take_seen(), [vec![], by_servant], "{case}");
            let are_remote = [&house, &inner].map(|house| *house.teller.is_remote.lock());
            let by_message = [way, way_within].map(|way| way == CollocationStrategy::Off);
            assert_eq!(are_remote, by_message, "{case}");
        }
    }
}

#[test]
fn oneways_have_them_and_answers_if_they_wait_for_the_servant() {
    let house = House::new();
    let orb = client();
    for way in EVERY_WAY {
        let circle = house.met(&orb, way);
        for scope in [
            SyncScope::WithTransport,
            SyncScope::WithServer,
            SyncScope::WithTarget,
        ] {
            let context = context(b"oneway").with_sync_scope(scope);
            context.within(|| circle.log("")).unwrap();
            super::eventually("a oneway", || !house.teller.seen.lock().is_empty());
            assert_eq!(house.teller.take_seen(), [[b"oneway".to_vec()]]);
            let is_answered = scope == SyncScope::WithTarget;
            assert_eq!(
                answer(&context).is_some(),
                is_answered,
                "{way:?}, {scope:?}"
            );
        }
    }
}

#[test]
fn what_may_not_be_sent_is_refused_in_every_strategy() {
    let house = House::new();
    let orb = client();
    for way in EVERY_WAY {
        let circle = house.met(&orb, way);
        let reserved = CallContext::new().with_service_context(1, b"code sets");
        let exception = reserved.within(|| circle.radius()).unwrap_err();
        assert_eq!(exception.kind, SystemExceptionKind::BadParam, "{way:?}");
        assert_eq!(exception.minor, minor::RESERVED_SERVICE_CONTEXT);
        assert!(
            exception.to_string().contains("calling _get_radius"),
            "{exception}"
        );
        let exception = reserved.within(|| circle.log("")).unwrap_err();
        assert_eq!(exception.minor, minor::RESERVED_SERVICE_CONTEXT, "{way:?}");
        let many = (0..63).fold(CallContext::new(), |all, _| {
            all.with_service_context(ASKED, b"")
        });
        let exception = many.within(|| circle.radius()).unwrap_err();
        assert_eq!(exception.kind, SystemExceptionKind::ImpLimit, "{way:?}");
    }
    assert!(house.teller.take_seen().is_empty());
}

/// A servant that asks whether there is a request, when it is dropped.
struct Dropped(Arc<Mutex<Option<bool>>>);

impl Shape for Dropped {
    fn name(&self) -> taut::Result<String> {
        let id = Current::object_id()?;
        Current::poa()?.deactivate_object(&id).unwrap();
        Ok(String::new())
    }
}

impl Drop for Dropped {
    fn drop(&mut self) {
        *self.0.lock() = Some(RequestContext::service_contexts().is_ok());
    }
}

#[test]
fn code_that_belongs_to_no_request_sees_none() {
    let house = House::new();
    let has_request = Arc::new(Mutex::new(None));
    let poa = house.orb.root_poa().unwrap();
    let shape = poa
        .activate(ShapeSkeleton::new(Dropped(Arc::clone(&has_request))))
        .unwrap();
    context(b"x").within(|| shape.name()).unwrap();
    super::eventually("the drop", || has_request.lock().is_some());
    assert_eq!(*has_request.lock(), Some(false));
}

/// Found by review: a locator of keys ran with the context of the call that led to it.
#[test]
fn code_that_a_call_leads_to_does_not_have_the_context_of_the_caller() {
    let house = House::new();
    let target = house.circle.as_object().clone();
    let asked = Arc::new(Mutex::new(0));
    let count = Arc::clone(&asked);
    house.orb.set_object_key_locator(move |_| {
        // A panic would cost the caller UNKNOWN.
        assert!(CallContext::of_thread().is_none());
        *count.lock() += 1;
        Some(target.clone())
    });
    let url = house.orb.corbaloc("Nobody").unwrap();
    let object = house.orb.string_to_object(&url).unwrap();
    let context = CallContext::new().with_service_context(ASKED, b"x");
    context.within(|| {
        object.locate().unwrap();
        assert!(!object.non_existent().unwrap());
        assert!(CallContext::of_thread().is_some());
    });
    assert!(*asked.lock() > 0);
}
