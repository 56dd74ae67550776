//! Values that are written once and then led back to (CORBA 3.3 part 2, 9.3.4).
//!
//! An encoder and a decoder remember where things stand that may be met again;
//! what these things are is the matter of those who write and read them. As
//! long as nothing is remembered, nothing is kept.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use core::any::Any;

use crate::{Decoder, Encoder, Error, ErrorKind, Result};

/// The long that stands in front of the offset of an indirection.
pub const INDIRECTION: u32 = 0xffff_ffff;

/// Something that is remembered together with its place.
pub type Shared = Arc<dyn Any + Send + Sync>;

/// A value that may be written a second time as an indirection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shareable {
    /// The object at this address.
    Object(usize),
    /// This text.
    Text(&'static str),
    /// This list of texts.
    Texts(&'static [&'static str]),
}

/// The values that an encoder has written and may lead back to.
#[derive(Debug, Default)]
pub(crate) struct Written {
    /// The octets from the buffer's start. An object is kept alive, so that
    /// nothing else can get its address.
    places: BTreeMap<Shareable, (usize, Option<Shared>)>,
}

/// The values that an encoder had written before it began something that no indirection
/// leads out of.
#[derive(Debug)]
#[must_use]
pub struct Isolation(Option<Box<Written>>);

/// The values that a decoder has read, by the octet at which each began. Clones of a
/// decoder share it until one of them reads on.
#[derive(Clone, Default)]
pub(crate) struct Read(BTreeMap<usize, Shared>);

impl Encoder {
    /// Where something was written; none if it was not.
    pub fn place_of(&self, what: Shareable) -> Option<usize> {
        let (place, _) = self.written.as_ref()?.places.get(&what)?;
        Some(*place)
    }

    /// Remembers that something stands at `place`, in octets from the buffer's
    /// start. An object is kept until the message ends, by `keep`.
    pub fn remember(&mut self, what: Shareable, place: usize, keep: Option<Shared>) {
        let written = self.written.get_or_insert_with(Box::default);
        written.places.entry(what).or_insert((place, keep));
    }

    /// Forgets what was written, as at the end of a message or an
    /// encapsulation, for no indirection leads out of one.
    #[inline(always)]
    pub fn forget(&mut self) {
        if self.written.is_some() || self.chunks.level > 0 {
            self.forget_all();
        }
    }

    #[cold]
    #[inline(never)]
    fn forget_all(&mut self) {
        self.written = None;
        self.chunks = Default::default();
    }

    /// Begins something that no indirection leads out of, an Any for instance;
    /// [`restore`](Self::restore) ends it.
    pub fn isolate(&mut self) -> Isolation {
        Isolation(self.written.take())
    }

    /// Ends what [`isolate`](Self::isolate) began: nothing leads into it either.
    pub fn restore(&mut self, isolation: Isolation) {
        self.written = isolation.0;
    }

    /// Appends an indirection to what stands at `place`, in octets from the
    /// buffer's start.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TooLong`] when it is too far away.
    pub fn write_indirection(&mut self, place: usize) -> Result<()> {
        self.write(INDIRECTION);
        let distance = i32::try_from(self.len() - place)
            .map_err(|_| Error::new(ErrorKind::TooLong, self.position()))?;
        self.write(-distance);
        Ok(())
    }
}

impl<'m> Decoder<'m> {
    /// Returns the value that was read at `place`, if it is remembered.
    pub fn remembered(&self, place: usize) -> Option<&Shared> {
        self.read.as_ref()?.0.get(&place)
    }

    /// Remembers what was read at `place`.
    pub fn remember(&mut self, place: usize, what: Shared) {
        let read = self.read.get_or_insert_with(Arc::default);
        Arc::make_mut(read).0.insert(place, what);
    }

    /// Reads the offset of an indirection: the octet that it leads to.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Truncated`], and [`ErrorKind::Invalid`] when it does not
    /// lead back.
    pub fn read_indirection(&mut self) -> Result<usize> {
        let offset: i32 = self.read()?;
        let place = self.position - 4;
        usize::try_from(place as i64 + i64::from(offset))
            .ok()
            .filter(|target| target + 4 < place)
            .ok_or_else(|| {
                Error::new(
                    ErrorKind::Invalid("an indirection does not lead back"),
                    place,
                )
            })
    }

    /// Sets whether a value may be met inside itself. Nobody ever frees a
    /// circle of values that share each other, so a peer who may send one may
    /// use up memory. Not allowed unless this is called.
    #[inline]
    #[must_use]
    pub fn with_cyclic_values(mut self, allowed: bool) -> Self {
        self.cyclic_values = allowed;
        self
    }

    /// Whether a value may be met inside itself.
    #[inline]
    pub fn cyclic_values(&self) -> bool {
        self.cyclic_values
    }
}
