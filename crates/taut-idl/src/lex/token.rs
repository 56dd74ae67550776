//! Preprocessing tokens.

use std::rc::Rc;

use arcstr::ArcStr;

use super::comments::Docs;
use super::punctuation::Punctuation;
use crate::source::Span;

/// The text between quotes. Behind one pointer, as all tokens are as large as the largest.
pub(crate) type Body = Rc<Vec<u8>>;

/// A token before macro expansion.
#[derive(Debug, Clone)]
pub(crate) struct RawToken {
    pub(crate) kind: RawKind,
    pub(crate) span: Span,
    /// Whether it is the first of its (spliced) line.
    pub(crate) first_on_line: bool,
    /// The comment that directly precedes it.
    pub(crate) docs: Docs,
    /// Whether it named a macro that was being expanded, so that it never will
    /// be expanded.
    pub(crate) inert: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RawKind {
    /// With its escaping underscore.
    Identifier(ArcStr),
    /// Anything that starts like a number; it may be malformed.
    Number(ArcStr),
    /// The text between single quotes, escapes and all.
    Character {
        wide: bool,
        body: Body,
    },
    /// The text between double quotes, escapes and all.
    String {
        wide: bool,
        body: Body,
    },
    Punctuation(Punctuation),
    Hash,
    /// `##`
    HashHash,
    Newline,
    /// A byte that no token starts with.
    Stray(u8),
    /// A literal that lacks its closing quote on its line.
    Unterminated(Quoted),
    /// Something that was rejected already.
    Invalid,
    /// A comment that lacks its `*/`; the file ends with it.
    UnterminatedComment,
    End,
}

/// A literal that stands between quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quoted {
    String,
    Character,
}

impl Quoted {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Character => "character",
        }
    }
}
