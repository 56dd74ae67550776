//! An adapter, as references hold it, and who is calling by it.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::atomic::{self, AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;

use super::{LocalAdapter, table};
use crate::core::OrbCore;
use crate::transport::Address;

/// How often an ORB that stops looks whether calls are still under way.
const LOOK: Duration = Duration::from_millis(1);

/// An ORB's adapter, for references, and whether the ORB still serves.
pub(crate) struct AdapterHandle {
    /// Tells this handle from every other there ever was.
    id: u64,
    core: Weak<OrbCore>,
    adapter: Arc<dyn LocalAdapter>,
    is_closed: AtomicBool,
    /// One for each thread that has called.
    under_way: Mutex<Vec<Arc<Count>>>,
}

/// How many calls one thread is in. Only that thread writes it, so that it needs
/// no atomic read-modify-write, which would be most of what a call costs; it lies
/// in a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Count(AtomicUsize);

/// A thread's own count for one handle, which calls of the thread share without
/// counting atomically how many they are.
struct Own {
    handle: u64,
    count: Arc<Count>,
}

thread_local! {
    /// This thread's counts; there are few.
    static COUNTS: RefCell<Vec<Rc<Own>>> = const { RefCell::new(Vec::new()) };
}

/// The adapter during a call: its ORB does not stop before that ends.
pub(crate) struct Entered<'h> {
    handle: &'h AdapterHandle,
    own: Rc<Own>,
}

impl AdapterHandle {
    pub(crate) fn new(core: &Arc<OrbCore>, adapter: Arc<dyn LocalAdapter>) -> Arc<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Arc::new(Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            core: Arc::downgrade(core),
            adapter,
            is_closed: AtomicBool::new(false),
            under_way: Mutex::default(),
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

    /// Waits, after [`close`](Self::close), until no call is under way.
    pub(crate) fn drain(&self) {
        // A thread that has not seen that the handle is closed counts its call
        // before it looks. It does so without a fence; by the end of the first
        // wait, what it wrote is here.
        loop {
            thread::sleep(LOOK);
            let under_way = self.under_way.lock();
            if under_way
                .iter()
                .all(|count| count.0.load(Ordering::Acquire) == 0)
            {
                return;
            }
        }
    }

    /// Whether calls go elsewhere.
    #[inline]
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }

    /// Begins a call. None when the handle is closed, and when the thread is
    /// about to end.
    #[inline]
    pub(crate) fn enter(&self) -> Option<Entered<'_>> {
        let own = COUNTS
            .try_with(|counts| {
                let mut counts = counts.borrow_mut();
                match counts.iter().find(|own| own.handle == self.id) {
                    Some(own) => Rc::clone(own),
                    None => self.register(&mut counts),
                }
            })
            .ok()?;
        let count = &own.count;
        count.0.store(count.get() + 1, Ordering::Relaxed);
        atomic::compiler_fence(Ordering::SeqCst);
        let entered = Entered { handle: self, own };
        (!self.is_closed()).then_some(entered)
    }

    /// Gives the calling thread a count, in place of those of threads and ORBs
    /// that have ended.
    #[cold]
    fn register(&self, counts: &mut Vec<Rc<Own>>) -> Rc<Own> {
        counts.retain(|own| Arc::strong_count(&own.count) > 1);
        let count = Arc::new(Count::default());
        let mut under_way = self.under_way.lock();
        under_way.retain(|count| Arc::strong_count(count) > 1);
        under_way.push(Arc::clone(&count));
        let own = Rc::new(Own {
            handle: self.id,
            count,
        });
        counts.push(Rc::clone(&own));
        own
    }

    /// Whether the adapter belongs to this ORB.
    pub(super) fn is_of(&self, core: &OrbCore) -> bool {
        std::ptr::eq(self.core.as_ptr(), core)
    }

    /// Whether requests with this key are for the adapter.
    pub(super) fn knows(&self, object_key: &[u8]) -> bool {
        self.adapter.knows(object_key)
    }
}

impl Count {
    /// As the thread that it belongs to sees it.
    #[inline]
    fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Entered<'_> {
    /// The adapter.
    #[inline]
    pub(crate) fn adapter(&self) -> &dyn LocalAdapter {
        &*self.handle.adapter
    }
}

impl Drop for Entered<'_> {
    #[inline]
    fn drop(&mut self) {
        let count = &self.own.count;
        count.0.store(count.get() - 1, Ordering::Release);
    }
}

impl fmt::Debug for AdapterHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AdapterHandle")
            .field("is_closed", &self.is_closed())
            .finish_non_exhaustive()
    }
}
