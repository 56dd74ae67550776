//! Nothing blocks in a poll, and calls go on where connections end.

use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use taut::{CompletionStatus, Resolve, Resolver, SystemExceptionKind};
use taut_giop::message::ReplyStatus;

use super::executor::{block_on, join_all, poll_once};
use super::{Futures, kind};
use crate::common::raw::{Message, empty_reply, reply, url_at};
use crate::common::{Server, client, client_with};

/// A name service that does not answer until it is told to.
#[derive(Debug, Default)]
struct Stalled {
    may_answer: Mutex<bool>,
    changed: Condvar,
}

struct OfTest(Arc<Stalled>);

impl Resolve for OfTest {
    fn resolve(&self, _: &str, port: u16) -> std::io::Result<Vec<SocketAddr>> {
        let mut may_answer = self.0.may_answer.lock().unwrap();
        while !*may_answer {
            may_answer = self.0.changed.wait(may_answer).unwrap();
        }
        Ok(vec![(Ipv4Addr::LOCALHOST, port).into()])
    }
}

#[test]
fn a_name_service_that_does_not_answer_keeps_no_poll() {
    let server = Server::start();
    let url = format!("corbaloc:iiop:1.2@some.host:{}/x", server.port());
    let stalled = Arc::new(Stalled::default());
    let echo = client_with(&url, |settings| {
        settings.client.resolver = Resolver::new(OfTest(Arc::clone(&stalled)));
        // All of them wait for one thread.
        settings.client.max_connecting_threads = 1;
    });
    let mut calls: Vec<_> = (0..10).map(|_| echo.ping_async()).collect();
    for call in &mut calls {
        // Each returns while the name service is silent.
        assert!(poll_once(call).is_pending());
    }
    // One has no time to wait for that.
    let hasty = taut::Reference::with_call_timeout(&echo, Duration::from_millis(20));
    let late = block_on(hasty.ping_async()).unwrap_err();
    assert_eq!(late.kind, SystemExceptionKind::Timeout);
    assert_eq!(late.completed, CompletionStatus::No);
    drop(calls.pop());
    *stalled.may_answer.lock().unwrap() = true;
    stalled.changed.notify_all();
    for answered in join_all(calls) {
        // There is no such object, which a server has said.
        assert_eq!(
            answered.unwrap_err().kind,
            SystemExceptionKind::ObjectNotExist
        );
    }
}

#[test]
fn a_connection_that_is_said_to_be_closed_is_opened_again_and_calls_are_sent_again() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let echo = client(&url_at(listener.local_addr().unwrap().port()));
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let request = Message::read(&mut stream).unwrap();
        let answer = empty_reply(request.request_id());
        stream.write_all(&answer).unwrap();
        for _ in 0..5 {
            Message::read(&mut stream).unwrap();
        }
        // None of them was begun.
        stream.write_all(b"GIOP\x01\x02\x01\x05\0\0\0\0").unwrap();
        drop(stream);
        let (mut stream, _) = listener.accept().unwrap();
        for _ in 0..5 {
            let request = Message::read(&mut stream).unwrap();
            let answer = empty_reply(request.request_id());
            stream.write_all(&answer).unwrap();
        }
        stream
    });
    block_on(echo.ping_async()).unwrap();
    let calls = (0..5).map(|_| echo.ping_async()).collect();
    for answered in join_all(calls) {
        answered.unwrap();
    }
    server.join().unwrap();
}

#[test]
fn a_connection_that_ends_behind_a_request_leaves_it_in_doubt() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let echo = client(&url_at(listener.local_addr().unwrap().port()));
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        Message::read(&mut stream).unwrap();
    });
    let lost = block_on(echo.ping_async()).unwrap_err();
    let expected = (
        SystemExceptionKind::CommFailure,
        taut::minor::CONNECTION_LOST,
        CompletionStatus::Maybe,
    );
    assert_eq!(kind(&lost), expected);
    server.join().unwrap();
}

#[test]
fn a_forward_is_followed_and_later_calls_go_there_at_once() {
    let server = Server::start();
    let target = server.echo.clone();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let echo = client(&url_at(listener.local_addr().unwrap().port()));
    let forwarder = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let request = Message::read(&mut stream).unwrap();
        let forward = reply(request.request_id(), ReplyStatus::LocationForward, |out| {
            let object = taut::Reference::as_object(&target);
            taut::codegen::Encode::encode(object, out).unwrap();
        });
        stream.write_all(&forward).unwrap();
        stream
    });
    assert_eq!(block_on(echo.echo_async("moved")).unwrap(), "moved");
    let _kept = forwarder.join().unwrap();
    assert_eq!(block_on(echo.echo_async("there")).unwrap(), "there");
}
