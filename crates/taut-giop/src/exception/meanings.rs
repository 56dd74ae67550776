//! The texts of minor codes.

use super::SystemExceptionKind;

/// The meanings of minor codes that one vendor assigned.
///
/// A program has them without a pointer to each: there are some 300, which are seldom
/// looked for.
pub(super) struct Meanings {
    /// Each exception and code.
    pub(super) codes: &'static [(SystemExceptionKind, u16)],
    /// The texts in the same order, each with a line of its own.
    pub(super) texts: &'static str,
}

impl Meanings {
    /// The meaning of a code in an exception of this kind.
    pub(super) fn find(&self, kind: SystemExceptionKind, code: u32) -> Option<&'static str> {
        let is_it =
            |(of, known): &(SystemExceptionKind, u16)| (*of, u32::from(*known)) == (kind, code);
        let place = self.codes.iter().position(is_it)?;
        self.texts.lines().nth(place)
    }
}

/// Makes [`Meanings`] of lines that have an exception, a code and the text.
macro_rules! meanings {
    ($($kind:ident $code:literal $text:literal;)*) => {
        Meanings {
            codes: &[$(($crate::SystemExceptionKind::$kind, $code),)*],
            texts: concat!($($text, "\n",)*),
        }
    };
}

pub(super) use meanings;
