//! Each `insert_…` and `get_…` on each kind: by itself, as the current component, at −1, and
//! where the component has components itself.

use taut_cdr::LongDouble;
use taut_giop::Ior;
use taut_types::dyn_any::{DynAny, DynAnyError};
use taut_types::dynamic::Value;
use taut_types::{Any, TCKind, TypeCode};

use super::{boxed, make, name, node, primitive, sequence, structure, union};

type Insert = fn(&mut DynAny<'_>) -> Result<(), DynAnyError>;
type Get = fn(&DynAny<'_>) -> Result<(), DynAnyError>;

/// The operations for basic types, and the kind for which each is.
fn basic() -> Vec<(TCKind, Insert, Get)> {
    vec![
        (
            TCKind::Boolean,
            |it| it.insert_boolean(true),
            |it| it.get_boolean().map(drop),
        ),
        (
            TCKind::Octet,
            |it| it.insert_octet(1),
            |it| it.get_octet().map(drop),
        ),
        (
            TCKind::Char,
            |it| it.insert_char(b'a'),
            |it| it.get_char().map(drop),
        ),
        (
            TCKind::WChar,
            |it| it.insert_wchar(0x20ac),
            |it| it.get_wchar().map(drop),
        ),
        (
            TCKind::Short,
            |it| it.insert_short(-1),
            |it| it.get_short().map(drop),
        ),
        (
            TCKind::UShort,
            |it| it.insert_ushort(1),
            |it| it.get_ushort().map(drop),
        ),
        (
            TCKind::Long,
            |it| it.insert_long(-1),
            |it| it.get_long().map(drop),
        ),
        (
            TCKind::ULong,
            |it| it.insert_ulong(1),
            |it| it.get_ulong().map(drop),
        ),
        (
            TCKind::LongLong,
            |it| it.insert_longlong(-1),
            |it| it.get_longlong().map(drop),
        ),
        (
            TCKind::ULongLong,
            |it| it.insert_ulonglong(1),
            |it| it.get_ulonglong().map(drop),
        ),
        (
            TCKind::Float,
            |it| it.insert_float(0.5),
            |it| it.get_float().map(drop),
        ),
        (
            TCKind::Double,
            |it| it.insert_double(0.5),
            |it| it.get_double().map(drop),
        ),
        (
            TCKind::LongDouble,
            |it| it.insert_longdouble(LongDouble::from_f64(0.5)),
            |it| it.get_longdouble().map(drop),
        ),
        (
            TCKind::String,
            |it| it.insert_string("abc"),
            |it| it.get_string().map(drop),
        ),
        (
            TCKind::WString,
            |it| it.insert_wstring("a€"),
            |it| it.get_wstring().map(drop),
        ),
        (
            TCKind::TypeCode,
            |it| it.insert_typecode(TypeCode::string(7)),
            |it| it.get_typecode().map(drop),
        ),
        (
            TCKind::ObjectReference,
            |it| it.insert_reference(Ior::default()),
            |it| it.get_reference().map(drop),
        ),
        (
            TCKind::Any,
            |it| it.insert_any(&Any::new(&7_i32).unwrap()),
            |it| it.get_any().map(drop),
        ),
        (
            TCKind::Any,
            |it| it.insert_dyn_any(&make(&node())),
            |it| it.get_dyn_any().map(drop),
        ),
        (
            TCKind::AbstractInterface,
            |it| it.insert_abstract(Value::Null),
            |it| it.get_abstract().map(drop),
        ),
        (
            TCKind::Value,
            |it| it.insert_val(Value::Null),
            |it| it.get_val().map(drop),
        ),
        (
            TCKind::ValueBox,
            |it| it.insert_val(Value::Null),
            |it| it.get_val().map(drop),
        ),
    ]
}

/// A type of each kind of which there are values.
fn types() -> Vec<TypeCode> {
    let long = primitive(TCKind::Long);
    let named = |kind| TypeCode::create_named(kind, "IDL:t/I:1.0", "I").unwrap();
    let mut types: Vec<_> = basic()
        .iter()
        .filter_map(|(kind, ..)| TypeCode::primitive(*kind).ok())
        .collect();
    types.extend([
        primitive(TCKind::Null),
        primitive(TCKind::Void),
        TypeCode::string(3),
        TypeCode::wstring(2),
        TypeCode::create_fixed(5, 2).unwrap(),
        TypeCode::create_enum("IDL:t/E:1.0", "E", &["A", "B"]).unwrap(),
        named(TCKind::ObjectReference),
        named(TCKind::AbstractInterface),
        structure(&[("x", long.clone())]),
        TypeCode::create_exception("IDL:t/X:1.0", "X", &[("x", long.clone())]).unwrap(),
        union(true),
        sequence(&long, 0),
        TypeCode::create_array(&long, 2).unwrap(),
        node(),
        boxed(&long),
    ]);
    types
}

const VALUES: [TCKind; 2] = [TCKind::Value, TCKind::ValueBox];

/// Whether its values have components.
fn is_whole(kind: TCKind) -> bool {
    use TCKind::{Array, Exception, Sequence, Struct, Union, Value, ValueBox};
    [Struct, Exception, Union, Sequence, Array, Value, ValueBox].contains(&kind)
}

/// The outcome of an operation for `wanted` on a component of this kind.
fn on_component(wanted: TCKind, kind: TCKind) -> &'static str {
    let fits = wanted == kind || (VALUES.contains(&wanted) && VALUES.contains(&kind));
    if fits { "ok" } else { "TypeMismatch" }
}

#[test]
fn each_operation_on_each_kind_by_itself() {
    let mut count = 0;
    for of in types() {
        for (wanted, insert, get) in basic() {
            let kind = of.kind();
            let mut it = make(&of);
            let expected = match (kind, it.component_count()) {
                // The first component is a long, but for a union.
                _ if on_component(wanted, kind) == "ok" => "ok",
                (TCKind::Union, _) => on_component(wanted, TCKind::Long),
                (_, 1..) => on_component(wanted, TCKind::Long),
                (kind, 0) if is_whole(kind) => "InvalidValue",
                _ => "TypeMismatch",
            };
            assert_eq!(name(get(&it)), expected, "get {wanted} of {of}");
            assert_eq!(name(insert(&mut it)), expected, "insert {wanted} into {of}");
            count += 2;
        }
    }
    assert!(count > 1_000, "{count}");
}

#[test]
fn each_operation_on_each_kind_as_a_component() {
    for of in types() {
        if matches!(of.kind(), TCKind::Null | TCKind::Void | TCKind::Exception) {
            continue;
        }
        // An alias is looked through.
        let alias = TypeCode::create_alias("IDL:t/A:1.0", "A", &of).unwrap();
        let whole = structure(&[("a", primitive(TCKind::Octet)), ("b", alias)]);
        for (wanted, insert, get) in basic() {
            let mut it = make(&whole);
            assert!(it.next());
            let expected = on_component(wanted, of.kind());
            assert_eq!(name(get(&it)), expected, "get {wanted} of {of}");
            assert_eq!(name(insert(&mut it)), expected, "insert {wanted} into {of}");
            assert_eq!(it.position(), Some(1), "the position stays");
            if expected == "ok" {
                get(&it).unwrap();
                it.to_any().unwrap();
            }
            assert!(!it.seek(-1));
            assert_eq!(name(get(&it)), "InvalidValue", "get {wanted}");
            assert_eq!(name(insert(&mut it)), "InvalidValue", "insert {wanted}");
        }
    }
}

#[test]
fn what_is_inserted_is_there_and_bounds_hold() {
    let mut it = make(&primitive(TCKind::LongLong));
    it.insert_longlong(i64::MIN).unwrap();
    assert_eq!(it.get_longlong(), Ok(i64::MIN));
    assert_eq!(it.to_any().unwrap(), Any::new(&i64::MIN).unwrap());
    let mut text = make(&TypeCode::string(3));
    assert_eq!(name(text.insert_string("abcd")), "InvalidValue");
    // A bound counts characters.
    text.insert_string("é€Ω").unwrap();
    text.to_any().unwrap();
    text.insert_string("abc").unwrap();
    assert_eq!(text.get_string().unwrap(), "abc");
    let mut wide = make(&TypeCode::wstring(2));
    assert_eq!(name(wide.insert_wstring("a\u{10000}")), "InvalidValue");
    wide.insert_wstring("\u{10000}").unwrap();
    assert_eq!(wide.get_wstring().unwrap(), "\u{10000}");

    let mut held = make(&primitive(TCKind::Any));
    held.insert_any(&Any::new("x").unwrap()).unwrap();
    assert_eq!(held.get_any().unwrap(), Any::new("x").unwrap());
    let mut inner = held.get_dyn_any().unwrap();
    inner.insert_string("y").unwrap();
    assert_eq!(held.get_any().unwrap(), Any::new("x").unwrap());
    held.insert_dyn_any(&inner).unwrap();
    assert_eq!(held.get_any().unwrap(), Any::new("y").unwrap());

    let mut value = make(&node());
    assert_eq!(name(value.insert_val(Value::Long(1))), "TypeMismatch");
    let other = make(&boxed(&primitive(TCKind::Long)));
    let mut other = other;
    other.as_value_box().unwrap().set_to_value().unwrap();
    let wrong = other.get_val().unwrap();
    assert_eq!(name(value.insert_val(wrong)), "TypeMismatch");
    value.as_value().unwrap().set_to_value().unwrap();
    let right = value.get_val().unwrap();
    let mut again = make(&node());
    again.insert_val(right).unwrap();
    assert!(again.equal(&value));
    assert_eq!(again.position(), Some(0));
}

type InsertMany = fn(&mut DynAny<'_>, usize) -> Result<(), DynAnyError>;
type Count = fn(&DynAny<'_>) -> Result<usize, DynAnyError>;

fn lists() -> Vec<(TCKind, InsertMany, Count)> {
    macro_rules! list {
        ($($kind:ident $insert:ident $get:ident $value:expr;)*) => {
            vec![$((
                TCKind::$kind,
                |it, count| it.$insert(&vec![$value; count]),
                |it| it.$get().map(|items| {
                    assert!(items.iter().all(|item| *item == $value));
                    items.len()
                }),
            ),)*]
        };
    }
    list! {
        Boolean insert_boolean_seq get_boolean_seq true;
        Octet insert_octet_seq get_octet_seq 7_u8;
        Char insert_char_seq get_char_seq b'a';
        WChar insert_wchar_seq get_wchar_seq 0x20ac_u16;
        Short insert_short_seq get_short_seq -1_i16;
        UShort insert_ushort_seq get_ushort_seq 1_u16;
        Long insert_long_seq get_long_seq -1_i32;
        ULong insert_ulong_seq get_ulong_seq 1_u32;
        LongLong insert_longlong_seq get_longlong_seq -1_i64;
        ULongLong insert_ulonglong_seq get_ulonglong_seq 1_u64;
        Float insert_float_seq get_float_seq 0.5_f32;
        Double insert_double_seq get_double_seq 0.5_f64;
        LongDouble insert_longdouble_seq get_longdouble_seq LongDouble::from_f64(0.5);
    }
}

#[test]
fn lists_of_basic_types_move_as_a_whole() {
    for (kind, insert, count) in lists() {
        let element = primitive(kind);
        let list = sequence(&element, 3);
        let array = TypeCode::create_array(&element, 2).unwrap();
        let mut it = make(&list);
        assert_eq!(count(&it), Ok(0), "{kind}");
        insert(&mut it, 3).unwrap();
        assert_eq!((count(&it), it.position()), (Ok(3), Some(0)), "{kind}");
        assert_eq!(name(insert(&mut it, 4)), "InvalidValue", "{kind}");
        assert_eq!(count(&it), Ok(3), "{kind}");
        insert(&mut it, 0).unwrap();
        assert_eq!((count(&it), it.position()), (Ok(0), None), "{kind}");
        let mut it = make(&array);
        for (length, expected) in [(1, "InvalidValue"), (2, "ok"), (3, "InvalidValue")] {
            assert_eq!(name(insert(&mut it, length)), expected, "{kind}");
        }
        it.to_any().unwrap();
        // As a component, at −1, and in what is none.
        let mut whole = make(&structure(&[("a", list.clone()), ("b", element.clone())]));
        insert(&mut whole, 2).unwrap();
        assert_eq!(count(&whole), Ok(2), "{kind}");
        assert!(whole.next());
        assert_eq!(name(insert(&mut whole, 2)), "TypeMismatch", "{kind}");
        assert_eq!(name(count(&whole)), "TypeMismatch", "{kind}");
        assert!(!whole.next());
        assert_eq!(name(insert(&mut whole, 2)), "InvalidValue", "{kind}");
        assert_eq!(name(count(&whole)), "InvalidValue", "{kind}");
        let mut it = make(&element);
        assert_eq!(name(insert(&mut it, 2)), "TypeMismatch", "{kind}");
        assert_eq!(name(count(&it)), "TypeMismatch", "{kind}");
        for (other, insert_other, _) in lists() {
            let mut it = make(&list);
            let expected = if other == kind { "ok" } else { "InvalidValue" };
            assert_eq!(
                name(insert_other(&mut it, 1)),
                expected,
                "{other} into {kind}"
            );
        }
    }
}
