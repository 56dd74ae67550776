//! The priority at which requests from elsewhere are carried out, by the model of their POA, and
//! the octets that tell it.

use std::sync::Arc;

use parking_lot::Mutex;
use taut::real_time::{Priority, PriorityTransform, RealTime};
use taut::{
    ObjectRef, Orb, Reference, RequestContext, SystemExceptionKind, ThreadPolicy, Version, minor,
};
use taut_cdr::{Decode, Encode, Encoder};
use taut_giop::component;
use taut_giop::message::{
    ReplyHeader, ReplyStatus, ResponseFlags, priority_context, read_priority_context,
};
use taut_giop::service_context::{ServiceContext, id};

use super::served::{Seen, Served};
use super::{CLIENTS, SERVERS, model, native};
use crate::common::mode::{Mode, for_each_mode};
use crate::common::raw::{Message, RawClient, Request};
use crate::common::{Echo, EchoSkeleton, EndOfServer, serve};

const LITTLE: taut::ByteOrder = taut::ByteOrder::Little;
const PRIORITY: u32 = id::RT_CORBA_PRIORITY;
const OTHER: ServiceContext<'static> = ServiceContext {
    id: 0x7A7A_7A7A,
    data: &[1; 5],
};

for_each_mode! {
    [tcp, unix, reactor, unix_reactor, spinning] {
        a_request_is_carried_out_at_the_priority_that_its_model_says,
        oneways_have_their_priorities_alone_and_in_a_train,
    }
}

fn context(data: &[u8]) -> ServiceContext<'_> {
    let id = PRIORITY;
    ServiceContext { id, data }
}

/// The contexts of a reply, and its status.
fn answered(reply: &Message) -> (ReplyStatus, Vec<(u32, Vec<u8>)>) {
    let version = reply.header.version;
    let mut input = reply.header.decoder(&reply.octets).unwrap();
    let header = ReplyHeader::decode(version, &mut input).unwrap();
    let contexts = header.service_contexts.iter();
    let contexts = contexts.map(|context| (context.id, context.data.to_vec()));
    (header.status, contexts.collect())
}

fn ping<'a>(id: u32, contexts: &'a [ServiceContext<'a>]) -> Request<'a> {
    Request {
        contexts,
        ..Request::new(id, "ping")
    }
}

/// Contexts that a request comes with, and the priority that they tell.
fn ways<'a>(data: &'a [[u8; 4]; 2]) -> Vec<(Vec<ServiceContext<'a>>, bool)> {
    let told = context(&data[0]);
    vec![
        (vec![], false),
        (vec![OTHER], false),
        // This one goes the short way on a little-endian machine, the others do not.
        (vec![told], true),
        (vec![context(&data[1])], true),
        (vec![told, OTHER], true),
        (vec![OTHER, told], true),
    ]
}

fn a_request_is_carried_out_at_the_priority_that_its_model_says(mode: Mode) {
    let served = Served::new(mode);
    let cases = [
        (Some(model(CLIENTS, 7)), "of clients"),
        (Some(model(SERVERS, 9_000)), "of the server"),
        (None, "of nobody"),
    ];
    let data = [
        priority_context(LITTLE, 20_000),
        priority_context(taut::ByteOrder::Big, 20_000),
    ];
    let mut client = RawClient::connect(&served.orb);
    let mut request_id = 0;
    for (of_poa, name) in cases {
        let object = match of_poa {
            Some(model) => served.watched(name, model),
            None => {
                let poa = served
                    .root
                    .create_poa(name, Some(served.root.manager()), &[]);
                poa.unwrap().activate(served.servant()).unwrap()
            }
        };
        for (contexts, tells) in ways(&data) {
            for version in [Version::V1_0, Version::V1_1, Version::V1_2] {
                request_id += 1;
                let request = Request {
                    version,
                    ..ping(request_id, &contexts)
                };
                client.send(&request.to(object.as_object(), |_| ()));
                let reply = client.receive_reply(request_id);
                let ids: Vec<_> = contexts.iter().map(|context| context.id).collect();
                let is_of_clients = of_poa.is_some_and(|model| model.priority_model == CLIENTS);
                let expected = match (of_poa, tells) {
                    (Some(_), true) if is_of_clients => served.at(20_000, &ids),
                    (Some(model), _) => served.at(model.server_priority.get(), &ids),
                    (None, _) => Seen {
                        priority: None,
                        native: served.real_time.applies_native_priorities().then_some(0),
                        contexts: ids,
                    },
                };
                let case = format!("{name}, {version}, {contexts:?}");
                assert_eq!(served.seen(), expected, "{case}");
                let (status, contexts) = answered(&reply);
                assert_eq!(status, ReplyStatus::NoException, "{case}");
                let echoed = is_of_clients && tells;
                assert_eq!(contexts.len(), usize::from(echoed), "{case}: {contexts:?}");
                if let Some((id, data)) = contexts.first() {
                    assert_eq!(
                        (*id, read_priority_context(data)),
                        (PRIORITY, Ok(20_000)),
                        "{case}"
                    );
                }
            }
        }
    }
    assert!(served.has_seen_all());
}

fn oneways_have_their_priorities_alone_and_in_a_train(mode: Mode) {
    let served = Served::new(mode);
    let of_clients = served.watched("of clients", model(CLIENTS, 7));
    let of_server = served.watched("of the server", model(SERVERS, 9));
    let mut client = RawClient::connect(&served.orb);
    let data: Vec<_> = (0..40)
        .map(|number| priority_context(LITTLE, number))
        .collect();
    let contexts: Vec<_> = data.iter().map(|data| [context(data)]).collect();
    let note = |object: &ObjectRef, id, contexts| {
        let request = Request {
            response: ResponseFlags::None,
            operation: "note",
            ..ping(id, contexts)
        };
        request.to(object, |out| "text".encode(out).unwrap())
    };
    let mut train = Vec::new();
    for (number, contexts) in (1..).zip(&contexts) {
        train.extend(note(of_clients.as_object(), 2 * number, contexts));
        train.extend(note(of_server.as_object(), 2 * number + 1, &[]));
    }
    client.send(&train);
    for number in 0..40 {
        assert_eq!(served.seen(), served.at(number, &[PRIORITY]));
        assert_eq!(served.seen(), served.at(9, &[]));
    }
    for contexts in &contexts[..3] {
        client.send(&note(of_clients.as_object(), 1_000, contexts));
        let told = i16::from_le_bytes([contexts[0].data[2], contexts[0].data[3]]);
        assert_eq!(served.seen(), served.at(told, &[PRIORITY]));
    }
}

/// The message of the reply, octet by octet.
#[test]
fn a_reply_tells_the_priority_in_the_octets_of_the_standard() {
    let served = Served::new(Mode::tcp());
    let object = served.watched("of clients", model(CLIENTS, 7));
    let mut client = RawClient::connect(&served.orb);
    let data = priority_context(LITTLE, 0x0102);
    client.send(&ping(5, &[context(&data)]).to(object.as_object(), |_| ()));
    let expected: &[u8] = &[
        b'G', b'I', b'O', b'P', 1, 2, 1, 1, 24, 0, 0, 0, // a reply of 24 octets
        5, 0, 0, 0, 0, 0, 0, 0, // to request 5, NO_EXCEPTION
        1, 0, 0, 0, 10, 0, 0, 0, 4, 0, 0, 0, 1, 0, 2, 1, // RTCorbaPriority
    ];
    assert_eq!(client.receive_reply(5).octets, expected);
    let contexts = [OTHER, context(&data)];
    let echo = Request {
        operation: "echo",
        ..ping(6, &contexts)
    };
    client.send(&echo.to(object.as_object(), |out| "ab".encode(out).unwrap()));
    let expected: &[u8] = &[
        b'G', b'I', b'O', b'P', 1, 2, 1, 1, 35, 0, 0, 0, //
        6, 0, 0, 0, 0, 0, 0, 0, //
        1, 0, 0, 0, 10, 0, 0, 0, 4, 0, 0, 0, 1, 0, 2, 1, //
        0, 0, 0, 0, 3, 0, 0, 0, b'a', b'b', 0,
    ];
    assert_eq!(client.receive_reply(6).octets, expected);
}

/// The data of the component TAG_POLICIES in a reference's first profile.
fn told(object: &ObjectRef) -> Vec<u8> {
    let first = object.ior().iiop_profiles().next().unwrap().unwrap();
    first
        .component(component::tag::POLICIES)
        .unwrap()
        .data
        .clone()
}

#[test]
fn references_tell_the_model_in_the_octets_of_the_standard() {
    let served = Served::new(Mode::tcp());
    let policies = |model: u32, priority: i16| {
        let mut out = Encoder::new(LITTLE);
        out.write_bytes(&[1, 0, 0, 0]);
        for word in [1_u32, 40, 10] {
            out.write(word);
        }
        out.write_bytes(&[1, 0, 0, 0]);
        out.write(model);
        out.write(priority);
        out.into_buffer()
    };
    let of_clients = served.watched("of clients", model(CLIENTS, 7));
    assert_eq!(told(of_clients.as_object()), policies(0, 7));
    let poa = served
        .poa("of the server", model(SERVERS, 0x0102), &[])
        .unwrap();
    let of_server = poa.activate(served.servant()).unwrap();
    assert_eq!(told(of_server.as_object()), policies(1, 0x0102));
    poa.deactivate_object(&poa.reference_to_id(of_server.as_object()).unwrap())
        .unwrap();
    let own = poa
        .activate_with_priority(served.servant(), Priority::MAX)
        .unwrap();
    assert_eq!(told(own.as_object()), policies(1, i16::MAX));
}

#[test]
fn exceptions_forwards_and_contexts_of_the_servant_come_with_the_priority() {
    let served = Served::new(Mode::tcp());
    let object = served.watched("of clients", model(CLIENTS, 7));
    *served.watcher.within.lock() = Some(Box::new(|| {
        taut::RequestContext::add_to_reply(0x5455_7777, b"own").unwrap();
    }));
    let mut client = RawClient::connect(&served.orb);
    let data = priority_context(LITTLE, 20_000);
    let mut echoed = vec![(PRIORITY, data.to_vec())];
    // The servant has no such operation, and adds nothing.
    let contexts = [context(&data)];
    let request = Request {
        operation: "notes",
        ..ping(1, &contexts)
    };
    client.send(&request.to(object.as_object(), |_| ()));
    let reply = client.receive_reply(1);
    assert_eq!(
        answered(&reply),
        (ReplyStatus::SystemException, echoed.clone())
    );
    echoed.push((0x5455_7777, b"own".to_vec()));
    for (id, contexts) in [(2, &[context(&data)][..]), (3, &[OTHER, context(&data)])] {
        let request = Request {
            operation: "echo",
            ..ping(id, contexts)
        };
        client.send(&request.to(object.as_object(), |out| "text".encode(out).unwrap()));
        let reply = client.receive_reply(id);
        assert_eq!(answered(&reply), (ReplyStatus::NoException, echoed.clone()));
        let (_, mut results) = reply.outcome();
        assert_eq!(String::decode(&mut results).unwrap(), "text");
    }
}

#[test]
fn a_malformed_priority_is_refused() {
    let served = Served::new(Mode::tcp());
    let object = served.watched("of clients", model(CLIENTS, 7));
    let mut client = RawClient::connect(&served.orb);
    let negative = priority_context(LITTLE, -5);
    let marshal = SystemExceptionKind::Marshal;
    let cases = [
        (&negative[..], marshal),
        (&[1, 0, 5], marshal),
        (&[], marshal),
        (&[7, 0, 1, 0], marshal),
    ];
    for (id, (data, kind)) in (1..).zip(cases) {
        client.send(&ping(id, &[context(data)]).to(object.as_object(), |_| ()));
        let reply = client.receive_reply(id);
        let (status, mut results) = reply.outcome();
        assert_eq!(status, ReplyStatus::SystemException, "{data:?}");
        let exception = taut::SystemException::decode(&mut results).unwrap();
        assert_eq!(exception.kind, kind);
    }
    // The connection goes on.
    client.send(&ping(9, &[]).to(object.as_object(), |_| ()));
    client.receive_reply(9);
    assert_eq!(served.seen(), served.at(7, &[]));
}

/// Without priorities the context is one that nobody knows.
#[test]
fn an_orb_without_priorities_leaves_the_context_to_its_servants() {
    let orb = Mode::tcp().listening_builder().build().unwrap();
    let _end = EndOfServer::of(&orb);
    let servant = Arc::new(Contexts::default());
    let object = serve(&orb, &servant);
    let mut client = RawClient::connect(&orb);
    let data = priority_context(LITTLE, 20_000);
    client.send(&ping(1, &[context(&data)]).to(object.as_object(), |_| ()));
    assert_eq!(
        answered(&client.receive_reply(1)),
        (ReplyStatus::NoException, vec![])
    );
    assert_eq!(*servant.0.lock(), [(PRIORITY, data.to_vec())]);
}

/// A servant that notes the service contexts of its requests.
#[derive(Default)]
struct Contexts(Mutex<Vec<(u32, Vec<u8>)>>);

impl Echo for Contexts {
    fn ping(&self) -> taut::Result<()> {
        let contexts = RequestContext::service_contexts()?.into_iter();
        let contexts = contexts.map(|context| (context.id, context.data.to_vec()));
        self.0.lock().extend(contexts);
        Ok(())
    }
}

#[derive(Debug)]
struct Halves;

impl PriorityTransform for Halves {
    fn inbound(&self, priority: Priority, object_id: &[u8]) -> Option<Priority> {
        assert!(!object_id.is_empty());
        match priority.get() {
            1_000 => None,
            number => Priority::new(number / 2).ok(),
        }
    }

    fn outbound(&self, priority: Priority, _: &[u8]) -> Option<Priority> {
        Some(priority)
    }
}

#[test]
fn a_transform_changes_the_priorities_that_clients_send() {
    let builder = Mode::tcp().listening_builder();
    let served = Served::of(builder.real_time(RealTime::new().transform(Halves)));
    let of_clients = served.watched("of clients", model(CLIENTS, 7));
    let of_server = served.watched("of the server", model(SERVERS, 9));
    let mut client = RawClient::connect(&served.orb);
    let data = [20_000, 1_000].map(|number| priority_context(LITTLE, number));
    for (id, contexts) in [
        (1, &[context(&data[0])][..]),
        (2, &[OTHER, context(&data[0])]),
    ] {
        client.send(&ping(id, contexts).to(of_clients.as_object(), |_| ()));
        let (_, contexts) = answered(&client.receive_reply(id));
        // The reply tells what the request has told.
        assert_eq!(contexts, [(PRIORITY, data[0].to_vec())]);
        assert_eq!(served.seen().priority, Some(10_000));
        client.send(&ping(id + 4, &[context(&data[0])]).to(of_server.as_object(), |_| ()));
        client.receive_reply(id + 4);
        assert_eq!(served.seen().priority, Some(9));
    }
    client.send(&ping(3, &[]).to(of_clients.as_object(), |_| ()));
    client.receive_reply(3);
    assert_eq!(served.seen().priority, Some(7));
    client.send(&ping(4, &[context(&data[1])]).to(of_clients.as_object(), |_| ()));
    let reply = client.receive_reply(4);
    let (_, mut results) = reply.outcome();
    let exception = taut::SystemException::decode(&mut results).unwrap();
    let expected = (SystemExceptionKind::DataConversion, minor::omg(2));
    assert_eq!((exception.kind, exception.minor), expected);
    assert!(served.has_seen_all());
}

#[test]
fn the_thread_of_a_connection_has_its_own_priority_again_afterwards() {
    let served = Served::new(Mode::tcp());
    let of_clients = served.watched("of clients", model(CLIENTS, 7));
    let plain = served
        .root
        .create_poa("plain", Some(served.root.manager()), &[])
        .unwrap();
    let plain = plain.activate(served.servant()).unwrap();
    let mut client = RawClient::connect(&served.orb);
    let data = priority_context(LITTLE, 20_000);
    for id in 0..3 {
        client.send(&ping(2 * id, &[context(&data)]).to(of_clients.as_object(), |_| ()));
        client.receive_reply(2 * id);
        assert_eq!(served.seen(), served.at(20_000, &[PRIORITY]));
        client.send(&ping(2 * id + 1, &[]).to(plain.as_object(), |_| ()));
        client.receive_reply(2 * id + 1);
        let seen = served.seen();
        assert_eq!(
            (seen.priority, seen.native),
            (None, native(&served.real_time).map(|_| 0))
        );
    }
}

#[test]
fn servants_that_take_turns_have_the_priority() {
    let served = Served::new(Mode::tcp());
    let mut client = RawClient::connect(&served.orb);
    let data = priority_context(LITTLE, 20_000);
    for (id, model) in (1..).zip([model(CLIENTS, 7), model(SERVERS, 20_000)]) {
        let name = format!("one at a time {id}");
        let policies = [ThreadPolicy::SingleThread.into()];
        let poa = served.poa(&name, model, &policies).unwrap();
        let object = poa.activate(served.servant()).unwrap();
        client.send(&ping(id, &[context(&data)]).to(object.as_object(), |_| ()));
        client.receive_reply(id);
        assert_eq!(served.seen(), served.at(20_000, &[PRIORITY]), "{name}");
        poa.destroy(true, true).unwrap();
    }
}

fn bind<'a>((version, id): (Version, u32), contexts: &'a [ServiceContext<'a>]) -> Request<'a> {
    Request {
        version,
        operation: "_bind_priority_band",
        ..ping(id, contexts)
    }
}

#[test]
fn a_client_may_bind_a_band_of_priorities() {
    let server = Mode::tcp().server();
    let mut client = RawClient::connect(&server.orb);
    let range = |data| ServiceContext {
        id: id::RT_CORBA_PRIORITY_RANGE,
        data,
    };
    let object = server.echo.as_object();
    let mut id = 0;
    for version in [Version::V1_0, Version::V1_1, Version::V1_2] {
        for data in [&[1, 0, 1, 0, 9, 0], &[0, 0, 0, 1, 0, 9]] {
            id += 1;
            let contexts = [range(data)];
            client.send(&bind((version, id), &contexts).to(object, |_| ()));
            let reply = client.receive_reply(id);
            let (status, mut results) = reply.outcome();
            assert_eq!(status, ReplyStatus::NoException);
            assert!(bool::decode(&mut results).unwrap());
        }
    }
    let no_range = (SystemExceptionKind::BadParam, minor::NO_PRIORITY_RANGE);
    let reversed = [range(&[1, 0, 9, 0, 1, 0])];
    let short = [range(&[1, 0, 9])];
    for (contexts, expected) in [
        (&[][..], no_range),
        (&[OTHER], no_range),
        (&reversed, (SystemExceptionKind::Marshal, 0)),
        (&short, (SystemExceptionKind::Marshal, 0)),
    ] {
        id += 1;
        client.send(&bind((Version::V1_2, id), contexts).to(object, |_| ()));
        let reply = client.receive_reply(id);
        let (_, mut results) = reply.outcome();
        let exception = taut::SystemException::decode(&mut results).unwrap();
        assert_eq!(exception.kind, expected.0);
        assert!(expected.1 == 0 || exception.minor == expected.1);
    }
}

#[test]
fn a_model_of_the_orb_is_that_of_its_poas() {
    for (of_orb, number) in [(CLIENTS, 20_000), (SERVERS, 7)] {
        let builder = Mode::tcp().listening_builder();
        let orb = builder.real_time(RealTime::new()).build().unwrap();
        let policies = [model(of_orb, 7).into()];
        let how = taut::policy::SetOverrideType::Add;
        orb.policy_manager()
            .set_policy_overrides(&policies, how)
            .unwrap();
        assert_of(&orb, number);
        orb.shutdown(true).unwrap();
    }
}

/// The root POA, and one that is made now, carry requests out at this priority.
fn assert_of(orb: &Orb, number: i16) {
    let root = orb.root_poa().unwrap();
    root.manager().activate().unwrap();
    let child = root.create_poa("child", Some(root.manager()), &[]).unwrap();
    let mut client = RawClient::connect(orb);
    let data = priority_context(LITTLE, 20_000);
    for (id, poa) in (1..).zip([root, child]) {
        let real_time = orb.real_time().unwrap();
        let tell = move || real_time.current().the_priority().unwrap();
        let object = poa.activate(EchoSkeleton(Arc::new(Telling(tell)))).unwrap();
        let contexts = [context(&data)];
        let request = Request {
            operation: "notes",
            ..ping(id, &contexts)
        };
        client.send(&request.to(object.as_object(), |_| ()));
        let reply = client.receive_reply(id);
        let (_, mut results) = reply.outcome();
        assert_eq!(u32::decode(&mut results).unwrap(), number as u32);
    }
}

/// A servant that tells the priority of its request.
struct Telling<F>(F);

impl<F: Fn() -> i16 + Send + Sync> Echo for Telling<F> {
    fn notes(&self) -> taut::Result<u32> {
        Ok((self.0)() as u32)
    }
}
