//! Values that are copied as they are: any octets are one, and they lie on the wire as
//! they do in memory. Their padding is not sent as it is: it is made zero.

#![allow(unsafe_code)]

use alloc::vec::Vec;

use super::{PlainForm, Uniform, append_alike, get_alike};
use crate::{Encoder, Primitive};

/// A type of which any octets are a value: no boolean and no enum is in it.
///
/// # Safety
///
/// Any octets must be a value, whatever is in padding; and [`Uniform::LAYOUT`] must tell
/// truly which octets are padding, and how many there are.
pub unsafe trait PlainData: Uniform + 'static {}

// SAFETY: primitives are plain data without padding, as `Pod` says.
unsafe impl<T: Primitive> PlainData for T {}

// SAFETY: an array has no members but its elements, and no padding but theirs.
unsafe impl<T: PlainData, const N: usize> PlainData for [T; N] {}

/// Appends values, as [`Uniform::append`] does.
#[inline]
pub fn append_plain<T: PlainData>(items: &[T], out: &mut Encoder) {
    match const { PlainForm::of::<T>() } {
        // SAFETY: these are values of the type.
        Some(form) => unsafe { form.append_inline(items.as_ptr().cast(), items.len(), out) },
        None => append_alike::<T, false>(items, out),
    }
}

/// Appends values, as [`Uniform::extend`] does.
#[inline]
pub fn extend_plain<T: PlainData>(items: &mut Vec<T>, octets: &[u8]) -> bool {
    if !const { T::LAYOUT.mirrors_memory() } {
        return get_alike::<T, false>(items, octets);
    }
    let count = octets.len() / size_of::<T>();
    items.reserve(count);
    let places = items.spare_capacity_mut().as_mut_ptr();
    // SAFETY: there is room for `count` values, and there are octets for as many. The
    // vector's allocation is new and does not overlap with the octets.
    unsafe {
        octets
            .as_ptr()
            .copy_to_nonoverlapping(places.cast(), count * size_of::<T>())
    };
    // SAFETY: any octets are a value.
    unsafe { items.set_len(items.len() + count) };
    true
}
