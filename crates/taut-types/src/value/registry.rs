//! The value types that a program knows.

use std::collections::HashMap;
use std::sync::{LazyLock, PoisonError, RwLock};

use super::descriptor::ValueDescriptor;
use super::traits::ConcreteValue;

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
