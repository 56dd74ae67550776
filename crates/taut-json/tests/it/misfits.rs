//! JSON that is no value of its type.

use serde_json::{Value as Json, json};
use taut_json::{from_json, to_json};
use taut_types::dynamic::Value;
use taut_types::{TCKind, TypeCode, UnionMember};

use super::{primitive, sequence};

#[test]
fn each_is_named_with_its_place() {
    let color = TypeCode::create_enum("IDL:C:1.0", "Color", &["RED", "BLUE"]).unwrap();
    let point = [("x", primitive(TCKind::Long)), ("color", color.clone())];
    let point = TypeCode::create_struct("IDL:P:1.0", "Point", &point).unwrap();
    let points = TypeCode::create_struct("IDL:Q:1.0", "Path", &[("points", sequence(&point))]);
    let points = points.unwrap();
    let case = |label, name| UnionMember {
        label,
        name,
        type_code: primitive(TCKind::Octet),
    };
    let cases = [case(Some(1), "a"), case(Some(2), "b"), case(None, "c")];
    let union = TypeCode::create_union("IDL:U:1.0", "U", &primitive(TCKind::Long), &cases);
    let union = union.unwrap();
    let bounded = TypeCode::create_sequence(&primitive(TCKind::Octet), 2).unwrap();
    let array = TypeCode::create_array(&primitive(TCKind::Long), 2).unwrap();
    let fixed = TypeCode::create_fixed(3, 1).unwrap();
    let any = primitive(TCKind::Any);
    let table: [(&TypeCode, Json, &str); 26] = [
        (
            &points,
            json!({"points": [{"x": 1, "color": "RED"}, {"x": "a", "color": "RED"}]}),
            "points[1].x: expected long, found \"a\"",
        ),
        (
            &points,
            json!({"points": [{"x": 1}]}),
            "points[0]: the member `color` is missing",
        ),
        (
            &points,
            json!({"points": [{"x": 1, "y": 2, "color": "RED"}]}),
            "points[0]: there is no `y`: write one of x, color",
        ),
        (&points, json!([]), "expected Path, found []"),
        (
            &color,
            json!("GREEN"),
            "there is no `GREEN`: write one of RED, BLUE",
        ),
        (&color, json!(1), "expected Color, found 1"),
        (
            &primitive(TCKind::Octet),
            json!(256),
            "256 is beyond the range of octet",
        ),
        (
            &primitive(TCKind::Octet),
            json!(-1),
            "-1 is beyond the range of octet",
        ),
        (
            &primitive(TCKind::Long),
            json!(1.5),
            "expected long, found 1.5",
        ),
        (
            &primitive(TCKind::Boolean),
            json!(0),
            "expected boolean, found 0",
        ),
        (
            &primitive(TCKind::Float),
            json!(1e39),
            "expected float, found 1e+39",
        ),
        (
            &primitive(TCKind::Char),
            json!("ab"),
            "expected char, found \"ab\"",
        ),
        (
            &primitive(TCKind::Char),
            json!("€"),
            "expected char, found \"€\"",
        ),
        (
            &TypeCode::string(2),
            json!("abc"),
            "3 elements, where the type has 2",
        ),
        (&bounded, json!("AAAA"), "3 elements, where the type has 2"),
        (
            &bounded,
            json!("?"),
            "it is not in Base64: Invalid symbol 63, offset 0.",
        ),
        (&array, json!([1]), "1 elements, where the type has 2"),
        (&array, json!("AAAA"), "expected long[2], found \"AAAA\""),
        (
            &fixed,
            json!("1.25"),
            "expected fixed<3, 1>, found \"1.25\"",
        ),
        (
            &fixed,
            json!("100.0"),
            "expected fixed<3, 1>, found \"100.0\"",
        ),
        (
            &union,
            json!({"a": 1, "b": 2}),
            "a union has one member, and `b` is another",
        ),
        (
            &union,
            json!({"d": 1}),
            "there is no `d`: write one of a, b, c",
        ),
        (
            &union,
            json!({"c": 1}),
            "`c` is the default case: write `$discriminator` too",
        ),
        (
            &union,
            json!({"a": 1, "$discriminator": 2}),
            "the discriminator 2 does not go with the member",
        ),
        (
            &any,
            json!(7),
            "expected any, found 7: write an object with \"$type\" and \"$value\"",
        ),
        (
            &any,
            json!({"$type": "long", "$value": "x"}),
            "$value: expected long, found \"x\"",
        ),
    ];
    for (type_code, json, message) in table {
        let error = from_json(type_code, &json).unwrap_err();
        assert_eq!(error.to_string(), message, "{json}");
    }
}

#[test]
fn what_nests_too_deeply_hits_a_limit_and_not_the_stack() {
    let inner = TypeCode::create_recursive("IDL:N:1.0").unwrap();
    let node = TypeCode::create_struct("IDL:N:1.0", "N", &[("children", sequence(&inner))]);
    let mut json = json!({"children": []});
    for _ in 0..600 {
        json = json!({"children": [json]});
    }
    let node = node.unwrap();
    let error = from_json(&node, &json).unwrap_err();
    assert!(error.to_string().contains("nested more deeply"), "{error}");
    let mut value = Value::Members(vec![Value::List(Vec::new())]);
    for _ in 0..600 {
        value = Value::Members(vec![Value::List(vec![value])]);
    }
    let error = to_json(&node, &value).unwrap_err();
    assert!(error.to_string().contains("nested more deeply"), "{error}");
}
