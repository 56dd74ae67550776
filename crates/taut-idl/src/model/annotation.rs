//! Annotations, as IDL 4.2 has them (7.4.15 and 8).

use arcstr::ArcStr;

use super::{ConstantValue, List};
use crate::source::Span;

/// An annotation: a remark for programs that use the model. Those of
/// the standard and those that the source defines are kept, and so are all
/// others, which the compiler warns of.
#[derive(Debug, Clone, PartialEq)]
pub struct Annotation {
    /// The name without its `@`, with its scopes if it is written so.
    pub name: ArcStr,
    /// Where the name stands, with its `@`.
    pub span: Span,
    /// The arguments between its parentheses, in order.
    pub arguments: List<AnnotationArgument>,
}

impl Annotation {
    /// The argument with this name, or the one that has no name, if there is
    /// only one: `@unit("m")` says the same as `@unit(value = "m")`.
    pub fn argument(&self, name: &str) -> Option<&AnnotationValue> {
        let named = |argument: &&AnnotationArgument| argument.name.as_deref() == Some(name);
        match &*self.arguments {
            [AnnotationArgument { name: None, value }] if name == "value" => Some(value),
            arguments => arguments.iter().find(named).map(|argument| &argument.value),
        }
    }
}

/// An argument of an annotation.
#[derive(Debug, Clone, PartialEq)]
pub struct AnnotationArgument {
    /// The name before its `=`, if there is one.
    pub name: Option<ArcStr>,
    /// The value.
    pub value: AnnotationValue,
}

/// The value of an annotation's argument.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum AnnotationValue {
    /// A literal, or what a constant expression yields: an integer, a `double`,
    /// a boolean, a character, a string or a `fixed`.
    Constant(ConstantValue),
    /// A name that is no constant of the source, such as `FINAL`, as written.
    Name(ArcStr),
}
