//! When values are equal.

use crate::dynamic::{Elements, Value};

/// Whether two values of equivalent types are equal: TypeCodes in them are when they are
/// equivalent.
pub(super) fn same(one: &Value, other: &Value) -> bool {
    let all = |one: &[Value], other: &[Value]| {
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
    };
    match (one, other) {
        (Value::Members(one), Value::Members(other)) | (Value::List(one), Value::List(other)) => {
            all(one, other)
        }
        (Value::List(items), Value::Elements(elements))
        | (Value::Elements(elements), Value::List(items)) => listed(elements, items),
        (Value::Union(one), Value::Union(other)) => {
            one.label == other.label
                && match (&one.member, &other.member) {
                    (Some(one), Some(other)) => same(one, other),
                    (one, other) => one.is_none() && other.is_none(),
                }
        }
        (Value::Any(one), Value::Any(other)) => {
            one.0.equivalent(&other.0) && same(&one.1, &other.1)
        }
        (Value::State(one), Value::State(other)) => {
            one.label == other.label
                && one.type_code.equivalent(&other.type_code)
                && all(&one.members, &other.members)
        }
        (Value::TypeCode(one), Value::TypeCode(other)) => one.equivalent(other),
        (one, other) => one == other,
    }
}

/// Whether a list has the elements that are in one piece elsewhere.
fn listed(elements: &Elements, items: &[Value]) -> bool {
    let mut each = items.iter().enumerate();
    elements.len() == items.len()
        && each.all(|(index, item)| elements.get(index).as_ref() == Some(item))
}
