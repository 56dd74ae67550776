//! The priorities of calls within the process, of requests that are answered later, of
//! interceptors, and of the main thread.
//!
//! The stubs and skeletons are those of the code generator's test data.

#[allow(
    missing_docs,
    dead_code,
    reason = "it stands in no file of its own that would say so, and each test uses a part"
)]
mod generated {
    include!("../../../../taut-build/tests/data/demo.rs");
}

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::thread;

use generated::demo::{Shape, ShapeRef, ShapeSkeleton};
use parking_lot::Mutex;
use taut::codegen::{self, answer_with_future};
use taut::interceptors::{Interruption, ServerRequestInfo, ServerRequestInterceptor};
use taut::real_time::{RealTime, RtOrb};
use taut::{
    CollocationStrategy, Orb, OrbBuilder, Poa, Reference, RequestContext, Servant, ServantIdentity,
    ThreadPolicy,
};
use taut_cdr::Encode;
use taut_giop::message::{ReplyHeader, priority_context};
use taut_giop::service_context::{ServiceContext, id};

use super::served::{Seen, Served};
use super::{CLIENTS, SERVERS, model};
use crate::common::mode::Mode;
use crate::common::raw::{RawClient, Request};
use crate::common::{EchoRef, EndOfServer};

/// A servant whose operation `name` tells what it sees.
struct Telling(RtOrb);

impl Shape for Telling {
    fn name(&self) -> taut::Result<String> {
        Ok(format!("{:?}", Seen::now(&self.0)))
    }
}

/// An ORB that has priorities and calls its own objects.
struct House {
    orb: Orb,
    real_time: RtOrb,
    root: Poa,
    _end: EndOfServer,
}

impl House {
    fn new(strategy: CollocationStrategy) -> Self {
        Self::of(Orb::builder(), strategy)
    }

    fn of(builder: OrbBuilder, strategy: CollocationStrategy) -> Self {
        let builder = builder.listen("127.0.0.1:0").unwrap();
        let builder = builder.settings(|settings| settings.client.collocation = strategy);
        let orb = builder.real_time(RealTime::new()).build().unwrap();
        let root = orb.root_poa().unwrap();
        root.manager().activate().unwrap();
        Self {
            _end: EndOfServer::of(&orb),
            real_time: orb.real_time().unwrap(),
            root,
            orb,
        }
    }

    fn servant(&self) -> ShapeSkeleton<Telling> {
        ShapeSkeleton::new(Telling(self.real_time.clone()))
    }

    /// An object in a POA with this model; none: without any.
    fn object(&self, name: &str, of_poa: Option<taut::policy::PriorityModelPolicy>) -> ShapeRef {
        let manager = Some(self.root.manager());
        let told: Vec<_> = of_poa.into_iter().map(Into::into).collect();
        let poa = self.root.create_poa_telling(name, manager, &[], &told);
        poa.unwrap().activate(self.servant()).unwrap()
    }

    fn at(&self, number: i16) -> String {
        format!("{:?}", Seen::at(&self.real_time, number, &[]))
    }

    fn here(&self) -> String {
        format!("{:?}", Seen::now(&self.real_time))
    }
}

fn in_a_thread(run: impl FnOnce() + Send) {
    thread::scope(|scope| scope.spawn(run).join().unwrap());
}

/// Each model's object is called often with each priority, and none, of the caller.
fn check_calls(house: &House, case: &str, call: impl Fn(&ShapeRef) -> String + Sync) {
    let of_clients = house.object("of clients", Some(model(CLIENTS, 7)));
    let of_server = house.object("of the server", Some(model(SERVERS, 20_000)));
    let of_nobody = house.object("of nobody", None);
    in_a_thread(|| {
        let current = house.real_time.current();
        let before = house.here();
        let see = |object: &ShapeRef, expected: &str| {
            for _ in 0..3 {
                assert_eq!(call(object), expected, "{case}");
            }
        };
        see(&of_clients, &house.at(7));
        see(&of_server, &house.at(20_000));
        see(&of_nobody, &before);
        for number in [30_000, 10_000, 20_000] {
            current.set_the_priority(number).unwrap();
            see(&of_clients, &house.at(number));
            see(&of_server, &house.at(20_000));
            see(&of_nobody, &house.at(number));
            // The thread has its own again.
            assert_eq!(house.here(), house.at(number));
        }
    });
}

#[test]
fn calls_within_the_process_run_at_the_priority_that_the_model_says() {
    for strategy in [CollocationStrategy::ThroughPoa, CollocationStrategy::Direct] {
        let house = House::new(strategy);
        check_calls(&house, &format!("{strategy:?}"), |object| {
            object.name().unwrap()
        });
        house.orb.shutdown(true).unwrap();
    }
}

/// Interceptors see marshaled requests.
#[test]
fn calls_within_the_process_that_are_marshaled_do_so_too() {
    let watching = WatchingPoints(Arc::default());
    let builder = Orb::builder().server_interceptor(watching);
    let house = House::of(builder, CollocationStrategy::ThroughPoa);
    check_calls(&house, "by a stub", |object| object.name().unwrap());
    house.orb.shutdown(true).unwrap();
}

/// Sends an `echo` at a priority, and what the reply's contexts are.
fn ask(orb: &Orb, object: &EchoRef, id: u32, number: i16, also: &[ServiceContext<'_>]) -> Vec<u32> {
    let data = priority_context(taut::ByteOrder::NATIVE, number);
    let told = ServiceContext {
        id: id::RT_CORBA_PRIORITY,
        data: &data,
    };
    let contexts = [&[told], also].concat();
    let request = Request {
        contexts: &contexts,
        ..Request::new(id, "echo")
    };
    let mut client = RawClient::connect(orb);
    client.send(&request.to(object.as_object(), |out| "text".encode(out).unwrap()));
    let reply = client.receive_reply(id);
    let mut input = reply.header.decoder(&reply.octets).unwrap();
    let header = ReplyHeader::decode(reply.header.version, &mut input).unwrap();
    let contexts = header.service_contexts.iter();
    contexts.map(|context| context.id).collect()
}

const OTHER: ServiceContext<'static> = ServiceContext {
    id: 0x7A7A_7A7A,
    data: &[1; 5],
};
const PRIORITY: u32 = id::RT_CORBA_PRIORITY;
const ADDED: u32 = 0x5455_7777;

/// The observations, in their order.
type Log = Arc<Mutex<Vec<(&'static str, Seen)>>>;

/// A servant that answers later.
struct Later {
    orb: RtOrb,
    log: Log,
    by_future: bool,
}

impl Later {
    fn note(&self, where_: &'static str) {
        let seen = Seen::now(&self.orb);
        self.log.lock().push((where_, seen));
    }
}

#[derive(Clone)]
struct LaterSkeleton(Arc<Later>);

impl Servant for LaterSkeleton {
    fn interface(&self) -> &'static codegen::Interface {
        EchoRef::INTERFACE
    }

    fn identity(&self) -> ServantIdentity {
        ServantIdentity::of(&self.0)
    }

    fn dispatch(&self, request: &mut codegen::ServerRequest<'_>) -> taut::Result<()> {
        let text = request.arguments(|input| Ok(input.read_string()?.into_owned()))?;
        let this = Arc::clone(&self.0);
        RequestContext::add_to_reply(ADDED, b"own")?;
        this.note("up-call");
        if !this.by_future {
            let deferred = request.defer()?;
            thread::spawn(move || {
                deferred.answer(|request| {
                    this.note("answer");
                    request.reply(|out| text.encode(out))
                });
            });
            return Ok(());
        }
        let mut polls = 0;
        let future = poll_fn(move |context| {
            polls += 1;
            this.note("poll");
            if polls == 1 {
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            Poll::Ready(Ok::<_, taut::SystemException>(text.clone()))
        });
        answer_with_future(request, future, |request, outcome| {
            let text = outcome?;
            request.reply(|out| text.encode(out))
        })
    }
}

impl codegen::Skeleton for LaterSkeleton {
    type Reference = EchoRef;
}

#[test]
fn requests_that_are_answered_later_keep_their_priority() {
    for mode in [Mode::tcp(), Mode::reactor()] {
        let served = Served::new(mode);
        for by_future in [false, true] {
            let log = Log::default();
            let later = Arc::new(Later {
                orb: served.real_time.clone(),
                log: Arc::clone(&log),
                by_future,
            });
            let name = format!("later {by_future}");
            let poa = served.poa(&name, model(CLIENTS, 7), &[]).unwrap();
            let object = poa.activate(LaterSkeleton(later)).unwrap();
            for (id, also) in [(1, &[][..]), (2, &[OTHER])] {
                let contexts = ask(&served.orb, &object, id, 20_000, also);
                assert_eq!(contexts, [PRIORITY, ADDED], "{name} {id}");
                let ids: Vec<_> = [PRIORITY]
                    .into_iter()
                    .chain(also.iter().map(|o| o.id))
                    .collect();
                let at = |contexts: &[u32]| served.at(20_000, contexts);
                let seen = std::mem::take(&mut *log.lock());
                let expected = match by_future {
                    true => vec![
                        ("up-call", at(&ids)),
                        ("poll", at(&ids)),
                        ("poll", at(&ids)),
                    ],
                    // The thread of the application that answers is in no request.
                    false => vec![("up-call", at(&ids)), ("answer", at(&[]))],
                };
                assert_eq!(seen, expected, "{name} {id}");
            }
        }
    }
}

/// An interceptor that notes the priority at each point.
#[derive(Default)]
struct Watching {
    log: Log,
    orb: Mutex<Option<RtOrb>>,
}

impl Watching {
    fn note(&self, point: &'static str) {
        if let Some(orb) = &*self.orb.lock() {
            let mut seen = Seen::now(orb);
            seen.contexts.clear();
            self.log.lock().push((point, seen));
        }
    }
}

struct WatchingPoints(Arc<Watching>);

impl ServerRequestInterceptor for WatchingPoints {
    fn name(&self) -> &str {
        "watching"
    }

    fn receive_request_service_contexts(
        &self,
        _: &mut ServerRequestInfo<'_>,
    ) -> Result<(), Interruption> {
        self.0.note("contexts");
        Ok(())
    }

    fn receive_request(&self, _: &mut ServerRequestInfo<'_>) -> Result<(), Interruption> {
        self.0.note("request");
        Ok(())
    }

    fn send_reply(&self, _: &mut ServerRequestInfo<'_>) -> taut::Result<()> {
        self.0.note("reply");
        Ok(())
    }
}

#[test]
fn interceptors_run_at_the_priority_of_the_request() {
    let log = Log::default();
    let watching = Arc::new(Watching {
        log: Arc::clone(&log),
        orb: Mutex::default(),
    });
    let builder = Mode::tcp().listening_builder().real_time(RealTime::new());
    let builder = builder.server_interceptor(WatchingPoints(Arc::clone(&watching)));
    let served = Served::of(builder);
    *watching.orb.lock() = Some(served.real_time.clone());
    let at = |number| served.at(number, &[]);
    for (id, of_poa, number) in [
        (1, model(CLIENTS, 7), 20_000),
        (2, model(SERVERS, 9_000), 9_000),
    ] {
        let object = served.watched(&format!("{id}"), of_poa);
        let contexts = ask(&served.orb, &object, id, 20_000, &[]);
        let points = ["contexts", "request", "reply"].map(|point| (point, at(number)));
        assert_eq!(std::mem::take(&mut *log.lock()), points);
        assert_eq!(served.seen(), served.at(number, &[PRIORITY]));
        let echoed = if id == 1 { vec![PRIORITY] } else { vec![] };
        assert_eq!(contexts, echoed);
    }
    // The points of a request that is answered later run at its priority, too.
    let later = Arc::new(Later {
        orb: served.real_time.clone(),
        log: Arc::clone(&log),
        by_future: false,
    });
    let poa = served.poa("later", model(CLIENTS, 7), &[]).unwrap();
    let object = poa.activate(LaterSkeleton(later)).unwrap();
    assert_eq!(ask(&served.orb, &object, 3, 20_000, &[]), [PRIORITY, ADDED]);
    let seen = std::mem::take(&mut *log.lock());
    let priorities: Vec<_> = seen
        .iter()
        .map(|(point, seen)| (*point, seen.priority))
        .collect();
    let points = ["contexts", "request", "up-call", "answer", "reply"];
    assert_eq!(priorities, points.map(|point| (point, Some(20_000))));
}

#[test]
fn the_main_thread_carries_requests_out_at_their_priority() {
    let served = Served::new(Mode::tcp());
    let policies = [ThreadPolicy::MainThread.into()];
    let of_clients = served
        .poa("of clients", model(CLIENTS, 7), &policies)
        .unwrap();
    let of_clients = of_clients.activate(served.servant()).unwrap();
    let of_server = served
        .poa("of the server", model(SERVERS, 9_000), &policies)
        .unwrap();
    let of_server = of_server.activate(served.servant()).unwrap();
    let orb = served.orb.clone();
    let main = thread::spawn(move || orb.run());
    for (id, also) in [(1, &[][..]), (2, &[OTHER])] {
        let ids: Vec<_> = [PRIORITY]
            .into_iter()
            .chain(also.iter().map(|other| other.id))
            .collect();
        assert_eq!(ask(&served.orb, &of_clients, id, 20_000, also), [PRIORITY]);
        assert_eq!(served.seen(), served.at(20_000, &ids));
        assert_eq!(ask(&served.orb, &of_server, id, 20_000, also), []);
        assert_eq!(served.seen(), served.at(9_000, &ids));
    }
    served.orb.shutdown(true).unwrap();
    main.join().unwrap();
}

/// The up-call of a request that tells nothing but its priority has no contexts in the way of
/// those of other up-calls of the thread.
#[test]
fn calls_from_a_servant_have_contexts_of_their_own() {
    let served = Served::new(Mode::tcp());
    let of_clients = served.watched("of clients", model(CLIENTS, 7));
    let inner = House::new(CollocationStrategy::ThroughPoa);
    let other = inner.object("of nobody", None);
    let direct = other.with_collocation(CollocationStrategy::Direct);
    let (orb, inner_orb) = (served.real_time.clone(), inner.real_time.clone());
    *served.watcher.within.lock() = Some(Box::new(move || {
        let seen = Seen::at(&inner_orb, 20_000, &[]);
        for _ in 0..3 {
            for object in [&other, &direct] {
                assert_eq!(object.name().unwrap(), format!("{seen:?}"));
            }
        }
        assert_eq!(Seen::now(&orb), Seen::at(&orb, 20_000, &[PRIORITY]));
        RequestContext::add_to_reply(ADDED, b"own").unwrap();
        assert_eq!(other.name().unwrap(), format!("{seen:?}"));
        assert_eq!(Seen::now(&orb), Seen::at(&orb, 20_000, &[PRIORITY]));
    }));
    for id in 1..4 {
        assert_eq!(
            ask(&served.orb, &of_clients, id, 20_000, &[]),
            [PRIORITY, ADDED]
        );
        assert_eq!(served.seen(), served.at(20_000, &[PRIORITY]));
    }
    *served.watcher.within.lock() = None;
}
