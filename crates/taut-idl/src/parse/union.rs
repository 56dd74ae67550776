//! Unions.

use super::{Failed, Parsed, Parser};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lean;
use crate::lex::Punctuation;
use crate::lex::keyword::Keyword;
use crate::syntax::{Branch, Label, Name, Preface, Union};

impl Parser<'_> {
    /// A union, after its name.
    pub(super) fn union_body(&mut self, name: Name, preface: Preface) -> Parsed<Union> {
        if self.take_keyword(Keyword::Switch).is_none() {
            return self.fail_expecting("`switch` after the name of the union");
        }
        self.expect(Punctuation::LeftParenthesis)?;
        let discriminator = self.type_spec("the type of the discriminator")?;
        self.expect(Punctuation::RightParenthesis)?;
        let open = self.expect(Punctuation::LeftBrace)?;
        let outer = std::mem::take(&mut self.defining);
        let first = self.position;
        let branches = self.nested(|parser| Ok(parser.branches()));
        self.defining = outer;
        let branches = branches?;
        if self.position == first && self.at(Punctuation::RightBrace) {
            self.diagnostics.push(
                Diagnostic::error(
                    DiagnosticCode::EmptyDefinition,
                    format!("the union `{}` has no members", name.text),
                    name.span,
                )
                .label("a union must have a member"),
            );
        }
        self.close(open, "union")?;
        Ok(Union {
            name,
            preface,
            discriminator,
            branches,
        })
    }

    fn branches(&mut self) -> Vec<Branch> {
        let mut branches = Vec::new();
        while !self.at(Punctuation::RightBrace) && !self.at_end() {
            let start = self.position;
            match self.branch() {
                Ok(branch) => lean::push(&mut branches, branch),
                Err(Failed) => self.recover_from(start),
            }
            if self.position == start {
                self.advance();
            }
            if self.diagnostics.is_full() {
                self.position = self.tokens.len() - 1;
            }
        }
        branches
    }

    fn branch(&mut self) -> Parsed<Branch> {
        let docs = self.docs();
        let mut annotations = self.annotations()?;
        let mut labels = Vec::new();
        loop {
            if let Some(span) = self.take_keyword(Keyword::Default) {
                lean::push(&mut labels, Label::Default(span));
            } else if self.take_keyword(Keyword::Case).is_some() {
                lean::push(&mut labels, Label::Case(self.expression()?));
            } else if labels.is_empty() {
                return self.fail_expecting("`case` or `default`");
            } else {
                break;
            }
            self.expect(Punctuation::Colon)?;
        }
        // They may stand before the labels or before the member.
        let inner = self.docs();
        let docs = if inner.is_empty() { docs } else { inner };
        annotations.extend(self.annotations()?);
        let preface = Preface {
            docs,
            annotations: annotations.into(),
        };
        let ty = self.type_spec("the type of the member")?;
        let declarator = self.declarator("the name of the member")?;
        if self.at(Punctuation::Comma) {
            let diagnostic = Diagnostic::error(
                DiagnosticCode::Syntax,
                "a branch of a union has one member only",
                self.span(),
            )
            .help("let a struct hold what belongs together");
            return self.fail(diagnostic);
        }
        self.finish("the member");
        Ok(Branch {
            preface,
            labels,
            ty,
            declarator,
        })
    }
}
