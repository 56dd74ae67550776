//! Attributes and doc comments, as they stand before what they are of.

use super::super::parse::run;
use super::super::tree::{Attribute, Run};
use super::{LINE_MAX, Room, STEP, Writer};

impl Writer<'_> {
    /// Attributes and doc comments, each on its line, and the indentation of what
    /// follows them.
    pub(super) fn attributes(&mut self, attributes: &[Attribute], indent: u32) {
        for attribute in attributes {
            match attribute {
                Attribute::Doc(comment) => {
                    self.text("///");
                    self.token(*comment);
                }
                Attribute::Plain(attribute) => self.attribute(*attribute, indent),
            }
            self.newline(indent);
        }
    }

    /// `#[name(..)]`, where need be with what is in the parentheses on lines of its
    /// own. Of the lists only that of `derive` is one line if it can be, and ends
    /// with a comma if not.
    fn attribute(&mut self, attribute: Run, indent: u32) {
        let parentheses =
            (attribute.start..attribute.end).find(|index| self.tokens.text(*index) == "(");
        let Some(open) = parentheses.filter(|_| self.column + attribute.width > LINE_MAX) else {
            return self.run(attribute);
        };
        let close = self.tokens.mate(open);
        let is_derive = self.tokens.text(open - 1) == "derive";
        self.run(run(self.tokens, attribute.start, open + 1));
        let mut end = close;
        // Whether a comma comes in does not depend on whether one was there.
        if self.tokens.text(close - 1) == "," {
            end -= 1;
        }
        let all = run(self.tokens, open + 1, end);
        let inner = Room {
            indent: indent + STEP,
            limit: LINE_MAX - 1,
        };
        self.newline(inner.indent);
        if is_derive && self.column + all.width <= inner.limit {
            self.run(all);
        } else {
            self.attribute_parts(all, inner);
        }
        if is_derive {
            self.text(",");
        }
        self.newline(indent);
        self.run(run(self.tokens, close, attribute.end));
    }

    /// Parts with commas between them, each on a line.
    fn attribute_parts(&mut self, all: Run, room: Room) {
        let mut start = all.start;
        while start < all.end {
            let end = self.part_end(start, all.end);
            if start > all.start {
                self.text(",");
                self.newline(room.indent);
            }
            self.broken(run(self.tokens, start, end), room, false);
            start = end + 1;
        }
    }
}
