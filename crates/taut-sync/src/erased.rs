//! A share of a value whose type is not told, which is got back by its type without a
//! call: what `Box<dyn Any>` asks its content, this says itself.

#![allow(unsafe_code)]

use std::any::TypeId;
use std::fmt;
use std::marker::PhantomData;
use std::mem::{MaybeUninit, align_of, size_of};
use std::ptr::NonNull;
use std::sync::Arc;

/// Room for a pointer, and for what goes with one to a slice or a trait object.
type Room = MaybeUninit<[*const (); 2]>;

/// An `Arc<V>`, such as an `Arc<dyn Circle>`, of which only the `TypeId` of `V` tells
/// what it is.
pub struct Erased {
    /// That of `V`.
    type_id: TypeId,
    /// A `NonNull<V>` that was made by `Arc::into_raw`; this has the share.
    pointer: Room,
    sharing: &'static Sharing,
}

// SAFETY: `new` takes nothing but an `Arc<V>` that is `Send`.
unsafe impl Send for Erased {}
// SAFETY: `new` takes nothing but an `Arc<V>` that is `Sync`.
unsafe impl Sync for Erased {}

/// How shares of an `Arc<V>` are made and given up.
struct Sharing {
    /// # Safety
    ///
    /// The room has a `NonNull<V>` of which somebody has a share.
    share: unsafe fn(&Room),
    /// # Safety
    ///
    /// The same, and the share is the caller's.
    give_up: unsafe fn(&Room),
}

/// The functions and checks that are known of a `V` at compile time.
struct Of<V: ?Sized>(PhantomData<V>);

impl<V: ?Sized + 'static> Of<V> {
    const SHARING: &'static Sharing = &Sharing {
        share: Self::share,
        give_up: Self::give_up,
    };

    const FITS: () = assert!(
        size_of::<NonNull<V>>() <= size_of::<Room>()
            && align_of::<NonNull<V>>() <= align_of::<Room>(),
        "pointers to this type are larger than any there are"
    );

    fn put(pointer: NonNull<V>) -> Room {
        let () = Self::FITS;
        let mut room = Room::uninit();
        // SAFETY: the room is large enough, as `FITS` says, and aligned.
        unsafe { room.as_mut_ptr().cast::<NonNull<V>>().write(pointer) };
        room
    }

    /// # Safety
    ///
    /// The room was made by `put` for this `V`.
    #[inline(always)]
    unsafe fn get(room: &Room) -> NonNull<V> {
        // SAFETY: as the caller says.
        unsafe { *room.as_ptr().cast::<NonNull<V>>() }
    }

    unsafe fn share(room: &Room) {
        // SAFETY: as the caller says.
        let pointer = unsafe { Self::get(room) };
        // SAFETY: as the caller says.
        unsafe { Arc::increment_strong_count(pointer.as_ptr()) };
    }

    unsafe fn give_up(room: &Room) {
        // SAFETY: as the caller says.
        let pointer = unsafe { Self::get(room) };
        // SAFETY: as the caller says.
        drop(unsafe { Arc::from_raw(pointer.as_ptr()) });
    }
}

impl Erased {
    /// Takes a share.
    pub fn new<V>(value: Arc<V>) -> Self
    where
        V: ?Sized + 'static,
        Arc<V>: Send + Sync,
    {
        // SAFETY: `Arc::into_raw` gives a pointer to what is shared.
        let pointer = unsafe { NonNull::new_unchecked(Arc::into_raw(value).cast_mut()) };
        Self {
            type_id: TypeId::of::<V>(),
            pointer: Of::put(pointer),
            sharing: Of::<V>::SHARING,
        }
    }

    /// The value, if it is a `V`.
    #[inline(always)]
    pub fn get<V: ?Sized + 'static>(&self) -> Option<&V> {
        if self.type_id != TypeId::of::<V>() {
            return None;
        }
        // SAFETY: types with the same id are the same.
        let pointer = unsafe { Of::<V>::get(&self.pointer) };
        // SAFETY: this has a share of it.
        Some(unsafe { pointer.as_ref() })
    }
}

impl Clone for Erased {
    fn clone(&self) -> Self {
        // SAFETY: this has a share.
        unsafe { (self.sharing.share)(&self.pointer) };
        // The share that was made is the clone's.
        Self {
            type_id: self.type_id,
            pointer: self.pointer,
            sharing: self.sharing,
        }
    }
}

impl Drop for Erased {
    fn drop(&mut self) {
        // SAFETY: the share is this one's own, and it has no other.
        unsafe { (self.sharing.give_up)(&self.pointer) };
    }
}

impl fmt::Debug for Erased {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Erased")
            .field("type_id", &self.type_id)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Display;

    use super::*;

    #[test]
    fn it_is_got_back_as_what_it_was_and_as_nothing_else() {
        let number = Erased::new(Arc::new(7_u32));
        assert_eq!(number.get::<u32>(), Some(&7));
        assert_eq!(number.get::<i32>(), None);
        assert!(number.get::<dyn Display>().is_none());
        let told: Arc<dyn Display + Send + Sync> = Arc::new("seven");
        let told = Erased::new(told);
        let got = told.get::<dyn Display + Send + Sync>().unwrap();
        assert_eq!(got.to_string(), "seven");
        assert!(told.get::<dyn Display>().is_none());
        assert!(told.get::<&str>().is_none());
        let slice: Arc<[u8]> = Arc::from([1, 2, 3]);
        assert_eq!(Erased::new(slice).get::<[u8]>(), Some(&[1, 2, 3][..]));
    }

    #[test]
    fn it_has_a_share_and_a_clone_another() {
        let value = Arc::new(String::from("a share"));
        let erased = Erased::new(Arc::clone(&value));
        let other = erased.clone();
        assert_eq!(Arc::strong_count(&value), 3);
        drop(erased);
        assert_eq!(other.get::<String>().map(String::as_str), Some("a share"));
        assert_eq!(Arc::strong_count(&value), 2);
        drop(other);
        assert_eq!(Arc::strong_count(&value), 1);
    }
}
