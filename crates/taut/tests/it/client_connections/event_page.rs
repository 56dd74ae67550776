//! docs/observability.md has every event of the ORB, and no other.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The level, the target, the message and the names of the fields.
type Event = (String, String, String, String);

const LEVELS: [&str; 5] = ["trace", "debug", "info", "warn", "error"];

#[test]
fn the_page_lists_all_events_and_no_other() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found = events_in_sources(&package.join("src"));
    assert!(found.len() > 40, "{found:#?}");
    let page = fs::read_to_string(package.join("../../docs/observability.md")).unwrap();
    let listed: BTreeSet<Event> = page.lines().filter_map(row).collect();
    let missing: Vec<_> = found.difference(&listed).map(as_row).collect();
    let stale: Vec<_> = listed.difference(&found).map(as_row).collect();
    assert!(
        missing.is_empty() && stale.is_empty(),
        "docs/observability.md lacks\n{}\nand has, though there are no such events,\n{}",
        missing.join("\n"),
        stale.join("\n")
    );
}

fn as_row((level, target, message, fields): &Event) -> String {
    format!("| {level} | `{target}` | {message} | {fields} |")
}

/// The event of a row of the page, if the line is one.
fn row(line: &str) -> Option<Event> {
    let cells: Vec<_> = line.strip_prefix("| ")?.split('|').map(str::trim).collect();
    let [level, target, message, fields, ""] = cells[..] else {
        return None;
    };
    let target = target.trim_matches('`');
    let is_row = LEVELS.contains(&level) && target.starts_with("taut");
    is_row.then(|| (level.into(), target.into(), message.into(), fields.into()))
}

fn events_in_sources(root: &Path) -> BTreeSet<Event> {
    let mut events = BTreeSet::new();
    for path in files_below(root) {
        let relative = path.strip_prefix(root).unwrap().with_extension("");
        let module = relative.to_str().unwrap().replace('/', "::");
        let target = format!("taut::{}", module.trim_end_matches("::mod"));
        let text = fs::read_to_string(&path).unwrap();
        for level in LEVELS {
            for (start, name) in text.match_indices(&format!("tracing::{level}!(")) {
                let arguments = arguments(&text[start + name.len()..]);
                let (message, fields) = arguments.split_last().unwrap();
                let message = message.trim_matches('"').to_owned();
                let fields: Vec<_> = fields.iter().map(|field| name_of(field)).collect();
                events.insert((level.into(), target.clone(), message, fields.join(", ")));
            }
        }
    }
    events
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// The arguments of a macro of which `text` follows the opening parenthesis.
fn arguments(text: &str) -> Vec<&str> {
    let (mut arguments, mut begin, mut depth, mut quoted) = (Vec::new(), 0, 0, false);
    for (index, octet) in text.bytes().enumerate() {
        let argument = text[begin..index].trim();
        match octet {
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'(' | b'[' | b'{' => depth += 1,
            b')' if depth == 0 => {
                arguments.extend((!argument.is_empty()).then_some(argument));
                return arguments;
            }
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 0 => {
                arguments.push(argument);
                begin = index + 1;
            }
            _ => {}
        }
    }
    panic!("a macro without an end: {text}");
}

/// The name of a field such as `peer`, `%error` or `limit = 7`, as the page has it.
fn name_of(field: &str) -> String {
    let name = field.trim_start_matches(['%', '?']);
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_');
    format!("`{}`", &name[..end.unwrap_or(name.len())])
}
