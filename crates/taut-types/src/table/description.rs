//! The description of an operation, as data.

use taut_cdr::ElementForm;

use super::form::TabledAs;
use super::shape::{Shape, Table};

/// The description of an operation, as data.
#[derive(Debug)]
pub struct OperationDescription {
    pub(super) name: &'static str,
    pub(super) oneway: bool,
    pub(super) has_result: bool,
    pub(super) parameters: Option<&'static Parameter>,
    pub(super) raises: &'static [Raised],
    pub(super) context: &'static [&'static str],
}

/// A parameter, or the result, and those that follow.
#[derive(Debug)]
pub struct Parameter {
    pub(super) mode: ParameterMode,
    pub(super) shape: &'static Shape,
    pub(super) next: Option<&'static Parameter>,
}

/// How a parameter is passed. The modes from [`Value`](Self::Value) to
/// [`Handle`](Self::Handle) are IDL's `in`; they differ in what the stub is
/// given and the servant gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParameterMode {
    /// A `T` in both places.
    Value,
    /// A `&str`; the servant's is borrowed from the message where possible.
    Text,
    /// A `&[T]`.
    Slice,
    /// A `&[T]` of primitives; the servant's is borrowed where possible.
    Primitives,
    /// An `Option<&R>`.
    Handle,
    /// `inout`: a `&mut T`.
    InOut,
    /// `out`, and the result: a `T` that comes back.
    Out,
}

/// An exception that an operation may raise.
#[derive(Debug)]
pub struct Raised {
    repository_id: &'static str,
    shape: &'static Shape,
}

impl OperationDescription {
    /// The name on the wire.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Whether nothing comes back.
    pub const fn is_oneway(&self) -> bool {
        self.oneway
    }

    /// Whether the first parameter is the result.
    pub const fn has_result(&self) -> bool {
        self.has_result
    }

    /// The parameters, the result first.
    pub fn parameters(&self) -> impl Iterator<Item = &'static Parameter> + use<> {
        std::iter::successors(self.parameters, |parameter| parameter.next)
    }

    /// Whether a request ends with this one of the parameters, which is `in`.
    pub(super) fn sends_last(&self, parameter: &Parameter) -> bool {
        self.context.is_empty()
            && parameter
                .followers()
                .all(|follower| follower.mode == ParameterMode::Out)
    }

    /// The form of the elements, if nothing comes back but a sequence that can be received
    /// where it stays.
    pub fn elements(&self) -> ElementForm {
        let comes_back = |parameter: &&Parameter| {
            matches!(parameter.mode, ParameterMode::InOut | ParameterMode::Out)
        };
        let mut results = self.parameters().filter(comes_back);
        match (results.next(), results.next()) {
            (Some(only), None) => only.shape.landing(),
            _ => ElementForm::NONE,
        }
    }

    /// The exceptions that it may raise.
    pub const fn raises(&self) -> &'static [Raised] {
        self.raises
    }

    /// The patterns of its `context` clause; none without one.
    pub const fn context(&self) -> &'static [&'static str] {
        self.context
    }

    /// The octets that the table takes, its name included, those of the types
    /// not.
    pub fn footprint(&self) -> usize {
        size_of_val(self)
            + self.name.len()
            + size_of::<Parameter>() * self.parameters().count()
            + size_of_val(self.raises)
            + size_of_val(self.context)
            + self
                .context
                .iter()
                .map(|pattern| pattern.len())
                .sum::<usize>()
    }
}

impl Parameter {
    /// How it is passed.
    pub const fn mode(&self) -> ParameterMode {
        self.mode
    }

    /// The table of its type.
    pub const fn shape(&self) -> &'static Shape {
        self.shape
    }

    /// Those that follow.
    fn followers(&self) -> impl Iterator<Item = &'static Self> + use<> {
        std::iter::successors(self.next, |parameter| parameter.next)
    }

    /// Whether a reply ends with this one, which is `out` or the result.
    pub(super) fn returns_last(&self) -> bool {
        !self
            .followers()
            .any(|follower| matches!(follower.mode, ParameterMode::InOut | ParameterMode::Out))
    }
}

impl Raised {
    /// An exception of this type and repository id.
    pub const fn new<T: 'static, C: TabledAs<T>>(repository_id: &'static str) -> Self {
        let table: &'static Table<T> = C::TABLE;
        Self {
            repository_id,
            shape: table.shape(),
        }
    }

    /// The repository id.
    pub const fn repository_id(&self) -> &'static str {
        self.repository_id
    }

    /// The table of its members.
    pub const fn shape(&self) -> &'static Shape {
        self.shape
    }
}
