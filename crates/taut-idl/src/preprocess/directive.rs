//! Lines that start with `#`.

use super::Preprocessor;
use super::condition::{self, Condition};
use super::line::Line;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lex::{Lexer, RawKind, RawToken};

impl Preprocessor<'_> {
    pub(super) fn directive(
        &mut self,
        lexer: &mut Lexer,
        hash: &RawToken,
        conditions: &mut Vec<Condition>,
        depth: usize,
    ) {
        let token = lexer.next_token();
        let name = match &token.kind {
            RawKind::Identifier(name) => name.clone(),
            RawKind::Number(_) if condition::active(conditions) => {
                let mut line = vec![token];
                line.extend(self.rest(lexer));
                self.line_marker(&line);
                return;
            }
            RawKind::Newline | RawKind::End => return,
            _ => {
                if condition::active(conditions) {
                    self.diagnostics.push(Diagnostic::error(
                        DiagnosticCode::Directive,
                        "a directive must start with its name",
                        token.span,
                    ));
                }
                self.rest(lexer);
                return;
            }
        };
        let span = hash.span.to(token.span);
        if self.condition(&name, span, lexer, conditions) {
            return;
        }
        if !condition::active(conditions) {
            self.rest(lexer);
            return;
        }
        match &*name {
            "include" => self.include(lexer, &RawToken { span, ..token }, depth),
            "define" => {
                let mut line = Line::new(lexer);
                self.define(&mut line, span);
                self.finish(line);
            }
            "undef" => {
                let mut line = Line::new(lexer);
                self.undefine(&mut line, span);
                self.finish(line);
            }
            "pragma" => self.pragma(lexer, span),
            "error" | "warning" => {
                let (text, place) = lexer.rest_of_line();
                let code = DiagnosticCode::UserDirective;
                let message = if text.is_empty() {
                    format!("`#{name}`")
                } else {
                    text
                };
                let span = span.to(place);
                self.diagnostics.push(match &*name {
                    "error" => Diagnostic::error(code, message, span),
                    _ => Diagnostic::warning(code, message, span),
                });
            }
            // The places of tokens are those of the file that is read.
            "line" => {
                let line = self.rest(lexer);
                let is_macro = |token: &RawToken| match &token.kind {
                    RawKind::Identifier(name) => self.macros.contains_key(name),
                    _ => false,
                };
                if !line.iter().any(is_macro) {
                    self.check_line_marker(&line);
                }
            }
            "ident" => {
                self.rest(lexer);
            }
            _ => {
                let mut diagnostic = Diagnostic::error(
                    DiagnosticCode::Directive,
                    format!("unknown directive `#{name}`"),
                    span,
                );
                if let Some(near) = crate::spelling::nearest(&name, DIRECTIVES.iter().copied()) {
                    diagnostic = diagnostic.help(format!("did you mean `#{near}`?"));
                }
                self.diagnostics.push(diagnostic);
                self.rest(lexer);
            }
        }
    }

    pub(super) fn reject_excess(
        &mut self,
        rest: impl IntoIterator<Item = RawToken>,
        directive: &str,
    ) {
        let places = rest.into_iter().map(|token| token.span);
        if let Some(place) = places.reduce(|first, last| first.to(last)) {
            self.diagnostics.push(Diagnostic::warning(
                DiagnosticCode::Directive,
                format!("the text after `{directive}` is ignored"),
                place,
            ));
        }
    }

    /// Reports a line marker, or the rest of a `#line`, that is more or something
    /// else than a number, a file name and flags. Returns whether it is sound.
    fn check_line_marker(&mut self, line: &[RawToken]) -> bool {
        let is_number = |token: &RawToken| match &token.kind {
            RawKind::Number(text) => text.bytes().all(|octet| octet.is_ascii_digit()),
            _ => false,
        };
        let is_file = |token: &RawToken| matches!(token.kind, RawKind::String { wide: false, .. });
        let faulty = line.iter().enumerate().find(|(index, token)| match index {
            1 => !is_file(token),
            _ => !is_number(token),
        });
        let Some((index, token)) = faulty else {
            return true;
        };
        let expected = match index {
            0 => "expected the number of a line",
            1 => "expected a file name in `\"\"`",
            _ => "expected a number",
        };
        self.diagnostics.push(
            Diagnostic::error(
                DiagnosticCode::Directive,
                "a line marker is a number, a file name and flags",
                token.span,
            )
            .label(expected),
        );
        false
    }

    /// `# 12 "file" 1`, as preprocessors leave it: the last number tells that
    /// a file starts (1) or is returned to (2).
    fn line_marker(&mut self, line: &[RawToken]) {
        if !self.check_line_marker(line) {
            return;
        }
        let flags = line.iter().skip(2).filter_map(|token| match &token.kind {
            RawKind::Number(text) => Some(&**text),
            _ => None,
        });
        for flag in flags {
            match flag {
                "1" if self.inclusions < self.options.limits.inclusions => {
                    let inclusion = self.enter(true);
                    self.markers.push(inclusion);
                }
                "2" => {
                    if let Some(inclusion) = self.markers.pop() {
                        self.leave(inclusion, true);
                    }
                }
                _ => {}
            }
        }
    }
}

const DIRECTIVES: &[&str] = &[
    "include", "define", "undef", "pragma", "error", "warning", "line", "if", "ifdef", "ifndef",
    "elif", "else", "endif",
];
