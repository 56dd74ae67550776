//! A servant as the traits that callers know it by.

use std::any::TypeId;
use std::sync::OnceLock;

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

impl Views {
    /// The view of this type if it has been made.
    #[inline]
    pub(crate) fn get(&self, wanted: TypeId) -> Option<&View> {
        self.find(wanted).ok()?.view.as_ref()
    }

    /// The view of this type, which `make` makes the first time.
    #[inline]
    pub(crate) fn get_or_make(
        &self,
        wanted: TypeId,
        make: impl FnOnce() -> Option<View>,
    ) -> Option<&View> {
        match self.find(wanted) {
            Ok(known) => known.view.as_ref(),
            Err(end) => append(end, wanted, make()),
        }
    }

    /// Returns the entry of a type, or the end of the list.
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
fn append(mut end: &OnceLock<Box<Known>>, wanted: TypeId, view: Option<View>) -> Option<&View> {
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
            _ => return known.view.as_ref(),
        }
    }
}
