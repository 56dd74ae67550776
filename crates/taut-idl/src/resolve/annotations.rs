//! The meaning of annotations.

use super::Resolver;
use super::entity::Entity;
use crate::model::{
    Annotation, AnnotationArgument, AnnotationValue, ConstantValue, DefinitionKind, List,
    Primitive, Type,
};
use crate::syntax::{self, Expression, ExpressionKind};

impl Resolver<'_> {
    pub(super) fn annotations(&mut self, annotations: &[syntax::Annotation]) -> List<Annotation> {
        annotations
            .iter()
            .map(|annotation| Annotation {
                name: annotation.name.clone(),
                span: annotation.span,
                arguments: annotation
                    .arguments
                    .iter()
                    .filter_map(|(name, value)| {
                        Some(AnnotationArgument {
                            name: name.as_ref().map(|name| name.text.clone()),
                            value: self.annotation_value(value)?,
                        })
                    })
                    .collect(),
            })
            .collect()
    }

    /// The value of an argument, whose type nothing declares: that of its
    /// first literal or constant is taken.
    fn annotation_value(&mut self, expression: &Expression) -> Option<AnnotationValue> {
        let mut first = expression;
        loop {
            first = match &first.kind {
                ExpressionKind::Unary { operand, .. } => operand,
                ExpressionKind::Binary { first, .. } => first,
                _ => break,
            };
        }
        let primitive = |primitive| Some(Type::Primitive(primitive));
        let ty = match &first.kind {
            ExpressionKind::Integer(value) if i64::try_from(*value).is_err() => {
                primitive(Primitive::ULongLong)
            }
            ExpressionKind::Integer(_) => primitive(Primitive::LongLong),
            ExpressionKind::Floating(_) => primitive(Primitive::Double),
            ExpressionKind::Fixed(_) => {
                let (_, value) = self.fixed_by_value(expression)?;
                return Some(AnnotationValue::Constant(value));
            }
            ExpressionKind::Name(name) => {
                let plain = name.parts.first().map_or("", |part| &part.text);
                if std::ptr::eq(first, expression) && !name.absolute && !self.is_visible(plain) {
                    return Some(AnnotationValue::Name(name.to_text().into()));
                }
                match self.lookup(name)? {
                    Entity::Definition(id) => match &self.model.get(id).kind {
                        DefinitionKind::Constant(constant) => Some(constant.ty.clone()),
                        _ => None,
                    },
                    Entity::Enumerator(id, _) => Some(Type::Named(id)),
                    _ => None,
                }
            }
            _ => None,
        };
        let value: Option<ConstantValue> = match ty {
            Some(ty) => self.evaluate(&ty, expression.span, expression),
            None if std::ptr::eq(first, expression) => {
                // A type's name, too, may be an argument.
                if let ExpressionKind::Name(name) = &expression.kind {
                    return Some(AnnotationValue::Name(name.to_text().into()));
                }
                self.atom(expression, "constant")
            }
            None => self.atom(expression, "constant"),
        };
        value.map(AnnotationValue::Constant)
    }
}
