//! Instances of template modules, and whether their arguments fit; IDL 4.2,
//! 7.4.12.

use super::Resolver;
use super::entity::{Bound, Entity, ScopeId};
use super::scope::{Scope, ScopeKind, with_article};
use super::templates::identity;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::model::{DefinitionId, DefinitionKind, Instance, TemplateArgument, Type};
use crate::source::Span;
use crate::syntax::template::{self, Argument, Parameter, ParameterKind};
use crate::syntax::{Expression, ExpressionKind, Preface, TypeKind, TypeSpec};

impl Resolver<'_> {
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

    /// Resolves an argument, which must be fit for its parameter.
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
