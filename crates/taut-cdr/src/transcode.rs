//! From one message into another, without values in between.

use crate::{Decoder, Encoder, Primitive, Result};

impl Decoder<'_> {
    /// Copies `count` primitives into `out`, in bulk where this data's layout
    /// allows it: aligned there and in the byte order there.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Truncated`](crate::ErrorKind::Truncated).
    pub fn copy_elements<T: Primitive>(&mut self, count: usize, out: &mut Encoder) -> Result<()> {
        if self.interrupted && size_of::<T>() > 1 {
            out.write_elements(&self.read_elements_in_pieces::<T>(count)?);
            return Ok(());
        }
        let bytes = self.element_bytes::<T>(count)?;
        if bytes.is_empty() {
            return Ok(());
        }
        out.align(T::ALIGNMENT);
        let start = out.len();
        out.write_bytes(bytes);
        if self.order() != out.order() {
            out.swap_from::<T>(start);
        }
        Ok(())
    }

    /// Skips `count` primitives.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Truncated`](crate::ErrorKind::Truncated).
    pub fn skip_elements<T: Primitive>(&mut self, count: usize) -> Result<()> {
        if self.interrupted && size_of::<T>() > 1 {
            for _ in 0..count {
                self.read_in_piece::<T>()?;
            }
            return Ok(());
        }
        self.element_bytes::<T>(count).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ByteOrder, Decode, Encode, LongDouble, Realignment};
    use alloc::vec::Vec;

    fn copies_equal<T>(values: &[T])
    where
        T: Primitive + Encode + for<'m> Decode<'m> + PartialEq + core::fmt::Debug,
    {
        use ByteOrder::{Big, Little};
        for (from, to) in [(Big, Big), (Big, Little), (Little, Big), (Little, Little)] {
            for (offset_in, offset_out) in [(0, 0), (1, 0), (0, 3), (5, 9)] {
                let mut source = Encoder::new(from);
                source.write_bytes(&[1; 16][..offset_in]);
                source.write_elements(values);
                let mut out = Encoder::new(to);
                out.write_bytes(&[1; 16][..offset_out]);
                let mut input = Decoder::new(source.as_bytes(), from);
                input.skip(offset_in).unwrap();
                let mut skipping = input.clone();
                input.copy_elements::<T>(values.len(), &mut out).unwrap();
                assert_eq!(input.remaining(), 0);
                assert!(input.copy_elements::<T>(1, &mut out).is_err());
                skipping.skip_elements::<T>(values.len()).unwrap();
                assert_eq!(skipping.remaining(), 0);
                let mut copy = Decoder::new(out.as_bytes(), to);
                copy.skip(offset_out).unwrap();
                assert_eq!(T::decode_elements(values.len(), &mut copy).unwrap(), values);
            }
        }
    }

    #[test]
    fn primitives_are_copied_between_all_orders_and_alignments() {
        copies_equal(&[1_u8, 2, 3]);
        copies_equal(&[0x0102_u16, 0x0304]);
        copies_equal(&[0x0102_0304_i32, -5]);
        copies_equal(&[1.5_f64, -2.25, 1e300]);
        copies_equal(&[LongDouble::from(1.5), LongDouble::from(-7.0)]);
    }

    #[test]
    fn what_is_realigned_is_copied_value_by_value() {
        // The second piece begins two octets behind a multiple of four.
        let bytes = [0, 0, 0, 1, 0xaa, 0xaa, 0, 0, 0, 2];
        let places = [Realignment {
            position: 4,
            phase: 2,
        }];
        let input = Decoder::new(&bytes, ByteOrder::Big).with_realignments(&places);
        let mut out = Encoder::new(ByteOrder::Big);
        input.clone().copy_elements::<u32>(2, &mut out).unwrap();
        assert_eq!(out.into_buffer(), Vec::from([0, 0, 0, 1, 0, 0, 0, 2]));
        let mut skipping = input.clone();
        skipping.skip_elements::<u32>(2).unwrap();
        assert_eq!(skipping.remaining(), 0);
    }
}
