//! Types by name, and TypeCodes in JSON.

use std::collections::BTreeSet;

use serde_json::Value as Json;
use taut_types::dynamic::{Fault, Mismatch};
use taut_types::{TCKind, TypeCode};

use crate::encapsulation;

/// The kinds whose name is all that there is to them.
const NAMED: [TCKind; 17] = [
    TCKind::Null,
    TCKind::Void,
    TCKind::Boolean,
    TCKind::Octet,
    TCKind::Char,
    TCKind::WChar,
    TCKind::Short,
    TCKind::UShort,
    TCKind::Long,
    TCKind::ULong,
    TCKind::LongLong,
    TCKind::ULongLong,
    TCKind::Float,
    TCKind::Double,
    TCKind::LongDouble,
    TCKind::Any,
    TCKind::TypeCode,
];

/// Returns the types that are known by their name alone.
fn named() -> impl Iterator<Item = TypeCode> {
    let primitives = NAMED
        .into_iter()
        .filter_map(|kind| TypeCode::primitive(kind).ok());
    primitives.chain([TypeCode::string(0), TypeCode::wstring(0)])
}

/// Whether each of these names of members tells its member, and none is one of the names that
/// this crate's forms have.
pub(crate) fn are_distinct<'n>(names: impl Iterator<Item = &'n str>) -> bool {
    let mut known = BTreeSet::new();
    names
        .into_iter()
        .all(|name| !name.starts_with('$') && known.insert(name))
}

/// Returns the ordinal of the enumerator that a name tells.
pub(crate) fn enumerator(type_code: &TypeCode, name: &str) -> Option<u32> {
    let count = type_code.member_count().ok()?;
    let found = (0..count).position(|index| type_code.member_name(index) == Ok(name));
    found.map(|ordinal| ordinal as u32)
}

/// Returns a TypeCode as JSON.
pub(crate) fn to_json(type_code: &TypeCode) -> Result<Json, Mismatch> {
    match named().find(|known| known == type_code) {
        Some(known) => Ok(known.to_string().into()),
        None => encapsulation::to_json(type_code.name().unwrap_or_default(), type_code),
    }
}

/// Reads a TypeCode.
pub(crate) fn from_json(json: &Json) -> Result<TypeCode, Mismatch> {
    if let Json::String(name) = json {
        let known = named().find(|known| known.to_string() == *name);
        return known.ok_or_else(|| {
            let (name, known) = (name.clone(), named().map(|known| known.to_string()));
            let known = known.collect();
            Mismatch::new(Fault::Unknown { name, known })
        });
    }
    encapsulation::from_json(json)?.ok_or_else(|| {
        let text = "a type is written as its name, such as \"long\", or as an object with \"$cdr\"";
        Mismatch::new(Fault::Text(text.to_owned()))
    })
}
