//! Values of types that are known only while a program runs.
//!
//! A [`Value`] is a tree of Rust data. [`read`] makes one of octets by a TypeCode, [`write()`]
//! turns one into octets again, and says by a [`Path`] where a value does not fit its type.
//! Sequences of primitives are one vector each and move in bulk, and so are those of small structs
//! of these.
//!
//! Values of value types have their members as data ([`State`]). Where a value is met once more,
//! within itself too, a [`Value::Indirection`] leads back to it by its label: the data are a
//! tree, and no circle keeps memory. Values whose state their own code marshals (`custom`) stay in
//! encoded form.

mod default;
mod described;
mod elements;
mod error;
mod fitted;
mod labels;
mod read;
mod read_state;
mod state;
mod struct_layout;
mod structs;
mod write;
mod write_state;

use taut_cdr::LongDouble;
use taut_giop::Ior;

pub use default::DEFAULT_MEMORY;
pub use described::{Described, Key};
pub use elements::Elements;
pub use error::{Fault, Mismatch, Path, Step};
pub use read::{read, read_noting_truncation};
pub use state::{State, StateMember};
pub use structs::Structs;
pub use write::write;

use crate::{Any, TypeCode};

/// A value whose type is known only while the program runs.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// A value that takes no octets: of the type `null` or `void`.
    Nothing,
    /// `boolean`.
    Boolean(bool),
    /// `octet`.
    Octet(u8),
    /// `char`, as one octet of Latin-1.
    Char(u8),
    /// `wchar`, as one unit of UTF-16.
    WChar(u16),
    /// `short`.
    Short(i16),
    /// `unsigned short`.
    UShort(u16),
    /// `long`.
    Long(i32),
    /// `unsigned long`.
    ULong(u32),
    /// `long long`.
    LongLong(i64),
    /// `unsigned long long`.
    ULongLong(u64),
    /// `float`.
    Float(f32),
    /// `double`.
    Double(f64),
    /// `long double`.
    LongDouble(LongDouble),
    /// `fixed`: the digits without the point. The scale is that of the type.
    Fixed(i128),
    /// `string`.
    String(String),
    /// `wstring`.
    WString(String),
    /// The ordinal of an enumerator, from 0.
    Enum(u32),
    /// `TypeCode`.
    TypeCode(TypeCode),
    /// `any`: the type, and the value of that type.
    Any(Box<(TypeCode, Value)>),
    /// A reference to an object, also where an abstract interface stands; the nil one has no
    /// profiles.
    Reference(Ior),
    /// The members of a struct or an exception, in their order.
    Members(Vec<Value>),
    /// A union.
    Union(Box<UnionValue>),
    /// The elements of a sequence or an array that are not kept in one piece.
    List(Vec<Value>),
    /// The elements of a sequence or an array of numbers, of characters, or of structs of these.
    Elements(Elements),
    /// No value: the null of a value type or of an abstract interface.
    Null,
    /// A value of a value type or a value box.
    State(Box<State>),
    /// The same value as the one before that has this label.
    Indirection(u32),
    /// A value that stays in encoded form: one that its own code marshals (`custom`), or a
    /// `Principal`.
    Encoded(Any),
}

impl Value {
    /// The elements of a sequence or an array with elements of this type, in the form in which
    /// they are read: in one piece where it can be. Those that are not of the type become a
    /// [`Value::List`], which is refused with the place when it is written.
    pub fn elements(element: &TypeCode, items: Vec<Self>) -> Self {
        if let Some(mut elements) = Elements::of(element)
            && items.iter().all(|item| elements.push(item))
        {
            return Self::Elements(elements);
        }
        Self::List(items)
    }
}

/// A value of a union.
#[derive(Debug, Clone, PartialEq)]
pub struct UnionValue {
    /// The discriminator as a number: characters by their code, booleans as 0 and 1,
    /// enumerators by their ordinal; the bits of an `unsigned long long`.
    pub label: i64,
    /// The value of the member that the discriminator selects, if it selects one.
    pub member: Option<Value>,
}

#[cfg(test)]
mod struct_tests;
#[cfg(test)]
mod tests;
