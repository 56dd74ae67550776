//! Properties of the generated code that the author of the model may not expect.

use std::collections::BTreeMap;

use taut_idl::model::{DefinitionId, Model};
use taut_idl::source::FileId;
use taut_idl::{Label, Report, Severity, WarningLevels};

use crate::ami;
use crate::method::Method;
use crate::names::Names;
use crate::options::GenerateOptions;
use crate::standard::with_standard_modules;
use crate::support::{Omitted, is_external};

/// Something about the generated code that may surprise.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GenerateWarning {
    /// The kind of warning.
    pub kind: GenerateWarningKind,
    /// The warning in particular.
    pub message: String,
    /// The places in the IDL that are concerned, the most telling first.
    pub places: Vec<Label>,
    /// The remedy, if there is one.
    pub help: Option<String>,
}

/// The subject of a [`GenerateWarning`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GenerateWarningKind {
    /// An included file defines what has no mapping; nothing is generated for
    /// it, nor for what is made of it.
    Omitted,
    /// An operation or attribute has the name of a method that every reference
    /// has.
    MethodName,
    /// Two IDL names become one Rust name, so that one of them got another.
    Renamed,
}

/// Methods that references have from traits which are always in scope, and from
/// such as often are.
const METHODS: [&str; 15] = [
    "as_object",
    "borrow",
    "borrow_mut",
    "clone",
    "clone_from",
    "clone_into",
    "eq",
    "fmt",
    "hash",
    "into",
    "into_object",
    "ne",
    "to_owned",
    "try_into",
    "type_id",
];

/// How many places of one file are shown.
const PLACES_MAX: usize = 5;

/// Returns the warnings about the code that [`generate`](crate::generate()) makes of a
/// model. Nothing where it fails.
pub fn warnings(model: &Model, options: &GenerateOptions) -> Vec<GenerateWarning> {
    let Ok((model, reply_handlers)) = ami::with_reply_handlers(model, options) else {
        return Vec::new();
    };
    let model = &*model;
    let options = &with_standard_modules(options, model);
    let Ok(omitted) = Omitted::find(model, options) else {
        return Vec::new();
    };
    let mut warnings = omissions(model, options, &omitted);
    if let Ok(names) = Names::assign(model, options, omitted, &reply_handlers) {
        warnings.extend(method_names(model, options, &names));
        warnings.extend(renamed(&names));
    }
    warnings
}

/// Methods of the main files that cannot be called as others are.
pub(crate) fn method_names(
    model: &Model,
    options: &GenerateOptions,
    names: &Names,
) -> impl Iterator<Item = GenerateWarning> {
    let interfaces = model
        .definitions()
        .filter(|(_, definition)| definition.in_main_file && !is_external(options, definition));
    let methods = interfaces.flat_map(|(id, _)| names.methods(id));
    methods.filter_map(ambiguous)
}

/// One warning for each name that is not what the IDL's name becomes.
pub(crate) fn renamed(names: &Names) -> impl Iterator<Item = GenerateWarning> {
    names.given().iter().map(|given| GenerateWarning {
        kind: GenerateWarningKind::Renamed,
        message: format!(
            "the {} becomes `{}` in Rust, for the {} has the name `{}`",
            given.description,
            given.name,
            given.first_description(),
            given.shared()
        ),
        places: vec![
            Label {
                span: given.span(),
                message: format!("becomes `{}`", given.name),
            },
            Label {
                span: given.first_span(),
                message: format!("has `{}`", given.shared()),
            },
        ],
        help: Some(format!(
            "choose a name in build.rs: `Config::new().rename(\"{}\", \"another_name\")`",
            given.scoped_name()
        )),
    })
}

/// Turns warnings into reports, with the severities that these levels give them.
pub fn with_levels(warnings: &[GenerateWarning], levels: &WarningLevels) -> Vec<Report> {
    let reports = warnings.iter().map(Report::from);
    reports
        .filter_map(|report| {
            let severity = levels.severity(report.severity, report.code)?;
            Some(Report { severity, ..report })
        })
        .collect()
}

/// One warning for each included file that something is left out of.
pub(crate) fn omissions(
    model: &Model,
    options: &GenerateOptions,
    omitted: &Omitted,
) -> Vec<GenerateWarning> {
    let mut files: BTreeMap<FileId, Vec<DefinitionId>> = BTreeMap::new();
    for id in omitted.origins() {
        let definition = model.get(id);
        if !is_external(options, definition) {
            files.entry(definition.span.file).or_default().push(id);
        }
    }
    let warning = |ids: Vec<DefinitionId>| {
        let names: Vec<_> = ids
            .iter()
            .map(|id| format!("`{}`", model.get(*id).scoped_name.join("::")))
            .collect();
        let shown = names[..names.len().min(PLACES_MAX)].join(", ");
        let what = match names.len().saturating_sub(PLACES_MAX) {
            0 => shown,
            more => format!("{shown} and {more} more"),
        };
        let places = ids.iter().take(PLACES_MAX).map(|id| Label {
            span: model.get(*id).span,
            message: String::new(),
        });
        GenerateWarning {
            kind: GenerateWarningKind::Omitted,
            message: format!(
                "no Rust is made of {what} of an included file, nor of what uses that, for it \
                 has no mapping yet"
            ),
            places: places.collect(),
            help: None,
        }
    };
    files.into_values().map(warning).collect()
}

/// A method that cannot be called as others are.
fn ambiguous(method: &Method) -> Option<GenerateWarning> {
    METHODS
        .contains(&method.name.as_str())
        .then(|| GenerateWarning {
            kind: GenerateWarningKind::MethodName,
            message: format!(
                "the {} becomes `{}`, the name of a method that every reference has already",
                method.description, method.name
            ),
            places: vec![Label {
                span: method.span,
                message: "a call would be ambiguous, or be of the other method".to_owned(),
            }],
            help: Some(format!(
                "give it another name in build.rs: \
             `Config::new().rename(\"{}\", \"another_name\")`",
                method.scoped_name
            )),
        })
}

impl GenerateWarningKind {
    /// Every kind there is.
    pub const ALL: &[Self] = &[Self::Omitted, Self::MethodName, Self::Renamed];

    /// The name under which it is shown, such as `omitted`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Omitted => "omitted",
            Self::MethodName => "method-name",
            Self::Renamed => "renamed",
        }
    }
}

impl From<&GenerateWarning> for Report {
    fn from(warning: &GenerateWarning) -> Self {
        let mut places = warning.places.iter().cloned();
        Self {
            severity: Severity::Warning,
            code: warning.kind.as_str(),
            message: warning.message.clone(),
            primary: places.next(),
            secondary: places.collect(),
            help: warning.help.clone(),
        }
    }
}
