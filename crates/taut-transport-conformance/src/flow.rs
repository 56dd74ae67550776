//! Octets that flow: all of them, in order, and no faster than they are taken.

use std::io::{ErrorKind, IoSlice};
use std::thread;
use std::time::Duration;

use taut_cdr::{ElementForm, Landing};
use taut_transport::{Channel, Interest, Stream};

use crate::Subject;
use crate::random::Random;
use crate::subject::{eventually, pattern, receive_exactly};

/// More than any transport holds.
const LARGE: usize = 24 << 20;

/// Checks that octets come in order, both ways at once.
pub fn octets_come_in_order(subject: &Subject) {
    let (client, server) = subject.pair();
    let octets = pattern(3 << 20);
    thread::scope(|scope| {
        for (from, to) in [(&client, &server), (&server, &client)] {
            let octets = &octets;
            scope.spawn(move || from.send(octets).unwrap());
            scope.spawn(move || {
                assert!(
                    receive_exactly(to, octets.len()) == *octets,
                    "another order"
                );
            });
        }
    });
}

/// Checks that a receive takes no more than there is room for, and leaves the rest.
pub fn short_receives(subject: &Subject) {
    let (client, server) = subject.pair();
    let octets = pattern(1000);
    client.send(&octets).unwrap();
    let mut received = Vec::new();
    for room in [1, 2, 3, 7, 13, 974] {
        received.extend(receive_exactly(&server, room));
    }
    assert_eq!(received, octets);
    client.send(b"x").unwrap();
    assert_eq!(receive_exactly(&server, 1), b"x");
}

/// Checks that several parts are sent as one, and received into two places.
pub fn parts_come_in_order(subject: &Subject) {
    let (client, server) = subject.pair();
    let (head, body) = (pattern(20), pattern(200_000));
    thread::scope(|scope| {
        scope.spawn(|| {
            let parts = [&head[..], &[], &body, &head, &[]];
            client.send_parts(&mut parts.map(IoSlice::new)).unwrap();
            client.send_parts(&mut []).unwrap();
        });
        let whole = [&head[..], &body, &head].concat();
        // Part by part, into a head that is filled first and a landing behind it.
        let mut received = Vec::new();
        while received.len() < whole.len() {
            let left = whole.len() - received.len();
            let mut first = vec![0; left.min(12)];
            let behind = (left - first.len()).min(4096);
            let mut landing = Landing::new(ElementForm::of::<u8>(), behind);
            let count = server
                .receive_parts(&mut first, &mut landing, behind)
                .unwrap();
            assert_ne!(count, 0, "the stream ended");
            let in_head = count.min(first.len());
            received.extend_from_slice(&first[..in_head]);
            received.extend_from_slice(landing.filled());
            assert_eq!(landing.filled().len(), count - in_head);
        }
        assert!(received == whole, "another order");
    });
    let mut landing = Landing::new(ElementForm::of::<u8>(), 1);
    let nothing = server
        .try_receive_parts(&mut [0], &mut landing, 1)
        .unwrap_err();
    assert_eq!(nothing.kind(), ErrorKind::WouldBlock);
}

/// Checks that a sender is held up when nobody receives, that it goes on when somebody
/// does, and that nothing is lost meanwhile.
pub fn back_pressure(subject: &Subject) {
    let (client, server) = subject.pair();
    let octets = pattern(LARGE);
    let mut sent = fill(&client, &octets);
    assert!(
        sent < LARGE,
        "{sent} octets were taken without anybody to receive them"
    );
    client.wait_for_room(Duration::from_millis(1)).unwrap();
    thread::scope(|scope| {
        let receiving = scope.spawn(|| receive_exactly(&server, LARGE));
        let mut random = Random::new(1);
        while sent < LARGE {
            let end = LARGE.min(sent + 1 + random.below(100_000));
            match client.try_send(&octets[sent..end]) {
                Ok(count) => {
                    assert!((1..=end - sent).contains(&count));
                    sent += count;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    assert!(client.wait(Interest::Send, None).unwrap());
                }
                Err(error) => panic!("{error}"),
            }
        }
        assert!(receiving.join().unwrap() == octets, "another order");
    });
}

/// Sends until there is no room any more, and returns how many octets were sent.
pub(crate) fn fill(stream: &Stream, octets: &[u8]) -> usize {
    let mut sent = 0;
    let mut is_full = || {
        while sent < octets.len() {
            match stream.try_send(&octets[sent..]) {
                Ok(count) => sent += count,
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::WouldBlock);
                    // Octets under way may still make room.
                    return !stream
                        .wait(Interest::Send, Some(std::time::Instant::now()))
                        .unwrap();
                }
            }
        }
        true
    };
    eventually("there was no room", &mut is_full);
    sent
}

/// Checks that a wait ends after its time-out, and that the connection is as good as before.
pub fn time_outs(subject: &Subject) {
    let (client, server) = subject.pair();
    server
        .set_receive_timeout(Some(Duration::from_millis(20)))
        .unwrap();
    let mut buffer = Vec::with_capacity(8);
    let late = server.receive(&mut buffer).unwrap_err();
    assert_eq!(late.kind(), ErrorKind::WouldBlock);
    let mut landing = Landing::new(ElementForm::of::<u8>(), 8);
    let late = server.receive_parts(&mut [0], &mut landing, 8).unwrap_err();
    assert_eq!(late.kind(), ErrorKind::WouldBlock);
    client.send(b"late").unwrap();
    server.set_receive_timeout(Some(crate::PATIENCE)).unwrap();
    assert_eq!(receive_exactly(&server, 4), b"late");

    let octets = pattern(LARGE);
    client
        .set_send_timeout(Some(Duration::from_millis(20)))
        .unwrap();
    let late = client.send(&octets).unwrap_err();
    assert_eq!(late.kind(), ErrorKind::WouldBlock);
}
