//! Operations of value types.

use taut::{Result, TypeCode};

use super::super::descriptions::{plain_initializers, without_exceptions};
use super::super::shared::Shared;
use super::Definitions;
use super::containers::with_exceptions;
use super::interfaces::{GivenAttribute, GivenOperation};
use crate::contents::{Content, Contents, Definition, Value, ValueMember, incoherent};
use crate::ext_value_def::ExtFullValueDescription;
use crate::value_def::FullValueDescription;
use crate::{
    AttributeDefRef, AttributeMode, DefinitionKind, ExceptionDefRef, ExtAttributeDefRef,
    ExtInitializer, ExtValueDef, IdlTypeRef, Initializer, InterfaceDefRef, OperationDefRef,
    OperationMode, PRIVATE_MEMBER, PUBLIC_MEMBER, ParameterDescription, ValueDef, ValueDefRef,
    ValueMemberDef, ValueMemberDefRef,
};

impl Definitions {
    fn value<T>(&self, answer: impl FnOnce(&Shared, &Contents, &Value) -> Result<T>) -> Result<T> {
        self.ask(|shared, contents, key| match &contents.get(key)?.content {
            Content::Value(value) => answer(shared, contents, value),
            _ => Err(incoherent("it is no value type")),
        })
    }

    fn alter_value(
        &self,
        prepare: impl FnOnce(&Shared, &Contents, &mut Value) -> Result<()>,
    ) -> Result<()> {
        self.change(|shared, contents, key| {
            let Content::Value(mut value) = contents.get(key)?.content.clone() else {
                return Err(incoherent("it is no value type"));
            };
            prepare(shared, contents, &mut value)?;
            contents.alter(key, |content| {
                *content = Content::Value(value);
                Ok(())
            })
        })
    }
}

impl ValueDef for Definitions {
    fn supported_interfaces(&self) -> Result<Vec<Option<InterfaceDefRef>>> {
        self.value(|shared, contents, value| shared.all(contents, &value.supported))
    }

    fn set_supported_interfaces(&self, given: &[Option<InterfaceDefRef>]) -> Result<()> {
        self.alter_value(|shared, contents, value| {
            value.supported = shared.keys(contents, given)?;
            Ok(())
        })
    }

    fn initializers(&self) -> Result<Vec<Initializer>> {
        Ok(plain_initializers(self.ext_initializers()?))
    }

    fn set_initializers(&self, given: &[Initializer]) -> Result<()> {
        self.set_ext_initializers(&with_exceptions(given))
    }

    fn base_value(&self) -> Result<Option<ValueDefRef>> {
        self.value(|shared, contents, value| match value.base.first() {
            Some(base) => shared.reference(contents, *base),
            None => Ok(None),
        })
    }

    fn set_base_value(&self, given: Option<&ValueDefRef>) -> Result<()> {
        self.alter_value(|shared, contents, value| {
            value.base = match given {
                Some(base) => vec![shared.key(contents, Some(base))?],
                None => Vec::new(),
            };
            Ok(())
        })
    }

    fn abstract_base_values(&self) -> Result<Vec<Option<ValueDefRef>>> {
        self.value(|shared, contents, value| shared.all(contents, &value.abstract_bases))
    }

    fn set_abstract_base_values(&self, given: &[Option<ValueDefRef>]) -> Result<()> {
        self.alter_value(|shared, contents, value| {
            value.abstract_bases = shared.keys(contents, given)?;
            Ok(())
        })
    }

    fn is_abstract(&self) -> Result<bool> {
        self.value(|_, _, value| Ok(value.is_abstract))
    }

    fn set_is_abstract(&self, given: bool) -> Result<()> {
        self.alter_value(|_, _, value| {
            value.is_abstract = given;
            Ok(())
        })
    }

    fn is_custom(&self) -> Result<bool> {
        self.value(|_, _, value| Ok(value.is_custom))
    }

    fn set_is_custom(&self, given: bool) -> Result<()> {
        self.alter_value(|_, _, value| {
            value.is_custom = given;
            Ok(())
        })
    }

    fn is_truncatable(&self) -> Result<bool> {
        self.value(|_, _, value| Ok(value.is_truncatable))
    }

    fn set_is_truncatable(&self, given: bool) -> Result<()> {
        self.alter_value(|_, _, value| {
            value.is_truncatable = given;
            Ok(())
        })
    }

    fn is_a(&self, id: &str) -> Result<bool> {
        self.ask(|_, contents, key| Ok(contents.is_a(key, id)))
    }

    fn describe_value(&self) -> Result<FullValueDescription> {
        let full = self.describe_ext_value()?;
        Ok(FullValueDescription {
            name: full.name,
            id: full.id,
            is_abstract: full.is_abstract,
            is_custom: full.is_custom,
            defined_in: full.defined_in,
            version: full.version,
            operations: full.operations,
            attributes: without_exceptions(full.attributes),
            members: full.members,
            initializers: plain_initializers(full.initializers),
            supported_interfaces: full.supported_interfaces,
            abstract_base_values: full.abstract_base_values,
            is_truncatable: full.is_truncatable,
            base_value: full.base_value,
            r#type: full.r#type,
        })
    }

    fn create_value_member(
        &self,
        id: &str,
        name: &str,
        version: &str,
        r#type: Option<&IdlTypeRef>,
        access: i16,
    ) -> Result<Option<ValueMemberDefRef>> {
        self.create((id, name, version), |shared, contents| {
            Ok(Content::ValueMember(ValueMember {
                ty: shared.key(contents, r#type)?,
                is_public: is_public(access)?,
            }))
        })
    }

    fn create_attribute(
        &self,
        id: &str,
        name: &str,
        version: &str,
        r#type: Option<&IdlTypeRef>,
        mode: AttributeMode,
    ) -> Result<Option<AttributeDefRef>> {
        crate::InterfaceDef::create_attribute(self, id, name, version, r#type, mode)
    }

    fn create_operation(
        &self,
        id: &str,
        name: &str,
        version: &str,
        result: Option<&IdlTypeRef>,
        mode: OperationMode,
        params: &[ParameterDescription],
        exceptions: &[Option<ExceptionDefRef>],
        contexts: &[String],
    ) -> Result<Option<OperationDefRef>> {
        let given = GivenOperation {
            result,
            mode,
            params,
            exceptions,
            contexts,
        };
        self.make_operation((id, name, version), &given)
    }
}

impl ExtValueDef for Definitions {
    fn ext_initializers(&self) -> Result<Vec<ExtInitializer>> {
        self.value(|shared, contents, value| shared.initializers(contents, &value.initialisers))
    }

    fn set_ext_initializers(&self, given: &[ExtInitializer]) -> Result<()> {
        self.alter_value(|shared, contents, value| {
            value.initialisers = shared.given_initializers(contents, given)?;
            Ok(())
        })
    }

    fn describe_ext_value(&self) -> Result<ExtFullValueDescription> {
        self.ask(|shared, contents, key| {
            let Definition {
                id,
                name,
                version,
                container,
                content,
            } = contents.get(key)?;
            let Content::Value(value) = content else {
                return Err(incoherent("it is no value type"));
            };
            let members = contents
                .contents(key, DefinitionKind::DkValueMember, true)
                .into_iter();
            let members = members.map(|member| shared.value_member(contents, member));
            Ok(ExtFullValueDescription {
                name: name.clone(),
                id: id.clone(),
                is_abstract: value.is_abstract,
                is_custom: value.is_custom,
                defined_in: contents.id_of_container(*container),
                version: version.clone(),
                operations: shared.operations(contents, key)?,
                attributes: shared.ext_attributes(contents, key)?,
                members: members.collect::<Result<_>>()?,
                initializers: shared.initializers(contents, &value.initialisers)?,
                supported_interfaces: contents.ids(&value.supported),
                abstract_base_values: contents.ids(&value.abstract_bases),
                is_truncatable: value.is_truncatable,
                base_value: contents.ids(&value.base).pop().unwrap_or_default(),
                r#type: contents.type_code(key)?,
            })
        })
    }

    fn create_ext_attribute(
        &self,
        id: &str,
        name: &str,
        version: &str,
        r#type: Option<&IdlTypeRef>,
        mode: AttributeMode,
        get_exceptions: &[Option<ExceptionDefRef>],
        set_exceptions: &[Option<ExceptionDefRef>],
    ) -> Result<Option<ExtAttributeDefRef>> {
        let given = GivenAttribute {
            ty: r#type,
            mode,
            get_exceptions,
            set_exceptions,
        };
        self.make_attribute((id, name, version), &given)
    }
}

impl ValueMemberDef for Definitions {
    fn r#type(&self) -> Result<TypeCode> {
        self.own_type()
    }

    fn type_def(&self) -> Result<Option<IdlTypeRef>> {
        self.ask(|shared, contents, key| match &contents.get(key)?.content {
            Content::ValueMember(member) => shared.type_def(contents, member.ty),
            _ => Ok(None),
        })
    }

    fn set_type_def(&self, value: Option<&IdlTypeRef>) -> Result<()> {
        self.alter_type(value, |content, ty| {
            if let Content::ValueMember(member) = content {
                member.ty = ty;
            }
        })
    }

    fn access(&self) -> Result<i16> {
        self.ask(|_, contents, key| match &contents.get(key)?.content {
            Content::ValueMember(ValueMember {
                is_public: true, ..
            }) => Ok(PUBLIC_MEMBER),
            _ => Ok(PRIVATE_MEMBER),
        })
    }

    fn set_access(&self, value: i16) -> Result<()> {
        let is_public = is_public(value)?;
        self.alter(|content| {
            if let Content::ValueMember(member) = content {
                member.is_public = is_public;
            }
        })
    }
}

fn is_public(access: i16) -> Result<bool> {
    match access {
        PRIVATE_MEMBER => Ok(false),
        PUBLIC_MEMBER => Ok(true),
        other => Err(incoherent(format!(
            "{other} is neither PRIVATE_MEMBER nor PUBLIC_MEMBER"
        ))),
    }
}
