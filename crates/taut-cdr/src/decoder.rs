//! Bytes to values.

mod sequences;
mod settings;

use alloc::sync::Arc;
use core::any::Any;

use crate::chunk::ReadChunks;
use crate::indirection::Read;
use crate::{
    ByteOrder, CharCodeSet, CharacterForms, Error, ErrorKind, Landed, MemoryLimit, Primitive,
    Realignment, Result, WideForm,
};

/// How deeply sequences and values may nest unless a decoder is told otherwise.
pub const DEFAULT_NESTING_LIMIT: u16 = 64;

/// The surroundings of the values that are decoded; an object reference asks them for the
/// ORB that it is to belong to.
pub type Context<'m> = Option<&'m (dyn Any + Send + Sync)>;

/// Reads values from bytes that live for `'m`.
///
/// Alignment counts from the start of the bytes. A decoder is small; cloning
/// it is how one looks ahead.
#[derive(Clone)]
pub struct Decoder<'m> {
    bytes: &'m [u8],
    /// The next octet to read; at most `bytes.len()`.
    pub(crate) position: usize,
    /// Where alignment starts anew; mostly nowhere.
    pub(crate) realignments: &'m [Realignment],
    /// Whether data are interrupted: aligned anew, or in chunks.
    pub(crate) interrupted: bool,
    pub(crate) chunks: ReadChunks,
    /// The values that an indirection may lead back to; usually none.
    pub(crate) read: Option<Arc<Read>>,
    pub(crate) cyclic_values: bool,
    order: ByteOrder,
    characters: CharacterForms,
    /// Levels of nesting that may still be entered.
    levels_left: u16,
    nesting_limit: u16,
    graph_limits: GraphLimits,
    /// Octets of memory that may still be charged.
    pub(crate) memory_left: usize,
    context: Context<'m>,
    /// The elements of the last sequence, if they are not among the octets.
    pub(crate) landed: Option<&'m dyn Landed>,
}

/// How large a description may be that can lead back to its own parts, as
/// TypeCodes can. Code that reads such a description obeys the limits of its decoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphLimits {
    /// How many parts it may have.
    pub nodes: u32,
    /// How often it may lead back.
    pub indirections: u32,
}

impl GraphLimits {
    /// The limits that hold unless others are set: 4,096 and 1,024.
    pub const DEFAULT: Self = Self {
        nodes: 4_096,
        indirections: 1_024,
    };
}

impl<'m> Decoder<'m> {
    /// A decoder at the start of `bytes`.
    #[inline]
    pub fn new(bytes: &'m [u8], order: ByteOrder) -> Self {
        Self {
            bytes,
            position: 0,
            realignments: &[],
            interrupted: false,
            chunks: ReadChunks::default(),
            read: None,
            cyclic_values: false,
            order,
            characters: CharacterForms {
                narrow: CharCodeSet::Iso8859_1,
                wide: WideForm::Octets,
            },
            levels_left: DEFAULT_NESTING_LIMIT,
            nesting_limit: DEFAULT_NESTING_LIMIT,
            graph_limits: GraphLimits::DEFAULT,
            memory_left: MemoryLimit::DEFAULT.budget(bytes.len()),
            context: None,
            landed: None,
        }
    }

    /// A decoder for the content of an encapsulation (CORBA 3.3 part 2, 9.3.3),
    /// whose first octet tells the byte order.
    ///
    /// # Errors
    ///
    /// When the encapsulation is empty, or its first octet is neither 0 nor 1.
    pub fn encapsulated(bytes: &'m [u8]) -> Result<Self> {
        let mut decoder = Self::new(bytes, ByteOrder::Big);
        let little = decoder.read_bool()?;
        decoder.order = ByteOrder::from_flag(u8::from(little));
        Ok(decoder)
    }

    /// Reads a sequence of octets as an encapsulation: a decoder for its
    /// content, which shares this one's context, code set, form of wide
    /// characters and nesting.
    ///
    /// # Errors
    ///
    /// When the length is wrong, or as [`encapsulated`](Self::encapsulated).
    pub fn read_encapsulation(&mut self) -> Result<Self> {
        let mut inner = Self::encapsulated(self.read_octets()?)?;
        inner.characters = self.characters;
        inner.levels_left = self.levels_left;
        inner.nesting_limit = self.nesting_limit;
        inner.graph_limits = self.graph_limits;
        inner.memory_left = self.memory_left;
        inner.context = self.context;
        inner.cyclic_values = self.cyclic_values;
        Ok(inner)
    }

    /// Octets from the start to the next one to read.
    #[inline]
    pub fn position(&self) -> usize {
        self.position
    }

    /// How many octets are left.
    #[inline]
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.position
    }

    /// All the octets, also those that have been read.
    #[inline]
    pub fn bytes(&self) -> &'m [u8] {
        self.bytes
    }

    /// The octets that are left.
    #[inline]
    pub fn rest(&self) -> &'m [u8] {
        &self.bytes[self.position..]
    }

    /// The next `count` octets, which are not read; none if there are fewer, or if data
    /// are interrupted: aligned anew somewhere, or in chunks.
    #[inline]
    pub fn in_one_piece(&self, count: usize) -> Option<&'m [u8]> {
        if self.interrupted {
            return None;
        }
        self.rest().get(..count)
    }

    /// A fault of this kind at the current position.
    #[cold]
    pub fn error(&self, kind: ErrorKind) -> Error {
        Error::new(kind, self.position)
    }

    /// Skips to a multiple of `alignment`, a power of two. At the end of the
    /// data there is nothing to skip.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Truncated`] when octets remain, but too few.
    #[inline]
    pub fn align(&mut self, alignment: usize) -> Result<()> {
        debug_assert!(alignment.is_power_of_two());
        if self.interrupted {
            return self.align_in_chunk(alignment);
        }
        let padding = self.position.wrapping_neg() & (alignment - 1);
        if padding != 0 && self.remaining() > 0 {
            self.skip(padding)?;
        }
        Ok(())
    }

    /// Skips `count` octets.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Truncated`].
    #[inline]
    pub fn skip(&mut self, count: usize) -> Result<()> {
        self.read_bytes(count).map(|_| ())
    }

    /// Reads `count` octets as they are, without alignment.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Truncated`].
    #[inline]
    pub fn read_bytes(&mut self, count: usize) -> Result<&'m [u8]> {
        if self.interrupted {
            self.check_chunk(count)?;
        }
        self.whole_bytes(count)
    }

    /// Reads `count` octets, whatever chunk they are in.
    #[inline]
    pub(crate) fn whole_bytes(&mut self, count: usize) -> Result<&'m [u8]> {
        match self.rest().get(..count) {
            Some(bytes) => {
                self.position += count;
                Ok(bytes)
            }
            None => Err(self.truncated(count)),
        }
    }

    /// Reads one primitive, aligned.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Truncated`].
    #[inline(always)]
    pub fn read<T: Primitive>(&mut self) -> Result<T> {
        if self.interrupted {
            return self.read_in_piece();
        }
        let size = size_of::<T>();
        let start = (self.position + (T::ALIGNMENT - 1)) & !(T::ALIGNMENT - 1);
        let Some(octets) = self.bytes.get(start..start + size) else {
            return Err(self.truncated(size));
        };
        self.position = start + size;
        let value: T = bytemuck::pod_read_unaligned(octets);
        Ok(if self.order.is_foreign() {
            value.swapped()
        } else {
            value
        })
    }

    /// Reads a boolean.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Truncated`], [`ErrorKind::InvalidBoolean`].
    #[inline]
    pub fn read_bool(&mut self) -> Result<bool> {
        match self.read::<u8>()? {
            0 => Ok(false),
            1 => Ok(true),
            other => {
                self.position -= 1;
                Err(self.error(ErrorKind::InvalidBoolean(other)))
            }
        }
    }

    /// Reads an enum's ordinal, which must be below `count`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Truncated`], [`ErrorKind::InvalidEnum`].
    #[inline]
    pub fn read_ordinal(&mut self, count: u32) -> Result<u32> {
        let ordinal: u32 = self.read()?;
        if ordinal < count {
            return Ok(ordinal);
        }
        self.position -= 4;
        Err(self.error(ErrorKind::InvalidEnum { ordinal, count }))
    }

    /// Runs `body` one level deeper.
    ///
    /// # Errors
    ///
    /// Those of `body`; [`ErrorKind::NestedTooDeeply`].
    #[inline]
    pub fn nested<T>(&mut self, body: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let Some(levels_left) = self.levels_left.checked_sub(1) else {
            let limit = self.nesting_limit;
            return Err(self.error(ErrorKind::NestedTooDeeply { limit }));
        };
        self.levels_left = levels_left;
        let value = body(self)?;
        self.levels_left += 1;
        Ok(value)
    }

    /// Runs `body`. If it gives nothing, nothing was read or charged.
    #[inline]
    pub(crate) fn attempt<T>(&mut self, body: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let (position, memory_left) = (self.position, self.memory_left);
        let outcome = body(self);
        if outcome.is_none() {
            (self.position, self.memory_left) = (position, memory_left);
        }
        outcome
    }

    #[cold]
    fn truncated(&self, needed: usize) -> Error {
        let remaining = self.remaining();
        self.error(ErrorKind::Truncated { needed, remaining })
    }
}

impl core::fmt::Debug for Decoder<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Decoder")
            .field("position", &self.position)
            .field("remaining", &self.remaining())
            .field("order", &self.order)
            .finish_non_exhaustive()
    }
}
