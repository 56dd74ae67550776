//! Random values of random types, which are the same again.

use proptest::prelude::*;
use taut_cdr::{ByteOrder, Decoder, Encoder, LongDouble};
use taut_json::{from_json, to_json};
use taut_types::dynamic::{Elements, UnionValue, Value, read, write};
use taut_types::{TCKind, TypeCode, UnionMember};

use super::{primitive, sequence};

type Typed = (TypeCode, Value);

fn number() -> BoxedStrategy<Typed> {
    let of = |kind| move |value| (primitive(kind), value);
    prop_oneof![
        any::<bool>()
            .prop_map(Value::Boolean)
            .prop_map(of(TCKind::Boolean)),
        any::<u8>()
            .prop_map(Value::Octet)
            .prop_map(of(TCKind::Octet)),
        any::<u8>().prop_map(Value::Char).prop_map(of(TCKind::Char)),
        any::<u16>()
            .prop_map(Value::WChar)
            .prop_map(of(TCKind::WChar)),
        any::<i16>()
            .prop_map(Value::Short)
            .prop_map(of(TCKind::Short)),
        any::<u16>()
            .prop_map(Value::UShort)
            .prop_map(of(TCKind::UShort)),
        any::<i32>()
            .prop_map(Value::Long)
            .prop_map(of(TCKind::Long)),
        any::<u32>()
            .prop_map(Value::ULong)
            .prop_map(of(TCKind::ULong)),
        any::<i64>()
            .prop_map(Value::LongLong)
            .prop_map(of(TCKind::LongLong)),
        any::<u64>()
            .prop_map(Value::ULongLong)
            .prop_map(of(TCKind::ULongLong)),
        any::<f32>()
            .prop_map(Value::Float)
            .prop_map(of(TCKind::Float)),
        any::<f64>()
            .prop_map(Value::Double)
            .prop_map(of(TCKind::Double)),
        any::<u128>()
            .prop_map(|bits| Value::LongDouble(LongDouble::from_bits(bits)))
            .prop_map(of(TCKind::LongDouble)),
    ]
    .boxed()
}

fn leaf() -> BoxedStrategy<Typed> {
    prop_oneof![
        3 => number(),
        1 => "[a-z€]{0,5}".prop_map(|text| (TypeCode::wstring(0), Value::WString(text))),
        1 => "[a-zé]{0,5}".prop_map(|text| (TypeCode::string(0), Value::String(text))),
        1 => (-99_999_i128..=99_999).prop_map(|unscaled| {
            (TypeCode::create_fixed(5, 2).unwrap(), Value::Fixed(unscaled))
        }),
        1 => (0_u32..3).prop_map(|ordinal| {
            let names = ["A", "B", "C"];
            (TypeCode::create_enum("IDL:E:1.0", "E", &names).unwrap(), Value::Enum(ordinal))
        }),
        1 => prop::collection::vec(any::<u8>(), 0..9).prop_map(|octets| {
            let value = Value::Elements(Elements::Octets(octets));
            (sequence(&primitive(TCKind::Octet)), value)
        }),
        1 => prop::collection::vec(any::<f64>(), 0..5).prop_map(|items| {
            let value = Value::Elements(Elements::Doubles(items));
            (sequence(&primitive(TCKind::Double)), value)
        }),
    ]
    .boxed()
}

fn structure(members: Vec<Typed>) -> Typed {
    let names = ["a", "b", "c", "d"];
    let named: Vec<_> = names
        .into_iter()
        .zip(members.iter().map(|one| one.0.clone()))
        .collect();
    let type_code = TypeCode::create_struct("IDL:S:1.0", "S", &named).unwrap();
    (
        type_code,
        Value::Members(members.into_iter().map(|one| one.1).collect()),
    )
}

fn typed() -> impl Strategy<Value = Typed> {
    leaf().prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(structure),
            inner
                .clone()
                .prop_map(|held| { (primitive(TCKind::Any), Value::Any(Box::new(held))) }),
            // The elements of a list are of one type.
            (inner.clone(), 0_usize..3).prop_map(|((type_code, value), count)| {
                let in_struct = structure(vec![(type_code, value)]);
                let items = vec![in_struct.1; count];
                (sequence(&in_struct.0), Value::elements(&in_struct.0, items))
            }),
            (inner, any::<bool>()).prop_map(|((type_code, value), is_there)| {
                let member = UnionMember {
                    label: Some(1),
                    name: "m",
                    type_code,
                };
                let label = primitive(TCKind::Boolean);
                let union = TypeCode::create_union("IDL:U:1.0", "U", &label, &[member]);
                let member = is_there.then_some(value);
                let value = UnionValue {
                    label: is_there.into(),
                    member,
                };
                (union.unwrap(), Value::Union(Box::new(value)))
            }),
        ]
    })
}

proptest! {
    #[test]
    fn values_are_the_same_again((type_code, value) in typed()) {
        let json = to_json(&type_code, &value).unwrap();
        let text = serde_json::to_string(&json).unwrap();
        let again = from_json(&type_code, &serde_json::from_str(&text).unwrap());
        prop_assert_eq!(&again.unwrap(), &value, "{}", text);
    }

    #[test]
    fn octets_are_the_same_again((type_code, value) in typed(), is_little: bool) {
        let order = if is_little { ByteOrder::Little } else { ByteOrder::Big };
        let mut out = Encoder::new(order);
        write(&type_code, &value, &mut out).unwrap();
        let mut input = Decoder::new(out.as_bytes(), order);
        prop_assert_eq!(&read(&type_code, &mut input).unwrap(), &value);
        prop_assert_eq!(input.remaining(), 0);
    }

    #[test]
    fn any_json_is_a_value_or_an_error((type_code, _) in typed(), text in "[\\[\\]{}\",:a-d0-9$.-]{0,40}") {
        if let Ok(json) = serde_json::from_str(&text) {
            let _ = from_json(&type_code, &json);
        }
    }
}
