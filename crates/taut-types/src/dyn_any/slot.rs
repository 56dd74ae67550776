//! Where the value of a DynAny is kept.

use std::borrow::Cow;

use super::union::{label_of, set_label, value_of_label};
use super::{DynAnyError, Result};
use crate::TypeCode;
use crate::dynamic::{Elements, Fault, Mismatch, UnionValue, Value};

/// The place of a value.
pub(super) enum Slot<'v> {
    /// In the DynAny.
    Owned(Value),
    /// In the value that it is a component of.
    Part(&'v mut Value),
    /// In a list of primitives.
    Element(&'v mut Elements, usize),
    /// The discriminator of a union of this type, and the memory that a member may take which it
    /// selects.
    Discriminator(&'v mut UnionValue, TypeCode, usize),
}

impl Slot<'_> {
    pub(super) fn value(&self) -> Cow<'_, Value> {
        match self {
            Self::Owned(value) => Cow::Borrowed(value),
            Self::Part(value) => Cow::Borrowed(value),
            Self::Element(elements, index) => {
                Cow::Owned(elements.get(*index).unwrap_or(Value::Nothing))
            }
            Self::Discriminator(it, union, _) => Cow::Owned(value_of_label(union, it.label)),
        }
    }

    /// Returns a component of a value of this type.
    pub(super) fn component(&self, index: usize, plain: &TypeCode) -> Option<Cow<'_, Value>> {
        let whole = match self {
            Self::Owned(value) => value,
            Self::Part(value) => value,
            Self::Element(..) | Self::Discriminator(..) => return None,
        };
        match whole {
            Value::Members(items) | Value::List(items) => items.get(index).map(Cow::Borrowed),
            Value::Elements(elements) => elements.get(index).map(Cow::Owned),
            Value::State(state) => state.members.get(index).map(Cow::Borrowed),
            Value::Union(it) if index == 0 => Some(Cow::Owned(value_of_label(plain, it.label))),
            Value::Union(it) if index == 1 => it.member.as_ref().map(Cow::Borrowed),
            _ => None,
        }
    }

    /// Returns the value, to change its parts. None: it has no parts.
    pub(super) fn whole(&mut self) -> Option<&mut Value> {
        match self {
            Self::Owned(value) => Some(value),
            Self::Part(value) => Some(value),
            Self::Element(..) | Self::Discriminator(..) => None,
        }
    }

    pub(super) fn put(&mut self, value: Value) -> Result<()> {
        match self {
            Self::Owned(place) => *place = value,
            Self::Part(place) => **place = value,
            Self::Element(elements, index) => {
                if !elements.set(*index, &value) {
                    return Err(DynAnyError::invalid("the element is no longer there"));
                }
            }
            Self::Discriminator(it, union, memory) => {
                let label = label_of(&value).ok_or_else(|| {
                    let label = union.discriminator_type().unwrap_or_default();
                    DynAnyError::type_mismatch(&label, "a value that is no label")
                })?;
                set_label(union, it, label, *memory)?;
            }
        }
        Ok(())
    }

    /// Returns the place of a component of a value of this type. None: it has no such component.
    ///
    /// # Errors
    ///
    /// [`DynAnyError::Limit`] when structs in one piece take more memory one by one.
    pub(super) fn part(
        &mut self,
        index: usize,
        plain: &TypeCode,
        memory: usize,
    ) -> Result<Option<Slot<'_>>> {
        let Some(whole) = self.whole() else {
            return Ok(None);
        };
        if let Value::Elements(Elements::Structs(structs)) = whole {
            // Their members are changed where they are, which those in one piece have not.
            if structs.size_of_all() > memory {
                return Err(Mismatch::new(Fault::Memory { limit: memory }).into());
            }
            *whole = Value::List(structs.to_values());
        }
        Ok(match whole {
            Value::Members(items) | Value::List(items) => items.get_mut(index).map(Slot::Part),
            Value::Elements(elements) => {
                (index < elements.len()).then_some(Slot::Element(elements, index))
            }
            Value::State(state) => state.members.get_mut(index).map(Slot::Part),
            Value::Union(it) => match index {
                0 => Some(Slot::Discriminator(it, plain.clone(), memory)),
                1 => it.member.as_mut().map(Slot::Part),
                _ => None,
            },
            _ => None,
        })
    }

    /// Returns the same place for a shorter time.
    pub(super) fn again(&mut self) -> Slot<'_> {
        match self {
            Self::Owned(value) => Slot::Part(value),
            Self::Part(value) => Slot::Part(value),
            Self::Element(elements, index) => Slot::Element(elements, *index),
            Self::Discriminator(it, union, memory) => {
                Slot::Discriminator(it, union.clone(), *memory)
            }
        }
    }
}
