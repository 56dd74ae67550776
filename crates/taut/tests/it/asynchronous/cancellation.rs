//! Calls that are given up.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use taut::{Reference, SystemExceptionKind};
use taut_giop::message::MessageType;

use super::Futures;
use super::executor::{block_on, join_all, poll_once};
use crate::common::raw::{Message, empty_reply, url_at};
use crate::common::{EchoRef, client_with};

/// A server whose messages a test writes, and a client of it that is connected.
fn scripted(and: impl FnOnce(&mut taut::Settings)) -> (EchoRef, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = url_at(listener.local_addr().unwrap().port());
    let echo = client_with(&url, and);
    let mut first = echo.ping_async();
    let accepted = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let request = Message::read(&mut stream).unwrap();
        let reply = empty_reply(request.request_id());
        stream.write_all(&reply).unwrap();
        stream
    });
    block_on(&mut first).unwrap();
    (echo, accepted.join().unwrap())
}

#[test]
fn a_dropped_future_cancels_its_request_and_the_late_reply_is_passed_over() {
    let (echo, mut stream) = scripted(|settings| settings.client.max_stray_replies = 0);
    let mut given_up = echo.ping_async();
    assert!(poll_once(&mut given_up).is_pending());
    let request = Message::read(&mut stream).unwrap();
    drop(given_up);
    let cancel = Message::read(&mut stream).unwrap();
    assert_eq!(cancel.message_type(), MessageType::CancelRequest);
    assert_eq!(cancel.request_id(), request.request_id());

    let mut next = echo.ping_async();
    assert!(poll_once(&mut next).is_pending());
    let asked = Message::read(&mut stream).unwrap();
    assert_ne!(asked.request_id(), request.request_id());
    // The late reply, and then the other.
    let replies = [request, asked].map(|message| empty_reply(message.request_id()));
    stream.write_all(&replies.concat()).unwrap();
    block_on(next).unwrap();
}

#[test]
fn no_more_calls_are_cancelled_than_servers_put_up_with() {
    let (echo, mut stream) = scripted(|settings| settings.client.max_cancels_per_second = 3);
    let mut given_up: Vec<_> = (0..10).map(|_| echo.ping_async()).collect();
    for call in &mut given_up {
        assert!(poll_once(call).is_pending());
    }
    drop(given_up);
    let mut last = echo.ping_async();
    assert!(poll_once(&mut last).is_pending());
    let kinds = [(); 14].map(|()| Message::read(&mut stream).unwrap().message_type());
    let cancels = kinds
        .iter()
        .filter(|kind| **kind == MessageType::CancelRequest);
    // Ten requests, and the one behind them.
    assert_eq!(cancels.count(), 3);
    assert_eq!(kinds[13], MessageType::Request);
}

#[test]
fn a_future_that_was_never_polled_or_is_ready_cancels_nothing() {
    let (echo, mut stream) = scripted(|_| ());
    drop(echo.ping_async());
    let mut done = echo.ping_async();
    assert!(poll_once(&mut done).is_pending());
    let request = Message::read(&mut stream).unwrap();
    let reply = empty_reply(request.request_id());
    stream.write_all(&reply).unwrap();
    block_on(&mut done).unwrap();
    drop(done);
    let mut last = echo.ping_async();
    assert!(poll_once(&mut last).is_pending());
    let message = Message::read(&mut stream).unwrap();
    assert_eq!(message.message_type(), MessageType::Request);
}

#[test]
fn a_call_whose_time_is_over_cancels_its_request() {
    let (echo, mut stream) = scripted(|_| ());
    let hasty = echo.with_call_timeout(Duration::from_millis(20));
    let late = block_on(hasty.ping_async()).unwrap_err();
    assert_eq!(late.kind, SystemExceptionKind::Timeout);
    let kinds = [(); 2].map(|()| Message::read(&mut stream).unwrap().message_type());
    assert_eq!(kinds, [MessageType::Request, MessageType::CancelRequest]);
}

#[test]
fn replies_to_nobody_end_the_connection_beyond_the_limit() {
    let (echo, mut stream) = scripted(|settings| settings.client.max_stray_replies = 2);
    let mut call = echo.ping_async();
    assert!(poll_once(&mut call).is_pending());
    let request = Message::read(&mut stream).unwrap();
    let strays = [1, 3, 5].map(|id| empty_reply(request.request_id() + id));
    stream.write_all(&strays.concat()).unwrap();
    let lost = block_on(call).unwrap_err();
    assert_eq!(lost.kind, SystemExceptionKind::CommFailure);
}

#[test]
fn calls_that_wait_for_their_turn_are_given_up_without_a_trace() {
    let (echo, mut stream) = scripted(|settings| settings.client.max_requests_in_flight = 1);
    let mut first = echo.ping_async();
    assert!(poll_once(&mut first).is_pending());
    let mut others: Vec<_> = (0..1_000).map(|_| echo.ping_async()).collect();
    for other in &mut others {
        assert!(poll_once(other).is_pending());
    }
    let last = others.pop().unwrap();
    drop(others);
    let request = Message::read(&mut stream).unwrap();
    let reply = empty_reply(request.request_id());
    stream.write_all(&reply).unwrap();
    block_on(&mut first).unwrap();
    let answer = std::thread::spawn(move || {
        let request = Message::read(&mut stream).unwrap();
        let reply = empty_reply(request.request_id());
        stream.write_all(&reply).unwrap();
        stream
    });
    join_all(vec![last]).pop().unwrap().unwrap();
    answer.join().unwrap();
}
