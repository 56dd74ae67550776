//! `#define`, `#undef` and what macros expand to.

use std::rc::Rc;

use super::{Preprocessor, Token, TokenKind};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lex::{Lexer, Punctuation, RawKind, RawToken};
use crate::source::Span;

/// How deeply macros may use macros.
const DEPTH: usize = 128;

#[derive(Debug, Clone)]
pub(super) struct Macro {
    pub(super) span: Span,
    pub(super) function_like: bool,
    pub(super) body: Rc<[RawToken]>,
}

impl Preprocessor<'_> {
    /// Defines what the options ask for, as if a file before the first did.
    pub(super) fn define_from_options(&mut self) {
        let mut text = String::from("#define __TAUT_IDL__ 1\n");
        for (name, value) in &self.options.defines {
            let value = value.as_deref().unwrap_or("1").replace(['\n', '\r'], " ");
            text.push_str(&format!(
                "#define {} {value}\n",
                name.replace(['\n', '\r'], " ")
            ));
        }
        let file = self
            .sources
            .add("<command line>".into(), text.into_bytes(), false);
        self.process(file, 0);
    }

    pub(super) fn define(&mut self, line: &[RawToken], directive: Span) {
        let Some((name, text)) = self.macro_name(line, "#define", directive) else {
            return;
        };
        let function_like = line.get(1).is_some_and(|next| {
            next.kind == RawKind::Punctuation(Punctuation::LeftParenthesis)
                && next.span.start == name.span.end
        });
        let body: Rc<[RawToken]> = line[1..].into();
        if let Some(old) = self.macros.get(&text) {
            let same = old.function_like == function_like
                && old
                    .body
                    .iter()
                    .map(|token| &token.kind)
                    .eq(body.iter().map(|token| &token.kind));
            if !same {
                self.diagnostics.push(
                    Diagnostic::warning(
                        DiagnosticCode::Directive,
                        format!("the macro `{text}` is redefined"),
                        name.span,
                    )
                    .also(old.span, "first defined here")
                    .help(format!("`#undef {text}` before it is defined anew")),
                );
            }
        }
        self.macros.insert(
            text,
            Macro {
                span: name.span,
                function_like,
                body,
            },
        );
    }

    pub(super) fn undefine(&mut self, line: &[RawToken], directive: Span) {
        if let Some((_, text)) = self.macro_name(line, "#undef", directive) {
            self.macros.remove(&text);
            self.reject_excess(&line[1..], "#undef");
        }
    }

    /// The name that a directive starts with.
    pub(super) fn macro_name<'t>(
        &mut self,
        line: &'t [RawToken],
        directive: &str,
        span: Span,
    ) -> Option<(&'t RawToken, Rc<str>)> {
        match line.first() {
            Some(
                token @ RawToken {
                    kind: RawKind::Identifier(text),
                    ..
                },
            ) if &**text != "defined" => Some((token, Rc::clone(text))),
            other => {
                let span = other.map_or(span, |token| token.span);
                self.diagnostics.push(Diagnostic::error(
                    DiagnosticCode::Directive,
                    format!("`{directive}` needs the name of a macro"),
                    span,
                ));
                None
            }
        }
    }

    /// A token of an active line outside of directives, expanded.
    pub(super) fn text(&mut self, token: RawToken, lexer: &mut Lexer) {
        if let RawKind::Identifier(name) = &token.kind
            && let Some(found) = self.macros.get(name)
        {
            if found.function_like {
                self.reject_function_like(&token);
                skip_arguments(lexer);
                self.output.tokens.push(Token {
                    kind: TokenKind::Invalid,
                    span: token.span,
                    docs: token.docs,
                });
                return;
            }
            let mut expanded = Vec::new();
            self.expand(&token, &mut Vec::new(), &mut expanded);
            for token in expanded {
                self.put(token);
            }
        } else {
            self.put(token);
        }
    }

    /// Appends what a token expands to. `hidden` are the macros being expanded.
    pub(super) fn expand(
        &mut self,
        token: &RawToken,
        hidden: &mut Vec<Rc<str>>,
        output: &mut Vec<RawToken>,
    ) {
        let RawKind::Identifier(name) = &token.kind else {
            output.push(token.clone());
            return;
        };
        let Some(found) = self.macros.get(name).filter(|_| !hidden.contains(name)) else {
            output.push(token.clone());
            return;
        };
        if found.function_like {
            self.reject_function_like(token);
            return;
        }
        let body = Rc::clone(&found.body);
        self.expansions = self.expansions.saturating_add(1 + body.len());
        if hidden.len() >= DEPTH || self.expansions > self.options.limits.tokens {
            self.stop_at_limit(
                format!("the macro `{name}` expands to too much"),
                token.span,
            );
        }
        if self.stopped {
            return;
        }
        hidden.push(Rc::clone(name));
        for (index, part) in body.iter().enumerate() {
            let docs = if index == 0 { token.docs.clone() } else { None };
            let part = RawToken {
                span: token.span,
                docs,
                ..part.clone()
            };
            self.expand(&part, hidden, output);
        }
        hidden.pop();
    }

    fn reject_function_like(&mut self, token: &RawToken) {
        self.diagnostics.push(
            Diagnostic::error(
                DiagnosticCode::NotSupported,
                "a macro with parameters is not supported yet",
                token.span,
            )
            .help("write out what the macro stands for, or preprocess the file beforehand"),
        );
    }
}

/// Skips parenthesised arguments, if they follow.
fn skip_arguments(lexer: &mut Lexer) {
    if !lexer.at_parenthesis() {
        return;
    }
    let mut depth = 0_usize;
    loop {
        match lexer.next_token().kind {
            RawKind::Punctuation(Punctuation::LeftParenthesis) => depth += 1,
            RawKind::Punctuation(Punctuation::RightParenthesis) => depth -= 1,
            RawKind::End => return,
            _ => {}
        }
        if depth == 0 {
            return;
        }
    }
}
