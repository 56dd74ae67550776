//! Tokens in one row, with what a layout wants to know of each.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// What sort of token one is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// An identifier or a keyword.
    Word,
    Literal,
    Lifetime,
    /// One punctuation mark, of one character or several.
    Mark,
    Open,
    Close,
    /// A doc comment: its text without the slashes.
    Doc,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    start: u32,
    end: u32,
    /// In characters.
    pub(super) width: u32,
    /// The other end of a group; the token itself where there is none.
    pub(super) mate: u32,
    pub(super) kind: Kind,
    /// Whether a blank stands before the token, unless it begins a run.
    pub(super) is_spaced: bool,
    /// The columns of all tokens up to the end of this one, on one line.
    pub(super) sum: u32,
    /// Whether a punctuation mark follows without a space.
    joint: bool,
}

/// The tokens of a file, groups opened, marks of several characters joined and
/// `#[doc = ".."]` read.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    text: String,
    tokens: Vec<Token>,
    /// Whether what is read stands directly in parentheses, where comments would
    /// swallow what follows.
    in_parentheses: bool,
}

impl Tokens {
    /// The tokens of a stream; `is_spaced` says which have a blank before them.
    pub(super) fn new(stream: TokenStream, is_spaced: fn(&Self, usize) -> bool) -> Self {
        let mut tokens = Self::default();
        tokens.extend(stream);
        let mut sum = 0;
        for index in 0..tokens.tokens.len() {
            let blank = index > 0 && is_spaced(&tokens, index);
            let token = &mut tokens.tokens[index];
            sum += token.width + u32::from(blank);
            (token.is_spaced, token.sum) = (blank, sum);
        }
        tokens
    }

    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// The token at `index`; none is asked for beyond the end.
    pub(super) fn get(&self, index: usize) -> &Token {
        &self.tokens[index]
    }

    pub(super) fn text(&self, index: usize) -> &str {
        let token = &self.tokens[index];
        &self.text[token.start as usize..token.end as usize]
    }

    pub(super) fn mate(&self, index: usize) -> usize {
        self.tokens[index].mate as usize
    }

    fn extend(&mut self, stream: TokenStream) {
        for tree in stream {
            match tree {
                TokenTree::Ident(ident) => {
                    if self.joins_lifetime() {
                        self.append(&ident.to_string());
                    } else {
                        self.push_display(Kind::Word, &ident);
                    }
                }
                TokenTree::Literal(literal) => self.push_display(Kind::Literal, &literal),
                TokenTree::Punct(punct) => {
                    self.mark(punct.as_char(), punct.spacing() == Spacing::Joint);
                }
                TokenTree::Group(group) => {
                    let delimiter = group.delimiter();
                    let stream = group.stream();
                    // The stream is then nobody else's and need not be copied.
                    drop(group);
                    self.group(delimiter, stream);
                }
            }
        }
    }

    fn group(&mut self, delimiter: Delimiter, stream: TokenStream) {
        let (open, close) = match delimiter {
            Delimiter::Parenthesis => ("(", ")"),
            Delimiter::Brace => ("{", "}"),
            Delimiter::Bracket => ("[", "]"),
            Delimiter::None => return self.extend(stream),
        };
        let start = self.tokens.len();
        self.push(Kind::Open, open);
        let around = self.in_parentheses;
        self.in_parentheses = delimiter == Delimiter::Parenthesis;
        self.extend(stream);
        self.in_parentheses = around;
        let end = self.tokens.len();
        self.push(Kind::Close, close);
        self.tokens[start].mate = end as u32;
        self.tokens[end].mate = start as u32;
        if delimiter == Delimiter::Bracket && !around {
            self.read_doc(start);
        }
    }

    /// Turns `#[doc = "text"]`, the group of which begins at `open` and has just
    /// ended, into a comment.
    fn read_doc(&mut self, open: usize) {
        let is_doc = open > 0
            && self.tokens.len() == open + 5
            && self.text(open - 1) == "#"
            && self.text(open + 1) == "doc"
            && self.text(open + 2) == "="
            && self.tokens[open + 3].kind == Kind::Literal;
        let text = is_doc.then(|| unquoted(self.text(open + 3))).flatten();
        if let Some(text) = text.filter(|text| !text.contains(['\n', '\r'])) {
            let start = self.tokens[open - 1].start as usize;
            self.tokens.truncate(open - 1);
            self.text.truncate(start);
            self.push(Kind::Doc, text.trim_end());
        }
    }

    fn mark(&mut self, mark: char, joint: bool) {
        let mut octets = [0; 4];
        let mark = mark.encode_utf8(&mut octets);
        if let Some(last) = self.tokens.last().copied()
            && last.joint
            && last.kind == Kind::Mark
            && is_joined(&self.text[last.start as usize..], mark)
        {
            self.append(mark);
        } else if mark == "'" {
            self.push(Kind::Lifetime, mark);
        } else {
            self.push(Kind::Mark, mark);
        }
        if let Some(last) = self.tokens.last_mut() {
            last.joint = joint;
        }
    }

    fn joins_lifetime(&self) -> bool {
        let last = self.tokens.last();
        last.is_some_and(|last| last.kind == Kind::Lifetime && last.joint)
    }

    fn append(&mut self, more: &str) {
        self.text.push_str(more);
        if let Some(last) = self.tokens.last_mut() {
            last.end = self.text.len() as u32;
            last.width += width(more);
            last.joint = false;
        }
    }

    fn push_display(&mut self, kind: Kind, token: &impl std::fmt::Display) {
        use std::fmt::Write as _;
        let start = self.text.len();
        // Writing to a string does not fail.
        let _ = write!(self.text, "{token}");
        self.note(kind, start);
    }

    fn push(&mut self, kind: Kind, text: &str) {
        let start = self.text.len();
        self.text.push_str(text);
        self.note(kind, start);
    }

    fn note(&mut self, kind: Kind, start: usize) {
        self.tokens.push(Token {
            start: start as u32,
            end: self.text.len() as u32,
            width: width(&self.text[start..]),
            mate: self.tokens.len() as u32,
            kind,
            is_spaced: false,
            sum: 0,
            joint: false,
        });
    }
}

/// How many columns a text takes.
pub(super) fn width(text: &str) -> u32 {
    if text.is_ascii() {
        text.len() as u32
    } else {
        text.chars().count() as u32
    }
}

fn is_joined(first: &str, second: &str) -> bool {
    matches!(
        (first, second),
        (":", ":")
            | ("-" | "=", ">")
            | (
                "=" | "!" | "<" | ">" | "+" | "-" | "*" | "/" | "%" | "|" | "&" | "^",
                "="
            )
            | ("&", "&")
            | ("|", "|")
            | ("." | "..", ".")
            | ("..", "=")
    )
}

/// The text of a string literal; none if it has escapes that a doc comment
/// does not need.
fn unquoted(literal: &str) -> Option<String> {
    if let Some(raw) = literal.strip_prefix('r') {
        let raw = raw.trim_matches('#');
        return Some(raw.strip_prefix('"')?.strip_suffix('"')?.to_owned());
    }
    let quoted = literal.strip_prefix('"')?.strip_suffix('"')?;
    if !quoted.contains('\\') {
        return Some(quoted.to_owned());
    }
    let mut text = String::with_capacity(quoted.len());
    let mut characters = quoted.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next()? {
                escaped @ ('\\' | '"' | '\'') => text.push(escaped),
                't' => text.push('\t'),
                _ => return None,
            },
            _ => text.push(character),
        }
    }
    Some(text)
}
