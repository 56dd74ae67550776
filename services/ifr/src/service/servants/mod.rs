//! The servant of all definitions.

mod containers;
mod features;
mod interfaces;
mod names;
mod repository;
mod types;
mod values;

use std::sync::Arc;

use taut::SystemException;

use super::shared::Shared;
use crate::contents::{Contents, Initialiser, Key, LabelledMember, Member, Parameter};
use crate::{ExtInitializer, IdlTypeRef, ParameterDescription, StructMember, UnionMember};

/// The servant that stands for each definition; the object id of a request says for which.
#[derive(Debug)]
pub(super) struct Definitions {
    shared: Arc<Shared>,
}

impl Definitions {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// Answers a question about the definition for which the servant is called.
    fn ask<T>(
        &self,
        answer: impl FnOnce(&Shared, &Contents, Key) -> Result<T, SystemException>,
    ) -> Result<T, SystemException> {
        let key = self.shared.own()?;
        let contents = self.shared.read();
        if !contents.has(key) {
            contents.get(key)?;
        }
        answer(&self.shared, &contents, key)
    }

    /// Carries out a change of the definition for which the servant is called.
    fn change<T>(
        &self,
        change: impl FnOnce(&Shared, &mut Contents, Key) -> Result<T, SystemException>,
    ) -> Result<T, SystemException> {
        let key = self.shared.own()?;
        self.shared.change(|contents| {
            if !contents.has(key) {
                contents.get(key)?;
            }
            change(&self.shared, contents, key)
        })
    }

    /// The type of the definition for which the servant is called.
    fn own_type(&self) -> taut::Result<taut::TypeCode> {
        self.ask(|_, contents, key| contents.type_code(key))
    }
}

impl Shared {
    /// The members that a client gives; their types are those of `type_def`.
    fn given_members(
        &self,
        contents: &Contents,
        members: &[StructMember],
    ) -> Result<Vec<Member>, SystemException> {
        let one = |member: &StructMember| {
            let ty = self.key(contents, member.type_def.as_ref())?;
            Ok(Member {
                name: member.name.clone(),
                ty,
            })
        };
        members.iter().map(one).collect()
    }

    fn given_union_members(
        &self,
        contents: &Contents,
        members: &[UnionMember],
    ) -> Result<Vec<LabelledMember>, SystemException> {
        let one = |member: &UnionMember| {
            Ok(LabelledMember {
                name: member.name.clone(),
                label: member.label.clone(),
                ty: self.key(contents, member.type_def.as_ref())?,
            })
        };
        members.iter().map(one).collect()
    }

    fn given_parameters(
        &self,
        contents: &Contents,
        parameters: &[ParameterDescription],
    ) -> Result<Vec<Parameter>, SystemException> {
        let one = |parameter: &ParameterDescription| {
            Ok(Parameter {
                name: parameter.name.clone(),
                ty: self.key(contents, parameter.type_def.as_ref())?,
                mode: parameter.mode as u32,
            })
        };
        parameters.iter().map(one).collect()
    }

    fn given_initializers(
        &self,
        contents: &Contents,
        initializers: &[ExtInitializer],
    ) -> Result<Vec<Initialiser>, SystemException> {
        let one = |initializer: &ExtInitializer| {
            let exceptions = initializer.exceptions.iter();
            Ok(Initialiser {
                name: initializer.name.clone(),
                members: self.given_members(contents, &initializer.members)?,
                exceptions: exceptions
                    .map(|exception| with_id(contents, &exception.id))
                    .collect::<Result<_, _>>()?,
            })
        };
        initializers.iter().map(one).collect()
    }

    /// The reference to the type of a definition.
    fn type_def(
        &self,
        contents: &Contents,
        ty: Key,
    ) -> Result<Option<IdlTypeRef>, SystemException> {
        self.reference(contents, ty)
    }
}

/// The definition with a repository id that a client names.
fn with_id(contents: &Contents, id: &str) -> Result<Key, SystemException> {
    let found = contents.with_id(id);
    found.ok_or_else(|| crate::contents::incoherent(format!("there is no definition {id}")))
}
