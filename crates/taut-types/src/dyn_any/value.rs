//! Values of value types and value boxes (CORBA 3.3 part 1, 13.2.10 and 13.2.11).

use super::members::{as_anys, kind_of};
use super::slot::Slot;
use super::{DynAny, DynAnyError, NameDynAnyPair, NameValuePair, Result};
use crate::dynamic::{State, Value};
use crate::{Any, TCKind, TypeCode};

/// A value of a value type, or null (the standard's `DynValue`).
#[derive(Debug)]
pub struct DynValue<'d, 'v>(pub(super) &'d mut DynAny<'v>);

/// A value box, or null (the standard's `DynValueBox`).
#[derive(Debug)]
pub struct DynValueBox<'d, 'v>(pub(super) &'d mut DynAny<'v>);

super::members::narrowed!(DynValue);
super::members::narrowed!(DynValueBox);

impl<'v> DynAny<'v> {
    /// Returns it as a value of a value type. None: it is none.
    pub fn as_value(&mut self) -> Option<DynValue<'_, 'v>> {
        let kind = self.plain.kind();
        matches!(kind, TCKind::Value | TCKind::Event).then_some(DynValue(self))
    }

    /// Returns it as a value box. None: it is none.
    pub fn as_value_box(&mut self) -> Option<DynValueBox<'_, 'v>> {
        (self.plain.kind() == TCKind::ValueBox).then_some(DynValueBox(self))
    }

    /// Makes it a value with these members.
    fn put_state(&mut self, members: Vec<Value>) -> Result<()> {
        let label = match &*self.value() {
            Value::State(state) => state.label,
            _ => None,
        };
        let type_code = self.plain.clone();
        self.put_whole(Value::State(Box::new(State {
            type_code,
            label,
            members,
        })))
    }

    fn set_to_default(&mut self) -> Result<()> {
        if !matches!(&*self.value(), Value::Null) {
            return Ok(());
        }
        let each = self.member_types().into_iter();
        let members = each.map(|(_, of)| Value::default_of(&of, self.memory));
        let members = members.collect::<Result<_, _>>()?;
        self.put_state(members)
    }

    fn check_state(&self) -> Result<()> {
        match &*self.value() {
            Value::State(_) => Ok(()),
            Value::Null => Err(DynAnyError::invalid(
                "the value is null: set it to a value first",
            )),
            Value::Indirection(_) => Err(DynAnyError::invalid(
                "the value has stood before: look at it there",
            )),
            _ => Err(DynAnyError::invalid(
                "the members of a custom type are known to its own code alone",
            )),
        }
    }
}

/// The operations of the standard's `DynValueCommon`.
macro_rules! common {
    ($name:ident) => {
        impl $name<'_, '_> {
            /// Whether it is null.
            pub fn is_null(&self) -> bool {
                matches!(&*self.0.value(), Value::Null)
            }

            /// Makes it null; the current position is −1.
            ///
            /// # Errors
            ///
            /// None at present.
            pub fn set_to_null(&mut self) -> Result<()> {
                self.0.put_whole(Value::Null)
            }

            /// Makes null a value with the defaults of its members, and returns to the first.
            /// A value stays as it is.
            ///
            /// # Errors
            ///
            /// [`DynAnyError::Limit`] when the members take too much memory.
            pub fn set_to_value(&mut self) -> Result<()> {
                self.0.set_to_default()
            }
        }
    };
}

common!(DynValue);
common!(DynValueBox);

impl DynValue<'_, '_> {
    /// Returns the name of the member at the current position.
    ///
    /// # Errors
    ///
    /// [`DynAnyError::TypeMismatch`] when there are no members; [`DynAnyError::InvalidValue`]
    /// when the value is null or the position is −1.
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

    /// Returns all members, those of the bases first.
    ///
    /// # Errors
    ///
    /// [`DynAnyError::InvalidValue`] when the value is null; those of [`DynAny::to_any`].
    pub fn get_members(&self) -> Result<Vec<NameValuePair>> {
        as_anys(self.get_members_as_dyn_any()?)
    }

    /// Sets all members in their order, and returns to the first; null becomes a value.
    ///
    /// # Errors
    ///
    /// [`DynAnyError::InvalidValue`] when they are not as many, or one holds no legal value;
    /// [`DynAnyError::TypeMismatch`] when one has another type or name.
    pub fn set_members(&mut self, members: &[NameValuePair]) -> Result<()> {
        let values = self.0.members_of_anys(members)?;
        self.0.put_state(values)
    }

    /// Returns copies of all members, those of the bases first.
    ///
    /// # Errors
    ///
    /// [`DynAnyError::InvalidValue`] when the value is null.
    pub fn get_members_as_dyn_any(&self) -> Result<Vec<NameDynAnyPair>> {
        self.0.check_state()?;
        Ok(self.0.members())
    }

    /// Sets all members to copies of these, and returns to the first; null becomes a value.
    ///
    /// # Errors
    ///
    /// Those of [`set_members`](Self::set_members).
    pub fn set_members_as_dyn_any(&mut self, members: &[NameDynAnyPair]) -> Result<()> {
        let values = self.0.members_of_dyn_anys(members)?;
        self.0.put_state(values)
    }
}

impl DynValueBox<'_, '_> {
    /// Returns what the box holds.
    ///
    /// # Errors
    ///
    /// [`DynAnyError::InvalidValue`] when it is null; those of [`DynAny::to_any`].
    pub fn get_boxed_value(&self) -> Result<Any> {
        self.get_boxed_value_as_dyn_any()?.to_any()
    }

    /// Sets what the box holds; null becomes a box.
    ///
    /// # Errors
    ///
    /// [`DynAnyError::TypeMismatch`] when it is of another type than what is boxed;
    /// [`DynAnyError::InvalidValue`] when it is no legal value.
    pub fn set_boxed_value(&mut self, boxed: &Any) -> Result<()> {
        self.check_boxed(boxed.type_code())?;
        let value = super::factory::read(boxed, self.0.memory)?.0;
        self.0.put_state(vec![value])
    }

    /// Returns a copy of what the box holds.
    ///
    /// # Errors
    ///
    /// [`DynAnyError::InvalidValue`] when it is null.
    pub fn get_boxed_value_as_dyn_any(&self) -> Result<DynAny<'static>> {
        self.0.check_state()?;
        let held = self.0.component_value(0);
        let (type_code, value) = held.ok_or_else(|| DynAnyError::invalid("the box is empty"))?;
        Ok(DynAny::new(
            type_code,
            Slot::Owned(value.into_owned()),
            self.0.memory,
        ))
    }

    /// Sets what the box holds to a copy; null becomes a box.
    ///
    /// # Errors
    ///
    /// [`DynAnyError::TypeMismatch`] when it is of another type than what is boxed.
    pub fn set_boxed_value_as_dyn_any(&mut self, boxed: &DynAny<'_>) -> Result<()> {
        self.check_boxed(&boxed.type_code)?;
        self.0.put_state(vec![boxed.value().into_owned()])
    }

    fn check_boxed(&self, found: &TypeCode) -> Result<()> {
        let of = self.0.plain.content_type().unwrap_or_default();
        match of.equivalent(found) {
            true => Ok(()),
            false => Err(DynAnyError::type_mismatch(&of, found.declared())),
        }
    }
}
