//! Requests that wait in a lane for a thread.

use std::net::TcpStream;
use std::thread;

use taut::codegen::{Decode, Encode};
use taut::real_time::{FullBuffer, RequestBuffering, Threadpool};
use taut::{Reference, SystemException, SystemExceptionKind, minor};
use taut_giop::message::priority_context;
use taut_giop::message::{HEADER_SIZE, MessageType, ReplyStatus, ResponseFlags};
use taut_giop::service_context::{self, ServiceContext};

use super::arena::{Arena, endpoints, lane};
use crate::common::raw::{PATIENCE, RawClient, Request};
use crate::common::wire::Wire;

/// Sends requests with these priorities and texts over one connection to a lane whose only thread
/// is kept, lets that go on once so many have been refused, and returns the numbers of those that
/// were refused and of those that were served, each in the order of the replies.
fn outcomes(arena: &Arena, requests: &[(i16, &str)], refused: usize) -> (Vec<u32>, Vec<u32>) {
    let mut client = raw_client(arena, 0);
    let (mut refusals, mut replies) = (Vec::new(), Vec::new());
    thread::scope(|scope| {
        arena.block(scope, arena.at(0));
        let octets: Vec<u8> = (1..)
            .zip(requests)
            .flat_map(|(id, (priority, text))| echo_request(arena, id, *priority, text))
            .collect();
        client.send(&octets);
        for _ in 0..refused {
            let reply = client.receive().unwrap();
            let (status, mut exception) = reply.outcome();
            assert_eq!(status, ReplyStatus::SystemException);
            let exception = SystemException::decode(&mut exception).unwrap();
            let expected = (SystemExceptionKind::Transient, minor::REQUEST_BUFFER_FULL);
            assert_eq!((exception.kind, exception.minor), expected);
            refusals.push(reply.request_id());
        }
        arena.release.send(()).unwrap();
        for _ in refused..requests.len() {
            let reply = client.receive().unwrap();
            assert_eq!(reply.outcome().0, ReplyStatus::NoException);
            replies.push(reply.request_id());
        }
    });
    (refusals, replies)
}

fn raw_client(arena: &Arena, lane: usize) -> RawClient {
    let endpoint = &endpoints(&arena.object)[lane].address;
    let stream = TcpStream::connect((&*endpoint.host, endpoint.port)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    RawClient {
        stream: Wire::Tcp(stream),
    }
}

/// A request for `echo` that tells a priority.
fn echo_request(arena: &Arena, id: u32, priority: i16, text: &str) -> Vec<u8> {
    let data = priority_context(taut::ByteOrder::NATIVE, priority);
    let context = ServiceContext {
        id: service_context::id::RT_CORBA_PRIORITY,
        data: &data,
    };
    let request = Request {
        contexts: &[context],
        ..Request::new(id, "echo")
    };
    request.to(arena.object.as_object(), |out| text.encode(out).unwrap())
}

fn buffering(requests: u32, octets: u32) -> Threadpool {
    let buffering = RequestBuffering::new(requests, octets);
    Threadpool::with_lanes([lane(5, 1)]).buffering(buffering)
}

#[test]
fn requests_wait_in_the_order_of_their_priorities() {
    let arena = Arena::of(&buffering(6, 0));
    let requests = [
        (5, "a"),
        (9, "b"),
        (5, "c"),
        (0, "d"),
        (9, "e"),
        (5, "f"),
        (7, "g"),
    ];
    let (refused, served) = outcomes(&arena, &requests, 1);
    assert_eq!((refused, served), (vec![7], vec![2, 5, 1, 3, 6, 4]));
    let seen: Vec<_> = arena.witness.seen.lock().clone();
    let order: Vec<_> = seen[1..].iter().map(|seen| &*seen.what).collect();
    assert_eq!(order, ["b", "e", "a", "c", "f", "d"]);
    let name = format!("taut lane {}:0", arena.pool);
    assert!(seen.iter().all(|seen| seen.thread == name), "{seen:?}");
}

/// A thread that was free again took what came last, until the lane's keeper had found that it was
/// free and had woken it for what waited.
#[test]
fn a_request_that_waits_comes_before_one_that_arrives_later() {
    let arena = Arena::of(&buffering(1, 0));
    let (mut first, mut second) = (raw_client(&arena, 0), raw_client(&arena, 0));
    thread::scope(|scope| {
        arena.block(scope, arena.at(0));
        first.send(&echo_request(&arena, 1, 1, "waits"));
        for id in [2, 3] {
            first.send(&echo_request(&arena, id, 1, "refused"));
            assert_eq!(first.receive().unwrap().request_id(), id);
        }
        second.send(&echo_request(&arena, 1, 1, "later"));
        arena.release.send(()).unwrap();
        first.receive_reply(1);
        second.receive_reply(1);
    });
    let seen = arena.witness.seen.lock();
    let order: Vec<_> = seen[1..].iter().map(|seen| &*seen.what).collect();
    assert_eq!(order, ["waits", "later"]);
}

#[test]
fn a_full_buffer_refuses_the_newest_or_the_lowest() {
    let requests = [(5, "a"), (1, "b"), (1, "c"), (1, "d"), (2, "e"), (9, "f")];
    let arena = Arena::of(&buffering(3, 0));
    let newest = outcomes(&arena, &requests, 3);
    assert_eq!(newest, (vec![4, 5, 6], vec![1, 2, 3]));
    let lowest = |settings: &mut taut::Settings| {
        settings.real_time.when_buffer_full = FullBuffer::RefuseLowest;
    };
    let arena = Arena::with(&buffering(3, 0), lowest);
    let lowest = outcomes(&arena, &requests, 3);
    assert_eq!(lowest, (vec![4, 3, 2], vec![6, 1, 5]));
    // The pool's own word is stronger than the setting.
    let policy = RequestBuffering::new(1, 0).when_full(FullBuffer::RefuseLowest);
    let arena = Arena::of(&Threadpool::with_lanes([lane(5, 1)]).buffering(policy));
    let lowest = outcomes(&arena, &[(1, "a"), (2, "b")], 1);
    assert_eq!(lowest, (vec![1], vec![2]));
}

#[test]
fn a_buffer_is_full_by_octets_too() {
    let long = "x".repeat(3_000);
    let arena = Arena::of(&buffering(0, 8_000));
    let requests = [
        (5, &*long),
        (5, &*long),
        (5, &*long),
        (5, "short"),
        (9, &*long),
    ];
    let (refused, served) = outcomes(&arena, &requests, 2);
    assert_eq!((refused, served), (vec![3, 5], vec![1, 2, 4]));
}

#[test]
fn oneways_and_requests_in_fragments_wait_too() {
    let arena = Arena::of(&buffering(3, 0));
    let mut client = raw_client(&arena, 0);
    thread::scope(|scope| {
        arena.block(scope, arena.at(0));
        let oneway = Request {
            response: ResponseFlags::None,
            ..Request::new(1, "note")
        };
        let oneway = oneway.to(arena.object.as_object(), |out| {
            "oneway".encode(out).unwrap()
        });
        client.send(&oneway);
        // In two pieces, of which the second begins within the text's length.
        let whole = echo_request(&arena, 2, 1, "in pieces");
        client.send(&in_two_pieces(&whole, whole.len() - 12));
        client.send(&echo_request(&arena, 3, 1, "last"));
        client.send(&echo_request(&arena, 4, 1, "refused"));
        assert_eq!(client.receive().unwrap().request_id(), 4);
        arena.release.send(()).unwrap();
        client.receive_reply(2);
        client.receive_reply(3);
    });
    let seen = arena.witness.seen.lock();
    let order: Vec<_> = seen[1..].iter().map(|seen| &*seen.what).collect();
    assert_eq!(order, ["oneway", "in pieces", "last"]);
}

/// The same message of GIOP 1.2 in two pieces, of which the first has so many octets.
fn in_two_pieces(message: &[u8], first: usize) -> Vec<u8> {
    let first = first / 8 * 8;
    let size = |octets: usize| u32::try_from(octets).unwrap().to_le_bytes();
    let id = &message[HEADER_SIZE..HEADER_SIZE + 4];
    let mut pieces = message[..first].to_vec();
    pieces[6] |= 2;
    pieces[8..12].copy_from_slice(&size(first - HEADER_SIZE));
    let rest = &message[first..];
    pieces.extend(b"GIOP\x01\x02\x01\x07");
    pieces.extend(size(4 + rest.len()));
    pieces.extend(id);
    pieces.extend(rest);
    pieces
}

#[test]
fn the_end_of_the_orb_waits_for_requests_that_wait() {
    let arena = Arena::of(&buffering(2, 0));
    let mut client = raw_client(&arena, 0);
    thread::scope(|scope| {
        arena.block(scope, arena.at(0));
        for (id, text) in [(1, "a"), (2, "b"), (3, "refused")] {
            client.send(&echo_request(&arena, id, 1, text));
        }
        client.receive_reply(3);
        let orb = arena.orb.clone();
        let end = scope.spawn(move || orb.shutdown(true).unwrap());
        arena.release.send(()).unwrap();
        client.receive_reply(1);
        client.receive_reply(2);
        assert_eq!(client.receive_type(), Some(MessageType::CloseConnection));
        end.join().unwrap();
    });
}
