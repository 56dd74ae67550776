//! Descriptions of definitions: structs with all that clients ask for at once.

use taut::{Any, SystemException};

use super::shared::Shared;
use crate::contents::{
    Attribute, Content, Contents, Definition, Initialiser, Key, Member, Operation, Parameter,
    incoherent,
};
use crate::interface_attr_extension::ExtFullInterfaceDescription;
use crate::interface_def::FullInterfaceDescription;
use crate::{
    AttributeDescription, AttributeMode, ConstantDescription, DefinitionKind, ExceptionDescription,
    ExtAttributeDescription, ExtInitializer, Initializer, InterfaceDescription, ModuleDescription,
    OperationDescription, OperationMode, PRIVATE_MEMBER, PUBLIC_MEMBER, ParameterDescription,
    ParameterMode, StructMember, TypeDescription, UnionMember, ValueDescription, ValueMember,
};

type Result<T> = std::result::Result<T, SystemException>;

impl Shared {
    /// The kind and the description of a definition with a name.
    pub(super) fn describe(&self, contents: &Contents, key: Key) -> Result<(DefinitionKind, Any)> {
        let definition = contents.get(key)?;
        let Definition {
            id,
            name,
            version,
            container,
            content,
        } = definition;
        let (name, id, version) = (name.clone(), id.clone(), version.clone());
        let defined_in = contents.id_of_container(*container);
        let described = match content {
            Content::Module => Any::new(&ModuleDescription {
                name,
                id,
                defined_in,
                version,
            }),
            Content::Constant(constant) => Any::new(&ConstantDescription {
                name,
                id,
                defined_in,
                version,
                r#type: contents.type_code(key)?,
                value: constant.value.clone(),
            }),
            Content::Exception(_) => Any::new(&self.exception(contents, key)?),
            Content::Attribute(attribute) => {
                Any::new(&attribute_description(contents, key, attribute)?)
            }
            Content::Operation(operation) => Any::new(&self.operation(contents, key, operation)?),
            Content::Interface(interface) => Any::new(&InterfaceDescription {
                name,
                id,
                defined_in,
                version,
                base_interfaces: contents.ids(&interface.bases),
            }),
            Content::Value(value) => Any::new(&ValueDescription {
                name,
                id,
                is_abstract: value.is_abstract,
                is_custom: value.is_custom,
                defined_in,
                version,
                supported_interfaces: contents.ids(&value.supported),
                abstract_base_values: contents.ids(&value.abstract_bases),
                is_truncatable: value.is_truncatable,
                base_value: contents.ids(&value.base).pop().unwrap_or_default(),
            }),
            Content::ValueMember(_) => Any::new(&self.value_member(contents, key)?),
            _ => Any::new(&TypeDescription {
                name,
                id,
                defined_in,
                version,
                r#type: contents.type_code(key)?,
            }),
        };
        let described = described.map_err(|error| incoherent(error.to_string()))?;
        Ok((content.kind(), described))
    }

    pub(super) fn exception(&self, contents: &Contents, key: Key) -> Result<ExceptionDescription> {
        let Definition {
            id,
            name,
            version,
            container,
            ..
        } = contents.get(key)?;
        Ok(ExceptionDescription {
            name: name.clone(),
            id: id.clone(),
            defined_in: contents.id_of_container(*container),
            version: version.clone(),
            r#type: contents.type_code(key)?,
        })
    }

    pub(super) fn exceptions(
        &self,
        contents: &Contents,
        keys: &[Key],
    ) -> Result<Vec<ExceptionDescription>> {
        keys.iter()
            .map(|key| self.exception(contents, *key))
            .collect()
    }

    pub(super) fn parameters(
        &self,
        contents: &Contents,
        parameters: &[Parameter],
    ) -> Result<Vec<ParameterDescription>> {
        let one = |parameter: &Parameter| {
            Ok(ParameterDescription {
                name: parameter.name.clone(),
                r#type: contents.type_code(parameter.ty)?,
                type_def: self.reference(contents, parameter.ty)?,
                mode: match parameter.mode {
                    0 => ParameterMode::ParamIn,
                    1 => ParameterMode::ParamOut,
                    _ => ParameterMode::ParamInout,
                },
            })
        };
        parameters.iter().map(one).collect()
    }

    fn operation(
        &self,
        contents: &Contents,
        key: Key,
        operation: &Operation,
    ) -> Result<OperationDescription> {
        let Definition {
            id,
            name,
            version,
            container,
            ..
        } = contents.get(key)?;
        Ok(OperationDescription {
            name: name.clone(),
            id: id.clone(),
            defined_in: contents.id_of_container(*container),
            version: version.clone(),
            result: contents.type_code(operation.result)?,
            mode: mode(operation),
            contexts: operation.contexts.clone(),
            parameters: self.parameters(contents, &operation.parameters)?,
            exceptions: self.exceptions(contents, &operation.exceptions)?,
        })
    }

    /// All operations of an interface or a value type, inherited ones too.
    pub(super) fn operations(
        &self,
        contents: &Contents,
        key: Key,
    ) -> Result<Vec<OperationDescription>> {
        let mut described = Vec::new();
        for key in contents.contents(key, DefinitionKind::DkOperation, false) {
            if let Content::Operation(operation) = &contents.get(key)?.content {
                described.push(self.operation(contents, key, operation)?);
            }
        }
        Ok(described)
    }

    /// All attributes of an interface or a value type with their exceptions.
    pub(super) fn ext_attributes(
        &self,
        contents: &Contents,
        key: Key,
    ) -> Result<Vec<ExtAttributeDescription>> {
        let attributes = contents.contents(key, DefinitionKind::DkAttribute, false);
        attributes
            .into_iter()
            .map(|key| self.ext_attribute(contents, key))
            .collect()
    }

    pub(super) fn ext_attribute(
        &self,
        contents: &Contents,
        key: Key,
    ) -> Result<ExtAttributeDescription> {
        let Content::Attribute(attribute) = &contents.get(key)?.content else {
            return Err(incoherent("it is no attribute"));
        };
        let plain = attribute_description(contents, key, attribute)?;
        Ok(ExtAttributeDescription {
            name: plain.name,
            id: plain.id,
            defined_in: plain.defined_in,
            version: plain.version,
            r#type: plain.r#type,
            mode: plain.mode,
            get_exceptions: self.exceptions(contents, &attribute.get_exceptions)?,
            put_exceptions: self.exceptions(contents, &attribute.set_exceptions)?,
        })
    }

    pub(super) fn full_interface(
        &self,
        contents: &Contents,
        key: Key,
    ) -> Result<FullInterfaceDescription> {
        let full = self.ext_full_interface(contents, key)?;
        Ok(FullInterfaceDescription {
            name: full.name,
            id: full.id,
            defined_in: full.defined_in,
            version: full.version,
            operations: full.operations,
            attributes: without_exceptions(full.attributes),
            base_interfaces: full.base_interfaces,
            r#type: full.r#type,
        })
    }

    pub(super) fn ext_full_interface(
        &self,
        contents: &Contents,
        key: Key,
    ) -> Result<ExtFullInterfaceDescription> {
        let Definition {
            id,
            name,
            version,
            container,
            content,
        } = contents.get(key)?;
        let Content::Interface(interface) = content else {
            return Err(incoherent("it is no interface"));
        };
        Ok(ExtFullInterfaceDescription {
            name: name.clone(),
            id: id.clone(),
            defined_in: contents.id_of_container(*container),
            version: version.clone(),
            operations: self.operations(contents, key)?,
            attributes: self.ext_attributes(contents, key)?,
            base_interfaces: contents.ids(&interface.bases),
            r#type: contents.type_code(key)?,
        })
    }

    pub(super) fn value_member(&self, contents: &Contents, key: Key) -> Result<ValueMember> {
        let Definition {
            id,
            name,
            version,
            container,
            content,
        } = contents.get(key)?;
        let Content::ValueMember(member) = content else {
            return Err(incoherent("it is no member of a value type"));
        };
        Ok(ValueMember {
            name: name.clone(),
            id: id.clone(),
            defined_in: contents.id_of_container(*container),
            version: version.clone(),
            r#type: contents.type_code(key)?,
            type_def: self.reference(contents, member.ty)?,
            access: match member.is_public {
                true => PUBLIC_MEMBER,
                false => PRIVATE_MEMBER,
            },
        })
    }

    pub(super) fn members(
        &self,
        contents: &Contents,
        members: &[Member],
    ) -> Result<Vec<StructMember>> {
        let one = |member: &Member| {
            Ok(StructMember {
                name: member.name.clone(),
                r#type: contents.type_code(member.ty)?,
                type_def: self.reference(contents, member.ty)?,
            })
        };
        members.iter().map(one).collect()
    }

    pub(super) fn union_members(&self, contents: &Contents, key: Key) -> Result<Vec<UnionMember>> {
        let Content::Union(union) = &contents.get(key)?.content else {
            return Err(incoherent("it is no union"));
        };
        let mut members = Vec::with_capacity(union.members.len());
        for member in &union.members {
            members.push(UnionMember {
                name: member.name.clone(),
                label: member.label.clone(),
                r#type: contents.type_code(member.ty)?,
                type_def: self.reference(contents, member.ty)?,
            });
        }
        Ok(members)
    }

    pub(super) fn initializers(
        &self,
        contents: &Contents,
        initialisers: &[Initialiser],
    ) -> Result<Vec<ExtInitializer>> {
        let one = |initialiser: &Initialiser| {
            Ok(ExtInitializer {
                members: self.members(contents, &initialiser.members)?,
                exceptions: self.exceptions(contents, &initialiser.exceptions)?,
                name: initialiser.name.clone(),
            })
        };
        initialisers.iter().map(one).collect()
    }
}

pub(super) fn plain_initializers(initializers: Vec<ExtInitializer>) -> Vec<Initializer> {
    let plain = initializers.into_iter();
    plain
        .map(|one| Initializer {
            members: one.members,
            name: one.name,
        })
        .collect()
}

pub(super) fn without_exceptions(
    attributes: Vec<ExtAttributeDescription>,
) -> Vec<AttributeDescription> {
    let plain = attributes.into_iter().map(|one| AttributeDescription {
        name: one.name,
        id: one.id,
        defined_in: one.defined_in,
        version: one.version,
        r#type: one.r#type,
        mode: one.mode,
    });
    plain.collect()
}

pub(super) fn mode(operation: &Operation) -> OperationMode {
    match operation.is_oneway {
        true => OperationMode::OpOneway,
        false => OperationMode::OpNormal,
    }
}

pub(super) fn attribute_mode(is_readonly: bool) -> AttributeMode {
    match is_readonly {
        true => AttributeMode::AttrReadonly,
        false => AttributeMode::AttrNormal,
    }
}

fn attribute_description(
    contents: &Contents,
    key: Key,
    attribute: &Attribute,
) -> Result<AttributeDescription> {
    let Definition {
        id,
        name,
        version,
        container,
        ..
    } = contents.get(key)?;
    Ok(AttributeDescription {
        name: name.clone(),
        id: id.clone(),
        defined_in: contents.id_of_container(*container),
        version: version.clone(),
        r#type: contents.type_code(key)?,
        mode: attribute_mode(attribute.is_readonly),
    })
}
