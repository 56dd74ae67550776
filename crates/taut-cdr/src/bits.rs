//! The fields of a `bitset`, of IDL 4: several small numbers in one.
//!
//! CORBA has no bit sets. Here one travels as DDS has it: as the smallest
//! unsigned integer that holds all fields, the first in the lowest bits.

use crate::{Encoder, Error, ErrorKind, Result};

/// A type of a field: an integer, or `bool`.
pub trait BitField: Copy {
    /// The value as 64 bits; a negative one in two's complement.
    fn to_bits(self) -> u64;

    /// The value of 64 bits that [`unpack`] made of a field's.
    fn from_bits(bits: u64) -> Self;

    /// Whether values may be negative.
    const SIGNED: bool;
}

macro_rules! integers {
    ($($ty:ty: $signed:literal;)*) => {$(
        impl BitField for $ty {
            const SIGNED: bool = $signed;

            #[inline]
            fn to_bits(self) -> u64 {
                self as u64
            }

            #[inline]
            fn from_bits(bits: u64) -> Self {
                bits as Self
            }
        }
    )*};
}

integers! {
    u8: false;
    i8: true;
    u16: false;
    i16: true;
    u32: false;
    i32: true;
    u64: false;
    i64: true;
}

impl BitField for bool {
    const SIGNED: bool = false;

    #[inline]
    fn to_bits(self) -> u64 {
        u64::from(self)
    }

    #[inline]
    fn from_bits(bits: u64) -> Self {
        bits != 0
    }
}

/// The bits of a field of `width` bits (1 to 64) whose lowest one is `offset`,
/// in their place. `out` tells the place of a fault.
///
/// # Errors
///
/// [`ErrorKind::Invalid`] when the value does not fit.
#[inline]
pub fn pack<T: BitField>(value: T, offset: u32, width: u32, out: &Encoder) -> Result<u64> {
    let bits = value.to_bits();
    let kept = bits & mask(width);
    if extended::<T>(kept, width) == bits {
        return Ok(kept << offset);
    }
    let rule = "a field of a bitset has a value that its bits cannot hold";
    Err(Error::new(ErrorKind::Invalid(rule), out.position()))
}

/// The value of the field of `width` bits (1 to 64) whose lowest one is
/// `offset`.
#[inline]
pub fn unpack<T: BitField>(bits: u64, offset: u32, width: u32) -> T {
    T::from_bits(extended::<T>((bits >> offset) & mask(width), width))
}

/// A field's bits as 64 bits of the same value.
fn extended<T: BitField>(bits: u64, width: u32) -> u64 {
    let is_negative = T::SIGNED && bits >> (width - 1) & 1 == 1;
    if is_negative {
        bits | !mask(width)
    } else {
        bits
    }
}

fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}
