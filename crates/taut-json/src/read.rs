//! From JSON to values.

use serde_json::Value as Json;
use taut_giop::Ior;
use taut_types::dynamic::{Elements, Fault, Mismatch, Step, Value};
use taut_types::engine::MAX_FRAMES;
use taut_types::{Any, TCKind, TypeCode};

use crate::{TYPE, VALUE, encapsulation, names, number, union};

/// Makes a reference of a URL that is no `IOR:`, such as a `corbaloc:`; or says why it cannot.
pub type Resolver<'r> = &'r dyn Fn(&str) -> Result<Ior, String>;

/// Reads a value of this type from JSON. References are `IOR:` URLs.
///
/// # Errors
///
/// When the JSON is no such value, with the place in it.
pub fn from_json(type_code: &TypeCode, json: &Json) -> Result<Value, Mismatch> {
    let no_other = |url: &str| {
        let head: String = url.chars().take(16).collect();
        Err(format!(
            "expected a reference that begins with IOR:, found \"{head}…\""
        ))
    };
    from_json_with(type_code, json, &no_other)
}

/// Reads a value of this type from JSON, where references may be any URLs.
///
/// # Errors
///
/// Those of [`from_json`].
pub fn from_json_with(
    type_code: &TypeCode,
    json: &Json,
    resolve: Resolver<'_>,
) -> Result<Value, Mismatch> {
    if !type_code.is_complete() {
        let text = "a recursive TypeCode is not complete".to_owned();
        return Err(Mismatch::new(Fault::Text(text)));
    }
    let reading = Reading {
        resolve,
        left: MAX_FRAMES,
    };
    read(type_code, json, reading)
}

/// The way in which a value is read.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'r> {
    resolve: Resolver<'r>,
    /// The levels that there may still be.
    left: u16,
}

/// Reads a value. Small, for it calls itself for each level of the value.
pub(crate) fn read(
    type_code: &TypeCode,
    json: &Json,
    reading: Reading<'_>,
) -> Result<Value, Mismatch> {
    let left = below(reading.left)?;
    let reading = Reading { left, ..reading };
    let type_code = type_code.without_aliases();
    match (type_code.kind(), json) {
        (TCKind::Any, json) => any(&type_code, json, reading),
        (TCKind::Struct | TCKind::Exception, json) => members(&type_code, json, reading),
        (TCKind::Union, Json::Object(object)) => union::from_json(&type_code, object, reading),
        (TCKind::Sequence | TCKind::Array, Json::Array(items)) => list(&type_code, items, reading),
        _ => leaf(&type_code, json, reading),
    }
}

fn any(type_code: &TypeCode, json: &Json, reading: Reading<'_>) -> Result<Value, Mismatch> {
    let (Some(held), Some(value)) = (json.get(TYPE), json.get(VALUE)) else {
        let found = format!(
            "{}: write an object with \"$type\" and \"$value\"",
            shown(json)
        );
        return Err(Mismatch::of_type(type_code, found));
    };
    let within = |name: &str| Step::Member(name.to_owned());
    let held = names::from_json(held).map_err(|fault| fault.within(within(TYPE)))?;
    let value = match held.is_complete() {
        true => read(&held, value, reading),
        false => Err(Mismatch::of_type(type_code, "a type that is not complete")),
    };
    let value = value.map_err(|fault| fault.within(within(VALUE)))?;
    Ok(Value::Any(Box::new((held, value))))
}

fn members(type_code: &TypeCode, json: &Json, reading: Reading<'_>) -> Result<Value, Mismatch> {
    let Json::Object(object) = json else {
        return Err(Mismatch::of_type(type_code, shown(json)));
    };
    let count = type_code.member_count().unwrap_or_default();
    let names = || (0..count).filter_map(|index| type_code.member_name(index).ok());
    if let Some(name) = object
        .keys()
        .find(|name| names().all(|known| known != *name))
    {
        return Err(unknown(name, names()));
    }
    let mut values = Vec::with_capacity(count);
    for (index, name) in names().enumerate() {
        let Some(json) = object.get(name) else {
            let name = name.to_owned();
            return Err(Mismatch::new(Fault::Missing { name }));
        };
        let member = type_code.member_type(index).unwrap_or_default();
        let value = read(&member, json, reading);
        values.push(value.map_err(|fault| fault.within(Step::Member(name.to_owned())))?);
    }
    Ok(Value::Members(values))
}

/// The fault of a name that is none of these.
pub(crate) fn unknown<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Mismatch {
    let (name, known) = (name.to_owned(), known.map(str::to_owned).collect());
    Mismatch::new(Fault::Unknown { name, known })
}

fn list(type_code: &TypeCode, items: &[Json], reading: Reading<'_>) -> Result<Value, Mismatch> {
    let element = type_code
        .content_type()
        .unwrap_or_default()
        .without_aliases();
    let mut values = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let value = read(&element, item, reading);
        let value = value.map_err(|fault| fault.within(Step::Element(index)))?;
        values.push(value);
    }
    counted(type_code, items.len())?;
    Ok(Value::elements(&element, values))
}

/// Checks that there may be so many elements.
fn counted(type_code: &TypeCode, found: usize) -> Result<(), Mismatch> {
    let expected = type_code.length().unwrap_or_default() as usize;
    let may_be = match type_code.kind() {
        TCKind::Array => found == expected,
        _ => expected == 0 || found <= expected,
    };
    match may_be {
        true => Ok(()),
        false => Err(Mismatch::new(Fault::Length { expected, found })),
    }
}

/// Reads a value that has no parts.
#[inline(never)]
fn leaf(type_code: &TypeCode, json: &Json, reading: Reading<'_>) -> Result<Value, Mismatch> {
    let other = || Mismatch::of_type(type_code, shown(json));
    Ok(match (type_code.kind(), json) {
        (TCKind::Null | TCKind::Void, Json::Null) => Value::Nothing,
        (TCKind::Boolean, Json::Bool(value)) => Value::Boolean(*value),
        (TCKind::Octet, _) => Value::Octet(integer(type_code, json)?),
        (TCKind::Short, _) => Value::Short(integer(type_code, json)?),
        (TCKind::UShort, _) => Value::UShort(integer(type_code, json)?),
        (TCKind::Long, _) => Value::Long(integer(type_code, json)?),
        (TCKind::ULong, _) => Value::ULong(integer(type_code, json)?),
        (TCKind::LongLong, _) => Value::LongLong(integer(type_code, json)?),
        (TCKind::ULongLong, _) => Value::ULongLong(integer(type_code, json)?),
        (TCKind::Float, _) => number::to_float(json).map(Value::Float).ok_or_else(other)?,
        (TCKind::Double, _) => number::to_double(json)
            .map(Value::Double)
            .ok_or_else(other)?,
        (TCKind::LongDouble, _) => {
            let value = number::to_long_double(json);
            value.map(Value::LongDouble).ok_or_else(other)?
        }
        (TCKind::Fixed, Json::String(text)) => fixed(type_code, text).ok_or_else(other)?,
        (TCKind::Fixed, Json::Number(number)) => {
            fixed(type_code, &number.to_string()).ok_or_else(other)?
        }
        (TCKind::Char, Json::String(text)) => {
            let character = one_character(text).and_then(|one| u8::try_from(one).ok());
            Value::Char(character.ok_or_else(other)?)
        }
        (TCKind::WChar, Json::String(text)) => {
            let character = one_character(text).and_then(|one| u16::try_from(u32::from(one)).ok());
            Value::WChar(character.ok_or_else(other)?)
        }
        (TCKind::WChar, Json::Number(_)) => Value::WChar(integer(type_code, json)?),
        (TCKind::String, Json::String(text)) => {
            counted(type_code, text.len())?;
            Value::String(text.clone())
        }
        (TCKind::WString, Json::String(text)) => {
            counted(type_code, text.encode_utf16().count())?;
            Value::WString(text.clone())
        }
        (TCKind::Enum, Json::String(name)) => enumerator(type_code, name)?,
        (TCKind::TypeCode, json) => Value::TypeCode(names::from_json(json)?),
        (TCKind::Sequence | TCKind::Array, Json::String(text)) => octets(type_code, text)?,
        (TCKind::ObjectReference | TCKind::Component | TCKind::Home, json) => {
            Value::Reference(reference(json, reading.resolve)?.ok_or_else(other)?)
        }
        (TCKind::Value | TCKind::ValueBox | TCKind::Event | TCKind::AbstractInterface, json) => {
            Value::Encoded(encoded(type_code, json)?.ok_or_else(other)?)
        }
        (TCKind::Principal, json) => Value::Encoded(encoded(type_code, json)?.ok_or_else(other)?),
        _ => return Err(other()),
    })
}

/// The levels that there may be below one.
pub(crate) fn below(left: u16) -> Result<u16, Mismatch> {
    let too_deep = || Mismatch::new(Fault::TooDeep { limit: MAX_FRAMES });
    left.checked_sub(1).ok_or_else(too_deep)
}

/// Reads an integer: a number, or its digits.
fn integer<T: TryFrom<i128>>(type_code: &TypeCode, json: &Json) -> Result<T, Mismatch> {
    let number = match json {
        Json::Number(number) => number
            .as_i64()
            .map(i128::from)
            .or_else(|| number.as_u64().map(i128::from)),
        Json::String(digits) => digits.parse().ok(),
        _ => None,
    };
    let number = number.ok_or_else(|| Mismatch::of_type(type_code, shown(json)))?;
    T::try_from(number).map_err(|_| {
        let (expected, found) = (type_code.clone(), number.to_string());
        Mismatch::new(Fault::Range { expected, found })
    })
}

fn fixed(type_code: &TypeCode, text: &str) -> Option<Value> {
    let unscaled = number::to_fixed(text, type_code.fixed_scale().ok()?)?;
    let digits = u32::from(type_code.fixed_digits().ok()?);
    (unscaled.unsigned_abs() < 10_u128.pow(digits)).then_some(Value::Fixed(unscaled))
}

fn one_character(text: &str) -> Option<char> {
    let mut characters = text.chars();
    let first = characters.next()?;
    characters.next().is_none().then_some(first)
}

fn enumerator(type_code: &TypeCode, name: &str) -> Result<Value, Mismatch> {
    let count = type_code.member_count().unwrap_or_default();
    let mut names = (0..count).filter_map(|index| type_code.member_name(index).ok());
    match names.clone().position(|known| known == name) {
        Some(ordinal) => Ok(Value::Enum(ordinal as u32)),
        None => Err(unknown(name, names.by_ref())),
    }
}

/// Reads octets in Base64.
fn octets(type_code: &TypeCode, text: &str) -> Result<Value, Mismatch> {
    let element = type_code
        .content_type()
        .unwrap_or_default()
        .without_aliases();
    if element.kind() != TCKind::Octet {
        return Err(Mismatch::of_type(type_code, format!("{text:?}")));
    }
    let octets = encapsulation::octets(text)?;
    counted(type_code, octets.len())?;
    Ok(Value::Elements(Elements::Octets(octets)))
}

/// Reads a reference. None: it is no URL.
fn reference(json: &Json, resolve: Resolver<'_>) -> Result<Option<Ior>, Mismatch> {
    let fault = |text| Mismatch::new(Fault::Text(text));
    match json {
        Json::Null => Ok(Some(Ior::default())),
        Json::String(url)
            if url
                .get(..4)
                .is_some_and(|head| head.eq_ignore_ascii_case("ior:")) =>
        {
            let ior = url.parse::<Ior>();
            ior.map(Some).map_err(|error| fault(error.to_string()))
        }
        Json::String(url) => resolve(url).map(Some).map_err(fault),
        _ => Ok(None),
    }
}

/// Reads a value in encoded form. None: it is none.
fn encoded(type_code: &TypeCode, json: &Json) -> Result<Option<Any>, Mismatch> {
    if json.is_null() {
        let null = match type_code.kind() {
            TCKind::AbstractInterface => Any::with_type(type_code.clone(), &Null(true)),
            TCKind::Principal => return Ok(None),
            _ => Any::with_type(type_code.clone(), &Null(false)),
        };
        return Ok(Some(null?));
    }
    let any: Option<Any> = encapsulation::from_json(json)?;
    match any {
        Some(any) if !any.type_code().equivalent(type_code) => {
            Err(Mismatch::of_type(type_code, any.type_code().to_string()))
        }
        any => Ok(any),
    }
}

/// The null value; whether it is one of an abstract interface.
struct Null(bool);

impl taut_cdr::Encode for Null {
    fn encode(&self, out: &mut taut_cdr::Encoder) -> taut_cdr::Result<()> {
        if self.0 {
            out.write(0_u8);
        }
        out.write(0_u32);
        Ok(())
    }
}

/// Returns what stands there, for people: its beginning.
fn shown(json: &Json) -> String {
    let text = json.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
