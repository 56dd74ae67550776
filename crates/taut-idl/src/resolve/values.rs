//! Value types; CORBA 3.3 part 1, 7.9.

use super::Resolver;
use super::entity::{Entity, ScopeId};
use super::scope::{ScopeKind, with_article};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::model::{
    DefinitionId, DefinitionKind, Factory, InterfaceKind, Member, ParameterMode, StateMember, Type,
    ValueKind, ValueType, Visibility,
};
use crate::source::Span;
use crate::syntax::{self, Members, Name, Preface, ScopedName, TypeSpec, Value};

impl Resolver<'_> {
    pub(super) fn declare_value(
        &mut self,
        name: &Name,
        preface: &Preface,
        is_abstract: bool,
        is_event: bool,
    ) {
        match self.own_value(name) {
            Some(id) => {
                self.check_abstract(id, name, is_abstract);
                self.check_event(id, name, is_event);
            }
            None => {
                let id = self.define(name, preface, DefinitionKind::ValueTypeDeclaration);
                if is_abstract {
                    self.abstract_values.insert(id);
                }
                if is_event {
                    self.declared_events.insert(id);
                }
            }
        }
    }

    /// The value type of this name that the current scope declares or defines.
    fn own_value(&self, name: &Name) -> Option<DefinitionId> {
        let entry = self.own(name).filter(|entry| entry.spelling == name.text)?;
        match entry.entity {
            Entity::Definition(id)
                if matches!(
                    self.model.get(id).kind,
                    DefinitionKind::ValueType(_) | DefinitionKind::ValueTypeDeclaration
                ) =>
            {
                Some(id)
            }
            _ => None,
        }
    }

    /// A value type must be declared as it is defined.
    fn check_abstract(&mut self, id: DefinitionId, name: &Name, is_abstract: bool) {
        if self.abstract_values.contains(&id) != is_abstract {
            let (now, before) = match is_abstract {
                true => ("abstract", "not abstract"),
                false => ("not abstract", "abstract"),
            };
            let message = format!("the value type `{}` is {now} here", name.text);
            let diagnostic = Diagnostic::error(DiagnosticCode::Redefinition, message, name.span)
                .also(self.model.get(id).span, format!("{before} here"));
            self.diagnostics.push(diagnostic);
        }
    }

    /// And an event must be declared as one.
    fn check_event(&mut self, id: DefinitionId, name: &Name, is_event: bool) {
        if self.is_event(id) != is_event {
            let (now, before) = match is_event {
                true => ("an `eventtype`", "a `valuetype`"),
                false => ("a `valuetype`", "an `eventtype`"),
            };
            let message = format!("`{}` is {now} here", name.text);
            let diagnostic = Diagnostic::error(DiagnosticCode::Redefinition, message, name.span)
                .also(self.model.get(id).span, format!("{before} here"));
            self.diagnostics.push(diagnostic);
        }
    }

    pub(super) fn value_box(&mut self, name: &Name, preface: &Preface, spec: TypeSpec) {
        let span = spec.span;
        let Some(ty) = self.complete_type(spec) else {
            self.register(name, Entity::Poisoned);
            return;
        };
        if let Type::Named(id) = self.unaliased(&ty)
            && self.describe(Entity::Definition(id)).starts_with("value")
        {
            let diagnostic = Diagnostic::error(
                DiagnosticCode::WrongKind,
                "a value type cannot be boxed",
                span,
            )
            .label("can be null already, and shared");
            self.diagnostics.push(diagnostic);
        }
        let is_local = self.culprit(&ty);
        let id = self.define(name, preface, DefinitionKind::ValueBox(ty));
        self.note_culprit(id, is_local);
    }

    pub(super) fn value(&mut self, preface: &Preface, value: Value) {
        let name = &value.name;
        let is_abstract = value.kind == ValueKind::Abstract;
        let declared = self.own_value(name).filter(|id| {
            matches!(
                self.model.get(*id).kind,
                DefinitionKind::ValueTypeDeclaration
            )
        });
        let id = match declared {
            Some(id) => {
                self.check_abstract(id, name, is_abstract);
                self.check_event(id, name, value.is_event);
                self.complete(id, name, preface);
                id
            }
            None => self.define(name, preface, DefinitionKind::ValueTypeDeclaration),
        };
        if is_abstract {
            self.abstract_values.insert(id);
        }
        let mut scope = self.inner(ScopeKind::Interface, name, Some(id));
        let mut defined = ValueType {
            kind: value.kind,
            is_event: value.is_event,
            ..ValueType::default()
        };
        for (index, base) in value.bases.iter().enumerate() {
            match self.value_base(base, index == 0, id, &mut defined) {
                Some(base_scope) => scope.bases.push(base_scope),
                None => scope.opaque = true,
            }
        }
        for interface in &value.supports {
            match self.supported(interface, &mut defined) {
                Some(base_scope) => scope.bases.push(base_scope),
                None => scope.opaque = true,
            }
        }
        if let Some(span) = value.truncatable {
            defined.truncatable = self.check_truncatable(&defined, span);
        }
        *self.kind_mut(id) = DefinitionKind::ValueType(Box::new(defined));
        self.within(scope, |resolver| {
            resolver.check_bases(name);
            resolver.items(value.items);
        });
    }

    /// Adds a base; answers its scope.
    fn value_base(
        &mut self,
        name: &ScopedName,
        is_first: bool,
        derived: DefinitionId,
        value: &mut ValueType,
    ) -> Option<ScopeId> {
        let entity = self.lookup(name)?;
        let text = name.to_text();
        let id = match entity {
            Entity::Definition(id) => self.unaliased_definition(id),
            _ => return self.reject_kind(name, entity, "a value type"),
        };
        let span = self.model.get(id).span;
        let base_kind = match &self.model.get(id).kind {
            DefinitionKind::ValueType(base) => base.kind,
            DefinitionKind::ValueTypeDeclaration if id == derived => {
                return self.reject(
                    DiagnosticCode::Recursion,
                    format!("the value type `{text}` inherits from itself"),
                    name.span,
                );
            }
            DefinitionKind::ValueTypeDeclaration => {
                let message = format!("the base `{text}` is not defined yet");
                self.diagnostics.push(
                    Diagnostic::error(DiagnosticCode::Incomplete, message, name.span)
                        .also(span, "only declared here"),
                );
                return None;
            }
            _ => return self.reject_kind(name, Entity::Definition(id), "a value type"),
        };
        let code = DiagnosticCode::InheritanceConflict;
        if value.base == Some(id) || value.abstract_bases.contains(&id) {
            return self.reject(
                code,
                format!("`{text}` is named twice as a base"),
                name.span,
            );
        }
        let fault = match (base_kind, value.kind) {
            (ValueKind::Abstract, _) => {
                value.abstract_bases.push(id);
                None
            }
            (_, ValueKind::Abstract) => Some("an abstract value type has abstract bases only"),
            _ if value.base.is_some() => Some("a value type has one base with state only"),
            _ if !is_first => Some("the base with state must be the first"),
            _ => {
                if base_kind == ValueKind::Custom && value.kind != ValueKind::Custom {
                    let message = "not custom itself, though the base is";
                    self.diagnostics.push(
                        Diagnostic::warning(code, message, name.span)
                            .also(span, "this one is custom")
                            .help("other compilers reject this: write `custom valuetype`"),
                    );
                }
                value.base = Some(id);
                None
            }
        };
        if let Some(fault) = fault {
            self.diagnostics.push(
                Diagnostic::error(code, fault, name.span).also(span, "this one is not abstract"),
            );
            return None;
        }
        self.scope_of_definition(id)
    }

    /// Adds a supported interface; answers its scope.
    fn supported(&mut self, name: &ScopedName, value: &mut ValueType) -> Option<ScopeId> {
        let code = DiagnosticCode::InheritanceConflict;
        let (id, scope) = self.base(name, None, &value.supports)?;
        if self.interface_kind(id) != Some(InterfaceKind::Abstract) {
            let other = self.concrete_support(value);
            if value.supports.iter().any(|other| self.is_concrete(*other)) {
                return self.reject(
                    code,
                    "a value type supports one interface only that is not abstract".to_owned(),
                    name.span,
                );
            }
            if let Some(other) = other
                && other != id
                && !self.model.all_bases(id).contains(&other)
            {
                let other = self.model.get(other);
                let message = format!(
                    "`{}` does not derive from `{}`, which the base supports",
                    name.to_text(),
                    other.name
                );
                self.diagnostics.push(
                    Diagnostic::error(code, message, name.span).also(other.span, "defined here"),
                );
                return None;
            }
        }
        value.supports.push(id);
        Some(scope)
    }

    fn is_concrete(&self, interface: DefinitionId) -> bool {
        self.interface_kind(interface) != Some(InterfaceKind::Abstract)
    }

    /// The interface, not an abstract one, that the bases with state support.
    fn concrete_support(&self, value: &ValueType) -> Option<DefinitionId> {
        let mut next = value.base;
        while let Some(base) = next.and_then(|id| self.model.value_type(id)) {
            let found = base.supports.iter().find(|id| self.is_concrete(**id));
            if found.is_some() {
                return found.copied();
            }
            next = base.base;
        }
        None
    }

    fn check_truncatable(&mut self, value: &ValueType, span: Span) -> bool {
        let base = value.base.and_then(|id| self.model.value_type(id));
        let fault = match base.map(|base| base.kind) {
            _ if value.kind == ValueKind::Custom => "a custom value type cannot be truncatable",
            Some(ValueKind::Custom) => {
                "a value type that derives from a custom one cannot be truncatable"
            }
            Some(_) => return true,
            // A base that was rejected may have state.
            None if value.abstract_bases.is_empty() => return false,
            None => "there is no base with state to truncate to",
        };
        self.diagnostics.push(Diagnostic::error(
            DiagnosticCode::InheritanceConflict,
            fault,
            span,
        ));
        false
    }

    /// Members of the state.
    pub(super) fn state(&mut self, visibility: Visibility, span: Span, members: Members) {
        let ty = self.member_type(members.ty);
        if let Some(id) = self.scope(self.current).definition
            && self.abstract_values.contains(&id)
        {
            self.diagnostics.push(Diagnostic::error(
                DiagnosticCode::InheritanceConflict,
                "an abstract value type has no state",
                span,
            ));
        }
        let annotations = self.annotations(&members.preface.annotations);
        for declarator in members.declarators {
            let name = &declarator.name;
            let ty = ty.clone().and_then(|ty| self.array(ty, &declarator));
            self.register(name, Entity::StateMember);
            let Some(ty) = ty else { continue };
            let member = Member {
                name: name.text.clone(),
                span: name.span,
                docs: members.preface.docs.clone(),
                annotations: annotations.clone(),
                ty,
            };
            if let Some(value) = self.current_value() {
                value.state.push(StateMember { visibility, member });
            }
        }
    }

    pub(super) fn factory(&mut self, preface: &Preface, factory: syntax::Factory) {
        if let Some(id) = self.scope(self.current).definition
            && self.abstract_values.contains(&id)
        {
            self.diagnostics.push(Diagnostic::error(
                DiagnosticCode::InheritanceConflict,
                "an abstract value type has no factory",
                factory.name.span,
            ));
        }
        let factory = self.initializer(preface, factory, Entity::Factory, "factory");
        let Some(id) = self.scope(self.current).definition else {
            return;
        };
        match self.kind_mut(id) {
            DefinitionKind::ValueType(value) => value.factories.extend(factory),
            DefinitionKind::Home(home) => home.factories.extend(factory),
            _ => {}
        }
    }

    /// A factory or finder.
    pub(super) fn initializer(
        &mut self,
        preface: &Preface,
        factory: syntax::Factory,
        entity: Entity,
        what: &str,
    ) -> Option<Factory> {
        let name = &factory.name;
        for parameter in &factory.parameters {
            if parameter.mode != ParameterMode::In {
                self.diagnostics.push(Diagnostic::error(
                    DiagnosticCode::Syntax,
                    format!("a {what} has `in` parameters only"),
                    parameter.mode_span,
                ));
            }
        }
        self.register(name, entity);
        let scope = self.inner(ScopeKind::Parameters, name, None);
        let parameters = self.within(scope, |resolver| resolver.parameters(factory.parameters));
        let raises = self.exceptions(&factory.raises);
        let annotations = self.annotations(&preface.annotations);
        Some(Factory {
            name: name.text.clone(),
            span: name.span,
            docs: preface.docs.clone(),
            annotations,
            parameters: parameters?,
            raises,
        })
    }

    /// The value type that is being defined.
    fn current_value(&mut self) -> Option<&mut ValueType> {
        let id = self.scope(self.current).definition?;
        match self.kind_mut(id) {
            DefinitionKind::ValueType(value) => Some(value),
            _ => None,
        }
    }

    /// Reports that a name stands for another kind of thing than is wanted.
    pub(super) fn reject_kind<T>(
        &mut self,
        name: &ScopedName,
        entity: Entity,
        wanted: &str,
    ) -> Option<T> {
        let what = with_article(self.describe(entity));
        let message = format!("`{}` is {what}, not {wanted}", name.to_text());
        let mut diagnostic = Diagnostic::error(DiagnosticCode::WrongKind, message, name.span);
        if let Some(span) = self.span_of(entity) {
            diagnostic = diagnostic.also(span, "defined here");
        }
        self.diagnostics.push(diagnostic);
        None
    }
}
