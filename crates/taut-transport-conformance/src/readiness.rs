//! How it is learnt that something has happened.

use std::io::ErrorKind;
use std::thread;
use std::time::Duration;

use taut_transport::{Poller, Stream};

use crate::Subject;
use crate::flow::fill;
use crate::subject::{eventually, pattern, receive_exactly};

/// Checks that it can be asked whether something has arrived, and what.
pub fn arrivals_are_told(subject: &Subject) {
    let (client, server) = subject.pair();
    assert!(!server.has_arrived());
    let mut first = [0; 2];
    assert_eq!(
        server.peek(&mut first).unwrap_err().kind(),
        ErrorKind::WouldBlock
    );
    client.send(b"news").unwrap();
    eventually("octets arrived", || server.has_arrived());
    match server.peek(&mut first) {
        Ok(count) => assert_eq!(&first[..count], &b"news"[..count]),
        Err(error) => assert_eq!(error.kind(), ErrorKind::Unsupported),
    }
    assert_eq!(receive_exactly(&server, 4), b"news");
    assert!(!server.has_arrived());
    drop(client);
    eventually("the end arrived", || server.has_arrived());
}

/// Checks that a poller tells of arrivals, room and the end, as often as they happen.
pub fn events(subject: &Subject) {
    let (client, server) = subject.pair();
    let (other, other_server) = subject.pair();
    let poller = Poller::new().unwrap();
    server.watch(&poller, 1).unwrap();
    other_server.watch(&poller, 2).unwrap();
    drain(&poller);
    for _ in 0..100 {
        client.send(b"ping").unwrap();
        assert_eq!(next(&poller), 1);
        assert_eq!(take_all(&server, 4), b"ping");
        drain(&poller);
        other.send(b"pong").unwrap();
        assert_eq!(next(&poller), 2);
        assert_eq!(take_all(&other_server, 4), b"pong");
        drain(&poller);
    }
    // Octets that are there already are reported again when the channel is watched again.
    client.send(b"ping").unwrap();
    assert_eq!(next(&poller), 1);
    server.watch_again(&poller, 1).unwrap();
    assert_eq!(next(&poller), 1);
    server.watch_again(&poller, 3).unwrap();
    // Behind what may still come by the former name.
    eventually("an event has the new name", || next(&poller) == 3);
    assert_eq!(take_all(&server, 4), b"ping");
    server.watch_again(&poller, 1).unwrap();
    drain(&poller);
    // Room.
    let sent = fill(&server, &pattern(24 << 20));
    drain(&poller);
    thread::scope(|scope| {
        scope.spawn(|| receive_exactly(&client, sent));
        assert_eq!(next(&poller), 1);
    });
    // Nothing more is told of what is not watched.
    other_server.unwatch(&poller);
    drain(&poller);
    other.send(b"pong").unwrap();
    // The end.
    drop(client);
    assert_eq!(next(&poller), 1);
    eventually("the end was received", || {
        server
            .try_receive(&mut Vec::with_capacity(1))
            .is_ok_and(|count| count == 0)
    });
}

/// The next event.
fn next(poller: &Poller) -> u64 {
    let mut token = None;
    eventually("an event came", || match poller.try_wait() {
        Ok(event) => {
            token = event.map(|event| event.token);
            true
        }
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::WouldBlock);
            false
        }
    });
    token.unwrap()
}

/// Takes the events that are there.
fn drain(poller: &Poller) {
    thread::sleep(Duration::from_millis(1));
    while poller.try_wait().is_ok() {}
}

/// Takes what is there, as a thread does that has got an event: until nothing is left.
fn take_all(stream: &Stream, count: usize) -> Vec<u8> {
    let mut octets = Vec::new();
    let mut is_empty = || {
        octets.reserve(64);
        match stream.try_receive(&mut octets) {
            Ok(received) => {
                assert_ne!(received, 0, "the stream ended");
                false
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::WouldBlock);
                octets.len() >= count
            }
        }
    };
    eventually("all was received", &mut is_empty);
    octets
}
