//! `#define` and `#undef`.

use std::collections::HashSet;
use std::rc::Rc;

use super::Preprocessor;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lex::{Punctuation, RawKind, RawToken};
use crate::source::Span;

#[derive(Debug, Clone)]
pub(super) struct Macro {
    pub(super) span: Span,
    /// None if it is used without parentheses.
    pub(super) parameters: Option<Rc<[Rc<str>]>>,
    pub(super) body: Rc<Vec<RawToken>>,
    /// Whether it is being expanded, so that its name stands for itself.
    pub(super) expanding: bool,
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

    pub(super) fn define(&mut self, mut line: Vec<RawToken>, directive: Span) {
        let Some((name, text)) = self.macro_name(&line, "#define", directive) else {
            return;
        };
        let place = name.span;
        let parenthesis = RawKind::Punctuation(Punctuation::LeftParenthesis);
        let adjacent = |next: &RawToken| next.span.start == place.end;
        let (parameters, body) = match line.get(1) {
            Some(next) if next.kind == parenthesis && adjacent(next) => {
                match parameters(&line[2..]) {
                    Ok((parameters, body)) => (Some(parameters), body),
                    Err(place) => {
                        let span = line.get(2 + place).map_or(directive, |token| token.span);
                        let message = format!("malformed parameters of the macro `{text}`");
                        self.diagnostics.push(Diagnostic::error(
                            DiagnosticCode::Directive,
                            message,
                            span,
                        ));
                        return;
                    }
                }
            }
            _ => (None, &line[1..]),
        };
        // What is before the body goes, and the body stays where it is.
        let before = line.len() - body.len();
        line.drain(..before);
        line.shrink_to_fit();
        let found = Macro {
            span: place,
            parameters,
            body: Rc::new(line),
            expanding: false,
        };
        if let Some(old) = self.macros.get(&text) {
            let kinds = |found: &Macro| {
                found
                    .body
                    .iter()
                    .map(|token| token.kind.clone())
                    .collect::<Vec<_>>()
            };
            if old.parameters != found.parameters || kinds(old) != kinds(&found) {
                self.diagnostics.push(
                    Diagnostic::warning(
                        DiagnosticCode::Directive,
                        format!("the macro `{text}` is redefined"),
                        place,
                    )
                    .also(old.span, "first defined here")
                    .help(format!("`#undef {text}` before it is defined anew")),
                );
            }
        }
        self.macros.insert(text, found);
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
        if let Some(token) = line.first()
            && let RawKind::Identifier(text) = &token.kind
            && &**text != "defined"
        {
            return Some((token, Rc::clone(text)));
        }
        let span = line.first().map_or(span, |token| token.span);
        let message = format!("`{directive}` needs the name of a macro");
        self.diagnostics
            .push(Diagnostic::error(DiagnosticCode::Directive, message, span));
        None
    }
}

/// Parameters, after their `(`, and the body that follows; or the index of the
/// token at fault.
#[expect(clippy::type_complexity, reason = "a pair that is taken apart at once")]
fn parameters(line: &[RawToken]) -> Result<(Rc<[Rc<str>]>, &[RawToken]), usize> {
    let close = RawKind::Punctuation(Punctuation::RightParenthesis);
    let comma = RawKind::Punctuation(Punctuation::Comma);
    let mut names: Vec<Rc<str>> = Vec::new();
    let mut known = HashSet::new();
    if line.first().is_some_and(|token| token.kind == close) {
        return Ok((names.into(), &line[1..]));
    }
    let mut at = 0;
    loop {
        match line.get(at).map(|token| &token.kind) {
            Some(RawKind::Identifier(name)) if known.insert(Rc::clone(name)) => {
                names.push(Rc::clone(name));
            }
            _ => return Err(at),
        }
        match line.get(at + 1).map(|token| &token.kind) {
            Some(kind) if *kind == close => return Ok((names.into(), &line[at + 2..])),
            Some(kind) if *kind == comma => at += 2,
            _ => return Err(at + 1),
        }
    }
}
