//! Octets that are no values.

use taut_cdr::{ByteOrder, Decode, ErrorKind};
use taut_types::value::Value;

use super::types::{Node, Text};
use super::{decode, decoder, encode, node};

fn longs(numbers: &[u32]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| number.to_be_bytes())
        .collect()
}

fn refused(numbers: &[u32]) -> ErrorKind {
    let octets = longs(numbers);
    decode::<Option<Value<Node>>>(&octets, ByteOrder::Big, 0)
        .unwrap_err()
        .kind()
}

const BACK: u32 = 0xffff_ffff;

fn back(octets: i32) -> u32 {
    (-octets) as u32
}

#[test]
fn what_breaks_a_rule_is_refused_by_it() {
    let invalid = |numbers: &[u32], text: &str| match refused(numbers) {
        ErrorKind::Invalid(rule) => assert!(rule.contains(text), "{rule}, not {text}"),
        other => panic!("{other}, not {text}"),
    };
    // Tags.
    invalid(&[1, 0], "no such tag");
    invalid(&[0x7fff_ff04, 0], "no such tag");
    invalid(&[0x7fff_ff10, 0], "no such tag");
    invalid(&[0x8000_0000, 0], "no such tag");
    invalid(&[0x7fff_ff06, 0], "empty list");
    // Indirections.
    invalid(&[BACK, 0], "does not lead back");
    invalid(&[BACK, back(4)], "does not lead back");
    invalid(&[BACK, 8, 0, 0], "does not lead back");
    invalid(&[BACK, back(1000)], "does not lead back");
    invalid(&[BACK, 0x8000_0000], "does not lead back");
    invalid(&[0x7fff_ff00, 7, BACK, back(8), 0], "leads to no value");
    invalid(
        &[0x7fff_ff02, BACK, back(8), 0],
        "leads to no repository id",
    );
    invalid(&[0x7fff_ff06, BACK, back(8), 0], "leads to no list");
    // Chunks.
    invalid(&[0x7fff_ff08, 4, 7, 0x7fff_ff00, 8, 0, 0], "not chunked");
    // A value in the middle of a chunk, which ends before it does, or has no such tag.
    invalid(
        &[0x7fff_ff08, 8, 7, 0x7fff_ff00, 8, 0, 0, back(1)],
        "in the middle of a value",
    );
    invalid(
        &[0x7fff_ff08, 8, 7, 0x7fff_ff08, 12, 8, 0, 0, back(1), 0],
        "in the middle of a value",
    );
    invalid(&[0x7fff_ff08, 12, 7, 5, 0, back(1)], "no such tag");
    invalid(
        &[0x7fff_ff08, 6, 7, 0, 0, back(1)],
        "in the middle of a value",
    );
    invalid(&[0x7fff_ff08, 4, 7, back(1)], "less state");
    invalid(&[0x7fff_ff08, 4, 7, 4, 0, back(1)], "less state");
    invalid(&[0x7fff_ff08, 16, 7, 0, 0, 0, back(1)], "more state");
    invalid(&[0x7fff_ff08, 12, 7, 0, 0, 4, 1, back(1)], "more state");
    invalid(&[0x7fff_ff08, 12, 7, 0, 0, back(100)], "ends no value");
    invalid(&[0x7fff_ff08, 12, 7, 0, 0, back(2), 4, 0], "more state");
    assert!(matches!(
        refused(&[0x7fff_ff08, 12, 7, 0, 0, back(2), back(3)]),
        ErrorKind::Truncated { .. }
    ));
    // A value that ended with the one in it.
    invalid(
        &[0x7fff_ff08, 4, 7, 0x7fff_ff08, 12, 8, 0, 0, back(1), 0],
        "less state",
    );
    assert!(matches!(
        refused(&[0x7fff_ff08, 0x7fff_feff, 7]),
        ErrorKind::LengthBeyondMessage { .. }
    ));
    assert!(matches!(
        refused(&[0x7fff_ff06, 0x7fff_ffff, 7]),
        ErrorKind::LengthBeyondMessage { .. }
    ));
}

#[test]
fn lists_of_types_and_ids_have_a_limit() {
    let mut octets = longs(&[0x7fff_ff0e, 65]);
    (0..65).for_each(|_| octets.extend(longs(&[1, 0])));
    octets.extend([0; 64]);
    let limited = |octets: &[u8]| {
        let refused = decode::<Option<Value<Node>>>(octets, ByteOrder::Big, 0).unwrap_err();
        assert!(
            matches!(refused.kind(), ErrorKind::BoundExceeded { .. }),
            "{refused}"
        );
    };
    limited(&octets);
    let mut octets = longs(&[0x7fff_ff02, 2050]);
    octets.extend([b'x'; 2049]);
    octets.extend([0; 64]);
    limited(&octets);
}

#[test]
fn a_value_inside_itself_is_refused_unless_it_is_allowed() {
    let octets = longs(&[0x7fff_ff00, 7, BACK, back(12), 0]);
    assert_eq!(
        refused(&[0x7fff_ff00, 7, BACK, back(12), 0]),
        ErrorKind::CyclicValue
    );
    let mut input = decoder(&octets, ByteOrder::Big).with_cyclic_values(true);
    let circle = Option::<Value<Node>>::decode(&mut input).unwrap().unwrap();
    assert!(circle.left.as_ref().unwrap().ptr_eq(&circle));
    // Comparing, showing and writing it end.
    let mut input = decoder(&octets, ByteOrder::Big).with_cyclic_values(true);
    let other = Option::<Value<Node>>::decode(&mut input).unwrap().unwrap();
    assert_eq!(circle, other);
    assert!(format!("{circle:?}").contains("as above"));
    let again = encode(&Some(circle), ByteOrder::Little, 0);
    let mut input = decoder(&again, ByteOrder::Little).with_cyclic_values(true);
    assert_eq!(Option::<Value<Node>>::decode(&mut input), Ok(Some(other)));
}

#[test]
fn a_value_of_another_type_is_refused() {
    let text = Some(Value::new(Text("text".to_owned())));
    let octets = encode(&text, ByteOrder::Big, 0);
    assert!(decode::<Option<Value<Node>>>(&octets, ByteOrder::Big, 0).is_err());
    // By way of an indirection, too.
    let mut out = taut_cdr::Encoder::new(ByteOrder::Big);
    let shared = node(1, None, None);
    let encode: fn(&Option<Value<Node>>, &mut _) -> _ = taut_cdr::Encode::encode;
    encode(&Some(shared.clone()), &mut out).unwrap();
    encode(&Some(shared), &mut out).unwrap();
    let octets = out.into_buffer();
    let mut input = decoder(&octets, ByteOrder::Big);
    Option::<Value<Node>>::decode(&mut input).unwrap();
    let refused = Option::<Value<Text>>::decode(&mut input).unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::Invalid(rule) if rule.contains("not of the type")));
}

#[test]
fn random_octets_end_in_an_answer() {
    // A linear congruential generator, so that a fault can be found again.
    let mut state = 1_u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as u32
    };
    let words = [
        0,
        1,
        4,
        8,
        12,
        BACK,
        0x7fff_ff00,
        0x7fff_ff02,
        0x7fff_ff08,
        0x7fff_ff0a,
    ];
    for _ in 0..200_000 {
        let count = next() % 24;
        let numbers: Vec<u32> = (0..count)
            .map(|_| match next() % 12 {
                10 => back((next() % 64) as i32),
                11 => next(),
                word => words[word as usize],
            })
            .collect();
        let octets = longs(&numbers);
        for cyclic in [false, true] {
            let mut input = decoder(&octets, ByteOrder::Big).with_cyclic_values(cyclic);
            let _ = Vec::<Option<Value<Node>>>::decode(&mut input);
        }
    }
}

/// The properties that the fuzz target `any` asks for hold for every Any with one octet
/// wrong.
#[test]
fn anys_with_a_wrong_octet_are_refused_or_travel() {
    use taut_types::{Any, Typed, engine};
    let anys = [
        Any::new(&Some(node(1, Some(node(2, None, None)), None))).unwrap(),
        Any::new(&super::anys::graph()).unwrap(),
    ];
    for any in anys {
        let sound = encode(&any, ByteOrder::Big, 0);
        let mut travelled = 0;
        for at in 0..sound.len() {
            for wrong in [0, 1, 4, 8, 0x0a, 0x0e, 0x7f, 0xfc, 0xfe, 0xff] {
                let mut octets = sound.clone();
                octets[at] = wrong;
                let mut input = decoder(&octets, ByteOrder::Big);
                let mut skipping = input.clone();
                let decoded = Any::decode(&mut input);
                let skipped = engine::skip(&<Any as Typed>::type_code(), &mut skipping);
                let Ok(any) = decoded else {
                    assert!(skipped.is_err(), "{at}: {wrong}");
                    continue;
                };
                assert_eq!(input.position(), skipping.position());
                assert!(!format!("{any:?}").is_empty());
                let again = encode(&any, ByteOrder::Little, 0);
                let mut input = decoder(&again, ByteOrder::Little);
                assert_eq!(Any::decode(&mut input).as_ref(), Ok(&any), "{at}: {wrong}");
                assert_eq!(input.remaining(), 0);
                travelled += 1;
            }
        }
        assert!(travelled > 0);
    }
}
