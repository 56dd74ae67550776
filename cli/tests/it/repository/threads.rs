//! `docs/threads-and-connections.md` has every thread that an ORB starts.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::packages::root;

/// The first words of the names that a source gives to threads, such as `taut accept` of
/// `"taut accept {place}"`.
fn names(source: &str, found: &mut BTreeSet<String>) {
    let product = source
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default();
    for part in product.split("\"taut ").skip(1) {
        let end = part.find(|letter: char| !letter.is_ascii_lowercase());
        found.insert(format!("taut {}", &part[..end.unwrap_or(part.len())]));
    }
}

fn names_below(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            names_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            names(&fs::read_to_string(path).unwrap(), found);
        }
    }
}

/// The names in the first column of the page's table; `…` stands for what differs.
fn listed(page: &str) -> BTreeSet<String> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let names = rows.filter_map(|row| row.split('`').next());
    let names = names.filter(|name| name.starts_with("taut "));
    names
        .map(|name| name.trim_end_matches(" …").to_owned())
        .collect()
}

#[test]
fn the_page_lists_all_threads_and_no_other() {
    let mut found = BTreeSet::new();
    for package in ["taut", "taut-sync", "taut-transport"] {
        names_below(&root().join("crates").join(package).join("src"), &mut found);
    }
    let page = fs::read_to_string(root().join("docs/threads-and-connections.md")).unwrap();
    assert_eq!(listed(&page), found);
}

#[test]
fn names_are_found_in_sources_but_not_in_their_tests() {
    let mut found = BTreeSet::new();
    let source = "spawn(\"taut watch\", run); format!(\"taut lane {number}\");\n\
                  #[cfg(test)]\nmod tests { \"taut test\" }";
    names(source, &mut found);
    assert_eq!(found, ["taut lane", "taut watch"].map(str::to_owned).into());
    let page = "| `taut lane …` | server |\n| yours | client |\n| `other` | |";
    assert_eq!(listed(page), ["taut lane".to_owned()].into());
}
