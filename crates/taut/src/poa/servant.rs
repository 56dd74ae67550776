//! The POA's view of a servant.

use std::any::{Any, TypeId};
use std::sync::Arc;

use taut_giop::SystemException;

use crate::object::{Interface, Reference, View};
use crate::server::ServerRequest;

/// A servant behind a skeleton: it can be asked for its interface and given
/// requests. Generated skeletons implement it.
pub trait Servant: Any + Send + Sync {
    /// The most derived interface.
    fn interface(&self) -> &'static Interface;

    /// Returns the identity that tells this servant from others: skeletons around the same
    /// servant give the same identity.
    fn identity(&self) -> ServantIdentity;

    /// Unmarshals a request, calls the servant, marshals the reply.
    ///
    /// # Errors
    ///
    /// The system exception that the caller gets.
    fn dispatch(&self, request: &mut ServerRequest<'_>) -> Result<(), SystemException>;

    /// The same for the operation at this place in the [interface's
    /// list](Interface::operations); for none, what every object has. Only servants
    /// whose interface has a list are asked by place.
    ///
    /// # Errors
    ///
    /// The system exception that the caller gets.
    fn dispatch_at(
        &self,
        operation: Option<usize>,
        request: &mut ServerRequest<'_>,
    ) -> Result<(), SystemException> {
        let _ = operation;
        self.dispatch(request)
    }

    /// The servant for callers in its own process: as an `Arc<dyn Circle>` if the
    /// type `wanted` is that, and so for each interface that it has. Without it
    /// they call by message, as others do.
    fn view(&self, wanted: TypeId) -> Option<View> {
        let _ = wanted;
        None
    }
}

/// A generated skeleton, whose objects have references of a known type.
pub trait Skeleton: Servant + Sized {
    /// The type of references to its objects.
    type Reference: Reference;
}

/// The identity of a servant: the place of its value in memory, which it keeps
/// as long as it is shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ServantIdentity(usize);

impl ServantIdentity {
    /// The identity of no servant that is shared.
    pub(super) const NONE: Self = Self(0);

    /// The identity of what is shared.
    pub fn of<T: ?Sized>(servant: &Arc<T>) -> Self {
        Self(Arc::as_ptr(servant).cast::<()>().addr())
    }
}
