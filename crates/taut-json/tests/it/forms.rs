//! The form of each type.

use serde_json::{Value as Json, json};
use taut_cdr::LongDouble;
use taut_giop::Ior;
use taut_json::{from_json, from_json_with, to_json};
use taut_types::dynamic::{Elements, UnionValue, Value};
use taut_types::{TCKind, TypeCode, UnionMember};

use super::{primitive, sequence};

/// The value has this form, and is what the form is read as.
fn check(type_code: &TypeCode, value: &Value, json: &Json) {
    assert_eq!(to_json(type_code, value).unwrap(), *json, "{type_code}");
    assert_eq!(from_json(type_code, json).unwrap(), *value, "{type_code}");
}

#[test]
fn primitives() {
    let exact = LongDouble::from_bits(0x3ffd_5555_5555_5555_5555_5555_5555_5555);
    for (kind, value, json) in [
        (TCKind::Void, Value::Nothing, json!(null)),
        (TCKind::Boolean, Value::Boolean(true), json!(true)),
        (TCKind::Octet, Value::Octet(255), json!(255)),
        (TCKind::Char, Value::Char(0xe9), json!("é")),
        (TCKind::WChar, Value::WChar(0x20ac), json!("€")),
        (TCKind::WChar, Value::WChar(0xd800), json!(0xd800)),
        (TCKind::Short, Value::Short(-1), json!(-1)),
        (TCKind::UShort, Value::UShort(65_535), json!(65_535)),
        (TCKind::Long, Value::Long(i32::MIN), json!(i32::MIN)),
        (TCKind::ULong, Value::ULong(u32::MAX), json!(u32::MAX)),
        (TCKind::LongLong, Value::LongLong(i64::MIN), json!(i64::MIN)),
        (
            TCKind::ULongLong,
            Value::ULongLong(u64::MAX),
            json!(u64::MAX),
        ),
        (TCKind::Float, Value::Float(0.1), json!(0.1)),
        (TCKind::Double, Value::Double(1e300), json!(1e300)),
        (
            TCKind::Double,
            Value::Double(f64::NEG_INFINITY),
            json!("-Infinity"),
        ),
        (
            TCKind::LongDouble,
            Value::LongDouble(LongDouble::from_f64(0.5)),
            json!(0.5),
        ),
        (
            TCKind::LongDouble,
            Value::LongDouble(exact),
            json!("0x3ffd5555555555555555555555555555"),
        ),
        (
            TCKind::TypeCode,
            Value::TypeCode(primitive(TCKind::ULongLong)),
            json!("unsigned long long"),
        ),
        (
            TCKind::TypeCode,
            Value::TypeCode(TypeCode::string(0)),
            json!("string"),
        ),
        (
            TCKind::Any,
            Value::Any(Box::new((TypeCode::wstring(0), Value::WString("€".into())))),
            json!({"$type": "wstring", "$value": "€"}),
        ),
    ] {
        check(&primitive(kind), &value, &json);
    }
    let nan = from_json(&primitive(TCKind::Double), &json!("NaN"));
    assert!(matches!(nan, Ok(Value::Double(value)) if value.is_nan()));
}

#[test]
fn the_bound_of_a_string_is_one_of_characters() {
    let (text, json) = (Value::String("hé".to_owned()), json!("hé"));
    check(&TypeCode::string(2), &text, &json);
    assert!(from_json(&TypeCode::string(1), &json).is_err());
}

#[test]
fn more_is_read_than_written() {
    for (type_code, json, value) in [
        (
            primitive(TCKind::ULongLong),
            json!("18446744073709551615"),
            Value::ULongLong(u64::MAX),
        ),
        (primitive(TCKind::Long), json!("-7"), Value::Long(-7)),
        (
            TypeCode::create_fixed(4, 2).unwrap(),
            json!(1.5),
            Value::Fixed(150),
        ),
        (
            sequence(&primitive(TCKind::Octet)),
            json!([1, 255]),
            Value::Elements(Elements::Octets(vec![1, 255])),
        ),
    ] {
        assert_eq!(from_json(&type_code, &json).unwrap(), value);
    }
}

#[test]
fn constructed_types() {
    let color = TypeCode::create_enum("IDL:C:1.0", "Color", &["RED", "BLUE"]).unwrap();
    check(&color, &Value::Enum(1), &json!("BLUE"));
    check(
        &TypeCode::create_fixed(5, 2).unwrap(),
        &Value::Fixed(-1_250),
        &json!("-12.50"),
    );
    let octets = Value::Elements(Elements::Octets(vec![0, 255, 16]));
    check(
        &sequence(&primitive(TCKind::Octet)),
        &octets,
        &json!("AP8Q"),
    );
    let array = TypeCode::create_array(&primitive(TCKind::Octet), 3).unwrap();
    check(&array, &octets, &json!("AP8Q"));
    let numbers = Value::Elements(Elements::Longs(vec![1, -2]));
    check(
        &sequence(&primitive(TCKind::Long)),
        &numbers,
        &json!([1, -2]),
    );
    let letters = Value::Elements(Elements::Chars(vec![b'a', 0xe9]));
    check(
        &sequence(&primitive(TCKind::Char)),
        &letters,
        &json!(["a", "é"]),
    );
    let members = [
        ("x", primitive(TCKind::Short)),
        ("c", primitive(TCKind::Char)),
    ];
    let point = TypeCode::create_struct("IDL:P:1.0", "P", &members).unwrap();
    let at = |x| Value::Members(vec![Value::Short(x), Value::Char(b'z')]);
    let points = Value::elements(&point, vec![at(1), at(-2)]);
    assert!(matches!(points, Value::Elements(Elements::Structs(_))));
    let expected = json!([{ "x": 1, "c": "z" }, { "x": -2, "c": "z" }]);
    check(&sequence(&point), &points, &expected);
    let names = Value::List(vec![Value::String("a".into())]);
    check(&sequence(&TypeCode::string(0)), &names, &json!(["a"]));
    let members = [("x", primitive(TCKind::Long)), ("color", color)];
    let shape = TypeCode::create_struct("IDL:S:1.0", "S", &members).unwrap();
    let value = Value::Members(vec![Value::Long(3), Value::Enum(0)]);
    check(&shape, &value, &json!({"x": 3, "color": "RED"}));
    let type_of_shape = to_json(
        &primitive(TCKind::TypeCode),
        &Value::TypeCode(shape.clone()),
    );
    assert_eq!(type_of_shape.as_ref().unwrap()["$name"], "S");
    let again = from_json(&primitive(TCKind::TypeCode), &type_of_shape.unwrap());
    assert_eq!(again.unwrap(), Value::TypeCode(shape));
}

#[test]
fn unions() {
    let case = |label, name, kind| UnionMember {
        label,
        name,
        type_code: primitive(kind),
    };
    let cases = [
        case(Some(1), "small", TCKind::Octet),
        case(Some(2), "small", TCKind::Octet),
        case(Some(3), "large", TCKind::Long),
        case(None, "other", TCKind::Boolean),
    ];
    let union = TypeCode::create_union("IDL:U:1.0", "U", &primitive(TCKind::Short), &cases);
    let union = union.unwrap();
    let of = |label, member| {
        Value::Union(Box::new(UnionValue {
            label,
            member: Some(member),
        }))
    };
    check(&union, &of(1, Value::Octet(7)), &json!({"small": 7}));
    check(
        &union,
        &of(2, Value::Octet(7)),
        &json!({"small": 7, "$discriminator": 2}),
    );
    check(&union, &of(3, Value::Long(7)), &json!({"large": 7}));
    check(
        &union,
        &of(9, Value::Boolean(true)),
        &json!({"other": true, "$discriminator": 9}),
    );

    let flag = [case(Some(1), "value", TCKind::Long)];
    let optional = TypeCode::create_union("IDL:O:1.0", "O", &primitive(TCKind::Boolean), &flag);
    let none = Value::Union(Box::new(UnionValue {
        label: 0,
        member: None,
    }));
    check(&optional.unwrap(), &none, &json!({"$discriminator": false}));
    let largest = [case(Some(u64::MAX.into()), "value", TCKind::Long)];
    let wide = TypeCode::create_union("IDL:W:1.0", "W", &primitive(TCKind::ULongLong), &largest);
    let value = Value::Union(Box::new(UnionValue {
        label: -2,
        member: None,
    }));
    check(
        &wide.unwrap(),
        &value,
        &json!({"$discriminator": u64::MAX - 1}),
    );
}

#[test]
fn references_are_urls_and_nil_is_null() {
    let object = TypeCode::create_interface("IDL:A:1.0", "A").unwrap();
    check(&object, &Value::Reference(Ior::default()), &json!(null));
    let ior = Ior {
        type_id: "IDL:A:1.0".to_owned(),
        ..Ior::default()
    };
    let named = |url: &str| match url {
        "corbaloc::h/A" => Ok(ior.clone()),
        other => Err(format!("`{other}` leads nowhere")),
    };
    let read = from_json_with(&object, &json!("corbaloc::h/A"), &named);
    assert_eq!(read.unwrap(), Value::Reference(ior.clone()));
    let error = from_json_with(&object, &json!("file:x"), &named).unwrap_err();
    assert_eq!(error.to_string(), "`file:x` leads nowhere");
    let error = from_json(&object, &json!("corbaloc::h/A")).unwrap_err();
    assert!(error.to_string().contains("begins with IOR:"), "{error}");
}
