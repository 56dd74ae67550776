//! The primitives that move in bulk. `unsafe` stands here only to vouch that [`Char`] and
//! [`LongDouble`] are plain data.

#![allow(unsafe_code)]

use alloc::borrow::Cow;
use alloc::vec::Vec;
use bytemuck::{Pod, Zeroable};

use crate::landing::take_landed;
use crate::{ByteOrder, Char, Decode, Decoder, Encode, Encoder, Error, LongDouble, Result};

/// A type whose CDR form is its memory, up to byte order: the integers,
/// the floating types and `char`.
pub trait Primitive: Pod + sealed::Sealed {
    /// The alignment in CDR: the size, but never more than 8.
    const ALIGNMENT: usize = if size_of::<Self>() > 8 {
        8
    } else {
        size_of::<Self>()
    };

    /// The same value with its octets in the opposite order.
    #[must_use]
    fn swapped(self) -> Self;

    /// The octets of the values in memory.
    #[inline]
    fn octets(items: &[Self]) -> &[u8] {
        bytemuck::cast_slice(items)
    }

    /// The values whose octets these are.
    ///
    /// # Panics
    ///
    /// When they are not aligned for the type, or are no whole number of values.
    #[inline]
    fn from_octets(octets: &[u8]) -> &[Self] {
        bytemuck::cast_slice(octets)
    }
}

mod sealed {
    pub trait Sealed {}
}

// SAFETY: `Char` is `repr(transparent)` over `u8`, for which all zeroes is a value.
unsafe impl Zeroable for Char {}

// SAFETY: `Char` is `repr(transparent)` over `u8`: `Copy`, inhabited, without
// padding, without interior mutability, and every bit pattern is a value.
unsafe impl Pod for Char {}

// SAFETY: `LongDouble` is `repr(transparent)` over `u128`, for which all zeroes
// is a value.
unsafe impl Zeroable for LongDouble {}

// SAFETY: `LongDouble` is `repr(transparent)` over `u128`: `Copy`, inhabited,
// without padding, without interior mutability, and every bit pattern is a value.
unsafe impl Pod for LongDouble {}

macro_rules! primitives {
    ($($ty:ty: |$value:ident| $swapped:expr;)*) => {$(
        impl sealed::Sealed for $ty {}

        impl Primitive for $ty {
            #[inline]
            fn swapped(self) -> Self {
                let $value = self;
                $swapped
            }
        }

        impl Encode for $ty {
            #[inline]
            fn encode(&self, out: &mut Encoder) -> Result<()> {
                out.write(*self);
                Ok(())
            }

            #[inline]
            fn encode_elements(items: &[Self], out: &mut Encoder) -> Result<()> {
                out.write_elements(items);
                Ok(())
            }
        }

        impl<'m> Decode<'m> for $ty {
            const MIN_SIZE: usize = size_of::<$ty>();

            #[inline]
            fn decode(input: &mut Decoder<'m>) -> Result<Self> {
                input.read()
            }

            #[inline]
            fn decode_elements(
                count: usize,
                input: &mut Decoder<'m>,
            ) -> Result<Vec<Self>> {
                match input.read_elements(count) {
                    Ok(Cow::Owned(items)) => Ok(items),
                    Ok(Cow::Borrowed(items)) => {
                        input.charge(size_of_val(items))?;
                        Ok(items.to_vec())
                    }
                    Err(error) => landed(count, input, error),
                }
            }

            #[inline]
            fn decode_array<const N: usize>(input: &mut Decoder<'m>) -> Result<[Self; N]> {
                let mut array = [Zeroable::zeroed(); N];
                input.fill(&mut array)?;
                Ok(array)
            }
        }
    )*};
}

primitives! {
    u8: |value| value;
    i8: |value| value;
    Char: |value| value;
    u16: |value| value.swap_bytes();
    i16: |value| value.swap_bytes();
    u32: |value| value.swap_bytes();
    i32: |value| value.swap_bytes();
    u64: |value| value.swap_bytes();
    i64: |value| value.swap_bytes();
    f32: |value| Self::from_bits(value.to_bits().swap_bytes());
    f64: |value| Self::from_bits(value.to_bits().swap_bytes());
    LongDouble: |value| Self::from_bits(value.to_bits().swap_bytes());
}

/// Values that have landed, where reading them has ended in `error`.
#[cold]
#[inline(never)]
fn landed<'m, T: Primitive + Decode<'m>>(
    count: usize,
    input: &mut Decoder<'m>,
    error: Error,
) -> Result<Vec<T>> {
    take_landed(count, input)?.ok_or(error)
}

/// Brings values in `order` into this machine's order, or back.
#[inline]
pub(crate) fn swap_in_place<T: Primitive>(items: &mut [T], order: ByteOrder) {
    if order.is_foreign() && size_of::<T>() > 1 {
        for item in items {
            *item = item.swapped();
        }
    }
}

/// The values in `order` that these octets are, wherever they lie in memory: read once
/// and written once.
pub(crate) fn collect<T: Primitive>(bytes: &[u8], order: ByteOrder) -> Vec<T> {
    let values = bytes
        .chunks_exact(size_of::<T>())
        .map(bytemuck::pod_read_unaligned::<T>);
    if order.is_foreign() {
        values.map(T::swapped).collect()
    } else {
        values.collect()
    }
}
