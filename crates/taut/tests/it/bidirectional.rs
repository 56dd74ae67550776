//! Requests both ways on one connection.

use std::io::Write;
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::common;
use crate::common::mode::{Mode, for_each_mode};
use crate::common::raw::{Message, RawClient, Request, empty_reply, reply};
use crate::common::volley::Player;
use crate::common::{Echo, EchoError, EchoRef, eventually};
use taut::{
    BidirectionalPolicy, CallContext, Ior, Reference, RequestContext, Settings, SystemException,
    SystemExceptionKind, Version,
};
use taut_cdr::{Decode, Encode};
use taut_giop::bidirectional::{ListenPoint, to_context_data};
use taut_giop::ior::IiopProfile;
use taut_giop::message::{MessageType, ReplyStatus, RequestHeader};
use taut_giop::service_context::{self, ServiceContext};
use test_tools::free_port;

for_each_mode! {
    [tcp, unix] {
        calls_back_come_over_the_clients_own_connection_however_deep,
        service_contexts_go_both_ways,
        many_threads_on_both_sides_share_the_connection,
        without_the_policy_on_both_sides_there_is_no_way_back,
        giop_before_1_2_has_no_way_back,
        bi_dir_iiop_comes_before_the_code_sets,
        when_the_connection_ends_the_next_one_serves,
        nobody_gets_calls_that_are_meant_for_others,
        the_side_that_accepts_uses_odd_ids_and_takes_the_answer,
        a_connection_that_goes_takes_its_call_back_with_it_and_the_server_stays,
        end_points_that_cannot_be_read_or_are_too_many_are_marshal,
    }
}

fn both(settings: &mut Settings) {
    settings.wire.bidirectional = BidirectionalPolicy::Both;
}

fn normal(_: &mut Settings) {}

/// A client whose objects can be reached by its own connections only.
fn unreachable(mode: Mode, adjust: impl FnOnce(&mut Settings)) -> Player {
    let endpoint = format!("127.0.0.1:0/publish=127.0.0.1:{}", free_port().unwrap());
    Player::at(mode, &endpoint, adjust)
}

fn calls_back_come_over_the_clients_own_connection_however_deep(mode: Mode) {
    let (client, server) = (unreachable(mode, both), Player::new(mode, both));
    client.plays_with(&server);
    server.plays_with(&client);
    for depth in [1, 2, 3, 8, 20] {
        let back = client.servant.echo(&">".repeat(depth)).unwrap();
        assert_eq!(back, "<".repeat(depth));
    }
    // And when none of the client's calls is under way.
    for depth in [1, 4, 7] {
        let back = server.servant.echo(&">".repeat(depth)).unwrap();
        assert_eq!(back, "<".repeat(depth));
    }
    let large = "x".repeat(3_000_000);
    assert_eq!(
        server.servant.echo(&format!(">{large}")).unwrap(),
        format!("{large}<")
    );
}

/// A servant that tells which service context it was called with, by another of its reply.
struct Answering;

const ASKED: u32 = 0x4d59_0001;

impl Echo for Answering {
    fn ping(&self) -> taut::Result<()> {
        let asked = RequestContext::service_context(ASKED)?.unwrap_or_default();
        RequestContext::add_to_reply(ASKED, [&asked[..], b"!"].concat())
    }
}

fn service_contexts_go_both_ways(mode: Mode) {
    let (client, server) = (unreachable(mode, both), Player::new(mode, both));
    client.plays_with(&server);
    server.plays_with(&client);
    // The first request tells the listen points, too.
    let context = CallContext::new().with_service_context(ASKED, b"to the server");
    context.within(|| client.servant.echo(">>")).unwrap();
    let back = common::serve(&client.orb, &Arc::new(Answering));
    let back = server
        .orb
        .string_to_object(&back.as_object().to_string())
        .unwrap();
    let back: EchoRef = back.unchecked_narrow();
    for _ in 0..2 {
        let context = CallContext::new().with_service_context(ASKED, b"to the client");
        context.within(|| back.ping()).unwrap();
        let answer = context.reply_service_context(ASKED);
        assert_eq!(answer.as_deref(), Some(&b"to the client!"[..]));
    }
}

fn many_threads_on_both_sides_share_the_connection(mode: Mode) {
    let one_connection = |settings: &mut Settings| {
        both(settings);
        settings.server.max_connections_per_peer = 1;
    };
    let (client, server) = (unreachable(mode, both), Player::new(mode, one_connection));
    client.plays_with(&server);
    server.plays_with(&client);
    client.servant.echo(">").unwrap();
    std::thread::scope(|scope| {
        for player in [&client, &server, &client, &server] {
            scope.spawn(move || {
                for call in 0..100 {
                    let text = format!(">>{call}");
                    assert_eq!(player.servant.echo(&text).unwrap(), format!("{call}<<"));
                }
            });
        }
    });
}

fn without_the_policy_on_both_sides_there_is_no_way_back(mode: Mode) {
    for (client, server) in [
        (unreachable(mode, normal), Player::new(mode, both)),
        (unreachable(mode, both), Player::new(mode, normal)),
    ] {
        client.plays_with(&server);
        server.plays_with(&client);
        assert_eq!(client.servant.echo(">").unwrap(), "<");
        let EchoError::System(refused) = client.servant.echo(">>").unwrap_err() else {
            panic!("no system exception");
        };
        assert_eq!(refused.kind, SystemExceptionKind::Transient);
    }
}

fn giop_before_1_2_has_no_way_back(mode: Mode) {
    let old = |settings: &mut Settings| {
        both(settings);
        settings.wire.giop_version = taut::Version::V1_1;
    };
    let (client, server) = (unreachable(mode, old), Player::new(mode, old));
    client.plays_with(&server);
    server.plays_with(&client);
    assert_eq!(client.servant.echo(">").unwrap(), "<");
    client.servant.echo(">>").unwrap_err();
}

/// TAO reads only the first service context that it has a handler for.
fn bi_dir_iiop_comes_before_the_code_sets(mode: Mode) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut ior: Ior = Player::at(mode, "127.0.0.1:0", normal)
        .echo
        .as_object()
        .to_string()
        .parse()
        .unwrap();
    let mut profile = IiopProfile::parse(&ior.profiles[0].data).unwrap();
    profile.port = listener.local_addr().unwrap().port();
    ior.profiles[0] = profile.to_profile().unwrap();
    let client = unreachable(mode, both);
    let echo = client.orb.string_to_object(&ior.to_string()).unwrap();
    thread::scope(|scope| {
        let call = scope.spawn(|| echo.unchecked_narrow::<EchoRef>().ping());
        let mut stream = listener.accept().unwrap().0;
        let request = Message::read(&mut stream).unwrap();
        let mut input = request.header.decoder(&request.octets).unwrap();
        let header = RequestHeader::decode(Version::V1_2, &mut input).unwrap();
        let ids: Vec<_> = header.service_contexts.iter().map(|one| one.id).collect();
        use service_context::id::{BI_DIR_IIOP, CODE_SETS};
        assert_eq!(ids, [BI_DIR_IIOP, CODE_SETS]);
        stream
            .write_all(&empty_reply(request.request_id()))
            .unwrap();
        call.join().unwrap().unwrap();

        // The client ends the connection in the version that it spoke.
        client.orb.shutdown(true).unwrap();
        let goodbye = Message::read(&mut stream).unwrap();
        assert_eq!(goodbye.message_type(), MessageType::CloseConnection);
        assert_eq!(goodbye.header.version, Version::V1_2);
    });
}

fn when_the_connection_ends_the_next_one_serves(mode: Mode) {
    let client = unreachable(mode, both);
    let server = Player::new(mode, both);
    client.plays_with(&server);
    server.plays_with(&client);
    assert_eq!(client.servant.echo(">>").unwrap(), "<<");
    server.orb.shutdown(true).unwrap();
    client.servant.echo(">").unwrap_err();

    let server = Player::new(mode, both);
    client.plays_with(&server);
    server.plays_with(&client);
    assert_eq!(client.servant.echo(">>>>").unwrap(), "<<<<");
}

/// Calls an operation of `Echo` over this connection, with this BI_DIR_IIOP
/// context.
fn call(raw: &mut RawClient, server: &Player, operation: &str, context: &[u8], text: &str) {
    let context = ServiceContext {
        id: service_context::id::BI_DIR_IIOP,
        data: context,
    };
    let request = Request {
        contexts: &[context],
        ..Request::new(0, operation)
    };
    raw.send(&request.to(server.echo.as_object(), |out| text.encode(out).unwrap()));
}

fn point(host: &str, port: u16) -> Vec<u8> {
    let host = host.to_owned();
    to_context_data(&[ListenPoint { host, port }]).unwrap()
}

/// A connection to a server that calls back the object at this port.
fn called_back_at(mode: Mode, server: &Player, port: u16) -> RawClient {
    let client = Player::at(mode, &format!("127.0.0.1:0/publish=127.0.0.1:{port}"), both);
    server.plays_with(&client);
    RawClient::connect(&server.orb)
}

fn nobody_gets_calls_that_are_meant_for_others(mode: Mode) {
    let server = Player::new(mode, |settings| {
        both(settings);
        settings.client.connect_timeout = Duration::from_millis(100);
    });
    // The thief names an address that is not his; 192.0.2.1 is nobody's.
    let far = Player::at(mode, "127.0.0.1:0/publish=192.0.2.1:2809", both);
    let mut thief = RawClient::connect(&server.orb);
    call(
        &mut thief,
        &server,
        "echo",
        &point("192.0.2.1", 2809),
        "hello",
    );
    thief.receive_reply(0);
    server.plays_with(&far);
    let EchoError::System(failed) = server.servant.echo(">").unwrap_err() else {
        panic!("no system exception");
    };
    // It has been tried, and not over the thief's connection.
    assert_eq!(failed.kind, SystemExceptionKind::Transient);
    assert!(thief.hears_nothing_for(Duration::from_millis(50)));
}

fn the_side_that_accepts_uses_odd_ids_and_takes_the_answer(mode: Mode) {
    let server = Player::new(mode, both);
    let port = free_port().unwrap();
    let mut raw = called_back_at(mode, &server, port);
    call(
        &mut raw,
        &server,
        "echo",
        &point("127.0.0.1", port),
        ">back",
    );
    let request = raw.receive().unwrap();
    assert_eq!(request.message_type(), MessageType::Request);
    assert_eq!(request.request_id() % 2, 1);
    let answer = reply(request.request_id(), ReplyStatus::NoException, |out| {
        "answered".encode(out).unwrap();
    });
    raw.send(&answer);
    let back = raw.receive_reply(0);
    let (status, mut result) = back.outcome();
    assert_eq!(status, ReplyStatus::NoException);
    assert_eq!(result.read_string().unwrap(), "answered<");
}

fn a_connection_that_goes_takes_its_call_back_with_it_and_the_server_stays(mode: Mode) {
    let server = Player::new(mode, both);
    let port = free_port().unwrap();
    let mut raw = called_back_at(mode, &server, port);
    call(
        &mut raw,
        &server,
        "note",
        &point("127.0.0.1", port),
        ">back",
    );
    assert_eq!(raw.receive_type(), Some(MessageType::Request));
    drop(raw);
    eventually("the end of the call back", || {
        !server.servant.noted.lock().is_empty()
    });
    let [Err(EchoError::System(lost))] = &server.servant.noted.lock().clone()[..] else {
        panic!("no system exception");
    };
    assert_eq!(lost.kind, SystemExceptionKind::CommFailure);
    let other = Player::new(mode, both);
    other.plays_with(&server);
    assert_eq!(other.servant.echo(">").unwrap(), "<");
}

fn end_points_that_cannot_be_read_or_are_too_many_are_marshal(mode: Mode) {
    let server = Player::new(mode, both);
    let point = |port| ListenPoint {
        host: "127.0.0.1".to_owned(),
        port,
    };
    let too_many: Vec<_> = (1..=17).map(point).collect();
    for context in [
        b"\0\0\0\0\xff\xff\xff\xff".to_vec(),
        to_context_data(&too_many).unwrap(),
    ] {
        let mut raw = RawClient::connect(&server.orb);
        call(&mut raw, &server, "echo", &context, "hello");
        let refusal = raw.receive_reply(0);
        let (status, mut result) = refusal.outcome();
        assert_eq!(status, ReplyStatus::SystemException);
        let exception = SystemException::decode(&mut result).unwrap();
        assert_eq!(exception.kind, SystemExceptionKind::Marshal);
    }
}
