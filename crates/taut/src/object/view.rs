//! A servant as one of its interfaces.

use std::any::{Any, TypeId};
use std::sync::Arc;

/// A servant as one of its interfaces: an `Arc<dyn Circle>` whose type is not
/// told.
pub type View = Box<dyn Any + Send + Sync>;

/// Makes the view of a servant as a `V` (`dyn Circle`), if that is what is wanted;
/// without the feature `collocation` nothing is.
#[inline]
pub fn view<V: ?Sized + 'static>(
    view: &mut Option<View>,
    wanted: TypeId,
    make: impl FnOnce() -> Arc<V>,
) where
    Arc<V>: Send + Sync,
{
    if cfg!(feature = "collocation") && wanted == TypeId::of::<Arc<V>>() {
        *view = Some(Box::new(make()));
    }
}
