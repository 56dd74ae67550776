//! Primitives and arrays.

use super::place::value;
use super::{Layout, Room, Source, Uniform};
use crate::Primitive;

/// Writes a primitive into octets.
#[inline(always)]
fn write<T: Primitive, const FOREIGN: bool>(value: T, octets: &mut [u8]) {
    let value = if FOREIGN { value.swapped() } else { value };
    octets.copy_from_slice(bytemuck::bytes_of(&value));
}

impl<T: Primitive> Uniform for T {
    const LAYOUT: Layout = Layout::of::<T>();

    #[inline(always)]
    fn put<const FOREIGN: bool>(&self, room: &mut Room<'_, FOREIGN>) {
        room.align(T::ALIGNMENT);
        write::<T, FOREIGN>(*self, room.take(size_of::<T>()));
    }

    #[inline(always)]
    fn get<const FOREIGN: bool>(source: &mut Source<'_, FOREIGN>) -> Self {
        source.primitive()
    }

    #[inline(always)]
    fn put_elements<const FOREIGN: bool>(items: &[Self], room: &mut Room<'_, FOREIGN>) {
        if items.is_empty() {
            return;
        }
        room.align(T::ALIGNMENT);
        let octets = room.take(size_of_val(items));
        if FOREIGN {
            let places = octets.chunks_exact_mut(size_of::<T>());
            for (item, octets) in items.iter().zip(places) {
                write::<T, FOREIGN>(*item, octets);
            }
        } else {
            octets.copy_from_slice(bytemuck::cast_slice(items));
        }
    }

    #[inline(always)]
    fn get_array<const FOREIGN: bool, const N: usize>(
        source: &mut Source<'_, FOREIGN>,
    ) -> [Self; N] {
        if N > 0 {
            source.align(T::ALIGNMENT);
        }
        let octets = source.take(size_of::<[T; N]>());
        core::array::from_fn(|index| {
            let start = index * size_of::<T>();
            value::<T, FOREIGN>(&octets[start..start + size_of::<T>()])
        })
    }
}

impl<T: Uniform, const N: usize> Uniform for [T; N] {
    const LAYOUT: Layout = T::LAYOUT.times(N);

    #[inline(always)]
    fn put<const FOREIGN: bool>(&self, room: &mut Room<'_, FOREIGN>) {
        T::put_elements(self, room);
    }

    #[inline(always)]
    fn get<const FOREIGN: bool>(source: &mut Source<'_, FOREIGN>) -> Self {
        T::get_array(source)
    }
}
