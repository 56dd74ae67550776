//! IDL comments as doc comments.
//!
//! IDL comments are plain text; rustdoc reads Markdown, makes links of `[x]`,
//! HTML of `<T>` and tests of indented lines. So everything is escaped but
//! paragraphs, lists and inline code.

use crate::code::Code;

/// The doc attributes for a comment, or for the fallback if there is none.
pub(crate) fn doc_or(comment: &[String], fallback: &str) -> Code {
    let text = markdown(comment);
    if text.is_empty() {
        attributes(&[fallback.to_owned()])
    } else {
        attributes(&text)
    }
}

/// As [`doc_or`], with a paragraph more.
pub(crate) fn doc_and(comment: &[String], fallback: &str, more: Option<&str>) -> Code {
    let mut text = markdown(comment);
    if text.is_empty() {
        text.push(fallback.to_owned());
    }
    if let Some(more) = more {
        text.push(String::new());
        text.push(more.to_owned());
    }
    attributes(&text)
}

/// The doc attributes for Markdown.
pub(crate) fn doc(text: &str) -> Code {
    attributes(&[text.to_owned()])
}

fn attributes(lines: &[String]) -> Code {
    let mut code = Code::new();
    for line in lines {
        match line.as_str() {
            "" => code.doc(""),
            line => code.doc(&format!(" {line}")),
        }
    }
    code
}

fn markdown(comment: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    // How far the lines of the list item that we are in are indented.
    let mut indent = 0;
    for line in comment {
        let line = line.trim();
        if line.is_empty() {
            indent = 0;
            if lines.last().is_some_and(|last| !last.is_empty()) {
                lines.push(String::new());
            }
            continue;
        }
        match list_item(line) {
            Some((marker, text)) => {
                // A list that follows a paragraph begins a new block.
                if indent == 0 && lines.last().is_some_and(|last| !last.is_empty()) {
                    lines.push(String::new());
                }
                indent = marker.len() + 1;
                lines.push(format!("{marker} {}", escape(text)));
            }
            None => lines.push(format!("{:indent$}{}", "", escape(line))),
        }
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

/// The marker of a list item and what follows it.
fn list_item(line: &str) -> Option<(&'static str, &str)> {
    ["- ", "* ", "+ "]
        .iter()
        .find_map(|marker| line.strip_prefix(marker))
        .map(|text| ("-", text.trim_start()))
}

fn escape(line: &str) -> String {
    let mut escaped = String::with_capacity(line.len());
    let mut rest = line;
    // Finds the mark that would open a heading, a list, a fence or a rule.
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if digits > 0 && line[digits..].starts_with(['.', ')']) {
        escaped.push_str(&line[..digits]);
        escaped.push('\\');
        rest = &line[digits..];
    } else if line.starts_with(['#', '-', '+', '=', '~', '>']) {
        escaped.push('\\');
        let first = line.chars().next().map_or(0, char::len_utf8);
        escaped.push_str(&line[..first]);
        rest = &line[first..];
    }
    while let Some(character) = rest.chars().next() {
        if character == '`' {
            // Inline code stays as it is if it ends on the same line.
            let code = rest[1..].find('`').map(|end| &rest[..end + 2]);
            if let Some(code) = code.filter(|code| code.len() > 2) {
                escaped.push_str(code);
                rest = &rest[code.len()..];
                continue;
            }
        }
        if rest.starts_with("http://") || rest.starts_with("https://") {
            let end = rest
                .find(|c: char| c.is_whitespace() || "<>\"`".contains(c))
                .unwrap_or(rest.len());
            let url = rest[..end].trim_end_matches(['.', ',', ';', ':', ')', '!', '?']);
            escaped.push_str(&format!("<{url}>"));
            rest = &rest[url.len()..];
            continue;
        }
        let after = rest[character.len_utf8()..].chars().next();
        let inside_word =
            escaped.ends_with(char::is_alphanumeric) && after.is_some_and(char::is_alphanumeric);
        if "\\`*[<".contains(character) || (character == '_' && !inside_word) {
            escaped.push('\\');
        }
        escaped.push(if character == '\t' { ' ' } else { character });
        rest = &rest[character.len_utf8()..];
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(comment: &str) -> String {
        let lines: Vec<String> = comment.lines().map(str::to_owned).collect();
        markdown(&lines).join("\n")
    }

    #[test]
    fn comments_become_markdown() {
        for (comment, expected) in [
            ("A point.", "A point."),
            ("  A\n     point.", "A\npoint."),
            ("See [1] and sequence<T>.", "See \\[1] and sequence\\<T>."),
            ("Keep `a[0]` so.", "Keep `a[0]` so."),
            ("One ` alone", "One \\` alone"),
            ("# No heading", "\\# No heading"),
            ("1. No list", "1\\. No list"),
            ("a_b * _c", "a_b \\* \\_c"),
            (
                "Two:\n- one\n  more\n- two\n\nEnd",
                "Two:\n\n- one\n  more\n- two\n\nEnd",
            ),
            ("* one\nlazy", "- one\n  lazy"),
            ("\n\nA\n\n\nB\n\n", "A\n\nB"),
            ("at http://a.b/c_d.", "at <http://a.b/c_d>."),
            ("\tx\ty", "x y"),
            ("", ""),
        ] {
            assert_eq!(render(comment), expected, "{comment:?}");
        }
    }
}
