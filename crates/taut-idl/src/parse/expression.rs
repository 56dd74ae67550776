//! Constant expressions.

use super::{Parsed, Parser};
use crate::lean;
use crate::lex::Punctuation;
use crate::lex::keyword::Keyword;
use crate::preprocess::TokenKind;
use crate::syntax::{Expression, ExpressionKind};

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        self.nested(|parser| parser.binary(1))
    }

    fn binary(&mut self, least: u8) -> Parsed<Expression> {
        let mut left = self.unary()?;
        // The precedence of the chain that `left` is, when it was made here.
        let mut chained = None;
        loop {
            let Some((operator, precedence)) = self.operator().filter(|found| found.1 >= least)
            else {
                return Ok(left);
            };
            let operator_span = self.advance();
            let right = self.binary(precedence + 1)?;
            let span = left.span.to(right.span);
            let link = (operator, operator_span, right);
            let kind = match left.kind {
                ExpressionKind::Binary { first, mut rest } if chained == Some(precedence) => {
                    lean::push(&mut rest, link);
                    ExpressionKind::Binary { first, rest }
                }
                kind => {
                    let first = Box::new(Expression {
                        kind,
                        span: left.span,
                    });
                    ExpressionKind::Binary {
                        first,
                        rest: vec![link],
                    }
                }
            };
            left = Expression { kind, span };
            chained = Some(precedence);
        }
    }

    /// The operator at hand, unless it closes a template.
    fn operator(&self) -> Option<(Punctuation, u8)> {
        let TokenKind::Punctuation(operator) = *self.kind() else {
            return None;
        };
        // Two open `<` are closed by a `>>`; within one alone it can only shift.
        if operator == Punctuation::ShiftRight && self.angles >= 2 {
            return None;
        }
        precedence_of(operator).map(|precedence| (operator, precedence))
    }

    fn unary(&mut self) -> Parsed<Expression> {
        let start = self.span();
        match *self.kind() {
            TokenKind::Punctuation(
                operator @ (Punctuation::Minus | Punctuation::Plus | Punctuation::Tilde),
            ) => {
                self.advance();
                let operand = Box::new(self.nested(Self::unary)?);
                let span = start.to(operand.span);
                Ok(Expression {
                    kind: ExpressionKind::Unary { operator, operand },
                    span,
                })
            }
            _ => self.primary(),
        }
    }

    fn primary(&mut self) -> Parsed<Expression> {
        let start = self.span();
        let kind = match self.kind().clone() {
            TokenKind::Integer(value) => ExpressionKind::Integer(value),
            TokenKind::Floating(text) => ExpressionKind::Floating(text),
            TokenKind::Fixed(value) => ExpressionKind::Fixed(value),
            TokenKind::Character(value) => ExpressionKind::Character(value),
            TokenKind::WideCharacter(value) => ExpressionKind::WideCharacter(value),
            TokenKind::Keyword(Keyword::True) => ExpressionKind::Boolean(true),
            TokenKind::Keyword(Keyword::False) => ExpressionKind::Boolean(false),
            TokenKind::Invalid => ExpressionKind::Poisoned,
            TokenKind::String(_) => return Ok(self.strings()),
            TokenKind::WideString(_) => return Ok(self.wide_strings()),
            TokenKind::Punctuation(Punctuation::LeftParenthesis) => {
                self.advance();
                let angles = std::mem::take(&mut self.angles);
                let inner = self.expression()?;
                self.angles = angles;
                let end = self.expect(Punctuation::RightParenthesis)?;
                return Ok(Expression {
                    kind: inner.kind,
                    span: start.to(end),
                });
            }
            TokenKind::Punctuation(Punctuation::Scope) | TokenKind::Identifier { .. } => {
                let name = self.scoped_name("a constant")?;
                let span = name.span;
                return Ok(Expression {
                    kind: ExpressionKind::Name(Box::new(name)),
                    span,
                });
            }
            TokenKind::Keyword(_) if self.used_name().is_some() => {
                let name = self.scoped_name("a constant")?;
                let span = name.span;
                return Ok(Expression {
                    kind: ExpressionKind::Name(Box::new(name)),
                    span,
                });
            }
            _ => return self.fail_expecting("a literal, a constant or `(`"),
        };
        self.advance();
        Ok(Expression { kind, span: start })
    }

    /// String literals in a row are one.
    fn strings(&mut self) -> Expression {
        let start = self.span();
        let mut value = String::new();
        while let TokenKind::String(text) = self.kind() {
            value.push_str(text);
            self.advance();
        }
        Expression {
            kind: ExpressionKind::String(value.into()),
            span: start.to(self.previous()),
        }
    }

    fn wide_strings(&mut self) -> Expression {
        let start = self.span();
        let mut value = String::new();
        while let TokenKind::WideString(text) = self.kind() {
            value.push_str(text);
            self.advance();
        }
        Expression {
            kind: ExpressionKind::WideString(value.into()),
            span: start.to(self.previous()),
        }
    }
}

fn precedence_of(operator: Punctuation) -> Option<u8> {
    Some(match operator {
        Punctuation::Or => 1,
        Punctuation::Caret => 2,
        Punctuation::And => 3,
        Punctuation::ShiftLeft | Punctuation::ShiftRight => 4,
        Punctuation::Plus | Punctuation::Minus => 5,
        Punctuation::Star | Punctuation::Slash | Punctuation::Percent => 6,
        _ => return None,
    })
}
