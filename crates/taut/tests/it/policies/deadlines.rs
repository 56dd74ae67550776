//! Requests that tell their deadlines, and servers that ask for them.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::Poll;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use taut::codegen::{Decode, answer_with_future};
use taut::policy::DeadlinePropagationPolicy;
use taut::{
    CallContext, ObjectRef, Poa, Reference, RequestContext, SyncScope, SystemException,
    SystemExceptionKind, ThreadPolicy, deadline, minor,
};
use taut_giop::deadline_context::{DeadlineContext, to_units};
use taut_giop::message::{ReplyStatus, ResponseFlags};
use taut_giop::service_context::{ServiceContext, id};

use super::{LEVELS, PATIENCE, with};
use crate::asynchronous::executor::block_on;
use crate::common::mode::{Mode, for_each_mode};
use crate::common::raw::{RawClient, Request};
use crate::common::{
    Echo, EchoRef, EchoSkeleton, Misbehaviour, Server, eventually, orb_and_client,
};

/// Longer than anything in a test takes.
const LONG: Duration = Duration::from_secs(600);

/// The things that a servant has seen of a deadline.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Told {
    time_left: Option<Duration>,
    operation: Option<u32>,
    /// The ids of the service contexts that Taut alone knows.
    contexts: Vec<u32>,
}

/// A servant that notes what it sees, and asks another one if it has one.
#[derive(Default)]
struct Observer {
    told: Mutex<Vec<Told>>,
    next: Mutex<Option<EchoRef>>,
    calls: AtomicU32,
}

impl Observer {
    fn note_call(&self) {
        let contexts = RequestContext::service_contexts().unwrap();
        let contexts = contexts.iter().map(|context| context.id);
        self.told.lock().push(Told {
            time_left: deadline::time_left(),
            operation: deadline::operation(),
            contexts: contexts.filter(|&id| id == id::TAUT_DEADLINE).collect(),
        });
        self.calls.fetch_add(1, Ordering::SeqCst);
    }

    fn last(&self) -> Told {
        self.told.lock().last().cloned().unwrap()
    }

    fn calls(&self) -> u32 {
        self.calls.load(Ordering::SeqCst)
    }
}

impl Echo for Observer {
    fn ping(&self) -> taut::Result<()> {
        self.note_call();
        let next = self.next.lock().clone();
        next.map_or(Ok(()), |next| next.ping())
    }

    fn note(&self, _: &str) -> taut::Result<()> {
        self.note_call();
        Ok(())
    }

    fn notes(&self) -> taut::Result<u32> {
        Ok(self.calls())
    }
}

/// A POA that asks for deadlines.
fn asking(server: &Server, name: &str, policies: &[taut::Policy]) -> Poa {
    let told = [DeadlinePropagationPolicy(true).into()];
    let poa = server.poa.create_poa_telling(name, None, policies, &told);
    let poa = poa.unwrap();
    poa.manager().activate().unwrap();
    poa
}

/// A servant of such a POA, and a client's reference to it.
fn observed(mode: Mode, poa: &Poa) -> (Arc<Observer>, EchoRef) {
    let observer = Arc::new(Observer::default());
    let echo = poa.activate(EchoSkeleton(Arc::clone(&observer))).unwrap();
    let client = mode.client(&echo.as_object().to_string());
    (observer, client)
}

fn is_within(told: &Told, limit: Duration) -> bool {
    told.time_left
        .is_some_and(|left| !left.is_zero() && left <= limit)
}

fn is_expired(exception: &SystemException) -> bool {
    exception.kind == SystemExceptionKind::Timeout && exception.minor == minor::REQUEST_EXPIRED
}

for_each_mode! { [tcp, unix, reactor, shared, spinning] {
    a_servant_has_the_deadline_of_its_caller_and_so_have_the_calls_that_it_makes,
} }

fn a_servant_has_the_deadline_of_its_caller_and_so_have_the_calls_that_it_makes(mode: Mode) {
    let server = mode.server();
    let poa = asking(&server, "asking", &[]);
    let (first, client) = observed(mode, &poa);
    let (second, other) = observed(mode, &poa);
    *first.next.lock() = Some(other);
    // There is none without one.
    client.ping().unwrap();
    for told in [first.last(), second.last()] {
        assert_eq!((told.time_left, told.contexts), (None, vec![]));
    }
    deadline::within(LONG, || {
        deadline::for_operation(7, || client.ping()).unwrap();
    });
    let (outer, inner) = (first.last(), second.last());
    assert!(is_within(&outer, LONG) && is_within(&inner, LONG));
    assert!(inner.time_left <= outer.time_left);
    for told in [&outer, &inner] {
        assert_eq!(
            (told.operation, &told.contexts[..]),
            (Some(7), &[id::TAUT_DEADLINE][..])
        );
    }
    // The deadline of a reference, of a call, and of an awaited one.
    let by_reference: EchoRef = client
        .as_object()
        .with_call_timeout(LONG)
        .unchecked_narrow();
    by_reference.ping().unwrap();
    assert!(is_within(&first.last(), LONG));
    CallContext::new()
        .with_timeout(LONG / 2)
        .within(|| client.ping())
        .unwrap();
    assert!(is_within(&first.last(), LONG / 2));
    let awaited = client.as_object().with_call_timeout(LONG);
    let reply = block_on(awaited.invoke_async("ping", |_| Ok(())));
    reply.unwrap().no_results().unwrap();
    assert!(is_within(&first.last(), LONG));
    assert_eq!(first.last().operation, None);
    // And none is left behind.
    client.ping().unwrap();
    assert_eq!(first.last().time_left, None);
    assert_eq!(deadline::time_left(), None);
}

#[test]
fn oneways_tell_their_deadlines_whatever_they_wait_for() {
    let server = Server::start();
    let (observer, client) = observed(Mode::tcp(), &asking(&server, "asking", &[]));
    let scopes = [
        SyncScope::None,
        SyncScope::WithTransport,
        SyncScope::WithServer,
        SyncScope::WithTarget,
    ];
    for (count, scope) in (1..).zip(scopes) {
        let client: EchoRef = client.as_object().with_sync_scope(scope).unchecked_narrow();
        deadline::within(LONG, || client.note("")).unwrap();
        eventually("the call", || observer.calls() == count);
        assert!(is_within(&observer.last(), LONG), "{scope:?}");
    }
}

#[test]
fn nothing_is_told_to_a_server_that_does_not_ask_or_by_a_client_that_does_not_want_it() {
    let server = Server::start();
    let told = [DeadlinePropagationPolicy(false).into()];
    let manager = Some(server.poa.manager());
    let declining = server
        .poa
        .create_poa_telling("declining", manager, &[], &told);
    let plain = server.poa.create_poa("plain", manager, &[]);
    for poa in [declining.unwrap(), plain.unwrap()] {
        let (observer, client) = observed(Mode::tcp(), &poa);
        deadline::within(LONG, || client.ping()).unwrap();
        let told = observer.last();
        assert_eq!((told.time_left, told.contexts), (None, vec![]));
    }
    let (observer, client) = observed(Mode::tcp(), &asking(&server, "asking", &[]));
    let (orb, client) = orb_and_client(&client.as_object().to_string(), |_| ());
    for level in LEVELS {
        let off = [(level, DeadlinePropagationPolicy(false).into())];
        let on = [(level, DeadlinePropagationPolicy(true).into())];
        for (set, is_told) in [(off, false), (on, true)] {
            with(&set, &orb, &client, |client| {
                deadline::within(LONG, || client.ping()).unwrap();
            });
            assert_eq!(observer.last().time_left.is_some(), is_told, "{level:?}");
        }
    }
}

/// A reference whose oneways wait until the server has read them.
fn arriving(client: &EchoRef) -> EchoRef {
    let object = client.as_object().with_sync_scope(SyncScope::WithServer);
    object.unchecked_narrow()
}

/// Has a oneway arrive, or come too late to be sent: then there is nothing to carry out.
fn arrives(send: impl FnOnce() -> taut::Result<()>) {
    if let Err(error) = send() {
        assert_eq!(error.kind, SystemExceptionKind::Timeout);
    }
}

/// It waits for its manager, and for its turn.
#[test]
fn a_request_whose_deadline_has_passed_while_it_waited_is_not_carried_out() {
    let server = Server::start();
    let single = asking(&server, "single", &[ThreadPolicy::SingleThread.into()]);
    let held = asking(&server, "held", &[]);
    let (observer, client) = observed(Mode::tcp(), &held);
    held.manager().hold_requests(true).unwrap();
    let brief = Duration::from_millis(60);
    // Far more, for a deadline begins when a request has been read.
    let later = Duration::from_millis(1_500);
    let begun = Instant::now();
    let late = deadline::within(brief, || client.ping()).unwrap_err();
    assert_eq!(late.kind, SystemExceptionKind::Timeout);
    // A oneway, which nobody hears of any more once it has arrived.
    let noting = arriving(&client);
    CallContext::new()
        .with_timeout(brief)
        .within(|| arrives(|| noting.note("")));
    eventually("the deadlines", || begun.elapsed() > later);
    held.manager().activate().unwrap();
    // The requests before it have been let in before this one.
    assert_eq!(client.notes().unwrap(), 0);
    client.ping().unwrap();
    assert_eq!(observer.calls(), 1);

    // Its turn comes too late.
    let (parrot, slow) = (
        Arc::clone(&server.servant),
        single
            .activate(EchoSkeleton(Arc::clone(&server.servant)))
            .unwrap(),
    );
    let slow = Mode::tcp().client(&slow.as_object().to_string());
    let blocked = {
        let slow = slow.clone();
        std::thread::spawn(move || slow.misbehave(Misbehaviour::Blocks))
    };
    server.entered.recv_timeout(PATIENCE).unwrap();
    let begun = Instant::now();
    deadline::within(brief, || arrives(|| arriving(&slow).note("")));
    eventually("the deadline", || begun.elapsed() > later);
    server.release.send(()).unwrap();
    blocked.join().unwrap().unwrap();
    assert_eq!(slow.notes().unwrap(), 0);
    assert_eq!(parrot.notes.load(Ordering::SeqCst), 0);
}

/// A context of a client whose clock begins anywhere.
fn context(time_left: Duration, sent_at: u64) -> [u8; DeadlineContext::SIZE] {
    let context = DeadlineContext {
        operation: 0,
        time_left: to_units(time_left),
        sent_at,
    };
    context.to_context_data()
}

/// Sends a request with this context. Returns the exception that answers it.
fn answer(
    client: &mut RawClient,
    target: &ObjectRef,
    id: u32,
    data: &[u8],
) -> Option<SystemException> {
    let contexts = [ServiceContext {
        id: id::TAUT_DEADLINE,
        data,
    }];
    let request = Request {
        contexts: &contexts,
        ..Request::new(id, "ping")
    };
    client.send(&request.to(target, |_| ()));
    let reply = client.receive_reply(id);
    let (status, mut input) = reply.outcome();
    match status {
        ReplyStatus::NoException => None,
        ReplyStatus::SystemException => Some(SystemException::decode(&mut input).unwrap()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_request_that_arrives_behind_its_deadline_is_not_carried_out() {
    let server = Server::start();
    let poa = asking(&server, "asking", &[]);
    let (observer, remote) = observed(Mode::tcp(), &poa);
    let target = remote.as_object();
    let mut client = RawClient::connect(&server.orb);
    let minute = Duration::from_secs(60);
    let ten = to_units(10 * minute);
    // There is no time left.
    let over = answer(&mut client, target, 2, &context(Duration::ZERO, 0)).unwrap();
    assert!(is_expired(&over), "{over:?}");
    assert_eq!(over.completed, taut::CompletionStatus::No);
    assert_eq!(observer.calls(), 0);
    // This one is the quickest so far, by whatever clock.
    assert_eq!(answer(&mut client, target, 4, &context(minute, ten)), None);
    // Another was sent ten minutes before it, and has been under way since.
    let late = answer(&mut client, target, 6, &context(minute, 0)).unwrap();
    assert!(is_expired(&late), "{late:?}");
    assert_eq!(
        answer(&mut client, target, 8, &context(11 * minute, 0)),
        None
    );
    assert!(is_within(&observer.last(), minute), "{:?}", observer.last());
    // A oneway leaves no trace.
    let data = context(Duration::ZERO, ten);
    let contexts = [ServiceContext {
        id: id::TAUT_DEADLINE,
        data: &data,
    }];
    let oneway = Request {
        contexts: &contexts,
        response: ResponseFlags::None,
        ..Request::new(10, "ping")
    };
    client.send(&oneway.to(target, |_| ()));
    assert_eq!(answer(&mut client, target, 12, &context(minute, ten)), None);
    assert_eq!(observer.calls(), 3);
    // Octets that cannot be read are no deadline.
    let malformed = answer(&mut client, target, 14, &data[..20]).unwrap();
    assert_eq!(malformed.kind, SystemExceptionKind::Marshal);
    assert_eq!(observer.calls(), 3);
}

/// A servant whose answer is the future that a thread of the ORB goes on with.
struct Later(Arc<Mutex<Option<Option<Duration>>>>);

impl taut::Servant for Later {
    fn interface(&self) -> &'static taut::codegen::Interface {
        EchoRef::INTERFACE
    }

    fn identity(&self) -> taut::ServantIdentity {
        taut::ServantIdentity::of(&self.0)
    }

    fn dispatch(&self, request: &mut taut::ServerRequest<'_>) -> taut::Result<()> {
        let seen = Arc::clone(&self.0);
        let mut is_first = true;
        let future = poll_fn(move |context| {
            if std::mem::take(&mut is_first) {
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            *seen.lock() = Some(deadline::time_left());
            Poll::Ready(Ok::<(), SystemException>(()))
        });
        answer_with_future(request, Box::pin(future), |request, outcome| {
            outcome?;
            request.reply(|_| Ok(()))
        })
    }
}

impl taut::codegen::Skeleton for Later {
    type Reference = EchoRef;
}

#[test]
fn the_threads_that_go_on_with_a_request_have_its_deadline() {
    let server = Server::start();
    // The future of a servant.
    let poa = asking(&server, "asking", &[]);
    let seen = Arc::default();
    let echo = poa.activate(Later(Arc::clone(&seen))).unwrap();
    let client = Mode::tcp().client(&echo.as_object().to_string());
    for is_limited in [true, false] {
        match is_limited {
            true => deadline::within(LONG, || client.ping()).unwrap(),
            false => client.ping().unwrap(),
        }
        let left = seen.lock().take().unwrap();
        assert_eq!(left.is_some_and(|left| left <= LONG), is_limited);
    }
    // The main thread.
    let poa = asking(&server, "main", &[ThreadPolicy::MainThread.into()]);
    let (observer, client) = observed(Mode::tcp(), &poa);
    let call = std::thread::spawn(move || deadline::within(LONG, || client.ping()));
    while observer.calls() == 0 {
        server.orb.perform_work().unwrap();
    }
    call.join().unwrap().unwrap();
    assert!(is_within(&observer.last(), LONG));
    assert_eq!(deadline::time_left(), None);
}

#[test]
fn user_code_does_not_send_the_context_of_a_deadline_itself() {
    let server = Server::start();
    let client = server.client();
    let context = CallContext::new().with_service_context(id::TAUT_DEADLINE, [0; 24]);
    let refused = context.within(|| client.ping()).unwrap_err();
    assert_eq!(refused.kind, SystemExceptionKind::BadParam);
    assert_eq!(refused.minor, minor::RESERVED_SERVICE_CONTEXT);
}
