//! The rules of single definitions.

use std::collections::{BTreeMap, BTreeSet};

use taut::SystemException;

use super::{Content, Contents, Definition, Key, Operation, Value, bad_param, incoherent};
use crate::PrimitiveKind;

impl Contents {
    /// Checks the definitions that refer to one that has changed, directly or by way of others,
    /// and those that inherit from them or contain them.
    pub(super) fn check_dependents(&self, changed: Key) -> Result<(), SystemException> {
        let mut dependents: BTreeMap<Key, Vec<Key>> = BTreeMap::new();
        for (key, definition) in &self.definitions {
            definition.references(&mut |used| dependents.entry(used).or_default().push(*key));
            // Features are a part of what they are in.
            if matches!(
                definition.content,
                Content::Operation(_) | Content::Attribute(_) | Content::ValueMember(_)
            ) {
                dependents
                    .entry(*key)
                    .or_default()
                    .push(definition.container);
            }
        }
        let mut known = BTreeSet::from([changed]);
        let mut next = vec![changed];
        while let Some(key) = next.pop() {
            for dependent in dependents.get(&key).into_iter().flatten() {
                if known.insert(*dependent) {
                    self.check_content(*dependent)?;
                    next.push(*dependent);
                }
            }
        }
        Ok(())
    }

    /// Checks all definitions but those that the change has touched.
    ///
    /// # Errors
    ///
    /// The first that is incoherent, and why.
    pub(super) fn check_others(&self) -> Result<(), (Key, SystemException)> {
        let others = self.definitions.keys();
        let mut others = others.filter(|key| !self.before.contains_key(key));
        others.try_for_each(|key| self.check_content(*key).map_err(|error| (*key, error)))
    }

    /// Checks what a definition says: whether others may stand where it has them, and whether
    /// its type is one.
    pub(super) fn check_content(&self, key: Key) -> Result<(), SystemException> {
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
    pub(super) fn check_nesting(&self, key: Key) -> Result<(), SystemException> {
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
