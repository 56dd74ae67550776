//! Enumerations (CORBA 3.3 part 1, 13.2.5).

use super::{DynAny, DynAnyError, Result};
use crate::TCKind;
use crate::dynamic::Value;

/// A value of an enumeration (the standard's `DynEnum`).
#[derive(Debug)]
pub struct DynEnum<'d, 'v>(pub(super) &'d mut DynAny<'v>);

super::members::narrowed!(DynEnum);

impl<'v> DynAny<'v> {
    /// Returns it as a value of an enumeration. None: it is none.
    pub fn as_enum(&mut self) -> Option<DynEnum<'_, 'v>> {
        (self.plain.kind() == TCKind::Enum).then_some(DynEnum(self))
    }
}

impl DynEnum<'_, '_> {
    /// Returns the name of the enumerator; empty if the TypeCode has no names.
    pub fn get_as_string(&self) -> String {
        let name = self.0.plain.member_name(self.get_as_ulong() as usize);
        name.unwrap_or_default().to_owned()
    }

    /// Sets the enumerator by its name.
    ///
    /// # Errors
    ///
    /// [`DynAnyError::InvalidValue`] when there is none of this name.
    pub fn set_as_string(&mut self, name: &str) -> Result<()> {
        let names = (0..self.count_of_all()).map(|index| self.0.plain.member_name(index));
        let known: Vec<_> = names.flatten().collect();
        let Some(ordinal) = known.iter().position(|known| *known == name) else {
            let known = known.join(", ");
            let text = format!("there is no enumerator `{name}`: write one of {known}");
            return Err(DynAnyError::InvalidValue(text));
        };
        self.0.put(Value::Enum(ordinal as u32))
    }

    /// Returns the ordinal of the enumerator, from 0.
    pub fn get_as_ulong(&self) -> u32 {
        match &*self.0.value() {
            Value::Enum(ordinal) => *ordinal,
            _ => 0,
        }
    }

    /// Sets the enumerator by its ordinal.
    ///
    /// # Errors
    ///
    /// [`DynAnyError::InvalidValue`] when there is none of this ordinal.
    pub fn set_as_ulong(&mut self, ordinal: u32) -> Result<()> {
        let count = self.count_of_all();
        if ordinal as usize >= count {
            let text = format!("there is no enumerator {ordinal}: the type has {count}");
            return Err(DynAnyError::InvalidValue(text));
        }
        self.0.put(Value::Enum(ordinal))
    }

    fn count_of_all(&self) -> usize {
        self.0.plain.member_count().unwrap_or_default()
    }
}
