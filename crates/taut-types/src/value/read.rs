//! Octets to values.

use std::sync::Arc;

use taut_cdr::{Between, Decoder, Error, ErrorKind, INDIRECTION, Result};

use super::header::{Header, InDecoder, Place, Places, is_tag};
use super::{Deviation, ValueDescriptor, ValueObject, note, registered};

/// The repository id of the value that could not be read since its type is not
/// known; `input` has found that out.
pub fn unknown_id(error: &Error, input: &Decoder<'_>) -> Option<Arc<str>> {
    if error.kind() != ErrorKind::UnknownValueType {
        return None;
    }
    match InDecoder.remembered(input, error.offset())? {
        Place::Text(id) => Some(id),
        Place::Texts(ids) => ids.first().cloned(),
        _ => None,
    }
}

/// The type that is expected: the id of a type, those that are known to derive from it, and
/// whether an object is of it.
struct Expected<'f> {
    id: &'static str,
    known: &'static [&'static ValueDescriptor],
    fits: &'f dyn Fn(&dyn ValueObject) -> bool,
}

/// The most levels of chunks that are skipped; values cannot nest deeper.
const SKIPPED_LEVELS: u32 = 512;

/// Reads a value that fits the type with this id, or null.
pub(crate) fn read(
    input: &mut Decoder<'_>,
    id: &'static str,
    known: &'static [&'static ValueDescriptor],
    fits: impl Fn(&dyn ValueObject) -> bool,
) -> Result<Option<Arc<dyn ValueObject>>> {
    let fits = &fits;
    read_expected(input, &Expected { id, known, fits })
}

fn read_expected(
    input: &mut Decoder<'_>,
    expected: &Expected<'_>,
) -> Result<Option<Arc<dyn ValueObject>>> {
    let (tag, is_between_chunks) = input.read_tag()?;
    let place = input.position() - 4;
    let object = match tag {
        0 => return Ok(None),
        INDIRECTION => led_back(input, expected)?,
        _ if input.chunk_level() > 0 && !is_between_chunks => {
            let object = input.within_chunk(|input| read_value(tag, place, input, expected))?;
            note(input.context(), Deviation::ValueInChunk);
            object
        }
        _ => read_value(tag, place, input, expected)?,
    };
    if (expected.fits)(&*object) {
        return Ok(Some(object));
    }
    let rule = "a value is not of the type that is expected, nor of one derived from it";
    Err(Error::new(ErrorKind::Invalid(rule), place))
}

/// The value that an indirection leads to.
fn led_back(input: &mut Decoder<'_>, expected: &Expected<'_>) -> Result<Arc<dyn ValueObject>> {
    let place = input.read_indirection()?;
    match InDecoder.remembered(input, place) {
        Some(Place::Value(object)) if object.is_complete() || input.cyclic_values() => Ok(object),
        Some(Place::Value(_)) => Err(input.error(ErrorKind::CyclicValue)),
        Some(Place::Skipped { level }) => input.nested(|input| {
            input.revisit(place, level, |input| {
                match read_expected(input, expected)? {
                    Some(object) => Ok(object),
                    None => {
                        Err(input.error(ErrorKind::Invalid("an indirection leads to no value")))
                    }
                }
            })
        }),
        _ => Err(input.error(ErrorKind::Invalid(
            "an indirection leads to no value of this message",
        ))),
    }
}

/// Reads what follows the tag at `place`.
fn read_value(
    tag: u32,
    place: usize,
    input: &mut Decoder<'_>,
    expected: &Expected<'_>,
) -> Result<Arc<dyn ValueObject>> {
    let header = Header::read(tag, input, &mut InDecoder)?;
    let (descriptor, is_truncated) = choose(&header, expected)?;
    let object = descriptor.make();
    input.charge(size_of_val(&*object) + 2 * size_of::<usize>())?;
    InDecoder.remember(input, place, Place::Value(Arc::clone(&object)))?;
    input.nested(|input| {
        if !header.is_chunked {
            return object.decode_state(input);
        }
        input.enter_chunks();
        let level = input.chunk_level();
        object.decode_state(input)?;
        if is_truncated || descriptor.is_custom() {
            skip_level(level, input, &mut InDecoder)?;
        } else {
            input.leave_chunks(level)?;
        }
        if input.take_extra_ends() {
            note(input.context(), Deviation::ExtraEndTag);
        }
        Ok(())
    })?;
    Ok(object)
}

/// The type that a value is read as, and whether it is a base of its own.
fn choose(header: &Header, expected: &Expected<'_>) -> Result<(&'static ValueDescriptor, bool)> {
    let find = |id: &str| {
        let known = expected.known.iter();
        let known = known.copied().find(|known| known.repository_id() == id);
        known.or_else(|| registered(id))
    };
    if header.ids.is_empty() {
        let rule = "a value does not tell its type where an abstract one is expected";
        let error = Error::new(ErrorKind::Invalid(rule), header.ids_place);
        return Ok((find(expected.id).ok_or(error)?, false));
    }
    let mut ids = header.ids.iter().enumerate();
    ids.find_map(|(index, id)| Some((find(id)?, index > 0)))
        .ok_or_else(|| Error::new(ErrorKind::UnknownValueType, header.ids_place))
}

/// Skips what is left of a level of chunks. Values in it are found again should
/// an indirection lead to them.
pub(crate) fn skip_level<P: Places>(
    level: u32,
    input: &mut Decoder<'_>,
    places: &mut P,
) -> Result<()> {
    while input.chunk_level() >= level {
        let Between::Tag(tag) = input.skip_chunk()? else {
            continue;
        };
        if !is_tag(tag) {
            continue;
        }
        let place = input.position() - 4;
        if places.remembered(input, place).is_none() {
            let level = input.chunk_level();
            places.remember(input, place, Place::Skipped { level })?;
        }
        Header::read(tag, input, places)?;
        input.enter_chunks();
        if input.chunk_level() > level.saturating_add(SKIPPED_LEVELS) {
            return Err(input.error(ErrorKind::NestedTooDeeply {
                limit: SKIPPED_LEVELS as u16,
            }));
        }
    }
    input.leave_chunks(level)
}
