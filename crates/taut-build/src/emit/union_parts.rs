//! The parts of a union's code.

use taut_idl::model::{DefinitionId, Member, Type, Union};

use crate::code::{Code, Ident};
use crate::names::ident;
use crate::scope::Scope;
use crate::selection::{self, Discriminator, Selection};
use crate::types::{self, Traits};

/// A union's name, its discriminator and its variants.
pub(super) struct UnionParts<'a> {
    pub(super) scope: &'a Scope<'a>,
    pub(super) name: Ident,
    pub(super) ty: Type,
    /// The discriminator, and its type in IDL and in Rust.
    pub(super) discriminator: Discriminator,
    pub(super) discriminator_type: &'a Type,
    pub(super) discriminator_rust: Code,
    pub(super) traits: Traits,
    pub(super) variants: Vec<Variant<'a>>,
}

pub(super) struct Variant<'a> {
    pub(super) name: &'a str,
    pub(super) ident: Ident,
    pub(super) member: Option<&'a Member>,
    pub(super) selection: Selection,
}

impl<'a> UnionParts<'a> {
    pub(super) fn new(scope: &'a Scope<'a>, id: DefinitionId, union: &'a Union) -> Self {
        let names = scope.names.of(id);
        let variants = selection::variants(scope.model, union)
            .into_iter()
            .zip(&names.members)
            .map(|(variant, name)| Variant {
                name,
                ident: ident(name),
                member: variant.member,
                selection: variant.selection,
            })
            .collect();
        Self {
            scope,
            name: ident(&names.ident),
            ty: Type::Named(id),
            discriminator: Discriminator::of(scope.model, union),
            discriminator_type: &union.discriminator,
            discriminator_rust: types::owned(scope, &union.discriminator),
            traits: types::traits(scope.model, std::iter::once(&Type::Named(id))),
            variants,
        }
    }
}
