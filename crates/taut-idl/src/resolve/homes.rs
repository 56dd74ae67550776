//! Homes; IDL 4.2, 7.4.8 and 7.4.9.

use super::Resolver;
use super::entity::{Entity, ScopeId};
use super::scope::ScopeKind;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::model::{DefinitionId, DefinitionKind, Home, ValueKind, Visibility};
use crate::syntax::component;
use crate::syntax::{self, Name, Preface, ScopedName};

/// The operations that every home has without saying so.
const IMPLIED: [&str; 1] = ["create"];
/// Those that it has when its components have keys.
const IMPLIED_WITH_KEY: [&str; 4] = ["create", "find_by_primary_key", "remove", "get_primary_key"];

impl Resolver<'_> {
    pub(super) fn home(&mut self, preface: &Preface, home: component::Home) {
        let name = &home.name;
        let component = self.managed(&home.manages);
        let primary_key = home.primary_key.as_ref().map(|key| self.primary_key(key));
        let Some(component) = component else {
            self.register(name, Entity::Poisoned);
            return;
        };
        let kind = DefinitionKind::Home(Box::new(Home {
            base: None,
            supports: Vec::new(),
            component,
            primary_key: primary_key.flatten(),
            members: Vec::new(),
            features: Vec::new(),
            factories: Vec::new(),
            finders: Vec::new(),
        }));
        let id = self.define(name, preface, kind);
        let mut scope = self.inner(ScopeKind::Interface, name, Some(id));
        let base = home.base.as_ref().map(|base| self.home_base(base, id));
        match base {
            Some(Some(base)) => scope.bases.extend(self.scope_of_definition(base)),
            Some(None) => scope.opaque = true,
            None => {}
        }
        let (supports, scopes) = self.remote_supports(&home.supports);
        match scopes {
            Some(scopes) => scope.bases.extend(scopes),
            None => scope.opaque = true,
        }
        if let DefinitionKind::Home(home) = self.kind_mut(id) {
            home.base = base.flatten();
            home.supports = supports;
        }
        self.within(scope, |resolver| {
            resolver.check_bases(name);
            resolver.items(home.items);
        });
        let implied: &[&str] = match home.primary_key {
            Some(_) => &IMPLIED_WITH_KEY,
            None => &IMPLIED,
        };
        self.check_implied(id, name, implied);
    }

    /// Reports members of a home that have the names of its implied operations.
    fn check_implied(&mut self, home: DefinitionId, name: &Name, implied: &[&str]) {
        let Some(scope) = self.scope_of_definition(home) else {
            return;
        };
        let names = &self.scope(scope).names;
        let mut clashes = Vec::new();
        for word in implied {
            if let Some(entry) = names.get(word)
                && matches!(
                    entry.entity,
                    Entity::Operation | Entity::Attribute | Entity::Factory | Entity::Finder
                )
            {
                let message = format!("every home has an operation `{word}` already");
                clashes.push(
                    Diagnostic::error(DiagnosticCode::InheritanceConflict, message, entry.span)
                        .also(name.span, "of this home")
                        .help("IDL has no overloading: choose another name"),
                );
            }
        }
        for clash in clashes {
            self.diagnostics.push(clash);
        }
    }

    fn managed(&mut self, name: &ScopedName) -> Option<DefinitionId> {
        let entity = self.lookup(name)?;
        match entity {
            Entity::Definition(id) if self.describe(entity) == "component" => Some(id),
            _ => self.reject_kind(name, entity, "a component"),
        }
    }

    /// The value type of the keys, which must be all public.
    fn primary_key(&mut self, name: &ScopedName) -> Option<DefinitionId> {
        let entity = self.lookup(name)?;
        let id = match entity {
            Entity::Definition(id) => self.unaliased_definition(id),
            _ => return self.reject_kind(name, entity, "a value type"),
        };
        let definition = self.model.get(id);
        let defined = definition.span;
        let text = name.to_text();
        let value = match &definition.kind {
            DefinitionKind::ValueType(value) => value,
            DefinitionKind::ValueTypeDeclaration => {
                let message = format!("the value type `{text}` is not defined yet");
                self.diagnostics.push(
                    Diagnostic::error(DiagnosticCode::Incomplete, message, name.span)
                        .also(defined, "only declared here"),
                );
                return None;
            }
            _ => return self.reject_kind(name, entity, "a value type"),
        };
        let private = self
            .model
            .all_state(id)
            .into_iter()
            .find(|state| state.visibility == Visibility::Private);
        let fault = match private {
            _ if value.kind == ValueKind::Abstract => Some(("is abstract", defined, "here")),
            Some(state) => Some(("has private state", state.member.span, "private")),
            None if !self.is_key(id) => Some((
                "does not derive from `Components::PrimaryKeyBase`",
                defined,
                "defined here",
            )),
            None => None,
        };
        let Some((fault, span, label)) = fault else {
            return Some(id);
        };
        self.diagnostics.push(
            Diagnostic::error(
                DiagnosticCode::WrongKind,
                format!("`{text}` {fault}, and so is no primary key"),
                name.span,
            )
            .also(span, label),
        );
        None
    }

    /// Whether a value type derives from the base of all keys, or that base is
    /// not known.
    fn is_key(&self, id: DefinitionId) -> bool {
        let Some(root) = self.primary_key_base() else {
            return true;
        };
        let mut pending = vec![id];
        let mut seen = std::collections::HashSet::new();
        while let Some(id) = pending.pop() {
            if id == root {
                return true;
            }
            if seen.insert(id)
                && let Some(value) = self.model.value_type(id)
            {
                pending.extend(value.base);
                pending.extend(&value.abstract_bases);
            }
        }
        false
    }

    fn primary_key_base(&self) -> Option<DefinitionId> {
        let components = self.scope(ScopeId(0)).names.get("components")?;
        let Entity::Definition(module) = components.entity else {
            return None;
        };
        let scope = self.scope_of_definition(module)?;
        match self.scope(scope).names.get("primarykeybase")?.entity {
            Entity::Definition(id) => Some(id),
            _ => None,
        }
    }

    fn home_base(&mut self, name: &ScopedName, derived: DefinitionId) -> Option<DefinitionId> {
        let entity = self.lookup(name)?;
        let id = match entity {
            Entity::Definition(id) => id,
            _ => return self.reject_kind(name, entity, "a home"),
        };
        let text = name.to_text();
        if id == derived {
            return self.reject(
                DiagnosticCode::Recursion,
                format!("the home `{text}` inherits from itself"),
                name.span,
            );
        }
        let (DefinitionKind::Home(base), DefinitionKind::Home(home)) =
            (&self.model.get(id).kind, &self.model.get(derived).kind)
        else {
            return self.reject_kind(name, entity, "a home");
        };
        if !self.is_component_of(home.component, base.component) {
            let (component, wanted) = (
                self.model.get(home.component),
                self.model.get(base.component),
            );
            let message = format!(
                "the component `{}` is not derived from `{}`, which the base `{text}` manages",
                component.name, wanted.name
            );
            let diagnostic =
                Diagnostic::error(DiagnosticCode::InheritanceConflict, message, name.span)
                    .also(component.span, "managed here")
                    .also(wanted.span, "managed by the base");
            self.diagnostics.push(diagnostic);
            return None;
        }
        Some(id)
    }

    fn is_component_of(&self, mut component: DefinitionId, wanted: DefinitionId) -> bool {
        loop {
            if component == wanted {
                return true;
            }
            match &self.model.get(component).kind {
                DefinitionKind::Component(defined) => match defined.base {
                    Some(base) => component = base,
                    None => return false,
                },
                // A component that is only declared may turn out to derive from it.
                _ => return true,
            }
        }
    }

    pub(super) fn finder(&mut self, preface: &Preface, finder: syntax::Factory) {
        let finder = self.initializer(preface, finder, Entity::Finder, "finder");
        let home = self.scope(self.current).definition;
        if let Some(id) = home
            && let DefinitionKind::Home(home) = self.kind_mut(id)
        {
            home.finders.extend(finder);
        }
    }
}
