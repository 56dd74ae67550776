//! Operations of whatever is in the repository, of definitions with names, and of types.

use taut::{Any, Result, TypeCode};

use super::Definitions;
use crate::contents::{Content, Key};
use crate::{
    AliasDef, ConstantDef, Contained, ContainerRef, DefinitionKind, IdlType, IdlTypeRef, IrObject,
    ModuleDef, NativeDef, RepositoryRef, TypedefDef, contained,
};

impl IrObject for Definitions {
    fn def_kind(&self) -> Result<DefinitionKind> {
        self.ask(|_, contents, key| match key {
            Key::REPOSITORY => Ok(DefinitionKind::DkRepository),
            key if key.as_primitive().is_some() => Ok(DefinitionKind::DkPrimitive),
            key => Ok(contents.get(key)?.content.kind()),
        })
    }

    fn destroy(&self) -> Result<()> {
        self.change(|_, contents, key| contents.destroy(key))
    }
}

impl Contained for Definitions {
    fn id(&self) -> Result<String> {
        self.ask(|_, contents, key| Ok(contents.get(key)?.id.clone()))
    }

    fn set_id(&self, value: &str) -> Result<()> {
        self.change(|_, contents, key| contents.set_id(key, value))
    }

    fn name(&self) -> Result<String> {
        self.ask(|_, contents, key| Ok(contents.get(key)?.name.clone()))
    }

    fn set_name(&self, value: &str) -> Result<()> {
        self.change(|_, contents, key| contents.set_name(key, value))
    }

    fn version(&self) -> Result<String> {
        self.ask(|_, contents, key| Ok(contents.get(key)?.version.clone()))
    }

    fn set_version(&self, value: &str) -> Result<()> {
        self.change(|_, contents, key| contents.set_version(key, value))
    }

    fn defined_in(&self) -> Result<Option<ContainerRef>> {
        self.ask(|shared, contents, key| shared.reference(contents, contents.get(key)?.container))
    }

    fn absolute_name(&self) -> Result<String> {
        self.ask(|_, contents, key| Ok(contents.absolute_name(key)))
    }

    fn containing_repository(&self) -> Result<Option<RepositoryRef>> {
        self.ask(|shared, contents, _| shared.reference(contents, Key::REPOSITORY))
    }

    fn describe(&self) -> Result<contained::Description> {
        self.ask(|shared, contents, key| {
            let (kind, value) = shared.describe(contents, key)?;
            Ok(contained::Description { kind, value })
        })
    }

    fn r#move(
        &self,
        new_container: Option<&ContainerRef>,
        new_name: &str,
        new_version: &str,
    ) -> Result<()> {
        self.change(|shared, contents, key| {
            // The standard has a minor code of its own for what is no container of the repository.
            let container = shared.key(contents, new_container);
            let container = container.map_err(|_| crate::contents::bad_param(4))?;
            contents.relocate(key, container, new_name, new_version)
        })
    }
}

impl IdlType for Definitions {
    fn r#type(&self) -> Result<TypeCode> {
        self.own_type()
    }
}

impl TypedefDef for Definitions {}
impl ModuleDef for Definitions {}
impl NativeDef for Definitions {}

impl AliasDef for Definitions {
    fn original_type_def(&self) -> Result<Option<IdlTypeRef>> {
        self.ask(|shared, contents, key| match &contents.get(key)?.content {
            Content::Alias(ty) => shared.type_def(contents, *ty),
            _ => Ok(None),
        })
    }

    fn set_original_type_def(&self, value: Option<&IdlTypeRef>) -> Result<()> {
        self.change(|shared, contents, key| {
            let ty = shared.key(contents, value)?;
            contents.alter(key, |content| {
                *content = Content::Alias(ty);
                Ok(())
            })
        })
    }
}

impl ConstantDef for Definitions {
    fn r#type(&self) -> Result<TypeCode> {
        self.own_type()
    }

    fn type_def(&self) -> Result<Option<IdlTypeRef>> {
        self.ask(|shared, contents, key| match &contents.get(key)?.content {
            Content::Constant(constant) => shared.type_def(contents, constant.ty),
            _ => Ok(None),
        })
    }

    fn set_type_def(&self, value: Option<&IdlTypeRef>) -> Result<()> {
        self.change(|shared, contents, key| {
            let ty = shared.key(contents, value)?;
            contents.alter(key, |content| {
                if let Content::Constant(constant) = content {
                    constant.ty = ty;
                }
                Ok(())
            })
        })
    }

    fn value(&self) -> Result<Any> {
        self.ask(|_, contents, key| match &contents.get(key)?.content {
            Content::Constant(constant) => Ok(constant.value.clone()),
            _ => Ok(Any::null()),
        })
    }

    fn set_value(&self, value: &Any) -> Result<()> {
        self.change(|_, contents, key| {
            let expected = contents.type_code(key)?;
            if !value.type_code().equivalent(&expected) {
                return Err(crate::contents::incoherent(
                    "the value is not of the constant's type",
                ));
            }
            contents.alter(key, |content| {
                if let Content::Constant(constant) = content {
                    constant.value = value.clone();
                }
                Ok(())
            })
        })
    }
}
