//! Template modules and their instances.

use std::rc::Rc;

use super::{Expression, Item, Name, ScopedName, TypeSpec};
use crate::source::Span;

#[derive(Debug, Clone)]
pub(crate) struct Template {
    pub(crate) name: Name,
    pub(crate) parameters: Vec<Parameter>,
    /// Shared with the instances.
    pub(crate) items: Rc<[Item]>,
    /// How many tokens the items are made of.
    pub(crate) tokens: usize,
    /// How deeply these nest.
    pub(crate) depth: usize,
}

#[derive(Debug, Clone)]
pub(crate) struct Parameter {
    pub(crate) name: Name,
    pub(crate) kind: ParameterKind,
}

#[derive(Debug, Clone)]
pub(crate) enum ParameterKind {
    TypeName,
    Interface,
    ValueType,
    EventType,
    Struct,
    Union,
    Exception,
    Enum,
    /// With the type of the elements, unless these may have any.
    Sequence(Option<TypeSpec>),
    Constant(TypeSpec),
}

#[derive(Debug, Clone)]
pub(crate) struct Instance {
    pub(crate) template: ScopedName,
    pub(crate) arguments: Vec<Argument>,
    /// The arguments with what is around them.
    pub(crate) arguments_span: Span,
    pub(crate) name: Name,
    /// Whether it is an `alias` in another template module.
    pub(crate) is_alias: bool,
}

#[derive(Debug, Clone)]
pub(crate) enum Argument {
    /// A type, or a name that may be one or a constant.
    Type(TypeSpec),
    Constant(Expression),
}

impl Argument {
    pub(crate) fn span(&self) -> Span {
        match self {
            Self::Type(ty) => ty.span,
            Self::Constant(value) => value.span,
        }
    }
}
