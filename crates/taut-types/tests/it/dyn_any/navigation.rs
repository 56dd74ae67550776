//! Going through components, and what all DynAnys have.

use taut_types::dyn_any::DynAnyFactory;
use taut_types::dynamic::Value;
use taut_types::{Any, TCKind, TypeCode, ValueModifier};

use super::{boxed, make, name, node, primitive, sequence, structure, union};

#[test]
fn positions_are_where_the_standard_says() {
    let point = structure(&[
        ("x", primitive(TCKind::Long)),
        ("y", primitive(TCKind::Long)),
    ]);
    let empty = TypeCode::create_exception("IDL:t/X:1.0", "X", &[]).unwrap();
    let array = TypeCode::create_array(&point, 3).unwrap();
    for (of, count) in [
        (&point, 2),
        (&array, 3),
        (&union(true), 2),
        (&sequence(&point, 0), 0),
        (&node(), 0),
        (&boxed(&point), 0),
        (&empty, 0),
        (&primitive(TCKind::Long), 0),
        (&TypeCode::string(0), 0),
    ] {
        let mut it = make(of);
        assert_eq!(it.component_count(), count, "{of}");
        let first = (count > 0).then_some(0);
        assert_eq!(it.position(), first, "{of}");
        for index in 0..count {
            assert!(it.seek(index as i32), "{of}");
            assert_eq!(it.position(), Some(index as usize));
        }
        for index in [count as i32, -1, i32::MIN, i32::MAX] {
            assert!(!it.seek(index), "{of}");
            assert_eq!(it.position(), None);
        }
        // From −1, next is the first.
        assert_eq!(it.next(), count > 0, "{of}");
        it.rewind();
        assert_eq!(it.position(), first, "{of}");
        let steps = (0..10).take_while(|_| it.next()).count();
        assert_eq!(steps, count.saturating_sub(1) as usize, "{of}");
        assert_eq!(it.position(), None, "{of}");
    }
}

#[test]
fn only_types_with_components_have_a_current_one() {
    let long = primitive(TCKind::Long);
    for of in [
        long.clone(),
        TypeCode::string(0),
        primitive(TCKind::Any),
        TypeCode::create_enum("IDL:t/E:1.0", "E", &["A"]).unwrap(),
        TypeCode::create_exception("IDL:t/X:1.0", "X", &[]).unwrap(),
    ] {
        assert_eq!(name(make(&of).current_component()), "TypeMismatch", "{of}");
    }
    for of in [sequence(&long, 0), node(), boxed(&long)] {
        assert!(make(&of).current_component().unwrap().is_none(), "{of}");
    }
    let mut it = make(&structure(&[("x", long)]));
    assert!(it.current_component().unwrap().is_some());
    it.seek(-1);
    assert!(it.current_component().unwrap().is_none());
}

#[test]
fn a_changed_component_changes_the_whole() {
    let longs = sequence(&primitive(TCKind::Long), 0);
    let inner = structure(&[("name", TypeCode::string(0)), ("longs", longs)]);
    let outer = structure(&[("first", primitive(TCKind::Boolean)), ("inner", inner)]);
    let mut it = make(&outer);
    it.insert_boolean(true).unwrap();
    it.next();
    {
        let mut inner = it.current_component().unwrap().unwrap();
        inner.insert_string("a").unwrap();
        inner.next();
        inner.insert_long_seq(&[1, 2, 3]).unwrap();
        let mut longs = inner.current_component().unwrap().unwrap();
        longs.seek(1);
        longs.insert_long(7).unwrap();
        let mut last = longs.current_component().unwrap().unwrap();
        last.insert_long(8).unwrap();
        // A component that is destroyed stays.
        last.destroy();
    }
    let mut copy = it.copy();
    assert_eq!(copy.position(), Some(0));
    assert!(copy.equal(&it) && it.equal(&copy));
    copy.insert_boolean(false).unwrap();
    assert!(!copy.equal(&it));
    it.seek(1);
    let mut inner = it.current_component().unwrap().unwrap();
    assert_eq!(inner.get_string().unwrap(), "a");
    inner.seek(1);
    assert_eq!(inner.get_long_seq().unwrap(), [1, 8, 3]);
}

#[test]
fn values_are_taken_of_equivalent_types_alone() {
    let long = primitive(TCKind::Long);
    let alias = TypeCode::create_alias("IDL:t/A:1.0", "A", &long).unwrap();
    let mut it = make(&alias);
    it.from_any(&Any::new(&7_i32).unwrap()).unwrap();
    assert_eq!(it.get_long(), Ok(7));
    assert_eq!(it.type_code(), &alias);
    assert_eq!(it.to_any().unwrap().type_code(), &alias);
    assert_eq!(
        name(it.from_any(&Any::new(&7_i16).unwrap())),
        "TypeMismatch"
    );
    let mut other = make(&long);
    other.assign(&it).unwrap();
    assert_eq!(other.get_long(), Ok(7));
    assert!(other.equal(&it), "aliases do not count");
    assert_eq!(
        name(other.assign(&make(&TypeCode::string(0)))),
        "TypeMismatch"
    );
    assert!(!make(&TypeCode::string(0)).equal(&make(&TypeCode::wstring(0))));

    // An enumerator beyond the last is no legal value.
    let color = TypeCode::create_enum("IDL:t/E:1.0", "E", &["A"]).unwrap();
    let wrong = Any::with_type(color.clone(), &7_u32).unwrap();
    assert_eq!(name(make(&color).from_any(&wrong)), "InvalidValue");
    assert!(DynAnyFactory::new().create_dyn_any(&wrong).is_err());

    let mut whole = make(&structure(&[("x", long.clone()), ("y", long)]));
    whole.seek(1);
    let same = whole.copy();
    whole.assign(&same).unwrap();
    assert_eq!(whole.position(), Some(0), "assign returns to the first");
}

/// It had none, for its own members were counted alone.
#[test]
fn a_value_whose_members_are_all_inherited_has_components() {
    let (id, none) = ("IDL:t/Heir:1.0", ValueModifier::None);
    let heir = TypeCode::create_value(TCKind::Value, id, "Heir", none, Some(&node()), &[]);
    let mut it = make(&heir.unwrap());
    let mut it = it.as_value().unwrap();
    it.set_to_value().unwrap();
    assert_eq!(it.component_count(), 2);
    let mut first = it.current_component().unwrap().unwrap();
    first.insert_long(7).unwrap();
    assert_eq!(it.get_long(), Ok(7));
}

/// Its operations went to the members of the value.
#[test]
fn an_abstract_interface_may_stand_for_a_value_that_has_components() {
    let id = "IDL:t/Abstract:1.0";
    let of = TypeCode::create_named(TCKind::AbstractInterface, id, "Abstract").unwrap();
    let mut value = make(&node());
    value.as_value().unwrap().set_to_value().unwrap();
    let value = value.value().into_owned();
    let mut it = make(&of);
    for stands_for in [value.clone(), value, Value::Null] {
        it.insert_abstract(stands_for.clone()).unwrap();
        assert_eq!(it.get_abstract(), Ok(stands_for));
    }
    assert_eq!(name(it.insert_abstract(Value::Long(1))), "TypeMismatch");
}

/// It was told that there is no component, though there is a position.
#[test]
fn structs_in_one_piece_that_take_too_much_memory_one_by_one_are_told() {
    let pair = structure(&[
        ("x", primitive(TCKind::Long)),
        ("y", primitive(TCKind::Octet)),
    ]);
    let rows = sequence(&pair, 0);
    let mut few = make(&rows);
    few.as_sequence().unwrap().set_length(100).unwrap();
    let any = few.to_any().unwrap();
    for (memory, outcome) in [(4_000_000, "ok"), (500, "Limit")] {
        let factory = DynAnyFactory::new().with_memory(memory);
        let mut it = factory.create_dyn_any(&any).unwrap();
        assert_eq!(it.position(), Some(0));
        assert_eq!(name(it.current_component()), outcome, "{memory}");
    }
}
