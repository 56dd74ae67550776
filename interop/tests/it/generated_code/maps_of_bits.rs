//! IDL 4's maps, bit masks and bit sets, in every mode.

use std::collections::BTreeMap;

use taut::{Any, Typed};

use super::maps_and_bits::maps_and_bits::*;
use super::{check, serve};

/// Returns `a` and the old `b`; the new `b` is `a`.
struct Echo;

impl Peer for Echo {
    echo! {
        f_rights(Rights, Rights) = std::convert::identity;
        f_frame(&Frame, Frame) = Clone::clone;
        f_full(&Full, Full) = Clone::clone;
        f_gap(&Gap, Gap) = Clone::clone;
        f_names(&Names, Names) = Clone::clone;
        f_palette(&Palette, Palette) = Clone::clone;
        f_dictionary(&Dictionary, Dictionary) = Clone::clone;
        f_heights(&[(Place, f64)], Heights) = <[_]>::to_vec;
        f_crosswise(&Crosswise, Crosswise) = Clone::clone;
        f_tree(&Tree, Tree) = Clone::clone;
        f_all(&All, All) = Clone::clone;
        f_either(&Either, Either) = Clone::clone;
    }
}

fn frame() -> Frame {
    Frame {
        kind: 5,
        urgent: true,
        offset: -16,
        length: 0xf_ffff,
        checksum: 1,
    }
}

fn names() -> Names {
    BTreeMap::from([(-1, "minus one".to_owned()), (1, String::new())])
}

fn all() -> All {
    All {
        may: Rights::READ | Rights::TYPE,
        flags: Wide::B,
        more: Widest::TOP,
        bits: frame(),
        number: Full { all: i64::MIN },
        people: names(),
        things: BTreeMap::from([(1, Any::new(&7_i32).unwrap()), (2, Any::null())]),
        hills: vec![(Place { x: 1, y: 2 }, 0.5)],
    }
}

#[test]
fn every_type_passes_in_every_mode() {
    let (server, _client, peer) = serve(PeerSkeleton::new(Echo));
    check(Rights::WRITE, Rights::empty(), |a, b| peer.f_rights(*a, b));
    check(frame(), Frame::default(), |a, b| peer.f_frame(a, b));
    check(Full { all: -1 }, Full { all: i64::MAX }, |a, b| {
        peer.f_full(a, b)
    });
    check(Gap {}, Gap {}, |a, b| peer.f_gap(a, b));
    check(names(), Names::new(), |a, b| peer.f_names(a, b));
    let palette = Palette::from([
        (Colour::Green, vec![Place::default()]),
        (Colour::Red, vec![]),
    ]);
    check(palette, Palette::new(), |a, b| peer.f_palette(a, b));
    let dictionary = Dictionary::from([("€ur".to_owned(), "Geld".to_owned())]);
    check(dictionary, Dictionary::new(), |a, b| {
        peer.f_dictionary(a, b)
    });
    let heights = vec![(Place { x: 3, y: 4 }, 5.0), (Place { x: 3, y: 4 }, 6.0)];
    check(heights, Heights::new(), |a, b| peer.f_heights(a, b));
    let crosswise = Crosswise::from([(Rights::READ, vec![(0.5, Rights::WRITE)])]);
    check(crosswise, Crosswise::new(), |a, b| peer.f_crosswise(a, b));
    let leaf = Tree {
        name: "leaf".to_owned(),
        children: vec![],
        marks: BTreeMap::from([("a".to_owned(), 1)]),
    };
    let tree = Tree {
        children: vec![leaf.clone()],
        ..Tree::default()
    };
    check(tree, leaf, |a, b| peer.f_tree(a, b));
    check(all(), All::default(), |a, b| peer.f_all(a, b));
    let header = Either::new_bits(Header::default());
    check(Either::People(names()), header, |a, b| peer.f_either(a, b));
    check(
        Either::May(Rights::TYPE),
        Either::May(Rights::READ),
        |a, b| peer.f_either(a, b),
    );
    server.shutdown(true).unwrap();
}

#[test]
fn what_does_not_fit_is_not_sent() {
    let (server, _client, peer) = serve(PeerSkeleton::new(Echo));
    let wrong = Frame {
        kind: 8,
        ..Frame::default()
    };
    let error = peer.f_frame(&wrong, &mut Frame::default()).unwrap_err();
    assert_eq!(error.kind, taut::SystemExceptionKind::Marshal);
    let empty = || (Rights::empty(), vec![]);
    let long = Crosswise::from([empty(), (Rights::READ, vec![])]);
    let error = peer.f_crosswise(&long, &mut Crosswise::new()).unwrap_err();
    assert_eq!(error.kind, taut::SystemExceptionKind::Marshal);
    server.shutdown(true).unwrap();
}

#[test]
fn flags_are_a_set() {
    let mut rights = Rights::READ | Rights::WRITE;
    assert_eq!(rights.bits(), 0b1_0001);
    assert!(rights.contains(Rights::READ) && !rights.contains(Rights::READ | Rights::TYPE));
    assert_eq!(!rights & Rights::TYPE, Rights::TYPE);
    assert_eq!((!Rights::empty()).bits(), 0b11_1111_1111);
    rights ^= Rights::READ;
    rights |= Rights::TYPE;
    rights &= Rights::TYPE;
    assert_eq!(rights, Rights::TYPE);
    assert_eq!(Rights::from_bits(1 << 9).map(Rights::bits), Some(1 << 9));
    assert_eq!(Rights::from_bits(1 << 10), None);
}

#[test]
fn type_codes_tell_the_wire_form() {
    assert!(Rights::type_code().equivalent(&u16::type_code()));
    assert!(Frame::type_code().equivalent(&u64::type_code()));
    let any = Any::new(&all()).unwrap();
    assert_eq!(any.extract::<All>(), Ok(all()));
    // A number with a bit too many is no bitmask.
    let any = Any::with_type(Rights::type_code(), &(1_u16 << 10)).unwrap();
    assert!(any.extract::<Rights>().is_err());
    // Maps are told apart by what they hold.
    assert!(!names_type_code().equivalent(&dictionary_type_code()));
    let names = names_type_code();
    let entries = names.without_aliases();
    let entry = entries.content_type().unwrap();
    assert_eq!(entry.member_name(0), Ok("key"));
    assert_eq!(entry.member_type(1), Ok(String::type_code()));
}
