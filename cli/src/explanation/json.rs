//! Explanations for programs.

use std::borrow::Cow;

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use taut_explain::{Content, Fact, Tagged, Value};

use crate::hex;

/// Facts as an object, in their order.
pub(super) struct Facts<'a>(pub(super) &'a [Fact]);

struct Shown<'a>(&'a Value);

impl Serialize for Facts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for fact in self.0 {
            match &fact.name {
                Cow::Borrowed(words) => {
                    let key = words.to_lowercase().replace(' ', "_");
                    map.serialize_entry(&key, &Shown(&fact.value))?;
                }
                // Names that IDL gives stay as they are.
                Cow::Owned(name) => map.serialize_entry(name, &Shown(&fact.value))?,
            }
        }
        map.end()
    }
}

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Text(text) | Value::String(text) | Value::Fault(text) => {
                serializer.serialize_str(text)
            }
            Value::Number(number) => serializer.serialize_u64(*number),
            Value::Signed(number) => serializer.serialize_i64(*number),
            Value::Boolean(value) => serializer.serialize_bool(*value),
            Value::Octets(octets) => serializer.serialize_str(&hex::digits(octets)),
            Value::Code { number, name } => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("number", number)?;
                map.serialize_entry("name", name)?;
                map.end()
            }
            Value::Options { bits, names } => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("bits", bits)?;
                map.serialize_entry("names", names)?;
                map.end()
            }
            Value::List(values) => {
                let mut list = serializer.serialize_seq(Some(values.len()))?;
                for value in values {
                    list.serialize_element(&Shown(value))?;
                }
                list.end()
            }
            Value::Facts(facts) => Facts(facts).serialize(serializer),
            Value::Tagged(tagged) => serialize_tagged(tagged, serializer),
            // Kinds of values that this version has not learnt to show.
            _ => serializer.serialize_none(),
        }
    }
}

/// `content` when the data are understood, else `data`, with `error` when they
/// are malformed.
fn serialize_tagged<S: Serializer>(tagged: &Tagged, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry("tag", &tagged.tag)?;
    map.serialize_entry("name", &tagged.name)?;
    match &tagged.content {
        Content::Known(facts) => map.serialize_entry("content", &Facts(facts))?,
        Content::Unknown => map.serialize_entry("data", &hex::digits(&tagged.data))?,
        Content::Malformed(error) => {
            map.serialize_entry("data", &hex::digits(&tagged.data))?;
            map.serialize_entry("error", &error.to_string())?;
        }
    }
    map.end()
}
