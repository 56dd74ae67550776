//! The annotations that describe operations for their schedule.

use std::collections::HashMap;
use std::str::FromStr;

use taut_idl::model::{
    Annotation, AnnotationValue, ConstantValue, DefinitionKind, Feature, Operation,
};
use taut_idl::{Compilation, Label, Report, Severity, Span};
use taut_scheduling::{CallKind, Handle, parse_time};

use super::Gathered;

/// The annotations that describe an operation.
const ANNOTATIONS: [&str; 11] = [
    "blocking",
    "calls",
    "criticality",
    "deadline",
    "importance",
    "jitter",
    "offset",
    "period",
    "threads",
    "typical",
    "wcet",
];

/// The name of an annotation, if it is one of those.
fn known(annotation: &Annotation) -> Option<&'static str> {
    let name = annotation.name.trim_start_matches("::");
    ANNOTATIONS.into_iter().find(|known| *known == name)
}

/// An operation of the IDL.
struct Found<'m> {
    name: String,
    operation: &'m Operation,
}

/// Adds the operations that have annotations.
pub(super) fn gather(compilation: &Compilation, gathered: &mut Gathered) {
    let mut all = Vec::new();
    for (_, definition) in compilation.model.definitions() {
        let features = match &definition.kind {
            DefinitionKind::Interface(interface) => &interface.features,
            _ => continue,
        };
        let scope = definition.scoped_name.join("::");
        for feature in features {
            if let Feature::Operation(operation) = feature {
                let name = format!("{scope}::{}", operation.name);
                all.push(Found { name, operation });
            }
        }
    }
    let oneways: HashMap<_, _> = all
        .iter()
        .map(|found| (&found.name[..], found.operation.oneway))
        .collect();
    let has_any = |found: &&Found<'_>| {
        found
            .operation
            .annotations
            .iter()
            .any(|it| known(it).is_some())
    };
    for found in all.iter().filter(has_any) {
        Reader {
            found,
            oneways: &oneways,
            gathered,
        }
        .add();
    }
    for found in &all {
        if let Some(handle) = gathered.description.repository.lookup(&found.name) {
            gathered.put(handle, found.operation.span);
        }
    }
}

impl Gathered {
    /// Notes the place of an operation, unless the TOML file describes it.
    fn put(&mut self, handle: Handle, span: Span) {
        let index = handle.0 as usize;
        if self.places.len() <= index {
            self.places.resize(index + 1, None);
        }
        let is_in_file = self
            .description
            .places
            .get(index)
            .is_some_and(|place| !place.is_empty());
        if !is_in_file {
            self.places[index] = Some(span);
        }
    }
}

/// A reader of an operation's annotations.
struct Reader<'r, 'm> {
    found: &'r Found<'m>,
    oneways: &'r HashMap<&'r str, bool>,
    gathered: &'r mut Gathered,
}

impl Reader<'_, '_> {
    /// Adds the operation.
    fn add(&mut self) {
        let name = &self.found.name;
        let repository = &mut self.gathered.description.repository;
        let known_handle = repository.lookup(name);
        if known_handle.is_some_and(|handle| repository[handle].is_described) {
            let message = format!("`{name}` has annotations, and the TOML file describes it, too");
            self.fault(
                self.found.operation.span,
                message,
                "describe it in one place",
            );
            return;
        }
        let handle = repository.describe(name);
        let operation = self.found.operation;
        for annotation in operation.annotations.iter() {
            if let Some(name) = known(annotation) {
                self.read(handle, name, annotation);
            }
        }
    }

    fn fault(&mut self, span: Span, message: String, help: &str) {
        self.gathered.reports.push(Report {
            severity: Severity::Error,
            code: "schedule",
            message,
            primary: Some(Label {
                span,
                message: String::new(),
            }),
            secondary: Vec::new(),
            help: Some(help.to_owned()),
        });
    }

    /// Reads an annotation.
    fn read(&mut self, handle: Handle, name: &'static str, annotation: &Annotation) {
        match name {
            "calls" => return self.calls(handle, annotation),
            "threads" => {
                let threads = self.number(annotation, annotation.argument("value"));
                self.gathered.description.repository[handle].threads = threads;
                return;
            }
            "criticality" => {
                let value = self.parsed(annotation, "high");
                let info = &mut self.gathered.description.repository[handle];
                info.criticality = value.unwrap_or_default();
                return;
            }
            "importance" => {
                let value = self.parsed(annotation, "high");
                let info = &mut self.gathered.description.repository[handle];
                info.importance = value.unwrap_or_default();
                return;
            }
            _ => {}
        }
        let Some(text) = self.text(annotation, "10ms") else {
            return;
        };
        let time = match parse_time(&text) {
            Ok(time) => time,
            Err(error) => {
                let help = format!("write it as @{name}(\"10ms\")");
                return self.fault(annotation.span, error.to_string(), &help);
            }
        };
        let info = &mut self.gathered.description.repository[handle];
        match name {
            "blocking" => info.blocking_ns = time,
            "deadline" => info.deadline_ns = Some(time),
            "jitter" => info.jitter_ns = time,
            "offset" => info.offset_ns = time,
            "period" => info.period_ns = Some(time),
            "typical" => info.typical_ns = Some(time),
            _ => info.worst_case_ns = time,
        }
    }

    /// The text of an annotation's only argument.
    fn text(&mut self, annotation: &Annotation, example: &str) -> Option<String> {
        match annotation.argument("value") {
            Some(AnnotationValue::Constant(ConstantValue::String(text))) => Some(text.to_string()),
            Some(AnnotationValue::Name(name)) => Some(name.to_string()),
            _ => {
                let name = &annotation.name;
                let message = format!("`@{name}` needs one argument, a string");
                self.fault(
                    annotation.span,
                    message,
                    &format!("write @{name}(\"{example}\")"),
                );
                None
            }
        }
    }

    /// The value that the text of an annotation's only argument stands for.
    fn parsed<T: FromStr<Err: ToString>>(
        &mut self,
        annotation: &Annotation,
        example: &str,
    ) -> Option<T> {
        let text = self.text(annotation, example)?;
        match text.parse() {
            Ok(value) => Some(value),
            Err(error) => {
                let help = format!("write it as @{}(\"{example}\")", annotation.name);
                self.fault(annotation.span, error.to_string(), &help);
                None
            }
        }
    }

    /// A number that is an argument.
    fn number(&mut self, annotation: &Annotation, value: Option<&AnnotationValue>) -> Option<u32> {
        if let Some(AnnotationValue::Constant(ConstantValue::Integer(number))) = value
            && let Ok(number) = u32::try_from(*number)
        {
            return Some(number);
        }
        let message = format!("an argument of `@{}` is no number", annotation.name);
        self.fault(
            annotation.span,
            message,
            "write a number that is not negative",
        );
        None
    }

    /// Reads `@calls("Log::write", times = 2, oneway = TRUE)`.
    fn calls(&mut self, handle: Handle, annotation: &Annotation) {
        const HELP: &str = "write @calls(\"Log::write\"), with times = 2 or oneway = TRUE behind \
                            the name if need be";
        let mut callee = None;
        let mut times = 1;
        let mut oneway = None;
        for argument in annotation.arguments.iter() {
            match (argument.name.as_deref(), &argument.value) {
                (None | Some("value"), AnnotationValue::Constant(ConstantValue::String(text))) => {
                    callee = Some(text.to_string());
                }
                (Some("times"), value) => {
                    times = self.number(annotation, Some(value)).unwrap_or(1);
                }
                (Some("oneway"), AnnotationValue::Constant(ConstantValue::Boolean(value))) => {
                    oneway = Some(*value);
                }
                _ => {
                    let message = "an argument of `@calls` is not understood".to_owned();
                    return self.fault(annotation.span, message, HELP);
                }
            }
        }
        let Some(callee) = callee else {
            let message = "`@calls` names no operation".to_owned();
            return self.fault(annotation.span, message, HELP);
        };
        let Some(name) = self.find(&callee) else {
            let message = format!("there is no operation `{callee}`");
            let help = "write its name with its interface and modules, as seen from here";
            return self.fault(annotation.span, message, help);
        };
        let is_declared = self.oneways.get(&name[..]).copied().unwrap_or(false);
        let kind = match oneway.unwrap_or(is_declared) {
            true => CallKind::OneWay,
            false => CallKind::TwoWay,
        };
        let repository = &mut self.gathered.description.repository;
        let callee = repository.refer(&name);
        repository.add_dependency(handle, callee, times, kind);
    }

    /// The full name of an operation, looked for from the innermost scope outwards.
    fn find(&self, name: &str) -> Option<String> {
        let repository = &self.gathered.description.repository;
        let is_there =
            |full: &str| self.oneways.contains_key(full) || repository.lookup(full).is_some();
        if let Some(global) = name.strip_prefix("::") {
            return is_there(global).then(|| global.to_owned());
        }
        let mut scope = self.found.name.rsplit_once("::").map(|(scope, _)| scope);
        while let Some(inside) = scope {
            let full = format!("{inside}::{name}");
            if is_there(&full) {
                return Some(full);
            }
            scope = inside.rsplit_once("::").map(|(outer, _)| outer);
        }
        is_there(name).then(|| name.to_owned())
    }
}
