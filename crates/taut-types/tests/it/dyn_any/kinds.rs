//! The operations that belong to one kind.

use taut_types::dyn_any::{DynAnyFactory, NameDynAnyPair, NameValuePair};
use taut_types::{Any, TCKind, TypeCode, UnionMember};

use super::{boxed, make, name, node, primitive, sequence, structure, union};

#[test]
fn a_dyn_any_narrows_to_its_own_kind_alone() {
    let long = primitive(TCKind::Long);
    let types = [
        TypeCode::create_fixed(5, 2).unwrap(),
        TypeCode::create_enum("IDL:t/E:1.0", "E", &["A"]).unwrap(),
        structure(&[("x", long.clone())]),
        union(true),
        sequence(&long, 0),
        TypeCode::create_array(&long, 2).unwrap(),
        node(),
        boxed(&long),
        long,
    ];
    for (index, of) in types.iter().enumerate() {
        let mut it = make(of);
        let narrowed = [
            it.as_fixed().is_some(),
            it.as_enum().is_some(),
            it.as_struct().is_some(),
            it.as_union().is_some(),
            it.as_sequence().is_some(),
            it.as_array().is_some(),
            it.as_value().is_some(),
            it.as_value_box().is_some(),
        ];
        for (kind, is_kind) in narrowed.iter().enumerate() {
            assert_eq!(*is_kind, kind == index, "{of} as kind {kind}");
        }
    }
}

#[test]
fn decimals_are_set_by_text() {
    let of = TypeCode::create_fixed(5, 2).unwrap();
    let mut it = make(&of);
    let mut fixed = it.as_fixed().unwrap();
    assert_eq!(fixed.get_value(), "0.00");
    for (text, expected, value) in [
        ("12.5", Ok(true), "12.50"),
        ("-0.05", Ok(true), "-0.05"),
        ("+123.45d", Ok(true), "123.45"),
        (" 7D ", Ok(true), "7.00"),
        (".5", Ok(true), "0.50"),
        ("1.", Ok(true), "1.00"),
        ("0001.2300", Ok(true), "1.23"),
        ("1.239", Ok(false), "1.23"),
        ("1000", Err("InvalidValue"), "1.23"),
        ("", Err("TypeMismatch"), "1.23"),
        (".", Err("TypeMismatch"), "1.23"),
        ("1e3", Err("TypeMismatch"), "1.23"),
        ("--1", Err("TypeMismatch"), "1.23"),
        ("1.2.3", Err("TypeMismatch"), "1.23"),
        ("1dD", Err("TypeMismatch"), "1.23"),
    ] {
        let outcome = fixed.set_value(text);
        let outcome = outcome.map_err(|error| name::<()>(Err(error)));
        assert_eq!(outcome, expected, "{text}");
        assert_eq!(fixed.get_value(), value, "{text}");
    }
    let whole = TypeCode::create_fixed(31, 0).unwrap();
    let mut it = make(&whole);
    let largest = "9".repeat(31);
    assert_eq!(it.as_fixed().unwrap().set_value(&largest), Ok(true));
    assert_eq!(it.as_fixed().unwrap().get_value(), largest);
    it.to_any().unwrap();
}

#[test]
fn enumerators_are_set_by_name_and_by_number() {
    let of = TypeCode::create_enum("IDL:t/E:1.0", "E", &["RED", "BLUE"]).unwrap();
    let mut it = make(&of);
    let mut color = it.as_enum().unwrap();
    assert_eq!((color.get_as_ulong(), &*color.get_as_string()), (0, "RED"));
    color.set_as_string("BLUE").unwrap();
    assert_eq!((color.get_as_ulong(), &*color.get_as_string()), (1, "BLUE"));
    let error = color.set_as_string("GREEN").unwrap_err();
    assert_eq!(
        error.to_string(),
        "InvalidValue: there is no enumerator `GREEN`: write one of RED, BLUE"
    );
    color.set_as_ulong(0).unwrap();
    assert_eq!(name(color.set_as_ulong(2)), "InvalidValue");
    assert_eq!(color.get_as_string(), "RED");
}

#[test]
fn members_are_set_all_at_once() {
    let of = structure(&[("x", primitive(TCKind::Long)), ("s", TypeCode::string(0))]);
    let pair = |id: &str, value: Any| NameValuePair {
        id: id.to_owned(),
        value,
    };
    let (seven, text) = (Any::new(&7_i32).unwrap(), Any::new("a").unwrap());
    let mut it = make(&of);
    let mut it = it.as_struct().unwrap();
    assert_eq!(it.current_member_name().unwrap(), "x");
    assert_eq!(it.current_member_kind(), Ok(TCKind::Long));
    it.next();
    assert_eq!(it.current_member_name().unwrap(), "s");
    let both = [pair("x", seven.clone()), pair("s", text.clone())];
    it.set_members(&both).unwrap();
    assert_eq!(it.position(), Some(0));
    assert_eq!(it.get_members().unwrap(), both);
    // Empty names are not compared.
    it.set_members(&[pair("", seven.clone()), pair("", text.clone())])
        .unwrap();
    for (members, expected) in [
        (vec![pair("x", seven.clone())], "InvalidValue"),
        (
            vec![pair("s", seven.clone()), pair("x", text.clone())],
            "TypeMismatch",
        ),
        (
            vec![pair("x", text.clone()), pair("s", text.clone())],
            "TypeMismatch",
        ),
    ] {
        assert_eq!(name(it.set_members(&members)), expected);
        assert_eq!(it.get_members().unwrap(), both, "nothing has changed");
    }
    let copies = it.get_members_as_dyn_any();
    let mut other = make(&of);
    let mut other = other.as_struct().unwrap();
    other.set_members_as_dyn_any(&copies).unwrap();
    assert!(other.equal(&it));
    let short = &copies[..1];
    assert_eq!(name(other.set_members_as_dyn_any(short)), "InvalidValue");
    it.seek(-1);
    assert_eq!(name(it.current_member_name()), "InvalidValue");
    let empty = TypeCode::create_exception("IDL:t/X:1.0", "X", &[]).unwrap();
    let mut empty = make(&empty);
    let empty = empty.as_struct().unwrap();
    assert_eq!(name(empty.current_member_name()), "TypeMismatch");
    assert_eq!(name(empty.current_member_kind()), "TypeMismatch");
    assert!(empty.get_members().unwrap().is_empty());
}

#[test]
fn a_discriminator_selects_the_member() {
    let of = union(true);
    let mut it = make(&of);
    let mut it = it.as_union().unwrap();
    assert_eq!(it.discriminator_kind(), TCKind::Long);
    assert_eq!(it.get_discriminator().get_long(), Ok(1));
    assert_eq!(it.member_name().unwrap(), "small");
    assert_eq!(it.member_kind(), Ok(TCKind::Octet));
    it.member().unwrap().insert_octet(7).unwrap();
    let label = |number| {
        let mut label = make(&primitive(TCKind::Long));
        label.insert_long(number).unwrap();
        label
    };
    // Another label of the same member keeps its value.
    it.set_discriminator(&label(2)).unwrap();
    assert_eq!(
        (it.member().unwrap().get_octet(), it.position()),
        (Ok(7), Some(1))
    );
    it.set_discriminator(&label(3)).unwrap();
    assert_eq!(it.member().unwrap().get_string().unwrap(), "");
    assert_eq!((it.position(), it.component_count()), (Some(1), 2));
    it.set_to_default_member().unwrap();
    assert_eq!((it.position(), it.component_count()), (Some(0), 2));
    assert_eq!(it.member_name().unwrap(), "other");
    it.member().unwrap().insert_double(0.5).unwrap();
    // A label that selects the default case already keeps the member.
    it.set_discriminator(&label(99)).unwrap();
    it.set_to_default_member().unwrap();
    assert_eq!(it.get_discriminator().get_long(), Ok(99));
    assert_eq!(it.member().unwrap().get_double(), Ok(0.5));
    assert_eq!(name(it.set_to_no_active_member()), "TypeMismatch");
    assert_eq!(
        name(it.set_discriminator(&make(&primitive(TCKind::Short)))),
        "TypeMismatch"
    );
    // The discriminator is the first component, and selects there too.
    it.seek(0);
    it.insert_long(1).unwrap();
    assert_eq!(it.member().unwrap().get_octet(), Ok(0));
    it.to_any().unwrap();
}

#[test]
fn a_union_may_have_no_member() {
    let mut it = make(&union(false));
    let mut it = it.as_union().unwrap();
    assert_eq!(name(it.set_to_default_member()), "TypeMismatch");
    assert!(!it.has_no_active_member());
    it.set_to_no_active_member().unwrap();
    assert!(it.has_no_active_member());
    assert_eq!((it.position(), it.component_count()), (Some(0), 1));
    assert_eq!(it.get_discriminator().get_long(), Ok(0));
    assert_eq!(name(it.member()), "InvalidValue");
    assert_eq!(name(it.member_name()), "InvalidValue");
    assert_eq!(name(it.member_kind()), "InvalidValue");
    let mut label = make(&primitive(TCKind::Long));
    label.insert_long(4).unwrap();
    it.set_discriminator(&label).unwrap();
    assert_eq!((it.has_no_active_member(), it.position()), (true, Some(0)));
    it.to_any().unwrap();

    // Both values of a boolean are named: no discriminator selects nothing.
    let case = |label, name| UnionMember {
        label: Some(label),
        name,
        type_code: primitive(TCKind::Octet),
    };
    let flag = primitive(TCKind::Boolean);
    let cases = [case(0, "no"), case(1, "yes")];
    let full = TypeCode::create_union("IDL:t/F:1.0", "F", &flag, &cases).unwrap();
    let mut it = make(&full);
    assert_eq!(
        name(it.as_union().unwrap().set_to_no_active_member()),
        "TypeMismatch"
    );
}

#[test]
fn sequences_grow_and_shrink() {
    for element in [primitive(TCKind::Long), TypeCode::string(0)] {
        let mut it = make(&sequence(&element, 4));
        let mut it = it.as_sequence().unwrap();
        assert_eq!((it.get_length(), it.position()), (0, None));
        it.set_length(2).unwrap();
        assert_eq!((it.get_length(), it.position()), (2, Some(0)));
        it.seek(1);
        it.set_length(4).unwrap();
        assert_eq!(it.position(), Some(1), "the position stays");
        it.seek(-1);
        it.set_length(3).unwrap();
        assert_eq!(it.position(), None);
        it.set_length(4).unwrap();
        assert_eq!(it.position(), Some(3), "the first new element");
        it.set_length(3).unwrap();
        assert_eq!(it.position(), None, "the current element is left out");
        assert_eq!(name(it.set_length(5)), "InvalidValue");
        let mut all = it.get_elements_as_dyn_any();
        assert_eq!(all.len(), 3);
        it.set_length(0).unwrap();
        assert_eq!((it.get_length(), it.position()), (0, None));
        it.set_elements_as_dyn_any(&all).unwrap();
        assert_eq!((it.get_length(), it.position()), (3, Some(0)));
        all.push(make(&element));
        all.push(make(&element));
        assert_eq!(name(it.set_elements_as_dyn_any(&all)), "InvalidValue");
        let wrong = [make(&primitive(TCKind::Double))];
        assert_eq!(name(it.set_elements_as_dyn_any(&wrong)), "TypeMismatch");
        let anys = it.get_elements().unwrap();
        it.set_elements(&anys[..2]).unwrap();
        assert_eq!(it.get_length(), 2);
        it.set_elements(&[]).unwrap();
        assert_eq!((it.get_length(), it.position()), (0, None));
        it.to_any().unwrap();
    }
    let large = DynAnyFactory::new().with_memory(1_000);
    let mut it = large
        .create_dyn_any_from_type_code(&sequence(&TypeCode::string(0), 0))
        .unwrap();
    let mut it = it.as_sequence().unwrap();
    assert_eq!(name(it.set_length(1_000)), "Limit");
    it.set_length(10).unwrap();
}

#[test]
fn arrays_have_all_their_elements() {
    let long = primitive(TCKind::Long);
    let mut it = make(&TypeCode::create_array(&long, 2).unwrap());
    let mut it = it.as_array().unwrap();
    let any = |value: i32| Any::new(&value).unwrap();
    it.set_elements(&[any(1), any(2)]).unwrap();
    assert_eq!(it.get_elements().unwrap(), [any(1), any(2)]);
    assert_eq!(name(it.set_elements(&[any(1)])), "InvalidValue");
    let wrong = Any::new("a").unwrap();
    assert_eq!(name(it.set_elements(&[any(1), wrong])), "TypeMismatch");
    assert_eq!(
        name(it.set_elements_as_dyn_any(&[make(&long)])),
        "InvalidValue"
    );
    assert_eq!(it.get_elements_as_dyn_any().len(), 2);
}

#[test]
fn values_are_null_or_have_members() {
    let mut it = make(&node());
    let mut it = it.as_value().unwrap();
    assert!(it.is_null());
    assert_eq!(name(it.get_members()), "InvalidValue");
    assert_eq!(name(it.get_members_as_dyn_any()), "InvalidValue");
    assert_eq!(name(it.current_member_name()), "InvalidValue");
    it.set_to_value().unwrap();
    assert_eq!(
        (it.is_null(), it.component_count(), it.position()),
        (false, 2, Some(0))
    );
    assert_eq!(it.current_member_name().unwrap(), "id");
    it.insert_long(7).unwrap();
    it.set_to_value().unwrap();
    assert_eq!(it.get_long(), Ok(7), "a value stays as it is");
    it.next();
    assert_eq!(it.current_member_kind(), Ok(TCKind::Value));
    {
        let mut next = it.current_component().unwrap().unwrap();
        let mut next = next.as_value().unwrap();
        next.set_to_value().unwrap();
        next.insert_long(8).unwrap();
    }
    let members = it.get_members_as_dyn_any().unwrap();
    assert_eq!(members.len(), 2);
    let any = it.to_any().unwrap();
    let factory = DynAnyFactory::new();
    assert!(factory.create_dyn_any(&any).unwrap().equal(&it));
    it.set_to_null().unwrap();
    assert_eq!(
        (it.is_null(), it.component_count(), it.position()),
        (true, 0, None)
    );
    let wrong = [NameDynAnyPair {
        id: "id".to_owned(),
        value: make(&primitive(TCKind::Long)),
    }];
    assert_eq!(name(it.set_members_as_dyn_any(&wrong)), "InvalidValue");
    assert!(it.is_null());
    it.set_members_as_dyn_any(&members).unwrap();
    assert_eq!(it.to_any().unwrap(), any);
    let anys = it.get_members().unwrap();
    it.set_members(&anys).unwrap();
    assert_eq!(it.to_any().unwrap(), any);
}

#[test]
fn boxes_are_null_or_hold_a_value() {
    let long = primitive(TCKind::Long);
    let mut it = make(&boxed(&long));
    let mut it = it.as_value_box().unwrap();
    assert!(it.is_null());
    assert_eq!(name(it.get_boxed_value()), "InvalidValue");
    assert_eq!(name(it.get_boxed_value_as_dyn_any()), "InvalidValue");
    let (seven, text) = (Any::new(&7_i32).unwrap(), Any::new("a").unwrap());
    assert_eq!(name(it.set_boxed_value(&text)), "TypeMismatch");
    assert!(it.is_null());
    it.set_boxed_value(&seven).unwrap();
    assert_eq!(it.get_boxed_value().unwrap(), seven);
    assert_eq!(it.component_count(), 1);
    it.insert_long(8).unwrap();
    assert_eq!(it.get_boxed_value_as_dyn_any().unwrap().get_long(), Ok(8));
    let wrong = make(&TypeCode::string(0));
    assert_eq!(name(it.set_boxed_value_as_dyn_any(&wrong)), "TypeMismatch");
    it.set_to_null().unwrap();
    it.set_to_value().unwrap();
    assert_eq!(it.get_long(), Ok(0));
    it.set_boxed_value_as_dyn_any(&make(&long)).unwrap();
    it.to_any().unwrap();
}
