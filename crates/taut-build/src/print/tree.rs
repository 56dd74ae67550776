//! The structure that the printer sees in the tokens: as much of Rust as its layout needs.

/// Tokens from the first to before the second, laid out by their kinds alone:
/// types, patterns, paths, what macros are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) start: usize,
    pub(super) end: usize,
    /// In columns, on one line.
    pub(super) width: u32,
}

#[derive(Debug)]
pub(super) struct Item {
    pub(super) attributes: Vec<Attribute>,
    pub(super) kind: ItemKind,
    /// Whether it defines something, as `impl Trait for Type` and macros do not.
    pub(super) defines: bool,
}

impl Item {
    /// Whether it takes one line that may stand close to others.
    pub(super) fn is_close(&self) -> bool {
        self.attributes.is_empty() && matches!(self.kind, ItemKind::Plain(_))
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Attribute {
    /// A comment: its token.
    Doc(usize),
    /// All of `#[..]`.
    Plain(Run),
}

#[derive(Debug)]
pub(super) enum ItemKind {
    /// `mod`, `trait` and `impl`: a head and items in braces.
    Block {
        head: Run,
        items: Vec<Item>,
    },
    /// A struct with named fields, or an enum.
    Fields {
        head: Run,
        fields: Vec<Field>,
    },
    Function(Function),
    /// `const`, `static` or `let`: what stands before `=`, and the value.
    Value {
        head: Run,
        value: Option<Expr>,
    },
    /// A macro with braces: the path with `!`, and what it is given.
    Macro {
        head: Run,
        content: Run,
    },
    /// Anything else that ends with a semicolon, which is not in the run.
    Plain(Run),
}

#[derive(Debug)]
pub(super) struct Function {
    /// Up to the opening parenthesis, which is in it.
    pub(super) head: Run,
    pub(super) parameters: Vec<Run>,
    /// From the closing parenthesis on.
    pub(super) tail: Run,
    pub(super) body: Option<Vec<Statement>>,
}

/// A field of a struct, or a variant of an enum.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) attributes: Vec<Attribute>,
    pub(super) head: Run,
    /// The fields of a variant that has some with names.
    pub(super) fields: Option<Vec<Field>>,
}

#[derive(Debug)]
pub(super) enum Statement {
    Item(Item),
    Expr { expr: Expr, semicolon: bool },
}

#[derive(Debug)]
pub(super) struct Expr {
    pub(super) kind: ExprKind,
    /// In columns, where it may stand on one line.
    pub(super) flat: Option<u32>,
}

#[derive(Debug)]
pub(super) enum ExprKind {
    Run(Run),
    /// `f(..)`, `m!(..)`, `m![..]`, `(..)`, `[..]`.
    List(List),
    /// `a.b(..).c?`
    Chain {
        head: Box<Expr>,
        /// How many `?` follow the head itself.
        tries: u32,
        links: Vec<Link>,
    },
    Struct {
        path: Run,
        fields: Vec<StructField>,
    },
    /// A prefix operator.
    Unary {
        operator: Run,
        operand: Box<Expr>,
    },
    /// Operands of operators of one strength: each but the first with its own.
    Binary {
        operands: Vec<(Option<Run>, Expr)>,
        /// Whether no blanks stand beside the operators.
        tight: bool,
    },
    /// `a as T`
    Cast {
        value: Box<Expr>,
        ty: Run,
    },
    Closure {
        moves: bool,
        /// The tokens between the bars.
        parameters: Run,
        body: Box<Expr>,
    },
    Match {
        value: Box<Expr>,
        arms: Vec<Arm>,
    },
    If {
        condition: Box<Expr>,
        then: Vec<Statement>,
        otherwise: Option<Box<Expr>>,
    },
    /// The tokens before it (`loop`, `while a`, `unsafe`), and the block.
    Block {
        head: Option<Run>,
        statements: Vec<Statement>,
    },
    /// `return a`, `a = b`, `let a = b`: what stands before, and the value.
    Assign {
        head: Run,
        value: Box<Expr>,
    },
}

#[derive(Debug)]
pub(super) struct List {
    /// The expression before the opening delimiter.
    pub(super) callee: Option<Box<Expr>>,
    /// Whether these are arguments, be it of a callee or of a chain's link.
    pub(super) is_call: bool,
    pub(super) open: usize,
    pub(super) items: Vec<Expr>,
    /// The separator of the items: `,`, but `;` in `[x; n]`.
    pub(super) separator: &'static str,
    /// Whether a comma has to follow the last item: `(a,)`, `a_macro!(b,)`.
    pub(super) comma: bool,
    /// Whether a comma may follow the last of several lines.
    pub(super) may_trail: bool,
}

/// A part of a chain: a field or a call, and the `?` after it.
#[derive(Debug)]
pub(super) struct Link {
    /// `.name` with generic arguments.
    pub(super) name: Run,
    pub(super) call: Option<List>,
    pub(super) tries: u32,
    pub(super) flat: Option<u32>,
}

#[derive(Debug)]
pub(super) struct StructField {
    pub(super) attributes: Vec<Attribute>,
    /// The name with its colon, or all there is.
    pub(super) head: Run,
    pub(super) value: Option<Expr>,
}

#[derive(Debug)]
pub(super) struct Arm {
    pub(super) attributes: Vec<Attribute>,
    pub(super) pattern: Run,
    pub(super) body: Expr,
}
