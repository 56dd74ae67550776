//! The interceptors of an ORB, and what they share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::current::{SlotSpace, Slots};
use super::signature::KnownSignatures;
use super::{ClientRequestInterceptor, Current, IorInterceptor, ServerRequestInterceptor};
use crate::core::OrbCore;
use crate::upcall;

/// The interceptors of an ORB, in the order in which they were registered.
pub(crate) struct Registered {
    pub(super) client: Vec<Arc<dyn ClientRequestInterceptor>>,
    pub(super) server: Vec<Arc<dyn ServerRequestInterceptor>>,
    pub(super) ior: Vec<Arc<dyn IorInterceptor>>,
    pub(super) signatures: KnownSignatures,
    pub(super) space: Arc<SlotSpace>,
    pub(super) next_request_id: AtomicU32,
}

/// Returns what is registered with an ORB, once nothing more is.
pub(crate) fn of(core: &OrbCore) -> Option<&Arc<Registered>> {
    core.interception.registered()?.downcast_ref()
}

impl Registered {
    /// A number for a request.
    pub(super) fn next_request_id(&self) -> u32 {
        self.next_request_id.fetch_add(1, Ordering::Relaxed)
    }

    /// The slots of the calling thread.
    pub(crate) fn current(&self) -> Current {
        Current::new(&self.space)
    }

    /// A copy of the calling thread's slots.
    pub(crate) fn slots_of_thread(&self) -> Slots {
        self.space.of_thread()
    }

    /// Whether there are interceptors of requests that are sent.
    pub(crate) fn watches_client(&self) -> bool {
        !self.client.is_empty()
    }

    /// Whether it may be that somebody looks at the types of values.
    pub(crate) fn knows_types(&self) -> bool {
        !self.signatures.is_empty()
    }

    /// Tells all interceptors that the ORB has ended.
    pub(crate) fn destroy(&self) {
        fn ended<T: ?Sized>(name: &str, interceptor: &T, destroy: impl FnOnce(&T)) {
            // A panic has been reported.
            let _ = upcall::outside("destroy", name, || destroy(interceptor));
        }
        for one in &self.client {
            ended(one.name(), &**one, |one| one.destroy());
        }
        for one in &self.server {
            ended(one.name(), &**one, |one| one.destroy());
        }
        for one in &self.ior {
            ended(one.name(), &**one, |one| one.destroy());
        }
    }
}
