//! Template modules; IDL 4.2, 7.4.12.
//!
//! A template module is checked where it stands, with parameters of which
//! nothing is known; what that defines is dropped again. For an instance its
//! items are resolved once more, where the template stands but with the
//! arguments for the parameters, and become the members of a module.

use std::rc::Rc;

use arcstr::ArcStr;

use super::Resolver;
use super::entity::{Entity, ScopeId};
use super::name_table::Entry;
use super::scope::{Scope, ScopeKind};
use crate::diagnostic::Diagnostic;
use crate::model::{
    DefinitionId, DefinitionKind, TemplateModule, TemplateParameter, TemplateParameterKind, Type,
};
use crate::severity::Severity;
use crate::source::Span;
use crate::syntax::template::{Parameter, ParameterKind, Template};
use crate::syntax::{Item, Name, Preface, TypeKind, TypeSpec};

/// A template module, as its instances need it.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) parameters: Vec<Parameter>,
    pub(super) items: Rc<[Item]>,
    pub(super) tokens: usize,
    pub(super) depth: usize,
    /// Where it stands.
    pub(super) scope: ScopeId,
    /// Whether it is wrong whatever its arguments are.
    pub(super) is_faulty: bool,
}

impl Resolver<'_> {
    pub(super) fn template(&mut self, preface: &Preface, template: Template) {
        let name = &template.name;
        let kind = DefinitionKind::TemplateModule(TemplateModule::default());
        let id = self.define(name, preface, kind);
        let mark = self.diagnostics.mark();
        let parameters = self.check_template(&template, preface);
        let said = self.diagnostics.since(mark);
        let is_faulty = said.iter().any(|said| said.severity == Severity::Error);
        let said: Vec<_> = said.iter().map(identity).collect();
        self.said_of_templates.extend(said);
        *self.kind_mut(id) = DefinitionKind::TemplateModule(TemplateModule { parameters });
        let known = Known {
            parameters: template.parameters,
            items: template.items,
            tokens: template.tokens,
            depth: template.depth,
            scope: self.current,
            is_faulty,
        };
        self.templates.insert(id, Rc::new(known));
    }

    /// Checks what does not depend on the arguments; answers the parameters.
    fn check_template(&mut self, template: &Template, preface: &Preface) -> Vec<TemplateParameter> {
        let name = &template.name;
        let definitions = self.model.definitions.len();
        let scopes = self.scopes.len();
        let markers = self.markers;
        let outer = self.parameter_scope(self.current);
        let mut parameters = Vec::new();
        for parameter in &template.parameters {
            let kind = self.within_existing(outer, |resolver| resolver.parameter_kind(parameter));
            parameters.push(TemplateParameter {
                name: parameter.name.text.clone(),
                span: parameter.name.span,
                kind,
            });
            self.bind(outer, &parameter.name, Entity::Parameter);
        }
        // Twice the same name has been reported; now nothing is known of them.
        for parameter in &template.parameters {
            self.poison(outer, &parameter.name);
        }
        let module = DefinitionKind::Module(Vec::new());
        let scratch = self.add(name, preface, module);
        let body = Scope::new(
            ScopeKind::Module,
            name.text.clone(),
            Some(outer),
            Some(scratch),
        );
        let items = template.items.to_vec();
        self.within(body, |resolver| resolver.items(items));
        self.report_defined_later();
        self.report_incomplete(definitions);
        self.markers = markers;
        self.forget(definitions, scopes);
        parameters
    }

    /// Drops the last definitions and scopes. It costs what these are, however
    /// much there is before them.
    fn forget(&mut self, definitions: usize, scopes: usize) {
        for index in definitions..self.model.definitions.len() {
            let id = DefinitionId(index as u32);
            self.model.base_structs.remove(&id);
            self.model.instances.remove(&id);
            self.scope_of.remove(&id);
            self.incomplete.remove(&id);
            self.aliases.remove(&id);
            self.awaiting.remove(&id);
            self.abstract_values.remove(&id);
            self.declared_events.remove(&id);
            self.being_ported.remove(&id);
            self.local_types.remove(&id);
            self.type_prefixes.remove(&id);
            self.templates.remove(&id);
        }
        self.model.definitions.truncate(definitions);
        self.scopes.truncate(scopes);
        self.unknown.retain(|(_, scope, _)| scope.index() < scopes);
        let parent = self.scope(self.current).definition;
        let members = match parent.map(|id| self.kind_mut(id)) {
            None => &mut self.model.roots,
            Some(DefinitionKind::Module(members)) => members,
            Some(_) => return,
        };
        while members
            .last()
            .is_some_and(|id| id.0 as usize >= definitions)
        {
            members.pop();
        }
    }

    fn parameter_kind(&mut self, parameter: &Parameter) -> TemplateParameterKind {
        match &parameter.kind {
            ParameterKind::TypeName => TemplateParameterKind::TypeName,
            ParameterKind::Interface => TemplateParameterKind::Interface,
            ParameterKind::ValueType => TemplateParameterKind::ValueType,
            ParameterKind::EventType => TemplateParameterKind::EventType,
            ParameterKind::Struct => TemplateParameterKind::Struct,
            ParameterKind::Union => TemplateParameterKind::Union,
            ParameterKind::Exception => TemplateParameterKind::Exception,
            ParameterKind::Enum => TemplateParameterKind::Enum,
            ParameterKind::Sequence(element) => TemplateParameterKind::Sequence(
                element
                    .as_ref()
                    .and_then(|element| self.parameter_type(element)),
            ),
            ParameterKind::Constant(ty) => TemplateParameterKind::Constant(self.parameter_type(ty)),
        }
    }

    /// The type in a parameter; none if it is a parameter itself.
    fn parameter_type(&mut self, spec: &TypeSpec) -> Option<Type> {
        if let TypeKind::Scoped(name) = &spec.kind
            && let [part] = name.parts.as_slice()
            && !name.absolute
            && self
                .own(part)
                .is_some_and(|entry| entry.entity == Entity::Parameter)
        {
            return None;
        }
        self.complete_type(spec.clone())
    }

    pub(super) fn parameter_scope(&mut self, parent: ScopeId) -> ScopeId {
        self.scopes.push(Scope::new(
            ScopeKind::Template,
            ArcStr::new(),
            Some(parent),
            None,
        ));
        ScopeId(self.scopes.len() as u32 - 1)
    }

    fn poison(&mut self, scope: ScopeId, name: &Name) {
        self.scopes[scope.index()].names.insert(Entry {
            spelling: name.text.clone(),
            span: name.span,
            entity: Entity::Poisoned,
        });
    }

    pub(super) fn bind(&mut self, scope: ScopeId, name: &Name, entity: Entity) {
        self.within_existing(scope, |resolver| resolver.register(name, entity));
    }
}

/// Returns the parts by which two diagnostics are the same.
pub(super) fn identity(diagnostic: &Diagnostic) -> (String, Span) {
    (diagnostic.message.clone(), diagnostic.primary.span)
}
