//! Anys as JSON.

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::Value as Json;
use taut_cdr::MemoryLimit;
use taut_types::dynamic::{Mismatch, Value};
use taut_types::{Any, TCKind, TypeCode};

use crate::{from_json, to_json};

/// The memory that the parts of a value may take that is shown.
const MEMORY: MemoryLimit = MemoryLimit {
    per_octet: 64,
    extra: 64 << 10,
};

/// Shows an Any as JSON: `{"$type": …, "$value": …}`.
///
/// # Errors
///
/// When the value is malformed, nests too deeply, or its parts take more memory than 64 times
/// its octets and 64 KiB.
pub fn any_to_json(any: &Any) -> Result<Json, Mismatch> {
    let value = Value::from_any(any, MEMORY)?;
    let held = Value::Any(Box::new((any.type_code().clone(), value)));
    to_json(&of_any()?, &held)
}

/// Reads an Any from JSON.
///
/// # Errors
///
/// Those of [`from_json`], and when the value has no form in octets.
pub fn any_from_json(json: &Json) -> Result<Any, Mismatch> {
    match from_json(&of_any()?, json)? {
        Value::Any(held) => held.1.to_any(&held.0),
        _ => Err(Mismatch::of_type(&of_any()?, "another value")),
    }
}

/// Serializes an Any as [`any_to_json`] shows it: for `#[serde(with = "taut_json")]`.
///
/// # Errors
///
/// Those of [`any_to_json`] and of the serializer.
pub fn serialize<S: Serializer>(any: &Any, serializer: S) -> Result<S::Ok, S::Error> {
    any_to_json(any)
        .map_err(S::Error::custom)?
        .serialize(serializer)
}

/// Deserializes an Any, as [`any_from_json`] reads it.
///
/// # Errors
///
/// Those of [`any_from_json`] and of the deserializer.
pub fn deserialize<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Any, D::Error> {
    let json = Json::deserialize(deserializer)?;
    any_from_json(&json).map_err(D::Error::custom)
}

fn of_any() -> Result<TypeCode, Mismatch> {
    TypeCode::primitive(TCKind::Any).map_err(|error| {
        let text = error.to_string();
        Mismatch::new(taut_types::dynamic::Fault::Text(text))
    })
}
