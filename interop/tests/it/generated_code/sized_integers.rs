//! The integers that IDL 4 names by their size, in every mode.

use taut::{Any, Typed};

use super::sized::sized::*;
use super::{check, serve};

/// Returns `a` and the old `b`; the new `b` is `a`.
struct Echo;

impl Peer for Echo {
    echo! {
        f_all(&All, All) = Clone::clone;
        f_offsets(&[i8], Vec<i8>) = <[i8]>::to_vec;
        f_sign(&Sign, Sign) = Clone::clone;
    }
}

#[test]
fn every_type_passes_in_every_mode() {
    let (server, _client, peer) = serve(PeerSkeleton::new(Echo));
    let all = All {
        a: LEAST,
        b: GREATEST,
        c: i16::MIN,
        d: u16::MAX,
        e: i32::MIN,
        f: u32::MAX,
        g: i64::MIN,
        h: u64::MAX,
        i: vec![LEAST, -1, 0],
    };
    check(all.clone(), All::default(), |a, b| peer.f_all(a, b));
    check(all.i.clone(), vec![], |a, b| peer.f_offsets(a, b));
    let two = Sign::new_positive_with(2, GREATEST).unwrap();
    check(Sign::Negative(all.clone()), two, |a, b| peer.f_sign(a, b));
    server.shutdown(true).unwrap();
}

#[test]
fn a_type_code_takes_them_for_octets() {
    let sign = Sign::type_code();
    assert_eq!(sign.discriminator_type(), Ok(u8::type_code()));
    assert_eq!(sign.member_label(0), Ok(Some(255)));
    let negative = Sign::Negative(All::default());
    let any = Any::new(&negative).unwrap();
    assert_eq!(any.extract::<Sign>(), Ok(negative));
}
