//! Unions: the member's name tells most discriminators.

use serde_json::{Map, Value as Json};
use taut_types::dynamic::{Fault, Mismatch, Step, UnionValue, Value};
use taut_types::{TCKind, TypeCode};

use crate::DISCRIMINATOR;
use crate::read::{Reading, read, unknown};
use crate::write::write;

/// A case of a union.
struct Case {
    name: String,
    /// None: the default case.
    label: Option<i64>,
    type_code: TypeCode,
}

/// Returns the cases in their order.
fn cases(union: &TypeCode) -> Vec<Case> {
    let count = union.member_count().unwrap_or_default();
    let case = |index| {
        Some(Case {
            name: union.member_name(index).ok()?.to_owned(),
            label: union.member_label(index).ok()?.map(|label| label as i64),
            type_code: union.member_type(index).ok()?,
        })
    };
    (0..count).filter_map(case).collect()
}

/// Returns the case that a discriminator selects.
fn selected(cases: &[Case], label: i64) -> Option<&Case> {
    let explicit = cases.iter().find(|case| case.label == Some(label));
    explicit.or_else(|| cases.iter().find(|case| case.label.is_none()))
}

/// Returns the discriminator that a member is written with if nothing else is said.
fn label_of(cases: &[Case], name: &str) -> Option<i64> {
    let mut named = cases.iter().filter(|case| case.name == name);
    named.find_map(|case| case.label)
}

pub(crate) fn to_json(union: &TypeCode, value: &UnionValue, left: u16) -> Result<Json, Mismatch> {
    let cases = cases(union);
    let mut object = Map::new();
    let case = selected(&cases, value.label);
    let is_told = case.is_some_and(|case| label_of(&cases, &case.name) == Some(value.label));
    if !is_told {
        let discriminator = union.discriminator_type().unwrap_or_default();
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

pub(crate) fn from_json(
    union: &TypeCode,
    object: &Map<String, Json>,
    reading: Reading<'_>,
) -> Result<Value, Mismatch> {
    let cases = cases(union);
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
        (Some(label), _) => label_from_json(union, label, reading)
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
