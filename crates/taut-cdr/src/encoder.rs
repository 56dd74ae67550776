//! Values to bytes.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::hint::cold_path;

use crate::chunk::WrittenChunks;
use crate::indirection::Written;
use crate::tail::Tail;
use crate::{
    ByteOrder, CharCodeSet, CharacterForms, Error, ErrorKind, Primitive, Result, WideForm,
};

/// The largest alignment that padding is for; CDR's own is 8.
const MAX_ALIGNMENT: usize = 16;

/// How deeply values that contain each other may nest when they are written; a
/// list whose links are values is no longer than this. Peers often accept fewer levels.
pub const MAX_WRITTEN_LEVELS: u16 = 512;

/// Appends values to a buffer it owns.
///
/// Alignment counts from the encoder's origin: the start of the buffer, or of
/// the innermost encapsulation. Padding is zero.
#[derive(Debug)]
pub struct Encoder {
    buffer: Vec<u8>,
    /// Where alignment counts from; at most `buffer.len()`.
    origin: usize,
    order: ByteOrder,
    characters: CharacterForms,
    /// The values that an indirection may lead back to; usually none.
    pub(crate) written: Option<Box<Written>>,
    pub(crate) chunks: WrittenChunks,
    /// How deeply what is written nests.
    levels: u16,
    pub(crate) tail: Tail,
}

impl Encoder {
    /// An encoder with an empty buffer.
    pub fn new(order: ByteOrder) -> Self {
        Self::with_buffer(Vec::new(), order)
    }

    /// An encoder that empties `buffer` and fills it again, so that its memory
    /// serves many messages.
    #[inline]
    pub fn with_buffer(mut buffer: Vec<u8>, order: ByteOrder) -> Self {
        buffer.clear();
        Self {
            buffer,
            origin: 0,
            order,
            characters: CharacterForms {
                narrow: CharCodeSet::Iso8859_1,
                wide: WideForm::Octets,
            },
            written: None,
            chunks: WrittenChunks::default(),
            levels: 0,
            tail: Tail::default(),
        }
    }

    /// The byte order in which values are written.
    #[inline]
    pub fn order(&self) -> ByteOrder {
        self.order
    }

    /// The code set in which strings are written.
    #[inline]
    pub fn char_code_set(&self) -> CharCodeSet {
        self.characters.narrow
    }

    /// Sets the code set in which strings are written from here on.
    #[inline]
    pub fn set_char_code_set(&mut self, code_set: CharCodeSet) {
        self.characters.narrow = code_set;
    }

    /// The form in which wide characters are written.
    #[inline]
    pub fn wide_form(&self) -> WideForm {
        self.characters.wide
    }

    /// Sets the form in which wide characters are written from here on.
    #[inline]
    pub fn set_wide_form(&mut self, form: WideForm) {
        self.characters.wide = form;
    }

    /// Sets the forms in which characters are written from here on.
    #[inline]
    pub fn set_characters(&mut self, forms: CharacterForms) {
        self.characters = forms;
    }

    /// The octets written so far.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.buffer
    }

    /// How many octets have been written.
    #[inline]
    pub fn len(&self) -> usize {
        self.buffer.len()
    }

    /// Whether nothing has been written.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// Gives the buffer back.
    #[inline]
    pub fn into_buffer(self) -> Vec<u8> {
        self.buffer
    }

    /// Forgets everything; the memory stays for the next message.
    #[inline]
    pub fn clear(&mut self) {
        self.buffer.clear();
        self.origin = 0;
        self.tail.clear();
        self.forget();
    }

    /// Makes room for `octets` more.
    #[inline]
    pub fn reserve(&mut self, octets: usize) {
        self.buffer.reserve_exact(octets);
    }

    /// Frees what a large message took: its tail, and the buffer, if it has grown beyond
    /// `limit`, for a new one of this capacity.
    #[inline]
    pub fn shrink(&mut self, limit: usize, capacity: usize) {
        self.tail.clear();
        if self.buffer.capacity() > limit {
            cold_path();
            self.buffer = Vec::with_capacity(capacity);
            self.origin = 0;
        }
    }

    /// Forgets everything behind the first `len` octets, and what could be led
    /// back to.
    #[inline(always)]
    pub fn truncate(&mut self, len: usize) {
        self.buffer.truncate(len);
        self.tail.clear();
        self.forget();
    }

    /// Takes back what was appended last and is not remembered.
    pub(crate) fn shorten(&mut self, len: usize) {
        self.buffer.truncate(len);
    }

    /// Pads with zeroes to a multiple of `alignment`, a power of two up to 16.
    #[inline(always)]
    pub fn align(&mut self, alignment: usize) {
        debug_assert!(alignment.is_power_of_two() && alignment <= MAX_ALIGNMENT);
        let padding = (self.origin.wrapping_sub(self.buffer.len())) & (alignment - 1);
        if padding != 0 {
            // Appending a fixed number and taking some back is cheaper than
            // appending a number that varies.
            let padded = self.buffer.len() + padding;
            self.buffer.extend_from_slice(&[0; MAX_ALIGNMENT]);
            self.buffer.truncate(padded);
        }
    }

    /// Appends one primitive, aligned.
    #[inline]
    pub fn write<T: Primitive>(&mut self, value: T) {
        self.align(T::ALIGNMENT);
        let value = if self.order.is_foreign() {
            value.swapped()
        } else {
            value
        };
        self.buffer.extend_from_slice(bytemuck::bytes_of(&value));
    }

    /// Appends primitives without a count: the first aligned, the others in bulk.
    #[inline]
    pub fn write_elements<T: Primitive>(&mut self, items: &[T]) {
        if items.is_empty() {
            return;
        }
        self.align(T::ALIGNMENT);
        if self.order.is_foreign() && size_of::<T>() > 1 {
            self.write_swapped(items);
        } else {
            self.buffer.extend_from_slice(bytemuck::cast_slice(items));
        }
    }

    /// Appends octets as they are, without alignment or count.
    #[inline]
    pub fn write_bytes(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The same for octets that are known to be few, such as a header's:
    /// copied in place, without a call.
    #[inline]
    pub fn write_few_bytes(&mut self, mut bytes: &[u8]) {
        self.buffer.reserve(bytes.len());
        while let Some((chunk, rest)) = bytes.split_first_chunk::<16>() {
            self.buffer.extend_from_slice(chunk);
            bytes = rest;
        }
        if let Some((chunk, rest)) = bytes.split_first_chunk::<8>() {
            self.buffer.extend_from_slice(chunk);
            bytes = rest;
        }
        for &byte in bytes {
            self.buffer.push(byte);
        }
    }

    /// Appends a count or length.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TooLong`] when it does not fit in 32 bits.
    #[inline]
    pub fn write_length(&mut self, length: usize) -> Result<()> {
        match u32::try_from(length) {
            Ok(length) => {
                self.write(length);
                Ok(())
            }
            Err(_) => Err(Error::new(ErrorKind::TooLong, self.position())),
        }
    }

    /// Appends an encapsulation (CORBA 3.3 part 2, 9.3.3) as a sequence of
    /// octets: its length, its byte order, and what `body` writes, aligned from
    /// the encapsulation's own start.
    ///
    /// # Errors
    ///
    /// Those of `body`, and [`ErrorKind::TooLong`].
    pub fn write_encapsulation(
        &mut self,
        body: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        self.write(0_u32);
        let start = self.buffer.len();
        let outer = core::mem::replace(&mut self.origin, start);
        let written = self.written.take();
        let chunks = core::mem::take(&mut self.chunks);
        self.write(self.order.flag());
        let outcome = body(self);
        self.origin = outer;
        self.written = written;
        self.chunks = chunks;
        outcome?;
        let length = u32::try_from(self.buffer.len() - start)
            .map_err(|_| Error::new(ErrorKind::TooLong, self.position()))?;
        self.patch(start - 4, length);
        Ok(())
    }

    /// Runs `body` one level deeper.
    ///
    /// # Errors
    ///
    /// Those of `body`; [`ErrorKind::NestedTooDeeply`] beyond
    /// [`MAX_WRITTEN_LEVELS`].
    pub fn nested<T>(&mut self, body: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.levels >= MAX_WRITTEN_LEVELS {
            let limit = MAX_WRITTEN_LEVELS;
            return Err(Error::new(
                ErrorKind::NestedTooDeeply { limit },
                self.position(),
            ));
        }
        self.levels += 1;
        let outcome = body(self);
        self.levels -= 1;
        outcome
    }

    /// Overwrites a primitive at `offset` from the buffer's start, where one of
    /// the same size has been written.
    ///
    /// # Panics
    ///
    /// When the buffer is shorter than that.
    #[inline(always)]
    pub fn patch<T: Primitive>(&mut self, offset: usize, value: T) {
        let value = if self.order.is_foreign() {
            value.swapped()
        } else {
            value
        };
        self.buffer[offset..offset + size_of::<T>()].copy_from_slice(bytemuck::bytes_of(&value));
    }

    /// Overwrites octets that were written before.
    ///
    /// # Panics
    ///
    /// When they were not.
    #[inline]
    pub fn patch_bytes(&mut self, offset: usize, bytes: &[u8]) {
        self.buffer[offset..offset + bytes.len()].copy_from_slice(bytes);
    }

    /// Puts octets in the place of the first `length`. The octets behind them keep their
    /// alignment if the difference is a multiple of the largest alignment among them.
    ///
    /// # Panics
    ///
    /// When fewer have been written.
    #[cold]
    pub fn replace_start(&mut self, length: usize, start: &[u8]) {
        self.buffer.splice(..length, start.iter().copied());
        if self.has_tail() {
            self.tail.moved_to(self.buffer.len());
        }
        self.forget();
    }

    /// The offset at which the next octet will stand, for errors.
    #[inline]
    pub fn position(&self) -> usize {
        self.buffer.len() - self.origin
    }

    /// Makes room for `octets` more, and for more than these if the buffer must grow.
    #[inline]
    pub fn reserve_amortized(&mut self, octets: usize) {
        self.buffer.reserve(octets);
    }

    /// Returns the buffer, to which the caller appends in a way of its own.
    #[inline]
    pub(crate) fn buffer_mut(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Appends zeroes, without alignment, to be written over.
    #[inline]
    pub fn append_zeroes(&mut self, count: usize) -> &mut [u8] {
        let start = self.buffer.len();
        self.buffer.resize(start + count, 0);
        &mut self.buffer[start..]
    }

    /// Appends what `fill` makes of `most` zeroes. It is given octets that begin at a
    /// multiple of eight and end with these zeroes, and where these begin; it says where
    /// that ends which it has made of them. If it gives nothing, nothing is appended.
    /// Whether it gave something.
    ///
    /// # Panics
    ///
    /// When the end is not among the zeroes.
    #[inline]
    pub fn append_filled(
        &mut self,
        most: usize,
        fill: impl FnOnce(&mut [u8], usize) -> Option<usize>,
    ) -> bool {
        let end = self.buffer.len();
        let phase = self.position() % 8;
        self.append_zeroes(most);
        let filled = fill(&mut self.buffer[end - phase..], phase);
        let new_end = filled.map_or(end, |filled| end - phase + filled);
        assert!(new_end >= end && new_end <= self.buffer.len());
        self.buffer.truncate(new_end);
        filled.is_some()
    }

    /// Turns the octets of each primitive from `start` on around.
    pub(crate) fn swap_from<T: Primitive>(&mut self, start: usize) {
        if size_of::<T>() == 1 {
            return;
        }
        for octets in self.buffer[start..].chunks_exact_mut(size_of::<T>()) {
            let value: T = bytemuck::pod_read_unaligned(octets);
            octets.copy_from_slice(bytemuck::bytes_of(&value.swapped()));
        }
    }

    /// Foreign byte order: copied a block at a time, which is turned around while it is
    /// in the processor's cache.
    #[cold]
    fn write_swapped<T: Primitive>(&mut self, items: &[T]) {
        const BLOCK: usize = 4096;
        for block in items.chunks(BLOCK / size_of::<T>()) {
            let start = self.buffer.len();
            self.buffer.extend_from_slice(bytemuck::cast_slice(block));
            self.swap_from::<T>(start);
        }
    }
}
