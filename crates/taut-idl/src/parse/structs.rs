//! Structs, and the members of structs and exceptions.

use super::{Failed, Parsed, Parser};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lean;
use crate::lex::Punctuation;
use crate::syntax::{Members, Name, Preface, Struct};

impl Parser<'_> {
    /// A struct, after its name.
    pub(super) fn struct_body(&mut self, name: Name, preface: Preface) -> Parsed<Struct> {
        let base = match self.take(Punctuation::Colon) {
            Some(_) => Some(self.scoped_name("the name of the base")?),
            None => None,
        };
        if base.is_some() && self.at(Punctuation::Comma) {
            let span = self.span();
            let diagnostic = Diagnostic::error(
                DiagnosticCode::Syntax,
                format!("the struct `{}` has more than one base", name.text),
                span,
            )
            .label("a struct inherits from one other only");
            return self.fail(diagnostic);
        }
        let (members, empty) = self.members("struct")?;
        if empty && base.is_none() {
            self.diagnostics.push(
                Diagnostic::warning(
                    DiagnosticCode::EmptyDefinition,
                    format!("the struct `{}` has no members", name.text),
                    name.span,
                )
                .help("before IDL 4, a struct had a member, and most compilers insist"),
            );
        }
        Ok(Struct {
            name,
            preface,
            base,
            members,
        })
    }

    /// The members of a struct or an exception, with their braces, and whether
    /// there is nothing between these.
    pub(super) fn members(&mut self, construct: &str) -> Parsed<(Vec<Members>, bool)> {
        let open = self.expect(Punctuation::LeftBrace)?;
        let outer = std::mem::take(&mut self.defining);
        let mut members = Vec::new();
        let first = self.position;
        let result = self.nested(|parser| {
            while !parser.at(Punctuation::RightBrace) && !parser.at_end() {
                let start = parser.position;
                match parser.member() {
                    Ok(member) => lean::push(&mut members, member),
                    Err(Failed) => parser.recover_from(start),
                }
                if parser.position == start {
                    parser.advance();
                }
                if parser.diagnostics.is_full() {
                    parser.position = parser.tokens.len() - 1;
                }
            }
            Ok(())
        });
        self.defining = outer;
        result?;
        let empty = self.position == first;
        self.close(open, construct)?;
        Ok((members, empty))
    }

    fn member(&mut self) -> Parsed<Members> {
        let preface = self.preface()?;
        let ty = self.type_spec("the type of a member")?;
        let declarators = self.declarators("the name of the member")?;
        self.finish("the member");
        Ok(Members {
            preface,
            ty,
            declarators,
        })
    }
}
