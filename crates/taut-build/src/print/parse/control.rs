//! Blocks, closures, `match` and `if`.

use super::super::tree::{Arm, Expr, ExprKind, Run, Statement};
use super::Parser;

impl Parser<'_> {
    pub(super) fn closure(&mut self) -> Expr {
        let moves = self.eat("move");
        let start = self.position;
        let parameters = if self.eat("||") {
            self.run(start, start)
        } else {
            self.eat("|");
            let start = self.position;
            self.skip_until(&["|"]);
            self.eat("|");
            self.run(start, self.position - 1)
        };
        let body = Box::new(unwrapped(self.expr()));
        self.made(ExprKind::Closure {
            moves,
            parameters,
            body,
        })
    }

    pub(super) fn match_expr(&mut self) -> Expr {
        self.position += 1;
        let value = Box::new(self.binary(1, false));
        let mut inside = self.inside(self.position);
        self.skip();
        let mut arms = Vec::new();
        while !inside.is_at_end() {
            let attributes = inside.attributes();
            let start = inside.position;
            while !inside.is_at_end() && inside.peek() != "=>" {
                inside.skip();
            }
            let pattern = inside.run(start, inside.position);
            inside.eat("=>");
            // As in a statement, no operator goes on after a block.
            let body = unwrapped(inside.statement_expr());
            inside.eat(",");
            arms.push(Arm {
                attributes,
                pattern,
                body,
            });
        }
        self.made(ExprKind::Match { value, arms })
    }

    pub(super) fn if_expr(&mut self) -> Expr {
        self.position += 1;
        let condition = Box::new(self.assignment(false));
        let then = self.inside(self.position).statements();
        self.skip();
        let otherwise = self.eat("else").then(|| {
            Box::new(if self.peek() == "if" {
                self.if_expr()
            } else {
                self.block_expr(None)
            })
        });
        self.made(ExprKind::If {
            condition,
            then,
            otherwise,
        })
    }

    pub(super) fn block_expr(&mut self, head: Option<Run>) -> Expr {
        let statements = self.inside(self.position).statements();
        self.skip();
        self.made(ExprKind::Block { head, statements })
    }
}

/// The expression of a block that has nothing else in it: where a closure or an
/// arm has its body, the layout decides on the braces.
fn unwrapped(expr: Expr) -> Expr {
    let is_single = matches!(
        &expr.kind,
        ExprKind::Block { head: None, statements }
            if matches!(statements.as_slice(), [Statement::Expr { semicolon: false, .. }])
    );
    match expr.kind {
        ExprKind::Block { mut statements, .. } if is_single => match statements.pop() {
            Some(Statement::Expr { expr, .. }) => expr,
            // It has just been looked at.
            _ => Expr {
                kind: ExprKind::Block {
                    head: None,
                    statements,
                },
                flat: None,
            },
        },
        _ => expr,
    }
}
