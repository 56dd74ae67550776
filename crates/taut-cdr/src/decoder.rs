//! Bytes to values.

use alloc::borrow::Cow;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::Any;

use crate::chunk::ReadChunks;
use crate::indirection::Read;
use crate::primitive::{collect, swap_in_place};
use crate::{
    ByteOrder, CharCodeSet, Error, ErrorKind, MemoryLimit, Primitive, Realignment, Result, WideForm,
};

/// How deeply sequences and values may nest unless a decoder is told otherwise.
pub const DEFAULT_NESTING_LIMIT: u16 = 64;

/// What the values that are decoded may need to know of their surroundings; an
/// object reference asks it for the ORB that it shall belong to.
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
    /// What may be led back to; mostly nothing.
    pub(crate) read: Option<Arc<Read>>,
    pub(crate) cyclic_values: bool,
    order: ByteOrder,
    char_code_set: CharCodeSet,
    wide_form: WideForm,
    /// Levels of nesting that may still be entered.
    levels_left: u16,
    nesting_limit: u16,
    graph_limits: GraphLimits,
    /// Octets of memory that may still be charged.
    pub(crate) memory_left: usize,
    context: Context<'m>,
}

/// How large a description may be that can lead back to its own parts, as
/// TypeCodes can. What a decoder is told, those who read such a description obey.
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
            char_code_set: CharCodeSet::Iso8859_1,
            wide_form: WideForm::Octets,
            levels_left: DEFAULT_NESTING_LIMIT,
            nesting_limit: DEFAULT_NESTING_LIMIT,
            graph_limits: GraphLimits::DEFAULT,
            memory_left: MemoryLimit::DEFAULT.budget(bytes.len()),
            context: None,
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
        inner.char_code_set = self.char_code_set;
        inner.wide_form = self.wide_form;
        inner.levels_left = self.levels_left;
        inner.nesting_limit = self.nesting_limit;
        inner.graph_limits = self.graph_limits;
        inner.memory_left = self.memory_left;
        inner.context = self.context;
        inner.cyclic_values = self.cyclic_values;
        Ok(inner)
    }

    /// Sets what references that are read shall know of their surroundings.
    #[inline]
    #[must_use]
    pub fn with_context(mut self, context: Context<'m>) -> Self {
        self.context = context;
        self
    }

    /// Sets the code set of the strings to come.
    #[inline]
    #[must_use]
    pub fn with_char_code_set(mut self, code_set: CharCodeSet) -> Self {
        self.char_code_set = code_set;
        self
    }

    /// Sets the form of the wide characters to come.
    #[inline]
    #[must_use]
    pub fn with_wide_form(mut self, form: WideForm) -> Self {
        self.wide_form = form;
        self
    }

    /// Sets how deeply values may nest.
    #[inline]
    #[must_use]
    pub fn with_nesting_limit(mut self, limit: u16) -> Self {
        self.nesting_limit = limit;
        self.levels_left = limit;
        self
    }

    /// Sets how large descriptions may be that can lead back to their own parts.
    #[inline]
    #[must_use]
    pub fn with_graph_limits(mut self, limits: GraphLimits) -> Self {
        self.graph_limits = limits;
        self
    }

    /// How large descriptions may be that can lead back to their own parts.
    #[inline]
    pub fn graph_limits(&self) -> GraphLimits {
        self.graph_limits
    }

    /// How deeply values may nest.
    #[inline]
    pub fn nesting_limit(&self) -> u16 {
        self.nesting_limit
    }

    /// What references that are read shall know of their surroundings.
    #[inline]
    pub fn context(&self) -> Context<'m> {
        self.context
    }

    /// The byte order of what is read.
    #[inline]
    pub fn order(&self) -> ByteOrder {
        self.order
    }

    /// The code set of strings.
    #[inline]
    pub fn char_code_set(&self) -> CharCodeSet {
        self.char_code_set
    }

    /// The form of wide characters.
    #[inline]
    pub fn wide_form(&self) -> WideForm {
        self.wide_form
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

    /// Reads a count of elements that take `min_size` octets or more each.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::LengthBeyondMessage`] when the data is too short for them.
    #[inline(always)]
    pub fn read_count(&mut self, min_size: usize) -> Result<usize> {
        let length: u32 = self.read()?;
        let count = length as usize;
        if count.saturating_mul(min_size.max(1)) > self.remaining() {
            self.position -= 4;
            return Err(self.error(ErrorKind::LengthBeyondMessage { length }));
        }
        Ok(count)
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
    /// Memory grows with what is read, not with what the count promises.
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
        let possible = self.remaining() / min_size.max(1);
        if count > possible {
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
