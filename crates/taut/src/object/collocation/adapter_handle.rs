//! An adapter, as references hold it: until it stops.

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use arc_swap::{ArcSwapOption, Guard};

use super::{LocalAdapter, table};
use crate::core::OrbCore;
use crate::transport::Address;

/// How many groups of threads count their calls apart.
const GROUPS: usize = 16;

/// How often an ORB that stops looks whether calls are still under way.
const LOOK: Duration = Duration::from_millis(1);

/// An ORB's adapter while the ORB serves. It lets the adapter go when that stops,
/// so references do not keep servants.
pub(crate) struct AdapterHandle {
    core: Weak<OrbCore>,
    adapter: ArcSwapOption<Arc<dyn LocalAdapter>>,
    is_closed: AtomicBool,
    under_way: [Count; GROUPS],
}

/// How many calls the threads of one group make. In a cache line of its own:
/// threads that have nothing to do with each other do not meet here.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Count(AtomicUsize);

/// The adapter during a call: it does not stop before that ends.
pub(crate) struct Entered<'h> {
    count: &'h AtomicUsize,
    adapter: Guard<Option<Arc<Arc<dyn LocalAdapter>>>>,
}

impl AdapterHandle {
    pub(crate) fn new(core: &Arc<OrbCore>, adapter: Arc<dyn LocalAdapter>) -> Arc<Self> {
        Arc::new(Self {
            core: Arc::downgrade(core),
            adapter: ArcSwapOption::from_pointee(adapter),
            is_closed: AtomicBool::new(false),
            under_way: Default::default(),
        })
    }

    /// From now on references to these addresses may find the adapter.
    pub(crate) fn open(self: &Arc<Self>, addresses: &[Address]) {
        table::enter(addresses, self);
    }

    /// Takes no further calls. Those under way go on.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::SeqCst);
        table::leave(self);
    }

    /// Waits until no call is under way, and lets the adapter go.
    pub(crate) fn drain(&self) {
        // Sequentially consistent, as `enter` is: either the call is seen here, or
        // the call sees that the handle is closed.
        while self
            .under_way
            .iter()
            .any(|count| count.0.load(Ordering::SeqCst) > 0)
        {
            thread::sleep(LOOK);
        }
        self.adapter.store(None);
    }

    /// Whether calls go elsewhere.
    #[inline]
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }

    /// Begins a call. None when the handle is closed.
    #[inline]
    pub(crate) fn enter(&self) -> Option<Entered<'_>> {
        let count = &self.under_way[group()].0;
        count.fetch_add(1, Ordering::SeqCst);
        if self.is_closed.load(Ordering::SeqCst) {
            count.fetch_sub(1, Ordering::Release);
            return None;
        }
        let adapter = self.adapter.load();
        Some(Entered { count, adapter })
    }

    /// Whether the adapter belongs to this ORB.
    pub(super) fn is_of(&self, core: &OrbCore) -> bool {
        std::ptr::eq(self.core.as_ptr(), core)
    }

    /// Whether requests with this key are for the adapter.
    pub(super) fn knows(&self, object_key: &[u8]) -> bool {
        let adapter = self.adapter.load();
        adapter
            .as_ref()
            .is_some_and(|adapter| adapter.knows(object_key))
    }
}

impl Entered<'_> {
    /// The adapter.
    #[inline]
    pub(crate) fn adapter(&self) -> Option<&dyn LocalAdapter> {
        self.adapter.as_ref().map(|adapter| &***adapter)
    }
}

impl Drop for Entered<'_> {
    #[inline]
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The group of the calling thread.
#[inline]
fn group() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static GROUP: Cell<usize> = const { Cell::new(usize::MAX) };
    }
    match GROUP.get() {
        usize::MAX => {
            let group = NEXT.fetch_add(1, Ordering::Relaxed) % GROUPS;
            GROUP.set(group);
            group
        }
        group => group,
    }
}

impl fmt::Debug for AdapterHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AdapterHandle")
            .field("is_closed", &self.is_closed())
            .finish_non_exhaustive()
    }
}
