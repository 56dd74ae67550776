//! Expressions, on one line or on several.

use super::super::token::Kind;
use super::super::tree::{Expr, ExprKind, Link, List, Run, Statement, StructField};
use super::{LINE_MAX, Room, STEP, Writer, is_better_below};

impl Writer<'_> {
    /// Writes an expression, and tells whether it has kept to its room. It is
    /// written in full even if not: there may be no other way.
    pub(super) fn expr(&mut self, expr: &Expr, room: Room) -> bool {
        if self.fits(expr, room) {
            self.flat(expr);
            return true;
        }
        match &expr.kind {
            ExprKind::Run(run) => self.run_within(*run, room),
            ExprKind::List(list) => self.list(list, room),
            ExprKind::Chain { head, tries, links } => self.chain(head, *tries, links, room, false),
            ExprKind::Struct { path, fields } => self.structure(*path, fields, room),
            ExprKind::Unary { operator, operand } => {
                self.prefix(*operator);
                self.expr(operand, room)
            }
            ExprKind::Binary { operands, tight } => self.binary(operands, *tight, room),
            ExprKind::Cast { value, ty } => {
                let fits = self.expr(value, room.less(4 + ty.width));
                self.text(" as ");
                self.run(*ty);
                fits
            }
            ExprKind::Closure {
                moves,
                parameters,
                body,
            } => self.closure(*moves, *parameters, body, room),
            ExprKind::Match { value, arms } => self.match_expr(value, arms, room),
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => self.if_expr(condition, then, otherwise.as_deref(), room),
            ExprKind::Block { head, statements } => {
                if let Some(head) = head {
                    self.run(*head);
                    self.text(" ");
                }
                self.block(statements, room.indent)
            }
            ExprKind::Assign { head, value } => {
                self.run(*head);
                self.value(value, room)
            }
        }
    }

    /// Writes an expression that may stand on one line, on one line.
    pub(super) fn flat(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Run(run) => self.run(*run),
            ExprKind::List(list) => self.flat_list(list),
            ExprKind::Chain { head, tries, links } => {
                self.flat(head);
                self.tries(*tries);
                for link in links {
                    self.flat_link(link);
                }
            }
            ExprKind::Struct { path, fields } => {
                self.run(*path);
                self.text(" {");
                for (index, field) in fields.iter().enumerate() {
                    self.text(if index == 0 { " " } else { ", " });
                    self.run(field.head);
                    if let Some(value) = &field.value {
                        self.text(" ");
                        self.flat(value);
                    }
                }
                self.text(if fields.is_empty() { "}" } else { " }" });
            }
            ExprKind::Unary { operator, operand } => {
                self.prefix(*operator);
                self.flat(operand);
            }
            ExprKind::Binary { operands, tight } => {
                let blank = if *tight { "" } else { " " };
                for (operator, operand) in operands {
                    if let Some(operator) = operator {
                        self.text(blank);
                        self.run(*operator);
                        self.text(blank);
                    }
                    self.flat(operand);
                }
            }
            ExprKind::Cast { value, ty } => {
                self.flat(value);
                self.text(" as ");
                self.run(*ty);
            }
            ExprKind::Closure {
                moves,
                parameters,
                body,
            } => {
                self.closure_head(*moves, *parameters);
                self.flat(body);
            }
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.text("if ");
                self.flat(condition);
                self.text(" ");
                self.flat_block(then);
                if let Some(otherwise) = otherwise {
                    self.text(" else ");
                    self.flat(otherwise);
                }
            }
            ExprKind::Block { head, statements } => {
                if let Some(head) = head {
                    self.run(*head);
                    self.text(" ");
                }
                self.flat_block(statements);
            }
            ExprKind::Assign { head, value } => {
                self.run(*head);
                self.text(" ");
                self.flat(value);
            }
            // It has no width on one line.
            ExprKind::Match { .. } => {}
        }
    }

    /// Prefix operators: `&mut` has a blank after it.
    fn prefix(&mut self, operator: Run) {
        self.run(operator);
        if self.tokens.get(operator.end - 1).kind == Kind::Word {
            self.text(" ");
        }
    }

    fn flat_block(&mut self, statements: &[Statement]) {
        match statements {
            [Statement::Expr { expr, .. }] => {
                self.text("{ ");
                self.flat(expr);
                self.text(" }");
            }
            _ => self.text("{}"),
        }
    }

    pub(super) fn flat_list(&mut self, list: &List) {
        if let Some(callee) = &list.callee {
            self.flat(callee);
        }
        self.flat_arguments(list);
    }

    /// A list without its callee, on one line.
    pub(super) fn flat_arguments(&mut self, list: &List) {
        self.token(list.open);
        for (index, item) in list.items.iter().enumerate() {
            if index > 0 {
                self.text(list.separator);
                self.text(" ");
            }
            self.flat(item);
        }
        if list.comma {
            self.text(",");
        }
        self.token(self.tokens.mate(list.open));
    }

    pub(super) fn flat_link(&mut self, link: &Link) {
        self.run(link.name);
        if let Some(call) = &link.call {
            self.flat_list(call);
        }
        self.tries(link.tries);
    }

    pub(super) fn tries(&mut self, tries: u32) {
        for _ in 0..tries {
            self.text("?");
        }
    }

    /// The value of a head that has been written up to its `=`, beside it or
    /// below.
    pub(super) fn value(&mut self, value: &Expr, room: Room) -> bool {
        if self.fits(value, room.less(1)) {
            self.text(" ");
            self.flat(value);
            return true;
        }
        let start = self.mark();
        self.text(" ");
        let is_beside = self.expr(value, room);
        if is_beside && !may_go_below(value) {
            return true;
        }
        let beside = self.since(start).to_owned();
        let beside_column = self.column;
        self.back_to(start);
        self.newline(room.indent + STEP);
        let below_start = self.mark();
        let below = Room {
            indent: room.indent + STEP,
            limit: room.limit,
        };
        let is_below = self.expr(value, below);
        let below = self.since(below_start);
        if is_below && (!is_beside || is_better_below(beside.trim_start(), below)) {
            return true;
        }
        self.back_to(start);
        self.out.push_str(&beside);
        self.column = beside_column;
        is_beside
    }

    fn structure(&mut self, path: Run, fields: &[StructField], room: Room) -> bool {
        self.run(path);
        self.text(" {");
        let inner = room.inner(1);
        for field in fields {
            self.newline(inner.indent);
            self.attributes(&field.attributes, inner.indent);
            self.run(field.head);
            if let Some(value) = &field.value {
                self.value(value, inner);
            }
            // A rest has no comma after it.
            if self.tokens.text(field.head.start) != ".." {
                self.text(",");
            }
        }
        self.newline(room.indent);
        self.text("}");
        self.column <= room.limit
    }

    fn binary(&mut self, operands: &[(Option<Run>, Expr)], tight: bool, room: Room) -> bool {
        let mut fits = true;
        let last = operands.len() - 1;
        for (index, (operator, operand)) in operands.iter().enumerate() {
            if let Some(operator) = operator {
                if !tight {
                    self.newline(room.indent + STEP);
                }
                self.run(*operator);
                if !tight {
                    self.text(" ");
                }
            }
            let limit = if index == last { room.limit } else { LINE_MAX };
            let indent = room.indent + if index == 0 { 0 } else { STEP };
            fits &= self.expr(operand, Room { indent, limit });
        }
        fits
    }
}

/// Whether a value that takes several lines might look better below its head.
fn may_go_below(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::List(_) | ExprKind::Chain { .. } | ExprKind::Binary { .. } => true,
        ExprKind::Unary { operand, .. } => may_go_below(operand),
        ExprKind::Cast { value, .. } => may_go_below(value),
        _ => false,
    }
}
