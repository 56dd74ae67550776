//! From octets to the state of values of value types.

use std::collections::{BTreeMap, BTreeSet};

use taut_cdr::{Decoder, Error, ErrorKind, INDIRECTION, Mark, Result};

use super::Value;
use super::read::value;
use super::state::{State, keep_labels};
use crate::engine::{MAX_FRAMES, ValueSource, value_source};
use crate::node::Node;
use crate::value::{Deviation, Header, InDecoder, Place, Places, note, skip_level};
use crate::{Any, TCKind, TypeCode, TypeCodeLimits};

/// Octets of memory for a place that is met: a part of a tree whose nodes may be half empty.
const MET: usize = 2 * (size_of::<usize>() + size_of::<u32>()) + size_of::<usize>();

/// The frames that a value takes beyond those of a struct: it is read by more functions, which
/// call each other.
const MORE_FRAMES: u16 = 4;

/// The values of value types that have been met in the value that is read.
#[derive(Default)]
pub(super) struct Met {
    /// The labels of those that an indirection may lead to, by their places.
    values: BTreeMap<usize, u32>,
    /// The labels that an indirection led to.
    used: BTreeSet<u32>,
    last: u32,
    /// The Anys around what is read.
    anys: u16,
    /// Whether members of a value were left out that its expected type does not have.
    pub(super) has_truncated: bool,
}

impl Met {
    /// Reads an Any, out of which no indirection leads, nor into it.
    pub(super) fn within_any<T>(&mut self, body: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let outside = std::mem::take(&mut self.values);
        self.anys += 1;
        let outcome = body(self);
        self.anys -= 1;
        self.values = outside;
        outcome
    }

    /// Leaves those labels alone that are used.
    pub(super) fn finish(&self, value: &mut Value) {
        if self.last > 0 {
            let used = self.used.iter().copied().zip(1..).collect();
            keep_labels(value, &used);
        }
    }
}

/// Reads a value of a value type, or null.
pub(super) fn value_or_null(
    type_code: &TypeCode,
    input: &mut Decoder<'_>,
    frames: u16,
    met: &mut Met,
) -> Result<Value> {
    let start = input.mark();
    match some_value(Some(type_code), input, frames, met)? {
        Some(value) => Ok(value),
        None => encoded(type_code, input, start),
    }
}

/// Reads what an abstract interface stands for: a reference, a value, or null.
pub(super) fn abstract_value(
    type_code: &TypeCode,
    input: &mut Decoder<'_>,
    frames: u16,
    met: &mut Met,
) -> Result<Value> {
    let start = input.mark();
    if input.read_bool()? {
        return super::read::reference(input);
    }
    match some_value(None, input, frames, met)? {
        Some(value) => Ok(value),
        None => encoded(type_code, input, start),
    }
}

/// Reads a value that stays in encoded form, from where it began.
pub(super) fn encoded(type_code: &TypeCode, input: &mut Decoder<'_>, start: Mark) -> Result<Value> {
    input.rewind(start);
    let limits = TypeCodeLimits::of(input);
    Any::read_value(type_code.clone(), input, &limits).map(Value::Encoded)
}

/// Reads a value or null; None: its state is its user's to read.
fn some_value(
    expected: Option<&TypeCode>,
    input: &mut Decoder<'_>,
    frames: u16,
    met: &mut Met,
) -> Result<Option<Value>> {
    let (tag, is_between_chunks) = input.read_tag()?;
    let place = input.position() - 4;
    match tag {
        0 => Ok(Some(Value::Null)),
        INDIRECTION => led_back(expected, input, frames, met),
        _ if input.chunk_level() > 0 && !is_between_chunks => {
            let read = |input: &mut Decoder<'_>| tagged(tag, place, expected, input, frames, met);
            let value = input.within_chunk(read)?;
            note(input.context(), Deviation::ValueInChunk);
            Ok(value)
        }
        _ => tagged(tag, place, expected, input, frames, met),
    }
}

/// Reads the value with this tag, which stands at `place`.
fn tagged(
    tag: u32,
    place: usize,
    expected: Option<&TypeCode>,
    input: &mut Decoder<'_>,
    frames: u16,
    met: &mut Met,
) -> Result<Option<Value>> {
    let limit = ErrorKind::NestedTooDeeply { limit: MAX_FRAMES };
    let frames = frames.checked_sub(MORE_FRAMES);
    let frames = frames.ok_or_else(|| input.error(limit))?;
    // Another argument of the same message may lead back here.
    let level = input.chunk_level();
    let header = Header::read(tag, input, &mut InDecoder)?;
    let (source, ids) = value_source(expected.map(TypeCode::node), &header)?;
    let is_truncated = ids.len() < header.ids.len();
    if is_truncated && !header.is_chunked {
        let rule = "a value that cannot be skipped is of an unknown type";
        return Err(Error::new(ErrorKind::Invalid(rule), header.ids_place));
    }
    let type_code = match (source, expected) {
        (ValueSource::Expected, Some(expected)) => expected.clone(),
        (ValueSource::Registered(type_code), _) => type_code.without_aliases(),
        _ => return Ok(None),
    };
    InDecoder.remember(input, place, Place::Skipped { level })?;
    input.charge(MET + size_of::<State>())?;
    met.last += 1;
    let label = met.last;
    met.values.insert(place, label);
    met.has_truncated |= is_truncated;
    if header.is_chunked {
        input.enter_chunks();
    }
    let level = input.chunk_level();
    let mut members = Vec::new();
    input.nested(|input| state(&type_code, input, frames, met, &mut members))?;
    if header.is_chunked {
        match is_truncated {
            true => skip_level(level, input, &mut InDecoder)?,
            false => input.leave_chunks(level)?,
        }
        if input.take_extra_ends() {
            note(input.context(), Deviation::ExtraEndTag);
        }
    }
    let label = Some(label);
    let state = State {
        type_code,
        label,
        members,
    };
    Ok(Some(Value::State(Box::new(state))))
}

/// Reads the members of a value of this type behind those of its base.
fn state(
    type_code: &TypeCode,
    input: &mut Decoder<'_>,
    frames: u16,
    met: &mut Met,
    members: &mut Vec<Value>,
) -> Result<()> {
    let limit = ErrorKind::NestedTooDeeply { limit: MAX_FRAMES };
    let frames = frames.checked_sub(1).ok_or_else(|| input.error(limit))?;
    match type_code.node() {
        Node::Alias(TCKind::ValueBox, it) => {
            members.push(value(&type_code.at(it.original), input, frames, met)?);
        }
        Node::Value(_, it) => {
            let base = type_code.at(it.base).without_aliases();
            if base.kind() != TCKind::Null {
                state(&base, input, frames, met, members)?;
            }
            input.charge(it.members.len().saturating_mul(size_of::<Value>()))?;
            members.reserve_exact(it.members.len());
            for member in &it.members {
                members.push(value(
                    &type_code.at(member.member.node),
                    input,
                    frames,
                    met,
                )?);
            }
        }
        _ => return Err(input.error(ErrorKind::Invalid("no value has this type"))),
    }
    Ok(())
}

fn led_back(
    expected: Option<&TypeCode>,
    input: &mut Decoder<'_>,
    frames: u16,
    met: &mut Met,
) -> Result<Option<Value>> {
    let place = input.read_indirection()?;
    if let Some(&label) = met.values.get(&place) {
        met.used.insert(label);
        return Ok(Some(Value::Indirection(label)));
    }
    let limit = ErrorKind::NestedTooDeeply { limit: MAX_FRAMES };
    let frames = frames.checked_sub(1).ok_or_else(|| input.error(limit))?;
    match InDecoder.remembered(input, place) {
        // A part that was truncated, or another argument: it is read once more.
        Some(Place::Skipped { level }) if met.anys == 0 => input.nested(|input| {
            input.revisit(place, level, |input| {
                some_value(expected, input, frames, met)
            })
        }),
        _ => Err(input.error(ErrorKind::Invalid(
            "an indirection leads out of an any, or to a part of it that is not known",
        ))),
    }
}
