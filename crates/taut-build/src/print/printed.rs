//! Text of items, to be put together.

use super::tree::Item;
use super::write::STEP;

/// Items as text: lines with their indentation, and no line end after the last.
#[derive(Debug, Default)]
pub(crate) struct Printed {
    text: String,
    /// In columns.
    indent: u32,
    /// Whether the first item is one line that may stand close to others; so the
    /// last.
    begins_close: bool,
    ends_close: bool,
}

impl Printed {
    pub(super) fn new(text: String, indent: u32, items: &[Item]) -> Self {
        Self {
            text,
            indent,
            begins_close: items.first().is_some_and(Item::is_close),
            ends_close: items.last().is_some_and(Item::is_close),
        }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Adds items behind those that are there.
    pub(crate) fn push(&mut self, more: &Self) {
        if more.is_empty() {
            return;
        }
        if self.is_empty() {
            (self.indent, self.begins_close) = (more.indent, more.begins_close);
        } else if self.ends_close && more.begins_close {
            self.text.push('\n');
        } else {
            self.text.push_str("\n\n");
        }
        self.text.push_str(&more.text);
        self.ends_close = more.ends_close;
    }

    /// Puts items, a step further in, between the empty braces that this ends
    /// with; they stand on lines of their own behind a head of several lines.
    pub(crate) fn fill(&mut self, content: &Self) {
        let opened = self.text.strip_suffix('}').map(str::trim_end);
        debug_assert!(
            opened.is_some_and(|text| text.ends_with('{')),
            "{}",
            self.text
        );
        if content.is_empty() {
            return;
        }
        debug_assert_eq!(content.indent, self.indent + STEP);
        let end = opened.map_or(self.text.len(), str::len);
        self.text.truncate(end);
        self.text
            .reserve(content.text.len() + 3 + self.indent as usize);
        self.text.push('\n');
        self.text.push_str(&content.text);
        self.text.push('\n');
        let blanks = std::iter::repeat_n(' ', self.indent as usize);
        self.text.extend(blanks);
        self.text.push('}');
    }
}
