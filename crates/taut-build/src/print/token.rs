//! Tokens in one row, with what a layout wants to know of each.

use crate::code::Code;
pub(super) use crate::code::Kind;

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
}

/// The tokens of code, with their places.
#[derive(Debug)]
pub(super) struct Tokens<'c> {
    text: &'c str,
    tokens: Vec<Token>,
}

impl<'c> Tokens<'c> {
    /// The tokens of code; `is_spaced` says which have a blank before them.
    pub(super) fn new(code: &'c Code, is_spaced: fn(&Tokens<'c>, usize) -> bool) -> Self {
        let mut start = 0;
        let text = code.text();
        let located = code.tokens().iter().enumerate().map(|(index, token)| {
            let end = start + token.length;
            let mate = index as i32 + token.mate;
            let located = Token {
                start,
                end,
                width: width(&text[start as usize..end as usize]),
                mate: mate as u32,
                kind: token.kind,
                is_spaced: false,
                sum: 0,
            };
            start = end;
            located
        });
        let mut tokens = Self {
            text,
            tokens: located.collect(),
        };
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

    pub(super) fn text(&self, index: usize) -> &'c str {
        let token = &self.tokens[index];
        &self.text[token.start as usize..token.end as usize]
    }

    pub(super) fn mate(&self, index: usize) -> usize {
        self.tokens[index].mate as usize
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
