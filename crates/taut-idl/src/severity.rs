//! How grave faults are, and what becomes of warnings.

use std::collections::BTreeSet;

/// How grave a [`Diagnostic`](crate::Diagnostic) is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The source can be used, but may not mean what its author thinks.
    Warning,
    /// The source is wrong.
    Error,
}

/// The treatment of warnings. Errors are what they are.
#[derive(Debug, Clone, Default)]
pub struct WarningLevels {
    /// The codes of warnings that are not reported, such as `anonymous-type`.
    pub allowed: BTreeSet<String>,
    /// Whether the others are errors.
    pub denied: bool,
}

impl WarningLevels {
    /// How grave something is with these levels; none if it is not reported.
    pub fn severity(&self, severity: Severity, code: &str) -> Option<Severity> {
        match severity {
            Severity::Error => Some(Severity::Error),
            Severity::Warning if self.allowed.contains(code) => None,
            Severity::Warning if self.denied => Some(Severity::Error),
            Severity::Warning => Some(Severity::Warning),
        }
    }
}
