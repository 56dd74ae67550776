//! Unions: in every mode, on the wire, and with discriminators that do not fit.

use taut::codegen::{Decode, Decoder, Encode, Encoder};
use taut::{Char, SystemExceptionKind};
use taut_cdr::ByteOrder;

use super::unions::unions::in_place::{Pair, Tone};
use super::unions::unions::peer::RefuseError;
use super::unions::unions::*;
use super::{check, serve};

/// Returns `a` and the old `b`; the new `b` is `a`.
struct Echo;

impl Peer for Echo {
    echo! {
        f_shape(&Shape, Shape) = Clone::clone;
        f_maybe(&Maybe, Maybe) = Clone::clone;
        f_either(&Either, Either) = |a| *a;
        f_by_short(&ByShort, ByShort) = |a| *a;
        f_by_u_short(&ByUShort, ByUShort) = |a| *a;
        f_by_u_long(&ByULong, ByULong) = |a| *a;
        f_by_long_long(&ByLongLong, ByLongLong) = Clone::clone;
        f_by_u_long_long(&ByULongLong, ByULongLong) = |a| *a;
        f_by_char(&ByChar, ByChar) = |a| *a;
        f_by_octet(&ByOctet, ByOctet) = Clone::clone;
        f_by_enum(&ByEnum, ByEnum) = Clone::clone;
        f_all_of_enum(&AllOfEnum, AllOfEnum) = Clone::clone;
        f_only_default(&OnlyDefault, OnlyDefault) = |a| *a;
        f_in_place(&InPlace, InPlace) = |a| *a;
        f_holder(&Holder, Holder) = Clone::clone;
    }

    fn refuse(&self, why: &Either) -> Result<(), RefuseError> {
        Err(Refused { why: *why }.into())
    }
}

#[test]
fn every_union_passes_in_every_mode() {
    let (server, _client, peer) = serve(PeerSkeleton::new(Echo));
    let corner = Shape::new_corner_with(3, Point { x: 1.0, y: 2.0 }).unwrap();
    let other = Shape::new_other_with(i32::MIN, "other".to_owned()).unwrap();
    let group = Shape::Group(vec![
        Shape::Circle(0.5),
        corner.clone(),
        Shape::Group(vec![]),
    ]);
    check(group.clone(), other, |a, b| peer.f_shape(a, b));
    check(Maybe::Name("four".to_owned()), Maybe::None, |a, b| {
        peer.f_maybe(a, b)
    });
    check(Either::Yes(-1), Either::No(Colour::Blue), |a, b| {
        peer.f_either(a, b)
    });
    let last = ByShort::new_a_with(9, 7).unwrap();
    check(last, ByShort::new_none(), |a, b| peer.f_by_short(a, b));
    check(ByUShort::A(1), ByUShort::new_b(2), |a, b| {
        peer.f_by_u_short(a, b)
    });
    check(ByULong::A([7; 40]), ByULong::B(0.5), |a, b| {
        peer.f_by_u_long(a, b)
    });
    let texts = ["one".to_owned(), "two".to_owned()];
    check(ByLongLong::A(texts), ByLongLong::new_none(), |a, b| {
        peer.f_by_long_long(a, b)
    });
    check(ByULongLong::A(true), ByULongLong::new_none(), |a, b| {
        peer.f_by_u_long_long(a, b)
    });
    let newline = ByChar::new_a_with(Char(b'\n'), Char(b'x')).unwrap();
    check(newline, ByChar::B(1), |a, b| peer.f_by_char(a, b));
    let third = ByOctet::new_b_with(3, "b".to_owned()).unwrap();
    check(third, ByOctet::new_none_with(254).unwrap(), |a, b| {
        peer.f_by_octet(a, b)
    });
    let green = ByEnum::new_warm_with(Colour::Green, 5).unwrap();
    check(green, ByEnum::Cold(Maybe::None), |a, b| {
        peer.f_by_enum(a, b)
    });
    let blue = AllOfEnum::new_b(Some(peer.clone().into()));
    check(AllOfEnum::A(1), blue, |a, b| peer.f_all_of_enum(a, b));
    let seven = OnlyDefault::new_a_with(7, 8).unwrap();
    check(OnlyDefault::default(), seven, |a, b| {
        peer.f_only_default(a, b)
    });
    let two = InPlace::Two(Pair { a: 1, b: 2 });
    check(two, InPlace::Sound(Tone::High), |a, b| {
        peer.f_in_place(a, b)
    });
    let holder = Holder {
        a: group,
        b: [Maybe::Name("b".to_owned()), Maybe::None],
        c: vec![Either::Yes(1), Either::No(Colour::Green)],
        d: Tone::High,
    };
    check(holder, Holder::default(), |a, b| peer.f_holder(a, b));
    let why = Either::No(Colour::Green);
    assert_eq!(peer.refuse(&why), Err(Refused { why }.into()));
    server.shutdown(true).unwrap();
}

#[test]
fn a_union_is_its_discriminator_and_the_member_that_it_selects() {
    fn on_the_wire<T>(value: T, bytes: &[u8])
    where
        T: Encode + for<'m> Decode<'m> + PartialEq + std::fmt::Debug,
    {
        let mut out = Encoder::new(ByteOrder::Big);
        value.encode(&mut out).unwrap();
        assert_eq!(out.as_bytes(), bytes, "{value:?}");
        let decoded = T::decode(&mut Decoder::new(bytes, ByteOrder::Big));
        assert_eq!(decoded, Ok(value));
    }
    on_the_wire(Maybe::None, &[0]);
    on_the_wire(
        Maybe::Name("a".to_owned()),
        &[1, 0, 0, 0, 0, 0, 0, 2, b'a', 0],
    );
    on_the_wire(Either::No(Colour::Blue), &[0, 0, 0, 0, 0, 0, 0, 2]);
    on_the_wire(ByShort::new_none_with(-1).unwrap(), &[0xff, 0xff]);
    let last = ByShort::new_a_with(9, 7).unwrap();
    on_the_wire(last, &[0, 9, 0, 0, 0, 0, 0, 7]);
    on_the_wire(ByChar::B(4), b"'\x04");
    let least = ByLongLong::A(Default::default());
    let bytes = [
        0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0,
    ];
    on_the_wire(least, &bytes);
    let green = AllOfEnum::new_b_with(Colour::Green, None).unwrap();
    let nil = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0];
    on_the_wire(green, &nil);
}

#[test]
fn discriminators_that_select_another_variant_are_refused() {
    assert_eq!(Shape::new_corner(Point::default()).discriminator(), 2);
    assert_eq!(Shape::new_corner_with(1, Point::default()), None);
    assert_eq!(Shape::new_other_with(3, String::new()), None);
    assert_eq!(ByShort::new_none_with(5), None);
    let (server, _client, peer) = serve(PeerSkeleton::new(Echo));
    for wrong in [
        Shape::Corner {
            discriminator: 1,
            value: Point::default(),
        },
        Shape::Other {
            discriminator: -1,
            value: String::new(),
        },
    ] {
        let mut b = Shape::Circle(1.0);
        let error = peer.f_shape(&wrong, &mut b).unwrap_err();
        assert_eq!(error.kind, SystemExceptionKind::Marshal, "{wrong:?}");
        assert_eq!(b, Shape::Circle(1.0));
    }
    let mut none = ByShort::None { discriminator: 4 };
    let error = peer.f_by_short(&none.clone(), &mut none).unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::Marshal);
    server.shutdown(true).unwrap();
}
