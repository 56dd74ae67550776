//! Operations and attributes: of interfaces, and of all else that has some.

use hashbrown::HashSet;

use super::Resolver;
use super::entity::Entity;
use super::scope::ScopeKind;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lean;
use crate::model::{
    Attribute, DefinitionId, DefinitionKind, Feature, List, Operation, Parameter, ParameterMode,
};
use crate::source::Span;
use crate::syntax::{self, Preface, ScopedName};

impl Resolver<'_> {
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
                        let message = format!("the exception `{}` is named twice", name.to_text());
                        self.diagnostics.push(Diagnostic::warning(
                            DiagnosticCode::Redefinition,
                            message,
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
