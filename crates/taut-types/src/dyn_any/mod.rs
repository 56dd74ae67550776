//! The standard's DynAny: values that are walked through and changed part by part (CORBA 3.3
//! part 1, chapter 13).
//!
//! The standard's local objects are Rust values here. A [`DynAny`] owns its value, or borrows it
//! as a component of another: what is changed in a component is changed in the whole, and a
//! component cannot outlive what it is a part of. `destroy` consumes, so that no use of a
//! destroyed DynAny (the standard's OBJECT_NOT_EXIST) compiles.
//!
//! - [`DynAnyFactory`] makes DynAnys of Anys and of TypeCodes.
//! - [`DynAny`] has what all have: navigation, `insert_…` and `get_…`.
//! - [`DynFixed`], [`DynEnum`], [`DynStruct`], [`DynUnion`], [`DynSequence`], [`DynArray`],
//!   [`DynValue`] and [`DynValueBox`] have what belongs to one kind; `as_struct` and the like
//!   narrow to them.
//!
//! A component that is obtained once more begins again at its first component. Values that share
//! a part have it once, and [`dynamic::Value::Indirection`](crate::dynamic::Value::Indirection)
//! elsewhere, which has no components.
//!
//! Programs that look for parts by name find
//! [`dynamic::Described`](crate::dynamic::Described) easier.

mod basic;
mod enumeration;
mod equal;
mod error;
mod factory;
mod fixed;
mod list;
mod members;
mod sequences;
mod slot;
mod structure;
mod union;
mod value;

use std::borrow::Cow;
use std::fmt;

pub use enumeration::DynEnum;
pub use error::{DynAnyError, FactoryError};
pub use factory::DynAnyFactory;
pub use fixed::DynFixed;
pub use list::{DynArray, DynSequence};
pub use members::{NameDynAnyPair, NameValuePair};
pub use structure::DynStruct;
pub use union::DynUnion;
pub use value::{DynValue, DynValueBox};

use self::slot::Slot;
use crate::dynamic::Value;
use crate::{Any, TCKind, TypeCode};

type Result<T, E = DynAnyError> = std::result::Result<T, E>;

/// A value of any type, which is read and changed part by part (the standard's `DynAny`).
///
/// `'v` is the life of the value that it is a component of; `'static` if it owns its value.
pub struct DynAny<'v> {
    type_code: TypeCode,
    /// The type without aliases; of a value of a value type its own type.
    plain: TypeCode,
    slot: Slot<'v>,
    /// None: the standard's −1.
    position: Option<usize>,
    /// The memory that values may take that it makes, in octets.
    memory: usize,
}

impl<'v> DynAny<'v> {
    fn new(type_code: TypeCode, slot: Slot<'v>, memory: usize) -> Self {
        let plain = match &*slot.value() {
            Value::State(state) => state.type_code.without_aliases(),
            _ => type_code.without_aliases(),
        };
        let mut made = Self {
            type_code,
            plain,
            slot,
            position: None,
            memory,
        };
        made.rewind();
        made
    }

    /// Returns the type (the standard's `type`).
    pub fn type_code(&self) -> &TypeCode {
        &self.type_code
    }

    /// Returns the value; that of a component in a list of primitives is a copy.
    pub fn value(&self) -> Cow<'_, Value> {
        self.slot.value()
    }

    /// Takes the value of another, and returns to the first component.
    ///
    /// # Errors
    ///
    /// [`DynAnyError::TypeMismatch`] when the types are not equivalent.
    pub fn assign(&mut self, other: &DynAny<'_>) -> Result<()> {
        self.check_type(&other.type_code)?;
        self.put_whole(other.value().into_owned())
    }

    /// Takes the value of an Any, and returns to the first component.
    ///
    /// # Errors
    ///
    /// [`DynAnyError::TypeMismatch`] when the types are not equivalent;
    /// [`DynAnyError::InvalidValue`] when the Any holds no legal value.
    pub fn from_any(&mut self, any: &Any) -> Result<()> {
        self.check_type(any.type_code())?;
        let value = factory::read(any, self.memory)?.0;
        self.put_whole(value)
    }

    /// Returns a copy of the value as an Any.
    ///
    /// # Errors
    ///
    /// [`DynAnyError::InvalidValue`] when the value leads to a part outside of it, or nests too
    /// deeply.
    pub fn to_any(&self) -> Result<Any> {
        Ok(self.value().to_any(&self.type_code)?)
    }

    /// Whether the types are equivalent and the values are equal. The current positions are of
    /// no meaning.
    pub fn equal(&self, other: &DynAny<'_>) -> bool {
        self.type_code.equivalent(&other.type_code) && equal::same(&self.value(), &other.value())
    }

    /// Returns a copy, which stands at its first component.
    pub fn copy(&self) -> DynAny<'static> {
        let slot = Slot::Owned(self.value().into_owned());
        DynAny::new(self.type_code.clone(), slot, self.memory)
    }

    /// Ends the use of it. A component that is destroyed stays in its whole.
    pub fn destroy(self) {}

    /// Goes to a component, and tells whether there is one of this index. If not, the current
    /// position is −1.
    pub fn seek(&mut self, index: i32) -> bool {
        let index = usize::try_from(index).ok();
        self.position = index.filter(|index| *index < self.count());
        self.position.is_some()
    }

    /// Goes to the first component.
    pub fn rewind(&mut self) {
        self.seek(0);
    }

    /// Goes to the next component, and tells whether there is one. If not, the current position
    /// is −1.
    #[expect(clippy::should_implement_trait, reason = "the standard's name")]
    pub fn next(&mut self) -> bool {
        let next = self.position.map_or(0, |position| position + 1);
        self.position = (next < self.count()).then_some(next);
        self.position.is_some()
    }

    /// Returns the index of the current component. None: the standard's −1.
    pub fn position(&self) -> Option<usize> {
        self.position
    }

    /// Returns the number of components: members, elements, a union's discriminator and its
    /// active member. 0 for null and for types without components.
    pub fn component_count(&self) -> u32 {
        // Lists have no more elements than an unsigned long counts.
        self.count() as u32
    }

    /// Returns the component at the current position. None: there is none, the position is −1.
    ///
    /// # Errors
    ///
    /// [`DynAnyError::TypeMismatch`] when the type cannot have components: a basic type, an
    /// enumeration, an exception without members; [`DynAnyError::Limit`] when structs in one piece
    /// would take more memory one by one than the factory allows.
    pub fn current_component(&mut self) -> Result<Option<DynAny<'_>>> {
        let is_empty = match self.plain.kind() {
            TCKind::Struct | TCKind::Exception => self.plain.member_count() == Ok(0),
            // Those of its bases are among them.
            TCKind::Value | TCKind::Event => {
                let members = self.plain.state_members();
                members.is_ok_and(|members| members.is_empty())
            }
            _ => false,
        };
        if !has_components(&self.plain) || is_empty {
            return Err(self.mismatch("has no components"));
        }
        let Some(position) = self.position else {
            return Ok(None);
        };
        self.component(position)
    }

    fn count(&self) -> usize {
        match &*self.value() {
            Value::Members(items) | Value::List(items) => items.len(),
            Value::Elements(elements) => elements.len(),
            Value::Union(it) => 1 + usize::from(it.member.is_some()),
            Value::State(state) => state.members.len(),
            _ => 0,
        }
    }

    /// Returns the type of a component.
    fn component_type(&self, index: usize) -> Option<TypeCode> {
        match self.plain.kind() {
            TCKind::Struct | TCKind::Exception => self.plain.member_type(index).ok(),
            TCKind::Sequence | TCKind::Array => self.plain.content_type().ok(),
            TCKind::Union if index == 0 => self.plain.discriminator_type().ok(),
            TCKind::Union => match &*self.value() {
                Value::Union(it) => {
                    let case = self.plain.selected_case(it.label)?;
                    self.plain.member_type(case).ok()
                }
                _ => None,
            },
            TCKind::Value | TCKind::Event | TCKind::ValueBox => {
                let members = self.plain.state_members().ok()?;
                members.into_iter().nth(index).map(|one| one.type_code)
            }
            _ => None,
        }
    }

    fn component(&mut self, index: usize) -> Result<Option<DynAny<'_>>> {
        let Some(type_code) = self.component_type(index) else {
            return Ok(None);
        };
        let memory = self.memory;
        let slot = self.slot.part(index, &self.plain, memory)?;
        Ok(slot.map(|slot| DynAny::new(type_code, slot, memory)))
    }

    /// Puts another value in the place of this one, which is of its type.
    fn put_whole(&mut self, value: Value) -> Result<()> {
        self.put(value)?;
        self.rewind();
        Ok(())
    }

    fn put(&mut self, value: Value) -> Result<()> {
        self.plain = match &value {
            Value::State(state) => state.type_code.without_aliases(),
            _ => self.type_code.without_aliases(),
        };
        self.slot.put(value)
    }

    fn check_type(&self, found: &TypeCode) -> Result<()> {
        match self.type_code.equivalent(found) {
            true => Ok(()),
            false => Err(DynAnyError::type_mismatch(
                &self.type_code,
                found.declared(),
            )),
        }
    }

    /// The error of an operation that this type does not have.
    fn mismatch(&self, why: &str) -> DynAnyError {
        DynAnyError::TypeMismatch(format!("{} {why}", self.type_code.declared()))
    }
}

/// Whether a type's values have components, though a value may have none.
fn has_components(plain: &TypeCode) -> bool {
    matches!(
        plain.kind(),
        TCKind::Struct
            | TCKind::Exception
            | TCKind::Union
            | TCKind::Sequence
            | TCKind::Array
            | TCKind::Value
            | TCKind::Event
            | TCKind::ValueBox
    )
}

impl fmt::Debug for DynAny<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynAny")
            .field("type_code", &self.type_code)
            .field("value", &self.value())
            .field("position", &self.position)
            .finish()
    }
}
