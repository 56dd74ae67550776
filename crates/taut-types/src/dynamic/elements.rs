//! The elements of sequences and arrays of primitives, and of structs of these.

use std::borrow::Cow;

use taut_cdr::{Decoder, Encoder, Result};

use super::{Structs, Value};
use crate::{TCKind, TypeCode};

/// Primitives of one type.
macro_rules! elements {
    ($($(#[$doc:meta])* $variant:ident($ty:ty) of $kind:ident;)*) => {
        /// The elements of a sequence or an array of primitives, or of structs of these, in one
        /// piece.
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum Elements {
            $($(#[$doc])* $variant(Vec<$ty>),)*
            /// Of a struct.
            Structs(Structs),
        }

        impl Elements {
            /// Returns how many there are.
            pub fn len(&self) -> usize {
                match self {
                    $(Self::$variant(items) => items.len(),)*
                    Self::Structs(items) => items.len(),
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
                    Self::Structs(_) => TCKind::Struct,
                }
            }

            /// Returns a copy of an element. None behind the last.
            pub fn get(&self, index: usize) -> Option<Value> {
                match self {
                    $(Self::$variant(items) => items.get(index).copied().map(Value::$kind),)*
                    Self::Structs(items) => items.get(index),
                }
            }

            /// Returns no elements of this type. None if they are not kept in one piece.
            pub fn of(element: &TypeCode) -> Option<Self> {
                match element.without_aliases().kind() {
                    TCKind::Struct => Structs::of(element).map(Self::Structs),
                    kind => Self::empty(kind),
                }
            }

            /// Returns no elements of this kind. None if they are not kept in one piece, or if it
            /// does not say all about them: [`of`](Self::of).
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
                    (Self::Structs(items), value) => return items.push(value),
                    _ => return false,
                }
                true
            }

            /// Returns the most octets that one of them takes in memory.
            pub(crate) fn size_of_one(&self) -> usize {
                match self {
                    Self::Structs(items) => items.size_of_one(),
                    _ => size_of::<u64>(),
                }
            }

            /// Makes them so many: those behind are left out, new ones are zero.
            pub fn resize(&mut self, count: usize) {
                match self {
                    $(Self::$variant(items) => items.resize(count, Default::default()),)*
                    Self::Structs(items) => items.resize(count),
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
                    (Self::Structs(items), value) => return items.set(index, value),
                    _ => return false,
                }
                true
            }

            /// Reads as many elements of this type, which has no aliases, and charges them. None if
            /// they are not kept in one piece.
            pub(super) fn read(
                element: &TypeCode,
                count: usize,
                input: &mut Decoder<'_>,
            ) -> Result<Option<Self>> {
                Ok(Some(match element.kind() {
                    $(TCKind::$kind => {
                        let items = input.read_elements::<$ty>(count)?;
                        if let Cow::Borrowed(items) = &items {
                            input.charge(size_of_val(*items))?;
                        }
                        Self::$variant(items.into_owned())
                    })*
                    TCKind::Struct => {
                        return Ok(Structs::read(element, count, input)?.map(Self::Structs));
                    }
                    _ => return Ok(None),
                }))
            }

            /// Whether they are of this type, which has no aliases.
            pub(super) fn fit(&self, element: &TypeCode) -> bool {
                match self {
                    Self::Structs(items) => items.fit(element),
                    _ => element.kind() == self.kind(),
                }
            }

            /// Writes them, without their number.
            pub(super) fn write(&self, out: &mut Encoder) {
                match self {
                    $(Self::$variant(items) => out.write_elements(items),)*
                    Self::Structs(items) => items.write(out),
                }
            }
        }
    };
}

elements! {
    /// Of `octet`.
    Octets(u8) of Octet;
    /// Of `char`, as octets of Latin-1.
    Chars(u8) of Char;
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
