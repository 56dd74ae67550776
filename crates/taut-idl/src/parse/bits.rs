//! Bit sets and bit masks.

use super::{Failed, Parsed, Parser};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lean;
use crate::lex::Punctuation;
use crate::preprocess::TokenKind;
use crate::syntax::{Bitfields, Bitmask, Bitset, DefinitionKind, Preface};

impl Parser<'_> {
    /// `bitset Name : Base { bitfield<3> a, b; bitfield<2, octet> c; }`
    pub(super) fn bitset(&mut self, preface: Preface) -> Parsed<DefinitionKind> {
        self.advance();
        let name = self.name("the name of the bitset")?;
        let base = match self.take(Punctuation::Colon) {
            Some(_) => Some(self.scoped_name("the name of the base")?),
            None => None,
        };
        let open = self.expect(Punctuation::LeftBrace)?;
        let outer = std::mem::take(&mut self.defining);
        let fields = self.bitfields();
        self.defining = outer;
        self.close(open, "bitset")?;
        self.finish("the bitset");
        Ok(DefinitionKind::Bitset(Box::new(Bitset {
            name,
            preface,
            base,
            fields,
        })))
    }

    fn bitfields(&mut self) -> Vec<Bitfields> {
        let mut fields = Vec::new();
        while !self.at(Punctuation::RightBrace) && !self.at_end() {
            let start = self.position;
            match self.bitfield() {
                Ok(field) => fields.push(field),
                Err(Failed) => self.recover_from(start),
            }
            if self.position == start {
                self.advance();
            }
            if self.diagnostics.is_full() {
                self.position = self.tokens.len() - 1;
            }
        }
        fields
    }

    fn bitfield(&mut self) -> Parsed<Bitfields> {
        let preface = self.preface()?;
        if !self.at_word("bitfield") {
            return self.fail_expecting("`bitfield`");
        }
        let start = self.advance();
        self.expect(Punctuation::Less)?;
        self.angles += 1;
        let width = self.expression()?;
        let ty = match self.take(Punctuation::Comma) {
            Some(_) => Some(self.type_spec("the type of the bit field")?),
            None => None,
        };
        self.expect_greater()?;
        self.angles = self.angles.saturating_sub(1);
        let mut names = Vec::new();
        while matches!(self.kind(), TokenKind::Identifier { .. }) {
            names.push(self.name("the name of the bit field")?);
            // IDL 4.2 separates them by blanks, most compilers by commas.
            self.take(Punctuation::Comma);
        }
        let span = start.to(self.previous());
        self.finish("the bit field");
        Ok(Bitfields {
            preface,
            span,
            width,
            ty,
            names,
        })
    }

    /// `bitmask Name { a, @position(4) b }`
    pub(super) fn bitmask(&mut self, preface: Preface) -> Parsed<DefinitionKind> {
        self.advance();
        let name = self.name("the name of the bitmask")?;
        self.expect(Punctuation::LeftBrace)?;
        let outer = std::mem::take(&mut self.defining);
        let flags = self.flags();
        self.defining = outer;
        let flags = flags?;
        if flags.is_empty() {
            self.diagnostics.push(Diagnostic::error(
                DiagnosticCode::EmptyDefinition,
                format!("the bitmask `{}` has no flags", name.text),
                name.span,
            ));
        }
        self.finish("the bitmask");
        Ok(DefinitionKind::Bitmask(Bitmask {
            name,
            preface,
            flags,
        }))
    }

    /// Flags, with the closing brace.
    fn flags(&mut self) -> Parsed<Vec<(crate::syntax::Name, Preface)>> {
        let mut flags = Vec::new();
        while self.take(Punctuation::RightBrace).is_none() {
            let before = self.preface()?;
            lean::push(&mut flags, (self.name("a flag")?, before));
            if !self.at(Punctuation::RightBrace) && self.take(Punctuation::Comma).is_none() {
                return self.fail_expecting("`,` or `}`");
            }
        }
        Ok(flags)
    }
}
