//! From the tree to text.

mod attribute;
mod call;
mod chain;
mod control;
mod expr;
mod item;
mod run;

use super::token::{Tokens, width};
use super::tree::{Expr, ExprKind, Link, List};

/// The columns of a line.
const LINE_MAX: u32 = 100;
/// The columns of a step of indentation.
pub(super) const STEP: u32 = 4;

/// Text in the making.
pub(super) struct Writer<'t> {
    tokens: &'t Tokens<'t>,
    out: String,
    /// Where the next character goes.
    column: u32,
}

/// The room that something has.
#[derive(Debug, Clone, Copy)]
struct Room {
    /// The indentation of the line that it begins on.
    indent: u32,
    /// The column before which its last line ends.
    limit: u32,
}

/// A place in the text to go back to.
#[derive(Debug, Clone, Copy)]
struct Mark {
    length: usize,
    column: u32,
}

impl Room {
    /// A step to the right, on lines of its own, with this much after it.
    fn inner(self, after: u32) -> Self {
        Self {
            indent: self.indent + STEP,
            limit: LINE_MAX - after,
        }
    }

    /// With this much less at the end.
    fn less(self, after: u32) -> Self {
        Self {
            limit: self.limit.saturating_sub(after),
            ..self
        }
    }
}

impl<'t> Writer<'t> {
    pub(super) fn new(tokens: &'t Tokens<'t>, capacity: usize) -> Self {
        Self {
            tokens,
            out: String::with_capacity(capacity),
            column: 0,
        }
    }

    pub(super) fn finish(self) -> String {
        self.out
    }

    fn text(&mut self, text: &str) {
        self.out.push_str(text);
        self.column += width(text);
    }

    fn token(&mut self, index: usize) {
        self.out.push_str(self.tokens.text(index));
        self.column += self.tokens.get(index).width;
    }

    fn newline(&mut self, indent: u32) {
        self.out.push('\n');
        self.column = 0;
        self.indent(indent);
    }

    fn indent(&mut self, indent: u32) {
        const BLANKS: &str = "                                ";
        self.column += indent;
        let mut left = indent as usize;
        while left > 0 {
            let some = left.min(BLANKS.len());
            self.out.push_str(&BLANKS[..some]);
            left -= some;
        }
    }

    fn mark(&self) -> Mark {
        Mark {
            length: self.out.len(),
            column: self.column,
        }
    }

    fn back_to(&mut self, mark: Mark) {
        self.out.truncate(mark.length);
        self.column = mark.column;
    }

    fn since(&self, mark: Mark) -> &str {
        &self.out[mark.length..]
    }

    fn fits(&self, expr: &Expr, room: Room) -> bool {
        let margin = margin(expr);
        expr.flat
            .is_some_and(|flat| self.column + flat + margin <= room.limit)
    }
}

/// The columns that rustfmt leaves free after calls whose last argument is a
/// closure, and after chains that end with `?`.
fn margin(expr: &Expr) -> u32 {
    match &expr.kind {
        ExprKind::List(list) => closure_margin(list),
        ExprKind::Chain { links, .. } => links.last().map_or(0, |link| {
            tries_margin(link) + link.call.as_ref().map_or(0, closure_margin)
        }),
        _ => 0,
    }
}

/// The columns that rustfmt leaves free after a chain that ends with this link.
fn tries_margin(link: &Link) -> u32 {
    match link.tries {
        0 => 0,
        tries => tries + 1,
    }
}

fn closure_margin(list: &List) -> u32 {
    let is_closure = |item: &Expr| matches!(item.kind, ExprKind::Closure { .. });
    u32::from(list.is_call && list.items.last().is_some_and(is_closure))
}

/// The first line of a text.
fn first_line(text: &str) -> &str {
    text.split('\n').next().unwrap_or(text)
}

/// How many lines a text has.
fn lines(text: &str) -> usize {
    text.bytes().filter(|octet| *octet == b'\n').count() + 1
}

/// Whether a value looks better on the line after its head than beside it.
fn is_better_below(beside: &str, below: &str) -> bool {
    let opens = |delimiter: char| {
        first_line(beside).ends_with(delimiter) && !first_line(below).ends_with(delimiter)
    };
    lines(below) == 1 || lines(beside) > lines(below) + 1 || opens('(') || opens('{') || opens('[')
}
