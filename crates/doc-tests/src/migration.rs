//! The pages for those who come from another ORB name what Taut has.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

const PAGES: [&str; 3] = [
    "coming-from-omniorb.md",
    "coming-from-tao.md",
    "coming-from-jacorb.md",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The names that the crates of a program declare.
#[derive(Default)]
struct Names {
    /// Types, traits and modules.
    scopes: HashSet<String>,
    /// These, functions, fields and variants.
    items: HashSet<String>,
}

impl Names {
    fn of_sources() -> Self {
        let mut names = Self::default();
        for name in [
            "taut",
            "taut-giop",
            "taut-types",
            "taut-dynamic",
            "taut-build",
        ] {
            names.scopes.insert(name.replace('-', "_"));
            names.collect(&root().join("crates").join(name).join("src"));
        }
        names
    }

    fn collect(&mut self, directory: &Path) {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                self.collect(&path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(path).unwrap();
                text.lines().for_each(|line| self.note(line));
            }
        }
    }

    /// Notes the name that a line of code declares: that behind the keyword, or the first of a
    /// field or variant.
    fn note(&mut self, line: &str) {
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        let line = line.trim_start();
        if line.starts_with("//") {
            return;
        }
        let mut words = line
            .split(|c| !is_letter(c))
            .filter(|word| !word.is_empty());
        let skipped = ["pub", "crate", "const", "async", "unsafe"];
        let Some(first) = words.find(|word| !skipped.contains(word)) else {
            return;
        };
        let is_scope = ["struct", "enum", "trait", "mod"].contains(&first);
        let name = match is_scope || first == "fn" {
            true => words.next().unwrap_or_default(),
            false => first,
        };
        if is_scope {
            self.scopes.insert(name.to_owned());
        }
        self.items.insert(name.to_owned());
    }
}

/// The code spans in the cells of the columns that are headed `Taut`.
fn spans(page: &str) -> Vec<String> {
    let mut column = None;
    let mut spans = Vec::new();
    for line in page.lines() {
        let Some(row) = line.strip_prefix('|') else {
            column = None;
            continue;
        };
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        match column {
            None => column = cells.iter().position(|cell| *cell == "Taut"),
            Some(column) => {
                let cell = cells.get(column).copied().unwrap_or_default();
                spans.extend(cell.split('`').skip(1).step_by(2).map(str::to_owned));
            }
        }
    }
    spans
}

/// Whether there is what a span names: an argument, a setting, a command, or a function, type or
/// variant. Types that are made of the IDL are those of a program.
fn is_there(span: &str, limits: &str, names: &Names) -> bool {
    let first = span.split([' ', '(']).next().unwrap_or_default();
    let is_documented = |ends: &[&str]| {
        ends.iter()
            .any(|end| limits.contains(&format!("`{first}{end}")))
    };
    match first {
        "taut" => {
            let command = span.split(' ').nth(1).unwrap_or_default();
            [
                "ior", "giop", "idl", "name", "schedule", "call", "describe", "ping", "record",
                "replay", "mock", "shell", "ifr",
            ]
            .contains(&command)
        }
        "impl" | "build.rs" | "tcpdump" | "AccountSkeleton::new" => true,
        _ if first.starts_with("-ORB") => is_documented(&[" ", "`"]),
        _ if first.contains('.') => is_documented(&["`"]),
        _ => match first.rsplit_once("::") {
            Some((scope, item)) => {
                let scope = scope.rsplit("::").next().unwrap_or_default();
                names.scopes.contains(scope) && names.items.contains(item)
            }
            None => names.scopes.contains(first),
        },
    }
}

#[test]
fn what_the_pages_call_taut_s_is_there() {
    let limits = fs::read_to_string(root().join("docs/limits.md")).unwrap();
    let names = Names::of_sources();
    for page in PAGES {
        let text = fs::read_to_string(root().join("docs").join(page)).unwrap();
        let spans = spans(&text);
        assert!(spans.len() > 40, "{page}: {}", spans.len());
        let missing: Vec<_> = spans
            .iter()
            .filter(|span| !is_there(span, &limits, &names))
            .collect();
        assert!(missing.is_empty(), "{page}: {missing:#?}");
    }
}

#[test]
fn names_that_are_not_there_are_found() {
    let limits = fs::read_to_string(root().join("docs/limits.md")).unwrap();
    let names = Names::of_sources();
    for (span, expected) in [
        ("-ORBCallTimeout 5s", true),
        ("-ORBCallTimeouts", false),
        ("client.call_timeout", true),
        ("client.call_time", false),
        ("Orb::root_poa", true),
        ("Orb::root_poas", false),
        ("Orbs::root_poa", false),
        ("CollocationStrategy::Direct", true),
        ("taut ior", true),
        ("taut list", false),
    ] {
        assert_eq!(is_there(span, &limits, &names), expected, "{span}");
    }
    let page =
        "| a | Taut |\n|---|---|\n| `x` | `y`, `z` |\n\n| Taut | b |\n|---|---|\n| `u` | `v` |\n";
    assert_eq!(spans(page), ["y", "z", "u"]);
}
