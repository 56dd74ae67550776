//! Calls that share a connection.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use super::MODE;
use crate::common::raw::{Message, PATIENCE, empty_reply, url_at};
use crate::common::{Echo, EchoRef, Misbehaviour, wide};
use taut::{CompletionStatus, Reference, SystemExceptionKind, Version};
use taut_giop::component::tag;
use taut_giop::message::MessageType;

fn read(stream: &mut TcpStream) -> Message {
    Message::read(stream).unwrap()
}

/// A client of a server that is no ORB.
fn client_of(listener: &TcpListener, call_timeout: Option<Duration>) -> EchoRef {
    let url = url_at(listener.local_addr().unwrap().port());
    MODE.client_with(&url, |settings| settings.client.call_timeout = call_timeout)
}

#[test]
fn many_threads_get_each_its_own_reply() {
    let server = MODE.server();
    let echo = server.client();
    thread::scope(|scope| {
        for number in 0..8 {
            let echo = &echo;
            scope.spawn(move || {
                for call in 0..200 {
                    let text = format!("{number} {call} {}", "x".repeat(call * number));
                    assert_eq!(echo.echo(&text).unwrap(), text);
                    echo.note(&text).unwrap();
                }
            });
        }
    });
    assert_eq!(echo.notes().unwrap(), 1_600);
}

#[test]
fn replies_may_come_in_any_order_over_the_one_connection() {
    const CALLS: usize = 10;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let echo = client_of(&listener, None);
    thread::scope(|scope| {
        for _ in 0..CALLS {
            scope.spawn(|| echo.ping().unwrap());
        }
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut ids: Vec<_> = (0..CALLS).map(|_| read(&mut stream).request_id()).collect();
        ids.reverse();
        // In pieces that have nothing to do with messages.
        let replies: Vec<u8> = ids.into_iter().flat_map(empty_reply).collect();
        for piece in replies.chunks(7) {
            stream.write_all(piece).unwrap();
            stream.flush().unwrap();
        }
    });
}

#[test]
fn a_call_whose_time_is_over_is_cancelled_and_the_others_go_on() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let timeout = Duration::from_millis(300);
    let echo = client_of(&listener, Some(timeout));
    thread::scope(|scope| {
        // The first leads, and reads nothing; the second takes over.
        let first = scope.spawn(|| echo.ping());
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let abandoned = read(&mut stream).request_id();
        thread::sleep(timeout / 2);
        let second = scope.spawn(|| echo.ping());
        let answered = read(&mut stream).request_id();

        let over = first.join().unwrap().unwrap_err();
        assert_eq!(over.kind, SystemExceptionKind::Timeout);
        assert_eq!(over.completed, CompletionStatus::Maybe);
        let cancel = read(&mut stream);
        assert_eq!(cancel.message_type(), MessageType::CancelRequest);
        assert_eq!(cancel.request_id(), abandoned);
        assert_eq!(cancel.header.version, Version::V1_2);

        // A reply to nobody, and one that somebody waits for.
        stream.write_all(&empty_reply(abandoned)).unwrap();
        stream.write_all(&empty_reply(answered)).unwrap();
        second.join().unwrap().unwrap();
    });
}

/// The first request on the connection announces no code sets.
#[test]
fn code_sets_are_announced_by_the_first_request_that_has_some() {
    let server = MODE.server();
    let object = wide::serve(&server);
    let unoffered = wide::with_components(&object, |components| {
        components.retain(|component| component.tag != tag::CODE_SETS);
    });
    let (orb, echo) = MODE.orb_and_client(&unoffered, |_| ());
    assert_eq!(echo.as_object().non_existent(), Ok(false));
    let whole = orb.string_to_object(&object.to_string()).unwrap();
    assert_eq!(wide::call(&whole), [const { Ok(()) }; 3]);
}

#[test]
fn half_a_reply_that_a_leader_leaves_is_read_on_by_the_next() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let timeout = Duration::from_millis(200);
    let echo = client_of(&listener, Some(timeout));
    thread::scope(|scope| {
        let first = scope.spawn(|| echo.ping());
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let late = empty_reply(read(&mut stream).request_id());
        stream.write_all(&late[..17]).unwrap();
        assert!(first.join().unwrap().is_err());
        let second = scope.spawn(|| echo.ping());
        assert_eq!(read(&mut stream).message_type(), MessageType::CancelRequest);
        let answered = empty_reply(read(&mut stream).request_id());
        stream.write_all(&late[17..]).unwrap();
        stream.write_all(&answered).unwrap();
        second.join().unwrap().unwrap();
    });
}

#[test]
fn a_connection_that_ends_ends_all_its_calls_and_says_which_were_not_begun() {
    for (goodbye, completed) in [
        (&b"GIOP\x01\x02\x01\x05\0\0\0\0"[..], None),
        (b"", Some(CompletionStatus::Maybe)),
        (
            b"GIOP\x01\x02\x01\x06\0\0\0\0",
            Some(CompletionStatus::Maybe),
        ),
        (b"HTTP/1.1 400", Some(CompletionStatus::Maybe)),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let echo = client_of(&listener, None);
        thread::scope(|scope| {
            // So that it is a connection that was used before.
            let used = scope.spawn(|| echo.ping());
            let (mut stream, _) = listener.accept().unwrap();
            let id = read(&mut stream).request_id();
            stream.write_all(&empty_reply(id)).unwrap();
            used.join().unwrap().unwrap();

            let calls: Vec<_> = (0..3).map(|_| scope.spawn(|| echo.ping())).collect();
            for _ in 0..3 {
                read(&mut stream);
            }
            stream.write_all(goodbye).unwrap();
            drop(stream);
            if completed.is_none() {
                // All three are sent again, over one new connection.
                let (mut stream, _) = listener.accept().unwrap();
                for _ in 0..3 {
                    let id = read(&mut stream).request_id();
                    stream.write_all(&empty_reply(id)).unwrap();
                }
            }
            for call in calls {
                let ended = call.join().unwrap();
                assert_eq!(ended.err().map(|error| error.completed), completed);
            }
        });
    }
}

#[test]
fn as_many_calls_in_flight_as_allowed_and_no_more() {
    let server = MODE.server();
    let echo = MODE.client_with(&server.ior(), |settings| {
        settings.client.max_requests_in_flight = 1;
        settings.client.connection_wait = Duration::from_millis(50);
    });
    thread::scope(|scope| {
        let call = scope.spawn(|| echo.misbehave(Misbehaviour::Blocks));
        server.entered.recv().unwrap();
        let refused = echo.ping().unwrap_err();
        assert_eq!(refused.kind, SystemExceptionKind::Transient);
        assert_eq!(refused.completed, CompletionStatus::No);
        server.release.send(()).unwrap();
        call.join().unwrap().unwrap();
    });
    echo.ping().unwrap();
}
