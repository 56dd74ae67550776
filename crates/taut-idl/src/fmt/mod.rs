//! The canonical layout of IDL.
//!
//! [`format`](format()) works on the text as it stands in its file, before the
//! preprocessor: directives, macros and what conditions take out are laid out
//! with the rest. It moves tokens and comments, and changes none: what it
//! gives is read again and compared with what it was given.
//!
//! The layout: two blanks for each block; one member, enumerator or branch of a
//! union a line; directives at the margin; at most one empty line where the
//! source has some, and none at the ends of a block. A line longer than 100 columns goes on
//! in the next one, and a long list of parameters has a line for each. Comments keep their
//! place before, behind or between tokens. Annotations in front of a definition keep their
//! line.
//!
//! It goes by brackets, marks and a handful of keywords, and so lays out what
//! the parser does not know.

mod layout;
mod scan;
mod spacing;
mod statement;
mod text;
mod writer;

use std::path::Path;

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::options::Limits;
use crate::report::Report;
use crate::source::{SourceMap, Span};
use scan::{Element, ElementKind};
use writer::Writer;

/// Why a file was not laid out.
#[derive(Debug, Clone)]
pub struct Refused {
    /// The faults of the file: at least one error.
    pub diagnostics: Vec<Diagnostic>,
    /// The file.
    pub sources: SourceMap,
}

impl Refused {
    /// The diagnostics as text, as [`Compilation::render`](crate::Compilation::render).
    pub fn render(&self, color: bool) -> String {
        let reports: Vec<Report> = self.diagnostics.iter().map(Report::from).collect();
        crate::render::render(&reports, &self.sources, color)
    }
}

/// Lays out a file. Its lines end as its first one does.
///
/// # Errors
///
/// When the file is larger than the limits allow, or holds something that is no
/// token: a literal or comment without its end, a stray character. Between
/// conditions lines may hold such, and are left as they are.
pub fn format(path: &Path, source: &[u8], limits: &Limits) -> Result<Vec<u8>, Box<Refused>> {
    let mut sources = SourceMap::default();
    let most = limits.file_bytes.min(u32::MAX as usize - 16);
    let kept = if source.len() > most { &[] } else { source };
    let file = sources.add(path.to_path_buf(), kept.to_vec(), true);
    let place = |start: usize, end: usize| Span {
        file,
        start: start as u32,
        end: end as u32,
    };
    let refuse = |mut diagnostics: Vec<Diagnostic>| {
        diagnostics.truncate(limits.diagnostics.max(1));
        Box::new(Refused {
            diagnostics,
            sources: sources.clone(),
        })
    };
    if source.len() > most {
        let message = format!("the file has more than {most} bytes");
        let code = DiagnosticCode::LimitExceeded;
        return Err(refuse(vec![Diagnostic::error(code, message, place(0, 0))]));
    }
    let elements = scan::scan(file, source).map_err(&refuse)?;
    let mut writer = Writer::default();
    if source.starts_with(MARK) {
        writer.mark(MARK);
    }
    let mut text = layout::layout(source, &elements, writer);
    let first_end = source.iter().position(|byte| *byte == b'\n');
    if first_end.is_some_and(|end| source[..end].ends_with(b"\r")) {
        text = with_carriage_returns(&text);
    }
    match scan::scan(file, &text) {
        Ok(again) if says_the_same(source, &elements, &text, &again) => Ok(text),
        _ => {
            let (start, end) = elements.first().map_or((0, 0), |it| (it.start, it.end));
            let diagnostic = Diagnostic::error(
                DiagnosticCode::NotSupported,
                "the layout would change what this file says",
                place(start, end),
            );
            Err(refuse(vec![
                diagnostic.help("report this; the file is left as it is"),
            ]))
        }
    }
}

/// The byte order mark of UTF-8.
const MARK: &[u8] = b"\xEF\xBB\xBF";

fn with_carriage_returns(text: &[u8]) -> Vec<u8> {
    let mut output = Vec::with_capacity(text.len() + text.len() / 16);
    for byte in text {
        if *byte == b'\n' {
            output.push(b'\r');
        }
        output.push(*byte);
    }
    output
}

/// Whether two texts have the same tokens, comments and directives.
fn says_the_same(first: &[u8], elements: &[Element], second: &[u8], others: &[Element]) -> bool {
    elements.len() == others.len()
        && elements.iter().zip(others).all(|(element, other)| {
            let text = &first[element.start..element.end];
            let other_text = &second[other.start..other.end];
            element.kind == other.kind
                && match element.kind {
                    ElementKind::Token(_) => true,
                    ElementKind::LineComment | ElementKind::BlockComment => {
                        text::essence(text) == text::essence(other_text)
                    }
                    ElementKind::Directive(_) | ElementKind::Verbatim => {
                        text::lines(text) == text::lines(other_text)
                    }
                }
        })
}
