//! Values of value types as data.

use taut_cdr::{ByteOrder, CharCodeSet, Decode, Encode, Encoder, MemoryLimit};
use taut_types::dynamic::{State, Value as Data, read, read_noting_truncation, write};
use taut_types::value::{Value, register};
use taut_types::{Any, MemberVisibility, TCKind, TypeCode, Typed, ValueMember, ValueModifier};

use super::omniorb_vectors::octets as vector;
use super::types::{Blob, Labelled, Node, Strict, Text};
use super::wire::octets;
use super::{ORDERS, decoder, encode, node};

fn written(type_code: &TypeCode, value: &Data, order: ByteOrder) -> Result<Vec<u8>, String> {
    let mut out = Encoder::new(order);
    out.set_char_code_set(CharCodeSet::Utf8);
    let outcome = write(type_code, value, &mut out);
    outcome.map_err(|error| error.to_string())?;
    Ok(out.into_buffer())
}

fn read_all(type_code: &TypeCode, octets: &[u8], order: ByteOrder) -> taut_cdr::Result<Data> {
    let mut input = decoder(octets, order);
    let value = read(type_code, &mut input)?;
    assert_eq!(input.remaining(), 0, "octets are left over");
    Ok(value)
}

/// A static value as data, which has the same octets again.
fn as_data<T: Encode>(type_code: &TypeCode, value: &T) -> Data {
    let [big, little] = ORDERS.map(|order| {
        let octets = encode(value, order, 0);
        let data = read_all(type_code, &octets, order).unwrap();
        assert_eq!(written(type_code, &data, order), Ok(octets));
        data
    });
    assert_eq!(big, little);
    big
}

fn state(type_code: TypeCode, label: Option<u32>, members: Vec<Data>) -> Data {
    Data::State(Box::new(State {
        type_code,
        label,
        members,
    }))
}

fn leaf(id: i32, label: Option<u32>) -> Data {
    let members = vec![Data::Long(id), Data::Null, Data::Null];
    state(Node::type_code(), label, members)
}

#[test]
fn members_are_data_and_shared_values_have_labels() {
    let node_type = Node::type_code();
    assert_eq!(as_data(&node_type, &None::<Value<Node>>), Data::Null);
    let shared = node(3, None, None);
    let root = Some(node(1, Some(shared.clone()), Some(shared.clone())));
    let members = vec![Data::Long(1), leaf(3, Some(1)), Data::Indirection(1)];
    let expected = state(node_type.clone(), None, members);
    assert_eq!(as_data(&node_type, &root), expected);

    // Nothing leads to the first, so that the second has the first label.
    let list = TypeCode::create_sequence(&node_type, 0).unwrap();
    let value = vec![
        Some(node(7, None, None)),
        Some(shared.clone()),
        Some(shared),
    ];
    let items = vec![leaf(7, None), leaf(3, Some(1)), Data::Indirection(1)];
    assert_eq!(as_data(&list, &value), Data::List(items));

    let text = Some(Value::new(Text("Ωmega".to_owned())));
    let boxed = state(
        Text::type_code(),
        None,
        vec![Data::String("Ωmega".to_owned())],
    );
    assert_eq!(as_data(&Text::type_code(), &text), boxed);
}

#[test]
fn derived_values_have_the_members_of_their_bases_first() {
    register::<Labelled>();
    register::<Strict>();
    let base = |id| Node {
        id,
        left: Some(node(9, None, None)),
        right: None,
    };
    let labelled = Labelled {
        base: base(1),
        label: "a".to_owned(),
        extra: None,
    };
    let expected = |type_code| {
        let label = Data::String("a".to_owned());
        let members = vec![Data::Long(1), leaf(9, None), Data::Null, label, Data::Null];
        state(type_code, None, members)
    };
    let value = Some(Value::new(labelled.clone()));
    let own = as_data(&Labelled::type_code(), &value);
    assert_eq!(own, expected(Labelled::type_code()));
    let value = value.map(|value| value.upcast::<Node>());
    let as_base = as_data(&Node::type_code(), &value);
    assert_eq!(as_base, expected(Labelled::type_code()));
    let strict = Value::new(Strict {
        base: labelled,
        weight: 2.5,
    });
    let Data::State(strict) = as_data(&Node::type_code(), &Some(strict.upcast::<Node>())) else {
        panic!("no state");
    };
    assert_eq!(strict.type_code, Strict::type_code());
    assert_eq!(strict.members.last(), Some(&Data::Double(2.5)));
    let names = Strict::type_code().state_members().unwrap();
    let names: Vec<_> = names.iter().map(|member| &*member.name).collect();
    assert_eq!(names, ["id", "left", "right", "label", "extra", "weight"]);
}

#[test]
fn unknown_types_are_truncated_and_it_is_told() {
    let truncated = r#"
        0x7fffff0e 2 "IDL:t/Unheard:1.0" "IDL:t/Node:1.0"
        [ 7 0 0 "hidden" ] -1"#;
    let octets = octets(truncated);
    let mut input = decoder(&octets, ByteOrder::Big);
    let read = read_noting_truncation(&Node::type_code(), &mut input).unwrap();
    assert_eq!(read, (leaf(7, None), true));
    let whole = encode(&Some(node(7, None, None)), ByteOrder::Big, 0);
    let mut input = decoder(&whole, ByteOrder::Big);
    let read = read_noting_truncation(&Node::type_code(), &mut input).unwrap();
    assert_eq!(read, (leaf(7, None), false));
}

#[test]
fn a_value_within_itself_is_a_label_and_no_circle_of_memory() {
    // The second member leads back to the tag, 32 octets before the offset.
    let circle = octets(r#"0x7fffff02 "IDL:t/Node:1.0" 7 -1 -32 0"#);
    let node_type = Node::type_code();
    let data = read_all(&node_type, &circle, ByteOrder::Big).unwrap();
    let members = vec![Data::Long(7), Data::Indirection(1), Data::Null];
    assert_eq!(data, state(node_type.clone(), Some(1), members));
    assert_eq!(written(&node_type, &data, ByteOrder::Big), Ok(circle));
}

#[test]
fn what_two_arguments_share_is_read_for_each() {
    let shared = node(3, None, None);
    let both = vec![Some(shared.clone()), Some(shared)];
    let octets = encode(&both, ByteOrder::Little, 0);
    let mut input = decoder(&octets, ByteOrder::Little);
    assert_eq!(input.read::<u32>().unwrap(), 2);
    for _ in 0..2 {
        let value = read(&Node::type_code(), &mut input).unwrap();
        assert_eq!(value, leaf(3, None));
    }
    assert_eq!(input.remaining(), 0);
}

#[test]
fn nothing_leads_out_of_an_any_or_into_it() {
    let held = Any::new(&node(3, None, None)).unwrap();
    let any = TypeCode::primitive(TCKind::Any).unwrap();
    let list = TypeCode::create_sequence(&any, 0).unwrap();
    let data = as_data(&list, &vec![held.clone(), held]);
    let one = || Data::Any(Box::new((Node::type_code(), leaf(3, None))));
    assert_eq!(data, Data::List(vec![one(), one()]));
    let outside = Data::List(vec![
        Data::Any(Box::new((Node::type_code(), leaf(3, Some(1))))),
        Data::Any(Box::new((Node::type_code(), Data::Indirection(1)))),
    ]);
    let error = written(&list, &outside, ByteOrder::Big).unwrap_err();
    assert_eq!(error, "[1]: no value before this one has the label 1");
}

#[test]
fn what_omniorb_has_marshaled_is_the_same_value_again() {
    register::<Labelled>();
    register::<Strict>();
    let mut seen = 0;
    for name in ["null", "one", "shared", "labelled", "nested", "strict"] {
        for (order, octets) in vector(name) {
            let data = read_all(&Node::type_code(), &octets, order).unwrap();
            let again = written(&Node::type_code(), &data, order).unwrap();
            let theirs: Option<Value<Node>> = super::decode(&octets, order, 0).unwrap();
            assert_eq!(super::decode(&again, order, 0), Ok(theirs), "{name}");
            for cut in 0..octets.len() {
                let mut input = decoder(&octets[..cut], order);
                assert!(read(&Node::type_code(), &mut input).is_err(), "{name}");
            }
            seen += 1;
        }
    }
    assert!(seen >= 6, "{seen}");
}

#[test]
fn custom_values_stay_encoded_and_abstract_interfaces_say_what_they_hold() {
    register::<Blob>();
    let blob = Some(Value::new(Blob {
        octets: vec![1, 2, 3],
        node: None,
    }));
    let data = as_data(&Blob::type_code(), &blob);
    assert!(matches!(data, Data::Encoded(_)), "{data:?}");
    let custom = state(Blob::type_code(), None, Vec::new());
    let error = written(&Blob::type_code(), &custom, ByteOrder::Big).unwrap_err();
    assert!(error.contains("keep it encoded"), "{error}");

    register::<Labelled>();
    let either = TypeCode::create_named(TCKind::AbstractInterface, "IDL:t/I:1.0", "I").unwrap();
    for (value, expected) in [
        (Data::Null, "0x00000000 0"),
        (
            Data::Reference(taut_giop::Ior::default()),
            "0x01000000 1 0x00000000 0",
        ),
    ] {
        assert_eq!(
            written(&either, &value, ByteOrder::Big),
            Ok(octets(expected))
        );
        let again = read_all(&either, &octets(expected), ByteOrder::Big);
        assert_eq!(again, Ok(value));
    }
    let labelled = Value::new(Labelled::default());
    let octets = {
        let mut out = Encoder::new(ByteOrder::Big);
        out.write(0_u8);
        labelled.encode(&mut out).unwrap();
        out.into_buffer()
    };
    let data = read_all(&either, &octets, ByteOrder::Big).unwrap();
    assert!(matches!(&data, Data::State(state) if state.members.len() == 5));
    assert_eq!(written(&either, &data, ByteOrder::Big), Ok(octets));
}

#[test]
fn what_does_not_fit_is_named_with_its_place() {
    let node_type = Node::type_code();
    let of = |left| {
        state(
            Node::type_code(),
            None,
            vec![Data::Long(1), left, Data::Null],
        )
    };
    let text = || state(Text::type_code(), None, vec![Data::String("a".to_owned())]);
    for (value, message) in [
        (
            of(Data::Indirection(4)),
            "left: no value before this one has the label 4",
        ),
        (of(Data::Long(4)), "left: expected Node, found a long"),
        (of(text()), "left: expected Node, found"),
        (
            state(Node::type_code(), None, Vec::new()),
            "0 elements, where the type has 3",
        ),
        (
            state(
                Node::type_code(),
                None,
                vec![Data::Long(1), leaf(2, Some(1)), leaf(3, Some(1))],
            ),
            "right: two values have the label 1",
        ),
    ] {
        let error = written(&node_type, &value, ByteOrder::Big).unwrap_err();
        assert!(error.starts_with(message), "{error}, not {message}");
    }
}

#[test]
fn lying_and_deep_values_hit_a_limit_and_not_the_stack() {
    let node_type = Node::type_code();
    // Each has one more as its first member; only the tag tells the type.
    let deep: Vec<u8> = octets("0x7fffff00 7").repeat(100_000);
    let error = read_all(&node_type, &deep, ByteOrder::Big).unwrap_err();
    assert!(error.to_string().contains("nest"), "{error}");
    let mut input = decoder(&deep, ByteOrder::Big).with_nesting_limit(u16::MAX);
    let error = read(&node_type, &mut input).unwrap_err();
    assert!(error.to_string().contains("512"), "{error}");
    let mut data = leaf(1, None);
    for _ in 0..600 {
        data = state(
            node_type.clone(),
            None,
            vec![Data::Long(1), data, Data::Null],
        );
    }
    let error = written(&node_type, &data, ByteOrder::Big).unwrap_err();
    assert!(error.contains("nested more deeply than 512"), "{error}");

    // Many small values take much memory, which is charged.
    let list = TypeCode::create_sequence(&node_type, 0).unwrap();
    let mut many = octets("1000");
    many.extend(octets("0x7fffff00 7 0 0").repeat(1_000));
    let limit = MemoryLimit {
        per_octet: 4,
        extra: 1_000,
    };
    let mut input = decoder(&many, ByteOrder::Big).with_memory_limit(limit);
    let error = read(&list, &mut input).unwrap_err();
    assert!(error.to_string().contains("memory"), "{error}");
    let limit = MemoryLimit {
        per_octet: 64,
        extra: 0,
    };
    let mut input = decoder(&many, ByteOrder::Big).with_memory_limit(limit);
    let read = read(&list, &mut input).unwrap();
    assert!(matches!(read, Data::List(items) if items.len() == 1_000));
}

#[test]
fn a_type_that_is_its_own_base_is_refused() {
    // A value whose base, in its parameters, leads back to the type itself.
    let mut out = Encoder::new(ByteOrder::Big);
    out.write(TCKind::Value as u32);
    let start = out.len();
    out.write(0_u32);
    out.write(0_u32);
    out.write_string("IDL:L:1.0").unwrap();
    out.write_string("L").unwrap();
    out.write(0_i16);
    out.write(0xffff_ffff_u32);
    out.write(-(out.len() as i32));
    out.write(0_u32);
    let length = (out.len() - start - 4) as u32;
    out.patch(start, length);
    let described = out.into_buffer();
    let mut input = decoder(&described, ByteOrder::Big);
    let lying = TypeCode::decode(&mut input).unwrap();
    assert!(lying.state_members().is_err());
    let value = octets("0x7fffff00 0 0 0");
    assert!(read_all(&lying, &value, ByteOrder::Big).is_err());
    let value = state(lying.clone(), None, Vec::new());
    assert!(written(&lying, &value, ByteOrder::Big).is_err());
}

#[test]
fn a_truncatable_types_ids_are_those_it_may_be_truncated_to() {
    let value = |id: &str, modifier, base: Option<&TypeCode>| {
        let member = ValueMember {
            name: "x",
            type_code: i32::type_code(),
            visibility: MemberVisibility::Private,
        };
        TypeCode::create_value(TCKind::Value, id, "", modifier, base, &[member]).unwrap()
    };
    let first = value("IDL:1:1.0", ValueModifier::None, None);
    let second = value("IDL:2:1.0", ValueModifier::None, Some(&first));
    let third = value("IDL:3:1.0", ValueModifier::Truncatable, Some(&second));
    let data = state(
        third,
        None,
        vec![Data::Long(1), Data::Long(2), Data::Long(3)],
    );
    let expected = octets(r#"0x7fffff0e 2 "IDL:3:1.0" "IDL:2:1.0" [ 1 2 3 ] -1"#);
    assert_eq!(written(&first, &data, ByteOrder::Big), Ok(expected));
}
