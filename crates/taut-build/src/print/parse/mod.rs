//! From tokens to the tree. Tokens that are not understood become a run.

mod control;
mod expr;
mod item;
mod measure;

pub(super) use self::measure::{CALL_MAX, CHAIN_MAX, STRUCT_MAX, arguments, is_call};
use super::token::{Kind, Tokens};
use super::tree::{Attribute, Item, Run};

/// The items that the tokens are.
pub(super) fn items(tokens: &Tokens<'_>) -> Vec<Item> {
    Parser::new(tokens, 0, tokens.len()).items()
}

/// Tokens on one line.
pub(super) fn run(tokens: &Tokens<'_>, start: usize, end: usize) -> Run {
    let width = if start < end {
        let first = tokens.get(start);
        tokens.get(end - 1).sum - first.sum + first.width
    } else {
        0
    };
    Run { start, end, width }
}

/// Reads the tokens from `position` to before `end`.
struct Parser<'t> {
    tokens: &'t Tokens<'t>,
    position: usize,
    end: usize,
}

impl<'t> Parser<'t> {
    fn new(tokens: &'t Tokens<'t>, start: usize, end: usize) -> Self {
        Self {
            tokens,
            position: start,
            end,
        }
    }

    /// A parser for what is in the group that begins at `open`.
    fn inside(&self, open: usize) -> Self {
        Self::new(self.tokens, open + 1, self.tokens.mate(open))
    }

    fn run(&self, start: usize, end: usize) -> Run {
        run(self.tokens, start, end)
    }

    fn is_at_end(&self) -> bool {
        self.position >= self.end
    }

    /// The token `ahead` of the next; empty beyond the end.
    fn peek_at(&self, ahead: usize) -> &'t str {
        let index = self.position + ahead;
        if index < self.end {
            self.tokens.text(index)
        } else {
            ""
        }
    }

    fn peek(&self) -> &'t str {
        self.peek_at(0)
    }

    fn kind(&self) -> Option<Kind> {
        (!self.is_at_end()).then(|| self.tokens.get(self.position).kind)
    }

    fn is_open(&self, delimiter: &str) -> bool {
        self.kind() == Some(Kind::Open) && self.peek() == delimiter
    }

    fn eat(&mut self, text: &str) -> bool {
        let is_next = self.kind() != Some(Kind::Literal) && self.peek() == text;
        self.position += usize::from(is_next);
        is_next
    }

    /// Goes over one token, or over a whole group.
    fn skip(&mut self) {
        if !self.is_at_end() {
            self.position = self.tokens.mate(self.position) + 1;
        }
    }

    /// Goes over generic arguments, if some come.
    fn skip_generics(&mut self) {
        if self.peek() != "<" || self.kind() != Some(Kind::Mark) {
            return;
        }
        let mut depth = 0_usize;
        while !self.is_at_end() {
            match (self.kind(), self.peek()) {
                (Some(Kind::Mark), "<") => depth += 1,
                (Some(Kind::Mark), ">") => depth -= 1,
                _ => {}
            }
            self.skip();
            if depth == 0 {
                return;
            }
        }
    }

    /// Goes to the next of these marks or delimiters, over groups and generic
    /// arguments.
    fn skip_until(&mut self, stops: &[&str]) {
        while !self.is_at_end() {
            match self.kind() {
                Some(Kind::Mark | Kind::Open) if stops.contains(&self.peek()) => return,
                Some(Kind::Mark) if self.peek() == "<" => self.skip_generics(),
                _ => self.skip(),
            }
        }
    }

    fn attributes(&mut self) -> Vec<Attribute> {
        let mut attributes = Vec::new();
        loop {
            if self.kind() == Some(Kind::Doc) {
                attributes.push(Attribute::Doc(self.position));
                self.position += 1;
            } else if self.kind() == Some(Kind::Mark) && self.peek() == "#" {
                let start = self.position;
                self.position += 1;
                self.eat("!");
                self.skip();
                attributes.push(Attribute::Plain(self.run(start, self.position)));
            } else {
                return attributes;
            }
        }
    }
}
