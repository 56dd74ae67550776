//! Short values of simple types are copied in a way of their own: with the same outcome,
//! octet by octet, whatever the value, its place, its byte order and code set.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use proptest::prelude::*;
use taut_cdr::{ByteOrder, CharCodeSet, Decoder, Encoder, ErrorKind, Realignment};
use taut_types::{Any, TCKind, TypeCode, TypeCodeLimits, Typed, engine};

const ORDERS: [ByteOrder; 2] = [ByteOrder::Big, ByteOrder::Little];
const CODE_SETS: [CharCodeSet; 2] = [CharCodeSet::Utf8, CharCodeSet::Iso8859_1];

/// Simple types, and some that are not.
fn types() -> impl Strategy<Value = TypeCode> {
    let primitive = |kind| TypeCode::primitive(kind).unwrap();
    let leaf = prop_oneof![
        prop::sample::select(vec![
            primitive(TCKind::Octet),
            primitive(TCKind::Boolean),
            primitive(TCKind::Short),
            primitive(TCKind::Long),
            primitive(TCKind::Double),
            primitive(TCKind::LongDouble),
            primitive(TCKind::Any),
            TypeCode::create_enum("IDL:E:1.0", "E", &["A", "B"]).unwrap(),
            TypeCode::create_fixed(5, 2).unwrap(),
            TypeCode::wstring(0),
        ]),
        (0_u32..6).prop_map(TypeCode::string),
    ];
    leaf.prop_recursive(4, 12, 4, |inner| {
        prop_oneof![
            4 => prop::collection::vec(inner.clone(), 0..5).prop_map(|members| {
                let members: Vec<_> = ["a", "b", "c", "d"].into_iter().zip(members).collect();
                TypeCode::create_struct("IDL:S:1.0", "S", &members).unwrap()
            }),
            1 => (inner.clone(), 0_u32..4)
                .prop_map(|(element, bound)| TypeCode::create_sequence(&element, bound).unwrap()),
            1 => (inner.clone(), 1_u32..4)
                .prop_map(|(element, length)| TypeCode::create_array(&element, length).unwrap()),
            1 => inner.prop_map(|it| TypeCode::create_alias("IDL:A:1.0", "A", &it).unwrap()),
        ]
    })
}

/// Writes a value of a type, as these octets have it.
fn write(type_code: &TypeCode, random: &mut impl Iterator<Item = u8>, out: &mut Encoder) {
    let mut next = || random.next().unwrap();
    let type_code = type_code.without_aliases();
    match type_code.kind() {
        TCKind::Boolean => out.write(next() % 2),
        TCKind::Short => out.write(u16::from(next()) << 4),
        TCKind::Long => out.write(u32::from(next()) << 12),
        TCKind::Double => out.write(f64::from(next())),
        TCKind::LongDouble => out.write(taut_cdr::LongDouble::from(f64::from(next()))),
        TCKind::Enum => out.write(u32::from(next() % 2)),
        TCKind::Fixed => out.write_bytes(&[0x12, 0x34, 0x5c]),
        TCKind::String => {
            let bound = type_code.length().unwrap() as u8;
            let count = match bound {
                0 => next() % 40,
                // Now and then one more than may be.
                _ => next() % (bound + 2),
            };
            let character = |octet: u8| match octet {
                0..4 => 'é',
                _ => char::from(0x20 + octet % 0x5f),
            };
            let text: String = (0..count).map(|_| character(next())).collect();
            out.write_string(&text).unwrap();
        }
        TCKind::WString => out.write_wstring("ab").unwrap(),
        TCKind::Any => Any::new(&7_i16)
            .unwrap()
            .encode_as(out, Default::default())
            .unwrap(),
        TCKind::Struct => {
            for member in 0..type_code.member_count().unwrap() {
                write(&type_code.member_type(member).unwrap(), random, out);
            }
        }
        kind @ (TCKind::Sequence | TCKind::Array) => {
            let element = type_code.content_type().unwrap();
            let mut count = type_code.length().unwrap();
            if kind == TCKind::Sequence {
                count = match count {
                    0 => u32::from(next() % 8),
                    _ => u32::from(next()) % (count + 2),
                };
                out.write(count);
            }
            for _ in 0..count {
                write(&element, random, out);
            }
        }
        _ => out.write(next()),
    }
}

/// The octets that were copied, and the place where reading ended. None for a fault: where
/// data may be interrupted, the same fault is told in other words.
type Outcome = Option<(Vec<u8>, usize)>;

/// Copies a value, behind so many octets in another message.
fn copied(
    type_code: &TypeCode,
    mut input: Decoder<'_>,
    (order, code_set, offset): (ByteOrder, CharCodeSet, usize),
) -> Outcome {
    let mut out = Encoder::new(order);
    out.set_char_code_set(code_set);
    out.write_bytes(&[0xee; 8][..offset]);
    engine::copy(type_code, &mut input, &mut out).ok()?;
    Some((out.into_buffer(), input.position()))
}

fn kept(type_code: &TypeCode, mut input: Decoder<'_>) -> Outcome {
    let limits = TypeCodeLimits::DEFAULT;
    let any = Any::read_value(type_code.clone(), &mut input, &limits).ok()?;
    Some((any.decoder(None).bytes().to_vec(), input.position()))
}

/// Compares both ways, the second of which is taken where data may be interrupted.
fn is_the_same(
    type_code: &TypeCode,
    input: &Decoder<'_>,
) -> std::result::Result<(), TestCaseError> {
    let nowhere = [Realignment {
        position: usize::MAX,
        phase: 0,
    }];
    let walked = input.clone().with_realignments(&nowhere);
    prop_assert_eq!(
        kept(type_code, input.clone()),
        kept(type_code, walked.clone())
    );
    for order in ORDERS {
        for code_set in CODE_SETS {
            for offset in [0, 3, 4] {
                let to = (order, code_set, offset);
                let outcome = copied(type_code, input.clone(), to);
                prop_assert_eq!(outcome, copied(type_code, walked.clone(), to));
            }
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn both_ways_have_the_same_outcome(
        type_code in types(),
        random in prop::collection::vec(any::<u8>(), 64),
        order in prop::sample::select(ORDERS.to_vec()),
        code_set in prop::sample::select(CODE_SETS.to_vec()),
        offset in 0_usize..9,
        cut in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..3),
    ) {
        let mut out = Encoder::new(order);
        out.set_char_code_set(code_set);
        out.write_bytes(&[0xdd; 9][..offset]);
        write(&type_code, &mut random.iter().copied().cycle(), &mut out);
        // The octets that follow are not read.
        out.write_bytes(&[0xcc; 3]);
        let mut octets = out.into_buffer();
        let checked = |octets: &[u8]| {
            let mut input = Decoder::new(octets, order).with_char_code_set(code_set);
            input.skip(offset).unwrap();
            is_the_same(&type_code, &input)
        };
        checked(&octets)?;
        let end = offset + cut.index(octets.len() - offset);
        checked(&octets[..end])?;
        for (place, octet) in changes {
            let place = offset + place.index(octets.len() - offset);
            octets[place] = octet;
        }
        checked(&octets)?;
    }
}

#[test]
fn a_short_value_obeys_the_limits_of_nesting_and_memory() {
    let type_code = Vec::<u8>::type_code();
    let octets = [0, 0, 0, 2, 1, 2];
    let read = |input: &mut Decoder<'_>| {
        Any::read_value(type_code.clone(), input, &TypeCodeLimits::DEFAULT)
    };
    let input = || Decoder::new(&octets, ByteOrder::Big);
    assert!(read(&mut input()).is_ok());
    let error = read(&mut input().with_nesting_limit(0)).unwrap_err();
    assert!(matches!(
        error.kind(),
        ErrorKind::NestedTooDeeply { limit: 0 }
    ));
    let limit = taut_cdr::MemoryLimit {
        per_octet: 0,
        extra: 5,
    };
    let error = read(&mut input().with_memory_limit(limit)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::TooMuchMemory { .. }));
}
