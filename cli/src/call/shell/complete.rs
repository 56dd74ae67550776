//! Completions of the shell: operations, attributes, parameters, and what values are made of.

use taut_dynamic::{InterfaceDescription, Parameter};
use taut_types::{TCKind, TypeCode};

use super::session::COMMANDS;

/// Returns the ways in which the end of a line may go on: where the part to replace begins, and
/// what may stand there.
pub(super) fn candidates(interface: &InterfaceDescription, line: &str) -> (usize, Vec<String>) {
    let start = start_of_word(line);
    let (before, word) = line.split_at(start);
    let mut words = before.split_whitespace();
    let operations = || interface.operations.iter().map(|(name, _)| name.as_str());
    let (at, all): (usize, Vec<String>) = match words.next() {
        None => {
            let called = operations().filter(|name| !name.starts_with('_'));
            let attributes = ["get", "set"].into_iter();
            let commands = COMMANDS.iter().map(|(name, _)| *name);
            let all = called.chain(attributes).chain(commands);
            (start, all.map(str::to_owned).collect())
        }
        Some(mode @ ("get" | "set")) if !operations().any(|name| name == mode) => {
            match (word.split_once('='), mode) {
                (Some((name, value)), "set") => {
                    let setter = format!("_set_{name}");
                    value_of(interface, &setter, name, line.len() - value.len(), value)
                }
                _ => {
                    let prefix = format!("_{mode}_");
                    let end = if mode == "set" { "=" } else { "" };
                    let names = operations().filter_map(|name| name.strip_prefix(&prefix));
                    (start, names.map(|name| format!("{name}{end}")).collect())
                }
            }
        }
        Some(operation) => match word.split_once('=') {
            Some((name, value)) => {
                value_of(interface, operation, name, line.len() - value.len(), value)
            }
            None => {
                let given = |name: &str| before.contains(&format!(" {name}="));
                let sent = sent(interface, operation);
                let names = sent.iter().filter(|one| !given(&one.name));
                (start, names.map(|one| format!("{}=", one.name)).collect())
            }
        },
    };
    let typed = &line[at..];
    let mut fitting: Vec<_> = all
        .into_iter()
        .filter(|one| one.starts_with(typed))
        .collect();
    fitting.sort();
    fitting.dedup();
    (at, fitting)
}

/// Where the last word begins, which may have blanks within brackets and quotes.
fn start_of_word(line: &str) -> usize {
    let mut start = 0;
    let mut depth = 0_usize;
    let mut in_quotes = false;
    let mut is_escaped = false;
    for (index, character) in line.char_indices() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' if in_quotes => is_escaped = true,
            '"' => in_quotes = !in_quotes,
            _ if in_quotes => {}
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            _ if character.is_whitespace() && depth == 0 => start = index + character.len_utf8(),
            _ => {}
        }
    }
    start
}

fn sent(interface: &InterfaceDescription, operation: &str) -> Vec<Parameter> {
    let Ok(signature) = interface.signature(operation) else {
        return Vec::new();
    };
    let sent = signature.parameters.iter().filter(|one| one.is_sent());
    sent.cloned().collect()
}

/// The ways in which a parameter's value, which begins at an offset of the line, may go on.
fn value_of(
    interface: &InterfaceDescription,
    operation: &str,
    name: &str,
    offset: usize,
    value: &str,
) -> (usize, Vec<String>) {
    let sent = sent(interface, operation);
    match sent.iter().find(|one| one.name == name) {
        Some(one) => {
            let (at, all) = within(&one.type_code, value);
            (offset + at, all)
        }
        None => (offset, Vec::new()),
    }
}

/// A bracket of a value that is still open.
enum Open {
    /// An object of this type; behind a colon, the member's name.
    Members(TypeCode, Option<String>),
    /// An array of elements of this type.
    Elements(TypeCode),
}

/// The ways in which the beginning of a value of this type may go on.
fn within(type_code: &TypeCode, text: &str) -> (usize, Vec<String>) {
    let mut open: Vec<Open> = Vec::new();
    let mut last_text = String::new();
    let mut value_begins = 0;
    let mut characters = text.char_indices();
    while let Some((index, character)) = characters.next() {
        match character {
            '"' => {
                let behind = &text[index + 1..];
                let Some(length) = closing_quote(behind) else {
                    return quoted(index, &expected(type_code, &open), &open);
                };
                behind[..length].clone_into(&mut last_text);
                // The closing quote was passed as well.
                let end = index + 1 + length;
                for (at, _) in characters.by_ref() {
                    if at >= end {
                        break;
                    }
                }
            }
            '{' => open.push(Open::Members(expected(type_code, &open), None)),
            '[' => {
                let element = expected(type_code, &open).content_type();
                open.push(Open::Elements(element.unwrap_or_default()));
                value_begins = index + 1;
            }
            '}' | ']' => {
                open.pop();
            }
            ':' => {
                if let Some(Open::Members(_, name)) = open.last_mut() {
                    *name = Some(last_text.clone());
                }
                value_begins = index + 1;
            }
            ',' => {
                if let Some(Open::Members(_, name)) = open.last_mut() {
                    *name = None;
                }
                value_begins = index + 1;
            }
            _ if character.is_whitespace() && text[value_begins..index].trim().is_empty() => {
                value_begins = index + character.len_utf8();
            }
            _ => {}
        }
    }
    if let Some(Open::Members(_, None)) = open.last() {
        return (text.len(), Vec::new());
    }
    bare(value_begins, &expected(type_code, &open), open.is_empty())
}

/// Where a text in quotes ends.
fn closing_quote(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.char_indices().find_map(|(index, character)| {
        let is_end = character == '"' && !is_escaped;
        is_escaped = character == '\\' && !is_escaped;
        is_end.then_some(index)
    })
}

/// The type of the value that stands next.
fn expected(type_code: &TypeCode, open: &[Open]) -> TypeCode {
    let expected = match open.last() {
        None => type_code.clone(),
        Some(Open::Elements(element)) => element.clone(),
        Some(Open::Members(of, Some(name))) => {
            let count = of.member_count().unwrap_or_default();
            let mut members = 0..count;
            let index = members.find(|index| of.member_name(*index) == Ok(name));
            let member = index.and_then(|index| of.member_type(index).ok());
            member.unwrap_or_default()
        }
        Some(Open::Members(of, None)) => of.clone(),
    };
    expected.without_aliases()
}

/// The texts that may stand in quotes that begin at an offset: a member's name, or an enumerator.
fn quoted(offset: usize, expected: &TypeCode, open: &[Open]) -> (usize, Vec<String>) {
    let names = names(expected);
    let all = match (open.last(), expected.kind()) {
        (Some(Open::Members(_, None)), _) => names.map(|name| format!("\"{name}\": ")).collect(),
        (_, TCKind::Enum) => names.map(|name| format!("\"{name}\"")).collect(),
        _ => Vec::new(),
    };
    (offset, all)
}

/// The texts that may stand without quotes.
fn bare(offset: usize, expected: &TypeCode, is_outermost: bool) -> (usize, Vec<String>) {
    let all = match expected.kind() {
        TCKind::Boolean => vec!["false".to_owned(), "true".to_owned()],
        TCKind::Enum if is_outermost => names(expected).collect(),
        TCKind::Enum => names(expected).map(|name| format!("\"{name}\"")).collect(),
        TCKind::Struct | TCKind::Union => vec!["{\"".to_owned()],
        TCKind::Sequence | TCKind::Array => vec!["[".to_owned()],
        _ => Vec::new(),
    };
    (offset, all)
}

/// The names of members or enumerators.
fn names(type_code: &TypeCode) -> impl Iterator<Item = String> {
    let count = type_code.member_count().unwrap_or_default();
    (0..count).filter_map(|index| type_code.member_name(index).ok().map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::path::Path;

    use taut_dynamic::Interfaces;

    use super::*;

    const IDL: &str = "
        enum Form { round, square };
        struct Point { long x; boolean up; };
        struct Line { Point from; sequence<Point> others; Form kind; };
        interface Shapes {
          attribute Form kind;
          readonly attribute long count;
          void draw(in Line line, in Form kind);
          void drop();
        };";

    struct Source;

    impl taut_idl::FileLoader for Source {
        fn load(&mut self, _: &Path, _: usize) -> io::Result<Vec<u8>> {
            Ok(IDL.as_bytes().to_vec())
        }
    }

    #[test]
    fn each_place_of_a_line_has_its_candidates() {
        let compilation = taut_idl::compile_with(&["x.idl"], &Default::default(), &mut Source);
        let interfaces = Interfaces::new(&compilation.model);
        let shapes = interfaces.find("Shapes").unwrap();
        for (line, at, expected) in [
            ("dr", 0, &["draw", "drop"][..]),
            ("q", 0, &["quit"]),
            ("get ", 4, &["count", "kind"]),
            ("set ", 4, &["kind="]),
            ("set kind=r", 9, &["round"]),
            ("draw ", 5, &["kind=", "line="]),
            ("draw kind=round ", 16, &["line="]),
            ("draw kind=", 10, &["round", "square"]),
            ("draw line=", 10, &["{\""]),
            (
                "draw line={\"",
                11,
                &["\"from\": ", "\"kind\": ", "\"others\": "],
            ),
            ("draw line={\"from\": {\"x", 20, &["\"x\": "]),
            ("draw line={\"from\": {\"up\": t", 26, &["true"]),
            (
                "draw line={\"others\": [{\"x\": 1}, {\"",
                33,
                &["\"up\": ", "\"x\": "],
            ),
            ("draw line={\"from\": {\"x\": 1}, \"k", 29, &["\"kind\": "]),
            ("draw line={\"kind\": \"s", 19, &["\"square\""]),
            ("none ", 5, &[]),
        ] {
            let (found_at, found) = candidates(shapes, line);
            assert_eq!(
                (found_at, &found[..]),
                (
                    at,
                    &expected
                        .iter()
                        .map(|one| (*one).to_owned())
                        .collect::<Vec<_>>()[..]
                ),
                "{line}"
            );
        }
    }
}
