//! Values that are copied as they are: any octets are one, and they lie on the wire as
//! they do in memory. What is in their padding nobody sees: it is made zero.

#![allow(unsafe_code)]

use alloc::vec::Vec;
use core::mem::MaybeUninit;

use super::{BLOCK, Uniform, append_alike, cleared, get_alike};
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
    if !const { T::LAYOUT.mirrors_memory() && T::LAYOUT.has_known_padding() } {
        return append_alike::<T, false>(items, out);
    }
    let buffer = out.buffer_mut();
    buffer.reserve(size_of_val(items));
    let places = &mut buffer.spare_capacity_mut()[..size_of_val(items)];
    let copied = cleared::copy_first(items, places);
    let places = &mut places[copied * size_of::<T>()..];
    copy_and_clear(&items[copied..], places);
    let length = buffer.len() + size_of_val(items);
    // SAFETY: each octet is one of a member, and was copied, or was cleared.
    unsafe { buffer.set_len(length) };
}

/// Copies values to places for so many octets, and clears their padding while it is still
/// in the processor's cache.
#[inline(always)]
fn copy_and_clear<T: PlainData>(items: &[T], places: &mut [MaybeUninit<u8>]) {
    let count = (BLOCK / size_of::<T>()).max(1);
    let blocks = items.chunks(count);
    for (block, places) in blocks.zip(places.chunks_mut(count * size_of::<T>())) {
        let octets = size_of_val(block);
        let source = block.as_ptr().cast::<MaybeUninit<u8>>();
        assert_eq!(places.len(), octets);
        // SAFETY: both have so many octets, and nobody else has the second ones.
        unsafe { source.copy_to_nonoverlapping(places.as_mut_ptr(), octets) };
        clear_each::<T>(places);
    }
}

/// Clears the padding of values where they lie.
pub(crate) fn clear_padding<T: PlainData>(items: &mut [T]) {
    if !const { T::LAYOUT.has_padding() } {
        return;
    }
    let octets = size_of_val(items);
    let places = items.as_mut_ptr().cast::<MaybeUninit<u8>>();
    // SAFETY: it is the same memory; octets have no alignment, and may be without value.
    // Nothing but zeroes is written to it, so it stays values, which any octets are.
    let places = unsafe { core::slice::from_raw_parts_mut(places, octets) };
    let cleared = cleared::clear_first::<T>(places);
    clear_each::<T>(&mut places[cleared * size_of::<T>()..]);
}

/// Clears the padding of values one by one.
#[inline(always)]
fn clear_each<T: PlainData>(places: &mut [MaybeUninit<u8>]) {
    for value in places.chunks_exact_mut(size_of::<T>()) {
        for (index, octet) in value.iter_mut().enumerate() {
            if T::LAYOUT.is_padding(index) {
                octet.write(0);
            }
        }
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
