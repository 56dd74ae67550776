//! An adapter, as references hold it, and who is calling by it.

use std::fmt;
use std::sync::{Arc, Weak};

use taut_sync::lock::{Condvar, Mutex};

use super::{LocalAdapter, table};
use crate::core::OrbCore;
use crate::transport::Address;
use taut_sync::primitives::{AtomicArc, Held};

/// An ORB's adapter, for references, as long as the ORB serves.
pub(crate) struct AdapterHandle {
    core: Weak<OrbCore>,
    serving: AtomicArc<Serving>,
    end: Arc<End>,
}

/// Lives until the handle is closed and no call is under way any more.
struct Serving {
    adapter: Arc<dyn LocalAdapter>,
    end: Arc<End>,
}

#[derive(Default)]
struct End {
    has_come: Mutex<bool>,
    changed: Condvar,
}

impl Drop for Serving {
    fn drop(&mut self) {
        *self.end.has_come.lock() = true;
        self.end.changed.notify_all();
    }
}

/// The adapter during a call: its ORB does not stop before that ends.
pub(crate) struct Entered(Held<Serving>);

impl AdapterHandle {
    pub(crate) fn new<A: LocalAdapter + 'static>(
        core: &Arc<OrbCore>,
        adapter: &Arc<A>,
    ) -> Arc<Self> {
        let end = Arc::<End>::default();
        let serving = Arc::new(Serving {
            adapter: Arc::clone(adapter) as _,
            end: Arc::clone(&end),
        });
        Arc::new(Self {
            core: Arc::downgrade(core),
            serving: AtomicArc::from(Some(serving)),
            end,
        })
    }

    /// From now on references to these addresses may find the adapter.
    pub(crate) fn open(self: &Arc<Self>, addresses: &[Address]) {
        table::enter(addresses, self);
    }

    /// Takes no further calls. Those under way go on.
    pub(crate) fn close(&self) {
        self.serving.store(None);
        table::leave(self);
    }

    /// Waits, after [`close`](Self::close), until no call is under way.
    pub(crate) fn drain(&self) {
        let mut has_come = self.end.has_come.lock();
        while !*has_come {
            self.end.changed.wait(&mut has_come);
        }
    }

    /// Whether calls go elsewhere.
    #[inline]
    pub(crate) fn is_closed(&self) -> bool {
        self.serving.is_empty()
    }

    /// Begins a call. None when the handle is closed.
    #[inline]
    pub(crate) fn enter(&self) -> Option<Entered> {
        self.serving.load().map(Entered)
    }

    /// Whether the adapter belongs to this ORB.
    pub(super) fn is_of(&self, core: &OrbCore) -> bool {
        std::ptr::eq(self.core.as_ptr(), core)
    }

    /// Whether requests with this key are for the adapter.
    pub(super) fn knows(&self, object_key: &[u8]) -> bool {
        self.enter()
            .is_some_and(|entered| entered.adapter().knows(object_key))
    }
}

impl Entered {
    /// The adapter.
    #[inline]
    pub(crate) fn adapter(&self) -> &dyn LocalAdapter {
        &*self.0.adapter
    }
}

impl fmt::Debug for AdapterHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AdapterHandle")
            .field("is_closed", &self.is_closed())
            .finish_non_exhaustive()
    }
}
