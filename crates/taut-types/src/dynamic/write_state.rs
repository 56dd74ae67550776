//! From the state of values of value types to octets.

use std::collections::BTreeMap;

use taut_cdr::Encoder;

use super::write::write_value;
use super::{Fault, Mismatch, State, Step, Value};
use crate::node::Node;
use crate::value::tag;
use crate::{TCKind, TypeCode, ValueModifier};

/// Where values and ids have been written that may be led back to; nothing as long as there are
/// none.
#[derive(Default)]
pub(super) struct Written(Option<Box<Places>>);

#[derive(Default)]
struct Places {
    values: BTreeMap<u32, usize>,
    texts: BTreeMap<String, usize>,
    lists: BTreeMap<Vec<String>, usize>,
}

impl Written {
    /// Writes an Any, out of which no indirection leads, nor into it.
    pub(super) fn within_any<T>(
        &mut self,
        out: &mut Encoder,
        body: impl FnOnce(&mut Self, &mut Encoder) -> T,
    ) -> T {
        let outside = self.0.take();
        let isolation = out.isolate();
        let outcome = body(self, out);
        out.restore(isolation);
        self.0 = outside;
        outcome
    }

    fn places(&mut self) -> &mut Places {
        self.0.get_or_insert_with(Box::default)
    }
}

/// Writes what may stand for a value type, or for an abstract interface (`declared` is None).
#[inline(never)]
pub(super) fn write_state(
    declared: Option<&TypeCode>,
    value: &Value,
    out: &mut Encoder,
    frames: u16,
    written: &mut Written,
) -> Result<(), Mismatch> {
    match value {
        Value::State(state) => whole(declared, state, out, frames, written),
        Value::Indirection(label) => match written.places().values.get(label) {
            Some(&place) => Ok(out.write_indirection(place)?),
            None => Err(Mismatch::new(Fault::Label { label: *label })),
        },
        _ => {
            out.write(0_u32);
            Ok(())
        }
    }
}

fn whole(
    declared: Option<&TypeCode>,
    state: &State,
    out: &mut Encoder,
    frames: u16,
    written: &mut Written,
) -> Result<(), Mismatch> {
    let type_code = state.type_code.without_aliases();
    if !state.fits(declared) {
        let expected = declared.unwrap_or(&type_code);
        return Err(Mismatch::of_type(expected, type_code.to_string()));
    }
    if matches!(
        type_code.type_modifier(),
        Ok(ValueModifier::Custom | ValueModifier::Abstract)
    ) {
        let text = "the members of a custom or an abstract type do not travel: keep it encoded";
        return Err(Mismatch::new(Fault::Text(text.to_owned())));
    }
    let ids = state.sent_ids();
    let is_chunked = out.chunk_level() > 0 || ids.len() > 1;
    let place = begin(ids, is_chunked, out, written)?;
    if let Some(label) = state.label
        && written.places().values.insert(label, place).is_some()
    {
        let text = format!("two values have the label {label}: give each its own");
        return Err(Mismatch::new(Fault::Text(text)));
    }
    if is_chunked {
        out.enter_chunks();
    }
    members(&type_code, &state.members, out, frames, written)?;
    if is_chunked {
        out.leave_chunks()?;
        out.resume_chunk();
    }
    Ok(())
}

/// Writes the tag and the ids; the place of the tag.
fn begin(
    ids: Vec<String>,
    is_chunked: bool,
    out: &mut Encoder,
    written: &mut Written,
) -> Result<usize, Mismatch> {
    out.suspend_chunk()?;
    out.align(4);
    let place = out.len();
    out.write(tag(ids.len() > 1, is_chunked));
    if let [id] = &*ids {
        write_text(id, out, written)?;
        return Ok(place);
    }
    match written.places().lists.get(&ids) {
        Some(&place) => out.write_indirection(place)?,
        None => {
            let place = out.len();
            out.write_length(ids.len())?;
            ids.iter().try_for_each(|id| write_text(id, out, written))?;
            written.places().lists.insert(ids, place);
        }
    }
    Ok(place)
}

fn write_text(text: &str, out: &mut Encoder, written: &mut Written) -> Result<(), Mismatch> {
    if let Some(&place) = written.places().texts.get(text) {
        return Ok(out.write_indirection(place)?);
    }
    out.align(4);
    written.places().texts.insert(text.to_owned(), out.len());
    Ok(out.write_string_octets(text.as_bytes())?)
}

/// Writes the members of the bases, the farthest first, and the type's own.
fn members(
    type_code: &TypeCode,
    values: &[Value],
    out: &mut Encoder,
    frames: u16,
    written: &mut Written,
) -> Result<(), Mismatch> {
    let counted = |expected| match values.len() {
        found if found == expected => Ok(()),
        found => Err(Mismatch::new(Fault::Length { expected, found })),
    };
    if let Node::Alias(TCKind::ValueBox, it) = type_code.node() {
        counted(1)?;
        return write_value(&type_code.at(it.original), &values[0], out, frames, written);
    }
    let parts = type_code.with_bases();
    let parts = parts.map_err(|error| Mismatch::of_type(type_code, error.to_string()))?;
    let members = || parts.iter().rev().flat_map(own_members);
    counted(members().count())?;
    for ((name, type_code), value) in members().zip(values) {
        write_value(&type_code, value, out, frames, written)
            .map_err(|fault| fault.within(Step::Member(name.to_owned())))?;
    }
    Ok(())
}

/// Returns the names and types of the members that a value type declares itself.
fn own_members(part: &TypeCode) -> impl Iterator<Item = (&str, TypeCode)> {
    let members = match part.node() {
        Node::Value(_, it) => &*it.members,
        _ => &[],
    };
    let named = |one: &crate::node::StateMember| part.at(one.member.node);
    members
        .iter()
        .map(move |one| (&*one.member.name, named(one)))
}
