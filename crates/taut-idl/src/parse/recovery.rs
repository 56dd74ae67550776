//! Going on after a fault.

use super::Parser;
use crate::lex::Punctuation;
use crate::lex::keyword::Keyword;
use crate::preprocess::TokenKind;

impl Parser<'_> {
    /// Recovers from the fault of a construct that starts at a token, of which
    /// at least that token is skipped.
    pub(super) fn recover_from(&mut self, start: usize) {
        if self.position == start && !self.at(Punctuation::LeftBrace) {
            self.advance();
        }
        self.recover();
    }

    /// Skips the rest of a faulty construct: up to and with its `;`, or up to
    /// the brace that closes what surrounds it. Braces within are skipped with
    /// what they hold.
    pub(super) fn recover(&mut self) {
        self.angles = 0;
        loop {
            match self.kind() {
                TokenKind::End | TokenKind::Punctuation(Punctuation::RightBrace) => return,
                TokenKind::Punctuation(Punctuation::Semicolon) => {
                    self.advance();
                    return;
                }
                TokenKind::Punctuation(Punctuation::LeftBrace) => {
                    self.skip_braces();
                    // A construct that ends with braces rarely lacks its semicolon, but if
                    // it does then the text that follows is sound.
                    if self.take(Punctuation::Semicolon).is_some() || self.starts_definition() {
                        return;
                    }
                }
                TokenKind::Keyword(_) if self.starts_line() && self.starts_definition() => return,
                _ => {
                    self.advance();
                }
            }
        }
    }

    /// Skips from a `{` to its `}`.
    pub(super) fn skip_braces(&mut self) {
        let mut depth = 0_usize;
        while !self.at_end() {
            if self.at(Punctuation::LeftBrace) {
                depth += 1;
            } else if self.at(Punctuation::RightBrace) {
                depth = depth.saturating_sub(1);
            }
            self.advance();
            if depth == 0 {
                return;
            }
        }
    }

    /// Whether the token is a keyword with which only definitions start.
    pub(super) fn starts_definition(&self) -> bool {
        matches!(
            self.kind(),
            TokenKind::Keyword(
                Keyword::Abstract
                    | Keyword::Attribute
                    | Keyword::Const
                    | Keyword::Enum
                    | Keyword::Exception
                    | Keyword::Interface
                    | Keyword::Local
                    | Keyword::Module
                    | Keyword::Native
                    | Keyword::OneWay
                    | Keyword::ReadOnly
                    | Keyword::Struct
                    | Keyword::Typedef
                    | Keyword::Union
                    | Keyword::ValueType
                    | Keyword::Void
            )
        )
    }

    fn starts_line(&self) -> bool {
        let (previous, here) = (self.previous(), self.span());
        previous.file != here.file || self.sources.line(previous) < self.sources.line(here)
    }
}
