//! DynAnys: each operation on each kind, in its right and its wrong uses; and parts by name.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod described;
mod factory;
mod kinds;
mod navigation;
mod table;

use taut_types::dyn_any::{DynAny, DynAnyError, DynAnyFactory};
use taut_types::{MemberVisibility, TCKind, TypeCode, UnionMember, ValueMember, ValueModifier};

fn primitive(kind: TCKind) -> TypeCode {
    TypeCode::primitive(kind).unwrap()
}

fn sequence(element: &TypeCode, bound: u32) -> TypeCode {
    TypeCode::create_sequence(element, bound).unwrap()
}

fn structure(members: &[(&str, TypeCode)]) -> TypeCode {
    TypeCode::create_struct("IDL:t/S:1.0", "S", members).unwrap()
}

/// `union U switch (long) { case 1: case 2: octet small; case 3: string text; default: … }`
fn union(has_default: bool) -> TypeCode {
    let case = |label, name, type_code| UnionMember {
        label,
        name,
        type_code,
    };
    let mut cases = vec![
        case(Some(1), "small", primitive(TCKind::Octet)),
        case(Some(2), "small", primitive(TCKind::Octet)),
        case(Some(3), "text", TypeCode::string(0)),
    ];
    if has_default {
        cases.push(case(None, "other", primitive(TCKind::Double)));
    }
    let label = primitive(TCKind::Long);
    TypeCode::create_union("IDL:t/U:1.0", "U", &label, &cases).unwrap()
}

/// `valuetype Node { public long id; public Node next; };`
fn node() -> TypeCode {
    let own = TypeCode::create_recursive("IDL:t/DynNode:1.0").unwrap();
    let member = |name, type_code| ValueMember {
        name,
        type_code,
        visibility: MemberVisibility::Public,
    };
    let members = [member("id", primitive(TCKind::Long)), member("next", own)];
    let (id, none) = ("IDL:t/DynNode:1.0", ValueModifier::None);
    TypeCode::create_value(TCKind::Value, id, "Node", none, None, &members).unwrap()
}

fn boxed(of: &TypeCode) -> TypeCode {
    TypeCode::create_value_box("IDL:t/B:1.0", "B", of).unwrap()
}

/// A DynAny with the default value of a type.
fn make(of: &TypeCode) -> DynAny<'static> {
    DynAnyFactory::new()
        .create_dyn_any_from_type_code(of)
        .unwrap()
}

/// Which of the standard's exceptions it is.
fn name<T>(outcome: Result<T, DynAnyError>) -> &'static str {
    match outcome {
        Ok(_) => "ok",
        Err(DynAnyError::TypeMismatch(_)) => "TypeMismatch",
        Err(DynAnyError::InvalidValue(_)) => "InvalidValue",
        Err(DynAnyError::Limit(_)) => "Limit",
        Err(_) => "another",
    }
}
