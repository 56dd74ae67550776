//! Chains of fields and calls.

use super::super::parse::CHAIN_MAX;
use super::super::tree::{Expr, Link};
use super::{LINE_MAX, Room, STEP, Writer, closure_margin, first_line, lines, tries_margin};
use crate::print::token::width;

/// From so many lines on, the last call of a chain stays on the chain's line.
const LONG: usize = 5;

impl Writer<'_> {
    /// A chain that does not fit on one line; with `on_one_line` only its last
    /// call may go over several.
    pub(super) fn chain(
        &mut self,
        head: &Expr,
        tries: u32,
        links: &[Link],
        room: Room,
        on_one_line: bool,
    ) -> bool {
        let start = self.mark();
        let Some((last, _)) = links.split_last() else {
            let fits = self.expr(head, room.less(tries));
            self.tries(tries);
            return fits;
        };
        let fits = self.expr(head, room.less(tries));
        self.tries(tries);
        if self.since(start).contains('\n') {
            return self.links_after_lines(links, room) && fits;
        }
        if !fits {
            self.links_below(links, room);
            return false;
        }
        // An expression no wider than a step does not get a line of its own.
        let step = STEP.saturating_sub(start.column.saturating_sub(room.indent));
        let mut below = links;
        while self.column - start.column <= step
            && let [first, rest @ ..] = below
        {
            if !rest.is_empty() && first.flat.is_none() {
                break;
            }
            if rest.is_empty() {
                return self.link(first, room.less(tries_margin(first)));
            }
            self.flat_link(first);
            below = rest;
        }
        let root = self.mark();
        if below.iter().rev().skip(1).all(|link| link.flat.is_some()) {
            for link in &below[..below.len() - 1] {
                self.flat_link(link);
            }
            let beside = self.mark();
            let budget = match links.len() {
                1 => room.limit,
                _ => room.limit.min(start.column + CHAIN_MAX),
            };
            let has_room = self.column + last.tries < budget;
            // The `?` of the last link counts twice here.
            let after = match last.flat {
                Some(_) if links.len() == 1 => tries_margin(last),
                _ => last.tries,
            };
            if has_room && self.link(last, room.less(after)) {
                let text = self.since(beside);
                let count = lines(text);
                let first = width(first_line(text));
                let first_fits = beside.column + first + last.tries <= budget;
                if first_fits && (count >= LONG || self.is_shorter_beside(last, room, count)) {
                    return true;
                }
            }
            self.back_to(root);
        }
        if on_one_line {
            return false;
        }
        self.links_below(below, room)
    }

    /// Whether the last call of a chain takes no more lines beside the rest than
    /// it would on a line of its own.
    fn is_shorter_beside(&mut self, last: &Link, room: Room, beside: usize) -> bool {
        let end = self.mark();
        self.newline(room.indent + STEP);
        let start = self.mark();
        let inner = Room {
            indent: room.indent + STEP,
            limit: room.limit,
        };
        let fits = self.link(last, inner);
        let below = lines(self.since(start));
        self.back_to(end);
        !fits || below >= beside
    }

    fn links_below(&mut self, links: &[Link], room: Room) -> bool {
        let mut fits = true;
        for (index, link) in links.iter().enumerate() {
            let limit = if index + 1 == links.len() {
                room.limit
            } else {
                LINE_MAX
            };
            self.newline(room.indent + STEP);
            let indent = room.indent + STEP;
            fits &= self.link(link, Room { indent, limit });
        }
        fits
    }

    /// The links of a head that took several lines.
    fn links_after_lines(&mut self, links: &[Link], room: Room) -> bool {
        let mut fits = true;
        for link in links {
            if links.len() > 1 {
                self.newline(room.indent);
            }
            fits &= self.link(link, room);
        }
        fits
    }

    fn link(&mut self, link: &Link, room: Room) -> bool {
        let margin = link.call.as_ref().map_or(0, closure_margin);
        let fits = |flat: u32| self.column + flat + margin <= room.limit;
        if link.flat.is_some_and(fits) {
            self.flat_link(link);
            return true;
        }
        self.run(link.name);
        let fits = match &link.call {
            Some(call) => self.delimited(call, link.name.width - 1, room.less(link.tries)),
            None => self.column + link.tries <= room.limit,
        };
        self.tries(link.tries);
        fits
    }
}
