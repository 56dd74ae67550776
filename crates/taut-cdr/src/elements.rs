//! Vectors of which nobody needs to know what they hold: only their memory counts.

#![allow(unsafe_code)]

use alloc::vec::Vec;
use core::mem::ManuallyDrop;

use bytemuck::Pod;

use crate::ElementForm;
use crate::uniform::{PlainData, clear_padding, extend_plain};

/// Elements of a sequence, whatever they are: as integers with their alignment.
#[derive(Debug, Default)]
pub enum Elements {
    /// There are none.
    #[default]
    None,
    /// Octets, `int8`s, chars, or structs of these.
    One(Vec<u8>),
    /// Shorts, or structs with them and none that are wider, as of all below.
    Two(Vec<u16>),
    /// Longs or floats.
    Four(Vec<u32>),
    /// Long longs or doubles.
    Eight(Vec<u64>),
    /// Long doubles.
    Sixteen(Vec<u128>),
}

/// Does the same with the vector, whatever its elements are.
macro_rules! each {
    ($elements:expr, $items:ident => $action:expr, $none:expr) => {
        match $elements {
            Elements::None => $none,
            Elements::One($items) => $action,
            Elements::Two($items) => $action,
            Elements::Four($items) => $action,
            Elements::Eight($items) => $action,
            Elements::Sixteen($items) => $action,
        }
    };
}
pub(crate) use each;

pub(crate) const fn size_of_items<T>(_: &Vec<T>) -> usize {
    size_of::<T>()
}

const fn align_of_items<T>(_: &Vec<T>) -> usize {
    align_of::<T>()
}

impl Elements {
    /// The octets of all of them.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        each!(self, items => bytemuck::cast_slice(items), &[])
    }

    /// Whether values of this type can become elements, which are sent as they are: they lie
    /// in a message as in memory, and it is known what of them is padding.
    pub(crate) const fn may_be<T: PlainData>() -> bool {
        !ElementForm::of::<T>().is_none() && T::LAYOUT.has_known_padding()
    }

    /// These values, their padding cleared, in the memory that is theirs.
    pub(crate) fn of<T: PlainData>(values: Vec<T>) -> Self {
        match align_of::<T>() {
            1 => Self::One(integers(values)),
            2 => Self::Two(integers(values)),
            4 => Self::Four(integers(values)),
            8 => Self::Eight(integers(values)),
            _ => Self::Sixteen(integers(values)),
        }
    }

    /// The values of this type that the elements are. They are copied where their memory
    /// cannot be that of such values.
    pub(crate) fn into_values<T: PlainData>(self) -> Vec<T> {
        let size = size_of::<T>();
        let is_theirs = each!(&self, items => {
            let capacity = items.capacity() * size_of_items(items);
            align_of_items(items) == align_of::<T>() && capacity.is_multiple_of(size)
        }, false);
        if !is_theirs {
            let mut values = Vec::new();
            extend_plain(&mut values, self.as_bytes());
            return values;
        }
        each!(self, items => {
            let count = items.len() * size_of_items(&items) / size;
            let capacity = items.capacity() * size_of_items(&items) / size;
            let mut items = ManuallyDrop::new(items);
            // SAFETY: the memory is the global allocator's, is nobody else's, and has the
            // alignment and the size of so many values. Of those the first so many are
            // filled, and any octets are a value.
            unsafe { Vec::from_raw_parts(items.as_mut_ptr().cast(), count, capacity) }
        }, Vec::new())
    }
}

/// The integers that the octets of the values are, their padding cleared.
fn integers<T: PlainData, I: Pod>(mut values: Vec<T>) -> Vec<I> {
    assert!(
        const { Elements::may_be::<T>() },
        "their padding is not known"
    );
    clear_padding(&mut values);
    let (size, part) = (size_of::<T>(), size_of::<I>());
    assert!(align_of::<T>() == align_of::<I>() && size.is_multiple_of(part));
    let mut values = ManuallyDrop::new(values);
    let [count, capacity] = [values.len(), values.capacity()].map(|many| many * (size / part));
    // SAFETY: the memory is the global allocator's, is nobody else's, and has the alignment
    // and the size of so many integers. The octets of the first so many are written, those of
    // padding just now; any octets are integers.
    unsafe { Vec::from_raw_parts(values.as_mut_ptr().cast(), count, capacity) }
}
