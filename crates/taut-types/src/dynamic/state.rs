//! Values of value types as data: their state, and what they share.

use std::collections::BTreeMap;

use super::Value;
use crate::engine::MAX_FRAMES;
use crate::node::Node;
use crate::{TCKind, TypeCode, TypeCodeError, ValueModifier};

/// The id of the base of all value types, which has no state of its own.
const VALUE_BASE: &str = "IDL:omg.org/CORBA/ValueBase:1.0";

/// A value of a value type or a value box (CORBA 3.3 part 1, 7.9; on the wire part 2, 9.3.4).
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// Its own type: that of its place, or one derived from it.
    pub type_code: TypeCode,
    /// The number by which a [`Value::Indirection`] further on leads back here, or into it.
    /// None: nothing does. It is the only one of its number in the outermost value or any.
    pub label: Option<u32>,
    /// The members of its bases, the farthest first, and its own; what a box holds is the one
    /// member of a box.
    pub members: Vec<Value>,
}

/// A member of a value's state.
#[derive(Debug, Clone, PartialEq)]
pub struct StateMember {
    /// Its name; `value` for what a box holds.
    pub name: String,
    /// Its type.
    pub type_code: TypeCode,
}

impl TypeCode {
    /// Returns the members of a value type with those of its bases, in the order in which they
    /// travel: the farthest base's first. A value box has one, which is named `value`.
    ///
    /// # Errors
    ///
    /// [`TypeCodeError::BadKind`] for other types, and where a base is no value type or
    /// is its own base.
    pub fn state_members(&self) -> Result<Vec<StateMember>, TypeCodeError> {
        let outermost = self.without_aliases();
        if let Node::Alias(TCKind::ValueBox, it) = outermost.node() {
            let (name, type_code) = ("value".to_owned(), outermost.at(it.original));
            return Ok(vec![StateMember { name, type_code }]);
        }
        let mut members = Vec::new();
        for part in outermost.with_bases()?.iter().rev() {
            let Node::Value(_, it) = part.node() else {
                return Err(TypeCodeError::BadKind);
            };
            members.extend(it.members.iter().map(|one| StateMember {
                name: one.member.name.to_string(),
                type_code: part.at(one.member.node),
            }));
        }
        Ok(members)
    }

    /// Returns a value type and its bases, the nearest first.
    pub(super) fn with_bases(&self) -> Result<Vec<Self>, TypeCodeError> {
        let mut parts = vec![self.clone()];
        let mut last = self.clone();
        while let Some(base) = last.concrete_base_type()? {
            last = base.without_aliases();
            // A peer's TypeCode may say that a type is its own base.
            if parts.len() > usize::from(MAX_FRAMES) || !matches!(last.node(), Node::Value(..)) {
                return Err(TypeCodeError::BadKind);
            }
            parts.push(last.clone());
        }
        Ok(parts)
    }
}

impl State {
    /// Whether a value of this type may stand where the other is declared; None: for an
    /// abstract interface.
    pub(super) fn fits(&self, declared: Option<&TypeCode>) -> bool {
        let Some(declared) = declared else {
            return true;
        };
        if self.type_code.equivalent(declared) {
            return true;
        }
        let Node::Value(_, it) = declared.node() else {
            return false;
        };
        // TypeCodes do not tell which abstract types a type inherits from.
        let is_abstract = declared.type_modifier() == Ok(ValueModifier::Abstract);
        let derives = |parts: Vec<TypeCode>| parts.iter().any(|part| part.id() == Ok(&it.name.id));
        is_abstract || *it.name.id == *VALUE_BASE || self.type_code.with_bases().is_ok_and(derives)
    }

    /// Returns the ids that it is sent with: its own, and those of the bases that it may be
    /// truncated to.
    pub(super) fn sent_ids(&self) -> Vec<String> {
        let own = || vec![self.type_code.id().unwrap_or_default().to_owned()];
        let Ok(parts) = self.type_code.with_bases() else {
            return own();
        };
        let mut ids = Vec::new();
        for part in parts {
            ids.push(part.id().unwrap_or_default().to_owned());
            if part.type_modifier() != Ok(ValueModifier::Truncatable) {
                break;
            }
        }
        ids
    }
}

/// Numbers the values that something leads to from 1, in the order of their places, and takes
/// away the labels of the others.
pub(super) fn keep_labels(value: &mut Value, used: &BTreeMap<u32, u32>) {
    let each = |items: &mut Vec<Value>| items.iter_mut().for_each(|it| keep_labels(it, used));
    match value {
        Value::Members(items) | Value::List(items) => each(items),
        Value::State(state) => {
            state.label = state.label.and_then(|label| used.get(&label).copied());
            each(&mut state.members);
        }
        Value::Indirection(label) => *label = used.get(label).copied().unwrap_or(*label),
        Value::Union(it) => {
            if let Some(member) = &mut it.member {
                keep_labels(member, used);
            }
        }
        Value::Any(held) => keep_labels(&mut held.1, used),
        _ => {}
    }
}
