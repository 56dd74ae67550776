//! Claims to Rust names, and where two are to the same one.

use std::collections::{BTreeSet, HashMap};

use taut_idl::source::Span;

use super::path::ModulePath;
use crate::fault::{GenerateError, GenerateErrorKind};

/// Rust keeps types and modules apart from constants and constructors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Namespace {
    /// Types, traits, modules.
    Type,
    /// Constants, and the constructors of structs without named fields.
    Value,
}

/// The claimant of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Claimant {
    /// The description of the claimant, for people: "struct `demo::Point`".
    pub(super) description: String,
    /// The name by which `rename` is told of it.
    pub(super) scoped_name: String,
    pub(super) span: Span,
}

impl Claimant {
    /// Something that comes with the claimant: "the error type of …".
    pub(super) fn part(&self, part: &str) -> Self {
        Self {
            description: format!("{part} of the {}", self.description),
            ..self.clone()
        }
    }
}

/// Two that would have one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Collision {
    pub(super) name: String,
    /// The first claimant.
    pub(super) first: Claimant,
    pub(super) second: Claimant,
    /// Whether the code of what holds both is generated elsewhere.
    pub(super) is_external: bool,
}

/// The names of the modules of the generated file, and of those elsewhere.
#[derive(Debug, Default)]
pub(super) struct Claims {
    holders: HashMap<(ModulePath, Namespace, String), Claimant>,
    pub(super) taken: BTreeSet<String>,
}

impl Claims {
    /// Claims a name in a module.
    pub(super) fn claim(
        &mut self,
        module: &ModulePath,
        namespace: Namespace,
        name: &str,
        claimant: &Claimant,
        collisions: &mut Vec<Collision>,
    ) {
        let is_external = module.external.is_some();
        if !is_external {
            self.taken.insert(name.to_owned());
        }
        let key = (module.clone(), namespace, name.to_owned());
        match self.holders.get(&key) {
            Some(first) => collisions.push(Collision {
                name: name.to_owned(),
                first: first.clone(),
                second: claimant.clone(),
                is_external,
            }),
            None => {
                self.holders.insert(key, claimant.clone());
            }
        }
    }
}

/// The names within one definition: members, parameters, methods.
#[derive(Debug, Default)]
pub(super) struct LocalClaims {
    holders: HashMap<String, Claimant>,
    /// Whether the code of the definition is generated elsewhere.
    is_external: bool,
}

impl LocalClaims {
    pub(super) fn new(is_external: bool) -> Self {
        Self {
            holders: HashMap::new(),
            is_external,
        }
    }

    /// Claims a name.
    pub(super) fn claim(
        &mut self,
        name: &str,
        claimant: Claimant,
        collisions: &mut Vec<Collision>,
    ) {
        match self.holders.get(name) {
            Some(first) => {
                let collision = Collision {
                    name: name.to_owned(),
                    first: first.clone(),
                    second: claimant,
                    is_external: self.is_external,
                };
                // Interfaces that inherit a collision do not report it again.
                if !collisions.contains(&collision) {
                    collisions.push(collision);
                }
            }
            None => {
                self.holders.insert(name.to_owned(), claimant);
            }
        }
    }
}

impl From<Collision> for GenerateError {
    fn from(collision: Collision) -> Self {
        let Collision {
            name,
            first,
            second,
            ..
        } = collision;
        let message = format!(
            "the {} and the {} would both be `{name}` in Rust",
            first.description, second.description
        );
        Self::new(GenerateErrorKind::NameCollision, message)
            .at(
                second.span,
                format!("the {} becomes `{name}`", second.description),
            )
            .at(first.span, format!("so does the {}", first.description))
            .help(format!(
                "give one of them another name in build.rs: \
                 `Config::new().rename(\"{}\", \"another_name\")`",
                second.scoped_name
            ))
    }
}
