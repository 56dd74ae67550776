//! The records of definitions: what a repository keeps, and the octets of it in a store.
//!
//! A record names others by their keys, and is CDR in the store.

use taut::Any;
use taut::codegen::{CdrResult, Decode, Decoder, Encode, Encoder};
use taut_cdr::ErrorKind;

use crate::PrimitiveKind;

/// The number of a definition, which it keeps for its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key(pub(crate) u64);

impl Key {
    /// The repository itself.
    pub(crate) const REPOSITORY: Self = Self(0);
    /// The first of those that are given to definitions; before them are the primitive types.
    pub(crate) const FIRST: u64 = 64;

    /// The primitive type of a kind.
    pub(crate) const fn primitive(kind: PrimitiveKind) -> Self {
        Self(1 + kind as u64)
    }

    /// The kind of the primitive type that it is, if it is one.
    pub(crate) fn as_primitive(self) -> Option<PrimitiveKind> {
        let ordinal = self.0.checked_sub(1)?;
        PRIMITIVES.get(usize::try_from(ordinal).ok()?).copied()
    }
}

/// All primitive types, in the order of their kinds.
const PRIMITIVES: [PrimitiveKind; 22] = [
    PrimitiveKind::PkNull,
    PrimitiveKind::PkVoid,
    PrimitiveKind::PkShort,
    PrimitiveKind::PkLong,
    PrimitiveKind::PkUshort,
    PrimitiveKind::PkUlong,
    PrimitiveKind::PkFloat,
    PrimitiveKind::PkDouble,
    PrimitiveKind::PkBoolean,
    PrimitiveKind::PkChar,
    PrimitiveKind::PkOctet,
    PrimitiveKind::PkAny,
    PrimitiveKind::PkTypeCode,
    PrimitiveKind::PkPrincipal,
    PrimitiveKind::PkString,
    PrimitiveKind::PkObjref,
    PrimitiveKind::PkLonglong,
    PrimitiveKind::PkUlonglong,
    PrimitiveKind::PkLongdouble,
    PrimitiveKind::PkWchar,
    PrimitiveKind::PkWstring,
    PrimitiveKind::PkValueBase,
];

impl Encode for Key {
    fn encode(&self, out: &mut Encoder) -> CdrResult<()> {
        self.0.encode(out)
    }
}

impl<'m> Decode<'m> for Key {
    const MIN_SIZE: usize = 8;

    fn decode(input: &mut Decoder<'m>) -> CdrResult<Self> {
        Ok(Self(u64::decode(input)?))
    }
}

/// Structs whose members follow each other in the store.
macro_rules! records {
    ($($(#[$doc:meta])* $name:ident { $($(#[$member:meta])* $field:ident: $ty:ty,)* })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq)]
        pub(crate) struct $name { $($(#[$member])* pub(crate) $field: $ty,)* }

        impl Encode for $name {
            fn encode(&self, out: &mut Encoder) -> CdrResult<()> {
                $(self.$field.encode(out)?;)*
                Ok(())
            }
        }

        impl<'m> Decode<'m> for $name {
            const MIN_SIZE: usize = 1;

            fn decode(input: &mut Decoder<'m>) -> CdrResult<Self> {
                Ok(Self { $($field: Decode::decode(input)?,)* })
            }
        }
    )*};
}

records! {
    /// A definition.
    Definition {
        /// The repository id; empty for types without a name.
        id: String,
        /// The simple name; empty for types without a name.
        name: String,
        /// The version.
        version: String,
        /// The container that it is in; the repository for types without a name.
        container: Key,
        /// The rest, by its kind.
        content: Content,
    }

    /// A member of a struct, an exception or an initialiser.
    Member {
        name: String,
        ty: Key,
    }

    /// A member of a union. Its label is in an Any as clients see it.
    LabelledMember {
        name: String,
        label: Any,
        ty: Key,
    }

    /// A constant.
    Constant {
        ty: Key,
        value: Any,
    }

    /// A union.
    Union {
        discriminator: Key,
        members: Vec<LabelledMember>,
    }

    /// An attribute.
    Attribute {
        ty: Key,
        is_readonly: bool,
        get_exceptions: Vec<Key>,
        set_exceptions: Vec<Key>,
    }

    /// A parameter of an operation.
    Parameter {
        name: String,
        ty: Key,
        /// As the ordinal of `ParameterMode`.
        mode: u32,
    }

    /// An operation.
    Operation {
        result: Key,
        is_oneway: bool,
        parameters: Vec<Parameter>,
        contexts: Vec<String>,
        exceptions: Vec<Key>,
    }

    /// An interface.
    Interface {
        is_abstract: bool,
        is_local: bool,
        bases: Vec<Key>,
    }

    /// An initialiser of a value type.
    Initialiser {
        name: String,
        members: Vec<Member>,
        exceptions: Vec<Key>,
    }

    /// A value type.
    Value {
        is_custom: bool,
        is_abstract: bool,
        is_truncatable: bool,
        /// One or none.
        base: Vec<Key>,
        abstract_bases: Vec<Key>,
        supported: Vec<Key>,
        initialisers: Vec<Initialiser>,
    }

    /// A member of a value type's state.
    ValueMember {
        ty: Key,
        is_public: bool,
    }

    /// A decimal number.
    Fixed {
        digits: u16,
        scale: i16,
    }

    /// A sequence or an array.
    Collection {
        element: Key,
        /// The bound of a sequence, 0 for none; the length of an array.
        length: u32,
    }
}

/// The part of a definition that depends on its kind.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Content {
    Module,
    Constant(Constant),
    Struct(Vec<Member>),
    Union(Union),
    Enum(Vec<String>),
    Alias(Key),
    Native,
    ValueBox(Key),
    Exception(Vec<Member>),
    Attribute(Attribute),
    Operation(Operation),
    Interface(Interface),
    Value(Value),
    ValueMember(ValueMember),
    String(u32),
    WString(u32),
    Fixed(Fixed),
    Sequence(Collection),
    Array(Collection),
}

/// How many kinds of content there are.
const TAGS: u32 = 19;

/// The octet before a content in the store that tells its kind.
macro_rules! tags {
    ($($tag:literal $name:ident $(($value:ident))?,)*) => {
        impl Encode for Content {
            fn encode(&self, out: &mut Encoder) -> CdrResult<()> {
                match self {
                    $(Self::$name $(($value))? => {
                        $tag.encode(out)?;
                        $($value.encode(out)?;)?
                        Ok(())
                    })*
                }
            }
        }

        impl<'m> Decode<'m> for Content {
            const MIN_SIZE: usize = 1;

            fn decode(input: &mut Decoder<'m>) -> CdrResult<Self> {
                Ok(match u8::decode(input)? {
                    $($tag => Self::$name $(({ let $value = Decode::decode(input)?; $value }))?,)*
                    other => {
                        let kind = ErrorKind::InvalidEnum {
                            count: TAGS, ordinal: other.into() };
                        return Err(input.error(kind));
                    }
                })
            }
        }
    };
}

tags! {
    0u8 Module,
    1u8 Constant(value),
    2u8 Struct(value),
    3u8 Union(value),
    4u8 Enum(value),
    5u8 Alias(value),
    6u8 Native,
    7u8 ValueBox(value),
    8u8 Exception(value),
    9u8 Attribute(value),
    10u8 Operation(value),
    11u8 Interface(value),
    12u8 Value(value),
    13u8 ValueMember(value),
    14u8 String(value),
    15u8 WString(value),
    16u8 Fixed(value),
    17u8 Sequence(value),
    18u8 Array(value),
}

impl Definition {
    /// Calls `visit` with the key of each definition that this one refers to, besides its
    /// container.
    pub(crate) fn references(&self, visit: &mut dyn FnMut(Key)) {
        match &self.content {
            Content::Module
            | Content::Native
            | Content::Enum(_)
            | Content::String(_)
            | Content::WString(_)
            | Content::Fixed(_) => {}
            Content::Constant(constant) => visit(constant.ty),
            Content::Struct(members) | Content::Exception(members) => {
                members.iter().for_each(|one| visit(one.ty));
            }
            Content::Union(union) => {
                visit(union.discriminator);
                union.members.iter().for_each(|one| visit(one.ty));
            }
            Content::Alias(ty) | Content::ValueBox(ty) => visit(*ty),
            Content::Attribute(attribute) => {
                visit(attribute.ty);
                let exceptions = attribute.get_exceptions.iter();
                exceptions
                    .chain(&attribute.set_exceptions)
                    .for_each(|one| visit(*one));
            }
            Content::Operation(operation) => {
                visit(operation.result);
                operation.parameters.iter().for_each(|one| visit(one.ty));
                operation.exceptions.iter().for_each(|one| visit(*one));
            }
            Content::Interface(interface) => interface.bases.iter().for_each(|one| visit(*one)),
            Content::Value(value) => {
                let bases = value.base.iter().chain(&value.abstract_bases);
                bases.chain(&value.supported).for_each(|one| visit(*one));
                for initialiser in &value.initialisers {
                    initialiser.members.iter().for_each(|one| visit(one.ty));
                    initialiser.exceptions.iter().for_each(|one| visit(*one));
                }
            }
            Content::ValueMember(member) => visit(member.ty),
            Content::Sequence(collection) | Content::Array(collection) => visit(collection.element),
        }
    }
}
