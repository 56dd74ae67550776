//! Data in chunks, which a receiver can skip without knowing the types in it
//! (CORBA 3.3 part 2, 9.3.4.6).
//!
//! In a level of chunks, data come in chunks with their size in front. Between
//! chunks stand further levels, which begin with a tag, and the end tags of
//! levels: a negative number, that of the level. A primitive, a string or an
//! array of primitives is never divided.
//!
//! TAO differs in two ways, which are read and never written, since no data that keep the
//! rules can be mistaken for them. It writes end tags of levels that nothing has begun,
//! behind each base of a value. And it writes values into the middle of a chunk, with
//! levels of their own if they have chunks.

use alloc::boxed::Box;
use core::ops::{Deref, DerefMut};

use crate::{Decoder, Encoder, Error, ErrorKind, Primitive, Result};

/// The largest size of a chunk; greater numbers are tags.
const SIZE_MAX: u32 = 0x7fff_feff;

/// The chunks that an encoder is in.
#[derive(Debug, Default)]
pub(crate) struct WrittenChunks {
    pub(crate) level: u32,
    open: Option<OpenChunk>,
    /// Where the octets behind the last end tag begin.
    behind_end: usize,
}

#[derive(Debug, Clone, Copy)]
struct OpenChunk {
    /// Where the padding in front of the size begins.
    padding: usize,
    /// Where the data begin.
    data: usize,
}

/// The chunks that a decoder is in. Nothing as long as there have been none, for
/// decoders are moved with every call.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReadChunks(Option<Box<Levels>>);

#[derive(Debug, Clone)]
pub(crate) struct Levels {
    pub(crate) level: u32,
    /// Where the open chunk ends.
    end: Option<usize>,
    /// Where the level ended that ended last.
    ended: usize,
    /// Whether there were end tags of levels that nothing has begun.
    has_extra_ends: bool,
}

/// A place in what a decoder reads, which it may return to.
#[derive(Debug, Clone)]
pub struct Mark {
    position: usize,
    chunks: ReadChunks,
    interrupted: bool,
}

/// The levels of a decoder that has met no chunks.
const NO_LEVELS: Levels = Levels {
    level: 0,
    end: None,
    ended: 0,
    has_extra_ends: false,
};

impl Deref for ReadChunks {
    type Target = Levels;

    #[inline]
    fn deref(&self) -> &Levels {
        self.0.as_deref().unwrap_or(&NO_LEVELS)
    }
}

impl DerefMut for ReadChunks {
    fn deref_mut(&mut self) -> &mut Levels {
        self.0.get_or_insert_with(|| Box::new(NO_LEVELS))
    }
}

impl Encoder {
    /// The number of levels of chunks around what is written next.
    #[inline]
    pub fn chunk_level(&self) -> u32 {
        self.chunks.level
    }

    /// Ends the open chunk; without data it has never been.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TooLong`].
    pub fn suspend_chunk(&mut self) -> Result<()> {
        let Some(open) = self.chunks.open.take() else {
            return Ok(());
        };
        let size = self.len() - open.data;
        if size == 0 {
            self.shorten(open.padding);
            return Ok(());
        }
        match u32::try_from(size) {
            Ok(size @ ..=SIZE_MAX) => {
                self.patch(open.data - 4, size);
                Ok(())
            }
            _ => Err(Error::new(ErrorKind::TooLong, self.position())),
        }
    }

    /// Begins a new chunk, if the data to come are in a level of chunks.
    pub fn resume_chunk(&mut self) {
        if self.chunks.level > 0 {
            let padding = self.len();
            self.write(0_u32);
            let data = self.len();
            self.chunks.open = Some(OpenChunk { padding, data });
        }
    }

    /// Begins a level, and a chunk in it. No chunk may be open.
    pub fn enter_chunks(&mut self) {
        self.chunks.level += 1;
        self.resume_chunk();
    }

    /// Ends the open chunk and its level. If a level in it has just ended, one
    /// end tag serves both: omniORB does not take two in a row.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TooLong`].
    pub fn leave_chunks(&mut self) -> Result<()> {
        self.suspend_chunk()?;
        // Levels are limited long before their number is.
        let tag = -(self.chunks.level as i32);
        if self.len() == self.chunks.behind_end {
            self.patch(self.len() - 4, tag);
        } else {
            self.write(tag);
        }
        self.chunks.behind_end = self.len();
        self.chunks.level -= 1;
        Ok(())
    }
}

impl Decoder<'_> {
    /// The number of levels of chunks around what is read next.
    #[inline]
    pub fn chunk_level(&self) -> u32 {
        self.chunks.level
    }

    /// Begins a level: chunks follow.
    pub fn enter_chunks(&mut self) {
        self.chunks.level += 1;
        self.chunks.end = None;
        self.interrupted = true;
    }

    /// Reads the end of the level `level`. It may have come already, by the end
    /// of one around it.
    ///
    /// # Errors
    ///
    /// When data of the level are left, or something else than its end follows.
    pub fn leave_chunks(&mut self, level: u32) -> Result<()> {
        if self.chunks.level < level {
            return match self.chunks.ended == self.position {
                true => Ok(()),
                false => Err(self.state_ends()),
            };
        }
        self.skip_padding()?;
        if self.is_in_chunk() {
            return Err(self.error(ErrorKind::Invalid("a value has more state than its type")));
        }
        match self.read_between_chunks()? {
            Between::End(ended) => self.end_level(ended),
            _ => Err(self.error(ErrorKind::Invalid("a value has more state than its type"))),
        }
    }

    /// Skips the rest of the chunk and reads what follows it: the size of the
    /// next chunk, a tag, or the end of a level.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Truncated`], and [`ErrorKind::Invalid`] when it is none of
    /// these.
    pub fn skip_chunk(&mut self) -> Result<Between> {
        if let Some(end) = self.chunks.end.take() {
            self.position = self.position.max(end);
        }
        let between = self.read_between_chunks()?;
        match between {
            Between::Chunk(_) => {}
            Between::Tag(_) => {}
            Between::End(ended) => self.end_level(ended)?,
        }
        Ok(between)
    }

    /// Reads the long that a value begins with, and whether it stands between
    /// chunks, where only a tag can be.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Truncated`], and [`ErrorKind::Invalid`] where the level
    /// ends instead.
    pub fn read_tag(&mut self) -> Result<(u32, bool)> {
        if self.chunks.level > 0 {
            self.skip_padding()?;
        }
        if self.chunks.level == 0 || self.is_in_chunk() {
            return Ok((self.read()?, false));
        }
        match self.read_between_chunks()? {
            Between::Tag(tag) => Ok((tag, true)),
            Between::Chunk(_) => Ok((self.read()?, false)),
            Between::End(_) => Err(self.state_ends()),
        }
    }

    /// Reads what stands between chunks, such as what follows a tag.
    ///
    /// # Errors
    ///
    /// Those of `body`.
    pub fn between_chunks<T>(&mut self, body: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let chunks = core::mem::take(&mut self.chunks);
        let outcome = body(self);
        self.chunks = chunks;
        outcome
    }

    /// Reads what lies in the open chunk as a whole, though it should have ended the chunk:
    /// a value, which may have chunks of its own.
    ///
    /// # Errors
    ///
    /// Those of `body`; [`ErrorKind::Invalid`] when the chunk ends before it does.
    pub fn within_chunk<T>(&mut self, body: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let chunks = core::mem::take(&mut self.chunks);
        let outcome = body(self);
        self.chunks = chunks;
        self.interrupted = true;
        let value = outcome?;
        if self.chunks.end.is_some_and(|end| self.position > end) {
            return Err(self.error(ErrorKind::Invalid("a chunk ends in the middle of a value")));
        }
        Ok(value)
    }

    /// Whether end tags of levels were passed over that nothing has begun, since this was
    /// last asked.
    pub fn take_extra_ends(&mut self) -> bool {
        self.chunks.has_extra_ends && core::mem::take(&mut self.chunks.has_extra_ends)
    }

    /// Reads what was skipped: at `place`, between chunks of the level `level`.
    /// It may remember more; else everything stays as it is.
    ///
    /// # Errors
    ///
    /// Those of `body`.
    pub fn revisit<T>(
        &mut self,
        place: usize,
        level: u32,
        body: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let chunks = core::mem::take(&mut self.chunks);
        self.chunks.level = level;
        let interrupted = core::mem::replace(&mut self.interrupted, true);
        let position = core::mem::replace(&mut self.position, place);
        let outcome = body(self);
        self.chunks = chunks;
        self.interrupted = interrupted;
        self.position = position;
        outcome
    }

    /// Marks the place of what is read next, to which [`rewind`](Self::rewind) returns.
    pub fn mark(&self) -> Mark {
        Mark {
            position: self.position,
            chunks: self.chunks.clone(),
            interrupted: self.interrupted,
        }
    }

    /// Returns to a place that was marked. All that was remembered and charged since stays so.
    pub fn rewind(&mut self, mark: Mark) {
        self.position = mark.position;
        self.chunks = mark.chunks;
        self.interrupted = mark.interrupted;
    }

    /// Makes sure that the next octets are in a chunk.
    #[cold]
    pub(crate) fn enter_chunk(&mut self) -> Result<()> {
        if self.chunks.level == 0 || self.is_in_chunk() {
            return Ok(());
        }
        match self.read_between_chunks()? {
            Between::Chunk(_) => Ok(()),
            _ => Err(self.state_ends()),
        }
    }

    /// Makes sure that the open chunk has `count` octets more.
    #[cold]
    pub(crate) fn check_chunk(&mut self, count: usize) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        self.enter_chunk()?;
        match self.chunks.end {
            Some(end) if count > end - self.position => {
                Err(self.error(ErrorKind::Invalid("a chunk ends in the middle of a value")))
            }
            _ => Ok(()),
        }
    }

    /// Aligns, perhaps behind the start of another chunk.
    #[cold]
    pub(crate) fn align_in_chunk(&mut self, alignment: usize) -> Result<()> {
        self.enter_chunk()?;
        let before = self.position;
        self.align_in_piece(alignment)?;
        if self.chunks.end.is_some_and(|end| self.position >= end) && self.position > before {
            // The padding was the chunk's last.
            self.position = self.chunks.end.take().unwrap_or(before);
            self.enter_chunk()?;
            self.align_in_piece(alignment)?;
        }
        Ok(())
    }

    /// Skips what is left of the chunk if it is padding: omniORB ends its chunks
    /// where the tag behind them begins.
    fn skip_padding(&mut self) -> Result<()> {
        let Some(end) = self.chunks.end else {
            return Ok(());
        };
        let position = self.position;
        if position < end {
            self.align_in_piece(i32::ALIGNMENT)?;
            self.position = if self.position < end { position } else { end };
        }
        Ok(())
    }

    fn is_in_chunk(&self) -> bool {
        self.chunks.end.is_some_and(|end| self.position < end)
    }

    /// Reads what stands between chunks, past end tags of levels that nothing has begun.
    fn read_between_chunks(&mut self) -> Result<Between> {
        loop {
            match self.read_next_between_chunks()? {
                Between::End(ended) if self.is_extra_end(ended) => {
                    self.chunks.has_extra_ends = true;
                }
                between => return Ok(between),
            }
        }
    }

    /// Whether an end tag is one of those that TAO writes behind each base of a value:
    /// its level is deeper than any that has begun, by at most as much as there are bases.
    fn is_extra_end(&self, ended: u32) -> bool {
        let level = self.chunks.level;
        level > 0 && ended > level && ended - level <= u32::from(self.nesting_limit())
    }

    fn read_next_between_chunks(&mut self) -> Result<Between> {
        self.chunks.end = None;
        self.align_in_piece(i32::ALIGNMENT)?;
        let start = self.position;
        let octets = self.whole_bytes(4)?;
        let mut number: i32 = bytemuck::pod_read_unaligned(octets);
        if self.order().is_foreign() {
            number = number.swap_bytes();
        }
        match u32::try_from(number) {
            Ok(size @ 1..=SIZE_MAX) => {
                let size = size as usize;
                if size > self.remaining() {
                    self.position = start;
                    let length = size as u32;
                    return Err(self.error(ErrorKind::LengthBeyondMessage { length }));
                }
                self.chunks.end = Some(self.position + size);
                Ok(Between::Chunk(size))
            }
            Ok(tag) => Ok(Between::Tag(tag)),
            Err(_) => Ok(Between::End(number.unsigned_abs())),
        }
    }

    /// Ends a level and all that are in it.
    fn end_level(&mut self, ended: u32) -> Result<()> {
        if ended > self.chunks.level {
            return Err(self.error(ErrorKind::Invalid("an end tag ends no value")));
        }
        *self.chunks = Levels {
            level: ended - 1,
            end: None,
            ended: self.position,
            has_extra_ends: self.chunks.has_extra_ends,
        };
        self.interrupted = self.chunks.level > 0 || !self.realignments.is_empty();
        Ok(())
    }

    #[cold]
    fn state_ends(&self) -> Error {
        self.error(ErrorKind::Invalid("a value has less state than its type"))
    }
}

/// The items that can stand between chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Between {
    /// A chunk of this size begins.
    Chunk(usize),
    /// A value with this tag begins, or is null.
    Tag(u32),
    /// This level ends, with all that are in it.
    End(u32),
}
