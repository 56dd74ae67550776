//! From values to JSON.

use serde_json::{Map, Value as Json};
use taut_types::dynamic::{Elements, Fault, Mismatch, State, Step, UnionValue, Value};
use taut_types::engine::MAX_FRAMES;
use taut_types::{TCKind, TypeCode};

use crate::below::below;
use crate::union::{cases, label_of, selected};
use crate::{DISCRIMINATOR, ID, MEMBERS, REF, TYPE, VALUE, encapsulation, names, number};

/// Shows a value of this type as JSON.
///
/// # Errors
///
/// When the value is not of the type, or nests too deeply, with the place in it.
pub fn to_json(type_code: &TypeCode, value: &Value) -> Result<Json, Mismatch> {
    write(type_code, value, MAX_FRAMES)
}

/// The same. Small, for it calls itself for each level of the value.
fn write(type_code: &TypeCode, value: &Value, left: u16) -> Result<Json, Mismatch> {
    let left = below(left)?;
    let type_code = type_code.without_aliases();
    match value {
        Value::Any(held) => any(held, left),
        Value::Members(values) => members(&type_code, values, left),
        Value::Union(value) => union(&type_code, value, left),
        Value::List(items) => list(&type_code, items, left),
        Value::Elements(Elements::Structs(structs)) => list(&type_code, &structs.to_values(), left),
        Value::State(value) => state(&type_code, value, left),
        _ => leaf(&type_code, value),
    }
}

fn any(held: &(TypeCode, Value), left: u16) -> Result<Json, Mismatch> {
    let (type_code, value) = held;
    let mut object = Map::new();
    object.insert(TYPE.to_owned(), names::to_json(type_code)?);
    object.insert(VALUE.to_owned(), write(type_code, value, left)?);
    Ok(Json::Object(object))
}

fn members(type_code: &TypeCode, values: &[Value], left: u16) -> Result<Json, Mismatch> {
    let (expected, found) = (type_code.member_count().unwrap_or_default(), values.len());
    if expected != found {
        return Err(Mismatch::new(Fault::Length { expected, found }));
    }
    let count = type_code.member_count().unwrap_or_default();
    let names = (0..count).filter_map(|index| type_code.member_name(index).ok());
    let is_told = names::are_distinct(names.clone());
    let mut all = Vec::with_capacity(count);
    for (index, (value, name)) in values.iter().zip(names.clone()).enumerate() {
        let member = type_code.member_type(index);
        let member = member.map_err(|_| Mismatch::of_type(type_code, "a struct"))?;
        let step = || match is_told {
            true => Step::Member(name.to_owned()),
            false => Step::Element(index),
        };
        all.push(write(&member, value, left).map_err(|fault| fault.within(step()))?);
    }
    Ok(match is_told {
        true => Json::Object(names.map(str::to_owned).zip(all).collect()),
        // Names may be left out of a type that another ORB sends.
        false => Json::Array(all),
    })
}

fn union(type_code: &TypeCode, value: &UnionValue, left: u16) -> Result<Json, Mismatch> {
    let cases = cases(type_code);
    let mut object = Map::new();
    let case = selected(&cases, value.label);
    let is_told = case.is_some_and(|case| label_of(&cases, &case.name) == Some(value.label));
    if !is_told {
        let discriminator = type_code.discriminator_type().unwrap_or_default();
        let label = label_to_json(&discriminator, value.label, left)?;
        object.insert(DISCRIMINATOR.to_owned(), label);
    }
    match (case, &value.member) {
        (Some(case), Some(member)) => {
            let member = write(&case.type_code, member, left)
                .map_err(|fault| fault.within(Step::Member(case.name.clone())))?;
            object.insert(case.name.clone(), member);
        }
        (None, None) => {}
        _ => {
            let label = value.label;
            return Err(Mismatch::new(Fault::Discriminator { label }));
        }
    }
    Ok(Json::Object(object))
}

fn label_to_json(discriminator: &TypeCode, label: i64, left: u16) -> Result<Json, Mismatch> {
    let discriminator = discriminator.without_aliases();
    let range = || {
        let (expected, found) = (discriminator.clone(), label.to_string());
        Mismatch::new(Fault::Range { expected, found })
    };
    let value = match discriminator.kind() {
        TCKind::Boolean => Value::Boolean(label != 0),
        TCKind::Char => Value::Char(u8::try_from(label).map_err(|_| range())?),
        TCKind::WChar => Value::WChar(u16::try_from(label).map_err(|_| range())?),
        TCKind::Enum => Value::Enum(u32::try_from(label).map_err(|_| range())?),
        TCKind::ULongLong => return Ok((label as u64).into()),
        _ => return Ok(label.into()),
    };
    write(&discriminator, &value, left)
}

/// Writes a value of a value type: its type where it is not the declared one, the number that
/// other places lead to, and its members.
fn state(declared: &TypeCode, value: &State, left: u16) -> Result<Json, Mismatch> {
    let members = value.type_code.state_members();
    let members = members.map_err(|_| Mismatch::of_type(declared, "a value"))?;
    let (expected, found) = (members.len(), value.members.len());
    if expected != found {
        return Err(Mismatch::new(Fault::Length { expected, found }));
    }
    let mut object = Map::new();
    if value.type_code != *declared {
        object.insert(TYPE.to_owned(), names::to_json(&value.type_code)?);
    }
    if let Some(label) = value.label {
        object.insert(ID.to_owned(), label.into());
    }
    let is_box = value.type_code.without_aliases().kind() == TCKind::ValueBox;
    let mut all = Vec::with_capacity(members.len());
    for (member, value) in members.iter().zip(&value.members) {
        let step = || match is_box {
            true => Step::Member(VALUE.to_owned()),
            false => Step::Member(member.name.clone()),
        };
        let json = write(&member.type_code, value, left);
        all.push(json.map_err(|fault| fault.within(step()))?);
    }
    if is_box {
        object.extend(all.pop().map(|held| (VALUE.to_owned(), held)));
        return Ok(Json::Object(object));
    }
    match names::are_distinct(members.iter().map(|member| &*member.name)) {
        true => object.extend(members.into_iter().map(|member| member.name).zip(all)),
        false => {
            object.insert(MEMBERS.to_owned(), Json::Array(all));
        }
    }
    Ok(Json::Object(object))
}

fn list(type_code: &TypeCode, items: &[Value], left: u16) -> Result<Json, Mismatch> {
    let element = type_code.content_type();
    let element = element.map_err(|_| Mismatch::of_type(type_code, "a list"))?;
    let mut all = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        all.push(write(&element, item, left).map_err(|fault| fault.within(Step::Element(index)))?);
    }
    // No elements have no kind; they are written as other octets are.
    match element.without_aliases().kind() {
        TCKind::Octet if all.is_empty() => Ok(String::new().into()),
        _ => Ok(Json::Array(all)),
    }
}

/// Writes a value that has no parts, or only primitives.
#[inline(never)]
fn leaf(type_code: &TypeCode, value: &Value) -> Result<Json, Mismatch> {
    Ok(match value {
        Value::Nothing => Json::Null,
        Value::Boolean(value) => (*value).into(),
        Value::Octet(value) => (*value).into(),
        Value::Char(value) => char::from(*value).to_string().into(),
        Value::WChar(unit) => match char::from_u32((*unit).into()) {
            Some(character) => character.to_string().into(),
            None => (*unit).into(),
        },
        Value::Short(value) => (*value).into(),
        Value::UShort(value) => (*value).into(),
        Value::Long(value) => (*value).into(),
        Value::ULong(value) => (*value).into(),
        Value::LongLong(value) => (*value).into(),
        Value::ULongLong(value) => (*value).into(),
        Value::Float(value) => number::float(*value),
        Value::Double(value) => number::double(*value),
        Value::LongDouble(value) => number::long_double(*value),
        Value::Fixed(unscaled) => match type_code.fixed_scale() {
            Ok(scale) => number::fixed(*unscaled, scale).into(),
            Err(_) => return Err(Mismatch::of_type(type_code, "a fixed")),
        },
        Value::String(text) | Value::WString(text) => text.clone().into(),
        Value::Enum(ordinal) => match type_code.member_name(*ordinal as usize) {
            Ok(name) if type_code.kind() == TCKind::Enum => {
                match names::enumerator(type_code, name) {
                    Some(found) if found == *ordinal => name.into(),
                    _ => (*ordinal).into(),
                }
            }
            _ => {
                return Err(Mismatch::of_type(
                    type_code,
                    format!("the enumerator {ordinal}"),
                ));
            }
        },
        Value::TypeCode(value) => names::to_json(value)?,
        // Where an abstract interface stands, null is no reference.
        Value::Reference(ior) if ior.is_nil() && type_code.kind() != TCKind::AbstractInterface => {
            Json::Null
        }
        Value::Reference(ior) => ior.to_string().into(),
        Value::Elements(elements) => self::elements(elements),
        Value::Null => Json::Null,
        Value::Indirection(label) => {
            let mut object = Map::new();
            object.insert(REF.to_owned(), (*label).into());
            Json::Object(object)
        }
        Value::Encoded(any) => {
            encapsulation::to_json(any.type_code().name().unwrap_or_default(), any)?
        }
        _ => {
            return Err(Mismatch::of_type(
                type_code,
                "a value without a form in JSON",
            ));
        }
    })
}

fn elements(elements: &Elements) -> Json {
    fn numbers<T: Copy>(items: &[T], json: impl Fn(T) -> Json) -> Json {
        Json::Array(items.iter().copied().map(json).collect())
    }
    match elements {
        Elements::Octets(octets) => encapsulation::text(octets).into(),
        Elements::Chars(items) => numbers(items, |octet| char::from(octet).to_string().into()),
        Elements::Shorts(items) => numbers(items, Json::from),
        Elements::UShorts(items) => numbers(items, Json::from),
        Elements::Longs(items) => numbers(items, Json::from),
        Elements::ULongs(items) => numbers(items, Json::from),
        Elements::LongLongs(items) => numbers(items, Json::from),
        Elements::ULongLongs(items) => numbers(items, Json::from),
        Elements::Floats(items) => numbers(items, number::float),
        Elements::Doubles(items) => numbers(items, number::double),
        _ => Json::Array((0..elements.len()).map(|_| Json::Null).collect()),
    }
}
