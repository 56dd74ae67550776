//! `#pragma prefix`, `ID` and `version`; CORBA 3.3 part 1, 14.7.5.

use smallvec::SmallVec;

use super::Preprocessor;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lex::literal;
use crate::lex::{Lexer, Punctuation, RawKind, RawToken};
use crate::source::Span;
use crate::syntax::{Directive, Name, ScopedName};

impl Preprocessor<'_> {
    pub(super) fn pragma(&mut self, lexer: &mut Lexer, directive: Span) {
        let line = self.rest(lexer);
        let Some((first, rest)) = line.split_first() else {
            return;
        };
        let RawKind::Identifier(name) = &first.kind else {
            return;
        };
        let span = line
            .last()
            .map_or(directive, |last| directive.to(last.span));
        let place = first.span;
        let found = match &**name {
            "prefix" => self.prefix(rest, span),
            "ID" | "id" => self.id(rest, span),
            "version" => self.version(rest, span),
            "once" => {
                self.once.insert(place.file);
                return;
            }
            // Other compilers' pragmas.
            _ => return,
        };
        match found {
            Ok(directive) => self.put_directive(directive),
            Err(usage) => self.diagnostics.push(
                Diagnostic::error(
                    DiagnosticCode::Pragma,
                    format!("malformed `#pragma {name}`"),
                    span,
                )
                .help(format!("write `#pragma {usage}`")),
            ),
        }
    }

    fn prefix(&mut self, rest: &[RawToken], span: Span) -> Result<Directive, &'static str> {
        match rest {
            [
                RawToken {
                    kind: RawKind::String { wide: false, body },
                    ..
                },
            ] => {
                let prefix = literal::string(body).map_err(|_| PREFIX)?;
                Ok(Directive::Prefix { prefix, span })
            }
            _ => Err(PREFIX),
        }
    }

    fn id(&mut self, rest: &[RawToken], span: Span) -> Result<Directive, &'static str> {
        let (name, rest) = scoped_name(rest).ok_or(ID)?;
        match rest {
            [
                RawToken {
                    kind: RawKind::String { wide: false, body },
                    ..
                },
            ] => {
                let id = literal::string(body).map_err(|_| ID)?;
                if !id.contains(':') {
                    return Err(ID);
                }
                Ok(Directive::Id { name, id, span })
            }
            _ => Err(ID),
        }
    }

    fn version(&mut self, rest: &[RawToken], span: Span) -> Result<Directive, &'static str> {
        let (name, rest) = scoped_name(rest).ok_or(VERSION)?;
        match rest {
            [
                RawToken {
                    kind: RawKind::Number(version),
                    ..
                },
            ] => {
                let mut parts = version.split('.');
                let number = |part: Option<&str>| {
                    part.is_some_and(|part| part.parse::<u16>().is_ok() && !part.starts_with('+'))
                };
                if !number(parts.next()) || !number(parts.next()) || parts.next().is_some() {
                    return Err(VERSION);
                }
                Ok(Directive::Version {
                    name,
                    version: version.to_string(),
                    span,
                })
            }
            _ => Err(VERSION),
        }
    }
}

const PREFIX: &str = "prefix \"prefix\"";
const ID: &str = "ID name \"format:rest\"";
const VERSION: &str = "version name major.minor";

/// The scoped name that a line starts with, and what follows.
fn scoped_name(line: &[RawToken]) -> Option<(ScopedName, &[RawToken])> {
    let is_scope = |token: &RawToken| token.kind == RawKind::Punctuation(Punctuation::Scope);
    let absolute = line.first().is_some_and(is_scope);
    let mut rest = if absolute { &line[1..] } else { line };
    let start = line.first()?.span;
    let mut parts = SmallVec::new();
    loop {
        let (token, after) = rest.split_first()?;
        let RawKind::Identifier(text) = &token.kind else {
            return None;
        };
        let text = match text.strip_prefix('_') {
            Some(escaped) => escaped.into(),
            None => text.clone(),
        };
        parts.push(Name {
            text,
            span: token.span,
        });
        rest = after;
        match rest.split_first() {
            Some((next, after)) if is_scope(next) => rest = after,
            _ => {
                let span = start.to(token.span);
                return Some((
                    ScopedName {
                        absolute,
                        parts,
                        span,
                    },
                    rest,
                ));
            }
        }
    }
}
