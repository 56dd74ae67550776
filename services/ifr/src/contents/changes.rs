//! The making and changing of definitions.

use std::collections::BTreeSet;

use taut::SystemException;

use super::names::Naming;
use super::{Content, Contents, Definition, Key, Operation, Value, bad_param, incoherent};
use crate::PrimitiveKind;

impl Contents {
    /// Makes a definition with a name.
    ///
    /// # Errors
    ///
    /// BAD_PARAM and IMP_LIMIT, as of `check`; BAD_PARAM when it refers to what cannot stand
    /// there; BAD_TYPECODE when the type cannot be.
    pub(crate) fn create(
        &mut self,
        container: Key,
        (id, name, version): (&str, &str, &str),
        content: Content,
    ) -> Result<Key, SystemException> {
        let naming = Naming { id, name, version };
        self.check(container, naming, &content, None)?;
        let key = self.add(Definition {
            id: id.to_owned(),
            name: name.to_owned(),
            version: version.to_owned(),
            container,
            content,
        })?;
        self.check_content(key)?;
        Ok(key)
    }

    /// Makes a type without a name.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create).
    pub(crate) fn create_anonymous(&mut self, content: Content) -> Result<Key, SystemException> {
        let key = self.add(anonymous(content))?;
        self.check_content(key)?;
        Ok(key)
    }

    /// Lets `change` change a definition. Types without names that it no longer uses end.
    ///
    /// # Errors
    ///
    /// Those of `change`, and as [`create`](Self::create).
    pub(crate) fn alter(
        &mut self,
        key: Key,
        change: impl FnOnce(&mut Content) -> Result<(), SystemException>,
    ) -> Result<(), SystemException> {
        let used = self.anonymous_of(&BTreeSet::from([key]));
        let mut definition = self.get(key)?.clone();
        change(&mut definition.content)?;
        self.put(key, definition);
        self.check_content(key)?;
        self.remove_unused(used);
        Ok(())
    }

    /// Gives a definition another id.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create).
    pub(crate) fn set_id(&mut self, key: Key, id: &str) -> Result<(), SystemException> {
        self.check_id(id, Some(key))?;
        let mut definition = self.get(key)?.clone();
        id.clone_into(&mut definition.id);
        self.put(key, definition);
        Ok(())
    }

    /// Gives a definition another name.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create).
    pub(crate) fn set_name(&mut self, key: Key, name: &str) -> Result<(), SystemException> {
        let mut definition = self.get(key)?.clone();
        self.check_name(definition.container, name, Some(key))?;
        name.clone_into(&mut definition.name);
        self.put(key, definition);
        Ok(())
    }

    /// Gives a definition another version.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create).
    pub(crate) fn set_version(&mut self, key: Key, version: &str) -> Result<(), SystemException> {
        self.check_text(version)?;
        let mut definition = self.get(key)?.clone();
        version.clone_into(&mut definition.version);
        self.put(key, definition);
        Ok(())
    }

    /// Moves a definition with all that is in it into another container.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create); BAD_PARAM with the standard's minor code 4 when the container
    /// is within the definition.
    pub(crate) fn relocate(
        &mut self,
        key: Key,
        container: Key,
        name: &str,
        version: &str,
    ) -> Result<(), SystemException> {
        let mut definition = self.get(key)?.clone();
        if self.is_within(container, key) {
            return Err(bad_param(4));
        }
        let id = definition.id.clone();
        let naming = Naming {
            id: &id,
            name,
            version,
        };
        self.check(container, naming, &definition.content, Some(key))?;
        name.clone_into(&mut definition.name);
        version.clone_into(&mut definition.version);
        definition.container = container;
        self.put(key, definition);
        self.check_nesting(key)
    }

    /// Checks what a definition says: whether others may stand where it has them, and whether
    /// its type is one.
    fn check_content(&self, key: Key) -> Result<(), SystemException> {
        let definition = self.get(key)?;
        match &definition.content {
            Content::Module | Content::Native | Content::ValueMember(_) => {}
            Content::Struct(members) | Content::Exception(members) => {
                members
                    .iter()
                    .try_for_each(|one| self.check_identifier(&one.name))?;
            }
            Content::Enum(names) => {
                names
                    .iter()
                    .try_for_each(|one| self.check_identifier(one))?;
            }
            Content::Union(union) => {
                let mut members = union.members.iter();
                members.try_for_each(|one| self.check_identifier(&one.name))?;
            }
            Content::Attribute(attribute) => {
                let exceptions = attribute.get_exceptions.iter();
                self.check_exceptions(exceptions.chain(&attribute.set_exceptions))?;
            }
            Content::Operation(operation) => self.check_operation(operation)?,
            Content::Interface(interface) => {
                self.check_bases(key, &interface.bases, |one| match one {
                    Content::Interface(base) => match (interface.is_abstract, interface.is_local) {
                        (true, _) => base.is_abstract.then_some(()).ok_or_else(|| bad_param(11)),
                        (_, true) => Ok(()),
                        _ => (!base.is_local).then_some(()).ok_or_else(|| bad_param(4)),
                    },
                    _ => Err(incoherent("a base is no interface")),
                })?;
            }
            Content::Value(value) => self.check_value(key, value)?,
            _ => {}
        }
        match &definition.content {
            Content::Module | Content::Operation(_) => {}
            _ => drop(self.type_code(key)?),
        }
        self.check_types(definition)
    }

    /// Checks that whatever stands for a type is one.
    fn check_types(&self, definition: &Definition) -> Result<(), SystemException> {
        let is_type = |key: Key| match key.as_primitive() {
            Some(PrimitiveKind::PkNull | PrimitiveKind::PkVoid) => false,
            Some(_) => true,
            None => self.get(key).is_ok_and(|one| one.content.is_type()),
        };
        let types: Vec<Key> = match &definition.content {
            Content::Constant(constant) => vec![constant.ty],
            Content::Struct(members) | Content::Exception(members) => {
                members.iter().map(|one| one.ty).collect()
            }
            Content::Union(union) => union.members.iter().map(|one| one.ty).collect(),
            Content::Alias(ty) | Content::ValueBox(ty) => vec![*ty],
            Content::Attribute(attribute) => vec![attribute.ty],
            Content::Operation(operation) => {
                operation.parameters.iter().map(|one| one.ty).collect()
            }
            Content::ValueMember(member) => vec![member.ty],
            Content::Sequence(collection) | Content::Array(collection) => vec![collection.element],
            _ => Vec::new(),
        };
        match types.into_iter().all(is_type) {
            true => Ok(()),
            false => Err(incoherent(
                "a definition that is no type stands where a type must",
            )),
        }
    }

    fn check_operation(&self, operation: &Operation) -> Result<(), SystemException> {
        let void = Key::primitive(PrimitiveKind::PkVoid);
        let mut parameters = operation.parameters.iter();
        let returns = operation.result != void || parameters.any(|one| one.mode != 0);
        if operation.is_oneway && (returns || !operation.exceptions.is_empty()) {
            return Err(bad_param(31));
        }
        if operation.result != void {
            let result = operation.result;
            let is_primitive = result.as_primitive().is_some();
            if !is_primitive && !self.get(result)?.content.is_type() {
                return Err(incoherent("the result is no type"));
            }
            self.type_code(result)?;
        }
        for parameter in &operation.parameters {
            self.check_identifier(&parameter.name)?;
            self.type_code(parameter.ty)?;
        }
        operation
            .contexts
            .iter()
            .try_for_each(|one| self.check_text(one))?;
        self.check_exceptions(operation.exceptions.iter())
    }

    fn check_exceptions<'k>(
        &self,
        mut keys: impl Iterator<Item = &'k Key>,
    ) -> Result<(), SystemException> {
        keys.try_for_each(|key| match self.get(*key)?.content {
            Content::Exception(_) => Ok(()),
            _ => Err(incoherent("an exception is of another kind")),
        })
    }

    /// Checks the bases of a definition: that none leads back to it, and that names do not clash.
    fn check_bases(
        &self,
        key: Key,
        bases: &[Key],
        check: impl Fn(&Content) -> Result<(), SystemException>,
    ) -> Result<(), SystemException> {
        for base in bases {
            check(&self.get(*base)?.content)?;
        }
        if self.all_bases(key).contains(&key) {
            return Err(incoherent("it would inherit from itself"));
        }
        // Two inherited operations or attributes may not have the same name, nor may one that is
        // inherited and one of its own.
        let mut names = BTreeSet::new();
        for feature in self.scope(key, false) {
            let one = self.get(feature)?;
            let is_feature = matches!(one.content, Content::Operation(_) | Content::Attribute(_));
            if is_feature && !names.insert(one.name.to_ascii_lowercase()) {
                return Err(bad_param(5));
            }
        }
        Ok(())
    }

    fn check_value(&self, key: Key, value: &Value) -> Result<(), SystemException> {
        let base = |wants_abstract: bool| {
            move |one: &Content| match one {
                Content::Value(base) if base.is_abstract == wants_abstract => Ok(()),
                _ => Err(incoherent("a base of a value type is of another kind")),
            }
        };
        self.check_bases(key, &value.base, base(false))?;
        self.check_bases(key, &value.abstract_bases, base(true))?;
        let mut concrete = 0;
        for supported in &value.supported {
            match &self.get(*supported)?.content {
                Content::Interface(interface) => concrete += usize::from(!interface.is_abstract),
                _ => return Err(incoherent("a value type supports what is no interface")),
            }
        }
        if concrete > 1 {
            return Err(bad_param(12));
        }
        for initialiser in &value.initialisers {
            self.check_identifier(&initialiser.name)?;
            for member in &initialiser.members {
                self.check_identifier(&member.name)?;
                self.type_code(member.ty)?;
            }
            self.check_exceptions(initialiser.exceptions.iter())?;
        }
        Ok(())
    }

    /// Checks how deeply what is in a definition nests.
    fn check_nesting(&self, key: Key) -> Result<(), SystemException> {
        let mut level = vec![key];
        while !level.is_empty() {
            for one in &level {
                let definition = self.get(*one)?;
                self.check_container(definition.container, &definition.content)?;
            }
            level = level.iter().flat_map(|one| self.children(*one)).collect();
        }
        Ok(())
    }
}

/// The record of a type without a name.
pub(super) fn anonymous(content: Content) -> Definition {
    Definition {
        id: String::new(),
        name: String::new(),
        version: String::new(),
        container: Key::REPOSITORY,
        content,
    }
}
