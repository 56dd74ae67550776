//! `#if` and its kin.

use super::Preprocessor;
use super::arguments::{is_open, read_arguments};
use super::expansion::Output;
use super::line::Line;
use super::replacement::Replacement;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lean;
use crate::lex::literal::{self, Number};
use crate::lex::{Lexer, Punctuation, RawKind, RawToken};
use crate::source::Span;

/// A conditional that has not ended.
#[derive(Debug)]
pub(super) struct Condition {
    /// Where it starts.
    span: Span,
    /// Whether the lines now read count.
    active: bool,
    /// Whether no later branch may count.
    done: bool,
    /// Where its `#else` stands.
    otherwise: Option<Span>,
}

/// Whether lines count within these conditionals.
pub(super) fn active(conditions: &[Condition]) -> bool {
    conditions.last().is_none_or(|condition| condition.active)
}

impl Preprocessor<'_> {
    /// Handles a conditional directive; whether it was one.
    pub(super) fn condition(
        &mut self,
        name: &str,
        span: Span,
        lexer: &mut Lexer,
        conditions: &mut Vec<Condition>,
    ) -> bool {
        match name {
            "if" | "ifdef" | "ifndef" => {
                let mut line = Line::new(lexer);
                let outer = active(conditions);
                let holds = outer && self.opens(name, &mut line, span);
                self.finish(line);
                conditions.push(Condition {
                    span,
                    active: holds,
                    done: holds || !outer,
                    otherwise: None,
                });
                true
            }
            "elif" | "else" | "endif" => {
                let mut line = Line::new(lexer);
                self.continues(name, &mut line, span, conditions);
                self.finish(line);
                true
            }
            _ => false,
        }
    }

    /// Reports the conditionals that the end of a file leaves open.
    pub(super) fn report_open(&mut self, conditions: &[Condition]) {
        for condition in conditions {
            self.diagnostics.push(Diagnostic::error(
                DiagnosticCode::Unterminated,
                "this conditional has no `#endif`",
                condition.span,
            ));
        }
    }

    fn opens(&mut self, name: &str, line: &mut Line<'_>, span: Span) -> bool {
        if name == "if" {
            return self.evaluate(line, span);
        }
        let directive = format!("#{name}");
        let first = line.next();
        let Some((_, text)) = self.macro_name(first.as_ref(), &directive, span) else {
            return false;
        };
        self.reject_excess(line, &directive);
        self.macros.contains_key(&text) == (name == "ifdef")
    }

    fn continues(
        &mut self,
        name: &str,
        line: &mut Line<'_>,
        span: Span,
        conditions: &mut Vec<Condition>,
    ) {
        let Some(condition) = conditions.last_mut() else {
            self.diagnostics.push(Diagnostic::error(
                DiagnosticCode::Directive,
                format!("`#{name}` without an `#if`"),
                span,
            ));
            return;
        };
        if name == "endif" {
            conditions.pop();
            return;
        }
        if let Some(otherwise) = condition.otherwise {
            self.diagnostics.push(
                Diagnostic::error(
                    DiagnosticCode::Directive,
                    format!("`#{name}` after the `#else`"),
                    span,
                )
                .also(otherwise, "the `#else` is here"),
            );
        }
        condition.active = !condition.done;
        if name == "else" {
            condition.otherwise = Some(span);
            condition.done = true;
        } else if condition.active {
            let holds = self.evaluate(line, span);
            condition.active = holds;
            condition.done = holds;
        }
    }

    fn evaluate(&mut self, line: &mut Line<'_>, span: Span) -> bool {
        let mut tokens = Vec::new();
        let mut line = line.peekable();
        while let Some(token) = line.next() {
            if is_defined(&token) {
                // The operand of `defined` is not expanded.
                tokens.push(token);
                let parenthesis = line.next_if(is_open);
                tokens.extend(parenthesis);
                tokens.extend(line.next());
                continue;
            }
            let found = match &token.kind {
                RawKind::Identifier(name) => self.macros.get(name),
                _ => None,
            };
            let Some(found) = found else {
                lean::push(&mut tokens, token);
                continue;
            };
            let takes_arguments = found.parameters.is_some();
            let mut used = vec![token];
            if takes_arguments && line.peek().is_some_and(is_open) {
                read_arguments(|| line.next(), &mut used);
            }
            self.expand(&Replacement::of(&used), &mut Output::list(&mut tokens));
        }
        let mut evaluator = Evaluator {
            preprocessor: self,
            tokens: &tokens,
            position: 0,
            depth: 0,
            end: span,
        };
        match evaluator.whole() {
            Ok(value) => value != 0,
            Err(Fault(message, span)) => {
                self.diagnostics
                    .push(Diagnostic::error(DiagnosticCode::Directive, message, span));
                false
            }
        }
    }
}

fn is_defined(token: &RawToken) -> bool {
    matches!(&token.kind, RawKind::Identifier(name) if &**name == "defined")
}

struct Fault(String, Span);

/// Computes a condition in 64 bits.
struct Evaluator<'e, 'p> {
    preprocessor: &'e Preprocessor<'p>,
    tokens: &'e [RawToken],
    position: usize,
    depth: usize,
    end: Span,
}

impl Evaluator<'_, '_> {
    fn whole(&mut self) -> Result<i64, Fault> {
        let value = self.choice()?;
        match self.tokens.get(self.position) {
            None => Ok(value),
            Some(token) => Err(Fault(
                "the condition should end here".to_owned(),
                token.span,
            )),
        }
    }

    fn choice(&mut self) -> Result<i64, Fault> {
        self.depth += 1;
        if self.depth > self.preprocessor.options.limits.nesting.min(256) {
            return Err(Fault(
                "the condition is nested too deeply".to_owned(),
                self.span(),
            ));
        }
        let condition = self.binary(1)?;
        let value = if self.take(Punctuation::Question) {
            let yes = self.choice()?;
            self.expect(Punctuation::Colon)?;
            let no = self.choice()?;
            if condition != 0 { yes } else { no }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(value)
    }

    fn binary(&mut self, least: u8) -> Result<i64, Fault> {
        let mut left = self.unary()?;
        while let Some(operator) = self.punctuation() {
            let Some(precedence) = precedence(operator).filter(|found| *found >= least) else {
                break;
            };
            let span = self.span();
            self.position += 1;
            let right = self.binary(precedence + 1)?;
            left = apply(operator, left, right)
                .ok_or_else(|| Fault("division by zero in a condition".to_owned(), span))?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<i64, Fault> {
        let mut operators = Vec::new();
        while let Some(
            operator @ (Punctuation::Not
            | Punctuation::Minus
            | Punctuation::Plus
            | Punctuation::Tilde),
        ) = self.punctuation()
        {
            self.position += 1;
            operators.push(operator);
        }
        let value = self.primary()?;
        Ok(operators
            .into_iter()
            .rev()
            .fold(value, |value, operator| match operator {
                Punctuation::Not => i64::from(value == 0),
                Punctuation::Minus => value.wrapping_neg(),
                Punctuation::Tilde => !value,
                _ => value,
            }))
    }

    fn primary(&mut self) -> Result<i64, Fault> {
        let span = self.span();
        let Some(token) = self.tokens.get(self.position) else {
            return Err(Fault("the condition lacks an operand".to_owned(), span));
        };
        self.position += 1;
        match &token.kind {
            RawKind::Number(text) => {
                match literal::number(text.trim_end_matches(['l', 'L', 'u', 'U'])) {
                    Ok(Number::Integer(value)) => Ok(value as i64),
                    _ => Err(Fault("a condition needs integers".to_owned(), span)),
                }
            }
            RawKind::Character { wide: false, body } => literal::character(body)
                .map(i64::from)
                .map_err(|why| Fault(format!("malformed character: {}", why.0), span)),
            RawKind::Identifier(name) if &**name == "defined" => {
                let parenthesis = self.take(Punctuation::LeftParenthesis);
                let Some(RawKind::Identifier(name)) =
                    self.tokens.get(self.position).map(|token| &token.kind)
                else {
                    return Err(Fault(
                        "`defined` needs the name of a macro".to_owned(),
                        self.span(),
                    ));
                };
                self.position += 1;
                if parenthesis {
                    self.expect(Punctuation::RightParenthesis)?;
                }
                Ok(i64::from(self.preprocessor.macros.contains_key(name)))
            }
            // An identifier that is left after expansion is no macro, and counts as 0.
            RawKind::Identifier(_) => Ok(0),
            RawKind::Punctuation(Punctuation::LeftParenthesis) => {
                let value = self.choice()?;
                self.expect(Punctuation::RightParenthesis)?;
                Ok(value)
            }
            _ => Err(Fault("this cannot stand in a condition".to_owned(), span)),
        }
    }

    fn punctuation(&self) -> Option<Punctuation> {
        match self.tokens.get(self.position)?.kind {
            RawKind::Punctuation(punctuation) => Some(punctuation),
            _ => None,
        }
    }

    fn take(&mut self, wanted: Punctuation) -> bool {
        let found = self.punctuation() == Some(wanted);
        self.position += usize::from(found);
        found
    }

    fn expect(&mut self, wanted: Punctuation) -> Result<(), Fault> {
        if self.take(wanted) {
            return Ok(());
        }
        Err(Fault(
            format!("expected `{}` in the condition", wanted.as_str()),
            self.span(),
        ))
    }

    fn span(&self) -> Span {
        let last = self
            .tokens
            .last()
            .map_or(self.end, |token| token.span.after());
        self.tokens
            .get(self.position)
            .map_or(last, |token| token.span)
    }
}

fn precedence(operator: Punctuation) -> Option<u8> {
    Some(match operator {
        Punctuation::OrOr => 1,
        Punctuation::AndAnd => 2,
        Punctuation::Or => 3,
        Punctuation::Caret => 4,
        Punctuation::And => 5,
        Punctuation::EqualsEquals | Punctuation::NotEquals => 6,
        Punctuation::Less
        | Punctuation::Greater
        | Punctuation::LessEquals
        | Punctuation::GreaterEquals => 7,
        Punctuation::ShiftLeft | Punctuation::ShiftRight => 8,
        Punctuation::Plus | Punctuation::Minus => 9,
        Punctuation::Star | Punctuation::Slash | Punctuation::Percent => 10,
        _ => return None,
    })
}

/// None when it divides by zero.
fn apply(operator: Punctuation, left: i64, right: i64) -> Option<i64> {
    Some(match operator {
        Punctuation::OrOr => i64::from(left != 0 || right != 0),
        Punctuation::AndAnd => i64::from(left != 0 && right != 0),
        Punctuation::Or => left | right,
        Punctuation::Caret => left ^ right,
        Punctuation::And => left & right,
        Punctuation::EqualsEquals => i64::from(left == right),
        Punctuation::NotEquals => i64::from(left != right),
        Punctuation::Less => i64::from(left < right),
        Punctuation::Greater => i64::from(left > right),
        Punctuation::LessEquals => i64::from(left <= right),
        Punctuation::GreaterEquals => i64::from(left >= right),
        Punctuation::ShiftLeft => left.wrapping_shl(right as u32),
        Punctuation::ShiftRight => left.wrapping_shr(right as u32),
        Punctuation::Plus => left.wrapping_add(right),
        Punctuation::Minus => left.wrapping_sub(right),
        Punctuation::Star => left.wrapping_mul(right),
        Punctuation::Slash | Punctuation::Percent if right == 0 => return None,
        Punctuation::Slash => left.wrapping_div(right),
        _ => left.wrapping_rem(right),
    })
}
