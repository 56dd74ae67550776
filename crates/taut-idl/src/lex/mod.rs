//! Bytes to preprocessing tokens.
//!
//! The lexer is written by hand: line splices may stand inside any token, the
//! text is ISO 8859-1, a directive ends with its line, and a header name is a
//! token only after `#include`.

mod comments;
mod cursor;
pub(crate) mod keyword;
pub(crate) mod literal;
pub(crate) mod punctuation;
mod token;
mod words;

use std::sync::Arc;

use crate::source::{FileId, Span};
use comments::Comments;
pub(crate) use comments::Docs;
use cursor::Cursor;
pub(crate) use punctuation::Punctuation;
pub(crate) use token::{Body, Quoted, RawKind, RawToken};
pub(crate) use words::Words;

/// Reads the tokens of one file.
#[derive(Debug)]
pub(crate) struct Lexer {
    cursor: Cursor,
    file: FileId,
    first_on_line: bool,
    comments: Comments,
    /// The places of the comments, if anyone wants to know them.
    comment_places: Option<Vec<CommentPlace>>,
    words: Words,
    /// The word being read; kept for its memory.
    word: String,
}

/// Where a comment stands, with its marks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CommentPlace {
    pub(crate) span: Span,
    /// Whether it ends with its line: `//`.
    pub(crate) line: bool,
}

impl Lexer {
    /// Words that are known already are shared.
    pub(crate) fn new(file: FileId, bytes: Arc<[u8]>, words: Words) -> Self {
        Self {
            cursor: Cursor::new(bytes),
            file,
            first_on_line: true,
            comments: Comments::default(),
            comment_places: None,
            words,
            word: String::new(),
        }
    }

    /// Keeps the places of comments from now on, for [`Lexer::take_comments`].
    pub(crate) fn keep_comments(&mut self) {
        self.comment_places = Some(Vec::new());
    }

    /// The comments that were passed since this was last asked.
    pub(crate) fn take_comments(&mut self) -> Vec<CommentPlace> {
        let places = self.comment_places.as_mut();
        places.map(std::mem::take).unwrap_or_default()
    }

    fn keep_comment(&mut self, start: usize, line: bool) {
        let span = self.span_from(start);
        if let Some(places) = &mut self.comment_places {
            places.push(CommentPlace { span, line });
        }
    }

    /// Skips the byte order mark of UTF-8, if the file starts with it.
    pub(crate) fn skip_byte_order_mark(&mut self) -> Option<Span> {
        self.cursor
            .skip_prefix(b"\xEF\xBB\xBF")
            .then(|| self.span_from(0))
    }

    /// The next token; [`RawKind::End`] for ever after the last.
    pub(crate) fn next_token(&mut self) -> RawToken {
        if let Some(unterminated) = self.skip_blanks() {
            return self.token(RawKind::UnterminatedComment, unterminated);
        }
        let start = self.cursor.next_position();
        let Some(byte) = self.cursor.bump() else {
            return self.token(RawKind::End, start);
        };
        if byte == b'\n' {
            let token = RawToken {
                kind: RawKind::Newline,
                span: self.span_from(start),
                first_on_line: self.first_on_line,
                docs: Docs::default(),
                inert: false,
            };
            self.first_on_line = true;
            return token;
        }
        let kind = self.kind(byte);
        self.token(kind, start)
    }

    /// After `#include`: the name between `<` and `>` or between quotes, and
    /// whether it was quotes.
    pub(crate) fn header_name(&mut self) -> Option<(String, bool, Span)> {
        let before = self.cursor.place();
        if self.skip_blanks().is_some() {
            // The next token says that the comment has no end.
            self.cursor.return_to(before);
            return None;
        }
        let close = match self.cursor.peek() {
            Some(b'<') => b'>',
            Some(b'"') => b'"',
            _ => return None,
        };
        let start = self.cursor.next_position();
        self.cursor.bump();
        let mut name = Vec::new();
        loop {
            match self.cursor.peek() {
                None | Some(b'\n') => return None,
                Some(byte) => {
                    self.cursor.bump();
                    if byte == close {
                        break;
                    }
                    name.push(byte);
                }
            }
        }
        Some((decode(&name), close == b'"', self.span_from(start)))
    }

    /// Whether the next token is `(`, on the same line.
    pub(crate) fn at_parenthesis(&mut self) -> bool {
        while matches!(self.cursor.peek(), Some(b' ' | b'\t')) {
            self.cursor.bump();
        }
        self.cursor.peek() == Some(b'(')
    }

    /// The rest of the line, without the blanks at its ends; its newline stays.
    pub(crate) fn rest_of_line(&mut self) -> (String, Span) {
        while matches!(self.cursor.peek(), Some(b' ' | b'\t')) {
            self.cursor.bump();
        }
        let start = self.cursor.next_position();
        let mut text = Vec::new();
        let mut end = start;
        while let Some(byte) = self.cursor.peek().filter(|&byte| byte != b'\n') {
            self.cursor.bump();
            text.push(byte);
            if !byte.is_ascii_whitespace() {
                end = self.cursor.position();
            }
        }
        let span = Span {
            file: self.file,
            start: start as u32,
            end: end as u32,
        };
        (decode(text.trim_ascii_end()), span)
    }

    fn kind(&mut self, byte: u8) -> RawKind {
        match byte {
            b'L' if self.cursor.peek() == Some(b'\'') => {
                self.cursor.bump();
                self.quoted(b'\'', true)
            }
            b'L' if self.cursor.peek() == Some(b'"') => {
                self.cursor.bump();
                self.quoted(b'"', true)
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                self.word.clear();
                self.word.push(char::from(byte));
                while let Some(byte) = self.cursor.peek().filter(|&byte| is_word(byte)) {
                    self.cursor.bump();
                    self.word.push(char::from(byte));
                }
                RawKind::Identifier(match byte {
                    // It will lose its underscore.
                    b'_' => self.word.as_str().into(),
                    _ => self.words.share(&self.word),
                })
            }
            b'0'..=b'9' => self.number(byte),
            b'.' if self.cursor.peek().is_some_and(|next| next.is_ascii_digit()) => {
                self.number(byte)
            }
            b'\'' | b'"' => self.quoted(byte, false),
            b'#' => {
                if self.cursor.peek() == Some(b'#') {
                    self.cursor.bump();
                    return RawKind::HashHash;
                }
                RawKind::Hash
            }
            _ => match Punctuation::read(byte, &mut self.cursor) {
                Some(punctuation) => RawKind::Punctuation(punctuation),
                None => RawKind::Stray(byte),
            },
        }
    }

    fn number(&mut self, first: u8) -> RawKind {
        self.word.clear();
        self.word.push(char::from(first));
        let hexadecimal = first == b'0' && matches!(self.cursor.peek(), Some(b'x' | b'X'));
        while let Some(byte) = self.cursor.peek() {
            let exponent_sign = matches!(byte, b'+' | b'-')
                && !hexadecimal
                && matches!(self.word.as_bytes().last(), Some(b'e' | b'E'));
            if !is_word(byte) && byte != b'.' && !exponent_sign {
                break;
            }
            self.cursor.bump();
            self.word.push(char::from(byte));
        }
        RawKind::Number(self.words.share(&self.word))
    }

    fn quoted(&mut self, quote: u8, wide: bool) -> RawKind {
        let mut body = Vec::new();
        loop {
            match self.cursor.peek() {
                None | Some(b'\n') => {
                    return RawKind::Unterminated(match quote {
                        b'"' => Quoted::String,
                        _ => Quoted::Character,
                    });
                }
                Some(byte) => {
                    self.cursor.bump();
                    if byte == quote {
                        break;
                    }
                    body.push(byte);
                    if byte == b'\\'
                        && let Some(escaped) = self.cursor.peek().filter(|&next| next != b'\n')
                    {
                        self.cursor.bump();
                        body.push(escaped);
                    }
                }
            }
        }
        match quote {
            b'"' => RawKind::String {
                wide,
                body: body.into(),
            },
            _ => RawKind::Character {
                wide,
                body: body.into(),
            },
        }
    }

    /// Skips blanks and comments. Answers where a comment started that does
    /// not end.
    fn skip_blanks(&mut self) -> Option<usize> {
        loop {
            match self.cursor.peek()? {
                b' ' | b'\t' | b'\r' | 0x0B | 0x0C => {
                    self.cursor.bump();
                }
                b'/' => match self.cursor.peek_second() {
                    Some(b'/') => self.line_comment(),
                    Some(b'*') => {
                        let start = self.cursor.next_position();
                        if !self.block_comment() {
                            return Some(start);
                        }
                    }
                    _ => return None,
                },
                _ => return None,
            }
        }
    }

    fn line_comment(&mut self) {
        let line = self.cursor.line();
        let start = self.cursor.next_position();
        let mut text = Vec::new();
        while let Some(byte) = self.cursor.peek().filter(|&byte| byte != b'\n') {
            self.cursor.bump();
            text.push(byte);
        }
        self.keep_comment(start, true);
        if self.first_on_line {
            self.comments
                .add_line(&decode(&text), line, self.cursor.line());
        }
    }

    /// Whether the comment ends.
    fn block_comment(&mut self) -> bool {
        let own_line = self.first_on_line;
        let start = self.cursor.next_position();
        self.cursor.bump();
        self.cursor.bump();
        let mut text = Vec::new();
        loop {
            match self.cursor.bump() {
                None => return false,
                Some(b'*') if self.cursor.peek() == Some(b'/') => {
                    self.cursor.bump();
                    break;
                }
                Some(byte) => text.push(byte),
            }
        }
        self.keep_comment(start, false);
        self.comments
            .add_block(&decode(&text), self.cursor.line(), own_line);
        true
    }

    fn token(&mut self, kind: RawKind, start: usize) -> RawToken {
        let docs = self.comments.take(self.cursor.line());
        let first_on_line = std::mem::replace(&mut self.first_on_line, false);
        RawToken {
            kind,
            span: self.span_from(start),
            first_on_line,
            docs,
            inert: false,
        }
    }

    fn span_from(&self, start: usize) -> Span {
        let end = self.cursor.position().max(start);
        Span {
            file: self.file,
            start: start as u32,
            end: end as u32,
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Text outside of literals: UTF-8 if it is that, ISO 8859-1 otherwise.
fn decode(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}
