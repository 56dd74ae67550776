//! The expansion of macros; C99, 6.10.3.
//!
//! Tokens from a macro's body get the place of its use; those from arguments
//! keep their own.

use arcstr::ArcStr;
use hashbrown::HashMap;

use super::arguments::{arguments, closing_of, closings_of, next_of_text, opens, read_arguments};
use super::macros::Macro;
use super::replacement::{Argument, Reader, Replacement};
use super::{Preprocessor, Token, TokenKind};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lean;
use crate::lex::{Body, Docs, Lexer, RawKind, RawToken};
use crate::source::Span;

/// How deeply macros may use macros.
const DEPTH: usize = 128;

/// How many bytes of text that macros make count as much as a token.
const TEXT: usize = 16;

/// Where expanded tokens go.
pub(super) struct Output<'o> {
    /// None if they go to the parser.
    list: Option<&'o mut Vec<RawToken>>,
    /// The comment that the next token gets, whatever it has.
    docs: Option<Docs>,
}

impl<'o> Output<'o> {
    fn parser() -> Self {
        Self {
            list: None,
            docs: None,
        }
    }

    pub(super) fn list(list: &'o mut Vec<RawToken>) -> Self {
        Self {
            list: Some(list),
            docs: None,
        }
    }
}

impl Preprocessor<'_> {
    /// A token of an active line outside of directives, expanded.
    pub(super) fn text(&mut self, token: RawToken, lexer: &mut Lexer) {
        let found = match &token.kind {
            RawKind::Identifier(name) => self.macros.get(name),
            _ => None,
        };
        let Some(found) = found else {
            self.put(token);
            return;
        };
        let span = token.span;
        let docs = token.docs.clone();
        let takes_arguments = found.parameters.is_some() && lexer.at_parenthesis();
        let mut tokens = vec![token];
        if takes_arguments && !read_arguments(|| next_of_text(lexer), &mut tokens) {
            let message = "the arguments of this macro have no closing `)`";
            self.diagnostics.push(Diagnostic::error(
                DiagnosticCode::Unterminated,
                message,
                span,
            ));
            self.output.tokens.push(Token {
                kind: TokenKind::Invalid,
                span,
                docs,
            });
            return;
        }
        self.expand(&Replacement::of(&tokens), &mut Output::parser());
    }

    fn emit(&mut self, mut token: RawToken, output: &mut Output<'_>) {
        if let Some(docs) = output.docs.take() {
            token.docs = docs;
        }
        match &mut output.list {
            Some(list) => lean::push(list, token),
            None => self.put(token),
        }
    }

    /// Hands on what tokens expand to.
    pub(super) fn expand(&mut self, tokens: &Replacement<'_>, output: &mut Output<'_>) {
        let mut reader = Reader::new(tokens);
        let mut closings = None;
        while let Some(token) = reader.next() {
            if self.stopped {
                return;
            }
            let found = match &token.kind {
                RawKind::Identifier(name) if !token.inert => self.macros.get(name),
                _ => None,
            };
            let Some(found) = found else {
                self.emit(token, output);
                continue;
            };
            if found.expanding {
                let inert = true;
                self.emit(RawToken { inert, ..token }, output);
                continue;
            }
            let found = found.clone();
            let Some(parameters) = &found.parameters else {
                self.rescan(&token, &Replacement::body(&found.body, token.span), output);
                continue;
            };
            let opens = reader.peek().is_some_and(opens);
            let closing = opens
                .then(|| closing_of(closings.get_or_insert_with(|| closings_of(tokens)), &reader))
                .flatten();
            let Some(closing) = closing else {
                // Without arguments it is no use of the macro.
                self.emit(token, output);
                continue;
            };
            let between = reader.take(closing + 1 - reader.position);
            let mut list = arguments(&between);
            if parameters.is_empty() && list.len() == 1 && list[0].is_empty() {
                list.clear();
            }
            if list.len() != parameters.len() {
                self.report_arguments(&found, &token, list.len());
                let kind = RawKind::Invalid;
                self.emit(RawToken { kind, ..token }, output);
                continue;
            }
            let replacement = self.substitute(&found.body, parameters, list, token.span);
            self.rescan(&token, &replacement, output);
        }
    }

    fn report_arguments(&mut self, found: &Macro, token: &RawToken, count: usize) {
        let RawKind::Identifier(name) = &token.kind else {
            return;
        };
        let wanted = found.parameters.as_ref().map_or(0, |list| list.len());
        let message = format!(
            "the macro `{name}` takes {wanted} argument{}, not {count}",
            if wanted == 1 { "" } else { "s" },
        );
        self.diagnostics.push(
            Diagnostic::error(DiagnosticCode::Directive, message, token.span)
                .also(found.span, "defined here"),
        );
    }

    /// Expands what a macro's use was replaced with.
    fn rescan(&mut self, name: &RawToken, tokens: &Replacement<'_>, output: &mut Output<'_>) {
        if !self.spend(1 + tokens.len(), name.span) {
            return;
        }
        let RawKind::Identifier(text) = &name.kind else {
            return;
        };
        // Of nested macros, the comment of the outermost counts.
        let is_outermost = output.docs.is_none();
        if is_outermost {
            output.docs = Some(name.docs.clone());
        }
        self.set_expanding(text, true);
        self.deeper(name.span, |preprocessor| {
            preprocessor.expand(tokens, output)
        });
        self.set_expanding(text, false);
        if is_outermost {
            output.docs = None;
        }
    }

    /// The body with its parameters replaced.
    fn substitute<'t>(
        &mut self,
        body: &'t [RawKind],
        parameters: &[ArcStr],
        arguments: Vec<&'t [RawToken]>,
        span: Span,
    ) -> Replacement<'t> {
        let indexes: HashMap<&ArcStr, usize> = parameters.iter().zip(0..).collect();
        let parameter = |kind: &RawKind| match kind {
            RawKind::Identifier(name) => indexes.get(name).copied(),
            _ => None,
        };
        let arguments = arguments.into_iter().map(|tokens| Argument {
            tokens,
            ..Argument::default()
        });
        let mut output = Replacement::with_arguments(body, arguments.collect(), span);
        let mut at = 0;
        while let Some(kind) = body.get(at) {
            if self.stopped {
                break;
            }
            let here = at;
            at += 1;
            let before = output.len();
            let mut text = 0;
            if *kind == RawKind::Hash
                && let Some(argument) = body.get(at).and_then(parameter)
            {
                at += 1;
                let body = self.spelt(&mut output.arguments[argument]);
                text = body.len();
                output.push_made(made(RawKind::String { wide: false, body }, span));
            } else if *kind == RawKind::HashHash && at > 1 && at < body.len() {
                text = match parameter(&body[at]) {
                    Some(argument) => {
                        let first = output.arguments[argument].tokens.first().cloned();
                        let length = first.map_or(0, |first| self.paste(&mut output, first, span));
                        output.push_plain(argument, 1);
                        length
                    }
                    None => self.paste(&mut output, made(body[at].clone(), span), span),
                };
                at += 1;
            } else if let Some(argument) = parameter(kind) {
                if body.get(at) == Some(&RawKind::HashHash) {
                    output.push_plain(argument, 0);
                } else {
                    self.expand_argument(&mut output.arguments[argument], span);
                    output.push_expanded(argument);
                }
            } else {
                output.push_body(here);
            }
            let grown = output.len().saturating_sub(before);
            if !self.spend(1 + grown + text / TEXT, span) {
                break;
            }
        }
        output
    }

    /// Expands an argument, if that has not been done.
    fn expand_argument(&mut self, argument: &mut Argument<'_>, span: Span) {
        if argument.expanded.is_none() {
            let mut expanded = Vec::new();
            self.deeper(span, |preprocessor| {
                let tokens = Replacement::of(argument.tokens);
                preprocessor.expand(&tokens, &mut Output::list(&mut expanded))
            });
            argument.expanded = Some(expanded);
        }
    }

    /// How an argument is spelt.
    fn spelt(&mut self, argument: &mut Argument<'_>) -> Body {
        let body = argument.spelling.take();
        let body = body.unwrap_or_else(|| self.spelling(argument.tokens).into_bytes().into());
        argument.spelling.insert(body).clone()
    }

    /// Joins the last token so far with another. Answers how long the text is
    /// that this makes.
    fn paste(&mut self, output: &mut Replacement<'_>, second: RawToken, span: Span) -> usize {
        let mut length = 0;
        let Some(first) = output.pop() else {
            output.push_made(second);
            return length;
        };
        let kind = match (word(&first.kind), word(&second.kind)) {
            (Some(left), Some(right)) => {
                let text = arcstr::format!("{left}{right}");
                length = text.len();
                match text.starts_with(|first: char| first.is_ascii_digit()) {
                    true => RawKind::Number(text),
                    false => RawKind::Identifier(text),
                }
            }
            _ => {
                self.diagnostics.push(Diagnostic::error(
                    DiagnosticCode::Directive,
                    "`##` can only join names and numbers",
                    span,
                ));
                RawKind::Invalid
            }
        };
        let inert = false;
        output.push_made(RawToken {
            kind,
            inert,
            ..first
        });
        length
    }

    /// The text of an argument, fit to stand between double quotes.
    fn spelling(&self, tokens: &[RawToken]) -> String {
        let mut text = String::new();
        let mut end = None;
        for token in tokens {
            if end.is_some_and(|end| end != (token.span.file, token.span.start)) {
                text.push(' ');
            }
            end = Some((token.span.file, token.span.end));
            let literal = matches!(
                token.kind,
                RawKind::String { .. } | RawKind::Character { .. }
            );
            for character in String::from_utf8_lossy(self.sources.text(token.span)).chars() {
                if character == '"' || literal && character == '\\' {
                    text.push('\\');
                }
                text.push(character);
            }
        }
        text
    }

    fn deeper(&mut self, span: Span, inner: impl FnOnce(&mut Self)) {
        if self.expansion_depth >= DEPTH {
            self.stop_at_limit(format!("macros use macros more than {DEPTH} deep"), span);
            return;
        }
        self.expansion_depth += 1;
        inner(self);
        self.expansion_depth -= 1;
    }

    /// Counts work; whether there may be more.
    fn spend(&mut self, tokens: usize, span: Span) -> bool {
        self.expansions = self.expansions.saturating_add(tokens);
        if self.expansions > self.most_tokens() {
            self.stop_at_limit("macros expand to too much".to_owned(), span);
        }
        !self.stopped
    }

    fn set_expanding(&mut self, name: &ArcStr, expanding: bool) {
        if let Some(found) = self.macros.get_mut(name) {
            found.expanding = expanding;
        }
    }
}

/// A token that stands where a macro is used.
fn made(kind: RawKind, span: Span) -> RawToken {
    RawToken {
        kind,
        span,
        first_on_line: false,
        docs: Docs::default(),
        inert: false,
    }
}

fn word(kind: &RawKind) -> Option<&ArcStr> {
    match kind {
        RawKind::Identifier(text) | RawKind::Number(text) => Some(text),
        _ => None,
    }
}
