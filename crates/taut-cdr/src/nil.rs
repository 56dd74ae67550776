//! `Option`: the nil or null that references and values can be.

use crate::{Decode, Decoder, Encode, Encoder, Result};

/// A type with a wire form for "none": a nil reference, a null value.
pub trait EncodeNil: Encode {
    /// Appends "none".
    ///
    /// # Errors
    ///
    /// Those of [`Encode::encode`].
    fn encode_nil(out: &mut Encoder) -> Result<()>;
}

/// A type that can be found to be absent: a nil reference, a null value.
pub trait DecodeNil<'m>: Sized {
    /// The fewest octets that a value, or none, occupies.
    const MIN_SIZE: usize;

    /// Reads a value or none.
    ///
    /// # Errors
    ///
    /// When the bytes are neither.
    fn decode_nil(input: &mut Decoder<'m>) -> Result<Option<Self>>;
}

impl<T: EncodeNil> Encode for Option<T> {
    #[inline]
    fn encode(&self, out: &mut Encoder) -> Result<()> {
        match self {
            Some(value) => value.encode(out),
            None => T::encode_nil(out),
        }
    }
}

impl<T: EncodeNil> EncodeNil for &T {
    #[inline]
    fn encode_nil(out: &mut Encoder) -> Result<()> {
        T::encode_nil(out)
    }
}

impl<'m, T: DecodeNil<'m>> Decode<'m> for Option<T> {
    const MIN_SIZE: usize = <T as DecodeNil<'m>>::MIN_SIZE;

    #[inline]
    fn decode(input: &mut Decoder<'m>) -> Result<Self> {
        T::decode_nil(input)
    }
}
