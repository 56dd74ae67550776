//! Members with their names, as structs and value types have them.

use super::slot::Slot;
use super::{DynAny, DynAnyError, Result};
use crate::dynamic::Value;
use crate::{Any, TCKind, TypeCode};

/// A member's name and value (the standard's `NameValuePair`).
#[derive(Debug, Clone, PartialEq)]
pub struct NameValuePair {
    /// The name. Empty: it is not compared.
    pub id: String,
    /// The value.
    pub value: Any,
}

/// A member's name and value (the standard's `NameDynAnyPair`).
#[derive(Debug)]
pub struct NameDynAnyPair {
    /// The name. Empty: it is not compared.
    pub id: String,
    /// The value.
    pub value: DynAny<'static>,
}

/// Gives a narrowed DynAny the operations of the DynAny that it is.
macro_rules! narrowed {
    ($name:ident) => {
        impl<'v> std::ops::Deref for $name<'_, 'v> {
            type Target = $crate::dyn_any::DynAny<'v>;

            fn deref(&self) -> &Self::Target {
                self.0
            }
        }

        impl std::ops::DerefMut for $name<'_, '_> {
            fn deref_mut(&mut self) -> &mut Self::Target {
                self.0
            }
        }
    };
}

pub(super) use narrowed;

impl DynAny<'_> {
    /// Returns the names and types of all members.
    pub(super) fn member_types(&self) -> Vec<(String, TypeCode)> {
        if let Ok(members) = self.plain.state_members() {
            let each = members.into_iter();
            return each.map(|one| (one.name, one.type_code)).collect();
        }
        let count = self.plain.member_count().unwrap_or_default();
        let of = |index| {
            let name = self.plain.member_name(index).ok()?.to_owned();
            Some((name, self.plain.member_type(index).ok()?))
        };
        (0..count).filter_map(of).collect()
    }

    /// Returns the name and the type of the current member.
    pub(super) fn current_member(&self) -> Result<(String, TypeCode)> {
        let mut members = self.member_types();
        if members.is_empty() {
            return Err(self.mismatch("has no members"));
        }
        match self.position {
            Some(position) if position < members.len() => Ok(members.swap_remove(position)),
            _ => Err(DynAnyError::invalid(
                "the current position is −1: seek a member first",
            )),
        }
    }

    /// Returns copies of all members.
    pub(super) fn members(&self) -> Vec<NameDynAnyPair> {
        let names = self.member_types().into_iter().enumerate();
        let of = |(index, (id, _))| {
            let (type_code, value) = self.component_value(index)?;
            let value = DynAny::new(type_code, Slot::Owned(value.into_owned()), self.memory);
            Some(NameDynAnyPair { id, value })
        };
        names.filter_map(of).collect()
    }

    /// Returns the values of all members, which are given with these names and types.
    pub(super) fn checked_members<'p>(
        &self,
        found: impl ExactSizeIterator<Item = (&'p str, &'p TypeCode)>,
        mut value: impl FnMut(usize) -> Result<Value>,
    ) -> Result<Vec<Value>> {
        let members = self.member_types();
        if members.len() != found.len() {
            let (expected, found) = (members.len(), found.len());
            let text = format!("{found} members, where the type has {expected}");
            return Err(DynAnyError::InvalidValue(text));
        }
        let mut values = Vec::with_capacity(members.len());
        for (index, ((name, of), (id, found))) in members.iter().zip(found).enumerate() {
            if !id.is_empty() && !name.is_empty() && id != name {
                let text = format!("expected the member `{name}`, found `{id}`");
                return Err(DynAnyError::TypeMismatch(text));
            }
            if !of.equivalent(found) {
                let found = format!("{} for the member `{name}`", found.declared());
                return Err(DynAnyError::type_mismatch(of, found));
            }
            values.push(value(index)?);
        }
        Ok(values)
    }

    pub(super) fn members_of_anys(&self, pairs: &[NameValuePair]) -> Result<Vec<Value>> {
        let found = pairs.iter().map(|pair| (&*pair.id, pair.value.type_code()));
        let memory = self.memory;
        self.checked_members(found, |index| {
            Ok(super::factory::read(&pairs[index].value, memory)?.0)
        })
    }

    pub(super) fn members_of_dyn_anys(&self, pairs: &[NameDynAnyPair]) -> Result<Vec<Value>> {
        let found = pairs.iter().map(|pair| (&*pair.id, &pair.value.type_code));
        self.checked_members(found, |index| Ok(pairs[index].value.value().into_owned()))
    }
}

/// Returns the members as Anys.
pub(super) fn as_anys(members: Vec<NameDynAnyPair>) -> Result<Vec<NameValuePair>> {
    let each = members.into_iter().map(|NameDynAnyPair { id, value }| {
        let value = value.to_any()?;
        Ok(NameValuePair { id, value })
    });
    each.collect()
}

/// Returns the kind of a type without aliases.
pub(super) fn kind_of(type_code: &TypeCode) -> TCKind {
    type_code.without_aliases().kind()
}
