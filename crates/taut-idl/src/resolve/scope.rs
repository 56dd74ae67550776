//! Scopes and the names in them.

use std::sync::Arc;

use arcstr::ArcStr;

use super::Resolver;
use super::entity::{Bound, Entity, ScopeId};
use super::name_table::{Entry, Introduced, NameTable};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::model::{DefinitionId, DefinitionKind, Path};
use crate::syntax::Name;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScopeKind {
    File,
    Module,
    /// An interface, a value type, or something with ports.
    Interface,
    /// A struct, a union or an exception.
    Members,
    /// The parameters of an operation.
    Parameters,
    /// The parameters of a template module.
    Template,
}

#[derive(Debug)]
pub(super) struct Scope {
    pub(super) kind: ScopeKind,
    pub(super) name: ArcStr,
    pub(super) parent: Option<ScopeId>,
    pub(super) definition: Option<DefinitionId>,
    /// Its name with those around it, once that has been asked for.
    pub(super) path: Option<Arc<Path>>,
    pub(super) names: NameTable,
    pub(super) introduced: Introduced,
    /// The scopes of the direct bases of an interface, value type or struct.
    pub(super) bases: Vec<ScopeId>,
    /// How many scopes it inherits from, or more: those that it inherits from by
    /// two ways may count twice.
    pub(super) ancestors: usize,
    /// Whether another inherits from it.
    pub(super) is_base: bool,
    /// Whether it may inherit names that are not known, a base being faulty.
    pub(super) opaque: bool,
}

impl Scope {
    pub(super) fn new(
        kind: ScopeKind,
        name: ArcStr,
        parent: Option<ScopeId>,
        definition: Option<DefinitionId>,
    ) -> Self {
        Self {
            kind,
            name,
            parent,
            definition,
            path: None,
            names: NameTable::default(),
            introduced: Introduced::default(),
            bases: Vec::new(),
            ancestors: 0,
            is_base: false,
            opaque: false,
        }
    }
}

impl Resolver<'_> {
    /// Gives a name a meaning in the current scope, once it may have it.
    pub(super) fn register(&mut self, name: &Name, entity: Entity) {
        let poisoned = |entry: &Entry| entry.entity == Entity::Poisoned;
        let taken = self
            .scope(self.current)
            .names
            .get(&name.text)
            .filter(|entry| !poisoned(entry));
        if entity == Entity::Poisoned && taken.is_some() {
            return;
        }
        let entry = Entry {
            spelling: name.text.clone(),
            span: name.span,
            entity,
        };
        if let Some(taken) = taken.cloned() {
            self.report_redefinition(name, &taken);
            return;
        }
        if entity != Entity::Poisoned
            && let Some(diagnostic) = self.clash(name, entity)
        {
            self.diagnostics.push(diagnostic);
        }
        self.scopes[self.current.index()].names.insert(entry);
    }

    /// The name in the current scope itself, if it has a sound meaning.
    pub(super) fn own(&self, name: &Name) -> Option<&Entry> {
        self.scope(self.current)
            .names
            .get(&name.text)
            .filter(|entry| entry.entity != Entity::Poisoned)
    }

    fn report_redefinition(&mut self, name: &Name, taken: &Entry) {
        let text = &name.text;
        let what = self.describe(taken.entity);
        let diagnostic = if *text == taken.spelling {
            let message = match taken.entity {
                Entity::Member
                | Entity::StateMember
                | Entity::Parameter
                | Entity::Enumerator(..) => {
                    format!("the {what} `{text}` is defined twice")
                }
                _ => format!("`{text}` is already defined as {}", with_article(what)),
            };
            Diagnostic::error(DiagnosticCode::Redefinition, message, name.span)
                .label("defined again here")
        } else {
            let message = format!(
                "`{text}` differs in case only from the {what} `{}`",
                taken.spelling
            );
            Diagnostic::error(DiagnosticCode::NameCase, message, name.span)
                .help("IDL takes names that differ in case only for the same")
        };
        self.diagnostics
            .push(diagnostic.also(taken.span, "first defined here"));
    }

    /// Returns the fault of a name that is new to the current scope, if it has one.
    fn clash(&self, name: &Name, entity: Entity) -> Option<Diagnostic> {
        let scope = self.scope(self.current);
        let text = &name.text;
        if scope.kind != ScopeKind::Parameters && scope.name.eq_ignore_ascii_case(text) {
            let what = scope.definition.map_or("scope", |definition| {
                self.describe(Entity::Definition(definition))
            });
            let message = format!("`{text}` has the name of the {what} that holds it");
            let mut diagnostic = if entity == Entity::Member {
                // Nothing depends on it, and the OMG's own Security.idl does it.
                Diagnostic::warning(DiagnosticCode::OwnName, message, name.span)
                    .help("the standard forbids it, and omniORB's compiler refuses it")
            } else {
                Diagnostic::error(DiagnosticCode::OwnName, message, name.span)
            };
            if let Some(definition) = scope.definition {
                let span = self.model.get(definition).span;
                diagnostic = diagnostic.also(span, format!("the {what} is named here"));
            }
            return Some(diagnostic);
        }
        if let Some(parent) = scope.parent
            && self.scope(parent).kind == ScopeKind::Template
            && let Some(parameter) = self.scope(parent).names.get(text)
        {
            let message = format!(
                "`{text}` has the name of a parameter of the template module `{}`",
                scope.name
            );
            return Some(
                Diagnostic::error(DiagnosticCode::Redefinition, message, name.span)
                    .also(parameter.span, "the parameter"),
            );
        }
        if let Some((holder, used)) = scope.introduced.get(text) {
            let entry = self.scope(holder).names.get(text)?;
            if entry.entity == Entity::Poisoned {
                return None;
            }
            let message = format!("`{text}` was used here before with another meaning");
            let what = self.describe(entry.entity);
            return Some(
                Diagnostic::error(DiagnosticCode::UsedBefore, message, name.span)
                    .label("cannot get a new meaning now")
                    .also(
                        used,
                        format!("used for the {what} `{}` here", entry.spelling),
                    )
                    .help("choose another name: IDL compares names without regard to case"),
            );
        }
        if let Some((_, entry)) = self.inherited_feature(self.current, text) {
            let what = self.describe(entry.entity);
            let message = format!("`{text}` is already inherited as {}", with_article(what));
            let help = match entity {
                Entity::Operation | Entity::Attribute => {
                    "IDL has no overriding and no overloading: choose another name"
                }
                _ => "choose another name",
            };
            return Some(
                Diagnostic::error(DiagnosticCode::InheritanceConflict, message, name.span)
                    .also(entry.span, format!("the inherited {what} is defined here"))
                    .help(help),
            );
        }
        None
    }

    /// How messages call an entity.
    pub(super) fn describe(&self, entity: Entity) -> &'static str {
        match entity {
            Entity::Definition(id) => match &self.model.get(id).kind {
                DefinitionKind::Module(_) => "module",
                DefinitionKind::Interface(_)
                | DefinitionKind::InterfaceDeclaration
                | DefinitionKind::AbstractInterfaceDeclaration
                | DefinitionKind::LocalInterfaceDeclaration => "interface",
                DefinitionKind::ValueType(_) | DefinitionKind::ValueTypeDeclaration => "value type",
                DefinitionKind::ValueBox(_) => "value box",
                DefinitionKind::Bitset(_) => "bitset",
                DefinitionKind::Bitmask(_) => "bitmask",
                DefinitionKind::Native => "native type",
                DefinitionKind::Struct(_) => "struct",
                DefinitionKind::Union(_) => "union",
                DefinitionKind::Exception(_) => "exception",
                DefinitionKind::Enum(_) => "enum",
                DefinitionKind::Typedef(_) => "typedef",
                DefinitionKind::Constant(_) => "constant",
                DefinitionKind::Component(_) | DefinitionKind::ComponentDeclaration => "component",
                DefinitionKind::Home(_) => "home",
                DefinitionKind::PortType(_) | DefinitionKind::PortTypeDeclaration => "port type",
                DefinitionKind::Connector(_) => "connector",
                DefinitionKind::TemplateModule(_) => "template module",
            },
            Entity::Enumerator(..) => "enumerator",
            Entity::Operation => "operation",
            Entity::Attribute => "attribute",
            Entity::StateMember => "state member",
            Entity::Factory => "factory",
            Entity::Finder => "finder",
            Entity::Port => "port",
            Entity::Member => "member",
            Entity::Parameter => "parameter",
            Entity::Argument(index) => match self.bound[index as usize] {
                Bound::Type(_) => "type",
                Bound::Constant(_) => "constant",
            },
            Entity::Poisoned => "definition",
        }
    }
}

/// `a struct`, `an enum`
pub(super) fn with_article(noun: &str) -> String {
    let vowel = noun.starts_with(['a', 'e', 'i', 'o', 'u']) && !noun.starts_with("uni");
    format!("{} {noun}", if vowel { "an" } else { "a" })
}
