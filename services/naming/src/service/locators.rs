//! The locators that find the servants of contexts and of iterators.
//!
//! The servants themselves find out whether the object is there, but for the operations that the
//! ORB answers in their place, such as `_non_existent`.

use std::sync::Arc;

use taut::{Cookie, ObjectId, Poa, Servant, ServantLocator, ServantManagerError};

use super::faults::context_destroyed;
use super::iterators::{Iterators, ended};
use super::keeper::Keeper;

type Located = Result<(Arc<dyn Servant>, Cookie), ServantManagerError>;

/// Finds the servant of contexts.
pub(super) struct ContextLocator {
    keeper: Arc<Keeper>,
    servant: Arc<dyn Servant>,
}

impl ContextLocator {
    pub(super) fn new(keeper: Arc<Keeper>, servant: Arc<dyn Servant>) -> Self {
        Self { keeper, servant }
    }
}

impl ServantLocator for ContextLocator {
    fn preinvoke(&self, id: &ObjectId, _adapter: &Poa, operation: &str) -> Located {
        let context = self.keeper.references().context(id);
        let context = context.ok_or_else(context_destroyed)?;
        if operation.starts_with('_') && !self.keeper.has(context)? {
            return Err(context_destroyed().into());
        }
        Ok((Arc::clone(&self.servant), None))
    }
}

/// Finds the servant of iterators.
pub(super) struct IteratorLocator {
    iterators: Arc<Iterators>,
    servant: Arc<dyn Servant>,
}

impl IteratorLocator {
    pub(super) fn new(iterators: Arc<Iterators>, servant: Arc<dyn Servant>) -> Self {
        Self { iterators, servant }
    }
}

impl ServantLocator for IteratorLocator {
    fn preinvoke(&self, id: &ObjectId, _adapter: &Poa, _operation: &str) -> Located {
        if !self.iterators.has(id) {
            return Err(ended().into());
        }
        Ok((Arc::clone(&self.servant), None))
    }
}
