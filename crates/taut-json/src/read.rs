//! From JSON to values.

use serde_json::{Map, Value as Json};
use taut_giop::Ior;
use taut_types::dynamic::{Elements, Fault, Mismatch, State, StateMember, Step, UnionValue, Value};
use taut_types::engine::MAX_FRAMES;
use taut_types::{Any, TCKind, TypeCode};

use crate::below::below;
use crate::union::{cases, label_of, selected};
use crate::{CDR, DISCRIMINATOR, ID, MEMBERS, REF, TYPE, VALUE, encapsulation, names, number};

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
struct Reading<'r> {
    resolve: Resolver<'r>,
    /// The levels that there may still be.
    left: u16,
}

/// Reads a value. Small, for it calls itself for each level of the value.
fn read(type_code: &TypeCode, json: &Json, reading: Reading<'_>) -> Result<Value, Mismatch> {
    let left = below(reading.left)?;
    let reading = Reading { left, ..reading };
    let type_code = type_code.without_aliases();
    match (type_code.kind(), json) {
        (TCKind::Any, json) => any(&type_code, json, reading),
        (TCKind::Struct | TCKind::Exception, json) => members(&type_code, json, reading),
        (TCKind::Union, Json::Object(object)) => union(&type_code, object, reading),
        (TCKind::Sequence | TCKind::Array, Json::Array(items)) => list(&type_code, items, reading),
        (TCKind::AbstractInterface, Json::String(_)) => leaf(&type_code, json, reading),
        (TCKind::Value | TCKind::ValueBox | TCKind::Event | TCKind::AbstractInterface, json)
            if json.get(CDR).is_none() =>
        {
            state(&type_code, json, reading)
        }
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
    let count = type_code.member_count().unwrap_or_default();
    let names = || (0..count).filter_map(|index| type_code.member_name(index).ok());
    let object = match json {
        Json::Object(object) => object,
        Json::Array(items) if items.len() == count && !names::are_distinct(names()) => {
            let of = |(index, json): (usize, &Json)| {
                let member = type_code.member_type(index).unwrap_or_default();
                read(&member, json, reading).map_err(|fault| fault.within(Step::Element(index)))
            };
            let values = items.iter().enumerate().map(of);
            return values.collect::<Result<_, _>>().map(Value::Members);
        }
        _ => return Err(Mismatch::of_type(type_code, shown(json))),
    };
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
fn unknown<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Mismatch {
    let (name, known) = (name.to_owned(), known.map(str::to_owned).collect());
    Mismatch::new(Fault::Unknown { name, known })
}

fn union(
    type_code: &TypeCode,
    object: &Map<String, Json>,
    reading: Reading<'_>,
) -> Result<Value, Mismatch> {
    let cases = cases(type_code);
    let mut members = object.iter().filter(|(name, _)| *name != DISCRIMINATOR);
    let member = members.next();
    if let Some((second, _)) = members.next() {
        let text = format!("a union has one member, and `{second}` is another");
        return Err(Mismatch::new(Fault::Text(text)));
    }
    if let Some((name, _)) = member
        && cases.iter().all(|case| case.name != *name)
    {
        return Err(unknown(name, cases.iter().map(|case| &*case.name)));
    }
    let label = match (object.get(DISCRIMINATOR), member) {
        (Some(label), _) => label_from_json(type_code, label, reading)
            .map_err(|fault| fault.within(Step::Member(DISCRIMINATOR.to_owned())))?,
        (None, Some((name, _))) => label_of(&cases, name).ok_or_else(|| {
            let text = format!("`{name}` is the default case: write `{DISCRIMINATOR}` too");
            Mismatch::new(Fault::Text(text))
        })?,
        (None, None) => {
            let name = DISCRIMINATOR.to_owned();
            return Err(Mismatch::new(Fault::Missing { name }));
        }
    };
    let member = match (selected(&cases, label), member) {
        (Some(case), Some((name, json))) if case.name == *name => {
            let member = read(&case.type_code, json, reading);
            Some(member.map_err(|fault| fault.within(Step::Member(name.clone())))?)
        }
        (None, None) => None,
        (Some(case), None) => {
            let name = case.name.clone();
            return Err(Mismatch::new(Fault::Missing { name }));
        }
        _ => return Err(Mismatch::new(Fault::Discriminator { label })),
    };
    Ok(Value::Union(Box::new(UnionValue { label, member })))
}

fn label_from_json(union: &TypeCode, json: &Json, reading: Reading<'_>) -> Result<i64, Mismatch> {
    let discriminator = union.discriminator_type().unwrap_or_default();
    let label = read(&discriminator, json, reading)?;
    Ok(match label {
        Value::Boolean(label) => label.into(),
        Value::Octet(label) | Value::Char(label) => label.into(),
        Value::WChar(label) | Value::UShort(label) => label.into(),
        Value::Short(label) => label.into(),
        Value::Long(label) => label.into(),
        Value::ULong(label) | Value::Enum(label) => label.into(),
        Value::LongLong(label) => label,
        Value::ULongLong(label) => label as i64,
        _ => return Err(Mismatch::of_type(&discriminator, json.to_string())),
    })
}

/// Reads a value of a value type, null, or what leads to one before. It has few variables, for
/// it calls itself for each level of the value.
fn state(declared: &TypeCode, json: &Json, reading: Reading<'_>) -> Result<Value, Mismatch> {
    if let Some(other) = null_or_ref(declared, json)? {
        return Ok(other);
    }
    let mut state = empty_state(declared, json)?;
    let members = state_members(&state.type_code, json)?;
    state.members.reserve_exact(members.len());
    for (member, json) in &members {
        let value = read(&member.type_code, json, reading);
        let value = value.map_err(|fault| fault.within(Step::Member(member.name.clone())));
        state.members.push(value?);
    }
    Ok(Value::State(state))
}

/// Reads null, or what leads to a value before. None: it is a value.
#[inline(never)]
fn null_or_ref(declared: &TypeCode, json: &Json) -> Result<Option<Value>, Mismatch> {
    match json {
        Json::Null => Ok(Some(Value::Null)),
        Json::Object(object) => match object.get(REF) {
            Some(label) => number_of(label, REF).map(Value::Indirection).map(Some),
            None => Ok(None),
        },
        _ => Err(Mismatch::of_type(declared, shown(json))),
    }
}

/// Reads a value's type and number, not yet its members.
#[inline(never)]
fn empty_state(declared: &TypeCode, json: &Json) -> Result<Box<State>, Mismatch> {
    let within = |fault: Mismatch| fault.within(Step::Member(TYPE.to_owned()));
    let type_code = match json.get(TYPE) {
        Some(own) => names::from_json(own).map_err(within)?,
        None => declared.clone(),
    };
    if !type_code.is_complete() || type_code.state_members().is_err() {
        let found = format!("{}: write its \"{TYPE}\" too", shown(json));
        return Err(Mismatch::of_type(declared, found));
    }
    let label = json.get(ID).map(|label| number_of(label, ID)).transpose()?;
    Ok(Box::new(State {
        type_code,
        label,
        members: Vec::new(),
    }))
}

/// Returns the members of a value's type with what stands for each.
#[inline(never)]
fn state_members<'j>(
    type_code: &TypeCode,
    json: &'j Json,
) -> Result<Vec<(StateMember, &'j Json)>, Mismatch> {
    let members = type_code.state_members();
    let mut members = members.map_err(|error| Mismatch::of_type(type_code, error.to_string()))?;
    if type_code.without_aliases().kind() == TCKind::ValueBox {
        VALUE.clone_into(&mut members[0].name);
    } else if let Some(items) = json.get(MEMBERS).and_then(Json::as_array)
        && !names::are_distinct(members.iter().map(|member| &*member.name))
    {
        return match (members.len(), items.len()) {
            (expected, found) if expected != found => {
                Err(Mismatch::new(Fault::Length { expected, found }))
            }
            _ => Ok(members.into_iter().zip(items).collect()),
        };
    }
    let is_known =
        |name: &str| name == TYPE || name == ID || members.iter().any(|member| member.name == name);
    let mut keys = json.as_object().into_iter().flat_map(Map::keys);
    if let Some(name) = keys.find(|name| !is_known(name)) {
        return Err(unknown(name, members.iter().map(|member| &*member.name)));
    }
    let each = members
        .into_iter()
        .map(|member| match json.get(&member.name) {
            Some(json) => Ok((member, json)),
            None => Err(Mismatch::new(Fault::Missing { name: member.name })),
        });
    each.collect()
}

/// Reads the number of a value that other places lead to.
fn number_of(json: &Json, name: &str) -> Result<u32, Mismatch> {
    let number = json.as_u64().and_then(|number| u32::try_from(number).ok());
    number.ok_or_else(|| {
        let text = format!(
            "{name} is a number up to {}, found {}",
            u32::MAX,
            shown(json)
        );
        Mismatch::new(Fault::Text(text))
    })
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
            counted(type_code, text.chars().count())?;
            Value::String(text.clone())
        }
        (TCKind::WString, Json::String(text)) => {
            counted(type_code, text.encode_utf16().count())?;
            Value::WString(text.clone())
        }
        (TCKind::Enum, Json::String(name)) => enumerator(type_code, name)?,
        (TCKind::Enum, Json::Number(_)) => nameless(type_code, json).ok_or_else(other)?,
        (TCKind::TypeCode, json) => Value::TypeCode(names::from_json(json)?),
        (TCKind::Sequence | TCKind::Array, Json::String(text)) => octets(type_code, text)?,
        (TCKind::ObjectReference | TCKind::Component | TCKind::Home, json)
        | (TCKind::AbstractInterface, json @ Json::String(_)) => {
            Value::Reference(reference(json, reading.resolve)?.ok_or_else(other)?)
        }
        (TCKind::Value | TCKind::ValueBox | TCKind::Event | TCKind::AbstractInterface, json) => {
            Value::Encoded(encoded(type_code, json)?.ok_or_else(other)?)
        }
        (TCKind::Principal, json) => Value::Encoded(encoded(type_code, json)?.ok_or_else(other)?),
        _ => return Err(other()),
    })
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
    let ordinal = names::enumerator(type_code, name);
    ordinal.map(Value::Enum).ok_or_else(|| {
        let count = type_code.member_count().unwrap_or_default();
        unknown(
            name,
            (0..count).filter_map(|index| type_code.member_name(index).ok()),
        )
    })
}

/// Reads the ordinal of an enumerator that its name does not tell.
fn nameless(type_code: &TypeCode, json: &Json) -> Option<Value> {
    let ordinal = u32::try_from(json.as_u64()?).ok()?;
    let name = type_code.member_name(ordinal as usize).ok()?;
    let is_told = names::enumerator(type_code, name) == Some(ordinal);
    (!is_told).then_some(Value::Enum(ordinal))
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
    let any: Option<Any> = encapsulation::from_json(json)?;
    match any {
        Some(any) if !any.type_code().equivalent(type_code) => {
            Err(Mismatch::of_type(type_code, any.type_code().to_string()))
        }
        any => Ok(any),
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
