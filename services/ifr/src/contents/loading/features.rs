//! Operations, attributes, state members and initialisers.

use std::collections::BTreeSet;

use taut_idl::model::{
    Attribute as DeclaredAttribute, DefinitionId, DefinitionKind, Factory, Feature,
    Operation as DeclaredOperation, ParameterMode, StateMember, Visibility,
};

use super::super::record::{
    Attribute, Content, Definition, Initialiser, Key, Member, Operation, Parameter, ValueMember,
};
use super::{Loading, Result};
use crate::PrimitiveKind;

impl Loading<'_> {
    /// Enters the operations, attributes and state members of an interface or a value type, and
    /// removes those that it has no more.
    pub(super) fn features(
        &mut self,
        container: Key,
        name: &str,
        features: &[Feature],
        state: &[StateMember],
    ) -> Result<()> {
        let mut entered = BTreeSet::new();
        for feature in features {
            let (simple, content) = match feature {
                Feature::Operation(operation) => (
                    &operation.name,
                    Content::Operation(self.operation(operation, name)?),
                ),
                Feature::Attribute(attribute) => (
                    &attribute.name,
                    Content::Attribute(self.attribute(attribute, name)?),
                ),
            };
            entered.insert(self.feature(container, name, simple, content)?);
        }
        for member in state {
            let content = Content::ValueMember(ValueMember {
                ty: self.ty(&member.member.ty, name)?,
                is_public: member.visibility == Visibility::Public,
            });
            entered.insert(self.feature(container, name, &member.member.name, content)?);
        }
        self.remove_others(container, &entered);
        Ok(())
    }

    /// Enters one; its id is that of the container with the name behind it.
    fn feature(
        &mut self,
        container: Key,
        scope: &str,
        simple: &str,
        content: Content,
    ) -> Result<Key> {
        let scoped = format!("{scope}::{simple}");
        let outer = self.contents.get(container);
        let outer = outer.map_err(|exception| self.refused(&scoped, exception))?;
        let (id, version) = (id_within(&outer.id, simple), outer.version.clone());
        let known = self.contents.with_id(&id);
        if let Some(key) = known {
            let before = self.contents.anonymous_of(&BTreeSet::from([key]));
            self.replaced.extend(before);
        }
        let definition = Definition {
            id,
            name: simple.to_owned(),
            version,
            container,
            content,
        };
        let key = self.place(&scoped, definition.clone())?;
        self.contents.put(key, definition);
        Ok(key)
    }

    /// Removes the operations, attributes and state members of a container but for these.
    fn remove_others(&mut self, container: Key, entered: &BTreeSet<Key>) {
        let children: Vec<_> = self.contents.children(container).collect();
        for key in children {
            let is_feature = self.contents.get(key).is_ok_and(|one| {
                matches!(
                    one.content,
                    Content::Operation(_) | Content::Attribute(_) | Content::ValueMember(_)
                )
            });
            if is_feature && !entered.contains(&key) {
                let before = self.contents.anonymous_of(&BTreeSet::from([key]));
                self.replaced.extend(before);
                self.contents.remove(key);
            }
        }
    }

    fn operation(&mut self, declared: &DeclaredOperation, name: &str) -> Result<Operation> {
        let mut parameters = Vec::new();
        for parameter in declared.parameters.iter() {
            parameters.push(Parameter {
                name: parameter.name.to_string(),
                ty: self.ty(&parameter.ty, name)?,
                mode: match parameter.mode {
                    ParameterMode::In => 0,
                    ParameterMode::Out => 1,
                    ParameterMode::InOut => 2,
                },
            });
        }
        Ok(Operation {
            result: match &declared.result {
                Some(result) => self.ty(result, name)?,
                None => Key::primitive(PrimitiveKind::PkVoid),
            },
            is_oneway: declared.oneway,
            parameters,
            contexts: declared.context.iter().map(ToString::to_string).collect(),
            exceptions: self.exceptions(&declared.raises, name)?,
        })
    }

    fn attribute(&mut self, declared: &DeclaredAttribute, name: &str) -> Result<Attribute> {
        Ok(Attribute {
            ty: self.ty(&declared.ty, name)?,
            is_readonly: declared.readonly,
            get_exceptions: self.exceptions(&declared.get_raises, name)?,
            set_exceptions: self.exceptions(&declared.set_raises, name)?,
        })
    }

    pub(super) fn initialisers(
        &mut self,
        factories: &[Factory],
        name: &str,
    ) -> Result<Vec<Initialiser>> {
        let mut made = Vec::new();
        for factory in factories {
            let mut members = Vec::new();
            for parameter in factory.parameters.iter() {
                members.push(Member {
                    name: parameter.name.to_string(),
                    ty: self.ty(&parameter.ty, name)?,
                });
            }
            made.push(Initialiser {
                name: factory.name.to_string(),
                members,
                exceptions: self.exceptions(&factory.raises, name)?,
            });
        }
        Ok(made)
    }

    /// The exceptions that may be raised. Native types, which may be among them, are none.
    fn exceptions(&self, raises: &[DefinitionId], name: &str) -> Result<Vec<Key>> {
        let is_native =
            |id: &&DefinitionId| matches!(self.model.get(**id).kind, DefinitionKind::Native);
        let raises = raises.iter().filter(|id| !is_native(id));
        raises.map(|id| self.key(*id, name)).collect()
    }
}

/// The repository id of what is named within the definition with another one:
/// `IDL:A/B/name:1.0`.
fn id_within(outer: &str, name: &str) -> String {
    let version = outer.rsplit_once(':').filter(|_| outer.starts_with("IDL:"));
    match version {
        Some((path, version)) if path.len() > "IDL:".len() => format!("{path}/{name}:{version}"),
        _ => format!("{outer}/{name}"),
    }
}
