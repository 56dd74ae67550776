//! Service contexts of user code, with requests and replies.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::thread;

use parking_lot::Mutex;
use taut::codegen::{self, Decode, Encode, Servant, ServerRequest};
use taut::transport_api::Source;
use taut::{
    CallContext, Located, Reference, RequestContext, ServiceContext, SyncScope, SystemException,
    SystemExceptionKind, Version, minor,
};
use taut_giop::message::{self, MessageType, ReplyHeader, ReplyStatus};
use taut_giop::service_context::{self, ServiceContext as Borrowed, ServiceContexts};

use crate::common::mode::{Mode, for_each_mode};
use crate::common::raw::{Message, empty_reply};
use crate::common::{Echo, EchoError, EchoRef, FAILURE, Refused, eventually, serve};

for_each_mode! {
    [tcp, unix, reactor, shared, spinning, unix_reactor, unix_shared] {
        contexts_go_with_requests_and_come_back_with_replies_of_every_kind,
        one_call_by_name_has_contexts_of_its_own,
        oneways_have_them_whatever_they_wait_for,
        those_of_the_orb_come_first_and_are_refused_to_user_code,
        user_code_sends_no_more_than_the_limits_allow,
        a_servant_sees_its_own_again_behind_a_nested_call,
        large_ones_go_in_fragments_too,
        of_a_forwarded_call_those_of_the_last_reply_count,
        a_call_to_which_no_reply_comes_has_no_contexts_of_an_earlier_one,
        a_locate_request_goes_without_them,
        a_dynamic_servant_has_them_and_a_large_reply_keeps_its_end,
        calls_of_many_threads_keep_theirs_apart,
    }
}

const ONE: u32 = 0x4d59_0001;
const TWO: u32 = 0x4d59_0002;
/// In replies.
const ANSWER: u32 = 0x4d59_0003;

const VERSIONS: [Version; 3] = [Version::V1_0, Version::V1_1, Version::V1_2];

type Pairs = Vec<(u32, Vec<u8>)>;

/// Those of user code, without those of ORBs.
fn of_user(contexts: &[ServiceContext]) -> Pairs {
    let pairs = contexts.iter().map(|one| (one.id, one.data.clone()));
    pairs.filter(|(id, _)| id >> 16 == ONE >> 16).collect()
}

/// A servant that says what contexts came, and answers with some.
#[derive(Default)]
struct Teller {
    seen: Mutex<Vec<Pairs>>,
    /// The ids of all that came, those of ORBs too.
    ids: Mutex<Vec<Vec<u32>>>,
    /// Another, which is called first.
    next: Option<EchoRef>,
    mode: Mode,
}

impl Teller {
    /// Notes what came with the request, and returns it with the reply.
    fn tell(&self) -> taut::Result<()> {
        let contexts = RequestContext::service_contexts()?;
        let found = of_user(&contexts);
        let peer = RequestContext::peer()?.unwrap();
        assert!(
            peer.starts_with("127.0.0.1:") || self.mode.is_unix(),
            "{peer}"
        );
        let source = RequestContext::source()?.unwrap();
        match self.mode.is_unix() {
            true => assert!(matches!(source, Source::User(_)), "{source:?}"),
            false => assert_eq!(source, Source::Machine(Ipv4Addr::LOCALHOST.into())),
        }
        self.ids
            .lock()
            .push(contexts.iter().map(|one| one.id).collect());
        self.seen.lock().push(found.clone());
        for (id, data) in found {
            assert!(RequestContext::service_context(id)?.is_some());
            let answer = [&id.to_be_bytes()[..], &data].concat();
            RequestContext::add_to_reply(ANSWER, answer)?;
        }
        Ok(())
    }

    fn take_seen(&self) -> Vec<Pairs> {
        std::mem::take(&mut self.seen.lock())
    }
}

impl Echo for Teller {
    fn ping(&self) -> taut::Result<()> {
        if let Some(next) = &self.next {
            next.ping()?;
        }
        self.tell()
    }

    fn echo(&self, text: &str) -> Result<String, EchoError> {
        self.tell()?;
        match text {
            "refuse" => Err(Refused {
                why: "told".to_owned(),
            }
            .into()),
            "fail" => Err(FAILURE.into()),
            "panic" => panic!("the servant was asked to panic"),
            text => Ok(text.to_owned()),
        }
    }

    fn note(&self, text: &str) -> taut::Result<()> {
        self.tell()?;
        match text {
            "fail" => Err(FAILURE),
            _ => Ok(()),
        }
    }
}

impl From<Refused> for EchoError {
    fn from(exception: Refused) -> Self {
        Self::Refused(exception)
    }
}

/// A server with this servant, and the reference.
struct House {
    orb: taut::Orb,
    teller: Arc<Teller>,
    echo: EchoRef,
}

impl House {
    fn new(mode: Mode) -> Self {
        Self::with(mode, Teller::default(), |_| ())
    }

    fn with(mode: Mode, teller: Teller, and: impl FnOnce(&mut taut::Settings)) -> Self {
        let builder = taut::Orb::builder().listen(mode.endpoint()).unwrap();
        let orb = builder
            .settings(|settings| mode.adjust(settings))
            .settings(and)
            .build()
            .unwrap();
        let teller = Arc::new(Teller { mode, ..teller });
        let echo = serve(&orb, &teller);
        Self { orb, teller, echo }
    }

    fn url(&self) -> String {
        self.echo.as_object().to_string()
    }
}

impl Drop for House {
    fn drop(&mut self) {
        self.orb.shutdown(true).unwrap();
    }
}

fn context() -> CallContext {
    CallContext::new()
        .with_service_context(ONE, b"first")
        .with_service_context(TWO, [])
        .with_service_context(ONE, [7; 9])
}

fn sent() -> Pairs {
    of_user(&context().service_contexts())
}

/// The contexts of the reply to a request with these.
fn answer(sent: &Pairs) -> Pairs {
    let answer = |(id, data): &(u32, Vec<u8>)| {
        let data = [&id.to_be_bytes()[..], data].concat();
        (ANSWER, data)
    };
    sent.iter().map(answer).collect()
}

fn contexts_go_with_requests_and_come_back_with_replies_of_every_kind(mode: Mode) {
    let versions = VERSIONS.map(|version| (version, false));
    for (version, giop_lite) in versions.into_iter().chain([(Version::V1_2, true)]) {
        let set = |settings: &mut taut::Settings| {
            settings.wire.giop_version = version;
            settings.wire.giop_lite = giop_lite;
        };
        let house = House::with(mode, Teller::default(), set);
        let echo = mode.client_with(&house.url(), set);
        let context = context();
        let check = |what: &str| {
            assert_eq!(house.teller.take_seen(), [sent()], "{version}: {what}");
            let replied = of_user(&context.reply_service_contexts());
            assert_eq!(replied, answer(&sent()), "{version}: {what}");
        };
        context.within(|| {
            echo.ping().unwrap();
            check("no results");
            for text in ["", "1", "22", "333", "4444", "55555", "a longer text"] {
                assert_eq!(echo.echo(text).unwrap(), text);
                check(text);
            }
            let refused = EchoError::Refused(Refused {
                why: "told".to_owned(),
            });
            assert_eq!(echo.echo("refuse"), Err(refused));
            check("a user exception");
            assert_eq!(echo.echo("fail"), Err(EchoError::System(FAILURE)));
            check("a system exception");
            let Err(EchoError::System(exception)) = echo.echo("panic") else {
                panic!("no system exception");
            };
            assert_eq!(exception.minor, minor::SERVANT_PANICKED);
            check("a panic");
        });
        // A later call has none of the contexts.
        echo.ping().unwrap();
        assert_eq!(house.teller.take_seen(), [vec![]]);
        context.within(|| echo.as_object().non_existent().unwrap());
        assert_eq!(context.reply_service_contexts(), []);
    }
}

fn one_call_by_name_has_contexts_of_its_own(mode: Mode) {
    let house = House::new(mode);
    let echo = mode.client(&house.url());
    let context = context();
    let ping = |context: &CallContext| {
        let object = echo.as_object();
        object
            .invoke_with(context, "ping", |_| Ok(()))
            .unwrap()
            .no_results()
            .unwrap();
    };
    ping(&context);
    assert_eq!(house.teller.take_seen(), [sent()]);
    assert_eq!(of_user(&context.reply_service_contexts()), answer(&sent()));
    assert_eq!(
        context.reply_service_context(ANSWER),
        Some(answer(&sent())[0].1.clone())
    );
    // Its own replaces that of the thread; a copy has not had a reply.
    let outer = CallContext::new().with_service_context(TWO, b"outer");
    outer.within(|| {
        ping(&context.clone());
        assert_eq!(house.teller.take_seen(), [sent()]);
        context.within(|| ping(&CallContext::new()));
        assert_eq!(house.teller.take_seen(), [vec![]]);
        let extended = CallContext::of_thread()
            .unwrap()
            .with_service_context(ONE, b"more");
        extended.within(|| echo.ping().unwrap());
        let both = vec![(TWO, b"outer".to_vec()), (ONE, b"more".to_vec())];
        assert_eq!(house.teller.take_seen(), [both]);
    });
    assert!(outer.reply_service_contexts().is_empty());
    assert!(context.clone().reply_service_contexts().is_empty());
}

fn oneways_have_them_whatever_they_wait_for(mode: Mode) {
    let house = House::new(mode);
    let echo = mode.client(&house.url());
    echo.ping().unwrap();
    house.teller.take_seen();
    let scopes = [
        SyncScope::WithTransport,
        SyncScope::WithServer,
        SyncScope::WithTarget,
    ];
    #[cfg(feature = "full")]
    let scopes = scopes.into_iter().chain([SyncScope::None]);
    for scope in scopes {
        let context = context().with_sync_scope(scope);
        let by_name = || {
            let object = echo.as_object();
            object.invoke_oneway_with(&context, "note", |out| "text".encode(out))
        };
        let of_thread = || context.within(|| echo.note("text"));
        let replied = match scope {
            SyncScope::WithTarget => answer(&sent()),
            _ => Pairs::new(),
        };
        for call in [&by_name as &dyn Fn() -> taut::Result<()>, &of_thread] {
            call().unwrap();
            eventually("a oneway", || !house.teller.seen.lock().is_empty());
            assert_eq!(house.teller.take_seen(), [sent()], "{scope:?}");
            assert_eq!(
                of_user(&context.reply_service_contexts()),
                replied,
                "{scope:?}"
            );
        }
        let failed = context.within(|| echo.note("fail"));
        assert_eq!(failed.is_err(), scope == SyncScope::WithTarget, "{scope:?}");
        eventually("a oneway", || !house.teller.take_seen().is_empty());
    }
}

fn those_of_the_orb_come_first_and_are_refused_to_user_code(mode: Mode) {
    let house = House::new(mode);
    let echo = mode.client(&house.url());
    context().within(|| echo.ping().unwrap());
    let ids = [service_context::id::CODE_SETS, ONE, TWO, ONE];
    assert_eq!(house.teller.ids.lock().pop().unwrap(), ids);
    house.teller.take_seen();
    for id in [
        service_context::id::CODE_SETS,
        service_context::id::BI_DIR_IIOP,
    ] {
        let refused = CallContext::new().with_service_context(id, [0; 4]);
        let exception = refused.within(|| echo.ping()).unwrap_err();
        assert_eq!(exception.kind, SystemExceptionKind::BadParam);
        assert_eq!(exception.minor, minor::RESERVED_SERVICE_CONTEXT);
        let text = exception.to_string();
        assert!(
            text.contains("calling ping") && text.contains("service context"),
            "{text}"
        );
        let object = echo.as_object();
        for scope in [SyncScope::WithTransport, SyncScope::WithTarget] {
            let context = refused.clone().with_sync_scope(scope);
            let sent = object.invoke_oneway_with(&context, "note", |out| "".encode(out));
            assert_eq!(sent.unwrap_err().minor, minor::RESERVED_SERVICE_CONTEXT);
        }
        #[cfg(feature = "full")]
        {
            let context = refused.clone().with_sync_scope(SyncScope::None);
            let sent = context.within(|| echo.note(""));
            assert_eq!(sent.unwrap_err().minor, minor::RESERVED_SERVICE_CONTEXT);
        }
    }
    echo.ping().unwrap();
    assert_eq!(house.teller.take_seen(), [vec![]]);
}

fn user_code_sends_no_more_than_the_limits_allow(mode: Mode) {
    let limits = |settings: &mut taut::Settings| {
        settings.limits.lists.max_service_contexts = 5;
        settings.limits.lists.max_service_context_octets = 100;
    };
    let house = House::with(mode, Teller::default(), limits);
    let echo = mode.client_with(&house.url(), limits);
    let refused = |context: CallContext| {
        let exception = context.within(|| echo.ping()).unwrap_err();
        assert_eq!(exception.kind, SystemExceptionKind::ImpLimit);
        assert_eq!(exception.minor, minor::SERVICE_CONTEXT_LIMIT);
        exception.to_string()
    };
    // Three are kept for the ORB.
    let text = refused(context());
    assert!(text.contains("max_service_contexts = 5"), "{text}");
    let text = refused(CallContext::new().with_service_context(ONE, [1; 101]));
    assert!(text.contains("max_service_context_octets = 100"), "{text}");
    let most = CallContext::new();
    let most = most
        .with_service_context(ONE, [1; 96])
        .with_service_context(TWO, [2; 96]);
    // The first tells the code sets, too.
    most.within(|| echo.ping()).unwrap();
    most.within(|| echo.ping()).unwrap();
    assert_eq!(house.teller.take_seen().len(), 2);
    // The servant answers with four octets more.
    let beyond = CallContext::new().with_service_context(ONE, [1; 97]);
    let exception = beyond.within(|| echo.ping()).unwrap_err();
    assert_eq!(exception.minor, minor::SERVICE_CONTEXT_LIMIT);
}

fn a_servant_sees_its_own_again_behind_a_nested_call(mode: Mode) {
    let inner = House::new(mode);
    let next = Some(mode.client(&inner.url()));
    let house = House::with(
        mode,
        Teller {
            next,
            ..Teller::default()
        },
        |_| (),
    );
    let echo = mode.client(&house.url());
    let context = context();
    context.within(|| echo.ping().unwrap());
    assert_eq!(house.teller.take_seen(), [sent()]);
    assert_eq!(of_user(&context.reply_service_contexts()), answer(&sent()));
    // The calls of a servant have those that the servant gives them.
    assert_eq!(inner.teller.take_seen(), [vec![]]);
}

fn large_ones_go_in_fragments_too(mode: Mode) {
    let small = |settings: &mut taut::Settings| settings.wire.fragment_size = 1_024;
    let house = House::with(mode, Teller::default(), small);
    for version in [Version::V1_1, Version::V1_2] {
        let echo = mode.client_with(&house.url(), |settings| {
            small(settings);
            settings.wire.giop_version = version;
        });
        large_ones_go(&house, &echo);
    }
    let small = |settings: &mut taut::Settings| {
        small(settings);
        settings.wire.giop_lite = true;
    };
    let house = House::with(mode, Teller::default(), small);
    large_ones_go(&house, &mode.client_with(&house.url(), small));
}

/// Calls with contexts that are larger than a fragment.
fn large_ones_go(house: &House, echo: &EchoRef) {
    let context = CallContext::new();
    let context = context
        .with_service_context(ONE, [1; 5_001])
        .with_service_context(TWO, b"2");
    let text = "text ".repeat(1_000);
    context.within(|| assert_eq!(echo.echo(&text).unwrap(), text));
    let sent = of_user(&context.service_contexts());
    assert_eq!(of_user(&context.reply_service_contexts()), answer(&sent));
    assert_eq!(house.teller.take_seen(), [sent]);
}

/// A reply of GIOP 1.2 with a context.
fn reply_with(
    id: u32,
    status: ReplyStatus,
    data: &[u8],
    body: impl FnOnce(&mut codegen::Encoder),
) -> Vec<u8> {
    let contexts = [Borrowed { id: ANSWER, data }];
    let header = ReplyHeader {
        request_id: id,
        status,
        service_contexts: ServiceContexts::new(&contexts),
    };
    let mut out = codegen::Encoder::new(taut::ByteOrder::Big);
    message::begin_message(&mut out, Version::V1_2, MessageType::Reply);
    header.encode(Version::V1_2, &mut out).unwrap();
    let start = message::begin_body(Version::V1_2, &mut out);
    body(&mut out);
    start.finish(&mut out);
    message::finish_message(&mut out).unwrap();
    out.into_buffer()
}

fn of_a_forwarded_call_those_of_the_last_reply_count(mode: Mode) {
    use std::io::Write;

    let listening = mode.listening();
    let echo = mode.client(&listening.url());
    let here = echo.as_object().ior().clone();
    let server = thread::spawn(move || {
        let mut stream = listening.accept();
        for last in [false, true] {
            let request = Message::read(&mut stream).unwrap();
            let id = request.request_id();
            let forward = |out: &mut codegen::Encoder| here.encode(out).unwrap();
            stream
                .write_all(&reply_with(
                    id,
                    ReplyStatus::LocationForward,
                    b"no",
                    forward,
                ))
                .unwrap();
            let request = Message::read(&mut stream).unwrap();
            let id = request.request_id();
            let octets = match last {
                true => empty_reply(id),
                false => reply_with(id, ReplyStatus::NoException, b"yes", |_| ()),
            };
            stream.write_all(&octets).unwrap();
        }
        listening
    });
    let context = context();
    context.within(|| echo.ping().unwrap());
    assert_eq!(context.reply_service_context(ANSWER), Some(b"yes".to_vec()));
    context.within(|| echo.ping().unwrap());
    assert_eq!(context.reply_service_context(ANSWER), None);
    server.join().unwrap();
}

fn a_call_to_which_no_reply_comes_has_no_contexts_of_an_earlier_one(mode: Mode) {
    let house = House::new(mode);
    let echo = mode.client(&house.url());
    let context = context();
    context.within(|| echo.ping().unwrap());
    assert!(!context.reply_service_contexts().is_empty());
    house.orb.shutdown(true).unwrap();
    assert!(context.within(|| echo.ping()).is_err());
    assert!(context.reply_service_contexts().is_empty());
}

fn a_locate_request_goes_without_them(mode: Mode) {
    let house = House::new(mode);
    let echo = mode.client(&house.url());
    let context = context();
    assert_eq!(
        context.within(|| echo.as_object().locate()),
        Ok(Located::Here)
    );
    assert!(context.reply_service_contexts().is_empty());
}

#[test]
fn outside_of_a_servant_there_is_no_request() {
    assert_eq!(RequestContext::service_contexts(), Err(taut::NoContext));
    assert_eq!(RequestContext::service_context(ONE), Err(taut::NoContext));
    let exception = RequestContext::add_to_reply(ONE, b"").unwrap_err();
    assert_eq!(exception.kind, SystemExceptionKind::BadInvOrder);
}

/// A servant without a skeleton, which answers with a large sequence and with contexts.
struct Dynamic(Arc<Mutex<Vec<u32>>>);

const COUNT: usize = 100_000;

impl Servant for Dynamic {
    fn interface(&self) -> &'static codegen::Interface {
        EchoRef::INTERFACE
    }

    fn identity(&self) -> codegen::ServantIdentity {
        codegen::ServantIdentity::of(&self.0)
    }

    fn dispatch(&self, request: &mut ServerRequest<'_>) -> Result<(), SystemException> {
        assert!(request.is_reply_expected());
        self.0.lock().extend(request.request_id());
        for (id, data) in of_user(&request.service_contexts()) {
            request.add_service_context(id, data)?;
        }
        let exception = request.add_service_context(service_context::id::CODE_SETS, []);
        assert_eq!(
            exception.unwrap_err().minor,
            minor::RESERVED_SERVICE_CONTEXT
        );
        request.reply(|out| out.give(vec![0x0102_0304_u32; COUNT]))
    }
}

impl codegen::Skeleton for Dynamic {
    type Reference = EchoRef;
}

fn a_dynamic_servant_has_them_and_a_large_reply_keeps_its_end(mode: Mode) {
    let house = House::new(mode);
    let ids = Arc::default();
    let poa = house.orb.root_poa().unwrap();
    let object = poa.activate(Dynamic(Arc::clone(&ids))).unwrap();
    for version in VERSIONS {
        let echo = mode.client_with(&object.as_object().to_string(), |settings| {
            settings.wire.giop_version = version;
        });
        for context in [CallContext::new(), context()] {
            let reply = echo
                .as_object()
                .invoke_with(&context, "numbers", |_| Ok(()))
                .unwrap();
            let numbers = reply.results(Vec::<u32>::decode).unwrap();
            assert_eq!((numbers.len(), numbers[COUNT - 1]), (COUNT, 0x0102_0304));
            let sent = of_user(&context.service_contexts());
            assert_eq!(of_user(&context.reply_service_contexts()), sent);
        }
    }
    // Those of one connection differ.
    let ids = ids.lock();
    assert_eq!(ids.len(), 2 * VERSIONS.len());
    assert!(ids.chunks(2).all(|pair| pair[0] != pair[1]), "{ids:?}");
}

fn calls_of_many_threads_keep_theirs_apart(mode: Mode) {
    let house = House::new(mode);
    let echo = mode.client(&house.url());
    thread::scope(|scope| {
        for number in 0..4_u32 {
            let echo = &echo;
            scope.spawn(move || {
                for call in 0..30_u32 {
                    let data = (number * 1_000 + call).to_be_bytes();
                    let context = CallContext::new().with_service_context(ONE, data);
                    context.within(|| echo.ping().unwrap());
                    let expected = [&ONE.to_be_bytes()[..], &data].concat();
                    assert_eq!(context.reply_service_context(ANSWER), Some(expected));
                }
            });
        }
    });
}
