//! What IDL has and this compiler does not know yet: named, then skipped.

use super::declaration::Surroundings;
use super::{Parsed, Parser};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lex::Punctuation;
use crate::preprocess::TokenKind;
use crate::source::Span;
use crate::syntax::Name;

impl Parser<'_> {
    /// Skips a definition that is not supported. Answers the names that it
    /// would have defined, or nothing if there is no such definition here.
    pub(super) fn unsupported_definition(
        &mut self,
        surroundings: Surroundings,
    ) -> Option<Vec<Name>> {
        let start = self.span();
        let (construct, words) = self.unsupported_construct(surroundings)?;
        let mut end = start;
        for _ in 0..words {
            end = self.advance();
        }
        let span = start.to(end);
        self.report_unsupported(construct, span);
        let mut names = Vec::new();
        if let TokenKind::Identifier { text, .. } = self.kind() {
            names.push(Name {
                text: text.clone(),
                span: self.span(),
            });
        }
        self.recover();
        Some(names)
    }

    /// What is not supported here, and how many words name it.
    fn unsupported_construct(&self, surroundings: Surroundings) -> Option<(&'static str, usize)> {
        let next = self.kind_at(1);
        Some(match self.kind() {
            TokenKind::Identifier {
                text,
                escaped: false,
            } => {
                let names = matches!(next, TokenKind::Identifier { .. });
                let third = self.kind_at(2);
                // In an interface these words may be types of other days.
                let is_feature = surroundings.holds_features()
                    && matches!(
                        third,
                        TokenKind::Punctuation(
                            Punctuation::LeftParenthesis | Punctuation::Semicolon
                        )
                    );
                match &**text {
                    _ if !names || is_feature => return None,
                    "component" => ("a component", 1),
                    "home" => ("a home", 1),
                    "porttype" => ("a port type", 1),
                    "connector" => ("a connector", 1),
                    _ => return None,
                }
            }
            _ => return None,
        })
    }

    pub(super) fn report_unsupported(&mut self, construct: &str, span: Span) {
        self.diagnostics.push(Diagnostic::error(
            DiagnosticCode::NotSupported,
            format!("{construct} is not supported yet"),
            span,
        ));
    }

    pub(super) fn fail_unsupported<T>(&mut self, construct: &str, span: Span) -> Parsed<T> {
        self.report_unsupported(construct, span);
        Err(super::Failed)
    }
}
