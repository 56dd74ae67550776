//! The managers that provide servants on demand.

use std::any::Any;
use std::sync::Arc;

use taut_giop::SystemException;

use super::{ObjectId, Poa, Servant};
use crate::object::ObjectRef;

/// Provides the servants of a POA with the policy USE_SERVANT_MANAGER: an activator
/// if it also has RETAIN, else a locator (CORBA 3.3 part 1, 15.3.5).
#[derive(Clone)]
pub enum ServantManager {
    /// For objects that stay active.
    Activator(Arc<dyn ServantActivator>),
    /// For each request anew.
    Locator(Arc<dyn ServantLocator>),
}

impl ServantManager {
    /// A servant manager that activates objects.
    pub fn activator(activator: impl ServantActivator + 'static) -> Self {
        Self::Activator(Arc::new(activator))
    }

    /// A servant manager that finds a servant for each request.
    pub fn locator(locator: impl ServantLocator + 'static) -> Self {
        Self::Locator(Arc::new(locator))
    }
}

/// Incarnates inactive objects when they are called, and takes leave of them (CORBA
/// 3.3 part 1, 15.3.6). It is called in the midst of a request or of an object's end,
/// so whatever would wait for one of these raises BAD_INV_ORDER (OMG minor 3) here, as
/// in a servant.
pub trait ServantActivator: Send + Sync {
    /// The servant of an object that is called and not active. It becomes active, and
    /// stays so until it is deactivated. Other requests for the object wait
    /// meanwhile.
    ///
    /// # Errors
    ///
    /// The exception for the caller, or the advice to call another object.
    fn incarnate(
        &self,
        id: &ObjectId,
        adapter: &Poa,
    ) -> Result<Arc<dyn Servant>, ServantManagerError>;

    /// An object has been deactivated, and the last request for it has ended;
    /// requests for it wait meanwhile. `cleanup_in_progress` if all the POA's objects
    /// are deactivated. `remaining_activations` if the servant incarnates further
    /// objects.
    fn etherealize(
        &self,
        id: &ObjectId,
        adapter: &Poa,
        servant: &Arc<dyn Servant>,
        cleanup_in_progress: bool,
        remaining_activations: bool,
    ) {
        let _ = (
            id,
            adapter,
            servant,
            cleanup_in_progress,
            remaining_activations,
        );
    }
}

/// Finds a servant for each request (CORBA 3.3 part 1, 15.3.7).
pub trait ServantLocator: Send + Sync {
    /// The servant that shall carry out this request, and what
    /// [`postinvoke`](Self::postinvoke) gets back.
    ///
    /// # Errors
    ///
    /// The exception for the caller, or the advice to call another object.
    fn preinvoke(
        &self,
        id: &ObjectId,
        adapter: &Poa,
        operation: &str,
    ) -> Result<(Arc<dyn Servant>, Cookie), ServantManagerError>;

    /// The servant has carried the request out, in this same thread.
    fn postinvoke(
        &self,
        id: &ObjectId,
        adapter: &Poa,
        operation: &str,
        cookie: Cookie,
        servant: &Arc<dyn Servant>,
    ) {
        let _ = (id, adapter, operation, cookie, servant);
    }
}

/// The value that a servant locator remembers of a request while it runs. None costs
/// nothing.
pub type Cookie = Option<Box<dyn Any>>;

/// Why a servant manager gives no servant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServantManagerError {
    /// `PortableServer::ForwardRequest`: the caller shall call this object instead
    /// (LOCATION_FORWARD).
    ForwardRequest(ObjectRef),
    /// The exception for the caller.
    System(SystemException),
}

impl From<SystemException> for ServantManagerError {
    fn from(exception: SystemException) -> Self {
        Self::System(exception)
    }
}
