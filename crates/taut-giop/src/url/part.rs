//! A part of a URL that knows where in the URL it stands.

use super::error::{UrlError, UrlErrorKind};

#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) text: &'a str,
    /// Octets of the URL before it.
    pub(super) start: usize,
}

impl<'a> Part<'a> {
    pub(super) fn whole(text: &'a str) -> Self {
        Self { text, start: 0 }
    }

    /// Without white space around it.
    pub(super) fn trim(self) -> Self {
        let start = self.text.len() - self.text.trim_ascii_start().len();
        Self {
            text: self.text.trim_ascii(),
            start: self.start + start,
        }
    }

    /// The first `len` octets, which must end at a character.
    pub(super) fn up_to(self, len: usize) -> Self {
        Self {
            text: self.text.get(..len).unwrap_or(self.text),
            start: self.start,
        }
    }

    /// Returns the text behind the first `len` octets, which must end at a character.
    pub(super) fn behind(self, len: usize) -> Self {
        Self {
            text: self.text.get(len..).unwrap_or_default(),
            start: self.start + len,
        }
    }

    /// The parts before and behind the first `separator`, an ASCII character.
    pub(super) fn split_once(self, separator: char) -> Option<(Self, Self)> {
        let at = self.text.find(separator)?;
        let before = Self {
            text: &self.text[..at],
            start: self.start,
        };
        Some((before, self.behind(at + separator.len_utf8())))
    }

    /// Returns the text behind `prefix`, whatever its case.
    pub(super) fn strip_prefix_ignoring_case(self, prefix: &str) -> Option<Self> {
        self.text
            .get(..prefix.len())?
            .eq_ignore_ascii_case(prefix)
            .then(|| self.behind(prefix.len()))
    }

    pub(super) fn error(self, kind: UrlErrorKind) -> UrlError {
        UrlError {
            kind,
            position: self.start,
        }
    }
}
