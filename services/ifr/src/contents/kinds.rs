//! The kinds of definitions: which may hold which, and by which interface clients see them.

use taut::Reference;

use super::record::{Content, Definition};
use crate::{
    AbstractInterfaceDefRef, AliasDefRef, ArrayDefRef, ConstantDefRef, DefinitionKind, EnumDefRef,
    ExceptionDefRef, FixedDefRef, InterfaceDefRef, LocalInterfaceDefRef, ModuleDefRef,
    NativeDefRef, OperationDefRef, SequenceDefRef, StringDefRef, StructDefRef, UnionDefRef,
    ValueBoxDefRef, ValueDefRef, ValueMemberDefRef, WstringDefRef,
};

impl Content {
    /// The kind that clients see.
    pub(crate) fn kind(&self) -> DefinitionKind {
        match self {
            Self::Module => DefinitionKind::DkModule,
            Self::Constant(_) => DefinitionKind::DkConstant,
            Self::Struct(_) => DefinitionKind::DkStruct,
            Self::Union(_) => DefinitionKind::DkUnion,
            Self::Enum(_) => DefinitionKind::DkEnum,
            Self::Alias(_) => DefinitionKind::DkAlias,
            Self::Native => DefinitionKind::DkNative,
            Self::ValueBox(_) => DefinitionKind::DkValueBox,
            Self::Exception(_) => DefinitionKind::DkException,
            Self::Attribute(_) => DefinitionKind::DkAttribute,
            Self::Operation(_) => DefinitionKind::DkOperation,
            Self::Interface(interface) if interface.is_abstract => {
                DefinitionKind::DkAbstractInterface
            }
            Self::Interface(interface) if interface.is_local => DefinitionKind::DkLocalInterface,
            Self::Interface(_) => DefinitionKind::DkInterface,
            Self::Value(_) => DefinitionKind::DkValue,
            Self::ValueMember(_) => DefinitionKind::DkValueMember,
            Self::String(_) => DefinitionKind::DkString,
            Self::WString(_) => DefinitionKind::DkWstring,
            Self::Fixed(_) => DefinitionKind::DkFixed,
            Self::Sequence(_) => DefinitionKind::DkSequence,
            Self::Array(_) => DefinitionKind::DkArray,
        }
    }

    /// Whether it has a name and a container.
    pub(crate) fn is_contained(&self) -> bool {
        !matches!(
            self,
            Self::String(_)
                | Self::WString(_)
                | Self::Fixed(_)
                | Self::Sequence(_)
                | Self::Array(_)
        )
    }

    /// Whether it is a type that members, parameters and the like may have.
    pub(crate) fn is_type(&self) -> bool {
        !matches!(
            self,
            Self::Module
                | Self::Constant(_)
                | Self::Exception(_)
                | Self::Attribute(_)
                | Self::Operation(_)
                | Self::ValueMember(_)
        )
    }

    /// Whether others may be in it.
    pub(crate) fn is_container(&self) -> bool {
        matches!(
            self,
            Self::Module
                | Self::Interface(_)
                | Self::Value(_)
                | Self::Struct(_)
                | Self::Union(_)
                | Self::Exception(_)
        )
    }

    /// Whether one with the other content may be in it; the repository holds what a module does.
    pub(crate) fn may_hold(&self, other: &Self) -> bool {
        let is_typedef = other.is_contained() && other.is_type();
        match self {
            Self::Module => !matches!(
                other,
                Self::Attribute(_) | Self::Operation(_) | Self::ValueMember(_)
            ),
            Self::Interface(_) | Self::Value(_) => match other {
                Self::Module | Self::Interface(_) | Self::Value(_) | Self::ValueBox(_) => false,
                Self::ValueMember(_) => matches!(self, Self::Value(_)),
                _ => true,
            },
            Self::Struct(_) | Self::Union(_) | Self::Exception(_) => {
                is_typedef && matches!(other, Self::Struct(_) | Self::Union(_) | Self::Enum(_))
            }
            _ => false,
        }
    }

    /// Whether a search for definitions of a kind finds it.
    pub(crate) fn is_within(&self, limit: DefinitionKind) -> bool {
        match limit {
            DefinitionKind::DkAll => true,
            DefinitionKind::DkTypedef => matches!(
                self,
                Self::Struct(_)
                    | Self::Union(_)
                    | Self::Enum(_)
                    | Self::Alias(_)
                    | Self::Native
                    | Self::ValueBox(_)
            ),
            limit => self.kind() == limit,
        }
    }

    /// The repository id of the interface that references to it name: the one that clients of
    /// all ages know. Interfaces, attributes and value types are those with exceptions too.
    pub(crate) fn repository_id(&self) -> &'static str {
        match self {
            Self::Module => ModuleDefRef::INTERFACE,
            Self::Constant(_) => ConstantDefRef::INTERFACE,
            Self::Struct(_) => StructDefRef::INTERFACE,
            Self::Union(_) => UnionDefRef::INTERFACE,
            Self::Enum(_) => EnumDefRef::INTERFACE,
            Self::Alias(_) => AliasDefRef::INTERFACE,
            Self::Native => NativeDefRef::INTERFACE,
            Self::ValueBox(_) => ValueBoxDefRef::INTERFACE,
            Self::Exception(_) => ExceptionDefRef::INTERFACE,
            Self::Attribute(_) => crate::AttributeDefRef::INTERFACE,
            Self::Operation(_) => OperationDefRef::INTERFACE,
            Self::Interface(interface) if interface.is_abstract => {
                AbstractInterfaceDefRef::INTERFACE
            }
            Self::Interface(interface) if interface.is_local => LocalInterfaceDefRef::INTERFACE,
            Self::Interface(_) => InterfaceDefRef::INTERFACE,
            Self::Value(_) => ValueDefRef::INTERFACE,
            Self::ValueMember(_) => ValueMemberDefRef::INTERFACE,
            Self::String(_) => StringDefRef::INTERFACE,
            Self::WString(_) => WstringDefRef::INTERFACE,
            Self::Fixed(_) => FixedDefRef::INTERFACE,
            Self::Sequence(_) => SequenceDefRef::INTERFACE,
            Self::Array(_) => ArrayDefRef::INTERFACE,
        }
        .repository_id
    }
}

impl Definition {
    /// Whether the other definition says the same sort of thing, so that it may take its place.
    pub(crate) fn is_of_kind_of(&self, other: &Self) -> bool {
        self.content.kind() == other.content.kind()
    }
}
