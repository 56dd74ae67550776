//! Values that are copied as they are: any octets are one, and they lie on the wire as
//! they do in memory. What is in their padding nobody sees.

#![allow(unsafe_code)]

use alloc::vec::Vec;

use super::{Uniform, get_alike};
use crate::Primitive;

/// A type of which any octets are a value: no boolean and no enum is in it.
///
/// # Safety
///
/// Any octets must be a value, but for what is in padding.
pub unsafe trait Plain: Copy + 'static {}

// SAFETY: primitives are plain data, as `Pod` says.
unsafe impl<T: Primitive> Plain for T {}

// SAFETY: an array has no members but its elements.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

/// Appends values, as [`Uniform::extend`] does.
#[inline]
pub fn extend_plain<T: Uniform + Plain>(items: &mut Vec<T>, octets: &[u8]) -> bool {
    if !const { T::LAYOUT.mirrors_memory() && size_of::<T>() > 0 } {
        return get_alike::<T, false>(octets, items);
    }
    let count = octets.len() / size_of::<T>();
    items.reserve(count);
    let places = items.spare_capacity_mut().as_mut_ptr();
    // SAFETY: there is room for `count` values, and there are octets for as many. What was
    // allocated for the vector alone does not overlap with them.
    unsafe {
        octets
            .as_ptr()
            .copy_to_nonoverlapping(places.cast(), count * size_of::<T>())
    };
    // SAFETY: any octets are a value.
    unsafe { items.set_len(items.len() + count) };
    true
}
