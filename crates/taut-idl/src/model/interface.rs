//! Interfaces, and their operations and attributes.

use arcstr::ArcStr;

use super::{Annotation, DefinitionId, List, Type};
use crate::source::Span;

/// The sort of an interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum InterfaceKind {
    /// Neither abstract nor local.
    #[default]
    Unconstrained,
    /// `abstract`: what is passed for it is an object reference or a value.
    Abstract,
    /// `local`: its objects never leave their process.
    Local,
}

/// A defined interface.
#[derive(Debug, Clone, Default)]
pub struct Interface {
    /// Whether it is abstract or local.
    pub kind: InterfaceKind,
    /// The direct bases, in the order of the source.
    pub bases: Vec<DefinitionId>,
    /// Types, constants and exceptions defined inside, in source order.
    pub members: Vec<DefinitionId>,
    /// Operations and attributes, in source order, without inherited ones.
    pub features: Vec<Feature>,
}

/// An operation or an attribute of an interface.
#[derive(Debug, Clone)]
pub enum Feature {
    /// An operation.
    Operation(Operation),
    /// One declarator of an attribute.
    Attribute(Attribute),
}

/// An operation of an interface.
#[derive(Debug, Clone)]
pub struct Operation {
    /// The name as the IDL spells it, without an escaping underscore. It is
    /// also the name on the wire.
    pub name: ArcStr,
    /// Where the name stands.
    pub span: Span,
    /// The preceding comment, see [`Definition::docs`](crate::model::Definition::docs).
    pub docs: List<String>,
    /// The annotations, in order.
    pub annotations: List<Annotation>,
    /// Whether it is declared `oneway`.
    pub oneway: bool,
    /// The result's type; none for `void`.
    pub result: Option<Type>,
    /// The parameters, in order.
    pub parameters: List<Parameter>,
    /// The exceptions of the `raises` clause, in order. Natives may be among
    /// them.
    pub raises: List<DefinitionId>,
    /// The patterns of the `context` clause, in order: names of properties,
    /// with a `*` last in those that stand for all that start so.
    pub context: List<ArcStr>,
}

/// A parameter of an operation.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// The name as the IDL spells it, without an escaping underscore.
    pub name: ArcStr,
    /// Where the name stands.
    pub span: Span,
    /// The annotations, in order.
    pub annotations: List<Annotation>,
    /// The passing mode.
    pub mode: ParameterMode,
    /// The type.
    pub ty: Type,
}

/// How a parameter is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ParameterMode {
    /// From caller to servant.
    In,
    /// From servant to caller.
    Out,
    /// Both ways.
    InOut,
}

/// An attribute of an interface.
#[derive(Debug, Clone)]
pub struct Attribute {
    /// The name as the IDL spells it; on the wire `_get_` or `_set_` precedes it.
    pub name: ArcStr,
    /// Where the name stands.
    pub span: Span,
    /// The preceding comment, see [`Definition::docs`](crate::model::Definition::docs).
    pub docs: List<String>,
    /// The annotations, in order.
    pub annotations: List<Annotation>,
    /// Whether it can only be read.
    pub readonly: bool,
    /// The type.
    pub ty: Type,
    /// The exceptions that reading it may raise.
    pub get_raises: List<DefinitionId>,
    /// The exceptions that writing it may raise.
    pub set_raises: List<DefinitionId>,
}
