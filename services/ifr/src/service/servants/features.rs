//! Operations of operations and attributes.

use taut::{Result, TypeCode};

use super::super::descriptions::{attribute_mode, mode};
use super::super::shared::Shared;
use super::{Definitions, with_id};
use crate::contents::{Attribute, Content, Contents, Operation, incoherent};
use crate::{
    AttributeDef, AttributeMode, ExceptionDefRef, ExceptionDescription, ExtAttributeDef,
    ExtAttributeDescription, IdlTypeRef, OperationDef, OperationMode, ParameterDescription,
};

impl Definitions {
    fn operation<T>(
        &self,
        answer: impl FnOnce(&Shared, &Contents, &Operation) -> Result<T>,
    ) -> Result<T> {
        self.ask(|shared, contents, key| match &contents.get(key)?.content {
            Content::Operation(operation) => answer(shared, contents, operation),
            _ => Err(incoherent("it is no operation")),
        })
    }

    fn alter_operation(
        &self,
        prepare: impl FnOnce(&Shared, &Contents, &mut Operation) -> Result<()>,
    ) -> Result<()> {
        self.change(|shared, contents, key| {
            let Content::Operation(mut operation) = contents.get(key)?.content.clone() else {
                return Err(incoherent("it is no operation"));
            };
            prepare(shared, contents, &mut operation)?;
            contents.alter(key, |content| {
                *content = Content::Operation(operation);
                Ok(())
            })
        })
    }

    fn attribute<T>(
        &self,
        answer: impl FnOnce(&Shared, &Contents, &Attribute) -> Result<T>,
    ) -> Result<T> {
        self.ask(|shared, contents, key| match &contents.get(key)?.content {
            Content::Attribute(attribute) => answer(shared, contents, attribute),
            _ => Err(incoherent("it is no attribute")),
        })
    }

    fn alter_attribute(
        &self,
        prepare: impl FnOnce(&Shared, &Contents, &mut Attribute) -> Result<()>,
    ) -> Result<()> {
        self.change(|shared, contents, key| {
            let Content::Attribute(mut attribute) = contents.get(key)?.content.clone() else {
                return Err(incoherent("it is no attribute"));
            };
            prepare(shared, contents, &mut attribute)?;
            contents.alter(key, |content| {
                *content = Content::Attribute(attribute);
                Ok(())
            })
        })
    }
}

impl OperationDef for Definitions {
    fn result(&self) -> Result<TypeCode> {
        self.operation(|_, contents, operation| contents.type_code(operation.result))
    }

    fn result_def(&self) -> Result<Option<IdlTypeRef>> {
        self.operation(|shared, contents, operation| shared.type_def(contents, operation.result))
    }

    fn set_result_def(&self, value: Option<&IdlTypeRef>) -> Result<()> {
        self.alter_operation(|shared, contents, operation| {
            operation.result = shared.key(contents, value)?;
            Ok(())
        })
    }

    fn params(&self) -> Result<Vec<ParameterDescription>> {
        self.operation(|shared, contents, operation| {
            shared.parameters(contents, &operation.parameters)
        })
    }

    fn set_params(&self, value: &[ParameterDescription]) -> Result<()> {
        self.alter_operation(|shared, contents, operation| {
            operation.parameters = shared.given_parameters(contents, value)?;
            Ok(())
        })
    }

    fn mode(&self) -> Result<OperationMode> {
        self.operation(|_, _, operation| Ok(mode(operation)))
    }

    fn set_mode(&self, value: OperationMode) -> Result<()> {
        self.alter_operation(|_, _, operation| {
            operation.is_oneway = value == OperationMode::OpOneway;
            Ok(())
        })
    }

    fn contexts(&self) -> Result<Vec<String>> {
        self.operation(|_, _, operation| Ok(operation.contexts.clone()))
    }

    fn set_contexts(&self, value: &[String]) -> Result<()> {
        self.alter_operation(|_, _, operation| {
            operation.contexts = value.to_vec();
            Ok(())
        })
    }

    fn exceptions(&self) -> Result<Vec<Option<ExceptionDefRef>>> {
        self.operation(|shared, contents, operation| shared.all(contents, &operation.exceptions))
    }

    fn set_exceptions(&self, value: &[Option<ExceptionDefRef>]) -> Result<()> {
        self.alter_operation(|shared, contents, operation| {
            operation.exceptions = shared.keys(contents, value)?;
            Ok(())
        })
    }
}

impl AttributeDef for Definitions {
    fn r#type(&self) -> Result<TypeCode> {
        self.own_type()
    }

    fn type_def(&self) -> Result<Option<IdlTypeRef>> {
        self.attribute(|shared, contents, attribute| shared.type_def(contents, attribute.ty))
    }

    fn set_type_def(&self, value: Option<&IdlTypeRef>) -> Result<()> {
        self.alter_attribute(|shared, contents, attribute| {
            attribute.ty = shared.key(contents, value)?;
            Ok(())
        })
    }

    fn mode(&self) -> Result<AttributeMode> {
        self.attribute(|_, _, attribute| Ok(attribute_mode(attribute.is_readonly)))
    }

    fn set_mode(&self, value: AttributeMode) -> Result<()> {
        self.alter_attribute(|_, _, attribute| {
            attribute.is_readonly = value == AttributeMode::AttrReadonly;
            Ok(())
        })
    }
}

impl ExtAttributeDef for Definitions {
    fn get_exceptions(&self) -> Result<Vec<ExceptionDescription>> {
        self.attribute(|shared, contents, attribute| {
            shared.exceptions(contents, &attribute.get_exceptions)
        })
    }

    fn set_get_exceptions(&self, value: &[ExceptionDescription]) -> Result<()> {
        self.alter_attribute(|_, contents, attribute| {
            let ids = value.iter();
            attribute.get_exceptions = ids
                .map(|one| with_id(contents, &one.id))
                .collect::<Result<_>>()?;
            Ok(())
        })
    }

    fn set_exceptions(&self) -> Result<Vec<ExceptionDescription>> {
        self.attribute(|shared, contents, attribute| {
            shared.exceptions(contents, &attribute.set_exceptions)
        })
    }

    fn set_set_exceptions(&self, value: &[ExceptionDescription]) -> Result<()> {
        self.alter_attribute(|_, contents, attribute| {
            let ids = value.iter();
            attribute.set_exceptions = ids
                .map(|one| with_id(contents, &one.id))
                .collect::<Result<_>>()?;
            Ok(())
        })
    }

    fn describe_attribute(&self) -> Result<ExtAttributeDescription> {
        self.ask(|shared, contents, key| shared.ext_attribute(contents, key))
    }
}
