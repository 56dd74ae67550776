//! The pages of decisions: each decision has its parts, and names tests that there are.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use super::packages::root;

/// The parts that a decision has at least. One for which nothing else was tried has no
/// `**Considered instead.**`.
const PARTS: [&str; 3] = ["**Decision.**", "**Why.**", "**Held by.**"];

/// The files of the repository, as paths from its root, and the names of their functions.
#[derive(Default)]
struct Sources {
    paths: HashSet<String>,
    names: HashSet<String>,
}

impl Sources {
    fn read() -> Self {
        let mut sources = Self::default();
        sources.collect(&root(), "");
        sources
    }

    fn collect(&mut self, directory: &Path, inside: &str) {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if name == "target" || name.starts_with('.') {
                continue;
            }
            let path_inside = format!("{inside}/{name}");
            if path.is_dir() {
                self.collect(&path, &path_inside);
            } else if name.ends_with(".rs") {
                self.note(&fs::read_to_string(&path).unwrap());
            }
            self.paths.insert(path_inside);
        }
    }

    /// Notes the functions and modules of a file.
    fn note(&mut self, text: &str) {
        for line in text.lines() {
            let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            if words.any(|word| word == "fn" || word == "mod") {
                self.names.extend(words.next().map(str::to_owned));
            }
        }
    }

    /// Whether there is what a code span behind `**Held by.**` names: a file, a directory or
    /// several files in braces; a function or a module; a chore.
    fn have(&self, span: &str) -> bool {
        if span.starts_with("cargo ") {
            return true;
        }
        if let Some((before, rest)) = span.split_once('{') {
            let (inside, after) = rest.split_once('}').unwrap_or((rest, ""));
            let mut parts = inside.split(',');
            return parts.all(|part| self.have(&format!("{before}{}{after}", part.trim())));
        }
        if span.contains('/') || span.ends_with(".rs") {
            return self.paths.iter().any(|path| leads_to(span, path));
        }
        let mut parts = span.split("::");
        parts.all(|part| self.names.contains(part) || part.starts_with("taut_"))
    }
}

/// Whether a path is the one that a page names, from the root or by the file's name alone. A page may
/// leave out directories in between, such as that of a test program.
fn leads_to(named: &str, path: &str) -> bool {
    let path = path.trim_start_matches('/');
    let Some((first, rest)) = named.split_once('/') else {
        return path.rsplit('/').next() == Some(named);
    };
    let mut parts = path.split('/');
    parts.next() == Some(first)
        && rest.split('/').all(|part| parts.any(|other| other == part))
        && parts.next().is_none()
}

/// The faults of a page of decisions.
fn faults(page: &str, sources: &Sources) -> Vec<String> {
    let mut faults = Vec::new();
    for section in page.split("\n## ").skip(1) {
        let title = section.lines().next().unwrap_or_default();
        if !section.contains(PARTS[0]) {
            // A section that explains, such as a table on paper.
            continue;
        }
        let lacking = PARTS.iter().filter(|part| !section.contains(*part));
        faults.extend(lacking.map(|part| format!("{title}: it has no {part}")));
        let held = section.split(PARTS[2]).nth(1).unwrap_or_default();
        let held = held.split("\n\n").next().unwrap_or_default();
        let spans = held.split('`').skip(1).step_by(2);
        let unknown = spans.filter(|span| !sources.have(span));
        faults.extend(unknown.map(|span| format!("{title}: there is no {span}")));
    }
    faults
}

#[test]
fn every_decision_has_its_parts_and_names_tests_that_there_are() {
    let sources = Sources::read();
    let mut all = Vec::new();
    let mut count = 0;
    for page in fs::read_dir(root().join("docs/decisions")).unwrap() {
        let path = page.unwrap().path();
        let page = fs::read_to_string(&path).unwrap();
        count += page.matches(PARTS[0]).count();
        let faults = faults(&page, &sources);
        all.extend(
            faults
                .into_iter()
                .map(|fault| format!("{}: {fault}", path.display())),
        );
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
    assert!(count > 50, "{count}");
}

#[test]
fn wrong_decisions_are_found() {
    let mut sources = Sources::default();
    sources.paths.insert("/crates/a/tests/b.rs".to_owned());
    sources.note("mod tests;\n    fn it_holds() {}\n");
    let page = |held: &str| format!("# P\n\n## T\n\n**Decision.** x\n\n**Why.** y\n\n{held}\n");
    for (held, is_sound) in [
        ("**Held by.** `it_holds`; `crates/a/tests/b.rs`.", true),
        ("**Held by.** `tests::it_holds`; `cargo xtask loom`.", true),
        ("**Held by.** `a/b.rs`.", false),
        ("**Held by.** `crates/a/b.rs`.", true),
        ("**Held by.** `crates/a/tests`.", false),
        ("**Held by.** `crates/a/tests/{b,c}.rs`.", false),
        ("**Held by.** `it_does_not`.", false),
        ("held by nobody", false),
    ] {
        assert_eq!(faults(&page(held), &sources).is_empty(), is_sound, "{held}");
    }
}
