//! The signatures of operations by their names.

use std::sync::Arc;

use taut_dynamic::{Interfaces, Mode, Signature};
use taut_types::{TCKind, TypeCode};

/// The operations of all interfaces that are known, those of one interface first, and those that
/// every object has.
#[derive(Debug)]
pub(crate) struct Catalog(Vec<Arc<Signature>>);

impl Catalog {
    /// The operations of interfaces, those of the one with this name or repository id first.
    pub(crate) fn new(interfaces: &Interfaces, preferred: &str) -> Self {
        let preferred = interfaces.find(preferred);
        let all = preferred.into_iter().chain(interfaces.all());
        let operations = all.flat_map(|one| &one.operations);
        let known = operations.filter_map(|(_, signature)| signature.as_ref().ok().cloned());
        Self(of_every_object().into_iter().chain(known).collect())
    }

    /// Returns the signatures that an operation may have.
    pub(crate) fn signatures<'c>(
        &'c self,
        operation: &'c str,
    ) -> impl Iterator<Item = &'c Arc<Signature>> {
        self.0.iter().filter(move |one| one.operation == operation)
    }
}

/// The operations that every object has (CORBA 3.3 part 1, 8.2).
fn of_every_object() -> Vec<Arc<Signature>> {
    let boolean = TypeCode::primitive(TCKind::Boolean).unwrap_or_default();
    let text = TypeCode::string(0);
    let is_a = Signature::new("_is_a").with(Mode::In, "logical_type_id", text.clone());
    [
        is_a.returning(boolean.clone()),
        Signature::new("_non_existent").returning(boolean.clone()),
        Signature::new("_not_existent").returning(boolean),
        Signature::new("_repository_id").returning(text),
    ]
    .map(Arc::new)
    .into()
}
