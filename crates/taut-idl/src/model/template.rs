//! Template modules, as IDL 4.2 (7.4.12) has them.

use arcstr::ArcStr;

use super::{ConstantValue, DefinitionId, Type};
use crate::source::Span;

/// A template module. The definitions in it are made in its instances only, which are
/// modules; see [`Model::instance`](super::Model::instance).
#[derive(Debug, Clone, Default)]
pub struct TemplateModule {
    /// The parameters, in order.
    pub parameters: Vec<TemplateParameter>,
}

/// A parameter of a template module.
#[derive(Debug, Clone)]
pub struct TemplateParameter {
    /// The name as the IDL spells it, without an escaping underscore.
    pub name: ArcStr,
    /// Where the name stands.
    pub span: Span,
    /// The kind of argument that it takes.
    pub kind: TemplateParameterKind,
}

/// The kind of argument that a [`TemplateParameter`] takes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TemplateParameterKind {
    /// `typename`: any type.
    TypeName,
    /// `interface`
    Interface,
    /// `valuetype`
    ValueType,
    /// `eventtype`
    EventType,
    /// `struct`
    Struct,
    /// `union`
    Union,
    /// `exception`
    Exception,
    /// `enum`
    Enum,
    /// `sequence`, perhaps of elements of a type. None if any will do, or if
    /// the type depends on another parameter.
    Sequence(Option<Type>),
    /// `const` with its type. None if that is another parameter.
    Constant(Option<Type>),
}

/// The template module, and its arguments, of which a module is an instance.
#[derive(Debug, Clone)]
pub struct Instance {
    /// The template module.
    pub template: DefinitionId,
    /// The arguments for its parameters, in order.
    pub arguments: Vec<TemplateArgument>,
}

/// The argument for a parameter in an [`Instance`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TemplateArgument {
    /// A type.
    Type(Type),
    /// An exception.
    Exception(DefinitionId),
    /// A constant, computed.
    Constant(ConstantValue),
}
