//! Who has which Rust name, and the quarrels about it.

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

/// Who claims a name.
#[derive(Debug, Clone)]
pub(super) struct Claimant {
    /// What it is, for people: "struct `demo::Point`".
    pub(super) description: String,
    /// What the name to be given to `rename` is.
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

/// The names of the modules of the generated file.
#[derive(Debug, Default)]
pub(super) struct Claims {
    holders: HashMap<(ModulePath, Namespace, String), Claimant>,
    pub(super) taken: BTreeSet<String>,
}

impl Claims {
    /// Claims a name in a module. Names outside the generated file are free.
    pub(super) fn claim(
        &mut self,
        module: &ModulePath,
        namespace: Namespace,
        name: &str,
        claimant: &Claimant,
        errors: &mut Vec<GenerateError>,
    ) {
        if module.external.is_some() {
            return;
        }
        self.taken.insert(name.to_owned());
        let key = (module.clone(), namespace, name.to_owned());
        match self.holders.get(&key) {
            Some(holder) => errors.push(collision(name, holder, claimant)),
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
}

impl LocalClaims {
    /// Claims a name.
    pub(super) fn claim(
        &mut self,
        name: &str,
        claimant: Claimant,
        errors: &mut Vec<GenerateError>,
    ) {
        match self.holders.get(name) {
            Some(holder) => {
                let error = collision(name, holder, &claimant);
                // Interfaces that inherit a collision do not report it again.
                if !errors.contains(&error) {
                    errors.push(error);
                }
            }
            None => {
                self.holders.insert(name.to_owned(), claimant);
            }
        }
    }
}

fn collision(name: &str, first: &Claimant, second: &Claimant) -> GenerateError {
    let message = format!(
        "the {} and the {} would both be `{name}` in Rust",
        first.description, second.description
    );
    GenerateError::new(GenerateErrorKind::NameCollision, message)
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
