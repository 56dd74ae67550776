//! A servant as one of its interfaces, and what is passed to it.

use std::any::TypeId;
use std::sync::Arc;

use taut_sync::erased::Erased;

/// The kinds of values that go to the servant and come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passes {
    /// Values, which belong to nobody.
    Values,
    /// References too, or what may hold some. They belong to an ORB, so another
    /// ORB's object is called by message, which makes references of its own.
    References,
}

/// A servant as one of its interfaces: an `Arc<dyn Circle>` whose type is not
/// told.
pub type View = Erased;

/// Makes the view of a servant as a `V` (`dyn Circle`), if that is what is wanted;
/// in the shape `minimal` nothing is.
#[inline]
pub fn view<V: ?Sized + 'static>(
    view: &mut Option<View>,
    wanted: TypeId,
    make: impl FnOnce() -> Arc<V>,
) where
    Arc<V>: Send + Sync,
{
    if cfg!(feature = "full") && wanted == TypeId::of::<Arc<V>>() {
        *view = Some(View::new(make()));
    }
}
