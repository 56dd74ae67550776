//! Components, port types and connectors; IDL 4.2, 7.4.8 to 7.4.11.

use super::Resolver;
use super::entity::{Entity, ScopeId};
use super::scope::ScopeKind;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::model::{
    Component, Connector, DefinitionId, DefinitionKind, InterfaceKind, Port, PortKind, Type,
};
use crate::syntax::component::{self, Ported, PortedKind};
use crate::syntax::{Name, Preface, ScopedName, TypeSpec};

impl Resolver<'_> {
    pub(super) fn declare_ported(&mut self, kind: PortedKind, name: &Name, preface: &Preface) {
        if self.own_ported(kind, name).is_none() {
            let declaration = match kind {
                PortedKind::PortType => DefinitionKind::PortTypeDeclaration,
                _ => DefinitionKind::ComponentDeclaration,
            };
            self.define(name, preface, declaration);
        }
    }

    /// The component or port type of this name that the current scope declares
    /// or defines.
    fn own_ported(&self, kind: PortedKind, name: &Name) -> Option<DefinitionId> {
        let entry = self.own(name).filter(|entry| entry.spelling == name.text)?;
        let Entity::Definition(id) = entry.entity else {
            return None;
        };
        (self.describe(entry.entity) == kind.describe()).then_some(id)
    }

    pub(super) fn ported(&mut self, preface: &Preface, ported: Ported) {
        let name = &ported.name;
        let declared = self.own_ported(ported.kind, name).filter(|id| {
            matches!(
                self.model.get(*id).kind,
                DefinitionKind::ComponentDeclaration | DefinitionKind::PortTypeDeclaration
            )
        });
        let id = match declared {
            Some(id) => {
                self.complete(id, name, preface);
                id
            }
            None => self.define(name, preface, undefined(ported.kind)),
        };
        let mut scope = self.inner(ScopeKind::Interface, name, Some(id));
        let mut base = None;
        if let Some(base_name) = &ported.base {
            match self.ported_base(ported.kind, base_name, id) {
                Some((found, base_scope)) => {
                    base = Some(found);
                    scope.bases.push(base_scope);
                }
                None => scope.opaque = true,
            }
        }
        let (supports, scopes) = self.remote_supports(&ported.supports);
        match scopes {
            Some(scopes) => scope.bases.extend(scopes),
            None => scope.opaque = true,
        }
        *self.kind_mut(id) = match ported.kind {
            PortedKind::Component => DefinitionKind::Component(Box::new(Component {
                base,
                supports,
                ..Component::default()
            })),
            PortedKind::PortType => DefinitionKind::PortType(Box::default()),
            PortedKind::Connector => DefinitionKind::Connector(Box::new(Connector {
                base,
                ..Connector::default()
            })),
        };
        self.being_ported.insert(id);
        self.within(scope, |resolver| {
            resolver.check_bases(name);
            resolver.items(ported.items);
        });
        self.being_ported.remove(&id);
    }

    /// The base of a component or connector, and its scope.
    fn ported_base(
        &mut self,
        kind: PortedKind,
        name: &ScopedName,
        derived: DefinitionId,
    ) -> Option<(DefinitionId, ScopeId)> {
        let entity = self.lookup(name)?;
        let (what, text) = (kind.describe(), name.to_text());
        let id = match entity {
            Entity::Definition(id) if self.describe(entity) == what => id,
            _ => return self.reject_kind(name, entity, &super::scope::with_article(what)),
        };
        if id == derived {
            return self.reject(
                DiagnosticCode::Recursion,
                format!("the {what} `{text}` inherits from itself"),
                name.span,
            );
        }
        let Some(scope) = self.scope_of_definition(id) else {
            self.diagnostics.push(
                Diagnostic::error(
                    DiagnosticCode::Incomplete,
                    format!("the base `{text}` is not defined yet"),
                    name.span,
                )
                .also(self.model.get(id).span, "only declared here")
                .help(format!(
                    "a {what} can only inherit from one that is defined before it"
                )),
            );
            return None;
        };
        Some((id, scope))
    }

    /// The interfaces that a component or a home supports, which are those of
    /// objects that others may reach; and their scopes, unless some are faulty.
    pub(super) fn remote_supports(
        &mut self,
        names: &[ScopedName],
    ) -> (Vec<DefinitionId>, Option<Vec<ScopeId>>) {
        let mut supports = Vec::new();
        let mut scopes = Some(Vec::new());
        for name in names {
            let found = self.base(name, None, &supports);
            match found {
                Some((id, _)) if self.interface_kind(id) == Some(InterfaceKind::Local) => {
                    let message = "a local interface cannot be supported here";
                    self.diagnostics.push(
                        Diagnostic::error(DiagnosticCode::InheritanceConflict, message, name.span)
                            .also(self.model.get(id).span, "local"),
                    );
                    scopes = None;
                }
                Some((id, scope)) => {
                    supports.push(id);
                    scopes.iter_mut().for_each(|scopes| scopes.push(scope));
                }
                None => scopes = None,
            }
        }
        (supports, scopes)
    }

    pub(super) fn port(&mut self, preface: &Preface, port: component::Port) {
        let kind = match port.kind {
            component::PortKind::Provides(ty) => self.port_interface(ty).map(PortKind::Provides),
            component::PortKind::Uses { ty, multiple } => {
                let interface = self.port_interface(ty);
                interface.map(|interface| PortKind::Uses {
                    interface,
                    multiple,
                })
            }
            component::PortKind::Emits(event) => self.event(&event).map(PortKind::Emits),
            component::PortKind::Publishes(event) => self.event(&event).map(PortKind::Publishes),
            component::PortKind::Consumes(event) => self.event(&event).map(PortKind::Consumes),
            component::PortKind::Extended { ty, mirror } => {
                self.port_type(&ty).map(|id| match mirror {
                    false => PortKind::Extended(id),
                    true => PortKind::Mirror(id),
                })
            }
        };
        let name = &port.name;
        self.register(name, Entity::Port);
        self.check_events_allowed(&kind, name);
        let Some(kind) = kind else { return };
        let annotations = self.annotations(&preface.annotations);
        let port = Port {
            name: name.text.clone(),
            span: name.span,
            docs: preface.docs.clone(),
            annotations,
            kind,
        };
        let Some(id) = self.scope(self.current).definition else {
            return;
        };
        match self.kind_mut(id) {
            DefinitionKind::Component(component) => component.ports.push(port),
            DefinitionKind::PortType(port_type) => port_type.ports.push(port),
            DefinitionKind::Connector(connector) => connector.ports.push(port),
            _ => {}
        }
    }

    /// Only a component sends and receives events.
    fn check_events_allowed(&mut self, kind: &Option<PortKind>, name: &Name) {
        let is_event = matches!(
            kind,
            Some(PortKind::Emits(_) | PortKind::Publishes(_) | PortKind::Consumes(_))
        );
        let Some(holder) = self.scope(self.current).definition.filter(|_| is_event) else {
            return;
        };
        let what = self.describe(Entity::Definition(holder));
        if what != "component" {
            self.diagnostics.push(
                Diagnostic::error(
                    DiagnosticCode::WrongKind,
                    format!("a {what} has no ports for events"),
                    name.span,
                )
                .help("`provides` and `uses` an interface with an operation that takes the event"),
            );
        }
    }

    /// The interface of a facet or receptacle.
    fn port_interface(&mut self, spec: TypeSpec) -> Option<Type> {
        let crate::syntax::TypeKind::Scoped(name) = &spec.kind else {
            return self.complete_type(spec);
        };
        let entity = self.lookup(name)?;
        if let Entity::Definition(id) = entity {
            let ty = self.unaliased(&Type::Named(id));
            let fits = match ty {
                Type::Named(id) => self.interface_kind(id).is_some(),
                Type::Object => true,
                _ => false,
            };
            if fits {
                return Some(ty);
            }
        }
        self.reject_kind(name, entity, "an interface")
    }

    fn event(&mut self, name: &ScopedName) -> Option<DefinitionId> {
        let entity = self.lookup(name)?;
        let Entity::Definition(id) = entity else {
            return self.reject_kind(name, entity, "an event type");
        };
        let id = self.unaliased_definition(id);
        if self.is_event(id) {
            return Some(id);
        }
        self.reject_kind(name, entity, "an event type")
    }

    pub(super) fn is_event(&self, id: DefinitionId) -> bool {
        match &self.model.get(id).kind {
            DefinitionKind::ValueType(value) => value.is_event,
            _ => self.declared_events.contains(&id),
        }
    }

    fn port_type(&mut self, name: &ScopedName) -> Option<DefinitionId> {
        let entity = self.lookup(name)?;
        let Entity::Definition(id) = entity else {
            return self.reject_kind(name, entity, "a port type");
        };
        if self.describe(entity) != "port type" {
            return self.reject_kind(name, entity, "a port type");
        }
        let text = name.to_text();
        if self.being_ported.contains(&id) {
            return self.reject(
                DiagnosticCode::Recursion,
                format!("the port type `{text}` contains itself"),
                name.span,
            );
        }
        let definition = self.model.get(id);
        if matches!(definition.kind, DefinitionKind::PortTypeDeclaration) {
            self.diagnostics.push(
                Diagnostic::error(
                    DiagnosticCode::Incomplete,
                    format!("the port type `{text}` is not defined yet"),
                    name.span,
                )
                .also(definition.span, "only declared here"),
            );
            return None;
        }
        Some(id)
    }
}

/// Makes the definition that stands in the model until the real one is known.
fn undefined(kind: PortedKind) -> DefinitionKind {
    match kind {
        PortedKind::Component => DefinitionKind::ComponentDeclaration,
        PortedKind::PortType => DefinitionKind::PortTypeDeclaration,
        PortedKind::Connector => DefinitionKind::Connector(Box::default()),
    }
}
