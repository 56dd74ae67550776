//! What macros expand to; C99, 6.10.3.
//!
//! Tokens from a macro's body get the place of its use; those from arguments
//! keep their own.

use std::collections::HashMap;
use std::rc::Rc;

use super::{Preprocessor, Token, TokenKind};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lex::{Lexer, Punctuation, RawKind, RawToken};
use crate::source::Span;

/// How deeply macros may use macros.
const DEPTH: usize = 128;

/// How many bytes of text that macros make count as much as a token.
const TEXT: usize = 16;

/// What a use of a macro with parameters has between its parentheses.
struct Arguments<'t> {
    list: Vec<&'t [RawToken]>,
    /// How many tokens there are from the `(` to the `)`.
    length: usize,
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
        if takes_arguments && !read_arguments(lexer, &mut tokens) {
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
        let mut expanded = Vec::new();
        self.expand(&tokens, &mut expanded);
        for token in expanded {
            if self.stopped {
                return;
            }
            self.put(token);
        }
    }

    /// Appends what tokens expand to.
    pub(super) fn expand(&mut self, tokens: &[RawToken], output: &mut Vec<RawToken>) {
        let mut at = 0;
        let mut closings = None;
        while let Some(token) = tokens.get(at) {
            if self.stopped {
                return;
            }
            at += 1;
            let RawKind::Identifier(name) = &token.kind else {
                output.push(token.clone());
                continue;
            };
            let Some(found) = self.macros.get(name).filter(|_| !token.inert) else {
                output.push(token.clone());
                continue;
            };
            if found.expanding {
                output.push(RawToken {
                    inert: true,
                    ..token.clone()
                });
                continue;
            }
            let body = Rc::clone(&found.body);
            let Some(parameters) = found.parameters.clone() else {
                let replacement: Vec<RawToken> =
                    body.iter().map(|part| moved(part, token.span)).collect();
                self.rescan(token, replacement, output);
                continue;
            };
            let opens = tokens.get(at).is_some_and(is_open);
            let closing = opens
                .then(|| closings.get_or_insert_with(|| closings_of(tokens)).get(&at))
                .flatten();
            let Some(arguments) = closing.map(|&closing| arguments(&tokens[at..=closing])) else {
                // Without arguments it is no use of the macro.
                output.push(token.clone());
                continue;
            };
            at += arguments.length;
            let mut list = arguments.list;
            if parameters.is_empty() && list.len() == 1 && list[0].is_empty() {
                list.clear();
            }
            if list.len() != parameters.len() {
                let message = format!(
                    "the macro `{name}` takes {} argument{}, not {}",
                    parameters.len(),
                    if parameters.len() == 1 { "" } else { "s" },
                    list.len()
                );
                self.diagnostics.push(
                    Diagnostic::error(DiagnosticCode::Directive, message, token.span)
                        .also(found_span(self, name, token.span), "defined here"),
                );
                output.push(RawToken {
                    kind: RawKind::Invalid,
                    ..token.clone()
                });
                continue;
            }
            let replacement = self.substitute(&body, &parameters, &list, token.span);
            self.rescan(token, replacement, output);
        }
    }

    /// Expands what a macro's use was replaced with.
    fn rescan(&mut self, name: &RawToken, tokens: Vec<RawToken>, output: &mut Vec<RawToken>) {
        if !self.spend(1 + tokens.len(), name.span) {
            return;
        }
        let RawKind::Identifier(text) = &name.kind else {
            return;
        };
        let start = output.len();
        self.set_expanding(text, true);
        self.deeper(name.span, |preprocessor| {
            preprocessor.expand(&tokens, output)
        });
        self.set_expanding(text, false);
        if let Some(first) = output.get_mut(start) {
            first.docs = name.docs.clone();
        }
    }

    /// The body with its parameters replaced.
    fn substitute(
        &mut self,
        body: &[RawToken],
        parameters: &[Rc<str>],
        arguments: &[&[RawToken]],
        span: Span,
    ) -> Vec<RawToken> {
        let arguments: HashMap<&Rc<str>, &[RawToken]> =
            parameters.iter().zip(arguments.iter().copied()).collect();
        let argument = |token: &RawToken| match &token.kind {
            RawKind::Identifier(name) => arguments.get(name).copied(),
            _ => None,
        };
        let pastes = |at: usize| {
            body.get(at)
                .is_some_and(|next| next.kind == RawKind::HashHash)
        };
        let mut output: Vec<RawToken> = Vec::new();
        let mut at = 0;
        while let Some(token) = body.get(at) {
            if self.stopped {
                break;
            }
            at += 1;
            let before = output.len();
            let mut text = 0;
            if token.kind == RawKind::Hash
                && let Some(argument) = body.get(at).and_then(argument)
            {
                at += 1;
                let body: Rc<[u8]> = self.spelling(argument).into_bytes().into();
                text = body.len();
                output.push(RawToken {
                    kind: RawKind::String { wide: false, body },
                    ..moved(token, span)
                });
            } else if token.kind == RawKind::HashHash && at > 1 && at < body.len() {
                let right: Vec<RawToken> = match argument(&body[at]) {
                    Some(argument) => argument.to_vec(),
                    None => vec![moved(&body[at], span)],
                };
                at += 1;
                text = self.paste(&mut output, right, span);
            } else if let Some(argument) = argument(token) {
                if pastes(at) {
                    output.extend_from_slice(argument);
                } else {
                    self.deeper(span, |preprocessor| {
                        preprocessor.expand(argument, &mut output)
                    });
                }
            } else {
                output.push(moved(token, span));
            }
            let grown = output.len().saturating_sub(before);
            if !self.spend(1 + grown + text / TEXT, span) {
                break;
            }
        }
        output
    }

    /// Joins the last token so far with the first of those that follow. Answers
    /// how long the text is that this makes.
    fn paste(&mut self, output: &mut Vec<RawToken>, right: Vec<RawToken>, span: Span) -> usize {
        let mut length = 0;
        let mut right = right.into_iter();
        if let Some(second) = right.next() {
            match output.pop() {
                None => output.push(second),
                Some(first) => match (word(&first.kind), word(&second.kind)) {
                    (Some(left), Some(right)) => {
                        let text: Rc<str> = format!("{left}{right}").into();
                        length = text.len();
                        let kind = match text.starts_with(|first: char| first.is_ascii_digit()) {
                            true => RawKind::Number(text),
                            false => RawKind::Identifier(text),
                        };
                        output.push(RawToken {
                            kind,
                            inert: false,
                            ..first
                        });
                    }
                    _ => {
                        let message = "`##` can only join names and numbers";
                        let code = DiagnosticCode::Directive;
                        self.diagnostics
                            .push(Diagnostic::error(code, message, span));
                        output.push(RawToken {
                            kind: RawKind::Invalid,
                            ..first
                        });
                    }
                },
            }
        }
        output.extend(right);
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

    fn set_expanding(&mut self, name: &Rc<str>, expanding: bool) {
        if let Some(found) = self.macros.get_mut(name) {
            found.expanding = expanding;
        }
    }
}

fn found_span(preprocessor: &Preprocessor<'_>, name: &Rc<str>, otherwise: Span) -> Span {
    preprocessor
        .macros
        .get(name)
        .map_or(otherwise, |found| found.span)
}

/// A token of a body, as if it stood where the macro is used.
fn moved(token: &RawToken, span: Span) -> RawToken {
    RawToken {
        span,
        docs: None,
        first_on_line: false,
        ..token.clone()
    }
}

fn word(kind: &RawKind) -> Option<&Rc<str>> {
    match kind {
        RawKind::Identifier(text) | RawKind::Number(text) => Some(text),
        _ => None,
    }
}

/// Reads arguments with their parentheses; whether the closing one is there.
fn read_arguments(lexer: &mut Lexer, tokens: &mut Vec<RawToken>) -> bool {
    let mut depth = 0_usize;
    loop {
        let token = lexer.next_token();
        match token.kind {
            RawKind::Punctuation(Punctuation::LeftParenthesis) => depth += 1,
            RawKind::Punctuation(Punctuation::RightParenthesis) => depth = depth.saturating_sub(1),
            RawKind::Newline => continue,
            RawKind::End | RawKind::UnterminatedComment => return false,
            _ => {}
        }
        tokens.push(token);
        if depth == 0 {
            return true;
        }
    }
}

fn is_open(token: &RawToken) -> bool {
    token.kind == RawKind::Punctuation(Punctuation::LeftParenthesis)
}

/// The closing parenthesis of each opening one that has one, by its index.
/// Found for all at once: to look for each anew would take quadratic time where
/// many are never closed.
fn closings_of(tokens: &[RawToken]) -> HashMap<usize, usize> {
    let mut open = Vec::new();
    let mut closings = HashMap::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            RawKind::Punctuation(Punctuation::LeftParenthesis) => open.push(at),
            RawKind::Punctuation(Punctuation::RightParenthesis) => {
                closings.extend(open.pop().map(|opening| (opening, at)));
            }
            _ => {}
        }
    }
    closings
}

/// The arguments between parentheses, with which the tokens begin and end.
fn arguments(tokens: &[RawToken]) -> Arguments<'_> {
    let mut list = Vec::new();
    let mut depth = 0_usize;
    let mut start = 1;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            RawKind::Punctuation(Punctuation::LeftParenthesis) => depth += 1,
            RawKind::Punctuation(Punctuation::Comma) if depth == 1 => {
                list.push(&tokens[start..at]);
                start = at + 1;
            }
            RawKind::Punctuation(Punctuation::RightParenthesis) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    list.push(tokens.get(start..tokens.len() - 1).unwrap_or_default());
    Arguments {
        list,
        length: tokens.len(),
    }
}
