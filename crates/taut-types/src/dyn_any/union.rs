//! Unions (CORBA 3.3 part 1, 13.2.7).

use super::slot::Slot;
use super::{DynAny, DynAnyError, Result};
use crate::dynamic::{UnionValue, Value};
use crate::{TCKind, TypeCode};

/// A union (the standard's `DynUnion`): its components are the discriminator and, if one is
/// active, the member.
#[derive(Debug)]
pub struct DynUnion<'d, 'v>(pub(super) &'d mut DynAny<'v>);

super::members::narrowed!(DynUnion);

impl<'v> DynAny<'v> {
    /// Returns it as a union. None: it is none.
    pub fn as_union(&mut self) -> Option<DynUnion<'_, 'v>> {
        (self.plain.kind() == TCKind::Union).then_some(DynUnion(self))
    }
}

impl DynUnion<'_, '_> {
    /// Returns a copy of the discriminator.
    pub fn get_discriminator(&self) -> DynAny<'static> {
        let value = value_of_label(&self.0.plain, self.label());
        let of = self.0.plain.discriminator_type().unwrap_or_default();
        DynAny::new(of, Slot::Owned(value), self.0.memory)
    }

    /// Sets the discriminator. If it selects another member than the active one, that member is
    /// active with its default value, and the current position is 1; if it selects none, no
    /// member is active, and the position is 0.
    ///
    /// # Errors
    ///
    /// [`DynAnyError::TypeMismatch`] when it is not of the discriminator's type.
    pub fn set_discriminator(&mut self, discriminator: &DynAny<'_>) -> Result<()> {
        let of = self.0.plain.discriminator_type().unwrap_or_default();
        if !of.equivalent(&discriminator.type_code) {
            let found = discriminator.type_code.declared();
            return Err(DynAnyError::type_mismatch(&of, found));
        }
        let label = label_of(&discriminator.value());
        let label =
            label.ok_or_else(|| DynAnyError::type_mismatch(&of, "a value without a number"))?;
        self.change(label)?;
        self.0.seek(i32::from(!self.has_no_active_member()));
        Ok(())
    }

    /// Sets the discriminator to a value that selects the default case; the current position is
    /// 0.
    ///
    /// # Errors
    ///
    /// [`DynAnyError::TypeMismatch`] when the union has no default case.
    pub fn set_to_default_member(&mut self) -> Result<()> {
        let default = self.0.plain.default_index().ok().flatten();
        let free = default.and_then(|_| self.0.plain.free_label());
        let Some(label) = free else {
            return Err(self.0.mismatch("has no default case"));
        };
        if self.0.plain.selected_case(self.label()) != default {
            self.change(label)?;
        }
        self.0.rewind();
        Ok(())
    }

    /// Sets the discriminator to a value that selects no member; the current position is 0.
    ///
    /// # Errors
    ///
    /// [`DynAnyError::TypeMismatch`] when each value selects one: there is a default case, or
    /// all values have their cases.
    pub fn set_to_no_active_member(&mut self) -> Result<()> {
        let has_default = self.0.plain.default_index() != Ok(None);
        let Some(label) = self.0.plain.free_label().filter(|_| !has_default) else {
            return Err(self.0.mismatch("has a member for each discriminator"));
        };
        if !self.has_no_active_member() {
            self.change(label)?;
        }
        self.0.rewind();
        Ok(())
    }

    /// Whether the discriminator selects no member.
    pub fn has_no_active_member(&self) -> bool {
        self.0.count() < 2
    }

    /// Returns the kind of the discriminator's type, without aliases.
    pub fn discriminator_kind(&self) -> TCKind {
        let of = self.0.plain.discriminator_type().unwrap_or_default();
        of.without_aliases().kind()
    }

    /// Returns the active member.
    ///
    /// # Errors
    ///
    /// [`DynAnyError::InvalidValue`] when none is active.
    pub fn member(&mut self) -> Result<DynAny<'_>> {
        self.0.component(1)?.ok_or_else(no_member)
    }

    /// Returns the name of the active member.
    ///
    /// # Errors
    ///
    /// [`DynAnyError::InvalidValue`] when none is active.
    pub fn member_name(&self) -> Result<String> {
        let name = self.0.plain.member_name(self.case()?);
        Ok(name.unwrap_or_default().to_owned())
    }

    /// Returns the kind of the active member's type, without aliases.
    ///
    /// # Errors
    ///
    /// [`DynAnyError::InvalidValue`] when none is active.
    pub fn member_kind(&self) -> Result<TCKind> {
        let of = self.0.plain.member_type(self.case()?);
        Ok(of.unwrap_or_default().without_aliases().kind())
    }

    fn case(&self) -> Result<usize> {
        let case = self.0.plain.selected_case(self.label());
        case.ok_or_else(no_member)
    }

    fn label(&self) -> i64 {
        match &*self.0.value() {
            Value::Union(it) => it.label,
            _ => 0,
        }
    }

    fn change(&mut self, label: i64) -> Result<()> {
        let (plain, memory) = (self.0.plain.clone(), self.0.memory);
        match self.0.slot.whole() {
            Some(Value::Union(it)) => set_label(&plain, it, label, memory),
            _ => Err(self.0.mismatch("has another value")),
        }
    }
}

/// Sets the discriminator of a union; another member than before has its default value.
pub(super) fn set_label(
    union: &TypeCode,
    it: &mut UnionValue,
    label: i64,
    memory: usize,
) -> Result<()> {
    let case = union.selected_case(label);
    let name = |case: usize| union.member_name(case).ok().filter(|name| !name.is_empty());
    let is_same = match (union.selected_case(it.label), case) {
        // A member with several labels is a case for each in a TypeCode.
        (Some(old), Some(new)) => old == new || (name(old).is_some() && name(old) == name(new)),
        (old, new) => old == new,
    };
    if !is_same {
        let of = case.map(|case| union.member_type(case).unwrap_or_default());
        let member = of.map(|of| Value::default_of(&of, memory));
        it.member = member.transpose()?;
    }
    it.label = label;
    Ok(())
}

/// Returns the discriminator of a union of this type as a value.
pub(super) fn value_of_label(union: &TypeCode, label: i64) -> Value {
    let of = union.discriminator_type().unwrap_or_default();
    match of.without_aliases().kind() {
        TCKind::Boolean => Value::Boolean(label != 0),
        TCKind::Octet => Value::Octet(label as u8),
        TCKind::Char => Value::Char(label as u8),
        TCKind::WChar => Value::WChar(label as u16),
        TCKind::Short => Value::Short(label as i16),
        TCKind::UShort => Value::UShort(label as u16),
        TCKind::Long => Value::Long(label as i32),
        TCKind::ULong => Value::ULong(label as u32),
        TCKind::ULongLong => Value::ULongLong(label as u64),
        TCKind::Enum => Value::Enum(label as u32),
        _ => Value::LongLong(label),
    }
}

/// Returns a discriminator's value as a label.
pub(super) fn label_of(value: &Value) -> Option<i64> {
    value.as_integer().map(|number| number as i64)
}

fn no_member() -> DynAnyError {
    DynAnyError::invalid("the union has no active member: set its discriminator first")
}
