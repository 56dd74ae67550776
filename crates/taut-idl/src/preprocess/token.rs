//! Tokens of IDL, as the parser sees them.

use arcstr::ArcStr;

use crate::lex::keyword::Keyword;
use crate::lex::{Docs, Punctuation};
use crate::number::Decimal;
use crate::source::Span;

#[derive(Debug, Clone)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
    /// The comment that directly precedes the token.
    pub(crate) docs: Docs,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TokenKind {
    /// Without its escaping underscore. An escaped one is never taken for a
    /// word with a meaning.
    Identifier {
        text: ArcStr,
        escaped: bool,
    },
    Keyword(Keyword),
    Integer(u64),
    /// As it is written, in lower case.
    Floating(ArcStr),
    /// Boxed, as all tokens are as large as the largest.
    Fixed(Box<Decimal>),
    Character(u8),
    /// A UTF-16 code unit.
    WideCharacter(u16),
    String(ArcStr),
    WideString(ArcStr),
    Punctuation(Punctuation),
    /// Something that was rejected already.
    Invalid,
    End,
}

impl TokenKind {
    /// How messages call the token.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Identifier { text, .. } => format!("`{text}`"),
            Self::Keyword(keyword) => format!("the keyword `{}`", keyword.as_str()),
            Self::Integer(_) | Self::Floating(_) | Self::Fixed(_) => "a number".to_owned(),
            Self::Character(_) | Self::WideCharacter(_) => "a character literal".to_owned(),
            Self::String(_) | Self::WideString(_) => "a string literal".to_owned(),
            Self::Punctuation(punctuation) => format!("`{}`", punctuation.as_str()),
            Self::Invalid => "an invalid token".to_owned(),
            Self::End => "the end of the file".to_owned(),
        }
    }
}
