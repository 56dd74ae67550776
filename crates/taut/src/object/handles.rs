//! The client's half of calls by handle (M10; `docs/handles.md`).

use taut_cdr::{ByteOrder, Result};
use taut_giop::Version;
use taut_giop::component::TaggedComponent;
use taut_giop::message::{RequestTemplate, TargetAddress};
use taut_giop::operation_handle::OperationHandles;

use super::OperationHandle;
use crate::messaging::Messaging;

/// The octets of an operation's place, with which a handle's key ends.
const PLACE_LENGTH: usize = 4;

/// How operations are called by handle on one way to an object.
#[derive(Debug)]
pub(crate) struct HandleRoute {
    /// Tells the requests from those by name, and from those of other objects.
    pub(crate) id: u64,
    /// The octets with which requests begin, but for the operation's place.
    pub(crate) template: RequestTemplate,
    /// The interface's.
    fingerprint: u64,
}

impl HandleRoute {
    /// The same to another place.
    pub(super) fn with_id(&self, id: u64) -> Self {
        Self {
            id,
            template: self.template.clone(),
            fingerprint: self.fingerprint,
        }
    }

    /// Reads a profile's component of handles, if it is in a form that is understood, for
    /// requests that are written in this protocol, version and byte order.
    pub(super) fn new(
        id: u64,
        component: &TaggedComponent,
        written: (Messaging, Version, ByteOrder),
    ) -> Option<Self> {
        match Self::of_component(id, component, written) {
            Ok(route) => route,
            Err(error) => {
                tracing::warn!(%error, "malformed operation handles in a reference");
                None
            }
        }
    }

    fn of_component(
        id: u64,
        component: &TaggedComponent,
        (messaging, version, order): (Messaging, Version, ByteOrder),
    ) -> Result<Option<Self>> {
        let Some(handles) = OperationHandles::from_component(component)? else {
            return Ok(None);
        };
        let mut key = handles.key;
        key.extend([0; PLACE_LENGTH]);
        let template = messaging.template(version, order, TargetAddress::Key(&key))?;
        Ok(Some(Self {
            id,
            template,
            fingerprint: handles.fingerprint,
        }))
    }

    /// Whether the server takes this handle.
    #[inline]
    pub(crate) fn takes(&self, handle: OperationHandle) -> bool {
        handle.fingerprint == self.fingerprint
    }
}
