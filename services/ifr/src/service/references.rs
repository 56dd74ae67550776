//! References to definitions, and the definitions that references lead to.

use taut::{ObjectId, ObjectRef, Poa, PoaError, Reference};

use crate::contents::Key;

/// The octets of a number within an object id.
const NUMBER: usize = size_of::<u64>();

/// Translates between definitions and references. An object id has the number of the store and
/// the key.
///
/// It does not hold the POA, which holds the servants that hold this: the store is to be closed
/// when the POA ends.
#[derive(Debug)]
pub(super) struct References {
    tree: u64,
}

impl References {
    pub(super) fn new(tree: u64) -> Self {
        Self { tree }
    }

    /// The reference to a definition, be it there or not, as one of an interface.
    ///
    /// # Errors
    ///
    /// None but those of a POA that is being destroyed.
    pub(super) fn of(
        &self,
        poa: &Poa,
        key: Key,
        repository_id: &str,
    ) -> Result<ObjectRef, PoaError> {
        let mut octets = [0; 2 * NUMBER];
        let (tree, number) = octets.split_at_mut(NUMBER);
        tree.copy_from_slice(&self.tree.to_be_bytes());
        number.copy_from_slice(&key.0.to_be_bytes());
        poa.create_reference_with_id(&ObjectId::new(octets), repository_id)
    }

    /// The definition with an object id. The repository and primitive types are the same in all
    /// stores, so that references to them go on when the service begins anew in memory.
    pub(super) fn key(&self, id: &ObjectId) -> Option<Key> {
        let (tree, number) = id.as_octets().split_at_checked(NUMBER)?;
        let tree = u64::from_be_bytes(tree.try_into().ok()?);
        let key = Key(u64::from_be_bytes(number.try_into().ok()?));
        (tree == self.tree || key.0 < Key::FIRST).then_some(key)
    }

    /// The definition of this repository that a reference leads to, if it does.
    pub(super) fn own(&self, poa: &Poa, reference: &impl Reference) -> Option<Key> {
        let id = poa.reference_to_id(reference.as_object()).ok()?;
        self.key(&id)
    }
}
