//! TypeCodes that are made here: questions, comparison, messages.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::HashSet;

use taut_cdr::{ByteOrder, Decode, Decoder, Encode, Encoder, ErrorKind};
use taut_types::{
    CreateError, DefaultLabel, MemberVisibility, TCKind, TypeCode, TypeCodeError, TypeCodeLimits,
    Typed, UnionMember, ValueMember, ValueModifier,
};

fn long() -> TypeCode {
    i32::type_code()
}

fn point(id: &str) -> TypeCode {
    TypeCode::create_struct(id, "Point", &[("x", long()), ("y", long())]).unwrap()
}

fn union(discriminator: &TypeCode, labels: &[Option<i128>]) -> Result<TypeCode, CreateError> {
    let names: Vec<String> = (0..labels.len()).map(|index| format!("m{index}")).collect();
    let members: Vec<_> = labels
        .iter()
        .zip(&names)
        .map(|(&label, name)| UnionMember {
            label,
            name,
            type_code: String::type_code(),
        })
        .collect();
    TypeCode::create_union("IDL:U:1.0", "U", discriminator, &members)
}

/// `struct Node { long value; sequence<Node> children; }`.
fn tree() -> TypeCode {
    let node = TypeCode::create_recursive("IDL:Node:1.0").unwrap();
    let children = TypeCode::create_sequence(&node, 0).unwrap();
    assert!(!children.is_complete());
    TypeCode::create_struct(
        "IDL:Node:1.0",
        "Node",
        &[("value", long()), ("children", children)],
    )
    .unwrap()
}

/// One of each kind that has parameters, and some that nest.
fn samples() -> Vec<TypeCode> {
    let point = point("IDL:Point:1.0");
    let colour = TypeCode::create_enum("IDL:Colour:1.0", "Colour", &["RED", "GREEN"]).unwrap();
    let value = TypeCode::create_value(
        TCKind::Value,
        "IDL:V:1.0",
        "V",
        ValueModifier::None,
        None,
        &[
            ValueMember {
                name: "next",
                type_code: TypeCode::create_recursive("IDL:V:1.0").unwrap(),
                visibility: MemberVisibility::Public,
            },
            ValueMember {
                name: "point",
                type_code: point.clone(),
                visibility: MemberVisibility::Private,
            },
        ],
    )
    .unwrap();
    let event = TypeCode::create_value(
        TCKind::Event,
        "IDL:E:1.0",
        "E",
        ValueModifier::Truncatable,
        Some(&value),
        &[],
    );
    let mut samples: Vec<_> = (0..37)
        .filter_map(|number| TypeCode::primitive(TCKind::from_number(number)?).ok())
        .collect();
    assert_eq!(samples.len(), 18);
    for kind in [
        TCKind::ObjectReference,
        TCKind::Native,
        TCKind::AbstractInterface,
        TCKind::LocalInterface,
        TCKind::Component,
        TCKind::Home,
    ] {
        samples.push(TypeCode::create_named(kind, "IDL:I:1.0", "I").unwrap());
    }
    samples.extend([
        TypeCode::string(0),
        TypeCode::wstring(7),
        TypeCode::create_fixed(31, 4).unwrap(),
        TypeCode::create_sequence(&point, 9).unwrap(),
        <[[f64; 2]; 3]>::type_code(),
        TypeCode::create_struct(
            "IDL:Two:1.0",
            "Two",
            &[("a", point.clone()), ("b", point.clone())],
        )
        .unwrap(),
        TypeCode::create_exception("IDL:X:1.0", "X", &[]).unwrap(),
        TypeCode::create_alias("IDL:A:1.0", "A", &point).unwrap(),
        TypeCode::create_value_box("IDL:B:1.0", "B", &point).unwrap(),
        union(&colour, &[Some(1), Some(0)]).unwrap(),
        union(&i64::type_code(), &[None, Some(-1)]).unwrap(),
        union(&u64::type_code(), &[Some(u64::MAX.into()), None]).unwrap(),
        union(&bool::type_code(), &[Some(1)]).unwrap(),
        union(&u8::type_code(), &[Some(200), None]).unwrap(),
        colour,
        tree(),
        value,
        event.unwrap(),
    ]);
    samples
}

fn encode(type_code: &TypeCode, order: ByteOrder, offset: usize, label: DefaultLabel) -> Vec<u8> {
    let mut out = Encoder::new(order);
    out.write_bytes(&vec![0xaa; offset]);
    type_code.encode_as(&mut out, label).unwrap();
    out.into_buffer()
}

fn decode(octets: &[u8], order: ByteOrder, offset: usize) -> taut_cdr::Result<TypeCode> {
    let mut input = Decoder::new(octets, order);
    input.skip(offset)?;
    let type_code = TypeCode::decode(&mut input)?;
    assert_eq!(input.remaining(), 0);
    Ok(type_code)
}

#[test]
fn every_kind_survives() {
    for type_code in samples() {
        for order in [ByteOrder::Big, ByteOrder::Little] {
            for offset in 0..9 {
                for label in [DefaultLabel::Discriminator, DefaultLabel::Octet] {
                    let octets = encode(&type_code, order, offset, label);
                    let decoded = decode(&octets, order, offset).unwrap();
                    assert_eq!(decoded, type_code);
                    assert!(decoded.equivalent(&type_code));
                    for cut in offset..octets.len() {
                        assert!(decode(&octets[..cut], order, offset).is_err());
                    }
                }
            }
        }
    }
}

#[test]
fn only_the_same_kinds_are_equal() {
    let samples = samples();
    for (at, one) in samples.iter().enumerate() {
        for (other_at, other) in samples.iter().enumerate() {
            assert_eq!(one == other, at == other_at, "{one} and {other}");
        }
    }
}

#[test]
fn equivalence_looks_at_ids_or_else_at_structure() {
    let (a, b) = (point("IDL:A:1.0"), point("IDL:B:1.0"));
    assert!(!a.equivalent(&b));
    let renamed = TypeCode::create_struct("IDL:A:1.0", "Other", &[("z", long())]).unwrap();
    assert!(a.equivalent(&renamed) && a != renamed);
    let alias = TypeCode::create_alias("IDL:T:1.0", "T", &a).unwrap();
    assert!(alias.equivalent(&a) && a.equivalent(&alias) && alias != a);
    let list = |element: &TypeCode, bound| TypeCode::create_sequence(element, bound).unwrap();
    assert!(list(&alias, 0).equivalent(&list(&a, 0)));
    assert!(!list(&a, 0).equivalent(&list(&a, 1)));
    assert!(!list(&a, 0).equivalent(&list(&b, 0)));
    let compact = tree().compact();
    assert!(compact.equivalent(&tree()) && compact != tree());
    assert_eq!((compact.name(), compact.member_name(0)), (Ok(""), Ok("")));
    assert!(tree().equivalent(&tree()) && tree() == tree());
}

#[test]
fn a_recursive_type_leads_to_itself() {
    let tree = tree();
    assert!(tree.is_complete());
    let again = tree.member_type(1).unwrap().content_type().unwrap();
    assert_eq!(again, tree);
    assert_eq!(again.id(), Ok("IDL:Node:1.0"));
    // Seen from its inside it is the same type still.
    let octets = encode(
        &tree.member_type(1).unwrap(),
        ByteOrder::Big,
        0,
        DefaultLabel::default(),
    );
    let children = decode(&octets, ByteOrder::Big, 0).unwrap();
    assert_eq!(children.content_type().unwrap(), tree);
}

#[test]
fn questions_are_answered_or_refused() {
    let big = union(&u64::type_code(), &[Some(u64::MAX.into()), None]).unwrap();
    assert_eq!(big.member_label(0), Ok(Some(u64::MAX.into())));
    assert_eq!(big.member_label(1), Ok(None));
    assert_eq!(big.member_label(2), Err(TypeCodeError::Bounds));
    assert_eq!(big.default_index(), Ok(Some(1)));
    assert_eq!(big.discriminator_type(), Ok(u64::type_code()));
    assert_eq!(long().id(), Err(TypeCodeError::BadKind));
    assert_eq!(long().member_count(), Err(TypeCodeError::BadKind));
    assert_eq!(long().length(), Err(TypeCodeError::BadKind));
    let money = TypeCode::create_fixed(9, 2).unwrap();
    assert_eq!((money.fixed_digits(), money.fixed_scale()), (Ok(9), Ok(2)));
    let samples = samples();
    let event = samples.last().unwrap();
    assert_eq!(event.type_modifier(), Ok(ValueModifier::Truncatable));
    let base = event.concrete_base_type().unwrap().unwrap();
    assert_eq!(base.member_visibility(0), Ok(MemberVisibility::Public));
    assert_eq!(base.member_visibility(1), Ok(MemberVisibility::Private));
    assert_eq!(base.member_visibility(2), Err(TypeCodeError::Bounds));
    assert_eq!(base.concrete_base_type(), Ok(None));
    assert_eq!(base.member_type(0).unwrap(), base);
}

#[test]
fn what_is_no_type_is_refused() {
    let make = |id, name, members: &[(&str, TypeCode)]| TypeCode::create_struct(id, name, members);
    let exception = TypeCode::create_exception("IDL:X:1.0", "X", &[]).unwrap();
    let itself = TypeCode::create_recursive("IDL:S:1.0").unwrap();
    let boolean = bool::type_code();
    let mut deep = long();
    while let Ok(deeper) = TypeCode::create_array(&deep, 1) {
        deep = deeper;
    }
    let wide: Vec<_> = (0..5000).map(|index| format!("m{index}")).collect();
    let wide: Vec<_> = wide.iter().map(|name| &**name).collect();
    let cases = [
        (make("", "S", &[]), CreateError::InvalidId),
        (make("S", "S", &[]), CreateError::InvalidId),
        (make("IDL:S:1.0", "1S", &[]), CreateError::InvalidName),
        (
            make("IDL:S:1.0", "S", &[("a b", long())]),
            CreateError::InvalidName,
        ),
        (
            make("IDL:S:1.0", "S", &[("a", long()), ("A", long())]),
            CreateError::DuplicateMember,
        ),
        (
            make("IDL:S:1.0", "S", &[("a", exception)]),
            CreateError::InvalidMemberType,
        ),
        (
            make("IDL:S:1.0", "S", &[("a", TypeCode::null())]),
            CreateError::InvalidMemberType,
        ),
        (
            make("IDL:S:1.0", "S", &[("a", itself)]),
            CreateError::Recursion,
        ),
        (union(&boolean, &[Some(2)]), CreateError::InvalidLabel),
        (
            union(&boolean, &[Some(1), Some(1)]),
            CreateError::DuplicateLabel,
        ),
        (union(&boolean, &[None, None]), CreateError::DuplicateLabel),
        (
            union(&f32::type_code(), &[]),
            CreateError::InvalidDiscriminator,
        ),
        (TypeCode::create_fixed(32, 0), CreateError::InvalidFixed),
        (TypeCode::create_fixed(3, 4), CreateError::InvalidFixed),
        (TypeCode::create_array(&long(), 0), CreateError::EmptyArray),
        (TypeCode::create_array(&deep, 1), CreateError::TooLarge),
        (
            TypeCode::create_enum("IDL:E:1.0", "E", &wide),
            CreateError::TooLarge,
        ),
    ];
    for (created, expected) in cases {
        assert_eq!(created, Err(expected));
    }
    let incomplete = TypeCode::create_recursive("IDL:S:1.0").unwrap();
    let mut out = Encoder::new(ByteOrder::Big);
    assert!(incomplete.encode(&mut out).is_err());
}

#[test]
fn jacorb_s_label_of_a_default_case_is_one_octet() {
    let type_code = union(&i64::type_code(), &[None]).unwrap();
    let ours = encode(&type_code, ByteOrder::Big, 0, DefaultLabel::Discriminator);
    let jacorb = encode(&type_code, ByteOrder::Big, 0, DefaultLabel::Octet);
    // Kind, length; byte order, id, name, discriminator, default index, count.
    let label = 8 + 4 + (4 + 12) + (4 + 4) + 4 + 4 + 4;
    assert_eq!(&ours[label - 4..label], [0, 0, 0, 1]);
    // Eight octets, or one and padding up to the name.
    assert_eq!(ours.len() - jacorb.len(), 4);
    assert_eq!(&jacorb[label + 4..label + 11], [0, 0, 0, 3, b'm', b'0', 0]);
}

#[test]
fn limits_are_settings() {
    let octets = encode(&tree(), ByteOrder::Big, 0, DefaultLabel::default());
    let read = |limits: TypeCodeLimits| {
        TypeCode::decode_within(&mut Decoder::new(&octets, ByteOrder::Big), &limits)
            .map(drop)
            .map_err(|error| error.kind())
    };
    let limits = TypeCodeLimits {
        nesting: 2,
        nodes: 3,
        indirections: 1,
    };
    assert_eq!(read(limits), Ok(()));
    assert_eq!(
        read(TypeCodeLimits {
            nesting: 1,
            ..limits
        }),
        Err(ErrorKind::NestedTooDeeply { limit: 1 })
    );
    let (length, bound) = (3, 2);
    assert_eq!(
        read(TypeCodeLimits { nodes: 2, ..limits }),
        Err(ErrorKind::BoundExceeded { length, bound })
    );
    let (length, bound) = (1, 0);
    assert_eq!(
        read(TypeCodeLimits {
            indirections: 0,
            ..limits
        }),
        Err(ErrorKind::BoundExceeded { length, bound })
    );
}

#[test]
fn indirections_lead_to_types_that_began_earlier() {
    let octets = encode(&tree(), ByteOrder::Big, 0, DefaultLabel::default());
    let at = octets
        .windows(4)
        .position(|four| four == [0xff; 4])
        .unwrap()
        + 4;
    let right = i32::from_be_bytes(octets[at..at + 4].try_into().unwrap());
    assert_eq!(right, -(at as i32));
    for offset in [
        right - 4,
        right + 4,
        right + 8,
        -4,
        0,
        4,
        i32::MIN,
        i32::MAX,
    ] {
        let mut wrong = octets.clone();
        wrong[at..at + 4].copy_from_slice(&offset.to_be_bytes());
        assert!(decode(&wrong, ByteOrder::Big, 0).is_err(), "{offset}");
    }
    // Of types that recur without end one says so.
    let alias = TypeCode::create_alias("IDL:A:1.0", "A", &tree()).unwrap();
    let mut wrong = encode(&alias, ByteOrder::Big, 0, DefaultLabel::default());
    let original = 8 + 4 + (4 + 10 + 2) + (4 + 2 + 2);
    assert_eq!(&wrong[original..original + 4], [0, 0, 0, 15]);
    wrong[original..original + 4].fill(0xff);
    let offset = -(original as i32 + 4);
    wrong[original + 4..original + 8].copy_from_slice(&offset.to_be_bytes());
    let error = decode(&wrong, ByteOrder::Big, 0).unwrap_err();
    assert!(error.to_string().contains("contains itself"), "{error}");
}

#[test]
fn equal_type_codes_have_equal_hashes() {
    let samples: HashSet<TypeCode> = samples().into_iter().collect();
    for sample in &samples {
        // A TypeCode that was read has its parts in another order than one that was made.
        let mut out = Encoder::new(ByteOrder::Big);
        sample.encode(&mut out).unwrap();
        let read = TypeCode::decode(&mut Decoder::new(out.as_bytes(), ByteOrder::Big)).unwrap();
        assert!(samples.contains(&read), "{sample}");
    }
    assert!(!samples.contains(&point("IDL:Elsewhere:1.0")));
    assert_eq!(TypeCode::default(), TypeCode::null());
}
