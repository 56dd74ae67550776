//! The traits of types that travel in CDR.

use alloc::vec::Vec;

use crate::{Decoder, Encoder, Result};

/// A value that can be appended to an [`Encoder`].
pub trait Encode {
    /// Appends the value.
    ///
    /// # Errors
    ///
    /// When the value breaks a rule of its IDL type (a bound, a NUL in a
    /// string) or has no form in the transmission code set.
    fn encode(&self, out: &mut Encoder) -> Result<()>;

    /// Appends the values one after the other, without a count.
    ///
    /// # Errors
    ///
    /// Those of [`encode`](Self::encode).
    #[inline]
    fn encode_elements(items: &[Self], out: &mut Encoder) -> Result<()>
    where
        Self: Sized,
    {
        items.iter().try_for_each(|item| item.encode(out))
    }
}

/// A value that can be read from a [`Decoder`] over a message that lives for `'m`.
pub trait Decode<'m>: Sized {
    /// The fewest octets that a value occupies, padding not counted. It bounds
    /// how many elements a count may promise.
    const MIN_SIZE: usize;

    /// Reads one value.
    ///
    /// # Errors
    ///
    /// When the bytes are not a value of this type.
    fn decode(input: &mut Decoder<'m>) -> Result<Self>;

    /// Reads `count` values, one after the other.
    ///
    /// # Errors
    ///
    /// Those of [`decode`](Self::decode), and when `count` values cannot fit
    /// in what remains.
    #[inline]
    fn decode_elements(count: usize, input: &mut Decoder<'m>) -> Result<Vec<Self>> {
        input.read_each(count, Self::MIN_SIZE, Self::decode)
    }

    /// Reads the elements of an array.
    ///
    /// # Errors
    ///
    /// Those of [`decode`](Self::decode).
    #[inline]
    fn decode_array<const N: usize>(input: &mut Decoder<'m>) -> Result<[Self; N]> {
        crate::array::read_array(input, Self::decode)
    }
}

impl<T: Encode + ?Sized> Encode for &T {
    #[inline]
    fn encode(&self, out: &mut Encoder) -> Result<()> {
        (**self).encode(out)
    }
}
