//! The marks of IDL and of the preprocessor's conditions.

use super::cursor::Cursor;

macro_rules! punctuation {
    ($($name:ident = $text:literal,)+) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Punctuation {
            $($name,)+
        }

        impl Punctuation {
            pub(crate) fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }
        }
    };
}

punctuation! {
    LeftBrace = "{", RightBrace = "}", LeftParenthesis = "(", RightParenthesis = ")",
    LeftBracket = "[", RightBracket = "]", Less = "<", Greater = ">",
    ShiftLeft = "<<", ShiftRight = ">>", Semicolon = ";", Colon = ":", Scope = "::",
    Comma = ",", Equals = "=", Plus = "+", Minus = "-", Star = "*", Slash = "/",
    Percent = "%", Tilde = "~", And = "&", Or = "|", Caret = "^", At = "@",
    AndAnd = "&&", OrOr = "||", Not = "!", EqualsEquals = "==", NotEquals = "!=",
    LessEquals = "<=", GreaterEquals = ">=", Question = "?", Dot = ".",
}

impl Punctuation {
    /// Reads the mark whose first byte was taken.
    pub(super) fn read(first: u8, cursor: &mut Cursor) -> Option<Self> {
        let two = |cursor: &mut Cursor, mark| {
            cursor.bump();
            mark
        };
        Some(match (first, cursor.peek()) {
            (b'<', Some(b'<')) => two(cursor, Self::ShiftLeft),
            (b'>', Some(b'>')) => two(cursor, Self::ShiftRight),
            (b':', Some(b':')) => two(cursor, Self::Scope),
            (b'&', Some(b'&')) => two(cursor, Self::AndAnd),
            (b'|', Some(b'|')) => two(cursor, Self::OrOr),
            (b'=', Some(b'=')) => two(cursor, Self::EqualsEquals),
            (b'!', Some(b'=')) => two(cursor, Self::NotEquals),
            (b'<', Some(b'=')) => two(cursor, Self::LessEquals),
            (b'>', Some(b'=')) => two(cursor, Self::GreaterEquals),
            (b'{', _) => Self::LeftBrace,
            (b'}', _) => Self::RightBrace,
            (b'(', _) => Self::LeftParenthesis,
            (b')', _) => Self::RightParenthesis,
            (b'[', _) => Self::LeftBracket,
            (b']', _) => Self::RightBracket,
            (b'<', _) => Self::Less,
            (b'>', _) => Self::Greater,
            (b';', _) => Self::Semicolon,
            (b':', _) => Self::Colon,
            (b',', _) => Self::Comma,
            (b'=', _) => Self::Equals,
            (b'+', _) => Self::Plus,
            (b'-', _) => Self::Minus,
            (b'*', _) => Self::Star,
            (b'/', _) => Self::Slash,
            (b'%', _) => Self::Percent,
            (b'~', _) => Self::Tilde,
            (b'&', _) => Self::And,
            (b'|', _) => Self::Or,
            (b'^', _) => Self::Caret,
            (b'@', _) => Self::At,
            (b'!', _) => Self::Not,
            (b'?', _) => Self::Question,
            (b'.', _) => Self::Dot,
            _ => return None,
        })
    }
}
