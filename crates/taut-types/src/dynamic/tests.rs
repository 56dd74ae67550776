use taut_cdr::{ByteOrder, Char, Decoder, Encode, Encoder, Fixed, LongDouble, MemoryLimit, WChar};

use super::*;
use crate::tree::{Tree, TreeReader};
use crate::{TCKind, UnionMember};

fn primitive(kind: TCKind) -> TypeCode {
    TypeCode::primitive(kind).unwrap()
}

fn sequence(element: &TypeCode) -> TypeCode {
    TypeCode::create_sequence(element, 0).unwrap()
}

/// The value that octets are read as; they are written as they were, in both byte orders.
fn round_trip(type_code: &TypeCode, encode: impl Fn(&mut Encoder)) -> Value {
    let read_in = |order| {
        let mut octets = Encoder::new(order);
        encode(&mut octets);
        let mut input = Decoder::new(octets.as_bytes(), order);
        let value = read(type_code, &mut input).unwrap();
        assert_eq!(input.remaining(), 0, "{type_code}");
        let mut again = Encoder::new(order);
        write(type_code, &value, &mut again).unwrap();
        assert_eq!(again.as_bytes(), octets.as_bytes(), "{type_code}");
        value
    };
    let big = read_in(ByteOrder::Big);
    assert_eq!(big, read_in(ByteOrder::Little), "{type_code}");
    big
}

type Write = fn(&mut Encoder);

#[test]
fn primitives_are_what_they_were() {
    let cases: [(TCKind, Write, Value); 16] = [
        (TCKind::Void, |_| (), Value::Nothing),
        (TCKind::Boolean, |out| out.write(1_u8), Value::Boolean(true)),
        (TCKind::Octet, |out| out.write(200_u8), Value::Octet(200)),
        (
            TCKind::Char,
            |out| Char(b'x').encode(out).unwrap(),
            Value::Char(b'x'),
        ),
        (
            TCKind::WChar,
            |out| out.write_wchar(WChar(0x20ac)).unwrap(),
            Value::WChar(0x20ac),
        ),
        (
            TCKind::Short,
            |out| out.write(i16::MIN),
            Value::Short(i16::MIN),
        ),
        (
            TCKind::UShort,
            |out| out.write(u16::MAX),
            Value::UShort(u16::MAX),
        ),
        (
            TCKind::Long,
            |out| out.write(i32::MIN),
            Value::Long(i32::MIN),
        ),
        (
            TCKind::ULong,
            |out| out.write(u32::MAX),
            Value::ULong(u32::MAX),
        ),
        (
            TCKind::LongLong,
            |out| out.write(i64::MIN),
            Value::LongLong(i64::MIN),
        ),
        (
            TCKind::ULongLong,
            |out| out.write(u64::MAX),
            Value::ULongLong(u64::MAX),
        ),
        (TCKind::Float, |out| out.write(1.5_f32), Value::Float(1.5)),
        (
            TCKind::Double,
            |out| out.write(-0.1_f64),
            Value::Double(-0.1),
        ),
        (
            TCKind::LongDouble,
            |out| out.write(LongDouble::from_f64(0.1)),
            Value::LongDouble(LongDouble::from_f64(0.1)),
        ),
        (
            TCKind::TypeCode,
            |out| TypeCode::string(7).encode(out).unwrap(),
            Value::TypeCode(TypeCode::string(7)),
        ),
        (
            TCKind::Any,
            |out| Any::new(&7_i16).unwrap().encode(out).unwrap(),
            Value::Any(Box::new((primitive(TCKind::Short), Value::Short(7)))),
        ),
    ];
    for (kind, encode, expected) in cases {
        assert_eq!(round_trip(&primitive(kind), encode), expected, "{kind}");
    }
}

#[test]
fn texts_decimals_and_references_are_what_they_were() {
    let text = |out: &mut Encoder| out.write_string("h\u{e9}").unwrap();
    // Narrow characters are Latin-1 where nothing else was agreed on.
    assert_eq!(
        round_trip(&TypeCode::string(2), text),
        Value::String("h\u{e9}".into())
    );
    let wide = |out: &mut Encoder| out.write_wstring("\u{20ac}1").unwrap();
    assert_eq!(
        round_trip(&TypeCode::wstring(0), wide),
        Value::WString("\u{20ac}1".into())
    );
    let price = Fixed::<5, 2>::from_unscaled(-12_345).unwrap();
    let fixed = TypeCode::create_fixed(5, 2).unwrap();
    let value = round_trip(&fixed, |out| price.encode(out).unwrap());
    assert_eq!(value, Value::Fixed(-12_345));
    let object = TypeCode::create_interface("IDL:A:1.0", "A").unwrap();
    let nil = Ior::default();
    let value = round_trip(&object, |out| nil.encode(out).unwrap());
    assert_eq!(value, Value::Reference(nil));
}

#[test]
fn constructed_types_are_what_they_were() {
    let color = TypeCode::create_enum("IDL:C:1.0", "C", &["RED", "BLUE"]).unwrap();
    let points = sequence(&primitive(TCKind::Double));
    let names = sequence(&TypeCode::string(0));
    let grid = TypeCode::create_array(&primitive(TCKind::Short), 3).unwrap();
    let members = [
        ("color", color.clone()),
        ("points", points),
        ("names", names),
        ("grid", grid),
    ];
    let shape = TypeCode::create_struct("IDL:S:1.0", "S", &members).unwrap();
    let alias = TypeCode::create_alias("IDL:T:1.0", "T", &shape).unwrap();
    let value = round_trip(&alias, |out| {
        out.write(1_u32);
        out.write(2_u32);
        out.write(0.5_f64);
        out.write(0.25_f64);
        out.write(1_u32);
        out.write_string("a").unwrap();
        out.write_elements(&[1_i16, 2, 3]);
    });
    let expected = Value::Members(vec![
        Value::Enum(1),
        Value::Elements(Elements::Doubles(vec![0.5, 0.25])),
        Value::List(vec![Value::String("a".into())]),
        Value::Elements(Elements::Shorts(vec![1, 2, 3])),
    ]);
    assert_eq!(value, expected);

    let cases = [
        UnionMember {
            label: Some(0),
            name: "red",
            type_code: primitive(TCKind::Octet),
        },
        UnionMember {
            label: None,
            name: "other",
            type_code: TypeCode::string(0),
        },
    ];
    let union = TypeCode::create_union("IDL:U:1.0", "U", &color, &cases).unwrap();
    let value = round_trip(&union, |out| {
        out.write(1_u32);
        out.write_string("b").unwrap();
    });
    let member = Some(Value::String("b".into()));
    assert_eq!(
        value,
        Value::Union(Box::new(UnionValue { label: 1, member }))
    );

    let failed = TypeCode::create_exception("IDL:F:1.0", "F", &[("why", primitive(TCKind::Long))]);
    let value = round_trip(&failed.unwrap(), |out| {
        out.write_string("IDL:F:1.0").unwrap();
        out.write(7_i32);
    });
    assert_eq!(value, Value::Members(vec![Value::Long(7)]));
}

#[test]
fn an_exception_without_its_id_is_read_as_omniorb_sends_it_in_anys() {
    let members = [("why", primitive(TCKind::Long))];
    let failed = TypeCode::create_exception("IDL:F:1.0", "F", &members).unwrap();
    let mut octets = Encoder::new(ByteOrder::Little);
    octets.write(7_i32);
    let read_by = |read: &dyn Fn(&mut Decoder<'_>)| {
        let mut input = Decoder::new(octets.as_bytes(), ByteOrder::Little);
        read(&mut input);
        assert_eq!(input.remaining(), 0);
    };
    read_by(&|input| {
        let value = read(&failed, input).unwrap();
        assert_eq!(value, Value::Members(vec![Value::Long(7)]));
    });
    read_by(&|input| {
        let tree = TreeReader::new(9).read(&failed, input).unwrap();
        let why = ("why".to_owned(), Tree::Signed(7));
        assert_eq!(tree, Tree::Members(vec![why]));
    });
}

/// A struct that contains a sequence of itself.
fn tree() -> TypeCode {
    let inner = TypeCode::create_recursive("IDL:N:1.0").unwrap();
    TypeCode::create_struct("IDL:N:1.0", "N", &[("children", sequence(&inner))]).unwrap()
}

#[test]
fn recursive_types_end_with_their_values_and_at_a_limit() {
    let tree = tree();
    let value = round_trip(&tree, |out| {
        out.write(2_u32);
        out.write(0_u32);
        out.write(0_u32);
    });
    let leaf = || Value::Members(vec![Value::List(Vec::new())]);
    assert_eq!(
        value,
        Value::Members(vec![Value::List(vec![leaf(), leaf()])])
    );

    // Each says that there is one more below it.
    let deep: Vec<u8> = [1, 0, 0, 0].repeat(100_000);
    let mut input = Decoder::new(&deep, ByteOrder::Little);
    let error = read(&tree, &mut input).unwrap_err();
    assert!(error.to_string().contains("nest"), "{error}");
    let mut deep = leaf();
    for _ in 0..1_000 {
        deep = Value::Members(vec![Value::List(vec![deep])]);
    }
    let error = write(&tree, &deep, &mut Encoder::new(ByteOrder::Big)).unwrap_err();
    assert!(error.to_string().contains("nested more deeply"), "{error}");
}

#[test]
fn lying_counts_cost_no_memory() {
    let lists = [
        sequence(&primitive(TCKind::Double)),
        sequence(&TypeCode::string(0)),
        sequence(&tree()),
        sequence(&TypeCode::create_struct("IDL:E:1.0", "E", &[]).unwrap()),
    ];
    for type_code in lists {
        let mut input = Decoder::new(&[0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0], ByteOrder::Little);
        assert!(read(&type_code, &mut input).is_err(), "{type_code}");
    }
    // Small values that take much memory are charged for it.
    let flags = sequence(&primitive(TCKind::Boolean));
    let mut octets = Encoder::new(ByteOrder::Little);
    octets.write(100_000_u32);
    octets.write_bytes(&[1; 100_000]);
    let limit = MemoryLimit {
        per_octet: 8,
        extra: 1_000,
    };
    let mut input = Decoder::new(octets.as_bytes(), ByteOrder::Little).with_memory_limit(limit);
    let error = read(&flags, &mut input).unwrap_err();
    assert!(error.to_string().contains("memory"), "{error}");
}

#[test]
fn each_misfit_is_named_with_its_place() {
    let inner = TypeCode::create_struct("IDL:P:1.0", "Point", &[("x", primitive(TCKind::Long))]);
    let points = sequence(&inner.unwrap());
    let color = TypeCode::create_enum("IDL:C:1.0", "Color", &["RED"]).unwrap();
    let members = [("points", points), ("color", color.clone())];
    let outer = TypeCode::create_struct("IDL:O:1.0", "O", &members).unwrap();
    let case = |label, name| UnionMember {
        label,
        name,
        type_code: primitive(TCKind::Octet),
    };
    let discriminator = primitive(TCKind::Boolean);
    let union =
        TypeCode::create_union("IDL:U:1.0", "U", &discriminator, &[case(Some(1), "a")]).unwrap();
    let point = |x| Value::Members(vec![x]);
    let of = |x| {
        Value::Members(vec![
            Value::List(vec![point(Value::Long(1)), point(x)]),
            Value::Enum(0),
        ])
    };
    let union_of = |label, member| Value::Union(Box::new(UnionValue { label, member }));
    let bounded = TypeCode::create_sequence(&primitive(TCKind::Short), 2).unwrap();
    let three = Value::Elements(Elements::Shorts(vec![1, 2, 3]));
    let array = TypeCode::create_array(&primitive(TCKind::Octet), 3).unwrap();
    let two = Value::Elements(Elements::Octets(vec![1, 2]));
    let price = TypeCode::create_fixed(3, 1).unwrap();
    for (type_code, value, message) in [
        (
            &outer,
            of(Value::Short(1)),
            "points[1].x: expected long, found a short",
        ),
        (
            &outer,
            Value::Members(vec![]),
            "0 elements, where the type has 2",
        ),
        (&color, Value::Enum(1), "1 is beyond the range of Color"),
        (&bounded, three, "3 elements, where the type has 2"),
        (&array, two, "2 elements, where the type has 3"),
        (
            &union,
            union_of(0, Some(Value::Octet(1))),
            "the discriminator 0 does not go with the member",
        ),
        (
            &union,
            union_of(1, None),
            "the discriminator 1 does not go with the member",
        ),
        (
            &union,
            union_of(2, None),
            "2 is beyond the range of boolean",
        ),
        (
            &price,
            Value::Fixed(1_000),
            "1000 is beyond the range of fixed<3, 1>",
        ),
        (
            &TypeCode::string(2),
            Value::String("abc".into()),
            "3 elements, where the type has 2",
        ),
    ] {
        let error = write(type_code, &value, &mut Encoder::new(ByteOrder::Big)).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn elements_are_looked_up_and_appended_by_their_type() {
    let mut elements = Elements::empty(TCKind::ULong).unwrap();
    assert!(elements.is_empty());
    assert!(elements.push(&Value::ULong(7)));
    assert!(!elements.push(&Value::Long(7)));
    assert_eq!(elements.get(0), Some(Value::ULong(7)));
    assert_eq!(elements.get(1), None);
    assert_eq!((elements.len(), elements.kind()), (1, TCKind::ULong));
    assert_eq!(Elements::empty(TCKind::Boolean), None);
}
