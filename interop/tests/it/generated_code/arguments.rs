//! Every type without variants, in every mode.

use taut::{Char, ObjectRef, SystemExceptionKind};

use super::passing::passing::peer::FTripleReply;
use super::passing::passing::{Colour, Peer, PeerRef, PeerSkeleton, Plain, Rich};
use super::{check, serve};

/// Returns `a` and the old `b`; the new `b` is `a`.
struct Echo;

impl Peer for Echo {
    echo! {
        f_boolean(bool, bool) = |a| a;
        f_char(Char, Char) = |a| a;
        f_octet(u8, u8) = |a| a;
        f_short(i16, i16) = |a| a;
        f_unsigned_short(u16, u16) = |a| a;
        f_long(i32, i32) = |a| a;
        f_unsigned_long(u32, u32) = |a| a;
        f_long_long(i64, i64) = |a| a;
        f_unsigned_long_long(u64, u64) = |a| a;
        f_float(f32, f32) = |a| a;
        f_double(f64, f64) = |a| a;
        f_enum(Colour, Colour) = |a| a;
        f_string(&str, String) = str::to_owned;
        f_bounded_string(&str, String) = str::to_owned;
        f_plain(&Plain, Plain) = |a| *a;
        f_rich(&Rich, Rich) = Rich::clone;
        f_array(&[[i32; 3]; 2], [[i32; 3]; 2]) = |a| *a;
        f_bounded_array(&[String; 2], [String; 2]) = Clone::clone;
        f_flags(&[bool], Vec<bool>) = <[bool]>::to_vec;
        f_octets(&[u8], Vec<u8>) = <[u8]>::to_vec;
        f_chars(&[Char], Vec<Char>) = <[Char]>::to_vec;
        f_names(&[String], Vec<String>) = <[String]>::to_vec;
        f_shorts(&[String], Vec<String>) = <[String]>::to_vec;
        f_blocks(&[Vec<u8>], Vec<Vec<u8>>) = <[Vec<u8>]>::to_vec;
        f_reference(Option<&PeerRef>, Option<PeerRef>) = |a| a.cloned();
        f_alias(Option<&PeerRef>, Option<PeerRef>) = |a| a.cloned();
        f_object(Option<&ObjectRef>, Option<ObjectRef>) = |a| a.cloned();
        f_references(&[Option<PeerRef>], Vec<Option<PeerRef>>) = <[Option<PeerRef>]>::to_vec;
    }

    fn f_inout(&self, a: &mut i32) -> taut::Result<()> {
        *a += 1;
        Ok(())
    }

    fn f_inouts(&self, a: &mut i32, b: &mut String) -> taut::Result<()> {
        *a += 1;
        b.push('!');
        Ok(())
    }

    fn f_pair(&self) -> taut::Result<(i32, String)> {
        Ok((1, "one".to_owned()))
    }

    fn f_triple(&self, c: &mut i32) -> taut::Result<FTripleReply> {
        *c += 1;
        let (result, a, b) = (2, 3, "two".to_owned());
        Ok(FTripleReply { result, a, b })
    }
}

#[test]
fn every_type_passes_in_every_mode() {
    let (server, _client, peer) = serve(PeerSkeleton::new(Echo));
    check(true, false, |a, b| peer.f_boolean(*a, b));
    check(Char(0), Char(0xff), |a, b| peer.f_char(*a, b));
    check(0, u8::MAX, |a, b| peer.f_octet(*a, b));
    check(i16::MIN, i16::MAX, |a, b| peer.f_short(*a, b));
    check(1, u16::MAX, |a, b| peer.f_unsigned_short(*a, b));
    check(i32::MIN, i32::MAX, |a, b| peer.f_long(*a, b));
    check(1, u32::MAX, |a, b| peer.f_unsigned_long(*a, b));
    check(i64::MIN, i64::MAX, |a, b| peer.f_long_long(*a, b));
    check(1, u64::MAX, |a, b| peer.f_unsigned_long_long(*a, b));
    check(0.5, f32::INFINITY, |a, b| peer.f_float(*a, b));
    check(f64::MIN, -0.5, |a, b| peer.f_double(*a, b));
    check(Colour::Red, Colour::Green, |a, b| peer.f_enum(*a, b));
    let long = "long ".repeat(1000);
    check(String::new(), long.clone(), |a, b| peer.f_string(a, b));
    check("12345678".to_owned(), "Übergröß".to_owned(), |a, b| {
        peer.f_bounded_string(a, b)
    });
    let plain = Plain { a: 1, b: 2.0 };
    check(plain, Plain::default(), |a, b| peer.f_plain(a, b));
    let rich = Rich {
        name: long,
        points: vec![plain; 100],
    };
    check(rich, Rich::default(), |a, b| peer.f_rich(a, b));
    check([[1, 2, 3], [4, 5, 6]], Default::default(), |a, b| {
        peer.f_array(a, b)
    });
    check(
        ["a".to_owned(), "b".to_owned()],
        Default::default(),
        |a, b| peer.f_bounded_array(a, b),
    );
    check(vec![true, false], vec![], |a, b| peer.f_flags(a, b));
    check(vec![7; 100_000], vec![], |a, b| peer.f_octets(a, b));
    check(vec![Char(b'x'); 9], vec![], |a, b| peer.f_chars(a, b));
    check(vec!["x".to_owned(), String::new()], vec![], |a, b| {
        peer.f_names(a, b)
    });
    check(vec!["x".to_owned(); 4], vec![], |a, b| peer.f_shorts(a, b));
    check(vec![vec![1, 2, 3], vec![]], vec![], |a, b| {
        peer.f_blocks(a, b)
    });
    check(Some(peer.clone()), None, |a, b| {
        peer.f_reference(a.as_ref(), b)
    });
    check(Some(peer.clone()), None, |a, b| peer.f_alias(a.as_ref(), b));
    let object: ObjectRef = peer.clone().into();
    check(Some(object), None, |a, b| peer.f_object(a.as_ref(), b));
    check(vec![Some(peer.clone()), None], vec![], |a, b| {
        peer.f_references(a, b)
    });
    server.shutdown(true).unwrap();
}

#[test]
fn results_come_back_alone_in_pairs_and_in_structs() {
    let (server, _client, peer) = serve(PeerSkeleton::new(Echo));
    let (mut a, mut b) = (1, "one".to_owned());
    peer.f_inout(&mut a).unwrap();
    peer.f_inouts(&mut a, &mut b).unwrap();
    assert_eq!((a, b.as_str()), (3, "one!"));
    assert_eq!(peer.f_pair(), Ok((1, "one".to_owned())));
    let reply = peer.f_triple(&mut a).unwrap();
    assert_eq!(
        (reply.result, reply.a, reply.b.as_str(), a),
        (2, 3, "two", 4)
    );
    server.shutdown(true).unwrap();
}

#[test]
fn broken_bounds_are_refused_and_leave_inout_arguments_alone() {
    let (server, _client, peer) = serve(PeerSkeleton::new(Echo));
    let mut b = "b".to_owned();
    let error = peer.f_bounded_string("123456789", &mut b).unwrap_err();
    assert_eq!(
        (error.kind, b.as_str()),
        (SystemExceptionKind::Marshal, "b")
    );
    let error = peer
        .f_shorts(&vec![String::new(); 5], &mut vec![])
        .unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::Marshal);
    server.shutdown(true).unwrap();
}
