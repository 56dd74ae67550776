//! Blocks, closures, `match` and `if`.

use super::super::tree::{Arm, Expr, ExprKind, Run, Statement};
use super::{LINE_MAX, Room, STEP, Writer, is_better_below};

impl Writer<'_> {
    /// A block, from its opening brace to the closing one.
    pub(super) fn block(&mut self, statements: &[Statement], indent: u32) -> bool {
        self.text("{");
        if !statements.is_empty() {
            for statement in statements {
                self.newline(indent + STEP);
                self.statement(statement, indent + STEP);
            }
            self.newline(indent);
        }
        self.text("}");
        true
    }

    fn statement(&mut self, statement: &Statement, indent: u32) {
        match statement {
            Statement::Item(item) => self.item(item, indent),
            Statement::Expr { expr, semicolon } => {
                let room = Room {
                    indent,
                    limit: LINE_MAX - u32::from(*semicolon),
                };
                match &expr.kind {
                    ExprKind::If {
                        condition,
                        then,
                        otherwise,
                    } => self.if_expr(condition, then, otherwise.as_deref(), room),
                    _ => self.expr(expr, room),
                };
                if *semicolon {
                    self.text(";");
                }
            }
        }
    }

    pub(super) fn closure_head(&mut self, moves: bool, parameters: Run) {
        self.text(if moves { "move |" } else { "|" });
        self.run(parameters);
        self.text("| ");
    }

    /// A closure that does not fit on one line.
    pub(super) fn closure(
        &mut self,
        moves: bool,
        parameters: Run,
        body: &Expr,
        room: Room,
    ) -> bool {
        // The bars, a blank, the brace, and what rustfmt leaves free.
        let head = parameters.width + 5 + u32::from(parameters.width == 0);
        let head_fits = self.column + head <= room.limit;
        self.closure_head(moves, parameters);
        let body_fits = match &body.kind {
            ExprKind::Match { value, .. }
                // `match` before the value, and the brace after.
                if !self.fits(value, room.less(8)) =>
            {
                self.braced(body, room.indent)
            }
            ExprKind::Match { .. } | ExprKind::Block { .. } | ExprKind::Struct { .. } => {
                self.expr(body, room)
            }
            _ => self.braced(body, room.indent),
        };
        head_fits && body_fits
    }

    /// An expression in braces that the layout puts round it.
    fn braced(&mut self, body: &Expr, indent: u32) -> bool {
        self.text("{");
        self.newline(indent + STEP);
        let inner = Room {
            indent: indent + STEP,
            limit: LINE_MAX,
        };
        let fits = match &body.kind {
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => self.if_expr(condition, then, otherwise.as_deref(), inner),
            _ => self.expr(body, inner),
        };
        self.newline(indent);
        self.text("}");
        fits
    }

    pub(super) fn if_expr(
        &mut self,
        condition: &Expr,
        then: &[Statement],
        otherwise: Option<&Expr>,
        room: Room,
    ) -> bool {
        self.text("if ");
        let start = self.mark();
        self.expr(condition, room.less(2));
        if self.since(start).contains('\n') {
            self.newline(room.indent);
        } else {
            self.text(" ");
        }
        self.block(then, room.indent);
        if let Some(otherwise) = otherwise {
            self.text(" else ");
            return match &otherwise.kind {
                ExprKind::If {
                    condition,
                    then,
                    otherwise,
                } => self.if_expr(condition, then, otherwise.as_deref(), room),
                ExprKind::Block { statements, .. } => self.block(statements, room.indent),
                _ => self.expr(otherwise, room),
            };
        }
        true
    }

    pub(super) fn match_expr(&mut self, value: &Expr, arms: &[Arm], room: Room) -> bool {
        self.text("match ");
        let start = self.mark();
        let limit = LINE_MAX;
        let fits = self.expr(value, Room { limit, ..room });
        let written = self.since(start);
        let last = written.rsplit('\n').next().unwrap_or(written);
        let is_closing = last.chars().all(|c| " )]}?>".contains(c));
        let is_broken = last.len() < written.len();
        if self.column + 2 > LINE_MAX || (is_broken && !is_closing) {
            self.newline(room.indent);
            self.text("{");
        } else {
            self.text(" {");
        }
        for arm in arms {
            self.newline(room.indent + STEP);
            self.attributes(&arm.attributes, room.indent + STEP);
            self.arm(arm, room.indent + STEP);
        }
        if !arms.is_empty() {
            self.newline(room.indent);
        }
        self.text("}");
        fits && self.column <= room.limit
    }

    fn arm(&mut self, arm: &Arm, indent: u32) {
        self.pattern(arm.pattern, indent);
        self.text(" => ");
        let body = &arm.body;
        let beside = Room {
            indent,
            limit: LINE_MAX - 1,
        };
        match &body.kind {
            ExprKind::Block {
                head: None,
                statements,
            } => {
                self.block(statements, indent);
                return;
            }
            ExprKind::If { .. } => {
                self.braced(body, indent);
                return;
            }
            _ if self.fits(body, beside) => {
                self.flat(body);
                self.text(",");
                return;
            }
            _ => {}
        }
        let start = self.mark();
        let is_beside = stays_beside(body) && self.expr(body, beside);
        if is_beside && matches!(body.kind, ExprKind::Match { .. }) {
            self.text(",");
            return;
        }
        let text = self.since(start).to_owned();
        let column = self.column;
        self.back_to(start);
        self.text("{");
        self.newline(indent + STEP);
        let below_start = self.mark();
        let inner = Room {
            indent: indent + STEP,
            limit: LINE_MAX,
        };
        let is_below = self.expr(body, inner);
        if is_beside && !(is_below && is_better_below(&text, self.since(below_start))) {
            self.back_to(start);
            self.out.push_str(&text);
            self.column = column;
            self.text(",");
            return;
        }
        self.newline(indent);
        self.text("}");
    }
}

/// Whether the first line of an arm's body may stand beside the pattern.
fn stays_beside(body: &Expr) -> bool {
    match &body.kind {
        ExprKind::Match { .. }
        | ExprKind::Block { .. }
        | ExprKind::Closure { .. }
        | ExprKind::List(_)
        | ExprKind::Struct { .. } => true,
        ExprKind::Chain { head, links, .. } => match links.last() {
            Some(link) => link.call.is_some(),
            None => stays_beside(head),
        },
        ExprKind::Unary { operand, .. } => stays_beside(operand),
        ExprKind::Cast { value, .. } => stays_beside(value),
        _ => false,
    }
}
