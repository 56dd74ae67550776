//! Values of value types, Anys, and types whose names were left out.

use serde_json::{Value as Json, json};
use taut_cdr::{ByteOrder, Decoder, Encoder};
use taut_giop::Ior;
use taut_json::{any_from_json, any_to_json, from_json, to_json};
use taut_types::dynamic::{State, UnionValue, Value, read, write};
use taut_types::{
    Any, MemberVisibility, TCKind, TypeCode, UnionMember, ValueMember, ValueModifier,
};

use super::{primitive, sequence};

fn value_type(
    id: &str,
    modifier: ValueModifier,
    base: Option<&TypeCode>,
    members: &[(&str, TypeCode)],
) -> TypeCode {
    let of = |(name, type_code): &(&'static str, TypeCode)| ValueMember {
        name,
        type_code: type_code.clone(),
        visibility: MemberVisibility::Public,
    };
    let named: Vec<(&'static str, TypeCode)> = members
        .iter()
        .map(|(name, type_code)| (&*name.to_string().leak(), type_code.clone()))
        .collect();
    let members: Vec<_> = named.iter().map(of).collect();
    TypeCode::create_value(TCKind::Value, id, "V", modifier, base, &members).unwrap()
}

/// `valuetype Node { public long id; public Node next; };`
fn node() -> TypeCode {
    let own = TypeCode::create_recursive("IDL:Node:1.0").unwrap();
    let members = [("id", primitive(TCKind::Long)), ("next", own)];
    value_type("IDL:Node:1.0", ValueModifier::None, None, &members)
}

fn state(type_code: &TypeCode, label: Option<u32>, members: Vec<Value>) -> Value {
    Value::State(Box::new(State {
        type_code: type_code.clone(),
        label,
        members,
    }))
}

/// The value has this form, is what the form is read as, and has octets by which it is the same.
fn check(type_code: &TypeCode, value: &Value, json: &Json) {
    assert_eq!(to_json(type_code, value).unwrap(), *json, "{type_code}");
    assert_eq!(from_json(type_code, json).unwrap(), *value, "{type_code}");
    let mut out = Encoder::new(ByteOrder::Little);
    write(type_code, value, &mut out).unwrap();
    let mut input = Decoder::new(out.as_bytes(), ByteOrder::Little);
    assert_eq!(read(type_code, &mut input).unwrap(), *value);
    assert_eq!(input.remaining(), 0);
}

#[test]
fn members_are_an_object_and_null_is_null() {
    let node = node();
    check(&node, &Value::Null, &json!(null));
    let last = state(&node, None, vec![Value::Long(2), Value::Null]);
    let first = state(&node, None, vec![Value::Long(1), last]);
    check(
        &node,
        &first,
        &json!({"id": 1, "next": {"id": 2, "next": null}}),
    );
    let name = TypeCode::create_value_box("IDL:B:1.0", "Name", &TypeCode::string(0)).unwrap();
    check(&name, &Value::Null, &json!(null));
    let held = state(&name, None, vec![Value::String("hello".to_owned())]);
    check(&name, &held, &json!({"$value": "hello"}));
}

#[test]
fn shared_and_recursive_values_have_numbers() {
    let node = node();
    let own = state(&node, Some(1), vec![Value::Long(1), Value::Indirection(1)]);
    check(
        &node,
        &own,
        &json!({"$id": 1, "id": 1, "next": {"$ref": 1}}),
    );
    let nodes = sequence(&node);
    let shared = state(&node, Some(1), vec![Value::Long(1), Value::Null]);
    let both = Value::List(vec![shared, Value::Indirection(1)]);
    let json = json!([{"$id": 1, "id": 1, "next": null}, {"$ref": 1}]);
    check(&nodes, &both, &json);
}

#[test]
fn derived_values_tell_their_type_and_have_their_bases_members() {
    let node = node();
    let members = [("name", TypeCode::string(0))];
    let named = value_type(
        "IDL:Named:1.0",
        ValueModifier::Truncatable,
        Some(&node),
        &members,
    );
    let members = vec![Value::Long(1), Value::Null, Value::String("a".to_owned())];
    let value = state(&named, None, members);
    check(&named, &value, &json!({"id": 1, "next": null, "name": "a"}));
    let json = to_json(&node, &value).unwrap();
    assert_eq!(json["$type"]["$name"], "V");
    assert_eq!(json["name"], "a");
    assert_eq!(from_json(&node, &json).unwrap(), value);
    // A program that does not know the type has the base that is left of it.
    let mut out = Encoder::new(ByteOrder::Big);
    write(&node, &value, &mut out).unwrap();
    let left = read(&node, &mut Decoder::new(out.as_bytes(), ByteOrder::Big)).unwrap();
    assert_eq!(left, state(&node, None, vec![Value::Long(1), Value::Null]));

    let either = TypeCode::create_named(TCKind::AbstractInterface, "IDL:I:1.0", "I").unwrap();
    assert_eq!(
        from_json(&either, &to_json(&either, &value).unwrap()).unwrap(),
        value
    );
    for value in [Value::Null, Value::Reference(Ior::default())] {
        let json = to_json(&either, &value).unwrap();
        assert_eq!(from_json(&either, &json).unwrap(), value, "{json}");
    }
}

#[test]
fn values_that_are_none_are_named_with_their_place() {
    let node = node();
    let either = TypeCode::create_named(TCKind::AbstractInterface, "IDL:I:1.0", "I").unwrap();
    let text = TypeCode::create_value_box("IDL:B:1.0", "Name", &TypeCode::string(2)).unwrap();
    for (type_code, json, message) in [
        (&node, json!([]), "expected V, found []"),
        (&node, json!({"id": 1}), "the member `next` is missing"),
        (
            &node,
            json!({"id": 1, "next": {"id": "a", "next": null}}),
            "next.id: expected long, found \"a\"",
        ),
        (
            &node,
            json!({"x": 1}),
            "there is no `x`: write one of id, next",
        ),
        (
            &node,
            json!({"$ref": -1}),
            "$ref is a number up to 4294967295, found -1",
        ),
        (
            &node,
            json!({"$id": "a", "id": 1, "next": null}),
            "$id is a number",
        ),
        (&node, json!({"$type": "long"}), "expected V, found"),
        (
            &either,
            json!({"id": 1}),
            "expected I, found {\"id\":1}: write its \"$type\" too",
        ),
        (
            &text,
            json!({"$value": "abc"}),
            "$value: 3 elements, where the type has 2",
        ),
        (&text, json!({}), "the member `$value` is missing"),
        (&node, json!({"$cdr": "AQAAAAAAAAA="}), "expected V, found"),
    ] {
        let error = from_json(type_code, &json).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}, not {message}");
    }
}

#[test]
fn encoded_values_keep_their_octets() {
    let custom = value_type("IDL:C:1.0", ValueModifier::Custom, None, &[]);
    let octets = taut_types::Any::with_type(custom.clone(), &Tagged).unwrap();
    let value = Value::Encoded(octets);
    let json = to_json(&custom, &value).unwrap();
    assert_eq!(json["$name"], "V");
    assert_eq!(from_json(&custom, &json).unwrap(), value);
}

struct Tagged;

impl taut_cdr::Encode for Tagged {
    fn encode(&self, out: &mut Encoder) -> taut_cdr::Result<()> {
        out.write(0_u32);
        Ok(())
    }
}

#[test]
fn any_any_is_json_and_back() {
    let point = [
        ("x", primitive(TCKind::LongLong)),
        ("b", sequence(&primitive(TCKind::Octet))),
    ];
    let point = TypeCode::create_struct("IDL:P:1.0", "P", &point).unwrap();
    let json = json!({"x": i64::MAX, "b": "AAEC"});
    let any = from_json(&point, &json).unwrap().to_any(&point).unwrap();
    let shown = any_to_json(&any).unwrap();
    assert_eq!(shown["$value"], json);
    assert_eq!(any_from_json(&shown).unwrap(), any);

    #[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
    struct Event {
        time: u64,
        #[serde(with = "taut_json")]
        data: Any,
    }
    let event = Event { time: 7, data: any };
    let text = serde_json::to_string(&event).unwrap();
    assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), event);
    let error = serde_json::from_str::<Event>("{\"time\": 7, \"data\": 3}").unwrap_err();
    assert!(error.to_string().contains("\"$type\""), "{error}");
}

#[test]
fn types_without_names_are_told_by_order() {
    let (long, octet) = (primitive(TCKind::Long), primitive(TCKind::Octet));
    let members = [("x", long.clone()), ("y", long.clone())];
    let point = TypeCode::create_struct("IDL:P:1.0", "P", &members).unwrap();
    let color = TypeCode::create_enum("IDL:C:1.0", "C", &["RED", "BLUE"]).unwrap();
    let case = |label, name: &'static str, type_code: &TypeCode| UnionMember {
        label,
        name,
        type_code: type_code.clone(),
    };
    let cases = [case(Some(1), "a", &long), case(Some(2), "b", &octet)];
    let union = TypeCode::create_union("IDL:U:1.0", "U", &long, &cases).unwrap();
    let pair = Value::Members(vec![Value::Long(1), Value::Long(2)]);
    check(&point.compact(), &pair, &json!([1, 2]));
    check(&color.compact(), &Value::Enum(1), &json!(1));
    check(&color.compact(), &Value::Enum(0), &json!(""));
    let second = UnionValue {
        label: 2,
        member: Some(Value::Octet(9)),
    };
    let second = Value::Union(Box::new(second));
    check(
        &union.compact(),
        &second,
        &json!({"": 9, "$discriminator": 2}),
    );
    let value = value_type("IDL:V:1.0", ValueModifier::None, None, &members).compact();
    let of = vec![Value::Long(1), Value::Long(2)];
    check(
        &value,
        &state(&value, None, of),
        &json!({"$members": [1, 2]}),
    );
}

#[test]
fn deep_values_hit_a_limit_and_not_the_stack() {
    let node = node();
    let mut json = json!(null);
    let mut value = Value::Null;
    for _ in 0..600 {
        json = json!({"id": 1, "next": json});
        value = state(&node, None, vec![Value::Long(1), value]);
    }
    let error = from_json(&node, &json).unwrap_err();
    assert!(error.to_string().contains("nested more deeply"), "{error}");
    let error = to_json(&node, &value).unwrap_err();
    assert!(error.to_string().contains("nested more deeply"), "{error}");
}
