//! Sequences and arrays (CORBA 3.3 part 1, 13.2.8 and 13.2.9).

use super::slot::Slot;
use super::{DynAny, DynAnyError, Result};
use crate::dynamic::{Fault, Mismatch, Value};
use crate::{Any, TCKind, TypeCode};

/// A sequence (the standard's `DynSequence`).
#[derive(Debug)]
pub struct DynSequence<'d, 'v>(pub(super) &'d mut DynAny<'v>);

/// An array (the standard's `DynArray`).
#[derive(Debug)]
pub struct DynArray<'d, 'v>(pub(super) &'d mut DynAny<'v>);

super::members::narrowed!(DynSequence);
super::members::narrowed!(DynArray);

impl<'v> DynAny<'v> {
    /// Returns it as a sequence. None: it is none.
    pub fn as_sequence(&mut self) -> Option<DynSequence<'_, 'v>> {
        (self.plain.kind() == TCKind::Sequence).then_some(DynSequence(self))
    }

    /// Returns it as an array. None: it is none.
    pub fn as_array(&mut self) -> Option<DynArray<'_, 'v>> {
        (self.plain.kind() == TCKind::Array).then_some(DynArray(self))
    }

    fn element_type(&self) -> TypeCode {
        self.plain.content_type().unwrap_or_default()
    }

    fn copies(&self) -> Vec<DynAny<'static>> {
        let of = |index| {
            let (type_code, value) = self.component_value(index)?;
            Some(DynAny::new(
                type_code,
                Slot::Owned(value.into_owned()),
                self.memory,
            ))
        };
        (0..self.count()).filter_map(of).collect()
    }

    /// Sets all elements, which are given with these types.
    fn set_all<'t>(
        &mut self,
        types: impl ExactSizeIterator<Item = &'t TypeCode>,
        mut value: impl FnMut(usize) -> Result<Value>,
    ) -> Result<()> {
        let of = self.element_type();
        let count = types.len();
        for found in types {
            if !of.equivalent(found) {
                return Err(DynAnyError::type_mismatch(&of, found.declared()));
            }
        }
        check_length(&self.plain, count)?;
        let items = (0..count).map(&mut value).collect::<Result<_>>()?;
        self.put_whole(Value::elements(&of, items))
    }
}

/// The operations that sequences and arrays share.
macro_rules! elements {
    ($name:ident) => {
        impl $name<'_, '_> {
            /// Returns all elements.
            ///
            /// # Errors
            ///
            /// Those of [`DynAny::to_any`].
            pub fn get_elements(&self) -> Result<Vec<Any>> {
                self.0.copies().iter().map(DynAny::to_any).collect()
            }

            /// Sets all elements, and returns to the first.
            ///
            /// # Errors
            ///
            /// [`DynAnyError::TypeMismatch`] when one is of another type;
            /// [`DynAnyError::InvalidValue`] when they are more than the bound of a sequence,
            /// not as many as an array has, or one holds no legal value.
            pub fn set_elements(&mut self, values: &[Any]) -> Result<()> {
                let memory = self.0.memory;
                let types = values.iter().map(Any::type_code);
                self.0.set_all(types, |index| {
                    Ok(super::factory::read(&values[index], memory)?.0)
                })
            }

            /// Returns copies of all elements.
            pub fn get_elements_as_dyn_any(&self) -> Vec<DynAny<'static>> {
                self.0.copies()
            }

            /// Sets all elements to copies of these, and returns to the first.
            ///
            /// # Errors
            ///
            /// Those of [`set_elements`](Self::set_elements).
            pub fn set_elements_as_dyn_any(&mut self, values: &[DynAny<'_>]) -> Result<()> {
                let types = values.iter().map(DynAny::type_code);
                self.0
                    .set_all(types, |index| Ok(values[index].value().into_owned()))
            }
        }
    };
}

elements!(DynSequence);
elements!(DynArray);

impl DynSequence<'_, '_> {
    /// Returns the number of elements.
    pub fn get_length(&self) -> u32 {
        self.0.component_count()
    }

    /// Makes them so many. New elements have their default value; if the current position was
    /// −1, it is that of the first of them. If the current element is left out, it is −1.
    ///
    /// # Errors
    ///
    /// [`DynAnyError::InvalidValue`] beyond the bound; [`DynAnyError::Limit`] when they take too
    /// much memory.
    pub fn set_length(&mut self, length: u32) -> Result<()> {
        let new = length as usize;
        check_length(&self.0.plain, new)?;
        let old = self.0.count();
        let limit = self.0.memory;
        let added = new.saturating_sub(old);
        let size = match self.0.slot.whole() {
            Some(Value::Elements(elements)) => elements.size_of_one(),
            _ => size_of::<Value>(),
        };
        if added.saturating_mul(size) > limit {
            return Err(Mismatch::new(Fault::Memory { limit }).into());
        }
        let of = self.0.element_type();
        let first = match added {
            0 => None,
            _ => Some(Value::default_of(&of, limit / added)?),
        };
        match self.0.slot.whole() {
            Some(Value::Elements(elements)) => elements.resize(new),
            Some(Value::List(items)) => items.resize(new, first.unwrap_or(Value::Nothing)),
            _ => return Err(self.0.mismatch("has another value")),
        }
        self.0.position = match self.0.position {
            None if new > old => Some(old),
            position => position.filter(|position| *position < new),
        };
        Ok(())
    }
}

/// Checks that a list of this type may have so many elements.
pub(super) fn check_length(plain: &TypeCode, found: usize) -> Result<()> {
    let length = plain.length().unwrap_or_default() as usize;
    let text = match plain.kind() {
        TCKind::Array if found != length => {
            format!("{found} elements, where the array has {length}")
        }
        TCKind::Sequence if length > 0 && found > length => {
            format!("{found} elements, where the sequence has at most {length}")
        }
        _ => return Ok(()),
    };
    Err(DynAnyError::InvalidValue(text))
}
