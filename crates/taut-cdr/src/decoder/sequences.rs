//! Bytes to sequences: of octets, of primitives, of anything.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::Decoder;
use crate::primitive::{collect, swap_in_place};
use crate::{ErrorKind, Primitive, Result};

impl<'m> Decoder<'m> {
    /// Reads a count of elements that take `min_size` octets or more each. Of elements
    /// that take none, such as structs without members, there may be as many as there is
    /// memory left to [charge](Self::charge): one octet is charged for each.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::LengthBeyondMessage`] when the data is too short for them;
    /// [`ErrorKind::TooMuchMemory`].
    #[inline(always)]
    pub fn read_count(&mut self, min_size: usize) -> Result<usize> {
        let length: u32 = self.read()?;
        let count = length as usize;
        if min_size == 0 {
            return self.charge_count(count);
        }
        if count.saturating_mul(min_size) > self.remaining() && !self.awaits_landed() {
            self.position -= 4;
            return Err(self.error(ErrorKind::LengthBeyondMessage { length }));
        }
        Ok(count)
    }

    /// Charges so many elements that take no octets: they cost time, which a peer is not
    /// to have for nothing.
    #[cold]
    fn charge_count(&mut self, count: usize) -> Result<usize> {
        self.charge(count).map(|()| count)
    }

    /// Reads a sequence of octets, borrowed.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Truncated`], [`ErrorKind::LengthBeyondMessage`].
    #[inline(always)]
    pub fn read_octets(&mut self) -> Result<&'m [u8]> {
        let count = self.read_count(1)?;
        self.read_bytes(count)
    }

    /// Reads a sequence of primitives, borrowed when byte order and the
    /// alignment in memory allow it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Truncated`], [`ErrorKind::LengthBeyondMessage`].
    #[inline]
    pub fn read_sequence<T: Primitive>(&mut self) -> Result<Cow<'m, [T]>> {
        let count = self.read_count(size_of::<T>())?;
        self.read_elements(count)
    }

    /// Reads `count` primitives, borrowed when possible.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Truncated`].
    #[inline]
    pub fn read_elements<T: Primitive>(&mut self, count: usize) -> Result<Cow<'m, [T]>> {
        if self.interrupted && size_of::<T>() > 1 {
            return self.read_elements_in_pieces(count).map(Cow::Owned);
        }
        let bytes = self.element_bytes::<T>(count)?;
        if (!self.order.is_foreign() || size_of::<T>() == 1)
            && let Ok(items) = bytemuck::try_cast_slice(bytes)
        {
            return Ok(Cow::Borrowed(items));
        }
        self.charge(bytes.len())?;
        Ok(Cow::Owned(collect(bytes, self.order)))
    }

    /// Reads primitives into a slice, as many as it holds.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Truncated`].
    #[inline]
    pub fn fill<T: Primitive>(&mut self, items: &mut [T]) -> Result<()> {
        if self.interrupted && size_of::<T>() > 1 {
            for item in items {
                *item = self.read_in_piece()?;
            }
            return Ok(());
        }
        let bytes = self.element_bytes::<T>(items.len())?;
        bytemuck::cast_slice_mut::<T, u8>(items).copy_from_slice(bytes);
        swap_in_place(items, self.order);
        Ok(())
    }

    /// Reads `count` values of `min_size` octets or more each with `read_one`.
    /// Memory grows with what is read, not with what the count promises. If they take no
    /// octets, [`read_count`](Self::read_count) has charged the count.
    ///
    /// # Errors
    ///
    /// Those of `read_one`; [`ErrorKind::NestedTooDeeply`];
    /// [`ErrorKind::LengthBeyondMessage`]; [`ErrorKind::TooMuchMemory`].
    pub fn read_each<T>(
        &mut self,
        count: usize,
        min_size: usize,
        mut read_one: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        if min_size > 0 && count > self.remaining() / min_size {
            let length = u32::try_from(count).unwrap_or(u32::MAX);
            return Err(self.error(ErrorKind::LengthBeyondMessage { length }));
        }
        self.nested(|input| {
            let mut items = Vec::new();
            while items.len() < count {
                let have = items.len();
                let room = input.afford(have, count - have, size_of::<T>())?;
                items.reserve_exact(room);
                for _ in 0..room {
                    items.push(read_one(input)?);
                }
            }
            Ok(items)
        })
    }

    /// The bytes of `count` primitives, the first aligned.
    #[inline]
    pub(crate) fn element_bytes<T: Primitive>(&mut self, count: usize) -> Result<&'m [u8]> {
        if count == 0 {
            return Ok(&[]);
        }
        self.align(T::ALIGNMENT)?;
        match count.checked_mul(size_of::<T>()) {
            Some(size) => self.read_bytes(size),
            None => Err(self.truncated(usize::MAX)),
        }
    }
}
