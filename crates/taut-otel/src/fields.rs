//! The fields of a trace as octets: the content of the service context.

use std::fmt;

use opentelemetry::propagation::{Extractor, Injector};
use taut_cdr::{ByteOrder, Decoder, Encoder, Error, Result as CdrResult};

/// The id of the service context in which a request carries its trace: `0x54550001`, *Taut
/// trace context*.
///
/// The content is an encapsulation (CORBA 3.3 part 2, 9.3.3) of a `Fields`:
///
/// ```idl
/// struct Field {
///     string name;
///     string value;
/// };
/// typedef sequence<Field> Fields;
/// ```
///
/// Names and values are those of HTTP headers of the same purpose, in printable ASCII, the
/// names in lower case: `traceparent` and `tracestate` as in W3C Trace Context. A receiver
/// passes over fields that it does not know, and over octets behind the last field.
pub const TRACE_CONTEXT: u32 = taut_giop::service_context::id::TAUT_TRACE_CONTEXT;

/// Bounds of what is taken from a peer, and of what is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldLimits {
    /// The most fields. 16 unless set otherwise.
    pub max_fields: usize,
    /// The most octets of the service context. 8,192 unless set otherwise.
    pub max_octets: usize,
}

impl Default for FieldLimits {
    fn default() -> Self {
        Self {
            max_fields: 16,
            max_octets: 8192,
        }
    }
}

/// The fields that a propagator writes and reads: names, each with a value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fields(Vec<(String, String)>);

/// The reason why octets are no fields, or fields are not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldsError {
    /// The octets are not what [`TRACE_CONTEXT`] describes.
    Malformed(Error),
    /// A name or value has characters other than printable ASCII.
    NotAscii {
        /// The index of the field.
        index: usize,
    },
    /// There are more fields than [`FieldLimits::max_fields`].
    TooMany {
        /// The number of fields.
        fields: usize,
        /// The limit.
        limit: usize,
    },
    /// There are more octets than [`FieldLimits::max_octets`].
    TooLong {
        /// The number of octets.
        octets: usize,
        /// The limit.
        limit: usize,
    },
}

impl Fields {
    /// Makes a list without fields.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The fields, in the order in which they were set or received.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (&**name, &**value))
    }

    /// Returns the content of a service context with these fields, in this machine's byte
    /// order.
    ///
    /// # Errors
    ///
    /// [`FieldsError::NotAscii`], [`FieldsError::TooMany`] and [`FieldsError::TooLong`].
    pub fn encode(&self, limits: &FieldLimits) -> Result<Vec<u8>, FieldsError> {
        self.encode_in(ByteOrder::NATIVE, limits)
    }

    /// Returns the content of a service context with these fields, in this byte order.
    ///
    /// # Errors
    ///
    /// Those of [`encode`](Self::encode).
    pub fn encode_in(
        &self,
        order: ByteOrder,
        limits: &FieldLimits,
    ) -> Result<Vec<u8>, FieldsError> {
        check_count(self.0.len(), limits)?;
        for (index, (name, value)) in self.0.iter().enumerate() {
            if !is_printable(name.as_bytes()) || !is_printable(value.as_bytes()) {
                return Err(FieldsError::NotAscii { index });
            }
        }
        let mut out = Encoder::new(order);
        self.write(&mut out).map_err(FieldsError::Malformed)?;
        let octets = out.into_buffer();
        check_length(octets.len(), limits)?;
        Ok(octets)
    }

    fn write(&self, out: &mut Encoder) -> CdrResult<()> {
        out.write(out.order().flag());
        out.write_length(self.0.len())?;
        for text in self.0.iter().flat_map(|(name, value)| [name, value]) {
            out.write_length(text.len() + 1)?;
            out.write_bytes(text.as_bytes());
            out.write(0_u8);
        }
        Ok(())
    }

    /// Reads the content of a service context. Names come in lower case. Of fields with the
    /// same name, all are there, and [`Extractor::get`] finds the first.
    ///
    /// # Errors
    ///
    /// All of [`FieldsError`].
    pub fn decode(octets: &[u8], limits: &FieldLimits) -> Result<Self, FieldsError> {
        check_length(octets.len(), limits)?;
        let mut input = Decoder::encapsulated(octets).map_err(FieldsError::Malformed)?;
        // A field has two strings, each with a length, which may be 0 where a peer says so.
        let count = input.read_count(8).map_err(FieldsError::Malformed)?;
        check_count(count, limits)?;
        let mut fields = Vec::with_capacity(count);
        for index in 0..count {
            let mut text = || {
                let octets = input.read_string_octets().map_err(FieldsError::Malformed)?;
                match std::str::from_utf8(octets) {
                    Ok(text) if is_printable(octets) => Ok(text),
                    _ => Err(FieldsError::NotAscii { index }),
                }
            };
            let name = text()?.to_ascii_lowercase();
            fields.push((name, text()?.to_owned()));
        }
        Ok(Self(fields))
    }
}

fn check_count(fields: usize, limits: &FieldLimits) -> Result<(), FieldsError> {
    let limit = limits.max_fields;
    match fields > limit {
        true => Err(FieldsError::TooMany { fields, limit }),
        false => Ok(()),
    }
}

fn check_length(octets: usize, limits: &FieldLimits) -> Result<(), FieldsError> {
    let limit = limits.max_octets;
    match octets > limit {
        true => Err(FieldsError::TooLong { octets, limit }),
        false => Ok(()),
    }
}

/// Whether all are printable ASCII, spaces among them, or tabs.
fn is_printable(text: &[u8]) -> bool {
    text.iter()
        .all(|octet| matches!(octet, b'\t' | b' '..=b'~'))
}

impl Injector for Fields {
    /// Sets a field in place of one with the same name. A value without text is no field.
    fn set(&mut self, key: &str, value: String) {
        let name = key.to_ascii_lowercase();
        self.0.retain(|(other, _)| *other != name);
        if !value.is_empty() {
            self.0.push((name, value));
        }
    }
}

impl Extractor for Fields {
    fn get(&self, key: &str) -> Option<&str> {
        let mut named = self
            .iter()
            .filter(|(name, _)| name.eq_ignore_ascii_case(key));
        named.next().map(|(_, value)| value)
    }

    fn keys(&self) -> Vec<&str> {
        self.iter().map(|(name, _)| name).collect()
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Fields {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(fields: I) -> Self {
        let mut list = Self::new();
        for (name, value) in fields {
            list.set(&name.into(), value.into());
        }
        list
    }
}

impl fmt::Display for FieldsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(error) => write!(f, "not a sequence of fields: {error}"),
            Self::NotAscii { index } => write!(
                f,
                "field {index} has characters other than printable ASCII; they have to be \
                 percent-encoded"
            ),
            Self::TooMany { fields, limit } => {
                write!(f, "{fields} fields, more than max_fields, which is {limit}")
            }
            Self::TooLong { octets, limit } => {
                write!(f, "{octets} octets, more than max_octets, which is {limit}")
            }
        }
    }
}

impl std::error::Error for FieldsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Malformed(error) => Some(error),
            _ => None,
        }
    }
}
