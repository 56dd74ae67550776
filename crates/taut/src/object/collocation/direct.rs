//! Servants that references call by themselves, and how they are let go.
//!
//! A reference keeps a [`DirectTarget`], and each thread keeps the servants of the
//! few targets that it called last. So a call takes no atomic read-modify-write,
//! which alone takes several times as long as a call through a trait object. After
//! an object has been deactivated each thread lets go, with its next direct call
//! or when it ends, what is no longer active.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use parking_lot::Mutex;

use super::views::Views;

/// How many servants a thread keeps.
const KEPT: usize = 16;

/// How many targets have been released, in all.
static RELEASED: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static SERVANTS: RefCell<Servants> = const {
        RefCell::new(Servants {
            released: 0,
            kept: [const { None }; KEPT],
        })
    };
}

/// The servant of one active object, for references that keep it.
pub(crate) struct DirectTarget {
    is_active: AtomicBool,
    /// None after the release.
    views: Mutex<Option<Arc<Views>>>,
}

/// A servant that a thread keeps.
pub(crate) struct Kept {
    target: Arc<DirectTarget>,
    views: Arc<Views>,
}

/// What a thread keeps.
struct Servants {
    /// As many had been released when it last looked.
    released: usize,
    /// Each at a place that follows from its target's.
    kept: [Option<Rc<Kept>>; KEPT],
}

impl DirectTarget {
    pub(super) fn new(views: &Arc<Views>) -> Self {
        Self {
            is_active: AtomicBool::new(true),
            views: Mutex::new(Some(Arc::clone(views))),
        }
    }

    /// The servant, as long as the object is active.
    #[inline]
    pub(crate) fn servant(self: &Arc<Self>) -> Option<Rc<Kept>> {
        let servant = SERVANTS
            .try_with(|servants| {
                // Borrowed only where a servant's destructor calls.
                let servants = servants.try_borrow().ok()?;
                let is_current = servants.released == RELEASED.load(Ordering::Acquire);
                let kept = servants.kept[self.place()].as_ref();
                kept.filter(|kept| is_current && Arc::ptr_eq(&kept.target, self))
                    .map(Rc::clone)
            })
            .ok()?;
        match servant {
            Some(_) if self.is_active.load(Ordering::Acquire) => servant,
            _ => self.fetch(),
        }
    }

    /// Lets go of what is no longer active, and keeps the servant if it is.
    #[cold]
    fn fetch(self: &Arc<Self>) -> Option<Rc<Kept>> {
        let released = RELEASED.load(Ordering::Acquire);
        let views = self.views.lock().clone();
        let servant = views.map(|views| {
            Rc::new(Kept {
                target: Arc::clone(self),
                views,
            })
        });
        // Dropped behind the borrow: servants' destructors may call.
        let mut dropped = [const { None }; KEPT];
        SERVANTS
            .try_with(|servants| {
                let Ok(mut servants) = servants.try_borrow_mut() else {
                    return;
                };
                for (kept, dropped) in servants.kept.iter_mut().zip(&mut dropped) {
                    let is_active = |kept: &Rc<Kept>| kept.target.is_active.load(Ordering::Acquire);
                    if !kept.as_ref().is_some_and(is_active) {
                        *dropped = kept.take();
                    }
                }
                servants.released = released;
                if let Some(servant) = &servant {
                    let place = self.place();
                    dropped[place] = servants.kept[place].replace(Rc::clone(servant));
                }
            })
            .ok()?;
        servant
    }

    /// Lets the servant go: the object is no longer active.
    pub(crate) fn release(&self) {
        self.is_active.store(false, Ordering::Release);
        let views = self.views.lock().take();
        if views.is_some() {
            RELEASED.fetch_add(1, Ordering::Release);
        }
    }

    /// Where a thread keeps the servant.
    #[inline]
    fn place(&self) -> usize {
        (std::ptr::from_ref(self).addr() / size_of::<Self>()) % KEPT
    }
}

impl Kept {
    /// The servant's views.
    #[inline]
    pub(crate) fn views(&self) -> &Views {
        &self.views
    }
}

impl fmt::Debug for DirectTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DirectTarget")
            .field("is_active", &self.is_active)
            .finish_non_exhaustive()
    }
}
