//! Types, members and labels.

use taut_idl::model::{List, Member as DeclaredMember, Primitive, Type};

use super::super::record::{Collection, Content, Fixed, Key, Member};
use super::super::{changes, values};
use super::{LoadError, Loading, Result};
use crate::PrimitiveKind;
use taut::Any;

impl Loading<'_> {
    /// The key of a type; one without a name gets a definition of its own.
    pub(super) fn ty(&mut self, ty: &Type, name: &str) -> Result<Key> {
        let content = match ty {
            Type::Primitive(primitive) => return Ok(primitive_key(*primitive)),
            Type::Object => return Ok(Key::primitive(PrimitiveKind::PkObjref)),
            Type::Any => return Ok(Key::primitive(PrimitiveKind::PkAny)),
            Type::TypeCode => return Ok(Key::primitive(PrimitiveKind::PkTypeCode)),
            Type::ValueBase => return Ok(Key::primitive(PrimitiveKind::PkValueBase)),
            Type::String { bound: None } => return Ok(Key::primitive(PrimitiveKind::PkString)),
            Type::WString { bound: None } => return Ok(Key::primitive(PrimitiveKind::PkWstring)),
            Type::Named(id) => return self.key(*id, name),
            Type::String { bound: Some(bound) } => Content::String(*bound),
            Type::WString { bound: Some(bound) } => Content::WString(*bound),
            Type::Fixed { digits, scale } => Content::Fixed(Fixed {
                digits: (*digits).into(),
                scale: (*scale).into(),
            }),
            Type::Sequence { element, bound } => Content::Sequence(Collection {
                element: self.ty(element, name)?,
                length: bound.unwrap_or(0),
            }),
            Type::Array { element, length } => Content::Array(Collection {
                element: self.ty(element, name)?,
                length: *length,
            }),
            _ => {
                return Err(LoadError::NoSuchType {
                    name: name.to_owned(),
                    what: "a map, which CORBA's interface repository has no definition for"
                        .to_owned(),
                });
            }
        };
        let added = self.contents.add(changes::anonymous(content));
        added.map_err(|exception| self.refused(name, exception))
    }

    pub(super) fn members(
        &mut self,
        members: &List<DeclaredMember>,
        name: &str,
    ) -> Result<Vec<Member>> {
        let mut made = Vec::new();
        for member in members.iter() {
            made.push(Member {
                name: member.name.to_string(),
                ty: self.ty(&member.ty, name)?,
            });
        }
        Ok(made)
    }

    /// The label of a union's member by its number; none for the default case.
    pub(super) fn label(
        &mut self,
        discriminator: Key,
        number: Option<i128>,
        name: &str,
    ) -> Result<Any> {
        let made = self
            .contents
            .type_code(discriminator)
            .and_then(|type_code| match number {
                Some(number) => values::of_ordinal(&type_code, number),
                None => Ok(values::default_label(&type_code)),
            });
        made.map_err(|exception| self.refused(name, exception))
    }
}

/// The type of the unsigned integer that holds so many bits.
pub(super) fn integer(bits: u32) -> Key {
    primitive_key(Primitive::of_bits(bits))
}

/// No TypeCode tells the integers of 8 bits from octets, and no definition either.
fn primitive_key(primitive: Primitive) -> Key {
    Key::primitive(match primitive {
        Primitive::Boolean => PrimitiveKind::PkBoolean,
        Primitive::Char => PrimitiveKind::PkChar,
        Primitive::Short => PrimitiveKind::PkShort,
        Primitive::UShort => PrimitiveKind::PkUshort,
        Primitive::Long => PrimitiveKind::PkLong,
        Primitive::ULong => PrimitiveKind::PkUlong,
        Primitive::LongLong => PrimitiveKind::PkLonglong,
        Primitive::ULongLong => PrimitiveKind::PkUlonglong,
        Primitive::Float => PrimitiveKind::PkFloat,
        Primitive::Double => PrimitiveKind::PkDouble,
        Primitive::LongDouble => PrimitiveKind::PkLongdouble,
        Primitive::WChar => PrimitiveKind::PkWchar,
        _ => PrimitiveKind::PkOctet,
    })
}
