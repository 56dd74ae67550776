//! The signatures of operations, known only while the program runs.

use taut_types::{TCKind, TypeCode};

/// The signature of an operation.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Signature {
    /// The name on the wire, such as `outline` or `_get_radius`.
    pub operation: String,
    /// The parameters, in order.
    pub parameters: Vec<Parameter>,
    /// The type of the result; `void` for none.
    pub result: TypeCode,
    /// The user exceptions that it may raise.
    pub exceptions: Vec<TypeCode>,
    /// Whether it is declared `oneway`.
    pub is_oneway: bool,
}

/// A parameter of an operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// The name.
    pub name: String,
    /// How it is passed.
    pub mode: Mode,
    /// The type.
    pub type_code: TypeCode,
}

/// The way that a parameter is passed (the standard's `ARG_IN`, `ARG_OUT` and `ARG_INOUT`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// From caller to servant.
    In,
    /// From servant to caller.
    Out,
    /// Both ways.
    InOut,
}

impl Signature {
    /// An operation without parameters, result and exceptions.
    pub fn new(operation: impl Into<String>) -> Self {
        Self {
            operation: operation.into(),
            parameters: Vec::new(),
            result: TypeCode::primitive(TCKind::Void).unwrap_or_default(),
            exceptions: Vec::new(),
            is_oneway: false,
        }
    }

    /// Appends a parameter.
    #[must_use]
    pub fn with(mut self, mode: Mode, name: impl Into<String>, type_code: TypeCode) -> Self {
        let name = name.into();
        self.parameters.push(Parameter {
            name,
            mode,
            type_code,
        });
        self
    }

    /// Says that it returns a value of this type.
    #[must_use]
    pub fn returning(mut self, result: TypeCode) -> Self {
        self.result = result;
        self
    }

    /// Appends a user exception that it may raise.
    #[must_use]
    pub fn raising(mut self, exception: TypeCode) -> Self {
        self.exceptions.push(exception);
        self
    }

    /// Says that nothing comes back.
    #[must_use]
    pub fn oneway(mut self) -> Self {
        self.is_oneway = true;
        self
    }

    /// Whether it returns a value.
    pub fn has_result(&self) -> bool {
        self.result.kind() != TCKind::Void
    }

    /// Returns the exception with this repository id, if it is one that may be raised.
    pub fn exception(&self, repository_id: &str) -> Option<&TypeCode> {
        let mut exceptions = self.exceptions.iter();
        exceptions.find(|exception| exception.id() == Ok(repository_id))
    }
}

impl Parameter {
    /// Whether its value goes to the servant.
    pub fn is_sent(&self) -> bool {
        self.mode != Mode::Out
    }

    /// Whether a value of it comes from the servant.
    pub fn is_received(&self) -> bool {
        self.mode != Mode::In
    }
}
