//! Parts by name and number.

use taut_types::dynamic::{Described, Elements, Value};
use taut_types::{Any, TCKind, TypeCode};

use super::{boxed, make, node, primitive, sequence, structure, union};

/// `struct Path { sequence<Point> points; Color color; any held; sequence<octet> data; }`
fn path() -> Described {
    let point = [
        ("x", primitive(TCKind::Short)),
        ("y", primitive(TCKind::Double)),
    ];
    let point = TypeCode::create_struct("IDL:t/P:1.0", "P", &point).unwrap();
    let color = TypeCode::create_enum("IDL:t/C:1.0", "C", &["RED", "BLUE"]).unwrap();
    let of = structure(&[
        ("points", sequence(&point, 0)),
        ("color", color),
        ("held", primitive(TCKind::Any)),
        ("data", sequence(&primitive(TCKind::Octet), 0)),
    ]);
    let one = |x, y| Value::Members(vec![Value::Short(x), Value::Double(y)]);
    let held = (point, one(7, 0.25));
    let value = Value::Members(vec![
        Value::List(vec![one(1, 0.5), one(2, 1.5)]),
        Value::Enum(1),
        Value::Any(Box::new(held)),
        Value::Elements(Elements::Octets(vec![1, 2, 3])),
    ]);
    Described::new(of, value).unwrap()
}

#[test]
fn parts_are_found_by_name_and_number() {
    let path = path();
    assert_eq!(path["points"][1]["x"].as_i64(), Some(2));
    assert_eq!(path["points"][1]["y"].as_f64(), Some(1.5));
    assert_eq!(path[0][0][0].as_i64(), Some(1));
    assert_eq!(path["color"].as_str(), Some("BLUE"));
    assert_eq!(path["color"].as_u64(), Some(1));
    // An any is looked through.
    assert_eq!(path["held"]["x"].as_i64(), Some(7));
    assert_eq!(path["data"][2].as_u64(), Some(3));
    assert_eq!(path["points"].len(), 2);
    assert!(path["color"].is_empty());
    for absent in [path.get("x"), path["points"].get(2), path["color"].get("x")] {
        assert!(absent.is_none(), "{absent:?}");
    }
    assert!(path["points"].get("x").is_none());
    assert_eq!(i16::try_from(&path["points"][0]["x"]), Ok(1));
    assert_eq!(u64::try_from(&path["held"]["x"]), Ok(7));
    assert_eq!(String::try_from(&path["color"]).unwrap(), "BLUE");
    assert_eq!(
        bool::try_from(&path["color"]).unwrap_err().to_string(),
        "a value of the type C is no bool"
    );
    let error = u8::try_from(&path["points"]).unwrap_err().to_string();
    assert_eq!(error, "a value of the type sequence<P> is no u8");
}

#[test]
#[should_panic(expected = "there is no part z of")]
fn what_is_absent_panics_by_brackets() {
    let _ = &path()["z"];
}

#[test]
fn parts_are_changed_in_place() {
    let mut path = path();
    path["points"][1]["x"].set(300).unwrap();
    path["color"].set("RED").unwrap();
    path["data"][0].set(9_u8).unwrap();
    path["held"]["y"].set(2.5).unwrap();
    path["data"].push(255).unwrap();
    for (outcome, message) in [
        (
            path["points"][0]["x"].set(70_000),
            "70000 is beyond the range of short",
        ),
        (
            path["color"].set("GREEN"),
            "there is no `GREEN`: write one of RED, BLUE",
        ),
        (
            path["points"][0]["y"].set("a"),
            "expected double, found a string",
        ),
        (path["data"].push(256), "256 is beyond the range of octet"),
        (path["color"].push(1), "expected C, found an element"),
    ] {
        assert_eq!(outcome.unwrap_err().to_string(), message);
    }
    let any = path.to_any().unwrap();
    let again = Described::from_any(&any).unwrap();
    assert_eq!(again, path);
    assert_eq!(again["points"][1]["x"].as_i64(), Some(300));
    let data = again["data"].as_elements();
    assert_eq!(data, Some(&Elements::Octets(vec![9, 2, 3, 255])));
    assert_eq!(again["color"].as_str(), Some("RED"));
    assert_eq!(again["held"]["y"].as_f64(), Some(2.5));
}

#[test]
fn unions_values_and_boxes_have_parts() {
    let of = union(true);
    let mut it = Described::from_any(&make(&of).to_any().unwrap()).unwrap();
    assert_eq!((it.discriminator(), it.len()), (Some(1), 1));
    it["small"].set(7).unwrap();
    assert_eq!(it["small"].as_u64(), Some(7));
    assert!(it.get("text").is_none());
    let mut value = make(&node());
    value.as_value().unwrap().set_to_value().unwrap();
    let mut value = Described::from_any(&value.to_any().unwrap()).unwrap();
    value["id"].set(3).unwrap();
    assert_eq!(value["id"].as_i64(), Some(3));
    assert_eq!(value["next"].as_leaf(), Some(&Value::Null));
    let next = value.to_value();
    value["next"].set(next).unwrap();
    assert_eq!(value["next"]["id"].as_i64(), Some(3));
    let pair = structure(&[("x", primitive(TCKind::Long))]);
    let mut held = make(&boxed(&pair));
    held.as_value_box().unwrap().set_to_value().unwrap();
    let mut held = Described::from_any(&held.to_any().unwrap()).unwrap();
    held["x"].set(5).unwrap();
    assert_eq!(held["x"].as_i64(), Some(5));
    held.to_any().unwrap();
}

#[test]
fn values_of_other_parts_are_refused() {
    let long = primitive(TCKind::Long);
    let of = structure(&[("x", long.clone())]);
    for (of, value) in [
        (&of, Value::Members(Vec::new())),
        (&long, Value::Members(vec![Value::Long(1)])),
        (&long, Value::List(Vec::new())),
        (
            &sequence(&long, 0),
            Value::Elements(Elements::Shorts(vec![1])),
        ),
    ] {
        assert!(Described::new(of.clone(), value).is_err(), "{of}");
    }
    let any = Any::new(&7_i32).unwrap();
    assert_eq!(Described::from_any(&any).unwrap().as_i64(), Some(7));
}
