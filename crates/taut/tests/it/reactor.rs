//! Connections that share threads must not disturb each other.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use crate::common::mode::Mode;
use crate::common::raw::{PATIENCE, RawClient, Request};
use crate::common::volley::players;
use crate::common::{Echo, EchoError, Misbehaviour, Server};
use taut::codegen::Encode;
use taut::{Reference, Version};
use taut_giop::message::MessageType;

const MODE: Mode = Mode::reactor();

fn server_with_threads(threads: usize) -> Server {
    MODE.server_with(|settings| {
        settings.server.reactor_threads = threads;
        settings.server.max_connections_per_peer = 10_000;
        settings.limits.message_timeout = Duration::from_secs(5);
    })
}

#[test]
fn a_hundred_times_more_clients_than_threads_are_served() {
    let server = server_with_threads(2);
    let clients: Vec<_> = (0..200).map(|_| server.client()).collect();
    for round in 0..5 {
        thread::scope(|scope| {
            for share in clients.chunks(50) {
                scope.spawn(move || {
                    for (number, client) in share.iter().enumerate() {
                        let text = format!("{round} {number}");
                        assert_eq!(client.echo(&text).unwrap(), text);
                    }
                });
            }
        });
    }
}

#[test]
fn servants_that_wait_for_a_further_request_do_not_stop_the_reactor() {
    let server = server_with_threads(1);
    let blocked: Vec<_> = (0..3).map(|_| server.client()).collect();
    thread::scope(|scope| {
        for client in &blocked {
            scope.spawn(|| client.misbehave(Misbehaviour::Blocks).unwrap());
        }
        // One after the other, for the only thread is in the first.
        server.entered.recv_timeout(PATIENCE).unwrap();
        let other = server.client();
        other.ping().unwrap();
        for _ in 0..3 {
            server.release.send(()).unwrap();
        }
    });
}

#[test]
fn the_reactor_grows_as_far_as_max_reactor_threads() {
    let server = MODE.server_with(|settings| {
        settings.server.reactor_threads = 1;
        settings.server.max_reactor_threads = 2;
    });
    let clients: Vec<_> = (0..3).map(|_| server.client()).collect();
    thread::scope(|scope| {
        for client in &clients {
            scope.spawn(|| client.misbehave(Misbehaviour::Blocks).unwrap());
        }
        for _ in 0..2 {
            server.entered.recv_timeout(PATIENCE).unwrap();
        }
        // The third request waits for one of the two threads.
        let third = server.entered.recv_timeout(Duration::from_millis(200));
        assert!(third.is_err());
        server.release.send(()).unwrap();
        server.entered.recv_timeout(PATIENCE).unwrap();
        for _ in 0..2 {
            server.release.send(()).unwrap();
        }
    });
}

/// Found with calls that nest: where no thread was left, they waited for ever.
#[test]
fn calls_that_nest_deeper_than_there_are_threads_end_with_the_setting() {
    let (one, _other) = players(MODE, |settings| {
        settings.server.reactor_threads = 1;
        settings.server.max_reactor_threads = 3;
        settings.server.reactor_stall_timeout = Some(Duration::from_millis(100));
    });
    for _ in 0..2 {
        assert_eq!(one.servant.echo(">>>>>>").unwrap(), "<<<<<<");
        let too_deep = one.servant.echo(&">".repeat(20)).unwrap_err();
        let EchoError::System(exception) = too_deep else {
            panic!("{too_deep:?}");
        };
        let text = exception.to_string();
        assert!(
            text.starts_with("NO_RESOURCES: ") && text.contains("max_reactor_threads"),
            "{text}"
        );
    }
}

/// A request in GIOP 1.0 for `echo` with this text.
fn echo_request(server: &Server, id: u32, text: &str) -> Vec<u8> {
    let request = Request {
        version: Version::V1_0,
        ..Request::new(id, "echo")
    };
    request.to(server.echo.as_object(), |out| text.encode(out).unwrap())
}

#[test]
fn a_client_that_does_not_take_its_replies_waits_alone_and_gets_them_all() {
    const REQUESTS: u32 = 400;
    let server = server_with_threads(1);
    let text = "x".repeat(60_000);
    let mut slow = RawClient::connect(&server.orb);
    let requests: Vec<Vec<u8>> = (0..REQUESTS)
        .map(|id| echo_request(&server, id, &text))
        .collect();
    let mut sending = slow.stream.try_clone().unwrap();
    thread::scope(|scope| {
        // 24 MB of requests and as many of replies: more than sockets hold.
        scope.spawn(move || {
            for request in requests {
                sending.write_all(&request).unwrap();
            }
        });
        let other = server.client();
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(300) {
            other.ping().unwrap();
        }
        let mut answered = Vec::new();
        for _ in 0..REQUESTS {
            let reply = slow.receive().unwrap();
            assert_eq!(reply.message_type(), MessageType::Reply);
            answered.push(reply.request_id());
            assert!(reply.octets.ends_with(b"x\0"));
        }
        answered.sort_unstable();
        assert_eq!(answered, Vec::from_iter(0..REQUESTS));
    });
}

#[test]
fn a_client_that_never_takes_its_replies_loses_its_connection() {
    let server =
        MODE.server_with(|settings| settings.limits.message_timeout = Duration::from_millis(200));
    let text = "x".repeat(1_000_000);
    let mut slow = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    slow.set_write_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    let request = echo_request(&server, 1, &text);
    let start = Instant::now();
    while slow.write_all(&request).is_ok() {
        // A connection that ends is read on for a while, and all it says dropped.
        let patience = Duration::from_secs(20);
        assert!(start.elapsed() < patience, "the server went on to read");
    }
    server.client().ping().unwrap();
}

#[test]
fn a_client_that_cancels_without_end_is_sent_away() {
    let server = server_with_threads(1);
    let mut flood = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    let cancel = b"GIOP\x01\x00\x01\x02\x04\0\0\0\x07\0\0\0".repeat(2_000);
    let _ = flood.write_all(&cancel);
    let mut answer = Vec::new();
    flood
        .set_read_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    let _ = flood.read_to_end(&mut answer);
    assert_eq!(answer, b"GIOP\x01\x00\x01\x05\0\0\0\0");
    server.client().ping().unwrap();
}
