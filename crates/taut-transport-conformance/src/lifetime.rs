//! The ends of connections, and of places to listen at.

use std::io::ErrorKind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use taut_transport::ListenOptions;

use crate::flow::fill;
use crate::subject::{eventually, pattern, receive_exactly, receive_to_the_end};
use crate::{Faults, Faulty, PATIENCE, Subject};

/// Checks that one direction can end, behind what was sent, and the other go on.
pub fn half_close(subject: &Subject) {
    let (client, server) = subject.pair();
    client.send(b"the last").unwrap();
    client.stop_sending();
    assert_eq!(receive_to_the_end(&server), b"the last");
    let mut buffer = Vec::with_capacity(8);
    assert_eq!(server.receive(&mut buffer).unwrap(), 0, "the end stays");
    assert_eq!(server.try_receive(&mut buffer).unwrap(), 0);
    assert!(server.has_arrived());
    server.send(b"answer").unwrap();
    assert_eq!(receive_exactly(&client, 6), b"answer");
    assert!(client.send(b"more").is_err(), "sending has ended");
}

/// Checks that a peer that is gone is met by who receives, behind what it has sent, and by
/// who sends.
pub fn death_of_the_peer(subject: &Subject) {
    let (client, server) = subject.pair();
    client.send(b"testament").unwrap();
    drop(client);
    assert_eq!(receive_to_the_end(&server), b"testament");
    // Some transports learn of it by the answer to the first that is sent.
    eventually("sending to the dead failed", || {
        server.try_send(b"?").is_err()
    });
    let error = server.send(b"?").unwrap_err();
    let is_end = |kind| matches!(kind, ErrorKind::BrokenPipe | ErrorKind::ConnectionReset);
    assert!(is_end(error.kind()), "{error}");

    // One that waits for room is not left waiting.
    let (client, server) = subject.pair();
    thread::scope(|scope| {
        let sending = scope.spawn(|| server.send(&pattern(64 << 20)));
        thread::sleep(Duration::from_millis(10));
        drop(client);
        let error = sending.join().unwrap().unwrap_err();
        assert!(is_end(error.kind()), "{error}");
    });
}

/// Checks that a connection that is cut at any octet gives each side a beginning of what
/// was sent, and then an end: nothing else, and no wait for ever.
pub fn reset(subject: &Subject) {
    for cut in [0, 1, 11, 12, 13, 4096, 100_000] {
        let faults = Faults {
            reset_after: Some(cut),
            ..Faults::default()
        };
        let cutting = Faulty::new(std::sync::Arc::clone(&subject.protocol), faults);
        let acceptor = subject.listen();
        let octets = pattern(200_000);
        thread::scope(|scope| {
            let accepting = scope.spawn(|| acceptor.accept().unwrap());
            let client = cutting.dial(acceptor.address(), PATIENCE);
            let server = accepting.join().unwrap();
            server.set_receive_timeout(Some(PATIENCE)).unwrap();
            let receiving = scope.spawn(move || receive_to_the_end(&server));
            let error = client.send(&octets).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::ConnectionReset);
            let received = receiving.join().unwrap();
            assert!(received.len() <= cut, "{} octets of {cut}", received.len());
            assert_eq!(received, octets[..received.len()]);
        });
    }
}

/// Checks that a thread that waits returns when another stops the connection.
pub fn cancellation(subject: &Subject) {
    let (client, server) = subject.pair();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| receive_to_the_end(&server));
        thread::sleep(Duration::from_millis(10));
        server.stop();
        assert_eq!(waiting.join().unwrap(), b"");
    });
    assert_eq!(receive_to_the_end(&client), b"");

    let (client, _server) = subject.pair();
    let octets = pattern(24 << 20);
    fill(&client, &octets);
    thread::scope(|scope| {
        // Some room may still come: a transport moves octets on.
        let waiting = scope.spawn(|| client.send(&octets));
        thread::sleep(Duration::from_millis(10));
        client.stop();
        let error = waiting.join().unwrap().unwrap_err();
        assert_ne!(error.kind(), ErrorKind::WouldBlock);
    });
}

/// Checks that many connections to one place are kept apart.
pub fn many_at_once(subject: &Subject) {
    const CONNECTIONS: usize = 64;
    let acceptor = subject.listen();
    let served = AtomicUsize::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut serving = Vec::new();
            for _ in 0..CONNECTIONS {
                let stream = acceptor.accept().unwrap();
                stream.set_receive_timeout(Some(PATIENCE)).unwrap();
                serving.push(stream);
            }
            for stream in &serving {
                let number = receive_exactly(stream, 8);
                stream.send(&number).unwrap();
                served.fetch_add(1, Ordering::Relaxed);
            }
        });
        let clients: Vec<_> = (0..CONNECTIONS)
            .map(|_| subject.connect(&*acceptor))
            .collect();
        for (number, client) in clients.iter().enumerate() {
            client.set_receive_timeout(Some(PATIENCE)).unwrap();
            client.send(&number.to_be_bytes()).unwrap();
        }
        for (number, client) in clients.iter().enumerate() {
            assert_eq!(receive_exactly(client, 8), number.to_be_bytes());
        }
    });
    assert_eq!(served.into_inner(), CONNECTIONS);
}

/// Checks that an acceptor tells of clients, that closing it ends its waiting, and that one
/// can listen there again.
pub fn acceptor_ends(subject: &Subject) {
    let place = subject.place();
    let options = ListenOptions::default();
    let acceptor = subject.protocol.listen(&place, &options).unwrap();
    assert!(!acceptor.wait_for_client(Duration::from_millis(1)).unwrap());
    let client = subject.connect(&*acceptor);
    assert!(acceptor.wait_for_client(PATIENCE).unwrap());
    let server = acceptor.accept().unwrap();
    let address = acceptor.address().clone();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| acceptor.accept());
        thread::sleep(Duration::from_millis(10));
        acceptor.close().unwrap();
        assert!(waiting.join().unwrap().is_err());
    });
    assert!(acceptor.accept().is_err(), "once closed, it stays closed");
    assert!(acceptor.wait_for_client(Duration::ZERO).unwrap_or(true));
    drop(acceptor);
    // A connection that was accepted outlives the acceptor.
    client.send(b"still here").unwrap();
    assert_eq!(receive_exactly(&server, 10), b"still here");
    drop((client, server));
    let again = subject.protocol.listen(&address.place(), &options).unwrap();
    assert_eq!(again.address(), &address);
}
