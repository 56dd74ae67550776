//! Items: what files, modules, traits and implementations are made of.

use super::super::parse::run;
use super::super::tree::{Field, Function, Item, ItemKind, Run};
use super::{LINE_MAX, Room, STEP, Writer};

impl Writer<'_> {
    /// Items, each with its indentation and with empty lines between them, but
    /// not between those of a kind that take one line. Those that define
    /// something have an attribute more, unless that is empty.
    pub(in super::super) fn items(&mut self, items: &[Item], indent: u32, attribute: &str) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                let are_close = items[index - 1].is_close() && item.is_close();
                self.out.push_str(if are_close { "\n" } else { "\n\n" });
                self.column = 0;
            }
            self.indent(indent);
            self.attributes(&item.attributes, indent);
            if item.defines && !attribute.is_empty() {
                self.text(attribute);
                self.newline(indent);
            }
            self.kind(&item.kind, indent);
        }
    }

    pub(super) fn item(&mut self, item: &Item, indent: u32) {
        self.attributes(&item.attributes, indent);
        self.kind(&item.kind, indent);
    }

    fn kind(&mut self, kind: &ItemKind, indent: u32) {
        match kind {
            ItemKind::Block { head, items } => {
                let start = self.mark();
                self.head(*head, indent);
                if items.is_empty() && self.since(start).contains('\n') {
                    self.newline(indent);
                }
                if !items.is_empty() {
                    self.newline(0);
                    self.items(items, indent + STEP, "");
                    self.newline(indent);
                }
                self.text("}");
            }
            ItemKind::Fields { head, fields } => {
                self.head(*head, indent);
                self.fields(fields, indent);
            }
            ItemKind::Function(function) => self.function(function, indent),
            ItemKind::Value { head, value } => self.value_item(*head, value.as_ref(), indent),
            ItemKind::Macro { head, content } => self.macro_call(*head, *content, indent),
            ItemKind::Plain(item) => self.plain(*item, indent),
        }
    }

    /// Writes the tokens before the brace of an item, and the brace.
    fn head(&mut self, head: Run, indent: u32) {
        let is_break = |index: &usize| matches!(self.tokens.text(*index), "for" | ":");
        let at = (head.start + 1..head.end).rev().find(is_break);
        // Before the type of an implementation, rustfmt does not count the
        // indentation; before a trait's bounds, twice.
        let extra = match at {
            Some(at) if self.tokens.text(at) == "for" => 0,
            Some(at) if self.tokens.text(at) == ":" && self.is_trait(head) => 2 * indent + STEP,
            _ => self.column,
        };
        if head.width + 2 + extra <= LINE_MAX {
            self.run(head);
            self.text(" {");
            return;
        }
        let Some(at) = at else {
            let limit = LINE_MAX - 2;
            self.broken(head, Room { indent, limit }, true);
            self.text(" {");
            return;
        };
        // A colon stays on its line, `for` goes to the next.
        let second = at + usize::from(self.tokens.text(at) == ":");
        self.run(run(self.tokens, head.start, second));
        self.newline(indent + STEP);
        let rest = run(self.tokens, second, head.end);
        if self.column + rest.width > LINE_MAX && self.is_trait(head) {
            self.bounds(rest, indent + STEP);
        } else {
            self.run(rest);
        }
        self.newline(indent);
        self.text("{");
    }

    fn is_trait(&self, head: Run) -> bool {
        let mut first = head.start..head.end.min(head.start + 2);
        first.any(|index| self.tokens.text(index) == "trait")
    }

    /// The bounds of a trait, each on a line.
    fn bounds(&mut self, bounds: Run, indent: u32) {
        let mut start = bounds.start;
        for index in bounds.start + 1..bounds.end {
            if self.tokens.text(index) == "+" {
                self.run(run(self.tokens, start, index));
                self.newline(indent);
                start = index;
            }
        }
        self.run(run(self.tokens, start, bounds.end));
    }

    /// Fields or variants, up to the closing brace.
    fn fields(&mut self, fields: &[Field], indent: u32) {
        for field in fields {
            let inner = indent + STEP;
            self.newline(inner);
            self.attributes(&field.attributes, inner);
            match &field.fields {
                Some(named) => {
                    self.run(field.head);
                    self.text(" {");
                    self.fields(named, inner);
                }
                None => {
                    let limit = LINE_MAX - 1;
                    self.broken(
                        field.head,
                        Room {
                            indent: inner,
                            limit,
                        },
                        true,
                    );
                }
            }
            self.text(",");
        }
        if !fields.is_empty() {
            self.newline(indent);
        }
        self.text("}");
    }

    fn function(&mut self, function: &Function, indent: u32) {
        let Function {
            head,
            parameters,
            tail,
            body,
        } = function;
        let inner: u32 = parameters.iter().map(|parameter| parameter.width + 2).sum();
        let after = match body {
            None => 1,
            Some(body) if body.is_empty() => 3,
            Some(_) => 2,
        };
        let width = head.width + inner.saturating_sub(2) + tail.width + after;
        let start = self.mark();
        self.run(*head);
        if self.column - head.width + width <= LINE_MAX || parameters.is_empty() {
            for (index, parameter) in parameters.iter().enumerate() {
                if index > 0 {
                    self.text(", ");
                }
                self.run(*parameter);
            }
        } else {
            let inner = Room {
                indent: indent + STEP,
                limit: LINE_MAX - 1,
            };
            for parameter in parameters {
                self.newline(inner.indent);
                self.broken(*parameter, inner, true);
                self.text(",");
            }
            self.newline(indent);
        }
        let is_broken = self.since(start).contains('\n');
        let width = self.column + tail.width;
        // Where nothing is broken, rustfmt leaves a column free after what has
        // no body.
        let free = u32::from(body.is_none() && !is_broken);
        let mut brace_below = false;
        if is_broken && tail.width > 1 {
            // The return type has the room that it had on a line of its own, but for two
            // columns; and the brace as if the indentation came twice.
            let returned = tail.width - 5;
            if indent + returned + 2 <= LINE_MAX && !self.has_wide_tuple(*tail) {
                self.run(*tail);
                brace_below = body.is_some() && width + after + indent > LINE_MAX;
            } else {
                let limit = LINE_MAX - after;
                self.opened_run(*tail, Room { indent, limit }, true);
            }
        } else if width + after + free <= LINE_MAX && !self.has_wide_tuple(*tail) {
            self.run(*tail);
        } else if !is_broken && body.is_none() && tail.width > 1 {
            self.token(tail.start);
            self.newline(indent);
            self.run(run(self.tokens, tail.start + 1, tail.end));
        } else {
            let limit = LINE_MAX - after;
            self.opened_run(*tail, Room { indent, limit }, true);
        }
        match body {
            Some(body) => {
                if brace_below {
                    self.newline(indent);
                } else {
                    self.text(" ");
                }
                self.block(body, indent);
            }
            None => self.text(";"),
        }
    }

    fn value_item(&mut self, head: Run, value: Option<&super::Expr>, indent: u32) {
        let room = Room {
            indent,
            limit: LINE_MAX - 1,
        };
        self.broken(head, room.less(1), true);
        if let Some(value) = value {
            self.text(" =");
            self.value(value, room);
        }
        self.text(";");
    }

    fn macro_call(&mut self, head: Run, content: Run, indent: u32) {
        self.run(head);
        if content.width == 0 {
            self.text(" {}");
        } else if self.column + content.width + 5 <= LINE_MAX {
            self.text(" { ");
            self.run(content);
            self.text(" }");
        } else {
            self.text(" {");
            self.newline(indent + STEP);
            let room = Room {
                indent: indent + STEP,
                limit: LINE_MAX,
            };
            self.broken(content, room, false);
            self.newline(indent);
            self.text("}");
        }
    }

    /// `use`, `type`, a struct without named fields.
    fn plain(&mut self, item: Run, indent: u32) {
        if self.column + item.width < LINE_MAX {
            self.run(item);
            return self.text(";");
        }
        let keyword = |word: &str| {
            let mut first = item.start..item.end.min(item.start + 2);
            first.any(|index| self.tokens.text(index) == word)
        };
        if keyword("use")
            && let Some(open) = (item.start..item.end).find(|index| self.tokens.text(*index) == "{")
        {
            self.use_list(item, open, indent);
        } else if keyword("type")
            && let Some(equals) =
                (item.start..item.end).find(|index| self.tokens.text(*index) == "=")
        {
            self.run(run(self.tokens, item.start, equals + 1));
            let indent = indent + STEP;
            self.newline(indent);
            let limit = LINE_MAX - 1;
            self.broken(
                run(self.tokens, equals + 1, item.end),
                Room { indent, limit },
                true,
            );
        } else {
            let limit = LINE_MAX - 1;
            self.broken(item, Room { indent, limit }, true);
        }
        self.text(";");
    }

    /// An import of several names, as many on a line as there is room for.
    fn use_list(&mut self, item: Run, open: usize, indent: u32) {
        let close = self.tokens.mate(open);
        self.run(run(self.tokens, item.start, open + 1));
        self.newline(indent + STEP);
        let mut start = open + 1;
        while start < close {
            let comma = (start..close).find(|index| self.tokens.text(*index) == ",");
            let end = comma.unwrap_or(close);
            let name = run(self.tokens, start, end);
            if start > open + 1 {
                if self.column + name.width + 2 > LINE_MAX {
                    self.newline(indent + STEP);
                } else {
                    self.text(" ");
                }
            }
            self.run(name);
            self.text(",");
            start = end + 1;
        }
        self.newline(indent);
        self.token(close);
    }
}
