//! Values and their types, behind interfaces that do not tell the Rust type.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::Arc;

use taut_cdr::{Decoder, Encoder, Result};

use crate::TypeCode;

/// A value of some type.
pub trait ValueObject: Any + Send + Sync {
    /// Its type.
    fn descriptor(&self) -> &'static ValueDescriptor;

    /// Its type's TypeCode.
    fn type_code(&self) -> TypeCode;

    /// Whether its type is, or has as a base with state, the one of this id.
    fn has_part(&self, part: TypeId) -> bool;

    /// The state as one of these types; none while it is still being read.
    fn part(&self, part: TypeId) -> Option<&dyn Any>;

    /// Whether the state has been read.
    fn is_complete(&self) -> bool;

    /// Appends the state.
    ///
    /// # Errors
    ///
    /// Those of encoding the members.
    fn encode_state(&self, out: &mut Encoder) -> Result<()>;

    /// Reads the state, once.
    ///
    /// # Errors
    ///
    /// Those of decoding the members.
    fn decode_state(&self, input: &mut Decoder<'_>) -> Result<()>;

    /// Whether another value is of the same type and has an equal state.
    fn equals(&self, other: &dyn ValueObject) -> bool;

    /// Shows the state.
    ///
    /// # Errors
    ///
    /// Those of the formatter.
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// The same value, to be kept.
    fn keep(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

/// A value type, as a value.
#[derive(Clone, Copy)]
pub struct ValueDescriptor {
    pub(super) repository_id: &'static str,
    pub(super) bases: &'static [&'static str],
    pub(super) sent: &'static [&'static str],
    pub(super) custom: bool,
    pub(super) make: fn() -> Arc<dyn ValueObject>,
    pub(super) type_code: fn() -> TypeCode,
}

impl ValueDescriptor {
    /// The repository id.
    pub fn repository_id(&self) -> &'static str {
        self.repository_id
    }

    /// Whether the type is that of this id or derives from it.
    pub fn is_a(&self, id: &str) -> bool {
        self.repository_id == id || self.bases.contains(&id)
    }

    /// The ids that its values are sent with.
    pub(super) fn sent(&self) -> &'static [&'static str] {
        self.sent
    }

    /// Whether its state is the user's to marshal.
    pub(crate) fn is_custom(&self) -> bool {
        self.custom
    }

    /// The TypeCode.
    pub(crate) fn type_code(&self) -> TypeCode {
        (self.type_code)()
    }

    /// A value whose state is still to be read.
    pub(crate) fn make(&self) -> Arc<dyn ValueObject> {
        (self.make)()
    }
}

impl fmt::Debug for ValueDescriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ValueDescriptor")
            .field(&self.repository_id)
            .finish()
    }
}
