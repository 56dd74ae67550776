//! The elements of sequences and arrays of primitives.

use std::borrow::Cow;

use taut_cdr::{Decoder, Encoder, Result};

use super::Value;
use crate::TCKind;

/// Primitives of one type.
macro_rules! elements {
    ($($(#[$doc:meta])* $variant:ident($ty:ty) of $kind:ident;)*) => {
        /// The elements of a sequence or an array of primitives, in one piece.
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum Elements {
            $($(#[$doc])* $variant(Vec<$ty>),)*
        }

        impl Elements {
            /// Returns how many there are.
            pub fn len(&self) -> usize {
                match self {
                    $(Self::$variant(items) => items.len(),)*
                }
            }

            /// Whether there are none.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Returns the kind of the elements' type.
            pub fn kind(&self) -> TCKind {
                match self {
                    $(Self::$variant(_) => TCKind::$kind,)*
                }
            }

            /// Returns a copy of an element. None behind the last.
            pub fn get(&self, index: usize) -> Option<Value> {
                match self {
                    $(Self::$variant(items) => items.get(index).copied().map(Value::$kind),)*
                }
            }

            /// Returns no elements of this kind. None if they are not kept in one piece.
            pub fn empty(kind: TCKind) -> Option<Self> {
                match kind {
                    $(TCKind::$kind => Some(Self::$variant(Vec::new())),)*
                    _ => None,
                }
            }

            /// Appends an element, and tells whether it was of their type.
            pub fn push(&mut self, value: &Value) -> bool {
                match (self, value) {
                    $((Self::$variant(items), Value::$kind(value)) => items.push(*value),)*
                    _ => return false,
                }
                true
            }

            /// Makes them so many: those behind are left out, new ones are zero.
            pub fn resize(&mut self, count: usize) {
                match self {
                    $(Self::$variant(items) => items.resize(count, Default::default()),)*
                }
            }

            /// Puts another in the place of an element, and tells whether there is such a place
            /// and it was of their type.
            pub fn set(&mut self, index: usize, value: &Value) -> bool {
                match (self, value) {
                    $((Self::$variant(items), Value::$kind(value)) => match items.get_mut(index) {
                        Some(item) => *item = *value,
                        None => return false,
                    },)*
                    _ => return false,
                }
                true
            }

            /// Reads as many elements of this kind, and charges them. None if they are not kept in one piece.
            pub(super) fn read(
                kind: TCKind,
                count: usize,
                input: &mut Decoder<'_>,
            ) -> Result<Option<Self>> {
                Ok(Some(match kind {
                    $(TCKind::$kind => {
                        let items = input.read_elements::<$ty>(count)?;
                        if let Cow::Borrowed(items) = &items {
                            input.charge(size_of_val(*items))?;
                        }
                        Self::$variant(items.into_owned())
                    })*
                    _ => return Ok(None),
                }))
            }

            /// Writes them, without their number.
            pub(super) fn write(&self, out: &mut Encoder) {
                match self {
                    $(Self::$variant(items) => out.write_elements(items),)*
                }
            }
        }
    };
}

elements! {
    /// Of `octet`.
    Octets(u8) of Octet;
    /// Of `short`.
    Shorts(i16) of Short;
    /// Of `unsigned short`.
    UShorts(u16) of UShort;
    /// Of `long`.
    Longs(i32) of Long;
    /// Of `unsigned long`.
    ULongs(u32) of ULong;
    /// Of `long long`.
    LongLongs(i64) of LongLong;
    /// Of `unsigned long long`.
    ULongLongs(u64) of ULongLong;
    /// Of `float`.
    Floats(f32) of Float;
    /// Of `double`.
    Doubles(f64) of Double;
}
