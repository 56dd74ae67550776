//! Rust's values as values of a type, and the other way round.

use super::{Described, Fault, Mismatch, Value};
use crate::{Any, TCKind, TypeCode};

macro_rules! from {
    ($($ty:ty => $variant:ident;)*) => {$(
        impl From<$ty> for Value {
            fn from(value: $ty) -> Self {
                Self::$variant(value.into())
            }
        }
    )*};
}

from! {
    bool => Boolean;
    u8 => Octet;
    i16 => Short;
    u16 => UShort;
    i32 => Long;
    u32 => ULong;
    i64 => LongLong;
    u64 => ULongLong;
    f32 => Float;
    f64 => Double;
    &str => String;
    String => String;
    TypeCode => TypeCode;
}

impl Value {
    /// Returns a number as one of the integer types, characters and enumerators by their number.
    pub fn as_integer(&self) -> Option<i128> {
        Some(match self {
            Self::Boolean(value) => i128::from(*value),
            Self::Octet(value) | Self::Char(value) => (*value).into(),
            Self::WChar(value) | Self::UShort(value) => (*value).into(),
            Self::Short(value) => (*value).into(),
            Self::Long(value) => (*value).into(),
            Self::ULong(value) | Self::Enum(value) => (*value).into(),
            Self::LongLong(value) => (*value).into(),
            Self::ULongLong(value) => (*value).into(),
            _ => return None,
        })
    }

    /// Returns the value as one of this type, if it says the same there: an integer of
    /// another size that is in range, a `double` for a `float`, the name of an enumerator, a
    /// text of the other width. Values of other types are returned as they are.
    ///
    /// # Errors
    ///
    /// [`Fault::Range`] and [`Fault::Unknown`].
    pub fn fitted(self, type_code: &TypeCode) -> Result<Self, Mismatch> {
        let type_code = type_code.without_aliases();
        let range = |found: String| {
            let expected = type_code.clone();
            Mismatch::new(Fault::Range { expected, found })
        };
        macro_rules! number {
            ($number:expr, $variant:ident) => {
                Self::$variant($number.try_into().map_err(|_| range($number.to_string()))?)
            };
        }
        Ok(match (type_code.kind(), self) {
            (TCKind::Enum, Self::String(name)) => enumerator(&type_code, name)?,
            (TCKind::WString, Self::String(text)) => Self::WString(text),
            (TCKind::String, Self::WString(text)) => Self::String(text),
            (TCKind::Float, Self::Double(value)) => {
                let float = value as f32;
                match float.is_finite() == value.is_finite() {
                    true => Self::Float(float),
                    false => return Err(range(value.to_string())),
                }
            }
            (TCKind::Double, Self::Float(value)) => Self::Double(value.into()),
            (
                kind,
                value @ (Self::Octet(_)
                | Self::Short(_)
                | Self::UShort(_)
                | Self::Long(_)
                | Self::ULong(_)
                | Self::LongLong(_)
                | Self::ULongLong(_)),
            ) => {
                let number = value.as_integer().unwrap_or_default();
                match kind {
                    TCKind::Octet => number!(number, Octet),
                    TCKind::Short => number!(number, Short),
                    TCKind::UShort => number!(number, UShort),
                    TCKind::Long => number!(number, Long),
                    TCKind::ULong => number!(number, ULong),
                    TCKind::LongLong => number!(number, LongLong),
                    TCKind::ULongLong => number!(number, ULongLong),
                    _ => value,
                }
            }
            (_, value) => value,
        })
    }

    /// Returns an Any that holds the value.
    ///
    /// # Errors
    ///
    /// When the value is not of the type, with the place in it.
    pub fn to_any(&self, type_code: &TypeCode) -> Result<Any, Mismatch> {
        Any::holding(type_code.clone(), |out| super::write(type_code, self, out))
    }
}

fn enumerator(type_code: &TypeCode, name: String) -> Result<Value, Mismatch> {
    let count = type_code.member_count().unwrap_or_default();
    let mut known = (0..count).filter_map(|index| type_code.member_name(index).ok());
    match known.clone().position(|known| known == name) {
        Some(ordinal) => Ok(Value::Enum(ordinal as u32)),
        None => {
            let known = known.by_ref().map(str::to_owned).collect();
            Err(Mismatch::new(Fault::Unknown { name, known }))
        }
    }
}

macro_rules! try_from_integer {
    ($($ty:ty: $name:literal;)*) => {$(
        /// Of any integer, enumerator or character whose number is in range.
        impl TryFrom<&Described> for $ty {
            type Error = Mismatch;

            fn try_from(value: &Described) -> Result<Self, Mismatch> {
                let number = value.as_integer();
                let number = number.ok_or_else(|| value.is_no($name))?;
                number.try_into().map_err(|_| {
                    let (expected, found) = (value.type_code().clone(), number.to_string());
                    let text = format!("{found} of the type {} is beyond {}", expected.declared(), $name);
                    Mismatch::new(Fault::Text(text))
                })
            }
        }
    )*};
}

try_from_integer! {
    u8: "u8";
    i16: "i16";
    u16: "u16";
    i32: "i32";
    u32: "u32";
    i64: "i64";
    u64: "u64";
    i128: "i128";
}

macro_rules! try_from {
    ($($(#[$doc:meta])* $ty:ty: $name:literal, $as:ident;)*) => {$(
        $(#[$doc])*
        impl TryFrom<&Described> for $ty {
            type Error = Mismatch;

            fn try_from(value: &Described) -> Result<Self, Mismatch> {
                value.$as().map(Into::into).ok_or_else(|| value.is_no($name))
            }
        }
    )*};
}

try_from! {
    /// Of `boolean`.
    bool: "bool", as_bool;
    /// Of `float`, `double`, and integers of up to 53 bits.
    f64: "f64", as_f64;
    /// Of `string`, `wstring`, and the names of enumerators.
    String: "String", as_str;
}

impl Described {
    /// Returns an integer, the number of an enumerator or of a character.
    pub fn as_integer(&self) -> Option<i128> {
        self.as_leaf()?.as_integer()
    }

    /// Returns an integer that fits.
    pub fn as_i64(&self) -> Option<i64> {
        self.as_integer()?.try_into().ok()
    }

    /// Returns an integer that fits.
    pub fn as_u64(&self) -> Option<u64> {
        self.as_integer()?.try_into().ok()
    }

    /// Returns a floating point number, or an integer of up to 53 bits.
    pub fn as_f64(&self) -> Option<f64> {
        match self.as_leaf()? {
            Value::Float(value) => Some((*value).into()),
            Value::Double(value) => Some(*value),
            other => {
                let number = other.as_integer()?;
                (number.unsigned_abs() <= 1 << 53).then_some(number as f64)
            }
        }
    }

    /// Returns a boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self.as_leaf()? {
            Value::Boolean(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns a text, or the name of an enumerator.
    pub fn as_str(&self) -> Option<&str> {
        match self.as_leaf()? {
            Value::String(text) | Value::WString(text) => Some(text),
            Value::Enum(ordinal) => self.seen_through().type_code().enumerator_name(*ordinal),
            _ => None,
        }
    }

    fn is_no(&self, name: &str) -> Mismatch {
        let of = self.type_code().declared();
        Mismatch::new(Fault::Text(format!(
            "a value of the type {of} is no {name}"
        )))
    }
}
