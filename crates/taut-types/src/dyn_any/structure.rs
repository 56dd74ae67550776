//! Structs and exceptions (CORBA 3.3 part 1, 13.2.6).

use super::members::{as_anys, kind_of};
use super::{DynAny, NameDynAnyPair, NameValuePair, Result};
use crate::TCKind;
use crate::dynamic::Value;

/// A struct or an exception (the standard's `DynStruct`).
#[derive(Debug)]
pub struct DynStruct<'d, 'v>(pub(super) &'d mut DynAny<'v>);

super::members::narrowed!(DynStruct);

impl<'v> DynAny<'v> {
    /// Returns it as a struct or an exception. None: it is none.
    pub fn as_struct(&mut self) -> Option<DynStruct<'_, 'v>> {
        let kind = self.plain.kind();
        matches!(kind, TCKind::Struct | TCKind::Exception).then_some(DynStruct(self))
    }
}

impl DynStruct<'_, '_> {
    /// Returns the name of the member at the current position.
    ///
    /// # Errors
    ///
    /// [`DynAnyError::TypeMismatch`](super::DynAnyError::TypeMismatch) when there are no members;
    /// [`DynAnyError::InvalidValue`](super::DynAnyError::InvalidValue) when the position is −1.
    pub fn current_member_name(&self) -> Result<String> {
        self.0.current_member().map(|(name, _)| name)
    }

    /// Returns the kind of the type, without aliases, of the member at the current position.
    ///
    /// # Errors
    ///
    /// Those of [`current_member_name`](Self::current_member_name).
    pub fn current_member_kind(&self) -> Result<TCKind> {
        self.0.current_member().map(|(_, of)| kind_of(&of))
    }

    /// Returns all members.
    ///
    /// # Errors
    ///
    /// Those of [`DynAny::to_any`].
    pub fn get_members(&self) -> Result<Vec<NameValuePair>> {
        as_anys(self.0.members())
    }

    /// Sets all members in their order, and returns to the first.
    ///
    /// # Errors
    ///
    /// [`DynAnyError::InvalidValue`](super::DynAnyError::InvalidValue) when they are not as many,
    /// or one holds no legal value; [`DynAnyError::TypeMismatch`](super::DynAnyError::TypeMismatch)
    /// when one has another type or name.
    pub fn set_members(&mut self, members: &[NameValuePair]) -> Result<()> {
        let values = self.0.members_of_anys(members)?;
        self.0.put_whole(Value::Members(values))
    }

    /// Returns copies of all members.
    pub fn get_members_as_dyn_any(&self) -> Vec<NameDynAnyPair> {
        self.0.members()
    }

    /// Sets all members to copies of these, and returns to the first.
    ///
    /// # Errors
    ///
    /// Those of [`set_members`](Self::set_members).
    pub fn set_members_as_dyn_any(&mut self, members: &[NameDynAnyPair]) -> Result<()> {
        let values = self.0.members_of_dyn_anys(members)?;
        self.0.put_whole(Value::Members(values))
    }
}
