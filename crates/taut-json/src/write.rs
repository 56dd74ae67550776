//! From values to JSON.

use serde_json::{Map, Value as Json};
use taut_types::dynamic::{Elements, Fault, Mismatch, Step, Value};
use taut_types::engine::MAX_FRAMES;
use taut_types::{Any, TCKind, TypeCode};

use crate::encapsulation;
use crate::read::below;
use crate::{TYPE, VALUE, names, number, union};

/// Shows a value of this type as JSON.
///
/// # Errors
///
/// When the value is not of the type, or nests too deeply, with the place in it.
pub fn to_json(type_code: &TypeCode, value: &Value) -> Result<Json, Mismatch> {
    write(type_code, value, MAX_FRAMES)
}

/// The same. Small, for it calls itself for each level of the value.
pub(crate) fn write(type_code: &TypeCode, value: &Value, left: u16) -> Result<Json, Mismatch> {
    let left = below(left)?;
    let type_code = type_code.without_aliases();
    match value {
        Value::Any(held) => any(held, left),
        Value::Members(values) => members(&type_code, values, left),
        Value::Union(value) => union::to_json(&type_code, value, left),
        Value::List(items) => list(&type_code, items, left),
        Value::Elements(Elements::Structs(structs)) => {
            let items: Vec<_> = (0..structs.len())
                .filter_map(|index| structs.get(index))
                .collect();
            list(&type_code, &items, left)
        }
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
    let mut object = Map::new();
    for (index, value) in values.iter().enumerate() {
        let member = type_code.member_type(index);
        let member = member.map_err(|_| Mismatch::of_type(type_code, "a struct"))?;
        let name = type_code.member_name(index).unwrap_or_default().to_owned();
        let json = write(&member, value, left);
        let json = json.map_err(|fault| fault.within(Step::Member(name.clone())))?;
        object.insert(name, json);
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
            Ok(name) if type_code.kind() == TCKind::Enum => name.into(),
            _ => {
                return Err(Mismatch::of_type(
                    type_code,
                    format!("the enumerator {ordinal}"),
                ));
            }
        },
        Value::TypeCode(value) => names::to_json(value)?,
        Value::Reference(ior) if ior.is_nil() => Json::Null,
        Value::Reference(ior) => ior.to_string().into(),
        Value::Elements(elements) => self::elements(elements),
        Value::Encoded(any) if is_null(any) => Json::Null,
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

/// Whether a value of a value type, or of an abstract interface, is null.
fn is_null(any: &Any) -> bool {
    let mut input = any.decoder(None);
    let is_abstract = any.type_code().without_aliases().kind() == TCKind::AbstractInterface;
    if is_abstract && input.read_bool() != Ok(false) {
        return false;
    }
    matches!(input.read::<u32>(), Ok(0))
}
