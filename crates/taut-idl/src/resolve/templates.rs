//! Template modules and their instances; IDL 4.2, 7.4.12.
//!
//! A template module is checked where it stands, with parameters of which
//! nothing is known; what that defines is dropped again. For an instance its
//! items are resolved once more, where the template stands but with the
//! arguments for the parameters, and become the members of a module.

use std::rc::Rc;

use arcstr::ArcStr;

use super::Resolver;
use super::name_table::Entry;
use super::scope::{Bound, Entity, Scope, ScopeId, ScopeKind, with_article};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::model::{
    DefinitionId, DefinitionKind, Instance, TemplateArgument, TemplateModule, TemplateParameter,
    TemplateParameterKind, Type,
};
use crate::severity::Severity;
use crate::source::Span;
use crate::syntax::template::{self, Argument, Parameter, ParameterKind, Template};
use crate::syntax::{Expression, ExpressionKind, Item, Name, Preface, TypeKind, TypeSpec};

/// A template module, as its instances need it.
#[derive(Debug)]
pub(super) struct Known {
    parameters: Vec<Parameter>,
    items: Rc<[Item]>,
    tokens: usize,
    depth: usize,
    /// Where it stands.
    scope: ScopeId,
    /// Whether it is wrong whatever its arguments are.
    is_faulty: bool,
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

    fn parameter_scope(&mut self, parent: ScopeId) -> ScopeId {
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

    fn bind(&mut self, scope: ScopeId, name: &Name, entity: Entity) {
        self.within_existing(scope, |resolver| resolver.register(name, entity));
    }

    pub(super) fn instance(&mut self, preface: &Preface, instance: template::Instance) {
        let Some((template, outer, arguments)) = self.arguments_of(&instance) else {
            self.register(&instance.name, Entity::Poisoned);
            return;
        };
        let name = &instance.name;
        let Some(known) = self.templates.get(&template).cloned() else {
            return;
        };
        let in_main_file = self.in_main_file(name.span);
        let id = self.define(name, preface, DefinitionKind::Module(Vec::new()));
        let made = Instance {
            template,
            arguments,
        };
        self.model.instances.insert(id, made);
        let body = Scope::new(ScopeKind::Module, name.text.clone(), Some(outer), Some(id));
        let mark = self.diagnostics.mark();
        let markers = self.markers;
        let around = self.instance_in_main_file.replace(in_main_file);
        let items = known.items.to_vec();
        self.within(body, |resolver| resolver.items(items));
        self.instance_in_main_file = around;
        self.markers = markers;
        for diagnostic in self.diagnostics.take_since(mark) {
            if !self.said_of_templates.contains(&identity(&diagnostic)) {
                let text = &name.text;
                self.diagnostics
                    .push(diagnostic.also(name.span, format!("in the instance `{text}`")));
            }
        }
    }

    /// The template module of an instance, a scope of its parameters with what
    /// stands for them, and that once more for the model.
    fn arguments_of(
        &mut self,
        instance: &template::Instance,
    ) -> Option<(DefinitionId, ScopeId, Vec<TemplateArgument>)> {
        let name = &instance.template;
        let text = name.to_text();
        let entity = self.lookup(name)?;
        let template = match entity {
            Entity::Definition(id)
                if matches!(self.model.get(id).kind, DefinitionKind::TemplateModule(_)) =>
            {
                id
            }
            _ => return self.reject_kind(name, entity, "a template module"),
        };
        let Some(known) = self.templates.get(&template).cloned() else {
            return self.reject(
                DiagnosticCode::Recursion,
                format!("the template module `{text}` makes an instance of itself"),
                name.span,
            );
        };
        if known.is_faulty {
            return None;
        }
        let (wanted, given) = (known.parameters.len(), instance.arguments.len());
        if wanted != given {
            let message = format!(
                "`{text}` has {wanted} parameter{}, not {given}",
                if wanted == 1 { "" } else { "s" }
            );
            self.diagnostics.push(
                Diagnostic::error(DiagnosticCode::Template, message, instance.arguments_span)
                    .also(self.model.get(template).span, "defined here"),
            );
            return None;
        }
        if instance.is_alias && !self.are_parameters(&instance.arguments) {
            return None;
        }
        let most = self.options.limits.nesting.min(256);
        if self.prefixes.depth() + known.depth > most {
            let message = format!("nested more than {most} levels deep");
            return self.reject(DiagnosticCode::LimitExceeded, message, name.span);
        }
        if !self.expand(known.tokens, "instances of template modules", name.span) {
            return None;
        }
        let outer = self.parameter_scope(known.scope);
        let mut arguments = Some(Vec::new());
        for (parameter, argument) in known.parameters.iter().zip(&instance.arguments) {
            let found = self.argument(outer, parameter, argument);
            let entity = found
                .as_ref()
                .map_or(Entity::Poisoned, |found| match found {
                    TemplateArgument::Type(Type::Named(id)) | TemplateArgument::Exception(id) => {
                        Entity::Definition(*id)
                    }
                    TemplateArgument::Type(ty) => self.bound(Bound::Type(ty.clone())),
                    TemplateArgument::Constant(value) => self.bound(Bound::Constant(value.clone())),
                });
            self.bind(outer, &parameter.name, entity);
            arguments = arguments.zip(found).map(|(mut arguments, found)| {
                arguments.push(found);
                arguments
            });
        }
        Some((template, outer, arguments?))
    }

    fn bound(&mut self, bound: Bound) -> Entity {
        self.bound.push(bound);
        Entity::Argument(self.bound.len() as u32 - 1)
    }

    /// Whether the arguments of an `alias` are parameters of the template
    /// module around it.
    fn are_parameters(&mut self, arguments: &[Argument]) -> bool {
        let mut scope = Some(self.current);
        while let Some(id) = scope
            && self.scope(id).kind != ScopeKind::Template
        {
            scope = self.scope(id).parent;
        }
        let Some(scope) = scope else { return false };
        let mut all = true;
        for argument in arguments {
            let Argument::Type(TypeSpec {
                kind: TypeKind::Scoped(name),
                ..
            }) = argument
            else {
                continue;
            };
            let is_parameter = match name.parts.as_slice() {
                [part] if !name.absolute => self.scope(scope).names.contains(&part.text),
                _ => false,
            };
            if !is_parameter {
                all = false;
                let message = format!(
                    "`{}` is no parameter of the template module",
                    name.to_text()
                );
                self.diagnostics.push(
                    Diagnostic::error(DiagnosticCode::Template, message, name.span)
                        .help("an `alias` hands on parameters only: make an instance instead"),
                );
            }
        }
        all
    }

    /// What an argument is, which must be fit for its parameter.
    fn argument(
        &mut self,
        outer: ScopeId,
        parameter: &Parameter,
        argument: &Argument,
    ) -> Option<TemplateArgument> {
        let span = argument.span();
        match &parameter.kind {
            ParameterKind::Constant(ty) => {
                let ty_span = ty.span;
                let spec = ty.clone();
                let ty = self.within_existing(outer, |resolver| resolver.complete_type(spec))?;
                let value = self.constant_argument(parameter, argument)?;
                let value = self.evaluate(&ty, ty_span, &value)?;
                return Some(TemplateArgument::Constant(value));
            }
            ParameterKind::Exception => {
                let Argument::Type(TypeSpec {
                    kind: TypeKind::Scoped(name),
                    ..
                }) = argument
                else {
                    return self.misfit(parameter, "an exception", span);
                };
                let entity = self.lookup(name)?;
                return match entity {
                    Entity::Definition(id)
                        if matches!(self.model.get(id).kind, DefinitionKind::Exception(_)) =>
                    {
                        Some(TemplateArgument::Exception(id))
                    }
                    _ => self.misfit(parameter, "an exception", span),
                };
            }
            _ => {}
        }
        let Argument::Type(spec) = argument else {
            return self.misfit(parameter, "a type", span);
        };
        let ty = self.complete_type(spec.clone())?;
        let (fits, wanted) = self.fits(outer, &parameter.kind, &ty);
        if !fits {
            return self.misfit(parameter, &wanted, span);
        }
        Some(TemplateArgument::Type(ty))
    }

    /// Whether a type can stand for a parameter, and what can.
    fn fits(&mut self, outer: ScopeId, kind: &ParameterKind, ty: &Type) -> (bool, String) {
        let plain = self.unaliased(ty);
        let found = match plain {
            Type::Named(id) => self.describe(Entity::Definition(id)),
            _ => "",
        };
        let wanted = match kind {
            ParameterKind::TypeName | ParameterKind::Constant(_) | ParameterKind::Exception => {
                return (true, String::new());
            }
            ParameterKind::EventType => {
                let Type::Named(id) = plain else {
                    return (false, "an event type".to_owned());
                };
                return (self.is_event(id), "an event type".to_owned());
            }
            ParameterKind::Sequence(element) => {
                let Type::Sequence { element: found, .. } = plain else {
                    return (false, "a sequence".to_owned());
                };
                let Some(spec) = element.clone() else {
                    return (true, String::new());
                };
                let text = String::from_utf8_lossy(self.sources.text(spec.span)).into_owned();
                let wanted = self.within_existing(outer, |resolver| resolver.complete_type(spec));
                let fits =
                    wanted.is_none_or(|wanted| self.unaliased(&wanted) == self.unaliased(&found));
                return (fits, format!("a sequence of `{text}`"));
            }
            ParameterKind::Interface => "interface",
            ParameterKind::ValueType => "value type",
            ParameterKind::Struct => "struct",
            ParameterKind::Union => "union",
            ParameterKind::Enum => "enum",
        };
        (found == wanted, with_article(wanted))
    }

    /// An argument as an expression, as a name may be either.
    fn constant_argument(
        &mut self,
        parameter: &Parameter,
        argument: &Argument,
    ) -> Option<Expression> {
        match argument {
            Argument::Constant(value) => Some(value.clone()),
            Argument::Type(TypeSpec {
                kind: TypeKind::Scoped(name),
                span,
            }) => Some(Expression {
                kind: ExpressionKind::Name(name.clone()),
                span: *span,
            }),
            Argument::Type(spec) => self.misfit(parameter, "a constant", spec.span),
        }
    }

    fn misfit<T>(&mut self, parameter: &Parameter, wanted: &str, span: Span) -> Option<T> {
        let message = format!(
            "the parameter `{}` stands for {wanted}",
            parameter.name.text
        );
        self.diagnostics.push(
            Diagnostic::error(DiagnosticCode::Template, message, span)
                .label(format!("not {wanted}"))
                .also(parameter.name.span, "the parameter"),
        );
        None
    }
}

/// What makes two diagnostics the same.
pub(super) fn identity(diagnostic: &Diagnostic) -> (String, Span) {
    (diagnostic.message.clone(), diagnostic.primary.span)
}
