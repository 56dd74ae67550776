//! Operations of containers.

use taut::{Any, Reference, Result};

use super::super::shared::Shared;
use super::Definitions;
use crate::contents::{
    Constant, Content, Contents, Initialiser, Interface, Key, Union, Value, incoherent,
};
use crate::{
    AbstractInterfaceDefRef, AliasDefRef, ConstantDefRef, ContainedRef, Container, DefinitionKind,
    EnumDefRef, ExceptionDefRef, ExtInitializer, ExtValueDefRef, IdlTypeRef, Initializer,
    InterfaceDefRef, LocalInterfaceDefRef, ModuleDefRef, NativeDefRef, StructDefRef, StructMember,
    UnionDefRef, UnionMember, ValueBoxDefRef, ValueDefRef, container,
};

/// The arguments of the creation of a value type, besides its initialisers.
struct GivenValue<'a> {
    is_custom: bool,
    is_abstract: bool,
    base: Option<&'a ValueDefRef>,
    is_truncatable: bool,
    abstract_bases: &'a [Option<ValueDefRef>],
    supported: &'a [Option<InterfaceDefRef>],
}

impl Definitions {
    /// Makes a definition in the container for which the servant is called.
    pub(super) fn create<R: Reference>(
        &self,
        naming: (&str, &str, &str),
        content: impl FnOnce(&Shared, &mut Contents) -> Result<Content>,
    ) -> Result<Option<R>> {
        self.change(|shared, contents, container| {
            let content = content(shared, contents)?;
            let key = contents.create(container, naming, content)?;
            shared.reference(contents, key)
        })
    }

    fn create_interface_of<R: Reference, B: Reference>(
        &self,
        naming: (&str, &str, &str),
        (is_abstract, is_local): (bool, bool),
        bases: &[Option<B>],
    ) -> Result<Option<R>> {
        self.create(naming, |shared, contents| {
            Ok(Content::Interface(Interface {
                is_abstract,
                is_local,
                bases: shared.keys(contents, bases)?,
            }))
        })
    }

    fn create_value_of<R: Reference>(
        &self,
        naming: (&str, &str, &str),
        given: &GivenValue<'_>,
        initialisers: impl FnOnce(&Shared, &Contents) -> Result<Vec<Initialiser>>,
    ) -> Result<Option<R>> {
        self.create(naming, |shared, contents| {
            let base = match given.base {
                Some(base) => vec![shared.key(contents, Some(base))?],
                None => Vec::new(),
            };
            Ok(Content::Value(Value {
                is_custom: given.is_custom,
                is_abstract: given.is_abstract,
                is_truncatable: given.is_truncatable,
                base,
                abstract_bases: shared.keys(contents, given.abstract_bases)?,
                supported: shared.keys(contents, given.supported)?,
                initialisers: initialisers(shared, contents)?,
            }))
        })
    }

    /// A definition that names one other type.
    fn create_of_type<R: Reference>(
        &self,
        naming: (&str, &str, &str),
        ty: Option<&IdlTypeRef>,
        content: impl FnOnce(Key) -> Content,
    ) -> Result<Option<R>> {
        self.create(naming, |shared, contents| {
            Ok(content(shared.key(contents, ty)?))
        })
    }
}

impl Container for Definitions {
    fn lookup(&self, search_name: &str) -> Result<Option<ContainedRef>> {
        self.ask(
            |shared, contents, key| match contents.lookup(key, search_name) {
                Some(found) => shared.reference(contents, found),
                None => Ok(None),
            },
        )
    }

    fn contents(
        &self,
        limit_type: DefinitionKind,
        exclude_inherited: bool,
    ) -> Result<Vec<Option<ContainedRef>>> {
        self.ask(|shared, contents, key| {
            let found = contents.contents(key, limit_type, exclude_inherited);
            shared.all(contents, &found)
        })
    }

    fn lookup_name(
        &self,
        search_name: &str,
        levels_to_search: i32,
        limit_type: DefinitionKind,
        exclude_inherited: bool,
    ) -> Result<Vec<Option<ContainedRef>>> {
        self.ask(|shared, contents, key| {
            let found = contents.lookup_name(
                key,
                search_name,
                levels_to_search,
                limit_type,
                exclude_inherited,
            );
            shared.all(contents, &found)
        })
    }

    fn describe_contents(
        &self,
        limit_type: DefinitionKind,
        exclude_inherited: bool,
        max_returned_objs: i32,
    ) -> Result<Vec<container::Description>> {
        self.ask(|shared, contents, key| {
            let found = contents.contents(key, limit_type, exclude_inherited);
            let most = usize::try_from(max_returned_objs).unwrap_or(usize::MAX);
            let described = found.into_iter().take(most).map(|key| {
                let (kind, value) = shared.describe(contents, key)?;
                let contained_object = shared.reference(contents, key)?;
                Ok(container::Description {
                    contained_object,
                    kind,
                    value,
                })
            });
            described.collect()
        })
    }

    fn create_module(&self, id: &str, name: &str, version: &str) -> Result<Option<ModuleDefRef>> {
        self.create((id, name, version), |_, _| Ok(Content::Module))
    }

    fn create_constant(
        &self,
        id: &str,
        name: &str,
        version: &str,
        r#type: Option<&IdlTypeRef>,
        value: &Any,
    ) -> Result<Option<ConstantDefRef>> {
        self.create((id, name, version), |shared, contents| {
            let ty = shared.key(contents, r#type)?;
            if !value.type_code().equivalent(&contents.type_code(ty)?) {
                return Err(incoherent("the value is not of the constant's type"));
            }
            Ok(Content::Constant(Constant {
                ty,
                value: value.clone(),
            }))
        })
    }

    fn create_struct(
        &self,
        id: &str,
        name: &str,
        version: &str,
        members: &[StructMember],
    ) -> Result<Option<StructDefRef>> {
        self.create((id, name, version), |shared, contents| {
            Ok(Content::Struct(shared.given_members(contents, members)?))
        })
    }

    fn create_union(
        &self,
        id: &str,
        name: &str,
        version: &str,
        discriminator_type: Option<&IdlTypeRef>,
        members: &[UnionMember],
    ) -> Result<Option<UnionDefRef>> {
        self.create((id, name, version), |shared, contents| {
            Ok(Content::Union(Union {
                discriminator: shared.key(contents, discriminator_type)?,
                members: shared.given_union_members(contents, members)?,
            }))
        })
    }

    fn create_enum(
        &self,
        id: &str,
        name: &str,
        version: &str,
        members: &[String],
    ) -> Result<Option<EnumDefRef>> {
        self.create((id, name, version), |_, _| {
            Ok(Content::Enum(members.to_vec()))
        })
    }

    fn create_alias(
        &self,
        id: &str,
        name: &str,
        version: &str,
        original_type: Option<&IdlTypeRef>,
    ) -> Result<Option<AliasDefRef>> {
        self.create_of_type((id, name, version), original_type, Content::Alias)
    }

    fn create_interface(
        &self,
        id: &str,
        name: &str,
        version: &str,
        base_interfaces: &[Option<InterfaceDefRef>],
    ) -> Result<Option<InterfaceDefRef>> {
        self.create_interface_of((id, name, version), (false, false), base_interfaces)
    }

    fn create_value(
        &self,
        id: &str,
        name: &str,
        version: &str,
        is_custom: bool,
        is_abstract: bool,
        base_value: Option<&ValueDefRef>,
        is_truncatable: bool,
        abstract_base_values: &[Option<ValueDefRef>],
        supported_interfaces: &[Option<InterfaceDefRef>],
        initializers: &[Initializer],
    ) -> Result<Option<ValueDefRef>> {
        let given = GivenValue {
            is_custom,
            is_abstract,
            base: base_value,
            is_truncatable,
            abstract_bases: abstract_base_values,
            supported: supported_interfaces,
        };
        let initializers = with_exceptions(initializers);
        self.create_value_of((id, name, version), &given, |shared, contents| {
            shared.given_initializers(contents, &initializers)
        })
    }

    fn create_value_box(
        &self,
        id: &str,
        name: &str,
        version: &str,
        original_type_def: Option<&IdlTypeRef>,
    ) -> Result<Option<ValueBoxDefRef>> {
        self.create_of_type((id, name, version), original_type_def, Content::ValueBox)
    }

    fn create_exception(
        &self,
        id: &str,
        name: &str,
        version: &str,
        members: &[StructMember],
    ) -> Result<Option<ExceptionDefRef>> {
        self.create((id, name, version), |shared, contents| {
            Ok(Content::Exception(shared.given_members(contents, members)?))
        })
    }

    fn create_native(&self, id: &str, name: &str, version: &str) -> Result<Option<NativeDefRef>> {
        self.create((id, name, version), |_, _| Ok(Content::Native))
    }

    fn create_abstract_interface(
        &self,
        id: &str,
        name: &str,
        version: &str,
        base_interfaces: &[Option<AbstractInterfaceDefRef>],
    ) -> Result<Option<AbstractInterfaceDefRef>> {
        self.create_interface_of((id, name, version), (true, false), base_interfaces)
    }

    fn create_local_interface(
        &self,
        id: &str,
        name: &str,
        version: &str,
        base_interfaces: &[Option<InterfaceDefRef>],
    ) -> Result<Option<LocalInterfaceDefRef>> {
        self.create_interface_of((id, name, version), (false, true), base_interfaces)
    }

    fn create_ext_value(
        &self,
        id: &str,
        name: &str,
        version: &str,
        is_custom: bool,
        is_abstract: bool,
        base_value: Option<&ValueDefRef>,
        is_truncatable: bool,
        abstract_base_values: &[Option<ValueDefRef>],
        supported_interfaces: &[Option<InterfaceDefRef>],
        initializers: &[ExtInitializer],
    ) -> Result<Option<ExtValueDefRef>> {
        let given = GivenValue {
            is_custom,
            is_abstract,
            base: base_value,
            is_truncatable,
            abstract_bases: abstract_base_values,
            supported: supported_interfaces,
        };
        self.create_value_of((id, name, version), &given, |shared, contents| {
            shared.given_initializers(contents, initializers)
        })
    }
}

/// Initialisers that raise nothing.
pub(super) fn with_exceptions(initializers: &[Initializer]) -> Vec<ExtInitializer> {
    let all = initializers.iter().map(|one| ExtInitializer {
        members: one.members.clone(),
        exceptions: Vec::new(),
        name: one.name.clone(),
    });
    all.collect()
}
