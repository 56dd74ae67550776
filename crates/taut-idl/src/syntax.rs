//! The syntax tree: what the parser found, before any name means anything.

pub(crate) mod component;
pub(crate) mod template;

use arcstr::ArcStr;
use smallvec::SmallVec;

use crate::lex::{Docs, Punctuation};
use crate::model::{InterfaceKind, List, ParameterMode, Primitive, Type, ValueKind, Visibility};
use crate::number::Decimal;
use crate::source::Span;
use component::{Home, Port, Ported, PortedKind};
use template::{Instance, Template};

/// The comment and the annotations that precede a construct.
#[derive(Debug, Clone, Default)]
pub(crate) struct Preface {
    /// The comment.
    pub(crate) docs: Docs,
    pub(crate) annotations: List<Annotation>,
}

#[derive(Debug, Clone)]
pub(crate) struct Annotation {
    pub(crate) name: ArcStr,
    pub(crate) span: Span,
    pub(crate) arguments: Vec<(Option<Name>, Expression)>,
}

/// A name, without its escaping underscore.
#[derive(Debug, Clone)]
pub(crate) struct Name {
    pub(crate) text: ArcStr,
    pub(crate) span: Span,
}

/// `A::B` or `::A::B`; it has at least one part.
#[derive(Debug, Clone)]
pub(crate) struct ScopedName {
    pub(crate) absolute: bool,
    /// Most have one, which needs no memory of its own.
    pub(crate) parts: SmallVec<[Name; 1]>,
    pub(crate) span: Span,
}

impl ScopedName {
    pub(crate) fn to_text(&self) -> String {
        let parts: Vec<&str> = self.parts.iter().map(|part| &*part.text).collect();
        format!(
            "{}{}",
            if self.absolute { "::" } else { "" },
            parts.join("::")
        )
    }
}

/// A directive that concerns the definitions that follow.
#[derive(Debug, Clone)]
pub(crate) enum Directive {
    /// An included file starts. The number pairs it with its end.
    EnterFile {
        inclusion: usize,
        by_marker: bool,
    },
    LeaveFile {
        inclusion: usize,
        by_marker: bool,
    },
    /// `#pragma prefix`
    Prefix {
        prefix: String,
        span: Span,
    },
    /// `#pragma ID`
    Id {
        name: ScopedName,
        id: String,
        span: Span,
    },
    /// `#pragma version`, as it is written
    Version {
        name: ScopedName,
        version: String,
        span: Span,
    },
}

/// An item at file scope, in a module or in an interface.
#[derive(Debug, Clone)]
pub(crate) enum Item {
    Definition(Definition),
    Directive(Directive),
}

#[derive(Debug, Clone)]
pub(crate) struct Definition {
    pub(crate) preface: Preface,
    pub(crate) kind: DefinitionKind,
}

/// Large variants are boxed, as each kind takes as much room as the largest.
#[derive(Debug, Clone)]
pub(crate) enum DefinitionKind {
    Module {
        name: Name,
        items: Vec<Item>,
    },
    InterfaceDeclaration {
        kind: InterfaceKind,
        name: Name,
    },
    Interface {
        kind: InterfaceKind,
        name: Name,
        bases: Vec<ScopedName>,
        items: Vec<Item>,
    },
    StructDeclaration(Name),
    Struct(Box<Struct>),
    UnionDeclaration(Name),
    Union(Box<Union>),
    Exception(Box<Struct>),
    Enum(Enum),
    Typedef {
        ty: TypeSpec,
        declarators: Vec<Declarator>,
    },
    Constant {
        ty: TypeSpec,
        name: Name,
        value: Box<Expression>,
    },
    Operation(Box<Operation>),
    Attribute(Box<Attribute>),
    ValueDeclaration {
        name: Name,
        is_abstract: bool,
        is_event: bool,
    },
    Value(Box<Value>),
    ValueBox {
        name: Name,
        ty: TypeSpec,
    },
    /// Of a value type.
    State {
        visibility: Visibility,
        /// Where the visibility stands.
        span: Span,
        members: Box<Members>,
    },
    /// Of a value type or a home.
    Factory(Factory),
    /// Of a home.
    Finder(Factory),
    /// A component or a port type.
    PortedDeclaration {
        kind: PortedKind,
        name: Name,
    },
    Ported(Box<Ported>),
    Home(Box<Home>),
    Port(Port),
    Template(Box<Template>),
    Instance(Box<Instance>),
    Native(Name),
    TypeId {
        name: ScopedName,
        id: String,
        span: Span,
    },
    TypePrefix {
        name: ScopedName,
        prefix: String,
        span: Span,
    },
    Import {
        imported: Imported,
        span: Span,
    },
    Bitset(Box<Bitset>),
    Bitmask(Bitmask),
    /// Names whose definition was rejected: using them is no further error.
    Poisoned(Vec<Name>),
}

/// A value type that is no box.
#[derive(Debug, Clone)]
pub(crate) struct Value {
    pub(crate) name: Name,
    pub(crate) kind: ValueKind,
    pub(crate) is_event: bool,
    /// Where `truncatable` stands.
    pub(crate) truncatable: Option<Span>,
    pub(crate) bases: Vec<ScopedName>,
    pub(crate) supports: Vec<ScopedName>,
    pub(crate) items: Vec<Item>,
}

#[derive(Debug, Clone)]
pub(crate) struct Factory {
    pub(crate) name: Name,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) raises: Vec<ScopedName>,
}

/// The name or the repository id that follows `import`.
#[derive(Debug, Clone)]
pub(crate) enum Imported {
    Name(ScopedName),
    RepositoryId(String),
}

#[derive(Debug, Clone)]
pub(crate) struct Bitset {
    pub(crate) name: Name,
    pub(crate) preface: Preface,
    pub(crate) base: Option<ScopedName>,
    pub(crate) fields: Vec<Bitfields>,
}

/// Bit fields that share a width.
#[derive(Debug, Clone)]
pub(crate) struct Bitfields {
    pub(crate) preface: Preface,
    pub(crate) span: Span,
    pub(crate) width: Expression,
    pub(crate) ty: Option<TypeSpec>,
    /// Possibly none.
    pub(crate) names: Vec<Name>,
}

#[derive(Debug, Clone)]
pub(crate) struct Bitmask {
    pub(crate) name: Name,
    pub(crate) preface: Preface,
    pub(crate) flags: Vec<(Name, Preface)>,
}

/// A struct or an exception.
#[derive(Debug, Clone)]
pub(crate) struct Struct {
    pub(crate) name: Name,
    pub(crate) preface: Preface,
    /// Of a struct that inherits.
    pub(crate) base: Option<ScopedName>,
    pub(crate) members: Vec<Members>,
}

/// Members that share a type.
#[derive(Debug, Clone)]
pub(crate) struct Members {
    pub(crate) preface: Preface,
    pub(crate) ty: TypeSpec,
    pub(crate) declarators: Vec<Declarator>,
}

#[derive(Debug, Clone)]
pub(crate) struct Union {
    pub(crate) name: Name,
    pub(crate) preface: Preface,
    pub(crate) discriminator: TypeSpec,
    pub(crate) branches: Vec<Branch>,
}

/// A branch of a union.
#[derive(Debug, Clone)]
pub(crate) struct Branch {
    pub(crate) preface: Preface,
    /// At least one.
    pub(crate) labels: Vec<Label>,
    pub(crate) ty: TypeSpec,
    pub(crate) declarator: Declarator,
}

#[derive(Debug, Clone)]
pub(crate) enum Label {
    Case(Expression),
    /// Where `default` stands.
    Default(Span),
}

#[derive(Debug, Clone)]
pub(crate) struct Enum {
    pub(crate) name: Name,
    pub(crate) preface: Preface,
    pub(crate) enumerators: Vec<(Name, Preface)>,
}

#[derive(Debug, Clone)]
pub(crate) struct Declarator {
    pub(crate) name: Name,
    pub(crate) dimensions: Vec<Expression>,
}

#[derive(Debug, Clone)]
pub(crate) struct Operation {
    /// Where `oneway` stands.
    pub(crate) oneway: Option<Span>,
    /// None for `void`.
    pub(crate) result: Option<TypeSpec>,
    pub(crate) name: Name,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) raises: Vec<ScopedName>,
    pub(crate) context: Vec<ArcStr>,
}

#[derive(Debug, Clone)]
pub(crate) struct Parameter {
    pub(crate) annotations: Vec<Annotation>,
    pub(crate) mode: ParameterMode,
    pub(crate) mode_span: Span,
    pub(crate) ty: TypeSpec,
    pub(crate) name: Name,
}

#[derive(Debug, Clone)]
pub(crate) struct Attribute {
    pub(crate) readonly: bool,
    pub(crate) ty: TypeSpec,
    pub(crate) names: Vec<Name>,
    pub(crate) get_raises: Vec<ScopedName>,
    pub(crate) set_raises: Vec<ScopedName>,
}

#[derive(Debug, Clone)]
pub(crate) struct TypeSpec {
    pub(crate) kind: TypeKind,
    pub(crate) span: Span,
}

#[derive(Debug, Clone)]
pub(crate) enum TypeKind {
    Primitive(Primitive),
    String(Option<Box<Expression>>),
    Sequence {
        element: Box<TypeSpec>,
        bound: Option<Box<Expression>>,
    },
    WString(Option<Box<Expression>>),
    /// `fixed`, with its digits and its scale unless it stands in a constant.
    Fixed(Option<Box<(Expression, Expression)>>),
    Map {
        key: Box<TypeSpec>,
        value: Box<TypeSpec>,
        bound: Option<Box<Expression>>,
    },
    /// A type that needs no more words.
    Plain(Type),
    Scoped(Box<ScopedName>),
    Struct(Box<Struct>),
    Union(Box<Union>),
    Enum(Box<Enum>),
    /// A type that was rejected already.
    Poisoned,
}

#[derive(Debug, Clone)]
pub(crate) struct Expression {
    pub(crate) kind: ExpressionKind,
    pub(crate) span: Span,
}

#[derive(Debug, Clone)]
pub(crate) enum ExpressionKind {
    Integer(u64),
    /// As it is written, in lower case.
    Floating(ArcStr),
    Fixed(Box<Decimal>),
    Boolean(bool),
    Character(u8),
    WideCharacter(u16),
    String(ArcStr),
    WideString(ArcStr),
    Name(Box<ScopedName>),
    Unary {
        operator: Punctuation,
        operand: Box<Expression>,
    },
    /// Operators of one precedence, from left to right. A chain rather than a
    /// tree, so that a long sum is not a deep one.
    Binary {
        first: Box<Expression>,
        rest: Vec<(Punctuation, Span, Expression)>,
    },
    /// An expression that was rejected already.
    Poisoned,
}
