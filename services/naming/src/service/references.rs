//! References of contexts, and the contexts that references lead to.

use std::sync::Arc;

use parking_lot::RwLock;
use taut::{ObjectId, ObjectRef, Orb, Poa, PoaError, Reference};

use super::replicas::{ReplicaAddress, with_replicas};
use crate::store::ContextId;
use crate::{NamingContextExtRef, NamingContextRef};

/// The octets of a number within an object id.
const NUMBER: usize = size_of::<u64>();

/// Translates between contexts and references. An object id has the number of the tree and that
/// of the context.
pub(super) struct References {
    orb: Orb,
    poa: Poa,
    tree: u64,
    replicas: RwLock<Arc<[ReplicaAddress]>>,
}

impl References {
    pub(super) fn new(orb: Orb, poa: Poa, tree: u64) -> Self {
        Self {
            orb,
            poa,
            tree,
            replicas: RwLock::new(Arc::new([])),
        }
    }

    pub(super) fn replicas(&self) -> Arc<[ReplicaAddress]> {
        Arc::clone(&self.replicas.read())
    }

    pub(super) fn set_replicas(&self, others: &[ReplicaAddress]) {
        *self.replicas.write() = others.into();
    }

    /// The reference of a context, be it there or not.
    ///
    /// # Errors
    ///
    /// None but those of a POA that is being destroyed.
    pub(super) fn of(&self, context: ContextId) -> Result<ObjectRef, PoaError> {
        let repository_id = NamingContextExtRef::INTERFACE.repository_id;
        let mut octets = [0; 2 * NUMBER];
        let (tree, number) = octets.split_at_mut(NUMBER);
        tree.copy_from_slice(&self.tree.to_be_bytes());
        number.copy_from_slice(&context.0.to_be_bytes());
        let id = ObjectId::new(octets);
        let own = self.poa.create_reference_with_id(&id, repository_id)?;
        let others = self.replicas();
        Ok(match others.is_empty() {
            true => own,
            false => with_replicas(&self.orb, own, &others),
        })
    }

    /// The context with an object id; none for one of another tree, unless it is a root, for which
    /// ours stands: so a root context in memory goes on when the service begins anew.
    pub(super) fn context(&self, id: &ObjectId) -> Option<ContextId> {
        let (tree, context) = parts(id)?;
        (tree == self.tree || context == ContextId::ROOT).then_some(context)
    }

    /// The context of this service that a reference leads to, if it does. The keys of two services
    /// differ in their trees alone.
    pub(super) fn own(&self, reference: &NamingContextRef) -> Option<ContextId> {
        let id = self.poa.reference_to_id(reference.as_object()).ok()?;
        let (tree, context) = parts(&id)?;
        (tree == self.tree).then_some(context)
    }
}

/// The tree and the context in an object id.
fn parts(id: &ObjectId) -> Option<(u64, ContextId)> {
    let (tree, context) = id.as_octets().split_at_checked(NUMBER)?;
    let tree = u64::from_be_bytes(tree.try_into().ok()?);
    let context = u64::from_be_bytes(context.try_into().ok()?);
    Some((tree, ContextId(context)))
}
