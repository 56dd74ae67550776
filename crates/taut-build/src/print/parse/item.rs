//! Items, their fields, and the statements of functions.

use super::super::token::Kind;
use super::super::tree::{Expr, ExprKind, Field, Function, Item, ItemKind, Run, Statement};
use super::Parser;

impl Parser<'_> {
    pub(super) fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while !self.is_at_end() {
            items.push(self.item());
        }
        items
    }

    fn item(&mut self) -> Item {
        let attributes = self.attributes();
        let start = self.position;
        self.eat("pub");
        let keyword = self.peek();
        let defines = matches!(
            keyword,
            "mod" | "struct" | "enum" | "trait" | "const" | "static" | "type" | "fn" | "impl"
        );
        let kind = match keyword {
            "mod" | "trait" | "impl" => self.block(start),
            "struct" | "enum" => self.fields_item(start),
            "fn" => self.function(start),
            "const" | "static" => self.value(start),
            "type" | "use" => self.plain(start),
            _ => self.macro_item(start),
        };
        let implements = match &kind {
            ItemKind::Block { head, .. } => keyword == "impl" && self.has_for(*head),
            _ => false,
        };
        Item {
            attributes,
            kind,
            defines: defines && !implements,
        }
    }

    fn has_for(&self, head: Run) -> bool {
        (head.start..head.end).any(|index| self.tokens.text(index) == "for")
    }

    fn block(&mut self, start: usize) -> ItemKind {
        self.skip_until(&["{", ";"]);
        if !self.is_open("{") {
            return self.plain(start);
        }
        let head = self.run(start, self.position);
        let items = self.inside(self.position).items();
        self.skip();
        ItemKind::Block { head, items }
    }

    fn fields_item(&mut self, start: usize) -> ItemKind {
        self.skip_until(&["{", ";"]);
        if !self.is_open("{") {
            return self.plain(start);
        }
        let head = self.run(start, self.position);
        let fields = self.inside(self.position).fields();
        self.skip();
        ItemKind::Fields { head, fields }
    }

    fn fields(&mut self) -> Vec<Field> {
        let mut fields = Vec::new();
        while !self.is_at_end() {
            let attributes = self.attributes();
            let start = self.position;
            self.skip_until(&[",", "{"]);
            let head = self.run(start, self.position);
            let named = self.is_open("{").then(|| {
                let fields = self.inside(self.position).fields();
                self.skip();
                fields
            });
            // A discriminant after the fields has no place here.
            self.eat(",");
            fields.push(Field {
                attributes,
                head,
                fields: named,
            });
        }
        fields
    }

    fn function(&mut self, start: usize) -> ItemKind {
        self.skip_until(&["(", "{", ";"]);
        if !self.is_open("(") {
            return self.plain(start);
        }
        let open = self.position;
        let head = self.run(start, open + 1);
        let parameters = self.inside(open).runs();
        self.skip();
        let close = self.position - 1;
        self.skip_until(&["{", ";"]);
        let tail = self.run(close, self.position);
        let body = self.is_open("{").then(|| {
            let statements = self.inside(self.position).statements();
            self.skip();
            statements
        });
        if body.is_none() {
            self.eat(";");
        }
        ItemKind::Function(Function {
            head,
            parameters,
            tail,
            body,
        })
    }

    /// Runs with commas between them.
    pub(super) fn runs(&mut self) -> Vec<Run> {
        let mut runs = Vec::new();
        while !self.is_at_end() {
            let start = self.position;
            self.skip_until(&[","]);
            runs.push(self.run(start, self.position));
            self.eat(",");
        }
        runs
    }

    /// Parses an item that has a value: `const`, `static` and `let`.
    fn value(&mut self, start: usize) -> ItemKind {
        self.skip_until(&["=", ";"]);
        let head = self.run(start, self.position);
        let value = self.eat("=").then(|| self.expr());
        if !matches!(self.peek(), ";" | "") {
            return self.plain(start);
        }
        self.eat(";");
        ItemKind::Value { head, value }
    }

    fn plain(&mut self, start: usize) -> ItemKind {
        self.skip_until(&[";"]);
        let run = self.run(start, self.position);
        self.eat(";");
        ItemKind::Plain(run)
    }

    fn macro_item(&mut self, start: usize) -> ItemKind {
        self.skip_until(&["{", ";"]);
        if !self.is_open("{") {
            return self.plain(start);
        }
        let head = self.run(start, self.position);
        let open = self.position;
        self.skip();
        let content = self.run(open + 1, self.position - 1);
        ItemKind::Macro { head, content }
    }

    pub(super) fn statements(&mut self) -> Vec<Statement> {
        let mut statements = Vec::new();
        while !self.is_at_end() {
            let is_item = match self.kind() {
                Some(Kind::Doc) => true,
                Some(Kind::Mark) => self.peek() == "#",
                _ => matches!(
                    self.peek(),
                    "let" | "static" | "const" | "use" | "fn" | "struct" | "enum" | "impl"
                ),
            };
            statements.push(if is_item {
                self.item_statement()
            } else {
                self.expr_statement()
            });
        }
        statements
    }

    fn item_statement(&mut self) -> Statement {
        let before = self.position;
        let attributes = self.attributes();
        if self.peek() != "let" {
            self.position = before;
            return Statement::Item(self.item());
        }
        let start = self.position;
        let kind = self.value(start);
        Statement::Item(Item {
            attributes,
            kind,
            defines: false,
        })
    }

    fn expr_statement(&mut self) -> Statement {
        let expr = self.statement_expr();
        let semicolon = self.eat(";");
        if !semicolon && !self.is_at_end() && !is_block_like(&expr) {
            // Not understood: all to the semicolon as it comes.
            let start = self.position;
            self.skip_until(&[";"]);
            let rest = self.run(start, self.position);
            let semicolon = self.eat(";");
            return Statement::Expr {
                expr: Expr {
                    flat: Some(rest.width),
                    kind: ExprKind::Run(rest),
                },
                semicolon,
            };
        }
        Statement::Expr { expr, semicolon }
    }
}

/// Whether an expression is a statement without a semicolon.
pub(super) fn is_block_like(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Match { .. } | ExprKind::If { .. } | ExprKind::Block { .. }
    )
}
