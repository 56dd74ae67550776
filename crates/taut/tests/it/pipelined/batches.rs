//! Replies that wait for those to requests that have arrived together. How many system calls
//! that saves, `interop/tests/counting/system_calls.rs` counts.

use std::thread;
use std::time::Duration;

use taut::{Reference as _, Settings};
use taut_giop::message::{MessageType, ReplyStatus, ResponseFlags};

use crate::common::mode::{Mode, for_each_mode};
use crate::common::raw::{PATIENCE, RawClient, Request};
use crate::common::{Echo as _, Misbehaviour, Server, eventually};

/// So many requests that are quick, and then replies wait for others.
const QUICK: u32 = 32;

for_each_mode! { [tcp, unix, reactor, unix_reactor] {
    a_servant_that_blocks_keeps_no_reply_before_it,
    a_client_that_awaits_a_reply_before_it_lets_a_servant_go_on,
    replies_that_wait_are_sent_before_the_goodbye,
    oneways_and_failures_among_them_are_carried_out,
    more_than_may_wait_are_answered,
} }

/// However long replies wait, and of whatever the machine is busy with.
fn patient(settings: &mut Settings) {
    settings.server.reply_batch_timeout = Duration::from_secs(3_600);
}

fn ping(server: &Server, id: u32) -> Vec<u8> {
    Request::new(id, "ping").to(server.echo.as_object(), |_| ())
}

fn misbehave(server: &Server, id: u32, how: Misbehaviour) -> Vec<u8> {
    use taut::codegen::Encode as _;
    Request::new(id, "misbehave").to(server.echo.as_object(), |out| {
        (how as u32).encode(out).unwrap();
    })
}

/// A connection on which replies wait for others from now on.
fn warmed_up(server: &Server) -> RawClient {
    let mut connection = RawClient::connect(&server.orb);
    let pings: Vec<_> = (0..QUICK).flat_map(|id| ping(server, id)).collect();
    connection.send(&pings);
    for id in 0..QUICK {
        connection.receive_reply(id);
    }
    connection
}

fn a_servant_that_blocks_keeps_no_reply_before_it(mode: Mode) {
    let server = mode.server_with(patient);
    let mut connection = warmed_up(&server);
    let blocks = misbehave(&server, 103, Misbehaviour::Blocks);
    let requests = [ping(&server, 101), ping(&server, 102), blocks];
    connection.send(&requests.concat());
    server.entered.recv_timeout(PATIENCE).unwrap();
    for id in [101, 102] {
        connection.receive_reply(id);
    }
    server.release.send(()).unwrap();
    connection.receive_reply(103);
    connection.send(&ping(&server, 104));
    connection.receive_reply(104);
}

/// The second servant returns only when the client has had the first reply and said so.
fn a_client_that_awaits_a_reply_before_it_lets_a_servant_go_on(mode: Mode) {
    let server = mode.server_with(patient);
    let mut connection = warmed_up(&server);
    let blocks = |id| misbehave(&server, id, Misbehaviour::Blocks);
    // Behind the one that blocks there is more: another thread comes to it.
    let requests = [
        ping(&server, 201),
        blocks(202),
        ping(&server, 203),
        blocks(204),
    ];
    connection.send(&requests.concat());
    server.entered.recv_timeout(PATIENCE).unwrap();
    server.entered.recv_timeout(PATIENCE).unwrap();
    let mut early: Vec<_> = (0..2)
        .map(|_| connection.receive().unwrap().request_id())
        .collect();
    early.sort_unstable();
    assert_eq!(early, [201, 203]);
    for _ in 0..2 {
        server.release.send(()).unwrap();
    }
    let mut late: Vec<_> = (0..2)
        .map(|_| connection.receive().unwrap().request_id())
        .collect();
    late.sort_unstable();
    assert_eq!(late, [202, 204]);
}

fn replies_that_wait_are_sent_before_the_goodbye(mode: Mode) {
    let server = mode.server_with(patient);
    let mut connection = warmed_up(&server);
    let blocks = misbehave(&server, 302, Misbehaviour::Blocks);
    connection.send(&[ping(&server, 301), blocks].concat());
    server.entered.recv_timeout(PATIENCE).unwrap();
    let orb = server.orb.clone();
    let ending = thread::spawn(move || orb.shutdown(true).unwrap());
    eventually("the server's end", || server.echo.ping().is_err());
    server.release.send(()).unwrap();
    connection.receive_reply(301);
    connection.receive_reply(302);
    assert_eq!(
        connection.receive_type(),
        Some(MessageType::CloseConnection)
    );
    drop(connection);
    ending.join().unwrap();
}

fn oneways_and_failures_among_them_are_carried_out(mode: Mode) {
    use taut::codegen::Encode as _;
    let server = mode.server_with(patient);
    let mut connection = warmed_up(&server);
    let note = Request {
        response: ResponseFlags::None,
        ..Request::new(402, "note")
    };
    let note = note.to(server.echo.as_object(), |out| "text".encode(out).unwrap());
    let fails = misbehave(&server, 403, Misbehaviour::Fails);
    let requests = [ping(&server, 401), note, fails, ping(&server, 404)];
    connection.send(&requests.concat());
    for (id, status) in [
        (401, ReplyStatus::NoException),
        (403, ReplyStatus::SystemException),
        (404, ReplyStatus::NoException),
    ] {
        assert_eq!(connection.receive_reply(id).outcome().0, status, "{id}");
    }
    assert_eq!(
        server
            .servant
            .notes
            .load(std::sync::atomic::Ordering::SeqCst),
        1
    );
}

fn more_than_may_wait_are_answered(mode: Mode) {
    use taut::codegen::Encode as _;
    let server = mode.server_with(|settings| {
        patient(settings);
        settings.server.reply_batch_messages = 3;
        settings.server.reply_batch_octets = 200;
    });
    let mut connection = warmed_up(&server);
    // Each fifth is too long to wait.
    let text = |id: u32| "text".repeat(if id.is_multiple_of(5) { 100 } else { 1 });
    let echo = |id: u32| {
        let echo = Request::new(id, "echo");
        echo.to(server.echo.as_object(), |out| text(id).encode(out).unwrap())
    };
    connection.send(&(500..550).flat_map(echo).collect::<Vec<_>>());
    for id in 500..550 {
        let reply = connection.receive_reply(id);
        let (status, mut results) = reply.outcome();
        assert_eq!(status, ReplyStatus::NoException);
        assert_eq!(results.read_string().unwrap(), text(id));
    }
}
