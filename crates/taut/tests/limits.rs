//! Each limit, met: what a peer gets who exceeds it. Those of fragments, of
//! floods and of connections are in `attacks/`.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use common::{Echo, EchoRef, Server, eventually};
use taut::{
    CompletionStatus, Orb, Reference, Settings, SystemException, SystemExceptionKind, TypeCode,
};
use taut_cdr::{ByteOrder, Decode, Encode, Encoder};
use taut_giop::Version;
use taut_giop::ior::IiopProfile;
use taut_giop::message::{self, MessageType, RequestHeader, ResponseFlags, TargetAddress};
use taut_giop::service_context::{ServiceContext, ServiceContexts};

fn server(adjust: impl FnOnce(&mut Settings)) -> Server {
    let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
    Server::start_with(builder.settings(adjust))
}

fn client(url: &str, adjust: impl FnOnce(&mut Settings)) -> EchoRef {
    let orb = Orb::builder().settings(adjust).build().unwrap();
    orb.string_to_object(url).unwrap().unchecked_narrow()
}

fn failure(echo: &EchoRef) -> (SystemExceptionKind, CompletionStatus) {
    let SystemException {
        kind, completed, ..
    } = echo.ping().unwrap_err();
    (kind, completed)
}

/// The message type of the server's answer to a request with so many contexts.
fn answer_to_contexts(server: &Server, count: usize) -> u8 {
    let profile = &server.echo.as_object().ior().profiles[0];
    let key = IiopProfile::parse(&profile.data).unwrap().object_key;
    let contexts: Vec<_> = (0..count as u32)
        .map(|number| ServiceContext {
            id: 0x7A00_0000 + number,
            data: &[],
        })
        .collect();
    let mut out = Encoder::new(ByteOrder::Little);
    message::begin_message(&mut out, Version::V1_2, MessageType::Request);
    RequestHeader {
        request_id: 1,
        response: ResponseFlags::Expected,
        target: TargetAddress::Key(&key),
        operation: b"ping",
        service_contexts: ServiceContexts::new(&contexts),
    }
    .encode(Version::V1_2, &mut out)
    .unwrap();
    message::finish_message(&mut out).unwrap();
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    stream.write_all(out.as_bytes()).unwrap();
    let mut header = [0; 12];
    stream.read_exact(&mut header).unwrap();
    header[7]
}

#[test]
fn service_contexts() {
    let by_default = server(|_| ());
    assert_eq!(answer_to_contexts(&by_default, 64), 1);
    assert_eq!(answer_to_contexts(&by_default, 65), 6);
    let with_two = server(|settings| settings.lists.max_service_contexts = 2);
    assert_eq!(answer_to_contexts(&with_two, 2), 1);
    assert_eq!(answer_to_contexts(&with_two, 3), 6);
}

#[test]
fn profiles_of_a_reference() {
    let server = server(|_| ());
    let port = server.port();
    let three = format!(
        "corbaloc:iiop:1.2@127.0.0.1:{port},iiop:1.2@127.0.0.1:{port},iiop:1.2@127.0.0.1:{port}/Echo"
    );
    let elsewhere = Orb::builder().build().unwrap().string_to_object(&three);
    server.orb.bind_object_key("Echo", server.echo.as_object());
    server.orb.bind_object_key("Three", &elsewhere.unwrap());
    let url = format!("corbaloc:iiop:1.2@127.0.0.1:{port}/Three");
    client(&url, |settings| settings.lists.max_profiles = 3)
        .ping()
        .unwrap();
    let with_two = client(&url, |settings| settings.lists.max_profiles = 2);
    assert_eq!(
        failure(&with_two),
        (SystemExceptionKind::Marshal, CompletionStatus::Maybe)
    );
}

#[test]
fn components_of_a_profile() {
    let server = server(|_| ());
    let with_one = client(&server.ior(), |settings| settings.lists.max_components = 1);
    assert_eq!(
        failure(&with_one),
        (SystemExceptionKind::InvObjref, CompletionStatus::No)
    );
    client(&server.ior(), |_| ()).ping().unwrap();
}

/// Reads a TypeCode from a reply.
fn type_code(adjust: impl FnOnce(&mut Settings)) -> Result<TypeCode, SystemException> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 4096]).unwrap();
        let mut out = Encoder::new(ByteOrder::NATIVE);
        message::begin_message(&mut out, Version::V1_2, MessageType::Reply);
        // Request 0, NO_EXCEPTION, no contexts.
        [0_u32; 3]
            .iter()
            .for_each(|word| word.encode(&mut out).unwrap());
        let body = message::begin_body(Version::V1_2, &mut out);
        // struct Tree { sequence<Tree> branches; };
        let tree = TypeCode::create_recursive("IDL:Tree:1.0").unwrap();
        let trees = TypeCode::create_sequence(&tree, 0).unwrap();
        let tree = TypeCode::create_struct("IDL:Tree:1.0", "Tree", &[("branches", trees)]);
        tree.unwrap().encode(&mut out).unwrap();
        body.finish(&mut out);
        message::finish_message(&mut out).unwrap();
        stream.write_all(out.as_bytes()).unwrap();
    });
    let url = format!("corbaloc:iiop:1.2@127.0.0.1:{port}/key");
    let object = client(&url, adjust).into_object();
    let read = object.invoke("type", |_| Ok(()))?.results(TypeCode::decode);
    server.join().unwrap();
    read
}

#[test]
fn nodes_of_a_type_code() {
    type_code(|settings| settings.type_codes.nodes = 3).unwrap();
    let error = type_code(|settings| settings.type_codes.nodes = 1).unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::Marshal);
}

#[test]
fn indirections_of_a_type_code() {
    type_code(|settings| settings.type_codes.indirections = 1).unwrap();
    let error = type_code(|settings| settings.type_codes.indirections = 0).unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::Marshal);
}

#[test]
fn depth_of_a_type_code() {
    let error = type_code(|settings| settings.nesting_limit = 1).unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::Marshal);
}

#[test]
fn breaches_of_one_address() {
    for connection_threads in [64, 0] {
        let server = server(|settings| {
            #[cfg(feature = "reactor")]
            {
                settings.connection_threads = connection_threads;
            }
            #[cfg(not(feature = "reactor"))]
            let _ = connection_threads;
            settings.max_protocol_errors_per_second = 3;
            settings.penalty = std::time::Duration::from_secs(1);
        });
        let known = server.client();
        known.ping().unwrap();
        let breach = || {
            let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
            let _ = stream.write_all(b"this is not GIOP");
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer);
            answer.get(7).copied()
        };
        // MessageError, until there are too many; then CloseConnection, or a reset
        // of the connection.
        assert_eq!(breach(), Some(6));
        eventually("refusal", || breach() != Some(6));
        let newcomer = server.client();
        assert!(newcomer.ping().is_err());
        known.ping().unwrap();
        eventually("forgiveness", || newcomer.ping().is_ok());
    }
}

/// What an ORB says that has no such arguments.
#[cfg(not(feature = "setting-arguments"))]
#[test]
fn arguments_of_limits_are_refused_with_the_remedy() {
    let mut arguments = vec!["-ORBMaxServerConnections".to_owned(), "1".to_owned()];
    let refusal = Orb::builder().arguments(&mut arguments).unwrap_err();
    let text = refusal.to_string();
    assert!(
        text.ends_with("is built without the feature setting-arguments"),
        "{text}"
    );
    assert_eq!(arguments.len(), 2);
}

#[cfg(feature = "setting-arguments")]
#[test]
fn arguments_set_limits() {
    let mut arguments = "-ORBMaxServerConnections 1"
        .split(' ')
        .map(str::to_owned)
        .collect();
    let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
    let server = Server::start_with(builder.arguments(&mut arguments).unwrap());
    let kept = server.client();
    kept.ping().unwrap();
    assert!(server.client().ping().is_err());
}
