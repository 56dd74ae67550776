//! TypeCodes that are read or written again: what that costs, and that it changes
//! nothing.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use counting_allocator::in_steady_state;
use taut_cdr::{ByteOrder, Decode, Decoder, Encode, Encoder, ErrorKind, Realignment, WideForm};
use taut_types::{TCKind, TypeCode, TypeCodeLimits, Typed, UnionMember};

fn point(id: &str) -> TypeCode {
    let members = [("x", i32::type_code()), ("y", i32::type_code())];
    TypeCode::create_struct(id, "Point", &members).unwrap()
}

fn encoded(type_code: &TypeCode, order: ByteOrder) -> Vec<u8> {
    let mut out = Encoder::new(order);
    type_code.encode(&mut out).unwrap();
    out.into_buffer()
}

#[test]
fn what_was_met_before_allocates_nothing() {
    let written = point("IDL:Point:1.0");
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let octets = encoded(&written, order);
        let again = in_steady_state(10, || {
            TypeCode::decode(&mut Decoder::new(&octets, order)).unwrap();
        });
        assert_eq!(again, 0);
        let nowhere = [Realignment {
            position: usize::MAX,
            phase: 0,
        }];
        let again = in_steady_state(10, || {
            let input = Decoder::new(&octets, order);
            TypeCode::decode(&mut input.with_realignments(&nowhere)).unwrap();
        });
        assert_eq!(again, 0, "where data may be interrupted");
    }
    let mut out = Encoder::new(ByteOrder::NATIVE);
    let again = in_steady_state(10, || {
        out.clear();
        written.encode(&mut out).unwrap();
    });
    assert_eq!(again, 0);
    many_types_are_told_apart();
    limits_hold_for_what_is_remembered();
    wide_labels_are_read_in_their_own_form();
}

/// More than are remembered, each as it is, in any order, at any place.
fn many_types_are_told_apart() {
    let types: Vec<_> = (0..100)
        .map(|number| point(&format!("IDL:Point{number}:1.0")))
        .collect();
    for round in 0..3 {
        for step in 0..types.len() {
            let type_code = &types[(step * (2 * round + 1)) % types.len()];
            for order in [ByteOrder::Little, ByteOrder::Big] {
                let mut out = Encoder::new(order);
                out.write(7_u8);
                type_code.encode(&mut out).unwrap();
                out.write(9_u8);
                let octets = out.into_buffer();
                let mut input = Decoder::new(&octets, order);
                assert_eq!(input.read::<u8>(), Ok(7));
                assert_eq!(TypeCode::decode(&mut input).unwrap(), *type_code);
                assert_eq!(input.read::<u8>(), Ok(9));
                assert_eq!(input.remaining(), 0);
            }
        }
    }
}

fn limits_hold_for_what_is_remembered() {
    let octets = encoded(&point("IDL:Strict:1.0"), ByteOrder::NATIVE);
    let read = |limits: &TypeCodeLimits| {
        TypeCode::decode_within(&mut Decoder::new(&octets, ByteOrder::NATIVE), limits)
    };
    let strict = TypeCodeLimits {
        nodes: 2,
        ..TypeCodeLimits::DEFAULT
    };
    for _ in 0..2 {
        assert!(read(&TypeCodeLimits::DEFAULT).is_ok());
        let error = read(&strict).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::BoundExceeded { .. }));
    }
}

/// The same octets are one union where wide characters have two octets, and none where
/// they have a length.
fn wide_labels_are_read_in_their_own_form() {
    let discriminator = TypeCode::primitive(TCKind::WChar).unwrap();
    let member = UnionMember {
        label: Some(0x0161),
        name: "m",
        type_code: i32::type_code(),
    };
    let union = TypeCode::create_union("IDL:W:1.0", "W", &discriminator, &[member]).unwrap();
    let in_form = |form| {
        let mut out = Encoder::new(ByteOrder::NATIVE);
        out.set_wide_form(form);
        union.encode(&mut out).unwrap();
        out.into_buffer()
    };
    let forms = [WideForm::Units, WideForm::Octets];
    let [units, octets] = forms.map(in_form);
    assert_ne!(units, octets);
    for _ in 0..2 {
        for (form, octets) in forms.into_iter().zip([&units, &octets]) {
            let input = Decoder::new(octets, ByteOrder::NATIVE);
            let read = TypeCode::decode(&mut input.with_wide_form(form)).unwrap();
            assert_eq!(read, union);
        }
        for (form, octets) in forms.into_iter().zip([&octets, &units]) {
            let input = Decoder::new(octets, ByteOrder::NATIVE);
            let read = TypeCode::decode(&mut input.with_wide_form(form));
            assert_ne!(read.ok(), Some(union.clone()));
        }
    }
}
