//! The values of `float`, `double` and `long double` constants.

use super::Resolver;
use super::constants::DIVISION;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lex::Punctuation;
use crate::model::{ConstantValue, Primitive};
use crate::number::Quad;
use crate::source::Span;
use crate::syntax::{Expression, ExpressionKind};

impl Resolver<'_> {
    /// The value of a `float` or `double`.
    pub(super) fn floating_constant(
        &mut self,
        expression: &Expression,
        ty: Primitive,
    ) -> Option<ConstantValue> {
        let value = self.floating(expression)?;
        if ty == Primitive::Double {
            return Some(ConstantValue::Floating(value));
        }
        let rounded = value as f32;
        if rounded.is_infinite() {
            return self.reject(
                DiagnosticCode::ConstantRange,
                format!("{value:e} is beyond the range of `float`"),
                expression.span,
            );
        }
        Some(ConstantValue::Floating(f64::from(rounded)))
    }

    fn floating(&mut self, expression: &Expression) -> Option<f64> {
        let value = match &expression.kind {
            ExpressionKind::Unary { operator, operand } => {
                let value = self.floating(operand)?;
                match operator {
                    Punctuation::Minus => -value,
                    Punctuation::Plus => value,
                    _ => return self.integers_only(*operator, expression.span),
                }
            }
            ExpressionKind::Binary { first, rest } => {
                let mut value = self.floating(first)?;
                for (operator, span, operand) in rest {
                    let right = self.floating(operand)?;
                    value = match operator {
                        Punctuation::Plus => value + right,
                        Punctuation::Minus => value - right,
                        Punctuation::Star => value * right,
                        Punctuation::Slash if right == 0.0 => {
                            return self.division_by_zero(operand.span);
                        }
                        Punctuation::Slash => value / right,
                        _ => return self.integers_only(*operator, *span),
                    };
                }
                value
            }
            _ => match self.atom(expression, WANTED)? {
                ConstantValue::Floating(value) => value,
                ConstantValue::LongDouble(bits) => {
                    Quad::from_bits(bits).map_or(f64::INFINITY, Quad::to_double)
                }
                ConstantValue::Integer(value) => {
                    self.warn_of_integer(value, expression.span);
                    value as f64
                }
                value => return self.mismatch(expression.span, WANTED, &value),
            },
        };
        self.finite(value, expression.span)
    }

    /// The value of a floating-point literal as a `double`.
    pub(super) fn double_literal(&mut self, text: &str, span: Span) -> Option<f64> {
        // The literal was found to be one.
        self.finite(text.parse().unwrap_or(f64::INFINITY), span)
    }

    fn finite(&mut self, value: f64, span: Span) -> Option<f64> {
        if value.is_finite() {
            return Some(value);
        }
        self.reject(
            DiagnosticCode::ConstantRange,
            "the value is beyond the range of `double`".to_owned(),
            span,
        )
    }

    /// The value of a `long double`.
    pub(super) fn long_double_constant(
        &mut self,
        expression: &Expression,
    ) -> Option<ConstantValue> {
        let value = self.long_double(expression)?;
        Some(ConstantValue::LongDouble(value.to_bits()))
    }

    fn long_double(&mut self, expression: &Expression) -> Option<Quad> {
        let value = match &expression.kind {
            ExpressionKind::Unary { operator, operand } => {
                let value = self.long_double(operand)?;
                match operator {
                    Punctuation::Minus => Some(value.negate()),
                    Punctuation::Plus => Some(value),
                    _ => return self.integers_only(*operator, expression.span),
                }
            }
            ExpressionKind::Binary { first, rest } => {
                let mut value = Some(self.long_double(first)?);
                for (operator, span, operand) in rest {
                    let right = self.long_double(operand)?;
                    value = value.and_then(|value| match operator {
                        Punctuation::Plus => value.add(right),
                        Punctuation::Minus => value.add(right.negate()),
                        Punctuation::Star => value.multiply(right),
                        _ => value.divide(right),
                    });
                    match operator {
                        Punctuation::Slash if right.is_zero() => {
                            return self.division_by_zero(operand.span);
                        }
                        Punctuation::Plus
                        | Punctuation::Minus
                        | Punctuation::Star
                        | Punctuation::Slash => {}
                        _ => return self.integers_only(*operator, *span),
                    }
                }
                value
            }
            ExpressionKind::Floating(text) => Quad::parse(text),
            _ => match self.atom(expression, WANTED)? {
                ConstantValue::LongDouble(bits) => Quad::from_bits(bits),
                ConstantValue::Floating(value) => Some(Quad::from_double(value)),
                ConstantValue::Integer(value) => {
                    self.warn_of_integer(value, expression.span);
                    Some(Quad::from_integer(value))
                }
                value => return self.mismatch(expression.span, WANTED, &value),
            },
        };
        if value.is_some() {
            return value;
        }
        self.reject(
            DiagnosticCode::ConstantRange,
            "the value is beyond the range of `long double`".to_owned(),
            expression.span,
        )
    }

    fn warn_of_integer(&mut self, value: i128, span: Span) {
        self.diagnostics.push(
            Diagnostic::warning(
                DiagnosticCode::ConstantExpression,
                "an integer where a floating-point number is wanted",
                span,
            )
            .help(format!("other compilers may insist on `{value}.0`")),
        );
    }

    pub(super) fn division_by_zero<T>(&mut self, span: Span) -> Option<T> {
        self.reject(
            DiagnosticCode::ConstantExpression,
            DIVISION.to_owned(),
            span,
        )
    }

    pub(super) fn integers_only<T>(&mut self, operator: Punctuation, span: Span) -> Option<T> {
        let operator = operator.as_str();
        self.reject(
            DiagnosticCode::ConstantExpression,
            format!("`{operator}` is for integers only"),
            span,
        )
    }
}

const WANTED: &str = "floating-point number";
