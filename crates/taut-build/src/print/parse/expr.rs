//! Expressions.

use super::super::token::Kind;
use super::super::tree::{Expr, ExprKind, Link, List, Run, StructField};
use super::Parser;
use super::item::is_block_like;

/// How strongly `as` binds.
const CAST: u8 = 11;
/// How strongly `..` binds.
const RANGE: u8 = 1;

impl Parser<'_> {
    /// An expression up to what cannot go on with it.
    pub(super) fn expr(&mut self) -> Expr {
        self.assignment(true)
    }

    /// An expression that is a statement: nothing goes on after its block.
    pub(super) fn statement_expr(&mut self) -> Expr {
        let is_block =
            self.is_open("{") || matches!(self.peek(), "match" | "if" | "loop" | "while" | "for");
        if is_block {
            let expr = self.primary(true);
            if is_block_like(&expr) && !matches!(self.peek(), "." | "?") {
                return expr;
            }
            return self.postfix(expr);
        }
        self.expr()
    }

    pub(super) fn made(&self, kind: ExprKind) -> Expr {
        super::measure::measured(kind)
    }

    fn run_expr(&self, start: usize) -> Expr {
        self.made(ExprKind::Run(self.run(start, self.position)))
    }

    pub(super) fn assignment(&mut self, structs: bool) -> Expr {
        let start = self.position;
        let is_prefix =
            matches!(self.peek(), "return" | "break" | "let") && self.kind() == Some(Kind::Word);
        if is_prefix {
            let keyword = self.peek();
            self.position += 1;
            if keyword == "let" {
                self.skip_until(&["="]);
                self.eat("=");
            }
            if self.is_at_end() || matches!(self.peek(), "," | ";") {
                return self.run_expr(start);
            }
            let head = self.run(start, self.position);
            let value = Box::new(self.binary(1, structs));
            return self.made(ExprKind::Assign { head, value });
        }
        let target = self.binary(1, structs);
        if matches!(self.peek(), "=" | "+=" | "-=" | "|=" | "&=" | "*=")
            && self.kind() == Some(Kind::Mark)
        {
            self.position += 1;
            let head = self.run(start, self.position);
            let value = Box::new(self.assignment(structs));
            return self.made(ExprKind::Assign { head, value });
        }
        target
    }

    /// The operator that comes, its strength and how many tokens it has.
    fn operator(&self) -> Option<(u8, usize)> {
        if self.kind() == Some(Kind::Word) {
            return (self.peek() == "as").then_some((CAST, 1));
        }
        if self.kind() != Some(Kind::Mark) {
            return None;
        }
        Some(match (self.peek(), self.peek_at(1)) {
            ("<", "<") | (">", ">") => (8, 2),
            (".." | "..=", _) => (RANGE, 1),
            ("||", _) => (2, 1),
            ("&&", _) => (3, 1),
            ("==" | "!=" | "<" | ">" | "<=" | ">=", _) => (4, 1),
            ("|", _) => (5, 1),
            ("^", _) => (6, 1),
            ("&", _) => (7, 1),
            ("+" | "-", _) => (9, 1),
            ("*" | "/" | "%", _) => (10, 1),
            _ => return None,
        })
    }

    pub(super) fn binary(&mut self, least: u8, structs: bool) -> Expr {
        let mut first = self.unary(structs);
        while let Some((strength, length)) = self.operator() {
            if strength < least {
                break;
            }
            let start = self.position;
            self.position += length;
            if strength == CAST {
                let ty = self.ty();
                first = self.made(ExprKind::Cast {
                    value: Box::new(first),
                    ty,
                });
                continue;
            }
            let mut operands = vec![(None, first)];
            let operator = self.run(start, self.position);
            operands.push((Some(operator), self.binary(strength + 1, structs)));
            while let Some((again, length)) = self.operator()
                && again == strength
            {
                let start = self.position;
                self.position += length;
                let operator = self.run(start, self.position);
                operands.push((Some(operator), self.binary(strength + 1, structs)));
            }
            first = self.made(ExprKind::Binary {
                operands,
                tight: strength == RANGE,
            });
        }
        first
    }

    fn ty(&mut self) -> Run {
        let start = self.position;
        while matches!(self.peek(), "&" | "*" | "mut" | "const" | "dyn")
            || self.kind() == Some(Kind::Lifetime)
        {
            self.position += 1;
        }
        if self.kind() == Some(Kind::Open) {
            self.skip();
        } else {
            self.path();
        }
        self.run(start, self.position)
    }

    /// Goes over a path; generic arguments follow `::` or, as a type's, a name.
    fn path(&mut self) {
        if self.peek() == "<" {
            self.skip_generics();
        }
        loop {
            match self.kind() {
                Some(Kind::Mark) if self.peek() == "::" => {
                    self.position += 1;
                    self.skip_generics();
                }
                Some(Kind::Word) => {
                    self.position += 1;
                    if self.peek() != "::" {
                        return;
                    }
                }
                _ => return,
            }
        }
    }

    fn unary(&mut self, structs: bool) -> Expr {
        let start = self.position;
        while self.kind() == Some(Kind::Mark) && matches!(self.peek(), "&" | "&&" | "*" | "-" | "!")
        {
            self.position += 1;
            self.eat("mut");
        }
        let end = self.position;
        let primary = self.primary(structs);
        let operand = self.postfix(primary);
        if end == start {
            return operand;
        }
        let mut unary = self.made(ExprKind::Unary {
            operator: self.run(start, end),
            operand: Box::new(operand),
        });
        if self.tokens.get(end - 1).kind == Kind::Word {
            unary.flat = unary.flat.map(|flat| flat + 1);
        }
        unary
    }

    fn postfix(&mut self, first: Expr) -> Expr {
        let mut expr = first;
        let mut tries = 0;
        let mut links: Vec<Link> = Vec::new();
        loop {
            if self.kind() == Some(Kind::Mark) && self.peek() == "?" {
                self.position += 1;
                match links.last_mut() {
                    Some(link) => {
                        link.tries += 1;
                        link.flat = link.flat.map(|flat| flat + 1);
                    }
                    None => tries += 1,
                }
            } else if self.kind() == Some(Kind::Mark) && self.peek() == "." {
                links.push(self.link());
            } else if self.is_open("(") || self.is_open("[") {
                expr = self.chain(expr, tries, links);
                (tries, links) = (0, Vec::new());
                expr = self.list(Some(expr));
            } else {
                return self.chain(expr, tries, links);
            }
        }
    }

    fn chain(&self, head: Expr, tries: u32, links: Vec<Link>) -> Expr {
        if tries == 0 && links.is_empty() {
            return head;
        }
        self.made(ExprKind::Chain {
            head: Box::new(head),
            tries,
            links,
        })
    }

    fn link(&mut self) -> Link {
        let start = self.position;
        self.position += 2;
        if self.peek() == "::" {
            self.position += 1;
            self.skip_generics();
        }
        let name = self.run(start, self.position.min(self.end));
        let call = self.is_open("(").then(|| self.delimited(None, true));
        let flat = match &call {
            Some(call) => super::measure::list(call).map(|flat| flat + name.width),
            None => Some(name.width),
        };
        Link {
            name,
            call,
            tries: 0,
            flat,
        }
    }

    fn list(&mut self, callee: Option<Expr>) -> Expr {
        let is_call = callee.is_some();
        let list = self.delimited(callee, is_call);
        self.made(ExprKind::List(list))
    }

    /// The arguments of a macro. The comma after the last argument is the macro's
    /// affair: it stays if it is there, and does not come in if not.
    fn macro_list(&mut self, path: Expr) -> Expr {
        let start = self.position;
        let is_vec = self.tokens.text(start - 2) == "vec";
        let mut list = self.delimited(Some(path), true);
        let close = self.position - 1;
        let has_comma = start + 1 < close && self.tokens.text(close - 1) == ",";
        if !is_vec {
            (list.comma, list.may_trail) = (has_comma, has_comma);
        }
        self.made(ExprKind::List(list))
    }

    /// Whether what is in the group that comes has commas or semicolons between its
    /// parts, but not both: only then it is a list.
    fn has_one_separator(&self) -> bool {
        let mut inside = self.inside(self.position);
        let mut found = "";
        while !inside.is_at_end() {
            inside.skip_until(&[",", ";"]);
            let mark = inside.peek();
            if !mark.is_empty() && !found.is_empty() && mark != found {
                return false;
            }
            found = mark;
            inside.skip();
        }
        true
    }

    /// A group of expressions.
    fn delimited(&mut self, callee: Option<Expr>, is_call: bool) -> List {
        let open = self.position;
        let mut inside = self.inside(open);
        self.skip();
        let mut list = List {
            callee: callee.map(Box::new),
            is_call,
            open,
            items: Vec::new(),
            separator: ",",
            comma: false,
            may_trail: true,
        };
        while !inside.is_at_end() {
            let start = inside.position;
            let mut item = inside.expr();
            if !matches!(inside.peek(), "," | ";" | "") {
                // Not understood: all of it as it comes.
                inside.position = start;
                inside.skip_until(&[",", ";"]);
                item = inside.run_expr(start);
            }
            list.items.push(item);
            if inside.peek() == ";" {
                list.separator = ";";
                list.may_trail = false;
            }
            let has_comma = inside.eat(",") || inside.eat(";");
            list.comma = has_comma && inside.is_at_end();
        }
        let is_group = !is_call && self.tokens.text(open) == "(" && list.items.len() == 1;
        list.comma &= is_group;
        list.may_trail &= !is_group || list.comma;
        list
    }

    fn primary(&mut self, structs: bool) -> Expr {
        let start = self.position;
        match (self.kind(), self.peek()) {
            (Some(Kind::Open), "{") => self.block_expr(None),
            (Some(Kind::Open), _) => self.list(None),
            (Some(Kind::Literal), _) => {
                self.position += 1;
                self.run_expr(start)
            }
            (Some(Kind::Mark), "|" | "||") | (Some(Kind::Word), "move") => self.closure(),
            (Some(Kind::Word), "match") => self.match_expr(),
            (Some(Kind::Word), "if") => self.if_expr(),
            (Some(Kind::Word), "loop" | "while" | "for" | "unsafe") => {
                while !self.is_at_end() && !self.is_open("{") {
                    self.skip();
                }
                let head = self.run(start, self.position);
                self.block_expr(Some(head))
            }
            (Some(Kind::Word), _) | (Some(Kind::Mark), "::" | "<") => self.path_expr(structs),
            _ => self.run_expr(start),
        }
    }

    fn path_expr(&mut self, structs: bool) -> Expr {
        let start = self.position;
        self.path();
        if self.kind() == Some(Kind::Mark) && self.peek() == "!" {
            self.position += 1;
            let path = self.run_expr(start);
            if (self.is_open("(") || self.is_open("[")) && self.has_one_separator() {
                return self.macro_list(path);
            }
            self.skip();
            return self.run_expr(start);
        }
        let last = self.tokens.text(self.position - 1);
        if structs && self.is_open("{") && last.starts_with(|first: char| first.is_uppercase()) {
            return self.struct_expr(start);
        }
        self.run_expr(start)
    }

    fn struct_expr(&mut self, start: usize) -> Expr {
        let path = self.run(start, self.position);
        let mut inside = self.inside(self.position);
        self.skip();
        let mut fields = Vec::new();
        while !inside.is_at_end() {
            let attributes = inside.attributes();
            let start = inside.position;
            if inside.peek_at(1) != ":" {
                inside.skip_until(&[","]);
                let head = inside.run(start, inside.position);
                inside.eat(",");
                fields.push(StructField {
                    attributes,
                    head,
                    value: None,
                });
                continue;
            }
            inside.position += 2;
            let head = inside.run(start, inside.position);
            let value = inside.expr();
            inside.eat(",");
            fields.push(StructField {
                attributes,
                head,
                value: Some(value),
            });
        }
        self.made(ExprKind::Struct { path, fields })
    }
}
