//! Reports as JSON, for editors and build servers.

use std::fmt::Write;

use crate::diagnostic::Label;
use crate::report::Report;
use crate::severity::Severity;
use crate::source::SourceMap;

/// The reports as a JSON array, see
/// [`Compilation::to_json`](crate::Compilation::to_json); `primary` is null
/// where there is no place.
pub fn to_json(reports: &[Report], sources: &SourceMap) -> String {
    let mut json = String::from("[");
    for (index, report) in reports.iter().enumerate() {
        json.push_str(if index > 0 { ",\n" } else { "\n" });
        let severity = match report.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        member(&mut json, "{", "severity", severity);
        member(&mut json, ",", "code", report.code);
        member(&mut json, ",", "message", &report.message);
        json.push_str(",\"primary\":");
        match &report.primary {
            Some(label) => place(&mut json, label, sources),
            None => json.push_str("null"),
        }
        json.push_str(",\"secondary\":[");
        for (index, label) in report.secondary.iter().enumerate() {
            json.push_str(if index > 0 { "," } else { "" });
            place(&mut json, label, sources);
        }
        json.push(']');
        match &report.help {
            Some(help) => member(&mut json, ",", "help", help),
            None => json.push_str(",\"help\":null"),
        }
        json.push('}');
    }
    json.push_str("\n]\n");
    json
}

fn place(json: &mut String, label: &Label, sources: &SourceMap) {
    let span = label.span;
    let file = sources.file(span.file);
    member(json, "{", "file", &file.path().to_string_lossy());
    for (name, value) in [
        ("start", span.start),
        ("end", span.end),
        ("line", file.line(span.start)),
        ("column", file.column(span.start)),
        ("end_line", file.line(span.end)),
        ("end_column", file.column(span.end)),
    ] {
        // Writing to a string cannot fail.
        let _ = write!(json, ",\"{name}\":{value}");
    }
    member(json, ",", "message", &label.message);
    json.push('}');
}

fn member(json: &mut String, before: &str, name: &str, value: &str) {
    json.push_str(before);
    string(json, name);
    json.push(':');
    string(json, value);
}

/// A string, escaped as RFC 8259, 7 demands.
fn string(json: &mut String, text: &str) {
    json.push('"');
    for character in text.chars() {
        match character {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            '\u{0}'..='\u{1F}' | '\u{7F}' => {
                let _ = write!(json, "\\u{:04x}", u32::from(character));
            }
            _ => json.push(character),
        }
    }
    json.push('"');
}
