//! Runs of tokens: types, patterns, what macros are given.

use super::super::parse::{CALL_MAX, STRUCT_MAX, run};
use super::super::spacing::is_keyword;
use super::super::token::Kind;
use super::super::tree::Run;
use super::{LINE_MAX, Room, STEP, Writer};

/// The columns of an alternative that others may stand beside, where all do.
const SHORT: u32 = 10;

impl Writer<'_> {
    /// A run on one line.
    pub(super) fn run(&mut self, run: Run) {
        for index in run.start..run.end {
            if index > run.start && self.tokens.get(index).is_spaced {
                self.out.push(' ');
            }
            self.out.push_str(self.tokens.text(index));
        }
        self.column += run.width;
    }

    /// A run of Rust, on several lines if need be.
    pub(super) fn run_within(&mut self, run: Run, room: Room) -> bool {
        self.broken(run, room, true)
    }

    /// A run; where it does not fit, the widest group of it goes over several
    /// lines. With `trails`, a comma follows the last part of a group.
    pub(super) fn broken(&mut self, all: Run, room: Room, trails: bool) -> bool {
        if self.column + all.width <= room.limit && !self.has_wide_tuple(all) {
            self.run(all);
            return true;
        }
        self.opened_run(all, room, trails)
    }

    /// A run, the widest group of which goes over several lines even if it fits.
    pub(super) fn opened_run(&mut self, all: Run, room: Room, trails: bool) -> bool {
        let Some((open, close)) = self.widest_group(all) else {
            self.run(all);
            return self.column <= room.limit;
        };
        self.run(run(self.tokens, all.start, open + 1));
        if let Some(inner) = self.only_group(open, close) {
            // One bracket directly in another: their lines are shared.
            let rest = run(self.tokens, close, all.end);
            let fits = self.opened(inner, room.indent, trails);
            self.run(rest);
            return fits && self.column <= room.limit;
        }
        self.parts(open, close, room.indent, trails);
        self.rest(close, all.end, room, trails)
    }

    /// Whether there is a tuple among generic arguments that takes more than
    /// rustfmt leaves on one line.
    pub(super) fn has_wide_tuple(&self, all: Run) -> bool {
        (all.start.max(1)..all.end).any(|index| {
            self.tokens.get(index).kind == Kind::Open
                && self.tokens.text(index) == "("
                && matches!(self.tokens.text(index - 1), "<" | ",")
                && run(self.tokens, index + 1, self.tokens.mate(index)).width > CALL_MAX
        })
    }

    /// A group that is opened over several lines.
    fn opened(&mut self, (open, close): (usize, usize), indent: u32, trails: bool) -> bool {
        self.token(open);
        self.parts(open, close, indent, trails);
        self.token(close);
        true
    }

    /// Writes the tokens after an opened group, from its closing delimiter on.
    fn rest(&mut self, close: usize, end: usize, room: Room, trails: bool) -> bool {
        self.token(close);
        if close + 1 == end {
            return self.column <= room.limit;
        }
        if self.tokens.get(close + 1).is_spaced {
            self.text(" ");
        }
        self.broken(run(self.tokens, close + 1, end), room, trails)
    }

    /// The parts of a group, each on a line.
    fn parts(&mut self, open: usize, close: usize, indent: u32, trails: bool) {
        let trails = trails && self.may_trail(open, close);
        let inner = Room {
            indent: indent + STEP,
            limit: LINE_MAX - 1,
        };
        let mut start = open + 1;
        while start < close {
            let end = self.part_end(start, close);
            self.newline(inner.indent);
            self.part(run(self.tokens, start, end), inner, trails);
            // A rest has no comma after it.
            if end < close || (trails && self.tokens.text(end - 1) != "..") {
                self.text(",");
            }
            start = end + 1;
        }
        self.newline(indent);
    }

    /// Whether a comma may follow the last part of a group, and means nothing there.
    fn may_trail(&self, open: usize, close: usize) -> bool {
        let before = |back: usize| open.checked_sub(back).map_or("", |at| self.tokens.text(at));
        let is_path = |text: &str| {
            let starts_word = text.starts_with(|first: char| first.is_alphabetic() || first == '_');
            matches!(text, ">" | "::") || (starts_word && !is_keyword(text))
        };
        let has_comma = self.part_end(open + 1, close) < close;
        // The arguments of a macro are the macro's affair.
        if before(1) == "!" && is_path(before(2)) {
            return self.tokens.text(close - 1) == ",";
        }
        match self.tokens.text(open) {
            // `[T; N]` and `[T]` take none, patterns of slices do.
            "[" => has_comma && before(1) != "#",
            // Parentheses round a type, and round a tuple of one.
            "(" => has_comma || is_path(before(1)),
            // Fields, but not a block.
            "{" => is_path(before(1)),
            _ => true,
        }
    }

    /// A part of a group. Alternatives that do not fit beside a field's name
    /// stand below it.
    fn part(&mut self, part: Run, room: Room, trails: bool) {
        let fits = self.column + part.width <= room.limit;
        let colon = part.start + 1;
        let is_field = colon < part.end && self.tokens.text(colon) == ":";
        let value = run(self.tokens, colon + 1, part.end.max(colon + 1));
        if fits || !is_field || self.alternatives(value).len() == 1 {
            self.broken(part, room, trails);
            return;
        }
        self.run(run(self.tokens, part.start, colon + 1));
        self.newline(room.indent + STEP);
        if self.column + value.width <= room.limit {
            self.run(value);
        } else {
            self.pattern(value, room.indent + STEP);
        }
    }

    /// Where the part that begins at `start` ends: at a comma, or at `close`.
    pub(super) fn part_end(&self, start: usize, close: usize) -> usize {
        let mut index = start;
        while index < close && self.tokens.text(index) != "," {
            index = self.group_end(index, close).unwrap_or(index) + 1;
        }
        index.min(close)
    }

    /// The end of the group that begins at `open`, if one does.
    fn group_end(&self, open: usize, end: usize) -> Option<usize> {
        let token = self.tokens.get(open);
        if token.kind == Kind::Open {
            return Some(self.tokens.mate(open));
        }
        if token.kind != Kind::Mark || self.tokens.text(open) != "<" {
            return None;
        }
        // A `<` that does not follow a name begins no list: `<T as Trait>`.
        let before = open.checked_sub(1)?;
        if self.tokens.get(before).kind != Kind::Word && self.tokens.text(before) != "::" {
            return None;
        }
        let mut depth = 0_usize;
        let mut index = open;
        while index < end {
            let token = self.tokens.get(index);
            match (token.kind, self.tokens.text(index)) {
                (Kind::Mark, "<") => depth += 1,
                (Kind::Mark, ">") => depth -= 1,
                (Kind::Mark, ";") => return None,
                _ => {}
            }
            if depth == 0 {
                return Some(index);
            }
            index = self.tokens.mate(index) + 1;
        }
        None
    }

    /// The group of a run that is the widest and not empty.
    fn widest_group(&self, all: Run) -> Option<(usize, usize)> {
        let mut widest = None;
        let mut width = 0;
        let mut index = all.start;
        while index < all.end {
            match self.group_end(index, all.end) {
                Some(end) => {
                    let group = run(self.tokens, index, end);
                    if end > index + 1 && group.width > width {
                        width = group.width;
                        widest = Some((index, end));
                    }
                    index = end + 1;
                }
                None => index += 1,
            }
        }
        widest
    }

    /// The group that is all there is in another.
    fn only_group(&self, open: usize, close: usize) -> Option<(usize, usize)> {
        let inner = open + 1;
        let is_delimited = self.tokens.get(inner).kind == Kind::Open;
        (is_delimited && self.tokens.mate(inner) + 1 == close)
            .then(|| (inner, self.tokens.mate(inner)))
    }

    /// A pattern: where it does not fit, its alternatives stand below each other.
    pub(super) fn pattern(&mut self, pattern: Run, indent: u32) {
        // The body's brace has to fit as well.
        let fits = self.column + pattern.width + 5 <= LINE_MAX;
        if fits && self.wide_fields(pattern).is_none() {
            return self.run(pattern);
        }
        let alternatives = self.alternatives(pattern);
        let is_mixed = alternatives.iter().all(|each| each.width <= SHORT);
        for (index, alternative) in alternatives.iter().enumerate() {
            if index > 0 {
                if is_mixed && self.column + alternative.width + 3 <= LINE_MAX - 3 {
                    self.text(" | ");
                } else {
                    self.newline(indent);
                    self.text("| ");
                }
            }
            match self.wide_fields(*alternative) {
                Some((open, close)) => {
                    self.run(run(self.tokens, alternative.start, open + 1));
                    self.parts(open, close, indent, true);
                    self.run(run(self.tokens, close, alternative.end));
                }
                None if self.nested_pattern(*alternative, indent) => {}
                None => {
                    let limit = LINE_MAX - 5;
                    self.broken(*alternative, Room { indent, limit }, true);
                }
            }
        }
    }

    /// `A(B(..))`, where only what is in the inner parentheses takes several
    /// lines. False, and nothing written, if the pattern is another or even so
    /// does not fit.
    fn nested_pattern(&mut self, pattern: Run, indent: u32) -> bool {
        if pattern.end < pattern.start + 4 || self.column + pattern.width + 5 <= LINE_MAX {
            return false;
        }
        let close = pattern.end - 2;
        let open = self.tokens.mate(close);
        let ends_both = self.tokens.text(close) == ")" && self.tokens.text(close + 1) == ")";
        let outer = self.tokens.mate(close + 1);
        let is_path = |index: usize| {
            matches!(self.tokens.get(index).kind, Kind::Word) || self.tokens.text(index) == "::"
        };
        if !ends_both || open <= outer + 1 || !(outer + 1..open).all(is_path) {
            return false;
        }
        let head = run(self.tokens, pattern.start, open + 1);
        if self.column + head.width + 6 > LINE_MAX {
            return false;
        }
        self.run(head);
        self.parts(open, close, indent, true);
        self.run(run(self.tokens, close, pattern.end));
        true
    }

    fn alternatives(&self, pattern: Run) -> Vec<Run> {
        let mut alternatives = Vec::new();
        let mut start = pattern.start;
        let mut index = start;
        while index < pattern.end {
            if self.tokens.text(index) == "|" {
                alternatives.push(run(self.tokens, start, index));
                start = index + 1;
            }
            index = self.tokens.mate(index).max(index) + 1;
        }
        alternatives.push(run(self.tokens, start, pattern.end));
        alternatives
    }

    /// The fields of a pattern that take more than rustfmt leaves on one line.
    fn wide_fields(&self, pattern: Run) -> Option<(usize, usize)> {
        (pattern.start..pattern.end)
            .filter(|index| self.tokens.get(*index).kind == Kind::Open)
            .filter(|index| self.tokens.text(*index) == "{")
            .map(|open| (open, self.tokens.mate(open)))
            .find(|(open, close)| run(self.tokens, open + 1, *close).width > STRUCT_MAX)
    }
}
