//! The values of `fixed` constants.

use super::Resolver;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lex::Punctuation;
use crate::model::{ConstantValue, Type};
use crate::number::{Decimal, Unfit};
use crate::source::Span;
use crate::syntax::{Expression, ExpressionKind};

impl Resolver<'_> {
    /// The value of a constant of a named `fixed` type.
    pub(super) fn fixed_constant(
        &mut self,
        expression: &Expression,
        digits: u8,
        scale: u8,
    ) -> Option<ConstantValue> {
        let value = self.decimal(expression)?;
        let Some((value, cut)) = value.with_scale(digits, scale) else {
            return self.reject(
                DiagnosticCode::ConstantRange,
                format!("the value does not fit in `fixed<{digits}, {scale}>`"),
                expression.span,
            );
        };
        if cut {
            self.diagnostics.push(
                Diagnostic::warning(
                    DiagnosticCode::ConstantRange,
                    format!("only {scale} digits behind the point are kept"),
                    expression.span,
                )
                .help("the others are cut off, without rounding"),
            );
        }
        Some(ConstantValue::Fixed(value, scale))
    }

    /// The value of a constant whose type is `fixed` alone, and the type that
    /// follows from it.
    pub(super) fn fixed_by_value(
        &mut self,
        expression: &Expression,
    ) -> Option<(Type, ConstantValue)> {
        let value = self.decimal(expression)?;
        let ty = Type::Fixed {
            digits: value.digits(),
            scale: value.scale,
        };
        Some((ty, ConstantValue::Fixed(value.value, value.scale)))
    }

    fn decimal(&mut self, expression: &Expression) -> Option<Decimal> {
        match &expression.kind {
            ExpressionKind::Unary { operator, operand } => {
                let value = self.decimal(operand)?;
                match operator {
                    Punctuation::Minus => Some(value.negate()),
                    Punctuation::Plus => Some(value),
                    _ => self.integers_only(*operator, expression.span),
                }
            }
            ExpressionKind::Binary { first, rest } => {
                let mut value = self.decimal(first)?;
                for (operator, span, operand) in rest {
                    let right = self.decimal(operand)?;
                    let result = match operator {
                        Punctuation::Plus => value.add(right),
                        Punctuation::Minus => value.add(right.negate()),
                        Punctuation::Star => value.multiply(right),
                        Punctuation::Slash => value.divide(right),
                        _ => return self.integers_only(*operator, *span),
                    };
                    value = self.fit(result, expression.span, operand.span)?;
                }
                Some(value)
            }
            _ => match self.atom(expression, WANTED)? {
                ConstantValue::Fixed(value, scale) => Some(Decimal { value, scale }),
                ConstantValue::Integer(value) => {
                    self.diagnostics.push(
                        Diagnostic::warning(
                            DiagnosticCode::ConstantExpression,
                            "an integer where a fixed-point number is wanted",
                            expression.span,
                        )
                        .help(format!("other compilers may insist on `{value}d`")),
                    );
                    self.fit(
                        Decimal::from_integer(value),
                        expression.span,
                        expression.span,
                    )
                }
                value => self.mismatch(expression.span, WANTED, &value),
            },
        }
    }

    fn fit(
        &mut self,
        result: Result<Decimal, Unfit>,
        whole: Span,
        operand: Span,
    ) -> Option<Decimal> {
        match result {
            Ok(value) => Some(value),
            Err(Unfit::DivisionByZero) => self.division_by_zero(operand),
            Err(Unfit::TooLarge) => self.reject(
                DiagnosticCode::ConstantRange,
                "more than 31 digits stand before the point".to_owned(),
                whole,
            ),
        }
    }
}

const WANTED: &str = "fixed-point number";
