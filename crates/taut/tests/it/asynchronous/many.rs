//! Many calls in flight.

use std::io::Write;
use std::net::TcpListener;
use std::thread;

use taut::codegen::Encode;
use taut_giop::message::{MessageType, ReplyStatus};

use super::Futures;
use super::executor::join_all;
use crate::common::raw::{Message, reply, url_at};
use crate::common::{Server, client_with};

/// Numbers that are the same in each run (xorshift).
pub(super) fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    move |end| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % end
    }
}

/// Replies to requests of `echo`, each with the text that it has got.
fn echoed(request: &Message) -> Vec<u8> {
    // The text is what the request ends with, as the reply does: a length and octets, here
    // all of one size.
    let text = &request.octets[request.octets.len() - 11..request.octets.len() - 1];
    let text = std::str::from_utf8(text).unwrap();
    reply(request.request_id(), ReplyStatus::NoException, |out| {
        text.encode(out).unwrap();
    })
}

#[test]
fn ten_thousand_calls_wait_at_once_over_one_connection_and_are_answered_in_any_order() {
    const CALLS: usize = 10_000;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = url_at(listener.local_addr().unwrap().port());
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut requests = Vec::new();
        while requests.len() < CALLS {
            let message = Message::read(&mut stream).unwrap();
            assert_eq!(message.message_type(), MessageType::Request);
            requests.push(message);
        }
        // All are there, and none has been answered.
        let mut below = numbers(1);
        while !requests.is_empty() {
            let request = requests.swap_remove(below(requests.len()));
            stream.write_all(&echoed(&request)).unwrap();
        }
        stream
    });
    let echo = client_with(&url, |settings| {
        settings.client.max_requests_in_flight = CALLS;
    });
    let texts: Vec<_> = (0..CALLS).map(|number| format!("{number:010}")).collect();
    let futures = texts.iter().map(|text| echo.echo_async(text)).collect();
    let replies: Result<Vec<_>, _> = join_all(futures).into_iter().collect();
    assert_eq!(replies.unwrap(), texts);
    server.join().unwrap();
}

#[test]
fn calls_beyond_the_limit_wait_for_their_turn() {
    const CALLS: usize = 500;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = url_at(listener.local_addr().unwrap().port());
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut ids = Vec::new();
        for number in 0..CALLS {
            // Two, and no third one: what comes next comes after a reply.
            while ids.len() < 2.min(CALLS - number) {
                let message = Message::read(&mut stream).unwrap();
                ids.push(message);
            }
            if number % 100 == 0 {
                stream
                    .set_read_timeout(Some(std::time::Duration::from_millis(20)))
                    .unwrap();
                let more = std::io::Read::read(&mut stream, &mut [0; 1]);
                assert!(more.is_err(), "more than two are in flight");
                stream.set_read_timeout(None).unwrap();
            }
            let request = ids.remove(0);
            stream.write_all(&echoed(&request)).unwrap();
        }
        stream
    });
    let echo = client_with(&url, |settings| {
        settings.client.max_requests_in_flight = 2;
    });
    let texts: Vec<_> = (0..CALLS).map(|number| format!("{number:010}")).collect();
    let futures = texts.iter().map(|text| echo.echo_async(text)).collect();
    let replies: Result<Vec<_>, _> = join_all(futures).into_iter().collect();
    assert_eq!(replies.unwrap(), texts);
    server.join().unwrap();
}

#[test]
fn a_server_that_takes_nothing_makes_calls_wait_and_no_memory_grow() {
    const CALLS: usize = 200;
    let server = Server::start();
    let echo = client_with(&server.ior(), |settings| {
        settings.client.max_unsent_octets = 100_000;
    });
    let text = "x".repeat(70_000);
    let futures = (0..CALLS).map(|_| echo.echo_async(&text)).collect();
    for reply in join_all(futures) {
        assert_eq!(reply.unwrap(), text);
    }
}

#[test]
fn several_threads_share_the_connection() {
    let server = Server::start();
    let echo = server.client();
    thread::scope(|scope| {
        for thread in 0..4 {
            let echo = echo.clone();
            scope.spawn(move || {
                for round in 0..20 {
                    let texts: Vec<_> = (0..50)
                        .map(|number| format!("{thread} {round} {number}"))
                        .collect();
                    let futures = texts.iter().map(|text| echo.echo_async(text)).collect();
                    let replies: Result<Vec<_>, _> = join_all(futures).into_iter().collect();
                    assert_eq!(replies.unwrap(), texts);
                }
            });
        }
    });
}
