//! Operations of types and exceptions.

use taut::{Result, TypeCode};

use super::super::shared::Shared;
use super::Definitions;
use super::repository::bounded;
use crate::contents::{Content, Contents, Key};
use crate::{
    ArrayDef, EnumDef, ExceptionDef, FixedDef, IdlTypeRef, SequenceDef, StringDef, StructDef,
    StructMember, UnionDef, UnionMember, ValueBoxDef, WstringDef,
};

impl Definitions {
    /// Changes the content of the definition for which the servant is called; `change` is given
    /// one of the kind that it expects, as the locator sees to it.
    pub(super) fn alter(&self, change: impl FnOnce(&mut Content)) -> Result<()> {
        self.change(|_, contents, key| {
            contents.alter(key, |content| {
                change(content);
                Ok(())
            })
        })
    }

    /// Changes a type that it refers to.
    pub(super) fn alter_type(
        &self,
        ty: Option<&IdlTypeRef>,
        change: impl FnOnce(&mut Content, Key),
    ) -> Result<()> {
        self.change(|shared, contents, key| {
            let ty = shared.key(contents, ty)?;
            contents.alter(key, |content| {
                change(content, ty);
                Ok(())
            })
        })
    }

    fn own_members(&self) -> Result<Vec<StructMember>> {
        self.ask(|shared, contents, key| match &contents.get(key)?.content {
            Content::Struct(members) | Content::Exception(members) => {
                shared.members(contents, members)
            }
            _ => Ok(Vec::new()),
        })
    }

    fn set_own_members(&self, given: &[StructMember]) -> Result<()> {
        self.change(|shared, contents, key| {
            let given = shared.given_members(contents, given)?;
            contents.alter(key, |content| {
                if let Content::Struct(members) | Content::Exception(members) = content {
                    *members = given;
                }
                Ok(())
            })
        })
    }

    fn collection<T>(
        &self,
        answer: impl FnOnce(&Shared, &Contents, Key, u32) -> Result<T>,
    ) -> Result<T> {
        self.ask(|shared, contents, key| match &contents.get(key)?.content {
            Content::Sequence(one) | Content::Array(one) => {
                answer(shared, contents, one.element, one.length)
            }
            _ => answer(shared, contents, key, 0),
        })
    }

    fn set_length(&self, length: u32) -> Result<()> {
        self.alter(|content| {
            if let Content::Sequence(one) | Content::Array(one) = content {
                one.length = length;
            }
        })
    }

    fn set_element(&self, element: Option<&IdlTypeRef>) -> Result<()> {
        self.alter_type(element, |content, element| {
            if let Content::Sequence(one) | Content::Array(one) = content {
                one.element = element;
            }
        })
    }

    fn own_bound(&self) -> Result<u32> {
        self.ask(|_, contents, key| match &contents.get(key)?.content {
            Content::String(bound) | Content::WString(bound) => Ok(*bound),
            _ => Ok(0),
        })
    }

    fn set_own_bound(&self, value: u32) -> Result<()> {
        let value = bounded(value)?;
        self.alter(|content| {
            if let Content::String(bound) | Content::WString(bound) = content {
                *bound = value;
            }
        })
    }
}

impl StructDef for Definitions {
    fn members(&self) -> Result<Vec<StructMember>> {
        self.own_members()
    }

    fn set_members(&self, value: &[StructMember]) -> Result<()> {
        self.set_own_members(value)
    }
}

impl ExceptionDef for Definitions {
    fn r#type(&self) -> Result<TypeCode> {
        self.own_type()
    }

    fn members(&self) -> Result<Vec<StructMember>> {
        self.own_members()
    }

    fn set_members(&self, value: &[StructMember]) -> Result<()> {
        self.set_own_members(value)
    }
}

impl UnionDef for Definitions {
    fn discriminator_type(&self) -> Result<TypeCode> {
        self.ask(|_, contents, key| match &contents.get(key)?.content {
            Content::Union(union) => contents.type_code(union.discriminator),
            _ => Ok(TypeCode::null()),
        })
    }

    fn discriminator_type_def(&self) -> Result<Option<IdlTypeRef>> {
        self.ask(|shared, contents, key| match &contents.get(key)?.content {
            Content::Union(union) => shared.type_def(contents, union.discriminator),
            _ => Ok(None),
        })
    }

    fn set_discriminator_type_def(&self, value: Option<&IdlTypeRef>) -> Result<()> {
        self.alter_type(value, |content, ty| {
            if let Content::Union(union) = content {
                union.discriminator = ty;
            }
        })
    }

    fn members(&self) -> Result<Vec<UnionMember>> {
        self.ask(|shared, contents, key| shared.union_members(contents, key))
    }

    fn set_members(&self, value: &[UnionMember]) -> Result<()> {
        self.change(|shared, contents, key| {
            let members = shared.given_union_members(contents, value)?;
            contents.alter(key, |content| {
                if let Content::Union(union) = content {
                    union.members = members;
                }
                Ok(())
            })
        })
    }
}

impl EnumDef for Definitions {
    fn members(&self) -> Result<Vec<String>> {
        self.ask(|_, contents, key| match &contents.get(key)?.content {
            Content::Enum(members) => Ok(members.clone()),
            _ => Ok(Vec::new()),
        })
    }

    fn set_members(&self, value: &[String]) -> Result<()> {
        self.alter(|content| *content = Content::Enum(value.to_vec()))
    }
}

impl ValueBoxDef for Definitions {
    fn original_type_def(&self) -> Result<Option<IdlTypeRef>> {
        self.ask(|shared, contents, key| match &contents.get(key)?.content {
            Content::ValueBox(ty) => shared.type_def(contents, *ty),
            _ => Ok(None),
        })
    }

    fn set_original_type_def(&self, value: Option<&IdlTypeRef>) -> Result<()> {
        self.alter_type(value, |content, ty| *content = Content::ValueBox(ty))
    }
}

impl StringDef for Definitions {
    fn bound(&self) -> Result<u32> {
        self.own_bound()
    }

    fn set_bound(&self, value: u32) -> Result<()> {
        self.set_own_bound(value)
    }
}

impl WstringDef for Definitions {
    fn bound(&self) -> Result<u32> {
        self.own_bound()
    }

    fn set_bound(&self, value: u32) -> Result<()> {
        self.set_own_bound(value)
    }
}

impl FixedDef for Definitions {
    fn digits(&self) -> Result<u16> {
        self.ask(|_, contents, key| match &contents.get(key)?.content {
            Content::Fixed(fixed) => Ok(fixed.digits),
            _ => Ok(0),
        })
    }

    fn set_digits(&self, value: u16) -> Result<()> {
        self.alter(|content| {
            if let Content::Fixed(fixed) = content {
                fixed.digits = value;
            }
        })
    }

    fn scale(&self) -> Result<i16> {
        self.ask(|_, contents, key| match &contents.get(key)?.content {
            Content::Fixed(fixed) => Ok(fixed.scale),
            _ => Ok(0),
        })
    }

    fn set_scale(&self, value: i16) -> Result<()> {
        self.alter(|content| {
            if let Content::Fixed(fixed) = content {
                fixed.scale = value;
            }
        })
    }
}

impl SequenceDef for Definitions {
    fn bound(&self) -> Result<u32> {
        self.collection(|_, _, _, length| Ok(length))
    }

    fn set_bound(&self, value: u32) -> Result<()> {
        self.set_length(value)
    }

    fn element_type(&self) -> Result<TypeCode> {
        self.collection(|_, contents, element, _| contents.type_code(element))
    }

    fn element_type_def(&self) -> Result<Option<IdlTypeRef>> {
        self.collection(|shared, contents, element, _| shared.type_def(contents, element))
    }

    fn set_element_type_def(&self, value: Option<&IdlTypeRef>) -> Result<()> {
        self.set_element(value)
    }
}

impl ArrayDef for Definitions {
    fn length(&self) -> Result<u32> {
        self.collection(|_, _, _, length| Ok(length))
    }

    fn set_length(&self, value: u32) -> Result<()> {
        Definitions::set_length(self, value)
    }

    fn element_type(&self) -> Result<TypeCode> {
        self.collection(|_, contents, element, _| contents.type_code(element))
    }

    fn element_type_def(&self) -> Result<Option<IdlTypeRef>> {
        self.collection(|shared, contents, element, _| shared.type_def(contents, element))
    }

    fn set_element_type_def(&self, value: Option<&IdlTypeRef>) -> Result<()> {
        self.set_element(value)
    }
}
