//! Calls, tuples and arrays on several lines.

use super::super::parse::{CALL_MAX, is_call};
use super::super::tree::{Expr, ExprKind, List};
use super::{LINE_MAX, Room, STEP, Writer, first_line};
use crate::print::token::width;

/// The columns of an element that others may stand beside, where all do.
const SHORT: u32 = 10;
/// The columns of a callee that its only argument does not leave.
const SHORT_CALLEE: u32 = 4;

impl Writer<'_> {
    /// A list that does not fit on one line.
    pub(super) fn list(&mut self, list: &List, room: Room) -> bool {
        let Some(callee) = &list.callee else {
            return self.delimited(list, 0, room);
        };
        let start = self.mark();
        // That a path's generic arguments take several lines is the last resort,
        // for where it would not fit on a line of its own either.
        let is_whole = match callee.kind {
            ExprKind::Run(path) => {
                let fits = self.column + path.width < room.limit;
                fits || room.indent + STEP + path.width > LINE_MAX
            }
            _ => true,
        };
        let is_whole = self.expr(callee, room) && is_whole;
        let callee_width = self.column.saturating_sub(start.column);
        if self.since(start).contains('\n') {
            // There may be more room after the callee than before.
            let arguments = super::super::parse::arguments(list);
            if arguments.is_some_and(|flat| self.column + flat <= room.limit) {
                self.flat_arguments(list);
                return is_whole;
            }
        }
        self.delimited(list, callee_width, room) && is_whole
    }

    /// A list without its callee, that does not fit on one line.
    pub(super) fn delimited(&mut self, list: &List, callee_width: u32, room: Room) -> bool {
        let close = self.tokens.mate(list.open);
        self.token(list.open);
        let Some((last, rest)) = list.items.split_last() else {
            self.token(close);
            return self.column <= room.limit;
        };
        if !list.is_call && !list.may_trail && list.separator == "," && rest.is_empty() {
            // Parentheses that only group.
            let fits = self.expr(last, room.less(1));
            self.token(close);
            return fits;
        }
        let start = self.mark();
        let hugs = rest.is_empty() && list.is_call && callee_width < SHORT_CALLEE;
        let is_flat = |item: &Expr| item.flat.is_some();
        // Of several closures none stands out.
        let is_closure = |item: &Expr| matches!(item.kind, ExprKind::Closure { .. });
        let is_one_of_several = is_closure(last) && rest.iter().any(is_closure);
        if (hugs || can_overflow(last, list.items.len()))
            && !is_one_of_several
            && rest.iter().all(is_flat)
            && self.overflowing(last, rest, hugs, room)
        {
            self.token(close);
            return self.column <= room.limit;
        }
        self.back_to(start);
        let inner = room.inner(1);
        let is_mixed = list.items.iter().all(is_short);
        for (index, item) in list.items.iter().enumerate() {
            let is_last = index + 1 == list.items.len();
            let flat = item.flat.unwrap_or_default();
            // The comma after the last is not counted twice.
            let limit = inner.limit + u32::from(is_last);
            if is_mixed && index > 0 && self.column + 2 + flat <= limit {
                self.text(" ");
            } else {
                self.newline(inner.indent);
            }
            self.expr(item, inner);
            if !is_last {
                self.text(list.separator);
            } else if list.may_trail {
                self.text(",");
            }
        }
        self.newline(room.indent);
        self.token(close);
        self.column <= room.limit
    }

    /// All items but the last on this line; the last begins on it.
    fn overflowing(&mut self, last: &Expr, rest: &[Expr], hugs: bool, room: Room) -> bool {
        let from = self.column;
        let start = self.mark();
        for item in rest {
            self.flat(item);
            self.text(", ");
        }
        let mut inner = room.less(1);
        if !rest.is_empty() || is_call(last) {
            inner.limit = inner.limit.min(from + CALL_MAX);
        }
        if self.column + callee_width(last) >= inner.limit {
            return false;
        }
        let fits = match &last.kind {
            ExprKind::Chain { head, tries, links } if !hugs => {
                self.chain(head, *tries, links, inner, true)
            }
            // On one line there is no room for it, or it would be there.
            ExprKind::Closure {
                moves,
                parameters,
                body,
            } if rest.is_empty() => self.closure(*moves, *parameters, body, inner),
            _ => self.expr(last, inner),
        };
        fits && width(first_line(self.since(start))) <= CALL_MAX
    }
}

/// Whether an item may be the last on a line that it does not end on.
fn can_overflow(item: &Expr, items: usize) -> bool {
    match &item.kind {
        ExprKind::Closure { .. } | ExprKind::Block { .. } => true,
        ExprKind::Match { .. } | ExprKind::If { .. } | ExprKind::Struct { .. } => items == 1,
        ExprKind::List(list) => {
            items == 1 && (list.callee.is_some() || list.may_trail || list.separator == ";")
        }
        ExprKind::Chain { head, links, .. } => match links.last() {
            Some(link) => items == 1 && link.call.is_some(),
            None => can_overflow(head, items),
        },
        ExprKind::Unary { operand, .. } => can_overflow(operand, items),
        ExprKind::Cast { value, .. } => can_overflow(value, items),
        _ => false,
    }
}

/// The columns of what comes before the arguments of a call.
fn callee_width(expr: &Expr) -> u32 {
    match &expr.kind {
        ExprKind::List(list) => {
            let callee = list.callee.as_ref();
            callee.map_or(0, |callee| callee.flat.unwrap_or_default())
        }
        _ => 0,
    }
}

/// Whether others may stand beside an item on lines that are full.
fn is_short(item: &Expr) -> bool {
    is_simple(item) && item.flat.is_some_and(|flat| flat <= SHORT)
}

fn is_simple(item: &Expr) -> bool {
    match &item.kind {
        ExprKind::Run(_) => true,
        ExprKind::Unary { operand, .. } => is_simple(operand),
        ExprKind::Chain { head, links, .. } => {
            is_simple(head) && links.iter().all(|link| link.call.is_none())
        }
        _ => false,
    }
}
