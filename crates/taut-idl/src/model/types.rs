//! Types as they are used: in members, parameters, results, constants.

use std::sync::Arc;

use super::DefinitionId;

/// A type where it is used.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Type {
    /// A type without parts.
    Primitive(Primitive),
    /// `string`, with its bound if it has one.
    String {
        /// The most characters that a value may have.
        bound: Option<u32>,
    },
    /// `sequence`, with its bound if it has one.
    Sequence {
        /// The type of each element.
        element: Arc<Type>,
        /// The most elements that a value may have.
        bound: Option<u32>,
    },
    /// An array; several dimensions nest, the first being the outermost.
    Array {
        /// The type of each element.
        element: Arc<Type>,
        /// The number of elements.
        length: u32,
    },
    /// `wstring`, with its bound if it has one.
    WString {
        /// The most characters that a value may have.
        bound: Option<u32>,
    },
    /// `fixed<digits, scale>`.
    Fixed {
        /// The number of decimal digits, 1 to 31.
        digits: u8,
        /// How many of them stand behind the point; at most `digits`.
        scale: u8,
    },
    /// `map`, with its bound if it has one. GIOP has no form for it.
    Map {
        /// The type of each key.
        key: Arc<Type>,
        /// The type of each value.
        value: Arc<Type>,
        /// The most entries that a value may have.
        bound: Option<u32>,
    },
    /// `Object`: a reference to an object of any interface.
    Object,
    /// `any`: a value together with its type.
    Any,
    /// `CORBA::TypeCode`: a description of a type.
    TypeCode,
    /// `ValueBase`: a value of any value type.
    ValueBase,
    /// A struct, union, enum, interface, value type, native type, component,
    /// home or typedef, by its definition.
    Named(DefinitionId),
}

/// A type without parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Primitive {
    /// `boolean`
    Boolean,
    /// `char`: one octet on the wire.
    Char,
    /// `octet`
    Octet,
    /// `int8`: an octet on the wire, but no type code stands for it.
    Int8,
    /// `uint8`: an octet on the wire, but no type code stands for it.
    UInt8,
    /// `short`, and `int16`
    Short,
    /// `unsigned short`, and `uint16`
    UShort,
    /// `long`, and `int32`
    Long,
    /// `unsigned long`, and `uint32`
    ULong,
    /// `long long`, and `int64`
    LongLong,
    /// `unsigned long long`, and `uint64`
    ULongLong,
    /// `float`
    Float,
    /// `double`
    Double,
    /// `long double`: 16 octets on the wire.
    LongDouble,
    /// `wchar`
    WChar,
}

impl Primitive {
    /// The type as IDL writes it, such as `unsigned long`.
    pub const fn idl_name(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Char => "char",
            Self::Octet => "octet",
            Self::Int8 => "int8",
            Self::UInt8 => "uint8",
            Self::Short => "short",
            Self::UShort => "unsigned short",
            Self::Long => "long",
            Self::ULong => "unsigned long",
            Self::LongLong => "long long",
            Self::ULongLong => "unsigned long long",
            Self::Float => "float",
            Self::Double => "double",
            Self::LongDouble => "long double",
            Self::WChar => "wchar",
        }
    }

    /// The smallest unsigned integer of so many bits: what a bit set or bit mask
    /// is on the wire.
    pub fn of_bits(width: u32) -> Self {
        match width {
            0..=8 => Self::Octet,
            9..=16 => Self::UShort,
            17..=32 => Self::ULong,
            _ => Self::ULongLong,
        }
    }
}
