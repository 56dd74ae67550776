//! Hints at the construct that was perhaps meant, where the source speaks another language.

use super::Parser;
use crate::diagnostic::Diagnostic;
use crate::lex::Punctuation;
use crate::lex::keyword::Keyword;
use crate::preprocess::TokenKind;

impl Parser<'_> {
    /// Adds a remedy for something that stands where a name is expected.
    pub(super) fn without_name(&self, diagnostic: Diagnostic) -> Diagnostic {
        let before = self
            .position
            .checked_sub(1)
            .and_then(|index| self.tokens.get(index))
            .map(|token| &token.kind);
        match (self.kind(), before) {
            (TokenKind::Punctuation(Punctuation::Star | Punctuation::And), _) => diagnostic.help(
                "IDL has no pointers: a value is passed as such, and the name of an interface \
                 stands for a reference",
            ),
            (TokenKind::Keyword(Keyword::Object), Some(TokenKind::Punctuation(_))) => {
                diagnostic.help("every interface derives from `Object` without saying so")
            }
            (TokenKind::Keyword(_), Some(TokenKind::Punctuation(Punctuation::Comma)))
                if !self.at_end_of_name(1) =>
            {
                diagnostic.help("end a declaration with `;` before one of another type")
            }
            (TokenKind::Keyword(_), Some(TokenKind::Identifier { text, .. }))
                if !self.at_end_of_name(1) =>
            {
                diagnostic.help(format!("`{text}` was taken for the type: drop it"))
            }
            _ => diagnostic,
        }
    }

    /// Adds a remedy for a keyword that stands where a name is defined.
    pub(super) fn keyword_for_name(&self, keyword: Keyword, diagnostic: Diagnostic) -> Diagnostic {
        if self.at_end_of_name(1) {
            let keyword = keyword.as_str();
            return diagnostic.help(format!("write `_{keyword}` to use it as a name"));
        }
        self.without_name(diagnostic)
    }

    /// Whether what stands ahead can follow a name that is defined.
    fn at_end_of_name(&self, ahead: usize) -> bool {
        !matches!(
            self.kind_at(ahead),
            TokenKind::Identifier { .. } | TokenKind::Keyword(_)
        )
    }

    /// Adds a remedy for something that stands where a construct should end.
    pub(super) fn without_end(&self, diagnostic: Diagnostic) -> Diagnostic {
        match self.kind() {
            TokenKind::Punctuation(Punctuation::Equals) => {
                diagnostic.help("IDL has no default values: only constants are given one")
            }
            _ => diagnostic,
        }
    }
}

/// The word of IDL for one that starts definitions in other languages.
pub(super) fn foreign_definition(word: &str) -> Option<&'static str> {
    Some(match word {
        "class" => "`interface`, `valuetype` or `struct`",
        "namespace" | "package" => "`module`",
        "record" => "`struct`",
        "using" | "use" => "`#include`, and names with their modules",
        "define" => "`#define`, or better `const`",
        "include" => "`#include`",
        "static" | "final" | "constexpr" | "let" => "`const`",
        _ => return None,
    })
}
