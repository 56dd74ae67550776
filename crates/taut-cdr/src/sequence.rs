//! Sequences: a count, then the elements.

use alloc::vec::Vec;

use crate::{Decode, Decoder, Encode, Encoder, Result};

impl<T: Encode> Encode for [T] {
    #[inline]
    fn encode(&self, out: &mut Encoder) -> Result<()> {
        out.write_length(self.len())?;
        T::encode_elements(self, out)
    }
}

impl<T: Encode> Encode for Vec<T> {
    #[inline]
    fn encode(&self, out: &mut Encoder) -> Result<()> {
        self.as_slice().encode(out)
    }
}

impl<'m, T: Decode<'m>> Decode<'m> for Vec<T> {
    const MIN_SIZE: usize = 4;

    #[inline]
    fn decode(input: &mut Decoder<'m>) -> Result<Self> {
        let count = input.read_count(T::MIN_SIZE)?;
        T::decode_elements(count, input)
    }
}
