//! Data that interceptors keep with a request.

use std::any::{Any, TypeId};
use std::fmt;

/// The data that interceptors keep with a request between its points: at most one value of each
/// type, so that interceptors of different crates do not meet.
///
/// Unlike the values in slots these are of any Rust type, and nobody else sees them. Those of a
/// client's call stay when its request is forwarded or sent again: the next `send_request`
/// finds them. They are dropped when the call has ended, however it has, so that a value's
/// `Drop` tells an interceptor of a call that ends without a further point, such as one of
/// which the caller has let go.
#[derive(Default)]
pub struct Extensions(Vec<(TypeId, Box<dyn Any + Send>)>);

impl Extensions {
    /// The value of this type, if there is one.
    pub fn get<T: Any>(&self) -> Option<&T> {
        let (_, value) = self.0.iter().find(|(id, _)| *id == TypeId::of::<T>())?;
        value.downcast_ref()
    }

    /// The value of this type, to be changed, if there is one.
    pub fn get_mut<T: Any>(&mut self) -> Option<&mut T> {
        let mut all = self.0.iter_mut();
        let (_, value) = all.find(|(id, _)| *id == TypeId::of::<T>())?;
        value.downcast_mut()
    }

    /// Keeps a value, and returns the one of its type that was there.
    pub fn insert<T: Any + Send>(&mut self, value: T) -> Option<T> {
        let before = self.remove();
        self.0.push((TypeId::of::<T>(), Box::new(value)));
        before
    }

    /// Takes the value of this type out.
    pub fn remove<T: Any>(&mut self) -> Option<T> {
        let at = self.0.iter().position(|(id, _)| *id == TypeId::of::<T>())?;
        let (_, value) = self.0.swap_remove(at);
        value.downcast().ok().map(|value| *value)
    }
}

impl fmt::Debug for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Extensions")
            .field("values", &self.0.len())
            .finish()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::Extensions;

    #[test]
    fn there_is_one_value_of_each_type() {
        let mut all = Extensions::default();
        assert_eq!(all.insert(1_u32), None);
        assert_eq!(all.insert("one"), None);
        assert_eq!(all.insert(2_u32), Some(1));
        *all.get_mut::<u32>().unwrap() += 1;
        assert_eq!((all.get(), all.get()), (Some(&3_u32), Some(&"one")));
        assert_eq!(all.remove::<u32>(), Some(3));
        assert_eq!((all.remove::<u32>(), all.get::<u64>()), (None, None));
        assert_eq!(format!("{all:?}"), "Extensions { values: 1 }");
    }
}
