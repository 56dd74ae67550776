//! Tests of structs that are kept in one piece.

use taut_cdr::{ByteOrder, Decoder, Encoder};

use super::{Elements, Structs, Value, read, write};
use crate::{TCKind, TypeCode};

fn primitive(kind: TCKind) -> TypeCode {
    TypeCode::primitive(kind).unwrap()
}

fn structure(members: &[TypeCode]) -> TypeCode {
    let members: Vec<_> = members.iter().map(|one| ("m", one.clone())).collect();
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
    let members: Vec<_> = (members.into_iter().zip(names))
        .map(|(one, name)| (name, one.1))
        .collect();
    TypeCode::create_struct("IDL:S:1.0", "S", &members).unwrap()
}

fn sequence(element: &TypeCode) -> TypeCode {
    TypeCode::create_sequence(element, 0).unwrap()
}

const KINDS: [TCKind; 10] = [
    TCKind::Short,
    TCKind::Char,
    TCKind::Long,
    TCKind::Octet,
    TCKind::Double,
    TCKind::UShort,
    TCKind::LongLong,
    TCKind::Float,
    TCKind::ULong,
    TCKind::ULongLong,
];

fn leaf(kind: TCKind, step: u8) -> Value {
    match kind {
        TCKind::Short => Value::Short(-i16::from(step)),
        TCKind::Char => Value::Char(step),
        TCKind::Long => Value::Long(-i32::from(step)),
        TCKind::Octet => Value::Octet(step),
        TCKind::Double => Value::Double(f64::from(step) + 0.5),
        TCKind::UShort => Value::UShort(u16::from(step) << 8 | 1),
        TCKind::LongLong => Value::LongLong(-i64::from(step)),
        TCKind::Float => Value::Float(f32::from(step) + 0.5),
        TCKind::ULong => Value::ULong(u32::from(step) << 16 | 3),
        _ => Value::ULongLong(u64::from(step) << 40 | 5),
    }
}

/// Structs of each so many kinds, from each one on, and one in another.
fn types() -> Vec<(TypeCode, Vec<Value>)> {
    let mut types = Vec::new();
    for first in 0..KINDS.len() {
        for count in [1, 2, 3, 5, 10] {
            let kinds: Vec<_> = KINDS
                .iter()
                .cycle()
                .skip(first)
                .take(count)
                .copied()
                .collect();
            let members: Vec<_> = kinds.iter().map(|&kind| primitive(kind)).collect();
            let inner = structure(&members);
            let items =
                |step: u8| Value::Members(kinds.iter().map(|&kind| leaf(kind, step)).collect());
            types.push((inner.clone(), (1..4).map(items).collect()));
            let outer = structure(&[primitive(TCKind::Octet), inner, primitive(TCKind::Long)]);
            let in_outer = |step: u8| {
                let members = [Value::Octet(step), items(step), Value::Long(7)];
                Value::Members(members.into())
            };
            types.push((outer, (1..4).map(in_outer).collect()));
        }
    }
    types
}

/// Returns the octets of a value behind so many others.
fn written(type_code: &TypeCode, value: &Value, front: usize, order: ByteOrder) -> Vec<u8> {
    let mut out = Encoder::new(order);
    out.write_bytes(&[0xaa; 8][..front]);
    write(type_code, value, &mut out).unwrap();
    out.into_buffer()
}

#[test]
fn structs_in_one_piece_have_the_octets_of_others_wherever_they_begin() {
    for (element, items) in types() {
        let sequence = sequence(&element);
        let array = TypeCode::create_array(&element, 3).unwrap();
        for type_code in [sequence, array] {
            for order in [ByteOrder::Big, ByteOrder::Little] {
                for front in 0..8 {
                    let one_by_one = Value::List(items.clone());
                    let expected = written(&type_code, &one_by_one, front, order);
                    let mut input = Decoder::new(&expected, order);
                    input.skip(front).unwrap();
                    let value = read(&type_code, &mut input).unwrap();
                    assert_eq!(input.remaining(), 0);
                    let Value::Elements(Elements::Structs(structs)) = &value else {
                        panic!("{value:?}");
                    };
                    let back: Vec<_> = (0..structs.len())
                        .filter_map(|at| structs.get(at))
                        .collect();
                    assert_eq!(back, items);
                    assert_eq!(written(&type_code, &value, front, order), expected);
                    assert_eq!(value, Value::elements(&element, items.clone()));
                }
            }
        }
    }
}

#[test]
fn what_stands_in_padding_is_not_kept() {
    let element = structure(&[primitive(TCKind::Octet), primitive(TCKind::Long)]);
    let type_code = sequence(&element);
    let items = Value::List(
        (0..300)
            .map(|step| Value::Members(vec![Value::Octet(step as u8), Value::Long(step)]))
            .collect(),
    );
    let clean = written(&type_code, &items, 0, ByteOrder::NATIVE);
    let mut soiled = clean.clone();
    for item in soiled[4..].chunks_exact_mut(8) {
        item[1..4].fill(0xff);
    }
    let value = read(&type_code, &mut Decoder::new(&soiled, ByteOrder::NATIVE)).unwrap();
    assert_eq!(written(&type_code, &value, 0, ByteOrder::NATIVE), clean);
    for end in 0..clean.len() {
        let mut input = Decoder::new(&clean[..end], ByteOrder::NATIVE);
        assert!(read(&type_code, &mut input).is_err(), "{end}");
    }
}

#[test]
fn structs_of_anything_else_are_a_list() {
    for member in [
        TypeCode::string(0),
        primitive(TCKind::Boolean),
        primitive(TCKind::WChar),
    ] {
        assert_eq!(Structs::of(&structure(&[member])), None);
    }
    assert_eq!(Structs::of(&structure(&[])), None);
    let doubled = |inner: &TypeCode| structure(&[inner.clone(), inner.clone()]);
    let mut large = structure(&[primitive(TCKind::Double)]);
    for _ in 0..6 {
        large = doubled(&large);
    }
    // 64 doubles, and as many again.
    assert!(Structs::of(&large).is_some());
    assert_eq!(Structs::of(&doubled(&large)), None);
    let mut deep = structure(&[primitive(TCKind::Double)]);
    for _ in 0..16 {
        deep = structure(&[deep]);
    }
    assert_eq!(Structs::of(&deep), None);
}

#[test]
fn structs_of_another_type_are_refused() {
    let pair = |kind| structure(&[primitive(kind), primitive(TCKind::Long)]);
    let mut structs = Structs::of(&pair(TCKind::Short)).unwrap();
    let of = |first| Value::Members(vec![first, Value::Long(1)]);
    assert!(structs.push(&of(Value::Short(1))));
    assert!(!structs.push(&of(Value::Long(1))));
    assert!(!structs.push(&Value::Members(vec![Value::Short(1)])));
    assert!(!structs.push(&Value::Short(1)));
    assert_eq!((structs.len(), structs.get(1)), (1, None));
    let value = Value::Elements(Elements::Structs(structs));
    let mut out = Encoder::new(ByteOrder::Big);
    // The members count, and not the names.
    write(&sequence(&pair(TCKind::Short)), &value, &mut out).unwrap();
    let refused = write(&sequence(&pair(TCKind::UShort)), &value, &mut out).unwrap_err();
    let message = "expected S, found a list of other structs";
    assert!(refused.to_string().ends_with(message), "{refused}");
}

#[test]
fn elements_that_are_not_of_the_type_are_a_list() {
    let element = primitive(TCKind::Long);
    let items = vec![Value::Long(1), Value::Short(2)];
    assert_eq!(Value::elements(&element, items.clone()), Value::List(items));
    let names = vec![Value::String("a".into())];
    assert_eq!(
        Value::elements(&TypeCode::string(0), names.clone()),
        Value::List(names)
    );
}
