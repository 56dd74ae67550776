//! Each limit, met: what a peer gets who exceeds it. Those of fragments, of
//! floods and of connections are in `attacks/`.

use std::io::{Read, Write};

use std::time::Duration;

use crate::common;
use crate::common::mode::{Mode, for_each_mode};
use crate::common::raw::{self, Message, RawClient, Request};
use crate::common::wire::Wire;
use crate::common::{Echo, EchoRef, Misbehaviour, Server, eventually};
use taut::{
    CompletionStatus, Orb, PenaltyPolicy, Reference, Settings, SystemException,
    SystemExceptionKind, TypeCode,
};
use taut_cdr::{Decode, Encode};
use taut_giop::message::{MessageType, ReplyStatus};
use taut_giop::service_context::ServiceContext;

for_each_mode! {
    [tcp, unix] {
        service_contexts,
        octets_of_a_service_context,
        profiles_of_a_reference,
        components_of_a_profile,
        nodes_of_a_type_code,
        indirections_of_a_type_code,
        depth_of_a_type_code,
        memory_of_the_values_in_a_message,
        a_good_client_is_served_whatever_others_at_its_address_do,
        peers_that_are_exempt_are_neither_penalized_nor_counted,
        a_used_connection_gives_way_when_it_has_been_idle_for_long_enough,
        a_call_beyond_a_limit_of_its_client_ends_with_an_exception_that_names_the_setting,
        breaches_of_one_address,
        #[cfg(feature = "full")]
        arguments_set_limits,
    }
}

fn failure(echo: &EchoRef) -> (SystemExceptionKind, CompletionStatus) {
    let SystemException {
        kind, completed, ..
    } = echo.ping().unwrap_err();
    (kind, completed)
}

/// The message type of the server's answer to a request with so many contexts.
fn answer_to_contexts(server: &Server, count: usize) -> MessageType {
    let contexts: Vec<_> = (0..count as u32)
        .map(|number| ServiceContext {
            id: 0x7A00_0000 + number,
            data: &[],
        })
        .collect();
    answer_to(server, &contexts)
}

/// The message type of the server's answer to a request with these contexts.
fn answer_to(server: &Server, contexts: &[ServiceContext<'_>]) -> MessageType {
    let request = Request {
        contexts,
        ..Request::new(1, "ping")
    };
    let mut raw = RawClient::connect(&server.orb);
    raw.send(&request.to(server.echo.as_object(), |_| ()));
    raw.receive_type().unwrap()
}

fn service_contexts(mode: Mode) {
    let by_default = mode.server_with(|_| ());
    assert_eq!(answer_to_contexts(&by_default, 64), MessageType::Reply);
    assert_eq!(
        answer_to_contexts(&by_default, 65),
        MessageType::MessageError
    );
    let with_two = mode.server_with(|settings| settings.limits.lists.max_service_contexts = 2);
    assert_eq!(answer_to_contexts(&with_two, 2), MessageType::Reply);
    assert_eq!(answer_to_contexts(&with_two, 3), MessageType::MessageError);
}

fn octets_of_a_service_context(mode: Mode) {
    let answer = |server: &Server, octets| {
        let data = vec![7; octets];
        let contexts = [b"x", &data[..]].map(|data| ServiceContext { id: 9, data });
        answer_to(server, &contexts)
    };
    let by_default = mode.server_with(|_| ());
    assert_eq!(answer(&by_default, 65_536), MessageType::Reply);
    assert_eq!(answer(&by_default, 65_537), MessageType::MessageError);
    let with_ten =
        mode.server_with(|settings| settings.limits.lists.max_service_context_octets = 10);
    assert_eq!(answer(&with_ten, 10), MessageType::Reply);
    assert_eq!(answer(&with_ten, 11), MessageType::MessageError);
}

fn profiles_of_a_reference(mode: Mode) {
    let server = mode.server_with(|_| ());
    let one = server.url("Echo");
    let address = one.strip_suffix("/Echo").unwrap();
    let again = address.strip_prefix("corbaloc:").unwrap();
    let three = format!("{address},{again},{again}/Echo");
    let elsewhere = Orb::builder().build().unwrap().string_to_object(&three);
    server.orb.bind_object_key("Echo", server.echo.as_object());
    server.orb.bind_object_key("Three", &elsewhere.unwrap());
    let url = server.url("Three");
    mode.client_with(&url, |settings| settings.limits.lists.max_profiles = 3)
        .ping()
        .unwrap();
    let with_two = mode.client_with(&url, |settings| settings.limits.lists.max_profiles = 2);
    assert_eq!(
        failure(&with_two),
        (SystemExceptionKind::Marshal, CompletionStatus::Maybe)
    );
}

fn components_of_a_profile(mode: Mode) {
    let server = mode.server_with(|_| ());
    let with_one = mode.client_with(&server.ior(), |settings| {
        settings.limits.lists.max_components = 1
    });
    assert_eq!(
        failure(&with_one),
        (SystemExceptionKind::InvObjref, CompletionStatus::No)
    );
    mode.client_with(&server.ior(), |_| ()).ping().unwrap();
}

#[test]
fn components_of_a_name() {
    let builder = Orb::builder().settings(|settings| settings.limits.lists.max_name_components = 2);
    let refused = builder.build().unwrap();
    let refused = refused.string_to_object("corbaname::127.0.0.1:1#a/b/c");
    let text = refused.unwrap_err().to_string();
    assert!(
        text.contains("the limit (max_name_components) of 2"),
        "{text}"
    );
}

/// Reads a TypeCode from a reply.
fn type_code(mode: Mode, adjust: impl FnOnce(&mut Settings)) -> Result<TypeCode, SystemException> {
    let listener = mode.listening();
    let url = listener.url();
    let server = std::thread::spawn(move || {
        let mut stream = listener.accept();
        let request = Message::read(&mut stream).unwrap();
        // struct Tree { sequence<Tree> branches; };
        let tree = TypeCode::create_recursive("IDL:Tree:1.0").unwrap();
        let trees = TypeCode::create_sequence(&tree, 0).unwrap();
        let tree = TypeCode::create_struct("IDL:Tree:1.0", "Tree", &[("branches", trees)]);
        let reply = raw::reply(request.request_id(), ReplyStatus::NoException, |out| {
            tree.unwrap().encode(out).unwrap();
        });
        stream.write_all(&reply).unwrap();
    });
    let object = mode.client_with(&url, adjust).into_object();
    let read = object.invoke("type", |_| Ok(()))?.results(TypeCode::decode);
    server.join().unwrap();
    read
}

fn nodes_of_a_type_code(mode: Mode) {
    type_code(mode, |settings| settings.limits.type_codes.nodes = 3).unwrap();
    let error = type_code(mode, |settings| settings.limits.type_codes.nodes = 1).unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::Marshal);
}

fn indirections_of_a_type_code(mode: Mode) {
    type_code(mode, |settings| settings.limits.type_codes.indirections = 1).unwrap();
    let error =
        type_code(mode, |settings| settings.limits.type_codes.indirections = 0).unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::Marshal);
}

fn depth_of_a_type_code(mode: Mode) {
    let error = type_code(mode, |settings| settings.limits.nesting_limit = 1).unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::Marshal);
}

fn memory_of_the_values_in_a_message(mode: Mode) {
    let scarce = |settings: &mut Settings| {
        settings.limits.memory.per_octet = 0;
        settings.limits.memory.extra = 100;
    };
    let server = mode.server_with(scarce);
    let strict = mode.client_with(&server.ior(), scarce);
    // The servant borrows its argument, which costs nothing.
    assert_eq!(server.client().echo(&"x".repeat(101)).unwrap().len(), 101);
    assert_eq!(strict.echo(&"x".repeat(100)).unwrap().len(), 100);
    // The result is the client's own.
    let refused = strict.echo(&"x".repeat(101)).unwrap_err();
    let common::EchoError::System(refused) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(refused.kind, SystemExceptionKind::Marshal);
}

/// Has a client break the rules, and says with which message it is answered.
fn breach(server: &Server) -> Option<u8> {
    let mut stream = Wire::to(&server.orb);
    let _ = stream.write_all(b"this is not GIOP");
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    answer.get(7).copied()
}

/// The type of MessageError in a message's header.
const MESSAGE_ERROR: Option<u8> = Some(6);

/// Found behind a gateway: one bad client shut out all others of its address.
fn a_good_client_is_served_whatever_others_at_its_address_do(mode: Mode) {
    for connection_threads in [64, 0] {
        let server = mode.server_with(|settings| {
            #[cfg(feature = "full")]
            {
                settings.server.connection_threads = connection_threads;
            }
            #[cfg(not(feature = "full"))]
            let _ = connection_threads;
            settings.server.max_protocol_errors_per_second = 3;
        });
        assert_eq!(breach(&server), MESSAGE_ERROR);
        // From here on such connections cost as little as they can.
        eventually("restriction", || breach(&server).is_none());
        for _ in 0..5 {
            assert_eq!(breach(&server), None);
            let newcomer = server.client();
            newcomer.ping().unwrap();
            newcomer.ping().unwrap();
        }
    }
}

fn peers_that_are_exempt_are_neither_penalized_nor_counted(mode: Mode) {
    let server = mode.server_with(|settings| {
        settings.server.max_protocol_errors_per_second = 0;
        settings.server.penalty_policy = PenaltyPolicy::Refuse;
        settings.server.max_connections_per_peer = 1;
        settings.server.exempt_peers = ["127.0.0.0/8", "unix"]
            .map(|text| text.parse().unwrap())
            .into();
    });
    for _ in 0..5 {
        assert_eq!(breach(&server), MESSAGE_ERROR);
    }
    let clients = [server.client(), server.client()];
    std::thread::scope(|scope| {
        for client in &clients {
            scope.spawn(|| client.misbehave(Misbehaviour::Blocks).unwrap());
            server.entered.recv().unwrap();
        }
        for _ in &clients {
            server.release.send(()).unwrap();
        }
    });
}

fn a_used_connection_gives_way_when_it_has_been_idle_for_long_enough(mode: Mode) {
    for (least_idle_time, gives_way) in
        [(Duration::ZERO, true), (Duration::from_secs(3_600), false)]
    {
        let server = mode.server_with(|settings| {
            settings.server.max_connections_per_peer = 1;
            settings.server.least_idle_time = least_idle_time;
        });
        let first = server.client();
        first.ping().unwrap();
        match gives_way {
            true => eventually("room for another", || server.client().ping().is_ok()),
            false => {
                server.client().ping().unwrap_err();
                first.ping().unwrap();
            }
        }
    }
}

/// The setting that the exception names, and a function that makes it small.
type ClientLimit = (&'static str, fn(&mut Settings));

const CLIENT_LIMITS: &[ClientLimit] = &[
    ("client.max_connections_per_endpoint", |settings| {
        settings.client.max_connections_per_endpoint = 1;
    }),
    ("client.max_connections", |settings| {
        settings.client.max_connections = 1;
    }),
    #[cfg(feature = "full")]
    ("client.max_requests_in_flight", |settings| {
        settings.client.connection_sharing = taut::ConnectionSharing::Shared;
        settings.client.max_requests_in_flight = 1;
    }),
];

fn a_call_beyond_a_limit_of_its_client_ends_with_an_exception_that_names_the_setting(mode: Mode) {
    for (setting, adjust) in CLIENT_LIMITS {
        let server = mode.server_with(|_| ());
        let client = mode.client_with(&server.ior(), |settings| {
            settings.client.connection_wait = std::time::Duration::from_millis(50);
            adjust(settings);
        });
        let (refusals, refused) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(|| client.misbehave(Misbehaviour::Blocks).unwrap());
            server.entered.recv().unwrap();
            scope.spawn(|| refusals.send(client.ping()));
            let refused = refused.recv_timeout(raw::PATIENCE);
            server.release.send(()).unwrap();
            let text = refused.unwrap().unwrap_err().to_string();
            assert!(text.contains(setting), "{text}");
        });
        client.ping().unwrap();
    }
}

fn breaches_of_one_address(mode: Mode) {
    for connection_threads in [64, 0] {
        let server = mode.server_with(|settings| {
            #[cfg(feature = "full")]
            {
                settings.server.connection_threads = connection_threads;
            }
            #[cfg(not(feature = "full"))]
            let _ = connection_threads;
            settings.server.max_protocol_errors_per_second = 3;
            settings.server.penalty = std::time::Duration::from_secs(1);
            settings.server.penalty_policy = PenaltyPolicy::Refuse;
        });
        let known = server.client();
        known.ping().unwrap();
        // MessageError, until there are too many; then CloseConnection, or a reset
        // of the connection.
        assert_eq!(breach(&server), MESSAGE_ERROR);
        eventually("refusal", || breach(&server) != MESSAGE_ERROR);
        let newcomer = server.client();
        assert!(newcomer.ping().is_err());
        known.ping().unwrap();
        eventually("forgiveness", || newcomer.ping().is_ok());
    }
}

/// The error of an ORB that has no such arguments.
#[cfg(not(feature = "full"))]
#[test]
fn arguments_of_limits_are_refused_with_the_remedy() {
    let mut arguments = vec!["-ORBMaxServerConnections".to_owned(), "1".to_owned()];
    let refusal = Orb::builder().arguments(&mut arguments).unwrap_err();
    let text = refusal.to_string();
    assert!(
        text.ends_with("is built without the feature full"),
        "{text}"
    );
    assert_eq!(arguments.len(), 2);
}

#[cfg(feature = "full")]
fn arguments_set_limits(mode: Mode) {
    let mut arguments = "-ORBMaxServerConnections 1"
        .split(' ')
        .map(str::to_owned)
        .collect();
    let builder = Orb::builder().listen(mode.endpoint()).unwrap();
    let server = mode.server_from(builder.arguments(&mut arguments).unwrap());
    let kept = server.client();
    std::thread::scope(|scope| {
        scope.spawn(|| kept.misbehave(Misbehaviour::Blocks).unwrap());
        server.entered.recv().unwrap();
        assert!(server.client().ping().is_err());
        server.release.send(()).unwrap();
    });
}

#[test]
fn a_file_with_a_reference_is_read_up_to_max_reference_file() {
    const URL: &str = "corbaloc:iiop:1.2@h:1/key";
    let path = common::wire::unique_path();
    std::fs::write(&path, URL).unwrap();
    let within = |max_reference_file| {
        let builder = Orb::builder();
        let builder =
            builder.settings(|settings| settings.client.max_reference_file = max_reference_file);
        let orb = builder.build().unwrap();
        orb.string_to_object(&format!("file://{}", path.display()))
    };
    let (read, refused) = (within(URL.len()), within(URL.len() - 1));
    std::fs::remove_file(&path).unwrap();
    assert!(read.is_ok());
    let refused = refused.unwrap_err().to_string();
    assert!(
        refused.ends_with("more than 24 octets (setting client.max_reference_file)"),
        "{refused}"
    );
}
