//! A servant as the traits that callers know it by.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::{Arc, OnceLock};

use arc_swap::{ArcSwapOption, Guard};

use crate::object::View;

/// The views of one active object that have been asked for. There are as many as
/// the servant has interfaces, and most often one: a list that only grows is read
/// without a lock.
#[derive(Default)]
pub(crate) struct Views {
    first: OnceLock<Box<Known>>,
}

struct Known {
    wanted: TypeId,
    /// None: the servant cannot be had as this.
    view: Option<View>,
    next: OnceLock<Box<Self>>,
}

impl Known {
    #[inline]
    fn view(&self) -> Option<&dyn Any> {
        self.view.as_deref().map(|view| view as &dyn Any)
    }
}

impl Views {
    /// The view of this type if it has been made.
    #[inline]
    pub(crate) fn get(&self, wanted: TypeId) -> Option<&dyn Any> {
        self.find(wanted).ok()?.view()
    }

    /// The view of this type, which `make` makes the first time.
    #[inline]
    pub(crate) fn get_or_make(
        &self,
        wanted: TypeId,
        make: impl FnOnce() -> Option<View>,
    ) -> Option<&dyn Any> {
        match self.find(wanted) {
            Ok(known) => known.view(),
            Err(end) => append(end, wanted, make()),
        }
    }

    /// What is known of a type, or the end of the list.
    #[inline]
    fn find(&self, wanted: TypeId) -> Result<&Known, &OnceLock<Box<Known>>> {
        let mut place = &self.first;
        while let Some(known) = place.get() {
            if known.wanted == wanted {
                return Ok(known);
            }
            place = &known.next;
        }
        Err(place)
    }
}

/// Appends a view at the end of a list, unless somebody has done so meanwhile.
#[cold]
fn append(mut end: &OnceLock<Box<Known>>, wanted: TypeId, view: Option<View>) -> Option<&dyn Any> {
    let mut made = Box::new(Known {
        wanted,
        view,
        next: OnceLock::new(),
    });
    loop {
        let not_taken = end.set(made).err();
        let known = end.get()?;
        match not_taken {
            Some(ours) if known.wanted != wanted => (made, end) = (ours, &known.next),
            _ => return known.view(),
        }
    }
}

/// What is kept beside an active object once it has been called from its own
/// process.
pub(crate) struct LocalServant {
    pub(crate) views: Arc<Views>,
    direct: Arc<DirectTarget>,
}

/// A servant for references that call it by themselves. Deactivation takes the
/// servant out, whoever keeps this.
pub(crate) struct DirectTarget {
    views: ArcSwapOption<Views>,
}

impl LocalServant {
    /// What references may keep.
    pub(crate) fn direct(&self) -> &Arc<DirectTarget> {
        &self.direct
    }
}

impl Default for LocalServant {
    fn default() -> Self {
        let views = Arc::new(Views::default());
        let direct = DirectTarget {
            views: ArcSwapOption::from(Some(Arc::clone(&views))),
        };
        Self {
            views,
            direct: Arc::new(direct),
        }
    }
}

impl Drop for LocalServant {
    fn drop(&mut self) {
        self.direct.release();
    }
}

impl DirectTarget {
    /// The servant's views, as long as it is active.
    #[inline]
    pub(crate) fn views(&self) -> Guard<Option<Arc<Views>>> {
        self.views.load()
    }

    /// Lets the servant go: the object is no longer active.
    pub(crate) fn release(&self) {
        self.views.store(None);
    }
}

impl fmt::Debug for DirectTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DirectTarget").finish_non_exhaustive()
    }
}
