//! Two endpoints drive each other in memory: whatever portions their octets come
//! in, wherever their messages are cut into fragments, and however these
//! interleave, both hear the same.

#![allow(clippy::unwrap_used)]

use crate::common::atoms::{atoms, laid_out, pieces_of_1_1};
use crate::common::pair::{Endpoint, exchange_messages};
use crate::common::said::{Body, Said, Value};
use crate::common::{ORDERS, PROTOCOLS, fragment, header, script};
use taut_cdr::ByteOrder;
use taut_giop::Version;
use taut_giop::message::MessageType;

/// All that either side may say in a version.
fn both_sides(version: Version) -> Vec<Said> {
    [script::client(version), script::server(version)].concat()
}

fn whole(endpoint: &mut Endpoint, messages: &[Vec<u8>]) {
    endpoint.receive(&messages.concat()).unwrap();
}

/// The ways to send a message in two pieces, each as both.
fn all_in_two(said: &Said, version: Version, order: ByteOrder) -> Vec<Vec<Vec<u8>>> {
    match places(said, version, order) {
        Places::None => vec![],
        Places::Octets(message, places) => {
            let cut = |place| fragment(&message, &[place]);
            places.into_iter().map(cut).collect()
        }
        Places::Atoms(atoms, places) => {
            let cut = |place| pieces_of_1_1(version, order, said.message_type(), &atoms, &[place]);
            places.map(cut).collect()
        }
    }
}

/// The same in three pieces.
fn all_in_three(said: &Said, version: Version, order: ByteOrder) -> Vec<Vec<Vec<u8>>> {
    let mut ways = Vec::new();
    match places(said, version, order) {
        Places::None => {}
        Places::Octets(message, places) => {
            for (index, &first) in places.iter().enumerate() {
                // The one in the middle may be empty.
                for &second in &places[index..] {
                    ways.push(fragment(&message, &[first, second]));
                }
            }
        }
        Places::Atoms(atoms, places) => {
            for first in places.clone() {
                for second in first..places.end {
                    let begins = [first, second];
                    let message_type = said.message_type();
                    ways.push(pieces_of_1_1(version, order, message_type, &atoms, &begins));
                }
            }
        }
    }
    ways
}

/// Where a message may be cut.
enum Places {
    None,
    /// Of GIOP 1.2, where a piece is a multiple of 8 octets; of GIOPlite, anywhere behind
    /// the request id.
    Octets(Vec<u8>, Vec<usize>),
    /// Of GIOP 1.1: in front of whatever may not be divided.
    Atoms(Vec<crate::common::atoms::Atom>, std::ops::Range<usize>),
}

fn places(said: &Said, version: Version, order: ByteOrder) -> Places {
    use MessageType::{LocateReply, LocateRequest, Reply, Request};
    match (version, said.message_type()) {
        (Version::V1_2, Request | Reply | LocateRequest | LocateReply) => {
            let message = said.encode(version, order).unwrap();
            // The request id must be in the first piece.
            let places = (16..message.len()).step_by(8).collect();
            Places::Octets(message, places)
        }
        (Version::LITE, Request | Reply | LocateRequest | LocateReply) => {
            let message = said.encode(version, order).unwrap();
            let places = (12..message.len()).collect();
            Places::Octets(message, places)
        }
        (Version::V1_1, Request | Reply) => {
            let atoms = atoms(said, version, order);
            let places = 1..atoms.len();
            Places::Atoms(atoms, places)
        }
        _ => Places::None,
    }
}

/// Returns the messages that a fresh endpoint hears of these pieces.
fn heard(version: Version, pieces: &[Vec<u8>]) -> Vec<Said> {
    let mut endpoint = Endpoint::client(version, ByteOrder::Big);
    whole(&mut endpoint, pieces);
    assert!(endpoint.is_idle());
    endpoint.heard
}

/// The layout in the tests is not made with the crate.
#[test]
fn messages_have_the_layout_of_the_standard() {
    for version in PROTOCOLS {
        for order in ORDERS {
            for said in both_sides(version) {
                let expected = laid_out(&said, version, order);
                let written = said.encode(version, order).unwrap();
                assert_eq!(written, expected, "{version} {order:?} {said:?}");
                assert_eq!(heard(version, &[written]), [said]);
            }
        }
    }
}

#[test]
fn both_hear_what_the_other_says() {
    for version in PROTOCOLS {
        for orders in ORDERS.map(|client| ORDERS.map(|server| (client, server))) {
            for orders in orders {
                let said = script::client(version);
                let (server, client) = exchange_messages(version, orders, &said, whole);
                assert_eq!(server, said);
                let answered: Vec<_> = client.iter().filter_map(Said::request_id).collect();
                let expected: &[u32] = match version {
                    Version::V1_2 => &[1, 2, 3, 4, 6, 7, 8, 9, 10],
                    Version::LITE => &[1, 2, 3, 4, 9, 10],
                    _ => &[1, 2, 3, 4, 10],
                };
                assert_eq!(answered, expected);
                assert_eq!(client.last(), Some(&Said::CloseConnection));
            }
        }
    }
}

#[test]
fn every_cut_of_what_travels_comes_to_the_same() {
    for version in PROTOCOLS {
        for orders in [ORDERS, [ORDERS[1], ORDERS[0]]] {
            let orders = (orders[0], orders[1]);
            let said = script::client(version);
            let expected = exchange_messages(version, orders, &said, whole);
            let mut longest = 0;
            let octet_by_octet = exchange_messages(version, orders, &said, |endpoint, messages| {
                let octets = messages.concat();
                longest = longest.max(octets.len());
                for octet in octets {
                    endpoint.receive(&[octet]).unwrap();
                }
            });
            assert_eq!(octet_by_octet, expected);
            for cut in 0..longest {
                let cut = exchange_messages(version, orders, &said, |endpoint, messages| {
                    let octets = messages.concat();
                    let (head, tail) = octets.split_at(cut.min(octets.len()));
                    endpoint.receive(head).unwrap();
                    endpoint.receive(tail).unwrap();
                });
                assert!(cut == expected, "GIOP {version} {orders:?}");
            }
        }
    }
}

#[test]
fn every_fragmentation_comes_to_the_same() {
    let mut ways = [0, 0];
    for version in [Version::V1_1, Version::V1_2, Version::LITE] {
        for order in ORDERS {
            for said in both_sides(version) {
                let expected = [said.clone()];
                for pieces in all_in_two(&said, version, order) {
                    assert_eq!(heard(version, &pieces), expected, "GIOP {version}");
                    ways[0] += 1;
                }
                for pieces in all_in_three(&said, version, order) {
                    assert_eq!(heard(version, &pieces), expected, "GIOP {version}");
                    ways[1] += 1;
                }
            }
        }
    }
    assert!(ways[0] > 1_000 && ways[1] > 30_000, "{ways:?}");
}

#[test]
fn every_cut_of_every_fragmentation_comes_to_the_same() {
    for version in [Version::V1_1, Version::V1_2, Version::LITE] {
        for order in ORDERS {
            let said = Said::Reply {
                request_id: 7,
                status: taut_giop::message::ReplyStatus::NoException,
                contexts: vec![(1, vec![2])],
                body: Body(vec![Value::Octet(3), Value::Double(0.5), Value::Short(4)]),
            };
            for pieces in all_in_three(&said, version, order) {
                let octets = pieces.concat();
                for cut in 0..octets.len() {
                    let mut endpoint = Endpoint::client(version, order);
                    endpoint.receive(&octets[..cut]).unwrap();
                    endpoint.receive(&octets[cut..]).unwrap();
                    assert_eq!(endpoint.heard, std::slice::from_ref(&said));
                }
            }
        }
    }
}

/// Three messages in three pieces each, and one that is whole between them, in
/// every order that keeps each message's own.
#[test]
fn every_interleaving_comes_to_the_same() {
    for order in ORDERS {
        let version = Version::V1_2;
        let said: Vec<_> = [0, 6, 10].map(|at| both_sides(version)[at].clone()).into();
        let said = [said, script::server(version)[1..2].to_vec()].concat();
        let cut = |said: &Said| {
            let message = said.encode(version, order).unwrap();
            match message.len() {
                ..=40 => fragment(&message, &[16, 24]),
                _ => fragment(&message, &[24, 56]),
            }
        };
        let mut queues: Vec<_> = said[..3].iter().map(cut).collect();
        queues.push(vec![said[3].encode(version, order).unwrap()]);
        let mut expected = said.clone();
        expected.sort_by_key(Said::request_id);
        let mut ways = 0;
        interleave(
            &queues,
            &mut vec![0; queues.len()],
            &mut vec![],
            &mut |pieces| {
                let mut heard = heard(version, pieces);
                heard.sort_by_key(Said::request_id);
                assert_eq!(heard, expected);
                ways += 1;
            },
        );
        assert_eq!(ways, 16_800);
    }
}

/// Calls `each` with every merger of the queues.
fn interleave(
    queues: &[Vec<Vec<u8>>],
    taken: &mut Vec<usize>,
    merged: &mut Vec<Vec<u8>>,
    each: &mut impl FnMut(&[Vec<u8>]),
) {
    let mut is_whole = true;
    for (index, queue) in queues.iter().enumerate() {
        if let Some(piece) = queue.get(taken[index]) {
            is_whole = false;
            taken[index] += 1;
            merged.push(piece.clone());
            interleave(queues, taken, merged, each);
            merged.pop();
            taken[index] -= 1;
        }
    }
    if is_whole {
        each(merged);
    }
}

/// Fragments of GIOP 1.1 have no request id, those of 1.2 do not mind them.
#[test]
fn messages_of_other_versions_may_come_between_fragments_of_1_1() {
    for order in ORDERS {
        let old = &script::client(Version::V1_1)[3];
        let atoms = atoms(old, Version::V1_1, order);
        let old_pieces =
            pieces_of_1_1(Version::V1_1, order, MessageType::Request, &atoms, &[9, 50]);
        let new = &script::client(Version::V1_2)[6];
        let new_pieces = fragment(&new.encode(Version::V1_2, order).unwrap(), &[24, 56]);
        let small = Said::CancelRequest { request_id: 99 };
        let small_piece = small.encode(Version::V1_0, order).unwrap();
        let pieces = [
            &old_pieces[0],
            &new_pieces[0],
            &small_piece,
            &old_pieces[1],
            &new_pieces[1],
            &new_pieces[2],
            &old_pieces[2],
        ];
        let heard = heard(Version::V1_1, &pieces.map(Clone::clone));
        assert_eq!(heard, [small, new.clone(), old.clone()]);
        assert_eq!(header(&new_pieces[0]).version, Version::V1_2);
    }
}
