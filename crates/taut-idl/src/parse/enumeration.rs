//! Enums.

use super::{Parsed, Parser};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lean;
use crate::lex::Punctuation;
use crate::syntax::{Enum, Preface};

impl Parser<'_> {
    /// An enum, after its keyword.
    pub(super) fn enumeration(&mut self, preface: Preface) -> Parsed<Enum> {
        let name = self.name("the name of the enum")?;
        self.expect(Punctuation::LeftBrace)?;
        let mut enumerators = Vec::new();
        if self.at(Punctuation::RightBrace) {
            let diagnostic = Diagnostic::error(
                DiagnosticCode::EmptyDefinition,
                format!("the enum `{}` has no enumerators", name.text),
                name.span,
            )
            .label("an enum must have an enumerator");
            self.diagnostics.push(diagnostic);
            self.advance();
            return Ok(Enum {
                name,
                preface,
                enumerators,
            });
        }
        loop {
            let before = self.preface()?;
            if self.at(Punctuation::RightBrace) {
                self.diagnostics.push(
                    Diagnostic::error(
                        DiagnosticCode::Syntax,
                        "expected an enumerator after the comma",
                        self.previous(),
                    )
                    .help("drop the last comma"),
                );
                self.advance();
                return Ok(Enum {
                    name,
                    preface,
                    enumerators,
                });
            }
            lean::push(&mut enumerators, (self.name("an enumerator")?, before));
            if self.take(Punctuation::RightBrace).is_some() {
                return Ok(Enum {
                    name,
                    preface,
                    enumerators,
                });
            }
            if self.take(Punctuation::Comma).is_none() {
                self.no_more_enumerators(enumerators.len());
                return Ok(Enum {
                    name,
                    preface,
                    enumerators,
                });
            }
        }
    }

    /// Reports what stands behind an enumerator, and skips to the closing
    /// brace.
    fn no_more_enumerators(&mut self, index: usize) {
        if self.at(Punctuation::Equals) {
            let diagnostic = Diagnostic::error(
                DiagnosticCode::Syntax,
                "an enumerator is given no number",
                self.span(),
            )
            .label("IDL counts from 0 on")
            .help(format!(
                "drop what follows the name: it is number {} here",
                index - 1
            ));
            self.diagnostics.push(diagnostic);
        } else {
            let _: Parsed<()> = self.fail_expecting("`,` or `}`");
        }
        while !self.at_end()
            && !self.at(Punctuation::RightBrace)
            && !self.at(Punctuation::Semicolon)
            && !self.starts_definition()
        {
            self.advance();
        }
        self.take(Punctuation::RightBrace);
    }
}
