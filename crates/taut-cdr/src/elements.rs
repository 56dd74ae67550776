//! Vectors of which nobody needs to know what they hold: only their memory counts.

#![allow(unsafe_code)]

use alloc::vec::Vec;
use core::mem::ManuallyDrop;

use crate::uniform::{PlainData, PlainForm, extend_plain};

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

    /// The octets of all of them, to be changed.
    #[must_use]
    pub fn as_bytes_mut(&mut self) -> &mut [u8] {
        each!(self, items => bytemuck::cast_slice_mut(items), &mut [])
    }

    /// The values of a vector, their padding cleared, in the memory that is theirs.
    ///
    /// # Safety
    ///
    /// The values must be of this form.
    #[must_use]
    pub unsafe fn from_memory(memory: VecMemory, form: PlainForm) -> Self {
        let count = memory.octets / form.size();
        // SAFETY: the vector has so many values, and nobody else has it.
        unsafe { form.clear_padding(memory.first, count) };
        match form.element().alignment() {
            // SAFETY: the memory is aligned and has a size as values of this form have them.
            // Of the octets that are filled each has been written, those of padding just
            // now; any octets are integers.
            1 => Self::One(unsafe { memory.into_vec() }),
            // SAFETY: as above.
            2 => Self::Two(unsafe { memory.into_vec() }),
            // SAFETY: as above.
            4 => Self::Four(unsafe { memory.into_vec() }),
            // SAFETY: as above.
            8 => Self::Eight(unsafe { memory.into_vec() }),
            // SAFETY: as above.
            _ => Self::Sixteen(unsafe { memory.into_vec() }),
        }
    }

    /// The memory of a vector whose values the elements are, of so many octets each and this
    /// alignment.
    ///
    /// # Errors
    ///
    /// The elements, when their memory cannot be that of such a vector.
    pub fn into_memory(self, size: usize, alignment: usize) -> Result<VecMemory, Self> {
        let fits = each!(&self, items => {
            let [octets, capacity] = [items.len(), items.capacity()]
                .map(|count| count * size_of_items(items));
            let is_whole = octets.is_multiple_of(size) && capacity.is_multiple_of(size);
            align_of_items(items) == alignment && is_whole
        }, false);
        if !fits {
            return Err(self);
        }
        Ok(each!(self, items => VecMemory::of(items), VecMemory::of(Vec::<u8>::new())))
    }

    /// These values, their padding cleared, in the memory that is theirs.
    pub(crate) fn of<T: PlainData>(values: Vec<T>, form: PlainForm) -> Self {
        assert!(PlainForm::of::<T>() == Some(form), "the form is another's");
        // SAFETY: the form is that of the type.
        unsafe { Self::from_memory(VecMemory::of(values), form) }
    }

    /// The values of this type that the elements are. They are copied where their memory
    /// cannot be that of such values.
    pub(crate) fn into_values<T: PlainData>(self) -> Vec<T> {
        match self.into_memory(size_of::<T>(), align_of::<T>()) {
            // SAFETY: the memory is aligned and has a size as a vector of such values has
            // them, and any octets are values.
            Ok(memory) => unsafe { memory.into_vec() },
            Err(elements) => {
                let mut values = Vec::new();
                extend_plain(&mut values, elements.as_bytes());
                values
            }
        }
    }
}

/// The memory of a vector, which is lost unless a vector is made of it again.
#[derive(Debug)]
#[must_use]
pub struct VecMemory {
    first: *mut u8,
    /// How many octets have values.
    octets: usize,
    /// How many octets there are.
    capacity: usize,
}

impl VecMemory {
    /// That of this vector.
    pub fn of<T>(values: Vec<T>) -> Self {
        let mut values = ManuallyDrop::new(values);
        let [octets, capacity] = [values.len(), values.capacity()].map(|n| n * size_of::<T>());
        Self {
            first: values.as_mut_ptr().cast(),
            octets,
            capacity,
        }
    }

    /// The vector that it is the memory of.
    ///
    /// # Safety
    ///
    /// It must have been the memory of a vector whose values had the same alignment, and both
    /// sizes must be whole numbers of values. The octets that have values must be values of
    /// this type.
    #[must_use]
    pub unsafe fn into_vec<T>(self) -> Vec<T> {
        let [count, capacity] = [self.octets, self.capacity].map(|n| n / size_of::<T>());
        // SAFETY: the memory is the global allocator's, and nobody else's; the caller
        // vouches for its alignment, its size, and its values.
        unsafe { Vec::from_raw_parts(self.first.cast(), count, capacity) }
    }
}
