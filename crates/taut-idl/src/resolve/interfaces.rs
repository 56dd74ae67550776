//! Interfaces and their bases.

use std::collections::HashMap;

use super::Resolver;
use super::entity::{Entity, ScopeId};
use super::name_table::Entry;
use super::scope::ScopeKind;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::model::{DefinitionId, DefinitionKind, Interface, InterfaceKind};
use crate::syntax::{Item, Name, Preface, ScopedName};

impl Resolver<'_> {
    pub(super) fn declare_interface(
        &mut self,
        kind: InterfaceKind,
        name: &Name,
        preface: &Preface,
    ) {
        match self.own_interface(name) {
            Some(id) => self.check_kind(id, kind, name),
            None => {
                self.define(name, preface, declaration_of(kind));
            }
        }
    }

    /// The interface of this name that the current scope declares or defines.
    fn own_interface(&self, name: &Name) -> Option<DefinitionId> {
        let entry = self.own(name).filter(|entry| entry.spelling == name.text)?;
        match entry.entity {
            Entity::Definition(id) if self.interface_kind(id).is_some() => Some(id),
            _ => None,
        }
    }

    /// An interface must be declared as it is defined.
    fn check_kind(&mut self, id: DefinitionId, kind: InterfaceKind, name: &Name) {
        let before = self.interface_kind(id);
        if before != Some(kind) {
            let word = |kind| match kind {
                Some(InterfaceKind::Abstract) => "abstract",
                Some(InterfaceKind::Local) => "local",
                _ => "neither abstract nor local",
            };
            let message = format!("the interface `{}` is {} here", name.text, word(Some(kind)));
            let diagnostic = Diagnostic::error(DiagnosticCode::Redefinition, message, name.span)
                .also(self.model.get(id).span, format!("{} here", word(before)));
            self.diagnostics.push(diagnostic);
        }
    }

    pub(super) fn interface(
        &mut self,
        kind: InterfaceKind,
        name: &Name,
        preface: &Preface,
        bases: &[ScopedName],
        items: Vec<Item>,
    ) {
        let declared = self
            .own_interface(name)
            .filter(|id| self.model.interface(*id).is_none());
        let id = match declared {
            Some(id) => {
                self.check_kind(id, kind, name);
                self.complete(id, name, preface);
                id
            }
            None => self.define(name, preface, declaration_of(kind)),
        };
        let mut scope = self.inner(ScopeKind::Interface, name, Some(id));
        let mut found = Vec::new();
        for base in bases {
            match self.base(base, Some(id), &found) {
                Some((inherited, base_scope)) if self.may_derive(kind, inherited, base) => {
                    found.push(inherited);
                    scope.bases.push(base_scope);
                }
                _ => scope.opaque = true,
            }
        }
        *self.kind_mut(id) = DefinitionKind::Interface(Box::new(Interface {
            kind,
            bases: found,
            ..Interface::default()
        }));
        self.within(scope, |resolver| {
            resolver.check_bases(name);
            resolver.items(items);
        });
    }

    /// Whether an interface of a kind may have this base.
    fn may_derive(&mut self, kind: InterfaceKind, base: DefinitionId, name: &ScopedName) -> bool {
        let fault = match (kind, self.interface_kind(base)) {
            (InterfaceKind::Abstract, Some(InterfaceKind::Abstract))
            | (InterfaceKind::Local, _) => return true,
            (InterfaceKind::Abstract, _) => "an abstract interface has abstract bases only",
            (InterfaceKind::Unconstrained, Some(InterfaceKind::Local)) => {
                "an interface with a local base must be local, too"
            }
            (InterfaceKind::Unconstrained, _) => return true,
        };
        let span = self.model.get(base).span;
        self.diagnostics.push(
            Diagnostic::error(DiagnosticCode::InheritanceConflict, fault, name.span)
                .also(span, "the base is defined here"),
        );
        false
    }

    /// A base of an interface, or an interface that a value type supports.
    pub(super) fn base(
        &mut self,
        name: &ScopedName,
        derived: Option<DefinitionId>,
        others: &[DefinitionId],
    ) -> Option<(DefinitionId, ScopeId)> {
        let entity = self.lookup(name)?;
        let text = name.to_text();
        let id = match entity {
            Entity::Definition(id) => self.unaliased_definition(id),
            _ => return self.reject_kind(name, entity, "an interface"),
        };
        let definition = self.model.get(id);
        match definition.kind {
            DefinitionKind::Interface(_) => {}
            _ if derived == Some(id) => {
                self.diagnostics.push(Diagnostic::error(
                    DiagnosticCode::Recursion,
                    format!("the interface `{text}` inherits from itself"),
                    name.span,
                ));
                return None;
            }
            DefinitionKind::InterfaceDeclaration
            | DefinitionKind::AbstractInterfaceDeclaration
            | DefinitionKind::LocalInterfaceDeclaration => {
                let diagnostic = Diagnostic::error(
                    DiagnosticCode::Incomplete,
                    format!("the base `{text}` is not defined yet"),
                    name.span,
                )
                .also(definition.span, "only declared here")
                .help("an interface can only inherit from one that is defined before it");
                self.diagnostics.push(diagnostic);
                return None;
            }
            _ => return self.reject_kind(name, entity, "an interface"),
        }
        if others.contains(&id) {
            self.diagnostics.push(
                Diagnostic::error(
                    DiagnosticCode::InheritanceConflict,
                    format!("`{text}` is named twice as a base"),
                    name.span,
                )
                .help("name each direct base once"),
            );
            return None;
        }
        let scope = self.scope_of_definition(id)?;
        Some((id, scope))
    }

    /// Bases must not bring different operations or attributes of one name.
    pub(super) fn check_bases(&mut self, name: &Name) {
        let most = self.options.limits.bases.min(1000);
        let mut count = self.scope(self.current).ancestors;
        if count > most {
            // Some may have been counted twice.
            count = 0;
            self.visit_bases(self.current, |_| {
                count += 1;
                count <= most
            });
        }
        if count > most {
            self.diagnostics.push(Diagnostic::error(
                DiagnosticCode::LimitExceeded,
                format!("`{}` inherits from more than {most} interfaces", name.text),
                name.span,
            ));
            let scope = &mut self.scopes[self.current.index()];
            scope.bases.clear();
            scope.opaque = true;
            if let Some(id) = scope.definition {
                match self.kind_mut(id) {
                    DefinitionKind::Interface(interface) => interface.bases.clear(),
                    DefinitionKind::ValueType(value) => {
                        value.base = None;
                        value.abstract_bases.clear();
                        value.supports.clear();
                    }
                    DefinitionKind::Component(component) => {
                        component.base = None;
                        component.supports.clear();
                    }
                    DefinitionKind::Connector(connector) => connector.base = None,
                    DefinitionKind::Home(home) => {
                        home.base = None;
                        home.supports.clear();
                    }
                    _ => {}
                }
            }
            return;
        }
        if self.scope(self.current).bases.len() < 2 {
            return;
        }
        let mut features: HashMap<String, (ScopeId, &Entry)> = HashMap::new();
        let mut conflicts = Vec::new();
        self.visit_bases(self.current, |base| {
            for entry in self.scope(base).names.iter() {
                if entry.entity.is_inherited_alone() {
                    let first = features
                        .entry(entry.spelling.to_ascii_lowercase())
                        .or_insert((base, entry));
                    if first.0 != base {
                        conflicts.push((*first, (base, entry)));
                    }
                }
            }
            true
        });
        conflicts.sort_by_key(|(_, (_, entry))| (entry.span.file, entry.span.start));
        let mut diagnostics = Vec::new();
        for ((first_scope, first), (second_scope, second)) in conflicts {
            let origin = |scope: ScopeId, entry: &Entry| {
                format!(
                    "the {} from `{}`",
                    self.describe(entry.entity),
                    self.scope(scope).name
                )
            };
            let message = format!(
                "`{}` inherits two features named `{}`",
                name.text, first.spelling
            );
            diagnostics.push(
                Diagnostic::error(DiagnosticCode::InheritanceConflict, message, name.span)
                    .also(first.span, origin(first_scope, first))
                    .also(second.span, origin(second_scope, second))
                    .help("IDL has no overloading: bases must not share operations or attributes"),
            );
        }
        for diagnostic in diagnostics {
            self.diagnostics.push(diagnostic);
        }
    }
}

fn declaration_of(kind: InterfaceKind) -> DefinitionKind {
    match kind {
        InterfaceKind::Unconstrained => DefinitionKind::InterfaceDeclaration,
        InterfaceKind::Abstract => DefinitionKind::AbstractInterfaceDeclaration,
        InterfaceKind::Local => DefinitionKind::LocalInterfaceDeclaration,
    }
}
