//! From values to octets.

use taut_cdr::{Char, Encode, Encoder, WChar};

use super::write_state::{Written, write_state};
use super::{Elements, Fault, Mismatch, Step, UnionValue, Value};
use crate::engine::MAX_FRAMES;
use crate::node::{Node, Struct, Union};
use crate::{TCKind, TypeCode};

/// Writes a value of this type.
///
/// # Errors
///
/// When the value is not of the type, with the place in it; or when it has no form in the code
/// set or version of GIOP of `out`. Octets that have been appended by then stay.
pub fn write(type_code: &TypeCode, value: &Value, out: &mut Encoder) -> Result<(), Mismatch> {
    if !type_code.is_complete() {
        let text = "a recursive TypeCode is not complete".to_owned();
        return Err(Mismatch::new(Fault::Text(text)));
    }
    write_value(type_code, value, out, MAX_FRAMES, &mut Written::default())
}

/// Writes a value. Small, for it calls itself for each level of the value.
pub(super) fn write_value(
    type_code: &TypeCode,
    value: &Value,
    out: &mut Encoder,
    frames: u16,
    written: &mut Written,
) -> Result<(), Mismatch> {
    let Some(frames) = frames.checked_sub(1) else {
        return Err(Mismatch::new(Fault::TooDeep { limit: MAX_FRAMES }));
    };
    let type_code = type_code.without_aliases();
    match (type_code.node(), value) {
        (Node::Simple(TCKind::Any), Value::Any(held)) => any(held, out, frames, written),
        (Node::Sequence { element, bound }, Value::List(_) | Value::Elements(_)) => {
            write_count(value, *bound, out)?;
            elements(&type_code.at(*element), value, out, frames, written)
        }
        (Node::Array { element, length }, Value::List(_) | Value::Elements(_)) => {
            check_count(value, *length as usize)?;
            elements(&type_code.at(*element), value, out, frames, written)
        }
        (Node::Struct(_, it), Value::Members(values)) => {
            members(&type_code, it, values, out, frames, written)
        }
        (Node::Union(it), Value::Union(value)) => {
            union(&type_code, it, value, out, frames, written)
        }
        (
            Node::Value(..) | Node::Alias(..),
            Value::Null | Value::State(_) | Value::Indirection(_),
        ) => write_state(Some(&type_code), value, out, frames, written),
        (
            Node::Interface(TCKind::AbstractInterface, _),
            Value::Null | Value::State(_) | Value::Indirection(_),
        ) => {
            out.write(0_u8);
            write_state(None, value, out, frames, written)
        }
        _ => leaf(&type_code, value, out),
    }
}

/// Writes a value that has no parts.
#[inline(never)]
fn leaf(type_code: &TypeCode, value: &Value, out: &mut Encoder) -> Result<(), Mismatch> {
    match (type_code.node(), value) {
        (Node::Simple(kind), value) => return simple(*kind, type_code, value, out),
        (Node::String { bound }, Value::String(text)) => {
            check_bound(text.chars().count(), *bound)?;
            out.write_string(text)?;
        }
        (Node::WString { bound }, Value::WString(text)) => {
            check_bound(text.encode_utf16().count(), *bound)?;
            out.write_wstring(text)?;
        }
        (Node::Fixed { digits, .. }, Value::Fixed(unscaled)) => {
            let largest = 10_i128.checked_pow((*digits).into()).unwrap_or(i128::MAX);
            if unscaled.unsigned_abs() >= largest.unsigned_abs() {
                return Err(beyond(type_code, unscaled));
            }
            taut_cdr::fixed::encode(*unscaled, *digits, out)?;
        }
        (Node::Enum(it), Value::Enum(ordinal)) => {
            if *ordinal as usize >= it.enumerators.len() {
                return Err(beyond(type_code, ordinal));
            }
            out.write(*ordinal);
        }
        (
            Node::Interface(TCKind::AbstractInterface, _) | Node::Value(..) | Node::Alias(..),
            Value::Encoded(any),
        ) => return encoded(type_code, any, out),
        (Node::Interface(TCKind::AbstractInterface, _), Value::Reference(ior)) => {
            out.write(1_u8);
            ior.encode(out)?;
        }
        (
            Node::Interface(TCKind::ObjectReference | TCKind::Component | TCKind::Home, _),
            Value::Reference(ior),
        ) => ior.encode(out)?,
        _ => return Err(Mismatch::of_type(type_code, describe(value))),
    }
    Ok(())
}

fn any(
    held: &(TypeCode, Value),
    out: &mut Encoder,
    frames: u16,
    written: &mut Written,
) -> Result<(), Mismatch> {
    let (type_code, value) = held;
    type_code.encode(out)?;
    written.within_any(out, |written, out| {
        write_value(type_code, value, out, frames, written)
    })
}

fn write_count(value: &Value, bound: u32, out: &mut Encoder) -> Result<(), Mismatch> {
    let length = length(value);
    check_bound(length, bound)?;
    Ok(out.write_length(length)?)
}

fn check_count(value: &Value, expected: usize) -> Result<(), Mismatch> {
    match length(value) {
        found if found == expected => Ok(()),
        found => Err(Mismatch::new(Fault::Length { expected, found })),
    }
}

/// A value that is beyond the range of its type.
fn beyond(type_code: &TypeCode, found: impl ToString) -> Mismatch {
    let (expected, found) = (type_code.clone(), found.to_string());
    Mismatch::new(Fault::Range { expected, found })
}

/// Writes the members of a struct or an exception.
fn members(
    type_code: &TypeCode,
    it: &Struct,
    values: &[Value],
    out: &mut Encoder,
    frames: u16,
    written: &mut Written,
) -> Result<(), Mismatch> {
    let (expected, found) = (it.members.len(), values.len());
    if expected != found {
        return Err(Mismatch::new(Fault::Length { expected, found }));
    }
    if type_code.kind() == TCKind::Exception {
        out.write_string_octets(it.name.id.as_bytes())?;
    }
    for (member, value) in it.members.iter().zip(values) {
        write_value(&type_code.at(member.node), value, out, frames, written)
            .map_err(|fault| fault.within(Step::Member(member.name.to_string())))?;
    }
    Ok(())
}

fn simple(
    kind: TCKind,
    type_code: &TypeCode,
    value: &Value,
    out: &mut Encoder,
) -> Result<(), Mismatch> {
    match (kind, value) {
        (TCKind::Null | TCKind::Void, Value::Nothing) => {}
        (TCKind::Boolean, Value::Boolean(value)) => out.write(u8::from(*value)),
        (TCKind::Octet, Value::Octet(value)) => out.write(*value),
        (TCKind::Char, Value::Char(value)) => Char(*value).encode(out)?,
        (TCKind::WChar, Value::WChar(value)) => out.write_wchar(WChar(*value))?,
        (TCKind::Short, Value::Short(value)) => out.write(*value),
        (TCKind::UShort, Value::UShort(value)) => out.write(*value),
        (TCKind::Long, Value::Long(value)) => out.write(*value),
        (TCKind::ULong, Value::ULong(value)) => out.write(*value),
        (TCKind::LongLong, Value::LongLong(value)) => out.write(*value),
        (TCKind::ULongLong, Value::ULongLong(value)) => out.write(*value),
        (TCKind::Float, Value::Float(value)) => out.write(*value),
        (TCKind::Double, Value::Double(value)) => out.write(*value),
        (TCKind::LongDouble, Value::LongDouble(value)) => out.write(*value),
        (TCKind::TypeCode, Value::TypeCode(value)) => value.encode(out)?,
        (TCKind::Principal, Value::Encoded(any)) => return encoded(type_code, any, out),
        _ => return Err(Mismatch::of_type(type_code, describe(value))),
    }
    Ok(())
}

/// Writes a value that was kept in encoded form.
fn encoded(type_code: &TypeCode, any: &crate::Any, out: &mut Encoder) -> Result<(), Mismatch> {
    if !any.type_code().equivalent(type_code) {
        return Err(Mismatch::of_type(type_code, any.type_code().to_string()));
    }
    Ok(any.write_value(out)?)
}

fn union(
    type_code: &TypeCode,
    union: &Union,
    value: &UnionValue,
    out: &mut Encoder,
    frames: u16,
    written: &mut Written,
) -> Result<(), Mismatch> {
    let UnionValue { label, member } = value;
    write_label(&type_code.at(union.discriminator), *label, out)?;
    match (union.case(*label), member) {
        (Some(case), Some(member)) => {
            let name = || Step::Member(case.member.name.to_string());
            write_value(
                &type_code.at(case.member.node),
                member,
                out,
                frames,
                written,
            )
            .map_err(|fault| fault.within(name()))
        }
        (None, None) => Ok(()),
        _ => Err(Mismatch::new(Fault::Discriminator { label: *label })),
    }
}

/// Writes a discriminator.
fn write_label(discriminator: &TypeCode, label: i64, out: &mut Encoder) -> Result<(), Mismatch> {
    let discriminator = discriminator.without_aliases();
    let range = || beyond(&discriminator, label);
    macro_rules! number {
        ($ty:ty) => {
            out.write(<$ty>::try_from(label).map_err(|_| range())?)
        };
    }
    match discriminator.kind() {
        TCKind::Short => number!(i16),
        TCKind::UShort => number!(u16),
        TCKind::Long => number!(i32),
        TCKind::ULong => number!(u32),
        TCKind::LongLong => out.write(label),
        TCKind::ULongLong => out.write(label as u64),
        TCKind::Octet => number!(u8),
        TCKind::Boolean => match label {
            0 | 1 => out.write(label as u8),
            _ => return Err(range()),
        },
        TCKind::Char => Char(u8::try_from(label).map_err(|_| range())?).encode(out)?,
        TCKind::WChar => out.write_wchar(WChar(u16::try_from(label).map_err(|_| range())?))?,
        TCKind::Enum => match discriminator.member_count() {
            Ok(count) if (0..count as i64).contains(&label) => out.write(label as u32),
            _ => return Err(range()),
        },
        _ => return Err(range()),
    }
    Ok(())
}

fn length(value: &Value) -> usize {
    match value {
        Value::List(items) => items.len(),
        Value::Elements(elements) => elements.len(),
        _ => 0,
    }
}

fn elements(
    element: &TypeCode,
    value: &Value,
    out: &mut Encoder,
    frames: u16,
    written: &mut Written,
) -> Result<(), Mismatch> {
    match value {
        Value::Elements(elements) => {
            let element = element.without_aliases();
            if !elements.fit(&element) {
                let found = match elements {
                    Elements::Structs(_) => "a list of other structs".to_owned(),
                    _ => format!("a list of {}", elements.kind()),
                };
                return Err(Mismatch::of_type(&element, found));
            }
            Elements::write(elements, out);
            Ok(())
        }
        Value::List(items) => {
            for (index, item) in items.iter().enumerate() {
                write_value(element, item, out, frames, written)
                    .map_err(|fault| fault.within(Step::Element(index)))?;
            }
            Ok(())
        }
        _ => Err(Mismatch::of_type(element, describe(value))),
    }
}

fn check_bound(found: usize, bound: u32) -> Result<(), Mismatch> {
    let expected = bound as usize;
    match bound > 0 && found > expected {
        true => Err(Mismatch::new(Fault::Length { expected, found })),
        false => Ok(()),
    }
}

/// Returns what a value is, for people.
fn describe(value: &Value) -> &'static str {
    match value {
        Value::Nothing => "nothing",
        Value::Boolean(_) => "a boolean",
        Value::Octet(_) => "an octet",
        Value::Char(_) => "a char",
        Value::WChar(_) => "a wchar",
        Value::Short(_) => "a short",
        Value::UShort(_) => "an unsigned short",
        Value::Long(_) => "a long",
        Value::ULong(_) => "an unsigned long",
        Value::LongLong(_) => "a long long",
        Value::ULongLong(_) => "an unsigned long long",
        Value::Float(_) => "a float",
        Value::Double(_) => "a double",
        Value::LongDouble(_) => "a long double",
        Value::Fixed(_) => "a fixed",
        Value::String(_) => "a string",
        Value::WString(_) => "a wstring",
        Value::Enum(_) => "an enumerator",
        Value::TypeCode(_) => "a TypeCode",
        Value::Any(_) => "an any",
        Value::Reference(_) => "a reference",
        Value::Members(_) => "a struct",
        Value::Union(_) => "a union",
        Value::List(_) | Value::Elements(_) => "a list",
        Value::Null => "null",
        Value::State(_) | Value::Encoded(_) => "a value",
        Value::Indirection(_) => "an indirection",
    }
}
