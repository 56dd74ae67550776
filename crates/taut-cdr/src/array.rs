//! Arrays: the elements, without a count.

use crate::{Decode, Decoder, Encode, Encoder, Error, Result};

impl<T: Encode, const N: usize> Encode for [T; N] {
    #[inline]
    fn encode(&self, out: &mut Encoder) -> Result<()> {
        T::encode_elements(self, out)
    }

    #[inline]
    fn encode_elements(items: &[Self], out: &mut Encoder) -> Result<()> {
        T::encode_elements(items.as_flattened(), out)
    }
}

impl<'m, T: Decode<'m>, const N: usize> Decode<'m> for [T; N] {
    const MIN_SIZE: usize = T::MIN_SIZE.saturating_mul(N);

    #[inline]
    fn decode(input: &mut Decoder<'m>) -> Result<Self> {
        T::decode_array(input)
    }
}

/// Reads each element of an array with `read_one`, and stops at the first fault.
pub(crate) fn read_array<'m, T, const N: usize>(
    input: &mut Decoder<'m>,
    mut read_one: impl FnMut(&mut Decoder<'m>) -> Result<T>,
) -> Result<[T; N]> {
    let mut fault: Option<Error> = None;
    let items: [Option<T>; N] = core::array::from_fn(|_| {
        if fault.is_some() {
            return None;
        }
        read_one(input).map_err(|error| fault = Some(error)).ok()
    });
    match fault {
        Some(error) => Err(error),
        #[expect(clippy::expect_used, reason = "without a fault every element was read")]
        None => Ok(items.map(|item| item.expect("every element was read"))),
    }
}
