//! The header in front of a value's state: its tag and the ids of its types.

use std::sync::Arc;

use taut_cdr::codec::check_bound;
use taut_cdr::{Decoder, ErrorKind, INDIRECTION, Result};

use super::ValueObject;

/// The smallest tag. The bits below say what follows.
const TAG: u32 = 0x7fff_ff00;
const CODEBASE: u32 = 1;
const TYPE_INFORMATION: u32 = 6;
const ONE_ID: u32 = 2;
const ID_LIST: u32 = 6;
const CHUNKED: u32 = 8;

/// The most octets of a repository id or a codebase. One that is written once is
/// looked at for each value that leads back to it.
const MAX_TEXT: usize = 2048;

/// The tag of a value that is sent with one id, or with several.
pub(crate) fn tag(several_ids: bool, chunked: bool) -> u32 {
    let ids = if several_ids { ID_LIST } else { ONE_ID };
    TAG | ids | if chunked { CHUNKED } else { 0 }
}

/// A place that an indirection can lead back to.
#[derive(Clone)]
pub(crate) enum Place {
    Text(Arc<str>),
    Texts(Ids),
    Value(Arc<dyn ValueObject>),
    /// A value that was skipped when state was truncated.
    Skipped {
        /// The level of chunks that it is in.
        level: u32,
    },
}

/// The repository ids of a value, its own first; none if it is of the type that
/// is expected.
pub(crate) type Ids = Arc<[Arc<str>]>;

/// A value's tag and what follows it.
pub(crate) struct Header {
    pub(crate) ids: Ids,
    /// Where the ids stand.
    pub(crate) ids_place: usize,
    pub(crate) is_chunked: bool,
}

/// Whether a number is the tag of a value.
pub(crate) fn is_tag(number: u32) -> bool {
    (TAG..INDIRECTION).contains(&number) && number < 0x8000_0000
}

impl Header {
    /// Reads what follows a tag.
    pub(crate) fn read<P: Places>(
        tag: u32,
        input: &mut Decoder<'_>,
        places: &mut P,
    ) -> Result<Self> {
        let known = CODEBASE | TYPE_INFORMATION | CHUNKED;
        let information = tag & TYPE_INFORMATION;
        if !is_tag(tag) || tag & 0xff & !known != 0 || information == 4 {
            return Err(input.error(ErrorKind::Invalid("there is no such tag of values")));
        }
        let is_chunked = tag & CHUNKED != 0;
        if input.chunk_level() > 0 && !is_chunked {
            let rule = "a value in a chunked one is not chunked";
            return Err(input.error(ErrorKind::Invalid(rule)));
        }
        input.between_chunks(|input| {
            if tag & CODEBASE != 0 {
                read_text(input, places)?;
            }
            if information != 0 {
                input.align(4)?;
            }
            let ids_place = input.position();
            let ids = match information {
                0 => Ids::default(),
                ONE_ID => Ids::from([read_text(input, places)?]),
                _ => read_texts(input, places)?,
            };
            Ok(Self {
                ids,
                ids_place,
                is_chunked,
            })
        })
    }
}

/// Where it is kept what can be led back to.
pub(crate) trait Places {
    /// Remembers what was read at `place`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TooMuchMemory`].
    fn remember(&mut self, input: &mut Decoder<'_>, place: usize, what: Place) -> Result<()>;

    /// Returns what was remembered of `place`.
    fn remembered(&self, input: &Decoder<'_>, place: usize) -> Option<Place>;
}

/// The memory of one place that a decoder remembers, in octets: the place itself, and
/// its part of a tree whose nodes may be half empty.
pub(crate) const REMEMBERED: usize =
    2 * size_of::<usize>() + size_of::<Place>() + 2 * 4 * size_of::<usize>();

/// The decoder keeps it, as long as it reads the same message.
pub(crate) struct InDecoder;

impl Places for InDecoder {
    fn remember(&mut self, input: &mut Decoder<'_>, place: usize, what: Place) -> Result<()> {
        input.charge(REMEMBERED)?;
        input.remember(place, Arc::new(what));
        Ok(())
    }

    fn remembered(&self, input: &Decoder<'_>, place: usize) -> Option<Place> {
        input.remembered(place)?.downcast_ref().cloned()
    }
}

/// Reads a text, or what leads back to one.
fn read_text<P: Places>(input: &mut Decoder<'_>, places: &mut P) -> Result<Arc<str>> {
    if is_indirection(input)? {
        return match led_back(input, places)? {
            Some(Place::Text(text)) => Ok(text),
            _ => Err(input.error(ErrorKind::Invalid(
                "an indirection leads to no repository id or codebase",
            ))),
        };
    }
    input.align(4)?;
    let place = input.position();
    let octets = input.read_string_octets()?;
    check_bound(octets.len(), MAX_TEXT, place)?;
    input.charge(octets.len())?;
    let text: Arc<str> = String::from_utf8_lossy(octets).into();
    places.remember(input, place, Place::Text(Arc::clone(&text)))?;
    Ok(text)
}

/// Reads a list of texts, or what leads back to one.
fn read_texts<P: Places>(input: &mut Decoder<'_>, places: &mut P) -> Result<Ids> {
    if is_indirection(input)? {
        return match led_back(input, places)? {
            Some(Place::Texts(ids)) => Ok(ids),
            _ => Err(input.error(ErrorKind::Invalid(
                "an indirection leads to no list of repository ids",
            ))),
        };
    }
    input.align(4)?;
    let place = input.position();
    // A text takes its length and NUL at least.
    let count = input.read_count(5)?;
    // Types derive no deeper than values nest: each value looks at all its ids.
    check_bound(count, usize::from(input.nesting_limit()), place)?;
    let ids = (0..count)
        .map(|_| read_text(input, places))
        .collect::<Result<Ids>>()?;
    if ids.is_empty() {
        return Err(input.error(ErrorKind::Invalid("a value has an empty list of types")));
    }
    places.remember(input, place, Place::Texts(Arc::clone(&ids)))?;
    Ok(ids)
}

/// Reads the long of an indirection, if it is one.
fn is_indirection(input: &mut Decoder<'_>) -> Result<bool> {
    let mut ahead = input.clone();
    if ahead.read::<u32>()? != INDIRECTION {
        return Ok(false);
    }
    *input = ahead;
    Ok(true)
}

fn led_back<P: Places>(input: &mut Decoder<'_>, places: &P) -> Result<Option<Place>> {
    let place = input.read_indirection()?;
    Ok(places.remembered(input, place))
}
