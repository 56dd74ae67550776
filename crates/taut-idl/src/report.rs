//! Reports about sources, by the compiler or by a program that works with its model.

use crate::diagnostic::{Diagnostic, Label};
use crate::severity::Severity;

/// Something to say about sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// How grave it is.
    pub severity: Severity,
    /// The name of what kind of thing it is, such as `unknown-name`.
    pub code: &'static str,
    /// One sentence that says what there is.
    pub message: String,
    /// Where it is, if it is in a source.
    pub primary: Option<Label>,
    /// Other places that matter.
    pub secondary: Vec<Label>,
    /// The remedy, if one is known.
    pub help: Option<String>,
}

impl Report {
    /// The places, the primary one first.
    pub(crate) fn labels(&self) -> impl Iterator<Item = &Label> {
        self.primary.iter().chain(&self.secondary)
    }
}

impl From<&Diagnostic> for Report {
    fn from(diagnostic: &Diagnostic) -> Self {
        Self {
            severity: diagnostic.severity,
            code: diagnostic.code.as_str(),
            message: diagnostic.message.clone(),
            primary: Some(diagnostic.primary.clone()),
            secondary: diagnostic.secondary.clone(),
            help: diagnostic.help.clone(),
        }
    }
}
