//! Interfaces, operations and attributes.

use std::collections::HashMap;

use super::Resolver;
use super::scope::{Entity, Entry, ScopeId, ScopeKind, with_article};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lex::Docs;
use crate::model::{
    Attribute, DefinitionId, DefinitionKind, Feature, Interface, Operation, Parameter,
    ParameterMode, Type,
};
use crate::syntax::{self, Item, Name, ScopedName};

impl Resolver<'_> {
    pub(super) fn declare_interface(&mut self, name: &Name, docs: Option<&Docs>) {
        if self.own_interface(name).is_none() {
            self.define(name, docs, DefinitionKind::InterfaceDeclaration);
        }
    }

    /// The interface of this name that the current scope declares or defines.
    fn own_interface(&self, name: &Name) -> Option<DefinitionId> {
        let entry = self.own(name).filter(|entry| entry.spelling == name.text)?;
        match entry.entity {
            Entity::Definition(id) if self.describe(entry.entity) == "interface" => Some(id),
            _ => None,
        }
    }

    pub(super) fn interface(
        &mut self,
        name: &Name,
        docs: Option<&Docs>,
        bases: &[ScopedName],
        items: Vec<Item>,
    ) {
        let declared = self.own_interface(name).filter(|id| {
            matches!(
                self.model.get(*id).kind,
                DefinitionKind::InterfaceDeclaration
            )
        });
        let id = match declared {
            Some(id) => {
                self.complete(id, name, docs);
                id
            }
            None => self.define(name, docs, DefinitionKind::InterfaceDeclaration),
        };
        let mut scope = self.inner(ScopeKind::Interface, name, Some(id));
        let mut found = Vec::new();
        for base in bases {
            match self.base(base, id, &found) {
                Some((base, base_scope)) => {
                    found.push(base);
                    scope.bases.push(base_scope);
                }
                None => scope.opaque = true,
            }
        }
        *self.kind_mut(id) = DefinitionKind::Interface(Interface {
            bases: found,
            ..Interface::default()
        });
        self.within(scope, |resolver| {
            resolver.check_bases(name);
            resolver.items(items);
        });
    }

    fn base(
        &mut self,
        name: &ScopedName,
        derived: DefinitionId,
        others: &[DefinitionId],
    ) -> Option<(DefinitionId, ScopeId)> {
        let entity = self.lookup(name)?;
        let text = name.to_text();
        let mut id = match entity {
            Entity::Definition(id) => id,
            _ => return self.reject_base(name, entity),
        };
        if let Some(Type::Named(alias)) = self.aliases.get(&id) {
            id = *alias;
        }
        let definition = self.model.get(id);
        match definition.kind {
            DefinitionKind::Interface(_) => {}
            DefinitionKind::InterfaceDeclaration if id == derived => {
                self.diagnostics.push(Diagnostic::error(
                    DiagnosticCode::Recursion,
                    format!("the interface `{text}` inherits from itself"),
                    name.span,
                ));
                return None;
            }
            DefinitionKind::InterfaceDeclaration => {
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
            _ => return self.reject_base(name, entity),
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

    fn reject_base<T>(&mut self, name: &ScopedName, entity: Entity) -> Option<T> {
        let what = with_article(self.describe(entity));
        let message = format!("`{}` is {what}, not an interface", name.to_text());
        let mut diagnostic = Diagnostic::error(DiagnosticCode::WrongKind, message, name.span);
        if let Some(span) = self.span_of(entity) {
            diagnostic = diagnostic.also(span, "defined here");
        }
        self.diagnostics.push(diagnostic);
        None
    }

    /// Bases must not bring different operations or attributes of one name.
    fn check_bases(&mut self, name: &Name) {
        let most = self.options.limits.bases.min(1000);
        let mut count = 0_usize;
        self.visit_bases(self.current, |_| {
            count += 1;
            count <= most
        });
        if count > most {
            self.diagnostics.push(Diagnostic::error(
                DiagnosticCode::LimitExceeded,
                format!("`{}` inherits from more than {most} interfaces", name.text),
                name.span,
            ));
            let scope = &mut self.scopes[self.current.0];
            scope.bases.clear();
            scope.opaque = true;
            if let Some(id) = scope.definition
                && let DefinitionKind::Interface(interface) = self.kind_mut(id)
            {
                interface.bases.clear();
            }
            return;
        }
        if self.scope(self.current).bases.len() < 2 {
            return;
        }
        let mut features: HashMap<&str, (ScopeId, &Entry)> = HashMap::new();
        let mut conflicts = Vec::new();
        self.visit_bases(self.current, |base| {
            for (key, entry) in &self.scope(base).names {
                if matches!(entry.entity, Entity::Operation | Entity::Attribute) {
                    let first = features.entry(key).or_insert((base, entry));
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

    pub(super) fn operation(&mut self, docs: Option<&Docs>, operation: syntax::Operation) {
        let name = &operation.name;
        self.check_oneway(&operation);
        let result = match operation.result {
            None => Some(None),
            Some(ty) => self.operation_type(ty, "a result").map(Some),
        };
        self.register(name, Entity::Operation);
        let scope = self.inner(ScopeKind::Parameters, name, None);
        let parameters = self.within(scope, |resolver| resolver.parameters(operation.parameters));
        let raises = self.exceptions(&operation.raises);
        if let (Some(result), Some(parameters)) = (result, parameters) {
            let feature = Feature::Operation(Operation {
                name: name.text.to_string(),
                span: name.span,
                docs: super::lines(docs),
                oneway: operation.oneway.is_some(),
                result,
                parameters,
                raises,
            });
            self.add_feature(feature);
        }
    }

    fn check_oneway(&mut self, operation: &syntax::Operation) {
        let Some(oneway) = operation.oneway else {
            return;
        };
        let report = |message: &str, span| {
            Diagnostic::error(DiagnosticCode::Oneway, message, span)
                .also(oneway, "because of this `oneway`")
                .help("nothing ever comes back from a oneway operation")
        };
        if let Some(result) = &operation.result {
            let diagnostic = report(
                "a oneway operation must have the result `void`",
                result.span,
            );
            self.diagnostics.push(diagnostic);
        }
        for parameter in &operation.parameters {
            if parameter.mode != ParameterMode::In {
                let diagnostic = report(
                    "a oneway operation can have `in` parameters only",
                    parameter.mode_span,
                );
                self.diagnostics.push(diagnostic);
            }
        }
        if let (Some(first), Some(last)) = (operation.raises.first(), operation.raises.last()) {
            let diagnostic = report(
                "a oneway operation cannot raise exceptions",
                first.span.to(last.span),
            );
            self.diagnostics.push(diagnostic);
        }
    }

    fn parameters(&mut self, declarations: Vec<syntax::Parameter>) -> Option<Vec<Parameter>> {
        let mut parameters = Some(Vec::new());
        for parameter in declarations {
            let ty = self.operation_type(parameter.ty, "a parameter");
            self.register(&parameter.name, Entity::Parameter);
            match (&mut parameters, ty) {
                (Some(parameters), Some(ty)) => parameters.push(Parameter {
                    name: parameter.name.text.to_string(),
                    span: parameter.name.span,
                    mode: parameter.mode,
                    ty,
                }),
                _ => parameters = None,
            }
        }
        parameters
    }

    pub(super) fn attribute(&mut self, docs: Option<&Docs>, attribute: syntax::Attribute) {
        let ty = self.operation_type(attribute.ty, "an attribute");
        let get_raises = self.exceptions(&attribute.get_raises);
        let set_raises = self.exceptions(&attribute.set_raises);
        for name in attribute.names {
            self.register(&name, Entity::Attribute);
            let Some(ty) = ty.clone() else { continue };
            let feature = Feature::Attribute(Attribute {
                name: name.text.to_string(),
                span: name.span,
                docs: super::lines(docs),
                readonly: attribute.readonly,
                ty,
                get_raises: get_raises.clone(),
                set_raises: set_raises.clone(),
            });
            self.add_feature(feature);
        }
    }

    fn exceptions(&mut self, names: &[ScopedName]) -> Vec<DefinitionId> {
        let mut exceptions = Vec::new();
        for name in names {
            let Some(entity) = self.lookup(name) else {
                continue;
            };
            match entity {
                Entity::Definition(id)
                    if matches!(self.model.get(id).kind, DefinitionKind::Exception(_)) =>
                {
                    if exceptions.contains(&id) {
                        self.diagnostics.push(Diagnostic::error(
                            DiagnosticCode::Redefinition,
                            format!("the exception `{}` is named twice", name.to_text()),
                            name.span,
                        ));
                    } else {
                        exceptions.push(id);
                    }
                }
                _ => {
                    let what = with_article(self.describe(entity));
                    let message = format!("`{}` is {what}, not an exception", name.to_text());
                    let mut diagnostic =
                        Diagnostic::error(DiagnosticCode::WrongKind, message, name.span);
                    if let Some(span) = self.span_of(entity) {
                        diagnostic = diagnostic.also(span, "defined here");
                    }
                    self.diagnostics.push(diagnostic);
                }
            }
        }
        exceptions
    }

    fn add_feature(&mut self, feature: Feature) {
        if let Some(id) = self.scope(self.current).definition
            && let DefinitionKind::Interface(interface) = self.kind_mut(id)
        {
            interface.features.push(feature);
        }
    }
}
