//! The line of a directive.

use super::Preprocessor;
use crate::lex::{Lexer, RawKind, RawToken};
use crate::source::Span;

/// The tokens up to the end of a line, as they are asked for.
pub(super) struct Line<'l> {
    lexer: &'l mut Lexer,
    ended: bool,
    /// A comment that does not end, with which the line does.
    comment: Option<Span>,
}

impl<'l> Line<'l> {
    pub(super) fn new(lexer: &'l mut Lexer) -> Self {
        Self {
            lexer,
            ended: false,
            comment: None,
        }
    }
}

impl Iterator for Line<'_> {
    type Item = RawToken;

    fn next(&mut self) -> Option<RawToken> {
        if self.ended {
            return None;
        }
        let token = self.lexer.next_token();
        match token.kind {
            RawKind::Newline | RawKind::End => self.ended = true,
            RawKind::UnterminatedComment => {
                self.comment = Some(token.span);
                self.ended = true;
            }
            _ => return Some(token),
        }
        None
    }
}

impl Preprocessor<'_> {
    /// Skips what is left of a line.
    pub(super) fn finish(&mut self, mut line: Line<'_>) {
        while line.next().is_some() {}
        if let Some(comment) = line.comment {
            self.report_comment(comment);
        }
    }

    /// The remaining tokens of a line.
    pub(super) fn rest(&mut self, lexer: &mut Lexer) -> Vec<RawToken> {
        let mut line = Line::new(lexer);
        let mut tokens = Vec::new();
        for token in line.by_ref() {
            crate::lean::push(&mut tokens, token);
        }
        self.finish(line);
        tokens
    }
}
