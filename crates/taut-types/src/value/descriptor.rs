//! The value types that a program knows.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use super::cell::StateCell;
use super::{ConcreteValue, ValueObject};
use crate::TypeCode;

/// A value type, as a value.
#[derive(Clone, Copy)]
pub struct ValueDescriptor {
    repository_id: &'static str,
    bases: &'static [&'static str],
    sent: &'static [&'static str],
    custom: bool,
    make: fn() -> Arc<dyn ValueObject>,
    type_code: fn() -> TypeCode,
}

impl ValueDescriptor {
    /// What there is to say of `T`.
    pub const fn of<T: ConcreteValue>() -> Self {
        Self {
            repository_id: T::REPOSITORY_ID,
            bases: T::BASES,
            sent: T::SENT,
            custom: T::CUSTOM,
            make: || Arc::new(StateCell::<T>::empty()),
            type_code: T::type_code,
        }
    }

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

static REGISTERED: LazyLock<RwLock<HashMap<&'static str, &'static ValueDescriptor>>> =
    LazyLock::new(RwLock::default);

/// Makes a value type known to the whole process: values of it can be received
/// where a base of it is expected whose IDL does not define it, `ValueBase`
/// above all, and are kept in Anys by what they are.
///
/// Other mappings call this the registration of a value factory. Of two types
/// with one repository id, the later takes the place of the earlier.
pub fn register<T: ConcreteValue>() {
    let mut registered = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
    registered.insert(T::REPOSITORY_ID, T::DESCRIPTOR);
}

/// The registered type of this id.
pub(crate) fn registered(id: &str) -> Option<&'static ValueDescriptor> {
    let registered = REGISTERED.read().unwrap_or_else(PoisonError::into_inner);
    registered.get(id).copied()
}
