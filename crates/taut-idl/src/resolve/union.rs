//! Unions; CORBA 3.3 part 1, 7.11.4.3.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use super::entity::Entity;
use super::scope::{ScopeKind, with_article};
use super::{Resolver, constants};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lean;
use crate::model::{
    Branch, ConstantValue, DefinitionId, DefinitionKind, Member, Primitive, Type, Union,
};
use crate::source::Span;
use crate::syntax::{self, Expression, ExpressionKind, Label};

/// Makes the union that stands in the model before its body is read.
pub(super) fn undefined() -> DefinitionKind {
    DefinitionKind::Union(Box::new(Union {
        discriminator: Type::Primitive(Primitive::Boolean),
        branches: Vec::new(),
        implicit_default: true,
    }))
}

/// The labels seen so far.
#[derive(Default)]
struct Labels {
    /// By what tells them apart, as there may be many.
    seen: HashMap<i128, Span>,
    default: Option<Span>,
    /// Whether a label was rejected, so that nothing is known of the whole.
    faulty: bool,
}

impl Labels {
    /// Adds a label. Answers where there is the same before.
    fn add(&mut self, value: &ConstantValue, span: Span) -> Option<Span> {
        // All are of the discriminator's type, which is one of these.
        let key = match value {
            ConstantValue::Boolean(value) => i128::from(*value),
            ConstantValue::Char(value) => i128::from(*value),
            ConstantValue::WChar(value) => i128::from(*value),
            ConstantValue::Integer(value) => *value,
            ConstantValue::Enumerator(_, ordinal) => i128::from(*ordinal),
            _ => return None,
        };
        match self.seen.entry(key) {
            Entry::Occupied(before) => Some(*before.get()),
            Entry::Vacant(new) => {
                new.insert(span);
                None
            }
        }
    }

    fn count(&self) -> u128 {
        self.seen.len() as u128
    }
}

impl Resolver<'_> {
    /// Defines a union. None when its discriminator was rejected.
    pub(super) fn union(&mut self, definition: syntax::Union) -> Option<DefinitionId> {
        let name = &definition.name;
        let id = self.start(name, &definition.preface, undefined());
        let scope = self.inner(ScopeKind::Members, name, Some(id));
        let union = self.within(scope, |resolver| {
            let span = definition.discriminator.span;
            let discriminator = resolver
                .complete_type(definition.discriminator)
                .filter(|ty| resolver.check_discriminator(ty, span));
            let mut labels = Labels::default();
            let mut branches = Vec::new();
            for branch in definition.branches {
                branches.extend(resolver.branch(branch, discriminator.as_ref(), span, &mut labels));
            }
            let discriminator = discriminator?;
            let implicit_default = resolver.check_coverage(&discriminator, &labels);
            Some(Union {
                discriminator,
                branches,
                implicit_default,
            })
        });
        self.incomplete.remove(&id);
        let union = union?;
        let mut members = union.branches.iter().map(|branch| &branch.member);
        let culprit = members.find_map(|member| self.culprit(&member.ty));
        self.note_culprit(id, culprit);
        *self.kind_mut(id) = DefinitionKind::Union(Box::new(union));
        Some(id)
    }

    fn check_discriminator(&mut self, ty: &Type, span: Span) -> bool {
        let is_one = self.values_of(ty).is_some();
        let ty = self.unaliased(ty);
        if is_one {
            self.warn_of_new_discriminator(&ty, span);
            return true;
        }
        let mut diagnostic = Diagnostic::error(
            DiagnosticCode::WrongKind,
            "a union cannot switch on this type",
            span,
        )
        .help("integers, characters, booleans and enums tell the members of a union apart");
        if let Type::Named(id) = ty {
            let what = with_article(self.describe(Entity::Definition(id)));
            diagnostic = diagnostic.also(self.model.get(id).span, format!("this is {what}"));
        }
        self.diagnostics.push(diagnostic);
        false
    }

    /// Octets and wide characters came to unions with IDL 4.
    fn warn_of_new_discriminator(&mut self, ty: &Type, span: Span) {
        let name = match ty {
            Type::Primitive(Primitive::Octet) => "octet",
            Type::Primitive(Primitive::Int8) => "int8",
            Type::Primitive(Primitive::UInt8) => "uint8",
            Type::Primitive(Primitive::WChar) => "wchar",
            _ => return,
        };
        let message = format!("a union that switches on `{name}`");
        self.diagnostics.push(
            Diagnostic::warning(DiagnosticCode::BeyondCorba, message, span)
                .help("compilers of IDL older than 4 reject this: use `char` or `short`"),
        );
    }

    /// How many values a discriminator may have; none if it is no type for one.
    fn values_of(&self, ty: &Type) -> Option<u128> {
        match self.unaliased(ty) {
            Type::Primitive(Primitive::Boolean) => Some(2),
            Type::Primitive(Primitive::Char) => Some(1 << 8),
            Type::Primitive(Primitive::WChar) => Some(1 << 16),
            Type::Primitive(primitive) => {
                let (least, greatest, _) = constants::range(primitive)?;
                Some((greatest - least) as u128 + 1)
            }
            Type::Named(id) => match &self.model.get(id).kind {
                DefinitionKind::Enum(enumerators) => Some(enumerators.len() as u128),
                _ => None,
            },
            _ => None,
        }
    }

    fn branch(
        &mut self,
        branch: syntax::Branch,
        discriminator: Option<&Type>,
        discriminator_span: Span,
        labels: &mut Labels,
    ) -> Option<Branch> {
        let mut values = Vec::new();
        let mut is_default = false;
        for label in &branch.labels {
            match label {
                Label::Default(span) => {
                    is_default = true;
                    if let Some(before) = labels.default.replace(*span) {
                        self.diagnostics.push(
                            Diagnostic::error(
                                DiagnosticCode::CaseLabel,
                                "the union has two defaults",
                                *span,
                            )
                            .also(before, "the first one"),
                        );
                    }
                }
                Label::Case(expression) => {
                    let value =
                        discriminator.and_then(|ty| self.label(ty, discriminator_span, expression));
                    let Some(value) = value else {
                        labels.faulty = true;
                        continue;
                    };
                    match labels.add(&value, expression.span) {
                        Some(before) => {
                            let diagnostic = Diagnostic::error(
                                DiagnosticCode::CaseLabel,
                                "the union has this label twice",
                                expression.span,
                            )
                            .also(before, "the same value before");
                            self.diagnostics.push(diagnostic);
                        }
                        None => lean::push(&mut values, value),
                    }
                }
            }
        }
        let ty = self.member_type(branch.ty);
        let ty = ty.and_then(|ty| self.array(ty, &branch.declarator));
        let name = branch.declarator.name;
        self.register(&name, Entity::Member);
        Some(Branch {
            labels: values.into(),
            is_default,
            member: Member {
                name: name.text.clone(),
                span: name.span,
                docs: branch.preface.docs.clone(),
                annotations: self.annotations(&branch.preface.annotations),
                ty: ty?,
            },
        })
    }

    /// The value of a label. The enumerators of an enum may be named without
    /// their scope.
    fn label(
        &mut self,
        ty: &Type,
        ty_span: Span,
        expression: &Expression,
    ) -> Option<ConstantValue> {
        if let Type::Named(id) = self.unaliased(ty)
            && let ExpressionKind::Name(name) = &expression.kind
            && !name.absolute
            && let [part] = name.parts.as_slice()
            && !self.is_visible(&part.text)
            && let DefinitionKind::Enum(enumerators) = &self.model.get(id).kind
            && let Some(ordinal) = enumerators
                .iter()
                .position(|enumerator| enumerator.name == *part.text)
        {
            let path = self.model.get(id).scoped_name.parts();
            let scope = path[..path.len() - 1].join("::");
            self.diagnostics.push(
                Diagnostic::warning(
                    DiagnosticCode::CaseLabel,
                    format!("`{}` is not known in this scope", part.text),
                    name.span,
                )
                .label("taken for the enumerator of the discriminator's type")
                .help(format!("write `{scope}::{}`", part.text)),
            );
            return Some(ConstantValue::Enumerator(id, ordinal as u32));
        }
        self.evaluate(ty, ty_span, expression)
    }

    /// Whether values are left that no branch stands for.
    fn check_coverage(&mut self, discriminator: &Type, labels: &Labels) -> bool {
        let Some(values) = self.values_of(discriminator) else {
            return false;
        };
        let full = labels.count() >= values;
        if let Some(default) = labels.default
            && full
        {
            self.diagnostics.push(
                Diagnostic::error(
                    DiagnosticCode::CaseLabel,
                    "the default can never apply",
                    default,
                )
                .label("the labels cover every value of the discriminator"),
            );
        }
        labels.default.is_none() && !full && !labels.faulty
    }
}
