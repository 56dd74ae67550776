//! Peers that send garbage cost their own connection and nothing else.

use std::io::{Read, Write};
use std::thread;
use std::time::Duration;

use crate::common::mode::{Mode, for_each_mode};
use crate::common::wire::Wire;
use crate::common::{Echo, Misbehaviour, Server, eventually, raw};
use taut::{CompletionStatus, Reference, SystemExceptionKind};

for_each_mode! {
    [tcp, unix, reactor, spinning, unix_reactor] {
        garbage_is_answered_with_message_error_and_the_connection_closed,
        half_a_message_and_then_nothing_keeps_nobody_else_waiting,
        a_message_may_arrive_octet_by_octet,
        a_server_that_answers_garbage_costs_the_call_and_no_more,
        connections_beyond_the_limit_are_refused,
        an_idle_connection_gives_way_to_a_newcomer_and_its_client_never_notices,
        silence_and_trickling_end_a_connection_and_clients_never_notice,
    }
}

/// Sends octets and reads what comes back until the server closes.
fn answer(server: &Server, octets: &[u8]) -> Vec<u8> {
    let mut stream = Wire::to(&server.orb);
    stream.set_read_timeout(Some(Duration::from_secs(10)));
    stream.write_all(octets).unwrap();
    let mut answer = Vec::new();
    // A server that closes while octets are unread resets the connection.
    let _ = stream.read_to_end(&mut answer);
    answer
}

const GARBAGE: &[(&str, &[u8])] = &[
    ("another protocol", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
    ("an unknown type", b"GIOP\x01\x02\x01\x09\x04\0\0\0\0\0\0\0"),
    (
        "a future version",
        b"GIOP\x02\x00\x01\x00\x04\0\0\0\0\0\0\0",
    ),
    ("an empty request", b"GIOP\x01\x02\x01\x00\0\0\0\0"),
    ("a huge request", b"GIOP\x01\x02\x01\x00\xff\xff\xff\x7f"),
    (
        "a request of zeroes",
        b"GIOP\x01\x02\x01\x00\x04\0\0\0\0\0\0\0",
    ),
    (
        "a reply to nobody",
        b"GIOP\x01\x02\x01\x01\x0c\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    ),
    (
        "a fragment without a start",
        b"GIOP\x01\x02\x01\x07\x04\0\0\0\0\0\0\0",
    ),
    (
        "flags that do not exist",
        b"GIOP\x01\x02\xf0\x00\0\0\0\x04\0\0\0\0",
    ),
    (
        "a key longer than the message",
        b"GIOP\x01\x02\x01\x00\x14\0\0\0\x01\0\0\0\x03\0\0\0\0\0\0\0\xff\xff\xff\x7fabcd",
    ),
];

fn garbage_is_answered_with_message_error_and_the_connection_closed(mode: Mode) {
    let server = mode.server();
    let bystander = server.client();
    bystander.ping().unwrap();
    for (what, octets) in GARBAGE {
        let answer = answer(&server, octets);
        assert!(
            answer.len() == 12 && answer.starts_with(b"GIOP") && answer[7] == 6,
            "{what}: {answer:?} is not a MessageError"
        );
        bystander.ping().unwrap();
    }
}

fn half_a_message_and_then_nothing_keeps_nobody_else_waiting(mode: Mode) {
    let server = mode.server();
    let message = b"GIOP\x01\x02\x01\x00\x40\0\0\0\x01\0\0\0\x03\0\0\0";
    let halves: Vec<Wire> = (0..=message.len())
        .map(|length| {
            let mut stream = Wire::to(&server.orb);
            stream.write_all(&message[..length]).unwrap();
            stream
        })
        .collect();
    let echo = server.client();
    for _ in 0..100 {
        echo.ping().unwrap();
    }
    drop(halves);
    echo.ping().unwrap();
    // The connections that say nothing do not keep the server from its end.
    let silent = Wire::to(&server.orb);
    server.orb.shutdown(true).unwrap();
    drop(silent);
}

fn a_message_may_arrive_octet_by_octet(mode: Mode) {
    let server = mode.server();
    server.orb.bind_object_key("Echo", server.echo.as_object());
    let mut request = b"GIOP\x01\x00\x01\x03\x0c\0\0\0\x07\0\0\0\x04\0\0\0Echo".to_vec();
    let mut stream = Wire::to(&server.orb);
    for octet in &request {
        stream.write_all(&[*octet]).unwrap();
        thread::sleep(Duration::from_millis(1));
    }
    let mut header = [0; 20];
    stream.read_exact(&mut header).unwrap();
    // A LocateReply to request 7: OBJECT_FORWARD.
    assert_eq!(
        (header[7], &header[12..20]),
        (4, &[7, 0, 0, 0, 2, 0, 0, 0][..])
    );

    // And several in one piece.
    let key = request.len() - 4;
    request[key..].copy_from_slice(b"None");
    let mut both = request.repeat(3);
    both.extend(b"GIOP\x01\x00\x01\x05\0\0\0\0");
    let replies = answer(&server, &both);
    let unknown = b"GIOP\x01\x00\x01\x04\x08\0\0\0\x07\0\0\0\0\0\0\0";
    assert_eq!(replies, unknown.repeat(3));
}

fn a_server_that_answers_garbage_costs_the_call_and_no_more(mode: Mode) {
    for (answer, completed) in [
        (
            &b"HTTP/1.1 400 Bad Request\r\n\r\n"[..],
            CompletionStatus::Maybe,
        ),
        (
            b"GIOP\x01\x02\x01\x01\xff\xff\xff\x7f",
            CompletionStatus::Maybe,
        ),
        (b"GIOP\x01\x02\x01\x06\0\0\0\0", CompletionStatus::Maybe),
        (
            b"GIOP\x01\x02\x01\x00\x04\0\0\0\0\0\0\0",
            CompletionStatus::Maybe,
        ),
        (b"GIOP\x01\x02\x01\x01\x0c\0\0\0", CompletionStatus::Maybe),
        (b"", CompletionStatus::Maybe),
        // CloseConnection: certainly not executed.
        (b"GIOP\x01\x02\x01\x05\0\0\0\0", CompletionStatus::No),
    ] {
        let listener = mode.listening();
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut stream = listener.accept();
                let _ = stream.read(&mut [0; 4096]).unwrap();
                stream.write_all(answer).unwrap();
            });
            let echo = mode.client(&listener.url());
            let error = echo.ping().unwrap_err();
            assert_eq!(error.kind, SystemExceptionKind::CommFailure, "{answer:?}");
            assert_eq!(error.completed, completed, "{answer:?}");
        });
    }
}

fn connections_beyond_the_limit_are_refused(mode: Mode) {
    let server = mode.server_with(|settings| settings.server.max_connections = 2);
    let kept = [server.client(), server.client()];
    std::thread::scope(|scope| {
        for echo in &kept {
            scope.spawn(|| echo.misbehave(Misbehaviour::Blocks).unwrap());
            server.entered.recv_timeout(raw::PATIENCE).unwrap();
        }
        assert!(server.client().ping().is_err());
        for _ in &kept {
            server.release.send(()).unwrap();
        }
    });
    for echo in &kept {
        echo.ping().unwrap();
    }
}

fn an_idle_connection_gives_way_to_a_newcomer_and_its_client_never_notices(mode: Mode) {
    let server = mode.server_with(|settings| settings.server.max_connections = 2);
    let client = server.client();
    client.ping().unwrap();
    let _idle = [(); 5].map(|()| {
        let idle = Wire::to(&server.orb);
        client.ping().unwrap();
        idle
    });
    // Only one that was used a moment ago does not give way yet.
    let other = server.client();
    other.ping().unwrap();
    let third = server.client();
    eventually("an idle connection", || third.ping().is_ok());
    client.ping().unwrap();
}

fn silence_and_trickling_end_a_connection_and_clients_never_notice(mode: Mode) {
    let timeout = Duration::from_millis(100);
    let server = mode.server_with(|settings| {
        settings.server.idle_timeout = Some(timeout);
        settings.limits.message_timeout = timeout;
    });
    let echo = server.client();
    echo.ping().unwrap();

    // Nothing, half a message, and one octet of it after the other.
    let close = b"GIOP\x01\x00\x01\x05\0\0\0\0";
    let message = b"GIOP\x01\x02\x01\x00\x40\0\0\0\x01\0\0\0\x03\0\0\0";
    assert_eq!(answer(&server, b""), close);
    // In the version that the client has begun to speak.
    assert_eq!(answer(&server, message), b"GIOP\x01\x02\x01\x05\0\0\0\0");
    let mut trickling = Wire::to(&server.orb);
    let mut ended = false;
    for octet in message.iter().cycle().take(200) {
        ended = trickling.write_all(&[*octet]).is_err();
        if ended {
            break;
        }
        thread::sleep(timeout / 10);
    }
    assert!(ended, "the server went on to listen");

    // The client's connection has been closed meanwhile; its call goes over a
    // new one.
    thread::sleep(2 * timeout);
    echo.ping().unwrap();
}
