//! The values of constant expressions; CORBA 3.3 part 1, 7.10.2.

use super::Resolver;
use super::entity::{Bound, Entity};
use super::scope::with_article;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lex::Punctuation;
use crate::model::{ConstantValue, DefinitionId, DefinitionKind, Primitive, Type};
use crate::source::Span;
use crate::syntax::{Expression, ExpressionKind, ScopedName};

impl Resolver<'_> {
    /// The value of an expression as a constant of this type. None when that
    /// has been reported.
    pub(super) fn evaluate(
        &mut self,
        ty: &Type,
        type_span: Span,
        expression: &Expression,
    ) -> Option<ConstantValue> {
        match self.unaliased(ty) {
            Type::Primitive(primitive) => match primitive {
                Primitive::Float | Primitive::Double => {
                    self.floating_constant(expression, primitive)
                }
                Primitive::LongDouble => self.long_double_constant(expression),
                Primitive::Boolean | Primitive::Char | Primitive::WChar => {
                    let wanted = match primitive {
                        Primitive::Char => "char",
                        Primitive::WChar => "wide character",
                        _ => "boolean",
                    };
                    let value = self.atom(expression, wanted)?;
                    match (primitive, &value) {
                        (Primitive::Boolean, ConstantValue::Boolean(_))
                        | (Primitive::Char, ConstantValue::Char(_))
                        | (Primitive::WChar, ConstantValue::WChar(_)) => Some(value),
                        _ => self.mismatch(expression.span, wanted, &value),
                    }
                }
                _ => self
                    .integer(expression, primitive)
                    .map(ConstantValue::Integer),
            },
            Type::String { bound } => match self.atom(expression, "string")? {
                ConstantValue::String(text) => {
                    self.check_length(text.chars().count(), bound, expression.span)?;
                    Some(ConstantValue::String(text))
                }
                value => self.mismatch(expression.span, "string", &value),
            },
            Type::WString { bound } => match self.atom(expression, "wide string")? {
                ConstantValue::WString(text) => {
                    self.check_length(text.encode_utf16().count(), bound, expression.span)?;
                    Some(ConstantValue::WString(text))
                }
                value => self.mismatch(expression.span, "wide string", &value),
            },
            Type::Fixed { digits, scale } => self.fixed_constant(expression, digits, scale),
            Type::Named(id) if matches!(self.model.get(id).kind, DefinitionKind::Enum(_)) => {
                self.enumerator(expression, id)
            }
            _ => {
                self.diagnostics.push(
                    Diagnostic::error(
                        DiagnosticCode::WrongKind,
                        "a constant cannot have this type",
                        type_span,
                    )
                    .help("constants are numbers, characters, strings, booleans and enumerators"),
                );
                None
            }
        }
    }

    fn check_length(&mut self, length: usize, bound: Option<u32>, span: Span) -> Option<()> {
        if bound.is_some_and(|bound| length > bound as usize) {
            return self.reject(
                DiagnosticCode::ConstantRange,
                format!("the string has {length} characters, more than its type allows"),
                span,
            );
        }
        Some(())
    }

    /// The value of an integer expression, within the range of its type.
    pub(super) fn integer(&mut self, expression: &Expression, ty: Primitive) -> Option<i128> {
        let (least, greatest, name) = range(ty)?;
        let working = Working {
            signed: least < 0,
            wide: matches!(ty, Primitive::LongLong | Primitive::ULongLong),
        };
        let value = self.integer_value(expression, working)?;
        if (least..=greatest).contains(&value) {
            return Some(value);
        }
        let message = format!("{value} is not within the range of `{name}`");
        self.diagnostics.push(
            Diagnostic::error(DiagnosticCode::ConstantRange, message, expression.span)
                .label(format!("must lie between {least} and {greatest}")),
        );
        None
    }

    fn integer_value(&mut self, expression: &Expression, working: Working) -> Option<i128> {
        match &expression.kind {
            ExpressionKind::Unary { operator, operand } => {
                let value = self.integer_operand(operand, working)?;
                Some(match operator {
                    Punctuation::Minus => -value,
                    Punctuation::Tilde if working.signed || value < 0 => !value,
                    Punctuation::Tilde => working.greatest() - value,
                    _ => value,
                })
            }
            ExpressionKind::Binary { first, rest } => {
                let mut value = self.integer_operand(first, working)?;
                for (index, (operator, span, operand)) in rest.iter().enumerate() {
                    if index > 0 {
                        let so_far = expression.span;
                        value = self.within_working_type(value, working, so_far)?;
                    }
                    let right = self.integer_operand(operand, working)?;
                    value = match apply(*operator, value, right) {
                        Ok(value) => value,
                        Err(why) => {
                            let span = if right == 0 || *why == *SHIFT {
                                operand.span
                            } else {
                                *span
                            };
                            return self.reject(
                                DiagnosticCode::ConstantExpression,
                                why.to_owned(),
                                span,
                            );
                        }
                    };
                }
                Some(value)
            }
            _ => match self.atom(expression, "integer")? {
                ConstantValue::Integer(value) => Some(value),
                value => self.mismatch(expression.span, "integer", &value),
            },
        }
    }

    /// A part of an expression, which must fit in the working type.
    fn integer_operand(&mut self, expression: &Expression, working: Working) -> Option<i128> {
        let value = self.integer_value(expression, working)?;
        self.within_working_type(value, working, expression.span)
    }

    fn within_working_type(&mut self, value: i128, working: Working, span: Span) -> Option<i128> {
        if (working.least()..=working.greatest()).contains(&value) {
            return Some(value);
        }
        let bits = if working.wide { 64 } else { 32 };
        let mut diagnostic = Diagnostic::error(
            DiagnosticCode::ConstantRange,
            format!("{value} does not fit in the {bits} bits that this is computed in"),
            span,
        );
        if !working.wide {
            diagnostic =
                diagnostic.help("constants of the type `long long` are computed in 64 bits");
        }
        self.diagnostics.push(diagnostic);
        None
    }

    fn enumerator(&mut self, expression: &Expression, id: DefinitionId) -> Option<ConstantValue> {
        let name = self.model.get(id).name.clone();
        let wanted = format!("enumerator of `{name}`");
        match self.atom(expression, &wanted)? {
            value @ ConstantValue::Enumerator(found, _) if found == id => Some(value),
            value => self.mismatch(expression.span, &wanted, &value),
        }
    }

    /// The value of a literal or of a constant's name.
    pub(super) fn atom(&mut self, expression: &Expression, wanted: &str) -> Option<ConstantValue> {
        match &expression.kind {
            ExpressionKind::Integer(value) => Some(ConstantValue::Integer(i128::from(*value))),
            ExpressionKind::Floating(text) => self
                .double_literal(text, expression.span)
                .map(ConstantValue::Floating),
            ExpressionKind::Fixed(value) => Some(ConstantValue::Fixed(value.value, value.scale)),
            ExpressionKind::Boolean(value) => Some(ConstantValue::Boolean(*value)),
            ExpressionKind::Character(value) => Some(ConstantValue::Char(*value)),
            ExpressionKind::WideCharacter(value) => Some(ConstantValue::WChar(*value)),
            ExpressionKind::WideString(value) => Some(ConstantValue::WString(value.clone())),
            ExpressionKind::String(value) => Some(ConstantValue::String(value.clone())),
            ExpressionKind::Name(name) => self.named_value(name),
            ExpressionKind::Unary { operator, .. } => {
                self.no_operators(*operator, wanted, expression.span)
            }
            ExpressionKind::Binary { rest, .. } => {
                let (operator, span, _) = rest.first()?;
                self.no_operators(*operator, wanted, *span)
            }
            ExpressionKind::Poisoned => None,
        }
    }

    fn no_operators<T>(&mut self, operator: Punctuation, wanted: &str, span: Span) -> Option<T> {
        let operator = operator.as_str();
        self.reject(
            DiagnosticCode::ConstantExpression,
            format!("`{operator}` cannot yield {}", with_article(wanted)),
            span,
        )
    }

    fn named_value(&mut self, name: &ScopedName) -> Option<ConstantValue> {
        let entity = self.lookup(name)?;
        match entity {
            Entity::Enumerator(id, ordinal) => Some(ConstantValue::Enumerator(id, ordinal)),
            Entity::Argument(index) if let Bound::Constant(value) = &self.bound[index as usize] => {
                Some(value.clone())
            }
            Entity::Definition(id)
                if let DefinitionKind::Constant(constant) = &self.model.get(id).kind =>
            {
                Some(constant.value.clone())
            }
            _ => {
                let what = with_article(self.describe(entity));
                let mut diagnostic = Diagnostic::error(
                    DiagnosticCode::WrongKind,
                    format!("`{}` is {what}, not a constant", name.to_text()),
                    name.span,
                );
                if let Some(span) = self.span_of(entity) {
                    diagnostic = diagnostic.also(span, "defined here");
                }
                self.diagnostics.push(diagnostic);
                None
            }
        }
    }

    pub(super) fn mismatch<T>(
        &mut self,
        span: Span,
        wanted: &str,
        found: &ConstantValue,
    ) -> Option<T> {
        let found = match found {
            ConstantValue::Boolean(_) => "a boolean".to_owned(),
            ConstantValue::Char(_) => "a character".to_owned(),
            ConstantValue::Integer(_) => "an integer".to_owned(),
            ConstantValue::Floating(_) | ConstantValue::LongDouble(_) => {
                "a floating-point number".to_owned()
            }
            ConstantValue::String(_) => "a string".to_owned(),
            ConstantValue::WChar(_) => "a wide character".to_owned(),
            ConstantValue::WString(_) => "a wide string".to_owned(),
            ConstantValue::Fixed(..) => "a fixed-point number".to_owned(),
            ConstantValue::Enumerator(id, _) => {
                format!("an enumerator of `{}`", self.model.get(*id).name)
            }
        };
        self.reject(
            DiagnosticCode::ConstantExpression,
            format!("expected {}, found {found}", with_article(wanted)),
            span,
        )
    }

    pub(super) fn reject<T>(
        &mut self,
        code: DiagnosticCode,
        message: String,
        span: Span,
    ) -> Option<T> {
        self.diagnostics
            .push(Diagnostic::error(code, message, span));
        None
    }
}

/// The type that an integer expression is computed in.
#[derive(Debug, Clone, Copy)]
struct Working {
    signed: bool,
    wide: bool,
}

impl Working {
    fn least(self) -> i128 {
        if self.wide {
            i128::from(i64::MIN)
        } else {
            i128::from(i32::MIN)
        }
    }

    fn greatest(self) -> i128 {
        if self.wide {
            i128::from(u64::MAX)
        } else {
            i128::from(u32::MAX)
        }
    }
}

/// The least and the greatest value of an integer type, and its name.
pub(super) fn range(ty: Primitive) -> Option<(i128, i128, &'static str)> {
    let (least, greatest) = match ty {
        Primitive::Octet | Primitive::UInt8 => (0, i128::from(u8::MAX)),
        Primitive::Int8 => (i128::from(i8::MIN), i128::from(i8::MAX)),
        Primitive::Short => (i128::from(i16::MIN), i128::from(i16::MAX)),
        Primitive::UShort => (0, i128::from(u16::MAX)),
        Primitive::Long => (i128::from(i32::MIN), i128::from(i32::MAX)),
        Primitive::ULong => (0, i128::from(u32::MAX)),
        Primitive::LongLong => (i128::from(i64::MIN), i128::from(i64::MAX)),
        Primitive::ULongLong => (0, i128::from(u64::MAX)),
        _ => return None,
    };
    Some((least, greatest, ty.idl_name()))
}

pub(super) const DIVISION: &str = "division by zero";
const SHIFT: &str = "the shift count must lie between 0 and 63";
const OVERFLOW: &str = "the value is far beyond 64 bits";

/// Applies an operator to values that fit in 65 bits.
fn apply(operator: Punctuation, left: i128, right: i128) -> Result<i128, &'static str> {
    Ok(match operator {
        Punctuation::Or => left | right,
        Punctuation::Caret => left ^ right,
        Punctuation::And => left & right,
        Punctuation::ShiftLeft | Punctuation::ShiftRight => {
            let count = u32::try_from(right)
                .ok()
                .filter(|count| *count < 64)
                .ok_or(SHIFT)?;
            match operator {
                Punctuation::ShiftLeft => left.checked_mul(1 << count).ok_or(OVERFLOW)?,
                _ => left >> count,
            }
        }
        Punctuation::Plus => left + right,
        Punctuation::Minus => left - right,
        Punctuation::Star => left.checked_mul(right).ok_or(OVERFLOW)?,
        Punctuation::Slash => left.checked_div(right).ok_or(DIVISION)?,
        _ => left.checked_rem(right).ok_or(DIVISION)?,
    })
}
