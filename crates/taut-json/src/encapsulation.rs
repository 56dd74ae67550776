//! Values that have no better form than their octets: encapsulations in Base64.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value as Json};
use taut_cdr::{ByteOrder, Decode, Decoder, Encode, Encoder};
use taut_types::dynamic::{Fault, Mismatch};

use crate::{CDR, NAME};

/// Returns an object with the octets of a value, and a name for people.
pub(crate) fn to_json(name: &str, value: &impl Encode) -> Result<Json, Mismatch> {
    // The same on all machines.
    let mut out = Encoder::new(ByteOrder::Little);
    out.write(ByteOrder::Little.flag());
    value.encode(&mut out)?;
    let mut object = Map::new();
    if !name.is_empty() {
        object.insert(NAME.to_owned(), name.into());
    }
    object.insert(CDR.to_owned(), STANDARD.encode(out.as_bytes()).into());
    Ok(Json::Object(object))
}

/// Reads such an object. None: it is none.
pub(crate) fn from_json<T: for<'m> Decode<'m>>(json: &Json) -> Result<Option<T>, Mismatch> {
    let Some(Json::String(text)) = json.get(CDR) else {
        return Ok(None);
    };
    let octets = octets(text)?;
    let mut input = Decoder::encapsulated(&octets)?;
    let value = T::decode(&mut input)?;
    match input.remaining() {
        0 => Ok(Some(value)),
        more => {
            let text = format!("{more} octets too many in {CDR}");
            Err(Mismatch::new(Fault::Text(text)))
        }
    }
}

/// Reads octets in Base64.
pub(crate) fn octets(text: &str) -> Result<Vec<u8>, Mismatch> {
    let octets = STANDARD.decode(text);
    octets.map_err(|error| Mismatch::new(Fault::Text(format!("it is not in Base64: {error}"))))
}

/// Writes octets in Base64.
pub(crate) fn text(octets: &[u8]) -> String {
    STANDARD.encode(octets)
}
