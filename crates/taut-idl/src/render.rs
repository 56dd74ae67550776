//! Reports as text for people.

use std::collections::HashMap;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::diagnostic::Label;
use crate::report::Report;
use crate::severity::Severity;
use crate::source::{FileId, SourceFile, SourceMap, Span};

/// The reports as text that shows the lines they speak of, an empty line between
/// one and the next; with ANSI escape codes for colours if these are wanted.
pub fn render(reports: &[Report], sources: &SourceMap, color: bool) -> String {
    let renderer = if color {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let mut texts = HashMap::new();
    for report in reports {
        for label in report.labels() {
            let file = label.span.file;
            texts
                .entry(file)
                .or_insert_with(|| Text::new(sources.file(file)));
        }
    }
    let mut output = String::new();
    for (index, report) in reports.iter().enumerate() {
        if index > 0 {
            output.push('\n');
        }
        output.push_str(&renderer.render(&[group(report, &texts)]));
        output.push('\n');
    }
    output
}

fn group<'a>(report: &'a Report, texts: &'a HashMap<FileId, Text>) -> Group<'a> {
    let level = match report.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(&report.message).id(report.code);
    let mut group = Group::with_title(title);
    let mut files: Vec<FileId> = report.labels().map(|label| label.span.file).collect();
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
        let here = |label: &&Label| label.span.file == file;
        let shown = text.extract(report.labels().filter(here));
        let mut snippet = Snippet::source(&text.text[shown.clone()])
            .path(text.path.as_str())
            .line_start(text.line(shown.start));
        for label in report.labels().filter(here) {
            let range = text.range(label.span);
            if !(shown.start..=shown.end).contains(&range.start) {
                continue;
            }
            let range = range.start - shown.start..range.end.min(shown.end) - shown.start;
            let is_primary = report
                .primary
                .as_ref()
                .is_some_and(|primary| std::ptr::eq(label, primary));
            let kind = match is_primary {
                true => AnnotationKind::Primary,
                false => AnnotationKind::Context,
            };
            let mut annotation = kind.span(range);
            if !label.message.is_empty() {
                annotation = annotation.label(&label.message);
            }
            snippet = snippet.annotation(annotation);
        }
        group = group.element(snippet);
    }
    if let Some(help) = &report.help {
        group = group.element(Level::HELP.message(help));
    }
    group
}

/// Longer lines are cut, for they could not be read anyway.
const LONGEST_LINE: usize = 800;

/// A file as it is shown: UTF-8 if its bytes are that, ISO 8859-1 otherwise.
struct Text {
    path: String,
    text: String,
    /// Where its lines start.
    lines: Vec<usize>,
    /// Where each byte of an ISO 8859-1 file went.
    offsets: Option<Vec<usize>>,
}

impl Text {
    fn new(file: &SourceFile) -> Self {
        let path = file.path().display().to_string();
        let (text, offsets) = match std::str::from_utf8(file.bytes()) {
            Ok(text) => (text.to_owned(), None),
            Err(_) => {
                let mut text = String::with_capacity(file.bytes().len());
                let mut offsets = Vec::with_capacity(file.bytes().len());
                for &byte in file.bytes() {
                    offsets.push(text.len());
                    text.push(char::from(byte));
                }
                (text, Some(offsets))
            }
        };
        let ends = text.match_indices('\n').map(|(newline, _)| newline + 1);
        let lines = std::iter::once(0).chain(ends).collect();
        Self {
            path,
            text,
            lines,
            offsets,
        }
    }

    /// The part of the text to show: the lines from the first label to the
    /// last. Of lines too long to read, only what is near the first label.
    fn extract<'l>(&self, labels: impl Iterator<Item = &'l Label>) -> Range<usize> {
        let ranges: Vec<Range<usize>> = labels.map(|label| self.range(label.span)).collect();
        let first = ranges.iter().map(|range| range.start).min().unwrap_or(0);
        let last = ranges.iter().map(|range| range.end).max().unwrap_or(0);
        let start = self.text[..first]
            .rfind('\n')
            .map_or(0, |newline| newline + 1);
        let end = self.text[last..]
            .find('\n')
            .map_or(self.text.len(), |newline| last + newline);
        if self.text[start..end]
            .lines()
            .all(|line| line.len() <= LONGEST_LINE)
        {
            return start..end;
        }
        let centre = ranges.first().cloned().unwrap_or(first..last);
        let start = centre.start.saturating_sub(LONGEST_LINE / 8);
        let end = centre.end.min(centre.start + LONGEST_LINE) + LONGEST_LINE / 8;
        let start = self.text.floor_char_boundary(start);
        start..self.text.floor_char_boundary(end.min(self.text.len()))
    }

    /// The line of an offset, counted from 1.
    fn line(&self, offset: usize) -> usize {
        self.lines.partition_point(|&start| start <= offset)
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
