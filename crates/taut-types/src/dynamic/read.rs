//! From octets to values.

use taut_cdr::{Char, Decode, Decoder, ErrorKind, Result};
use taut_giop::Ior;

use super::read_state::{Met, abstract_value, encoded, value_or_null};
use super::{Elements, UnionValue, Value};
use crate::display::is_empty;
use crate::engine::{MAX_FRAMES, read_count, skip_exception_id};
use crate::node::{Node, Struct, Union};
use crate::type_code::wire::read_label;
use crate::{TCKind, TypeCode};

/// Reads a value of this type.
///
/// Sequences, unions and Anys nest as deeply as the decoder's nesting limit says, all types
/// together as deeply as [`MAX_FRAMES`]. Memory is charged to the decoder's limit.
///
/// # Errors
///
/// When the octets are no such value, or exceed a limit.
pub fn read(type_code: &TypeCode, input: &mut Decoder<'_>) -> Result<Value> {
    Ok(read_noting_truncation(type_code, input)?.0)
}

/// Reads a value of this type, and tells whether a value of a value type in it was of an unknown
/// derived type, so that only the members of a base are left of it.
///
/// # Errors
///
/// Those of [`read`].
pub fn read_noting_truncation(
    type_code: &TypeCode,
    input: &mut Decoder<'_>,
) -> Result<(Value, bool)> {
    check_complete(type_code, input)?;
    let mut met = Met::default();
    let mut value = value(type_code, input, MAX_FRAMES, &mut met)?;
    met.finish(&mut value);
    Ok((value, met.has_truncated))
}

/// Reads a value that may be a part of another.
pub(super) fn value(
    type_code: &TypeCode,
    input: &mut Decoder<'_>,
    frames: u16,
    met: &mut Met,
) -> Result<Value> {
    let type_code = type_code.without_aliases();
    let limit = ErrorKind::NestedTooDeeply { limit: MAX_FRAMES };
    let frames = frames.checked_sub(1).ok_or_else(|| input.error(limit))?;
    Ok(match type_code.node() {
        Node::Simple(kind) => simple(*kind, &type_code, input, frames, met)?,
        Node::String { bound } => {
            let text = input.read_string()?.into_owned();
            // IDL bounds characters.
            check_bound(text.chars().count(), *bound, input)?;
            kept(text, input).map(Value::String)?
        }
        Node::WString { bound } => {
            let text = input.read_wstring()?;
            check_bound(text.encode_utf16().count(), *bound, input)?;
            kept(text, input).map(Value::WString)?
        }
        Node::Fixed { digits, .. } => Value::Fixed(taut_cdr::fixed::decode(*digits, input)?),
        Node::Enum(it) => Value::Enum(input.read_ordinal(it.enumerators.len() as u32)?),
        Node::Sequence { element, bound } => {
            let element = type_code.at(*element);
            let count = read_count(&element.graph, element.root, input)?;
            check_bound(count, *bound, input)?;
            elements(&element, count, input, frames, met)?
        }
        Node::Array { element, length } => {
            let element = type_code.at(*element);
            elements(&element, *length as usize, input, frames, met)?
        }
        Node::Struct(_, it) => members(&type_code, it, input, frames, met)?,
        Node::Union(it) => union(&type_code, it, input, frames, met)?,
        Node::Interface(TCKind::LocalInterface | TCKind::Native, _)
        | Node::Recursive(_)
        | Node::Unfinished(_) => {
            return Err(input.error(ErrorKind::Invalid("no value has this type")));
        }
        Node::Interface(TCKind::AbstractInterface, _) => {
            abstract_value(&type_code, input, frames, met)?
        }
        Node::Value(..) | Node::Alias(..) => value_or_null(&type_code, input, frames, met)?,
        Node::Interface(..) => reference(input)?,
    })
}

/// Reads a reference to an object.
pub(super) fn reference(input: &mut Decoder<'_>) -> Result<Value> {
    Ior::decode(input).map(Value::Reference)
}

/// Reads the members of a struct or an exception.
fn members(
    type_code: &TypeCode,
    it: &Struct,
    input: &mut Decoder<'_>,
    frames: u16,
    met: &mut Met,
) -> Result<Value> {
    if type_code.kind() == TCKind::Exception {
        skip_exception_id(&it.name.id, input);
    }
    input.charge(it.members.len().saturating_mul(size_of::<Value>()))?;
    let mut members = Vec::with_capacity(it.members.len());
    for member in &it.members {
        members.push(value(&type_code.at(member.node), input, frames, met)?);
    }
    Ok(Value::Members(members))
}

fn union(
    type_code: &TypeCode,
    it: &Union,
    input: &mut Decoder<'_>,
    frames: u16,
    met: &mut Met,
) -> Result<Value> {
    let label = read_label(it.discriminator_kind, input)?;
    input.charge(size_of::<UnionValue>())?;
    let member = match it.case(label) {
        Some(case) => {
            let member = type_code.at(case.member.node);
            Some(input.nested(|input| value(&member, input, frames, met))?)
        }
        None => None,
    };
    Ok(Value::Union(Box::new(UnionValue { label, member })))
}

fn simple(
    kind: TCKind,
    type_code: &TypeCode,
    input: &mut Decoder<'_>,
    frames: u16,
    met: &mut Met,
) -> Result<Value> {
    Ok(match kind {
        TCKind::Null | TCKind::Void => Value::Nothing,
        TCKind::Boolean => Value::Boolean(input.read_bool()?),
        TCKind::Octet => Value::Octet(input.read()?),
        TCKind::Char => Value::Char(Char::decode(input)?.0),
        TCKind::WChar => Value::WChar(input.read_wchar()?.0),
        TCKind::Short => Value::Short(input.read()?),
        TCKind::UShort => Value::UShort(input.read()?),
        TCKind::Long => Value::Long(input.read()?),
        TCKind::ULong => Value::ULong(input.read()?),
        TCKind::LongLong => Value::LongLong(input.read()?),
        TCKind::ULongLong => Value::ULongLong(input.read()?),
        TCKind::Float => Value::Float(input.read()?),
        TCKind::Double => Value::Double(input.read()?),
        TCKind::LongDouble => Value::LongDouble(input.read()?),
        TCKind::TypeCode => Value::TypeCode(TypeCode::decode(input)?),
        TCKind::Any => any(input, frames, met)?,
        _ => {
            let start = input.mark();
            encoded(type_code, input, start)?
        }
    })
}

fn any(input: &mut Decoder<'_>, frames: u16, met: &mut Met) -> Result<Value> {
    let held = TypeCode::decode(input)?;
    check_complete(&held, input)?;
    input.charge(size_of::<(TypeCode, Value)>())?;
    let value = met.within_any(|met| input.nested(|input| value(&held, input, frames, met)))?;
    Ok(Value::Any(Box::new((held, value))))
}

fn check_complete(type_code: &TypeCode, input: &Decoder<'_>) -> Result<()> {
    match type_code.is_complete() {
        true => Ok(()),
        false => {
            let rule = "a recursive TypeCode is not complete";
            Err(input.error(ErrorKind::Invalid(rule)))
        }
    }
}

fn elements(
    element: &TypeCode,
    count: usize,
    input: &mut Decoder<'_>,
    frames: u16,
    met: &mut Met,
) -> Result<Value> {
    let element = element.without_aliases();
    if is_empty(&element) {
        // A peer may tell any number of them, for they take no octets.
        let error = ErrorKind::Invalid("a list of values that take no octets");
        return match count {
            0 => Ok(Value::List(Vec::new())),
            _ => Err(input.error(error)),
        };
    }
    if let Some(elements) = Elements::read(&element, count, input)? {
        return Ok(Value::Elements(elements));
    }
    let min_size = element.graph.layout(element.root).min_size as usize;
    let read = input.read_each(count, min_size, |input| value(&element, input, frames, met));
    read.map(Value::List)
}

/// Charges a text that is kept.
fn kept(text: String, input: &mut Decoder<'_>) -> Result<String> {
    input.charge(text.len())?;
    Ok(text)
}

fn check_bound(length: usize, bound: u32, input: &Decoder<'_>) -> Result<()> {
    match bound {
        0 => Ok(()),
        bound => taut_cdr::codec::check_bound(length, bound as usize, input.position()),
    }
}
