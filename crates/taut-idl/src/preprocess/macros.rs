//! `#define` and `#undef`.

use std::rc::Rc;

use arcstr::ArcStr;
use hashbrown::HashSet;

use super::Preprocessor;
use super::line::Line;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lean;
use crate::lex::{Punctuation, RawKind, RawToken};
use crate::source::Span;

#[derive(Debug, Clone)]
pub(super) struct Macro {
    pub(super) span: Span,
    /// None if it is used without parentheses.
    pub(super) parameters: Option<Rc<[ArcStr]>>,
    /// Without places, for what it expands to has that of the macro's use.
    pub(super) body: Rc<[RawKind]>,
    /// Where the body stands, unless it is empty.
    pub(super) body_span: Option<Span>,
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

    pub(super) fn define(&mut self, line: &mut Line<'_>, directive: Span) {
        let first = line.next();
        let Some((place, text)) = self.macro_name(first.as_ref(), "#define", directive) else {
            return;
        };
        let mut next = line.next();
        let is_open = |next: &RawToken| {
            next.kind == RawKind::Punctuation(Punctuation::LeftParenthesis)
                && next.span.start == place.end
        };
        let mut names = None;
        if next.as_ref().is_some_and(is_open) {
            match parameters(line) {
                Ok(found) => names = Some(found),
                Err(fault) => {
                    let message = format!("malformed parameters of the macro `{text}`");
                    self.diagnostics.push(Diagnostic::error(
                        DiagnosticCode::Directive,
                        message,
                        fault.unwrap_or(directive),
                    ));
                    return;
                }
            }
            next = line.next();
        }
        let mut body = Vec::new();
        let mut body_span: Option<Span> = None;
        for token in next.into_iter().chain(line) {
            body_span = Some(body_span.map_or(token.span, |first| first.to(token.span)));
            lean::push(&mut body, token.kind);
        }
        let found = Macro {
            span: place,
            parameters: names,
            body: body.into(),
            body_span,
            expanding: false,
        };
        if let Some(old) = self.macros.get(&text)
            && (old.parameters != found.parameters || old.body != found.body)
        {
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
        self.macros.insert(text, found);
    }

    pub(super) fn undefine(&mut self, line: &mut Line<'_>, directive: Span) {
        let first = line.next();
        if let Some((_, text)) = self.macro_name(first.as_ref(), "#undef", directive) {
            self.macros.remove(&text);
            self.reject_excess(line, "#undef");
        }
    }

    /// The name that a directive starts with, and where it stands.
    pub(super) fn macro_name(
        &mut self,
        first: Option<&RawToken>,
        directive: &str,
        span: Span,
    ) -> Option<(Span, ArcStr)> {
        if let Some(token) = first
            && let RawKind::Identifier(text) = &token.kind
            && text != "defined"
        {
            return Some((token.span, text.clone()));
        }
        let span = first.map_or(span, |token| token.span);
        let message = format!("`{directive}` needs the name of a macro");
        self.diagnostics
            .push(Diagnostic::error(DiagnosticCode::Directive, message, span));
        None
    }
}

/// Parameters, after their `(`, with their `)`; or the place of the token at
/// fault, none if the line ends too soon.
fn parameters(line: &mut Line<'_>) -> Result<Rc<[ArcStr]>, Option<Span>> {
    let close = RawKind::Punctuation(Punctuation::RightParenthesis);
    let comma = RawKind::Punctuation(Punctuation::Comma);
    let mut names: Vec<ArcStr> = Vec::new();
    let mut known = HashSet::new();
    loop {
        let token = line.next().ok_or(None)?;
        match token.kind {
            RawKind::Identifier(name) if known.insert(name.clone()) => names.push(name),
            kind if kind == close && names.is_empty() => return Ok(names.into()),
            _ => return Err(Some(token.span)),
        }
        let token = line.next().ok_or(None)?;
        match token.kind {
            kind if kind == close => return Ok(names.into()),
            kind if kind == comma => {}
            _ => return Err(Some(token.span)),
        }
    }
}
