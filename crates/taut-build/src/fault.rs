//! The faults that keep a model from becoming Rust.

use std::fmt;

use taut_idl::source::Span;
use taut_idl::{Label, Report, Severity};

/// A fault that keeps a model from becoming Rust.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GenerateError {
    /// The kind of fault.
    pub kind: GenerateErrorKind,
    /// The fault in particular.
    pub message: String,
    /// The places in the IDL that are concerned, the most telling first.
    pub places: Vec<Label>,
    /// The remedy, if one is known.
    pub help: Option<String>,
}

/// The kind of fault that a [`GenerateError`] reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GenerateErrorKind {
    /// Two IDL names become one Rust name.
    NameCollision,
    /// A name, given or made, is no Rust identifier.
    InvalidName,
    /// [`GenerateOptions::renames`](crate::GenerateOptions::renames) or
    /// [`GenerateOptions::extern_modules`](crate::GenerateOptions::extern_modules)
    /// names something that the IDL does not define.
    UnknownName,
    /// A path in
    /// [`GenerateOptions::extern_modules`](crate::GenerateOptions::extern_modules)
    /// is not an absolute path.
    InvalidPath,
    /// An annotation that chooses a strategy names none.
    UnknownStrategy,
    /// A construct that has no mapping yet.
    NotSupported,
    /// A fault of this crate.
    Internal,
}

impl GenerateError {
    pub(crate) fn new(kind: GenerateErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            places: Vec::new(),
            help: None,
        }
    }

    pub(crate) fn at(mut self, span: Span, remark: impl Into<String>) -> Self {
        self.places.push(Label {
            span,
            message: remark.into(),
        });
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl GenerateErrorKind {
    /// The name under which the fault is shown, such as `name-collision`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NameCollision => "name-collision",
            Self::InvalidName => "invalid-name",
            Self::UnknownName => "unknown-name",
            Self::InvalidPath => "invalid-path",
            Self::UnknownStrategy => "unknown-strategy",
            Self::NotSupported => "not-supported",
            Self::Internal => "internal",
        }
    }
}

impl From<&GenerateError> for Report {
    fn from(error: &GenerateError) -> Self {
        let mut places = error.places.iter().cloned();
        Self {
            severity: Severity::Error,
            code: error.kind.as_str(),
            message: error.message.clone(),
            primary: places.next(),
            secondary: places.collect(),
            help: error.help.clone(),
        }
    }
}

impl fmt::Display for GenerateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for GenerateError {}
