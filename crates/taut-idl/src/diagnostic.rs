//! Diagnostics: the faults that the compiler reports of a source.

use crate::severity::{Severity, WarningLevels};
use crate::source::Span;

/// A place with a remark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The remark; it may be empty.
    pub message: String,
}

/// An error or a warning.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// How grave it is.
    pub severity: Severity,
    /// The kind of fault.
    pub code: DiagnosticCode,
    /// One sentence that says what is wrong.
    pub message: String,
    /// Where it is wrong. Of a main file that cannot be read, its (empty) start.
    pub primary: Label,
    /// Other places that matter.
    pub secondary: Vec<Label>,
    /// The remedy, if one is known.
    pub help: Option<String>,
}

impl Diagnostic {
    pub(crate) fn error(code: DiagnosticCode, message: impl Into<String>, span: Span) -> Self {
        Self::new(Severity::Error, code, message, span)
    }

    pub(crate) fn warning(code: DiagnosticCode, message: impl Into<String>, span: Span) -> Self {
        Self::new(Severity::Warning, code, message, span)
    }

    fn new(
        severity: Severity,
        code: DiagnosticCode,
        message: impl Into<String>,
        span: Span,
    ) -> Self {
        Self {
            severity,
            code,
            message: message.into(),
            primary: Label {
                span,
                message: String::new(),
            },
            secondary: Vec::new(),
            help: None,
        }
    }

    /// Puts a remark at the primary place.
    #[must_use]
    pub(crate) fn label(mut self, message: impl Into<String>) -> Self {
        self.primary.message = message.into();
        self
    }

    #[must_use]
    pub(crate) fn also(mut self, span: Span, message: impl Into<String>) -> Self {
        self.secondary.push(Label {
            span,
            message: message.into(),
        });
        self
    }

    #[must_use]
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Collects diagnostics up to a limit.
#[derive(Debug)]
pub(crate) struct Diagnostics {
    list: Vec<Diagnostic>,
    limit: usize,
    errors: usize,
    warnings: usize,
    /// Says that there are more errors than the limit.
    excess: Option<Diagnostic>,
}

impl Diagnostics {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            list: Vec::new(),
            limit,
            errors: 0,
            warnings: 0,
            excess: None,
        }
    }

    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        let count = match diagnostic.severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        *count = count.saturating_add(1);
        if *count <= self.limit {
            self.list.push(diagnostic);
        } else if diagnostic.severity == Severity::Error && self.excess.is_none() {
            self.excess = Some(Diagnostic::error(
                DiagnosticCode::LimitExceeded,
                format!("more than {} errors; the rest is not shown", self.limit),
                diagnostic.primary.span,
            ));
        }
    }

    /// A place in what has been said, for [`since`](Self::since).
    pub(crate) fn mark(&self) -> usize {
        self.list.len()
    }

    /// Returns the diagnostics since a mark was set, as far as they are shown.
    pub(crate) fn since(&self, mark: usize) -> &[Diagnostic] {
        self.list.get(mark..).unwrap_or_default()
    }

    /// Takes back what has been said since a mark was set.
    pub(crate) fn take_since(&mut self, mark: usize) -> Vec<Diagnostic> {
        let taken = self.list.split_off(mark.min(self.list.len()));
        for diagnostic in &taken {
            match diagnostic.severity {
                Severity::Error => self.errors = self.errors.saturating_sub(1),
                Severity::Warning => self.warnings = self.warnings.saturating_sub(1),
            }
        }
        taken
    }

    /// Adds to what has been said at a place.
    pub(crate) fn amend(
        &mut self,
        code: DiagnosticCode,
        span: Span,
        change: impl Fn(Diagnostic) -> Diagnostic,
    ) {
        for diagnostic in &mut self.list {
            if diagnostic.code == code && diagnostic.primary.span == span {
                *diagnostic = change(diagnostic.clone());
            }
        }
    }

    /// Whether so many errors were found that looking for more is idle.
    pub(crate) fn is_full(&self) -> bool {
        self.errors > self.limit
    }

    /// The diagnostics that these levels leave, those of one file in the order
    /// of their places.
    pub(crate) fn into_list(mut self, levels: &WarningLevels) -> Vec<Diagnostic> {
        self.list.retain_mut(|diagnostic| {
            match levels.severity(diagnostic.severity, diagnostic.code.as_str()) {
                Some(severity) => {
                    diagnostic.severity = severity;
                    true
                }
                None => false,
            }
        });
        self.list.sort_by_key(|diagnostic| {
            let span = diagnostic.primary.span;
            (span.file, span.start)
        });
        self.list.extend(self.excess);
        self.list
    }
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal,)+) => {
        /// The kind of fault that a [`Diagnostic`] reports.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum DiagnosticCode {
            $($(#[doc = $doc])+ $name,)+
        }

        impl DiagnosticCode {
            /// Every kind there is.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The name under which the fault is shown, such as `unknown-name`.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }
        }
    };
}

codes! {
    /// A definition that IDL has no place for there, such as two bases that
    /// bring different operations of one name.
    InheritanceConflict = "inheritance-conflict",
    /// An inherited name that means different things in different bases.
    AmbiguousName = "ambiguous-name",
    /// An anonymous type where other compilers demand a typedef.
    AnonymousType = "anonymous-type",
    /// An annotation, which is ignored.
    Annotation = "annotation",
    /// A type of IDL 4 that messages of CORBA have no form for, or that older
    /// compilers reject.
    BeyondCorba = "beyond-corba",
    /// A label of a union that is there twice or can never apply.
    CaseLabel = "case-label",
    /// A constant expression that cannot be computed, or not in its type.
    ConstantExpression = "constant-expression",
    /// A constant that is not within the range of its type.
    ConstantRange = "constant-range",
    /// A character or an escape that literals or identifiers may not hold.
    IllegalCharacter = "illegal-character",
    /// A directive of the preprocessor that makes no sense.
    Directive = "directive",
    /// A definition without the members that it must have.
    EmptyDefinition = "empty-definition",
    /// `#error` or `#warning` in the source.
    UserDirective = "user-directive",
    /// A file that cannot be read.
    File = "file",
    /// A forward declaration that was never completed, or was used too early.
    Incomplete = "incomplete",
    /// A name whose spelling differs from its definition in case only.
    NameCase = "name-case",
    /// An identifier that is, or all but is, a keyword.
    Keyword = "keyword",
    /// A limit of [`Limits`](crate::Limits) was passed.
    LimitExceeded = "limit-exceeded",
    /// A local or native type where values must leave the process.
    LocalType = "local-type",
    /// A number that is not one.
    MalformedNumber = "malformed-number",
    /// A construct of IDL that the compiler does not know yet.
    NotSupported = "not-supported",
    /// A `oneway` operation that returns something.
    Oneway = "oneway",
    /// A definition with the name of the scope that holds it.
    OwnName = "own-name",
    /// A `#pragma` that is malformed or that means different things to
    /// different compilers.
    Pragma = "pragma",
    /// A type that contains itself.
    Recursion = "recursion",
    /// A name that is defined twice.
    Redefinition = "redefinition",
    /// A repository id that is set twice.
    RepositoryId = "repository-id",
    /// An instance of a template module that does not fit its parameters.
    Template = "template",
    /// Text that is no IDL.
    Syntax = "syntax",
    /// A name that is not defined.
    UnknownName = "unknown-name",
    /// A comment, literal or condition without its end.
    Unterminated = "unterminated",
    /// A name that was used with another meaning before it was defined.
    UsedBefore = "used-before",
    /// A name that denotes the wrong sort of thing.
    WrongKind = "wrong-kind",
}
