//! The lines of a recording: an object in JSON each.
//!
//! The first has [`RECORDING`]. The others are calls: [`OPERATION`], [`ARGUMENTS`], and how they
//! ended: [`RESULT`], [`EXCEPTION`], or neither.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value as Json, json};
use taut::{ByteOrder, SystemException};
use taut_cdr::Decoder;

/// The version of the format.
pub(crate) const FORMAT: u32 = 1;

pub(crate) const RECORDING: &str = "recording";
pub(crate) const OPERATION: &str = "operation";
pub(crate) const ARGUMENTS: &str = "arguments";
pub(crate) const RESULT: &str = "result";
pub(crate) const EXCEPTION: &str = "exception";
pub(crate) const ONEWAY: &str = "oneway";
pub(crate) const TIME: &str = "time";
pub(crate) const TOOK: &str = "took_us";

/// The object key in Base64, where it is not that of the object that is recorded.
pub(crate) const OBJECT: &str = "object";

/// The octets of a value whose types are not known, in Base64.
pub(crate) const OCTETS: &str = "$octets";

/// Their byte order.
const ORDER: &str = "$byte_order";

/// How far their first octet is from a multiple of 8; left out where it is one.
const OFFSET: &str = "$offset";

/// The name of an exception: its repository id.
pub(crate) const NAME: &str = "$exception";

/// Octets in CDR whose types are not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Octets {
    pub(crate) octets: Vec<u8>,
    pub(crate) order: ByteOrder,
    /// How far the first is from a multiple of 8.
    pub(crate) offset: usize,
}

/// Returns octets in Base64.
pub(crate) fn base64(octets: &[u8]) -> String {
    STANDARD.encode(octets)
}

/// Returns a system exception as a line has it.
pub(crate) fn system_exception(exception: &SystemException) -> Json {
    json!({
        NAME: exception.kind.repository_id(),
        "$minor": exception.minor,
        "$completed": exception.completed.name(),
    })
}

impl Octets {
    /// The octets that are left of a message.
    pub(crate) fn rest_of(input: &Decoder<'_>) -> Self {
        Self {
            octets: input.rest().to_vec(),
            order: input.order(),
            offset: input.position() % 8,
        }
    }

    pub(crate) fn to_json(&self) -> Map<String, Json> {
        let order = match self.order {
            ByteOrder::Big => "big-endian",
            ByteOrder::Little => "little-endian",
        };
        let mut object = Map::new();
        object.insert(OCTETS.to_owned(), base64(&self.octets).into());
        object.insert(ORDER.to_owned(), order.into());
        if self.offset > 0 {
            object.insert(OFFSET.to_owned(), self.offset.into());
        }
        object
    }

    /// Reads octets; none where the JSON holds values that have types.
    ///
    /// # Errors
    ///
    /// When they are malformed.
    pub(crate) fn from_json(json: &Json) -> Result<Option<Self>, String> {
        let Some(octets) = json.get(OCTETS) else {
            return Ok(None);
        };
        let octets = octets.as_str().and_then(|text| STANDARD.decode(text).ok());
        let octets = octets.ok_or_else(|| format!("{OCTETS} is no text in Base64"))?;
        let order = match json.get(ORDER).and_then(Json::as_str) {
            Some("big-endian") => ByteOrder::Big,
            Some("little-endian") => ByteOrder::Little,
            _ => return Err(format!("{ORDER} is neither big-endian nor little-endian")),
        };
        let offset = json.get(OFFSET).cloned().unwrap_or(json!(0)).as_u64();
        let offset = offset.and_then(|offset| usize::try_from(offset).ok());
        let offset = offset.ok_or_else(|| format!("{OFFSET} is no number"))?;
        Ok(Some(Self {
            octets,
            order,
            offset,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octets_are_read_as_they_are_written() {
        for (order, offset) in [(ByteOrder::Big, 0), (ByteOrder::Little, 4)] {
            let octets = Octets {
                octets: vec![0, 255, 7],
                order,
                offset,
            };
            let json = Json::Object(octets.to_json());
            assert_eq!(Octets::from_json(&json), Ok(Some(octets)));
        }
        assert_eq!(Octets::from_json(&json!({"amount": 1})), Ok(None));
        for (json, fault) in [
            (json!({"$octets": 1}), "$octets is no text in Base64"),
            (
                json!({"$octets": "AA=="}),
                "$byte_order is neither big-endian nor little-endian",
            ),
        ] {
            assert_eq!(Octets::from_json(&json).unwrap_err(), fault);
        }
    }
}
