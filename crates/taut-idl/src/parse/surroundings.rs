//! Where definitions stand, and which may not stand there.

use super::{Parsed, Parser};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::source::Span;

/// Where a definition stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Surroundings {
    File,
    Module,
    Interface,
    Value,
    /// A component, a port type or a connector.
    Component,
    Home,
}

impl Surroundings {
    /// Whether operations and attributes may stand there.
    pub(super) fn holds_features(self) -> bool {
        matches!(
            self,
            Self::Interface | Self::Value | Self::Component | Self::Home
        )
    }

    /// How messages call what is around a definition.
    pub(super) fn describe(self) -> &'static str {
        match self {
            Self::File => "a file",
            Self::Module => "a module",
            Self::Interface => "an interface",
            Self::Value => "a value type",
            Self::Component => "a component, port type or connector",
            Self::Home => "a home",
        }
    }
}

impl Parser<'_> {
    /// Refuses a construct that may stand in modules and files only.
    pub(super) fn only_in_modules(
        &mut self,
        surroundings: Surroundings,
        construct: &str,
        keyword: Span,
    ) -> Parsed<()> {
        if !surroundings.holds_features() {
            return Ok(());
        }
        let message = format!("{construct} cannot stand in {}", surroundings.describe());
        self.fail(Diagnostic::error(DiagnosticCode::Syntax, message, keyword))
    }
}
