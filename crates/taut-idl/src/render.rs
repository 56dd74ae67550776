//! Diagnostics as text for people.

use std::collections::HashMap;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::diagnostic::{Diagnostic, Label, Severity};
use crate::source::{FileId, SourceFile, SourceMap, Span};

/// Renders diagnostics one after the other, with an empty line between.
pub(crate) fn render(diagnostics: &[Diagnostic], sources: &SourceMap, color: bool) -> String {
    let renderer = if color {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let mut texts = HashMap::new();
    for diagnostic in diagnostics {
        for label in labels(diagnostic) {
            let file = label.span.file;
            texts
                .entry(file)
                .or_insert_with(|| Text::new(sources.file(file)));
        }
    }
    let mut output = String::new();
    for (index, diagnostic) in diagnostics.iter().enumerate() {
        if index > 0 {
            output.push('\n');
        }
        output.push_str(&renderer.render(&[group(diagnostic, &texts)]));
        output.push('\n');
    }
    output
}

fn labels(diagnostic: &Diagnostic) -> impl Iterator<Item = &Label> {
    std::iter::once(&diagnostic.primary).chain(&diagnostic.secondary)
}

fn group<'a>(diagnostic: &'a Diagnostic, texts: &'a HashMap<FileId, Text>) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level
        .primary_title(&diagnostic.message)
        .id(diagnostic.code.as_str());
    let mut group = Group::with_title(title);
    let mut files: Vec<FileId> = labels(diagnostic).map(|label| label.span.file).collect();
    let mut seen = Vec::new();
    files.retain(|file| {
        !seen.contains(file) && {
            seen.push(*file);
            true
        }
    });
    for file in files {
        let Some(text) = texts.get(&file) else {
            continue;
        };
        let mut snippet = Snippet::source(text.text.as_str()).path(text.path.as_str());
        for (index, label) in labels(diagnostic).enumerate() {
            if label.span.file != file {
                continue;
            }
            let kind = if index == 0 {
                AnnotationKind::Primary
            } else {
                AnnotationKind::Context
            };
            let mut annotation = kind.span(text.range(label.span));
            if !label.message.is_empty() {
                annotation = annotation.label(&label.message);
            }
            snippet = snippet.annotation(annotation);
        }
        group = group.element(snippet);
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help));
    }
    group
}

/// A file as it is shown: UTF-8 if its bytes are that, ISO 8859-1 otherwise.
struct Text {
    path: String,
    text: String,
    /// Where each byte of an ISO 8859-1 file went.
    offsets: Option<Vec<usize>>,
}

impl Text {
    fn new(file: &SourceFile) -> Self {
        let path = file.path().display().to_string();
        match std::str::from_utf8(file.bytes()) {
            Ok(text) => Self {
                path,
                text: text.to_owned(),
                offsets: None,
            },
            Err(_) => {
                let mut text = String::with_capacity(file.bytes().len());
                let mut offsets = Vec::with_capacity(file.bytes().len());
                for &byte in file.bytes() {
                    offsets.push(text.len());
                    text.push(char::from(byte));
                }
                Self {
                    path,
                    text,
                    offsets: Some(offsets),
                }
            }
        }
    }

    fn range(&self, span: Span) -> Range<usize> {
        let start = self.offset(span.start as usize);
        let end = self.offset(span.end as usize);
        start..end.max(start)
    }

    fn offset(&self, offset: usize) -> usize {
        match &self.offsets {
            Some(offsets) => offsets.get(offset).copied().unwrap_or(self.text.len()),
            None => self.text.floor_char_boundary(offset.min(self.text.len())),
        }
    }
}
