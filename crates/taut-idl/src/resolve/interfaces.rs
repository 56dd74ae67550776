//! Interfaces, operations and attributes.

use std::collections::HashMap;

use hashbrown::HashSet;

use super::Resolver;
use super::name_table::Entry;
use super::scope::{Entity, ScopeId, ScopeKind};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lean;
use crate::model::{
    Attribute, DefinitionId, DefinitionKind, Feature, Interface, InterfaceKind, List, Operation,
    Parameter, ParameterMode,
};
use crate::source::Span;
use crate::syntax::{self, Item, Name, Preface, ScopedName};

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

    pub(super) fn operation(&mut self, preface: &Preface, operation: syntax::Operation) {
        let name = &operation.name;
        self.check_oneway(&operation);
        let places = operation
            .result
            .iter()
            .chain(operation.parameters.iter().map(|p| &p.ty));
        let places: Vec<Span> = places.map(|ty| ty.span).collect();
        let raised: Vec<Span> = operation.raises.iter().map(|name| name.span).collect();
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
                name: name.text.clone(),
                span: name.span,
                docs: preface.docs.clone(),
                annotations: self.annotations(&preface.annotations),
                oneway: operation.oneway.is_some(),
                result,
                parameters,
                raises,
                context: operation.context.into(),
            });
            self.check_remote(&feature, &places, &raised);
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

    pub(super) fn parameters(
        &mut self,
        declarations: Vec<syntax::Parameter>,
    ) -> Option<List<Parameter>> {
        let mut parameters = Some(Vec::new());
        for parameter in declarations {
            let ty = self.operation_type(parameter.ty, "a parameter");
            let annotations = self.annotations(&parameter.annotations);
            self.register(&parameter.name, Entity::Parameter);
            match (&mut parameters, ty) {
                (Some(parameters), Some(ty)) => lean::push(
                    parameters,
                    Parameter {
                        name: parameter.name.text.clone(),
                        span: parameter.name.span,
                        annotations,
                        mode: parameter.mode,
                        ty,
                    },
                ),
                _ => parameters = None,
            }
        }
        parameters.map(List::from)
    }

    pub(super) fn attribute(&mut self, preface: &Preface, attribute: syntax::Attribute) {
        let place = attribute.ty.span;
        let raised = attribute.get_raises.iter().chain(&attribute.set_raises);
        let raised: Vec<Span> = raised.map(|name| name.span).collect();
        let ty = self.operation_type(attribute.ty, "an attribute");
        let get_raises = self.exceptions(&attribute.get_raises);
        let set_raises = self.exceptions(&attribute.set_raises);
        let annotations = self.annotations(&preface.annotations);
        let mut is_first = true;
        for name in attribute.names {
            self.register(&name, Entity::Attribute);
            let Some(ty) = ty.clone() else { continue };
            let feature = Feature::Attribute(Attribute {
                name: name.text.clone(),
                span: name.span,
                docs: preface.docs.clone(),
                annotations: annotations.clone(),
                readonly: attribute.readonly,
                ty,
                get_raises: get_raises.clone(),
                set_raises: set_raises.clone(),
            });
            // The others have the same type and raise the same.
            if std::mem::take(&mut is_first) {
                self.check_remote(&feature, &[place], &raised);
            }
            self.add_feature(feature);
        }
    }

    pub(super) fn exceptions(&mut self, names: &[ScopedName]) -> List<DefinitionId> {
        let mut exceptions = Vec::new();
        let mut known = HashSet::new();
        for name in names {
            let Some(entity) = self.lookup(name) else {
                continue;
            };
            match entity {
                Entity::Definition(id)
                    if matches!(
                        self.model.get(id).kind,
                        DefinitionKind::Exception(_) | DefinitionKind::Native
                    ) =>
                {
                    if !known.insert(id) {
                        self.diagnostics.push(Diagnostic::error(
                            DiagnosticCode::Redefinition,
                            format!("the exception `{}` is named twice", name.to_text()),
                            name.span,
                        ));
                    } else {
                        lean::push(&mut exceptions, id);
                    }
                }
                _ => {
                    self.reject_kind::<()>(name, entity, "an exception");
                }
            }
        }
        exceptions.into()
    }

    fn add_feature(&mut self, feature: Feature) {
        let Some(id) = self.scope(self.current).definition else {
            return;
        };
        match self.kind_mut(id) {
            DefinitionKind::Interface(interface) => lean::push(&mut interface.features, feature),
            DefinitionKind::ValueType(value) => value.features.push(feature),
            DefinitionKind::Component(component) => component.features.push(feature),
            DefinitionKind::PortType(port_type) => port_type.features.push(feature),
            DefinitionKind::Connector(connector) => connector.features.push(feature),
            DefinitionKind::Home(home) => home.features.push(feature),
            _ => {}
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
