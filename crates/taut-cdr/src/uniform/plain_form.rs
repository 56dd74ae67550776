//! The layout of plain values, which suffices to move many of them: their type need not be.

#![allow(unsafe_code)]

use core::mem::MaybeUninit;

use super::layout::{MAX_ALIGNMENT, padding};
use super::{BLOCK, Layout, PlainData, cleared};
use crate::{ElementForm, Encoder};

/// How values lie of a type of which any octets are one, and which lie on the wire as they do
/// in memory once they follow each other. It is known which of their octets are padding:
/// these are sent as zeroes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlainForm {
    element: ElementForm,
    /// How many registers' octets are a period; 0 where nothing is to be cleared, or not so.
    period: u8,
    /// Which octets of values one after the other are no padding, the first one lowest: the
    /// high half and the low one.
    filled: [u64; 2],
    /// The part of [`Layout`] that concerns the place where a value begins, in fewer octets:
    /// how many it takes there, whether they are as in memory, and the alignment of the
    /// first member.
    sizes: [u8; MAX_ALIGNMENT],
    mirrors: u8,
    alignment: u8,
}

impl PlainForm {
    /// That of values of this type.
    #[must_use]
    pub const fn of<T: PlainData>() -> Option<Self> {
        Self::of_layout(T::LAYOUT, align_of::<T>())
    }

    /// That of values with this layout, and this alignment in memory. None where they lie
    /// otherwise in a message than in memory, or are large.
    #[must_use]
    pub const fn of_layout(layout: Layout, alignment: usize) -> Option<Self> {
        let element = ElementForm::of_layout(layout, alignment);
        match layout.filled() {
            Some(filled) if !element.is_none() => {
                let period = match layout.has_padding() {
                    true => cleared::period(element.size()) as u8,
                    false => 0,
                };
                let mut all = filled as u128;
                let mut start = element.size();
                while start < u128::BITS as usize {
                    all |= (filled as u128) << start;
                    start += element.size();
                }
                let mut sizes = [0; MAX_ALIGNMENT];
                let mut mirrors = 0;
                let mut place = 0;
                while place < MAX_ALIGNMENT {
                    sizes[place] = layout.size_at(place) as u8;
                    mirrors |= (layout.is_mirrored_at(place) as u8) << place;
                    place += 1;
                }
                Some(Self {
                    element,
                    period,
                    filled: [(all >> 64) as u64, all as u64],
                    sizes,
                    mirrors,
                    alignment: layout.alignment() as u8,
                })
            }
            _ => None,
        }
    }

    /// How they can be received where they stay.
    #[must_use]
    pub const fn element(self) -> ElementForm {
        self.element
    }

    /// How many octets each has in memory.
    #[must_use]
    pub const fn size(self) -> usize {
        self.element.size()
    }

    /// Where a value begins behind this offset.
    #[inline]
    pub(crate) const fn start_at(self, offset: usize) -> usize {
        offset + padding(offset, self.alignment())
    }

    /// Whether a value that begins at this offset lies there as in memory.
    #[inline]
    pub(crate) const fn is_mirrored_at(self, offset: usize) -> bool {
        (self.mirrors >> (offset % MAX_ALIGNMENT)) & 1 != 0
    }

    /// The alignment of what comes first.
    #[inline]
    pub(crate) const fn alignment(self) -> usize {
        self.alignment as usize
    }

    /// How many octets a value takes that begins at this offset, with padding in front.
    #[inline]
    #[must_use]
    pub const fn size_at(self, offset: usize) -> usize {
        self.sizes[offset % MAX_ALIGNMENT] as usize
    }

    /// Where the elements of a sequence that lie as in memory begin, if the first would begin
    /// behind this offset: with that, or behind it.
    #[must_use]
    pub const fn landing_at(self, offset: usize) -> usize {
        match self.element.apart() {
            0 => self.start_at(offset),
            _ => offset + self.size_at(offset),
        }
    }

    pub(super) const fn period(self) -> usize {
        self.period as usize
    }

    /// Which octets of values one after the other belong to a member, the first one lowest.
    #[inline]
    pub(super) const fn filled(self) -> u128 {
        (self.filled[0] as u128) << 64 | self.filled[1] as u128
    }

    /// Which octets of a value are padding, the first one lowest.
    #[inline]
    const fn padding(self) -> u64 {
        let all = u64::MAX >> (u64::BITS as usize - self.size());
        all & !self.filled[1]
    }

    /// Appends values in this machine's byte order, none of them the first.
    ///
    /// # Safety
    ///
    /// There must be `count` values of this form from `first` on.
    pub unsafe fn append(self, first: *const u8, count: usize, out: &mut Encoder) {
        // SAFETY: the caller vouches for the values.
        unsafe { self.append_inline(first, count, out) }
    }

    /// [`append`](Self::append), for a form that is known when the program is compiled.
    ///
    /// # Safety
    ///
    /// As for [`append`](Self::append).
    #[inline(always)]
    pub(super) unsafe fn append_inline(self, first: *const u8, count: usize, out: &mut Encoder) {
        let octets = count * self.size();
        let buffer = out.buffer_mut();
        buffer.reserve(octets);
        let places = &mut buffer.spare_capacity_mut()[..octets];
        // SAFETY: both have so many octets.
        let passed = unsafe { cleared::pass(self, first, places.as_mut_ptr().cast(), octets) };
        // SAFETY: the rest is within the values, if at their end.
        let rest = unsafe { first.add(passed) };
        // SAFETY: there are as many octets left as places.
        unsafe { self.copy_and_clear(rest, &mut places[passed..]) };
        let length = buffer.len() + octets;
        // SAFETY: each octet is one of a member, and was copied, or was cleared.
        unsafe { buffer.set_len(length) };
    }

    /// Copies values to these places for their octets, and clears their padding while it is
    /// still in the processor's cache.
    ///
    /// # Safety
    ///
    /// There must be as many octets of values from `first` on as there are places.
    #[inline(always)]
    unsafe fn copy_and_clear(self, first: *const u8, places: &mut [MaybeUninit<u8>]) {
        let block = (BLOCK / self.size()).max(1) * self.size();
        let mut first = first.cast::<MaybeUninit<u8>>();
        for places in places.chunks_mut(block) {
            // SAFETY: both have so many octets, and nobody else has the second ones.
            unsafe { first.copy_to_nonoverlapping(places.as_mut_ptr(), places.len()) };
            // SAFETY: it is within the values, or at their end.
            first = unsafe { first.add(places.len()) };
            self.clear_each(places);
        }
    }

    /// Clears the padding of so many values where they lie.
    ///
    /// # Safety
    ///
    /// There must be `count` values of this form from `first` on, which nobody else has.
    pub(crate) unsafe fn clear_padding(self, first: *mut u8, count: usize) {
        if self.padding() == 0 {
            return;
        }
        let octets = count * self.size();
        // SAFETY: so many octets are there.
        let passed = unsafe { cleared::pass(self, first, first, octets) };
        // SAFETY: they are the caller's; octets have no alignment, and may be without value.
        // Nothing but zeroes is written to them, so they stay values, which any octets are.
        let places = unsafe { core::slice::from_raw_parts_mut(first.cast(), octets) };
        self.clear_each(&mut places[passed..]);
    }

    /// Clears the padding of values one by one.
    #[inline(always)]
    fn clear_each(self, places: &mut [MaybeUninit<u8>]) {
        if self.padding() == 0 {
            return;
        }
        for value in places.chunks_exact_mut(self.size()) {
            let mut padding = self.padding();
            while padding != 0 {
                value[padding.trailing_zeros() as usize].write(0);
                padding &= padding - 1;
            }
        }
    }
}
