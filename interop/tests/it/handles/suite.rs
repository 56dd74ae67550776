//! The tests, for whichever Rust [`generated`] includes.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

use parking_lot::Mutex;
use taut::codegen::{Interface, ServantIdentity, ServerRequest};
use taut::{
    CollocationStrategy, Context, IdAssignmentPolicy, ObjectRef, Orb, Poa, Reference as _, Servant,
    Skeleton, SyncScope, SystemExceptionKind,
};
use taut_giop::message::ResponseFlags;

use super::tap::{Sent, Tap, iiop};

generated!();

use handle_test::{
    Counter, CounterRef, CounterSkeleton, Desk, DeskRef, DeskSkeleton, Named, NamedRef,
    NamedSkeleton, Refused, desk,
};

#[derive(Default)]
struct Clerk {
    mood: AtomicI32,
    notes: AtomicU32,
    itself: Mutex<Option<DeskRef>>,
}

impl Named for Clerk {
    fn name(&self) -> taut::Result<String> {
        Ok("clerk".to_owned())
    }
}

impl Desk for Clerk {
    fn mood(&self) -> taut::Result<i32> {
        Ok(self.mood.load(Ordering::SeqCst))
    }

    fn set_mood(&self, mood: i32) -> taut::Result<()> {
        self.mood.store(mood, Ordering::SeqCst);
        Ok(())
    }

    fn add(&self, a: i32, b: i32) -> taut::Result<i32> {
        Ok(a + b)
    }

    fn refuse(&self, why: &str) -> Result<String, desk::RefuseError> {
        match why {
            "" => Ok("granted".to_owned()),
            why => Err(Refused {
                why: why.to_owned(),
            }
            .into()),
        }
    }

    fn note(&self, _: &str) -> taut::Result<()> {
        self.notes.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    fn notes(&self) -> taut::Result<u32> {
        Ok(self.notes.load(Ordering::SeqCst))
    }

    fn seen(&self, context: &Context) -> taut::Result<String> {
        let values = context
            .iter()
            .map(|(name, value)| format!("{name}={value}"));
        Ok(values.collect::<Vec<_>>().join(" "))
    }

    fn break_down(&self) -> taut::Result<()> {
        panic!("the servant was asked to panic")
    }

    fn at(&self, text: &mut String) -> taut::Result<String> {
        text.push('!');
        Ok(text.repeat(2))
    }

    fn itself(&self) -> taut::Result<Option<DeskRef>> {
        Ok(self.itself.lock().clone())
    }
}

struct Ledger;

impl Counter for Ledger {
    fn reset(&self) -> taut::Result<()> {
        Ok(())
    }

    fn add(&self, a: i32, b: i32) -> taut::Result<i32> {
        Ok(-(a + b))
    }
}

/// A skeleton's servant that notes what it is asked for.
struct Watched<S> {
    skeleton: S,
    asked: Arc<Mutex<Vec<(String, bool)>>>,
}

impl<S: Servant> Servant for Watched<S> {
    fn interface(&self) -> &'static Interface {
        self.skeleton.interface()
    }

    fn identity(&self) -> ServantIdentity {
        self.skeleton.identity()
    }

    fn dispatch(&self, request: &mut ServerRequest<'_>) -> taut::Result<()> {
        self.note(request, false);
        self.skeleton.dispatch(request)
    }

    fn dispatch_at(
        &self,
        operation: Option<usize>,
        request: &mut ServerRequest<'_>,
    ) -> taut::Result<()> {
        self.note(request, true);
        self.skeleton.dispatch_at(operation, request)
    }
}

impl<S> Watched<S> {
    fn note(&self, request: &ServerRequest<'_>, by_handle: bool) {
        let operation = String::from_utf8(request.operation().to_vec()).unwrap();
        self.asked.lock().push((operation, by_handle));
    }
}

impl<S: Skeleton> Skeleton for Watched<S> {
    type Reference = S::Reference;
}

fn orb(operation_handles: bool) -> Orb {
    Orb::builder()
        .settings(|settings| {
            settings.wire.operation_handles = operation_handles;
            settings.client.collocation = CollocationStrategy::Off;
        })
        .listen("127.0.0.1:0")
        .and_then(taut::OrbBuilder::build)
        .unwrap()
}

/// A server with a desk, behind a tap.
struct Server {
    orb: Orb,
    poa: Poa,
    desk: DeskRef,
    asked: Arc<Mutex<Vec<(String, bool)>>>,
    tap: Tap,
    /// To the desk, through the tap.
    url: String,
}

impl Server {
    fn start(operation_handles: bool) -> Self {
        let orb = orb(operation_handles);
        let poa = orb.root_poa().unwrap();
        poa.manager().activate().unwrap();
        let asked = Arc::default();
        let clerk = Arc::new(Clerk::default());
        let servant = Watched {
            skeleton: DeskSkeleton::from_arc(Arc::clone(&clerk)),
            asked: Arc::clone(&asked),
        };
        let desk = poa.activate(servant).unwrap();
        *clerk.itself.lock() = Some(desk.clone());
        let (tap, url) = Tap::to(desk.as_object().ior());
        Self {
            orb,
            poa,
            desk,
            asked,
            tap,
            url,
        }
    }

    /// The key with which this reference's handles begin.
    fn handle_key(object: &ObjectRef) -> Vec<u8> {
        super::handles_of(object).unwrap().key
    }
}

fn bound<R: taut::Reference>(orb: &Orb, url: &str) -> R {
    orb.string_to_object(url).unwrap().unchecked_narrow()
}

/// All that a desk can do, told in words.
fn exchange(desk: &DeskRef) -> Vec<String> {
    let mut context = Context::new();
    context.set("user", "Ada").unwrap();
    let mut said = Vec::new();
    for round in 0..2 {
        said.push(format!("{:?}", desk.set_mood(round - 1)));
        said.push(format!("{:?}", desk.mood()));
        said.push(format!("{:?}", desk.name()));
        said.push(format!("{:?}", desk.add(round, 7)));
        said.push(format!("{:?}", desk.refuse("")));
        said.push(format!("{:?}", desk.refuse("busy")));
        for scope in [
            SyncScope::WithTransport,
            SyncScope::WithServer,
            SyncScope::WithTarget,
            SyncScope::None,
        ] {
            said.push(format!("{:?}", desk.with_sync_scope(scope).note("x")));
        }
        said.push(format!("{:?}", desk.seen(&context)));
        said.push(format!("{:?}", desk.break_down()));
        let mut text = "so".to_owned();
        said.push(format!("{:?} {text}", desk.at(&mut text)));
        said.push(format!("{:?}", NamedRef::from(desk.clone()).name()));
        said.push(format!("{:?}", desk.as_object().repository_id()));
        said.push(format!("{:?}", desk.as_object().non_existent()));
        said.push(format!("{:?}", desk.as_object().is_a("IDL:no/Such:1.0")));
    }
    // Each server has an address of its own, which an exception that it raised tells.
    for text in &mut said {
        if let Some(at) = text.find("; raised by ") {
            text.truncate(at);
        }
    }
    said
}

/// Whether the request is by handle; it is by name or by handle, never both.
fn is_by_handle(sent: &Sent, server: &Server) -> bool {
    let by_name = sent.key == iiop(server.desk.as_object().ior()).object_key;
    assert_eq!(by_name, !sent.operation.is_empty(), "{sent:?}");
    !by_name
}

/// The four combinations: all say the same, and only where both have the setting is
/// anything said by handle; then all is that can be.
#[test]
fn who_agrees_calls_by_handle_and_all_hear_the_same() {
    let mut told = Vec::new();
    for (on_server, on_client) in [(false, false), (false, true), (true, false), (true, true)] {
        let server = Server::start(on_server);
        let client = orb(on_client);
        let desk: DeskRef = bound(&client, &server.url);
        told.push(exchange(&desk));
        // Oneways may be on their way.
        while desk.notes().unwrap() < 8 {
            std::thread::yield_now();
        }
        let sent = server.tap.take();
        assert!(sent.len() > 2 * 17, "{}", sent.len());
        let asked = std::mem::take(&mut *server.asked.lock());
        for (operation, by_handle) in asked {
            let is_listed = DeskRef::INTERFACE.operations.contains(&operation.as_str());
            assert!(is_listed || !by_handle, "{operation}");
        }
        let by_handle = sent.iter().filter(|sent| is_by_handle(sent, &server));
        let by_handle: Vec<_> = by_handle.collect();
        if !(on_server && on_client) {
            assert_eq!(by_handle, [&sent[0]; 0]);
            continue;
        }
        // Each round has 9 calls through the stubs of a desk and 3 oneways; the first on
        // a connection goes by name.
        assert!(by_handle.len() >= 2 * 12 - 2, "{}", by_handle.len());
        for response in [
            ResponseFlags::None,
            ResponseFlags::SyncWithServer,
            ResponseFlags::Expected,
        ] {
            assert!(by_handle.iter().any(|sent| sent.response == response));
        }
        let handles = Server::handle_key(desk.as_object());
        for sent in &sent {
            let name = sent.operation.as_str();
            assert_eq!(sent.key.starts_with(&handles), name.is_empty());
            let is_listed = DeskRef::INTERFACE.operations.contains(&name);
            assert!(
                !is_listed || sent.introduces || name == "_get_name",
                "{sent:?}"
            );
        }
    }
    assert!(told.iter().all(|said| *said == told[0]), "{told:#?}");
}

/// The place in the handle is that of the operation in the list.
#[test]
fn a_handle_tells_the_operation_by_its_place() {
    let (server, client) = (Server::start(true), orb(true));
    let desk: DeskRef = bound(&client, &server.url);
    desk.notes().unwrap();
    server.asked.lock().clear();
    server.tap.take();
    desk.add(1, 2).unwrap();
    desk.mood().unwrap();
    desk.add(3, 4).unwrap();
    desk.name().unwrap();
    let expected = ["add", "_get_mood", "add", "_get_name"];
    let sent = server.tap.take();
    for (sent, name) in sent.iter().zip(expected) {
        let names = DeskRef::INTERFACE.operations.iter();
        let place = { names }.position(|known| *known == name).unwrap();
        let handles = Server::handle_key(desk.as_object());
        let key = [&handles[..], &u32::try_from(place).unwrap().to_be_bytes()].concat();
        assert_eq!((&sent.key, sent.operation.as_str()), (&key, ""));
    }
    assert_eq!(sent.len(), expected.len());
    let asked = server.asked.lock().clone();
    assert_eq!(asked, expected.map(|name| (name.to_owned(), true)));
}

/// Objects that are called in turn over one connection do not get each other's calls.
#[test]
fn calls_in_turn_by_handle_and_by_name_go_where_they_should() {
    let (server, client) = (Server::start(true), orb(true));
    let desk: DeskRef = bound(&client, &server.url);
    let counter = server.poa.activate(CounterSkeleton::new(Ledger)).unwrap();
    let counter: CounterRef = bound(&client, &server.tap.through(counter.as_object().ior()));
    let second = Arc::new(Clerk::default());
    second.set_mood(-7).unwrap();
    let second = server.poa.activate(DeskSkeleton::from_arc(second)).unwrap();
    let second: DeskRef = bound(&client, &server.tap.through(second.as_object().ior()));
    let plain = desk.as_object();
    for round in 0..4 {
        assert_eq!(desk.add(round, 1).unwrap(), round + 1);
        assert_eq!(counter.add(round, 1).unwrap(), -round - 1);
        desk.set_mood(round).unwrap();
        assert_eq!(second.mood().unwrap(), -7);
        assert_eq!(desk.mood().unwrap(), round);
        let by_name = plain.invoke("_get_mood", |_| Ok(())).unwrap();
        let mood: i32 = by_name.results(taut::codegen::Decode::decode).unwrap();
        assert_eq!(mood, round);
        assert_eq!(second.add(round, 2).unwrap(), round + 2);
        assert_eq!(NamedRef::from(second.clone()).name().unwrap(), "clerk");
    }
}

/// A stub of a base, and one of another interface that lies about what it calls, call
/// by name.
#[test]
fn stubs_of_other_interfaces_call_by_name() {
    let (server, client) = (Server::start(true), orb(true));
    let named: NamedRef = bound(&client, &server.url);
    let counter: CounterRef = bound(&client, &server.url);
    for _ in 0..3 {
        assert_eq!(named.name().unwrap(), "clerk");
        assert_eq!(counter.add(2, 3).unwrap(), 5);
        let error = counter.reset().unwrap_err();
        assert_eq!(error.kind, SystemExceptionKind::BadOperation);
    }
    let sent = server.tap.take();
    assert!(sent.iter().all(|sent| !is_by_handle(sent, &server)));
}

/// An object that is activated again with a servant of another interface took no call
/// any more from those who had handles.
#[test]
fn an_object_of_another_interface_than_before_is_called_by_name() {
    let (server, client) = (Server::start(true), orb(true));
    let policies = [IdAssignmentPolicy::UserId.into()];
    let manager = Some(server.poa.manager());
    let poa = server.poa.create_poa("named", manager, &policies).unwrap();
    let id = "desk".into();
    let clerk = || DeskSkeleton::new(Clerk::default());
    let desk = poa.activate_with_id(&id, clerk()).unwrap();
    let desk: DeskRef = bound(&client, &server.tap.through(desk.as_object().ior()));
    let by_handle = |times| {
        for _ in 0..times {
            assert_eq!(desk.name().unwrap(), "clerk");
        }
        let sent = server.tap.take();
        sent.iter().filter(|sent| sent.operation.is_empty()).count()
    };
    assert_eq!(by_handle(4), 3);
    // Of the same interface: it lies elsewhere now, and its handles are good.
    poa.deactivate_object(&id).unwrap();
    let error = desk.name().unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::ObjectNotExist);
    poa.activate_object_with_id(&id, clerk()).unwrap();
    server.tap.take();
    assert_eq!(by_handle(3), 3);

    poa.deactivate_object(&id).unwrap();
    let base = NamedSkeleton::new(Clerk::default());
    poa.activate_object_with_id(&id, base).unwrap();
    // The first is refused and made again by name, as are all that follow.
    assert_eq!(by_handle(1), 1);
    assert_eq!(by_handle(3), 0);
    assert_eq!(
        desk.with_sync_scope(SyncScope::WithTarget).name().unwrap(),
        "clerk"
    );
}

/// A forward to a reference without the component ends the calls by handle, and one to
/// a reference with it begins them.
#[test]
fn a_forward_decides_anew_whether_there_are_handles() {
    for (from, to) in [(true, false), (false, true), (true, true)] {
        let (first, second) = (Server::start(from), Server::start(to));
        let client = orb(true);
        let desk: DeskRef = bound(&client, &first.url);
        desk.name().unwrap();
        assert_eq!(desk.add(1, 2).unwrap(), 3);
        let sent = first.tap.take();
        assert_eq!(sent[sent.len() - 1].operation.is_empty(), from);

        let target: DeskRef = bound(&first.orb, &second.url);
        first.orb.bind_object_key("Desk", target.as_object());
        let plain = first.orb.corbaloc("Desk").unwrap();
        let forwarded: DeskRef = bound(&client, &plain);
        for _ in 0..4 {
            assert_eq!(forwarded.add(1, 2).unwrap(), 3);
        }
        let sent = second.tap.take();
        let by_handle = sent.iter().filter(|sent| is_by_handle(sent, &second));
        assert_eq!(by_handle.count(), if to { sent.len() - 1 } else { 0 });
    }
}

/// References that arrive as results have handles too.
#[test]
fn a_reference_that_was_passed_has_handles() {
    let (server, client) = (Server::start(true), orb(true));
    let desk: DeskRef = bound(&client, &server.url);
    let passed = desk.itself().unwrap().unwrap();
    assert_eq!(passed.as_object().ior(), server.desk.as_object().ior());
    assert_eq!(passed.add(1, 1).unwrap(), 2);
    assert_eq!(passed.add(2, 1).unwrap(), 3);
    let asked = server.asked.lock().clone();
    assert_eq!(asked.last().unwrap(), &("add".to_owned(), true));
}
