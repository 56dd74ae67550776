//! Data whose alignment starts anew in the middle.

use alloc::vec::Vec;

use crate::{Decoder, ErrorKind, Primitive, Result};

/// A place in the bytes from which on alignment counts anew: GIOP 1.1 aligns
/// what is in a fragment from the fragment's own start, so that a message made
/// of fragments is not aligned like one in a single piece (CORBA 3.3 part 2,
/// 9.4.9).
///
/// The sender fills a piece up as far as the next value fits. Padding in front
/// of a place belongs to the piece that ends there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Realignment {
    /// The octet at which a new piece begins.
    pub position: usize,
    /// The offset that this octet has for alignment.
    pub phase: usize,
}

impl<'m> Decoder<'m> {
    /// Sets where alignment starts anew, in ascending order of position.
    #[inline]
    #[must_use]
    pub fn with_realignments(mut self, realignments: &'m [Realignment]) -> Self {
        self.realignments = realignments;
        self.interrupted = !realignments.is_empty();
        self
    }

    /// Where alignment starts anew, in ascending order of position.
    #[inline]
    pub fn realignments(&self) -> &'m [Realignment] {
        self.realignments
    }

    /// Aligns, chunks apart, as the piece that the position is in demands; a value that would
    /// only begin behind the piece begins with the next.
    #[cold]
    pub(crate) fn align_in_piece(&mut self, alignment: usize) -> Result<()> {
        loop {
            let next = self
                .realignments
                .partition_point(|place| place.position <= self.position);
            let offset = match next.checked_sub(1) {
                Some(current) => {
                    let place = self.realignments[current];
                    self.position - place.position + place.phase
                }
                None => self.position,
            };
            let padding = offset.wrapping_neg() & (alignment - 1);
            match self.realignments.get(next) {
                Some(place) if padding > 0 && self.position + padding >= place.position => {
                    self.whole_bytes(place.position - self.position)?;
                }
                _ => {
                    return match padding {
                        0 => Ok(()),
                        _ if self.remaining() == 0 => Ok(()),
                        _ => self.whole_bytes(padding).map(drop),
                    };
                }
            }
        }
    }

    /// Reads a primitive, aligned in its piece.
    #[cold]
    pub(crate) fn read_in_piece<T: Primitive>(&mut self) -> Result<T> {
        self.align_in_chunk(T::ALIGNMENT)?;
        let value: T = bytemuck::pod_read_unaligned(self.read_bytes(size_of::<T>())?);
        Ok(match self.order().is_foreign() {
            true => value.swapped(),
            false => value,
        })
    }

    /// Reads primitives one by one, each aligned in its piece.
    #[cold]
    pub(crate) fn read_elements_in_pieces<T: Primitive>(&mut self, count: usize) -> Result<Vec<T>> {
        if count.saturating_mul(size_of::<T>()) > self.remaining() {
            let needed = count.saturating_mul(size_of::<T>());
            let remaining = self.remaining();
            return Err(self.error(ErrorKind::Truncated { needed, remaining }));
        }
        self.charge(count * size_of::<T>())?;
        (0..count).map(|_| self.read_in_piece()).collect()
    }
}
