//! The floors of the house: crates import only from crates below them, and so do the
//! modules of the crate `taut`. `ARCHITECTURE.md` says which floors there are.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::packages::{members, root};

fn architecture() -> String {
    fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap()
}

/// The floor of each crate, as the drawing of the floors shows it.
fn crate_floors(page: &str, crates: &BTreeSet<String>) -> BTreeMap<String, u32> {
    let drawing = page.split("```text").nth(1).unwrap();
    let drawing = drawing.split("```").next().unwrap();
    let mut floors = BTreeMap::new();
    let mut floor = 0;
    for line in drawing.lines() {
        let line = line.trim();
        let (number, rest) = line.split_once(' ').unwrap_or((line, ""));
        let line = match number.parse() {
            Ok(number) => {
                floor = number;
                rest
            }
            Err(_) => line,
        };
        // A crate begins a column; what it is for follows it.
        let columns = line.split("  ").map(str::trim);
        for column in columns.filter(|column| !column.is_empty()) {
            let name = column.split(' ').next().unwrap();
            let name = name.rsplit('/').next().unwrap();
            let full = format!("taut-{name}");
            let known = [name, &full]
                .into_iter()
                .find(|name| crates.contains(*name));
            if let Some(known) = known {
                floors.entry(known.to_owned()).or_insert(floor);
            }
        }
    }
    floors
}

#[test]
fn crates_depend_only_on_crates_of_lower_floors() {
    let members = members();
    let name = |package: &serde_json::Value| package["name"].as_str().unwrap().to_owned();
    let published = members
        .iter()
        .filter(|package| package["publish"].is_null());
    let crates: BTreeSet<_> = published.map(name).collect();
    let floors = crate_floors(&architecture(), &crates);
    let missing: Vec<_> = crates
        .iter()
        .filter(|name| !floors.contains_key(*name))
        .collect();
    assert!(missing.is_empty(), "on no floor of the page: {missing:?}");
    for package in &members {
        let from = name(package);
        let dependencies = package["dependencies"].as_array().unwrap();
        let shipped = dependencies.iter().filter(|d| d["kind"] != "dev");
        for to in shipped.map(|dependency| dependency["name"].as_str().unwrap()) {
            if let (Some(high), Some(low)) = (floors.get(&from), floors.get(to)) {
                assert!(
                    low < high,
                    "{from} (floor {high}) imports {to} (floor {low})"
                );
            }
        }
    }
}

/// The modules of `taut`, each with the number of its row: the table has the lowest first.
fn module_floors(page: &str) -> BTreeMap<String, usize> {
    let table = page.split("Inside `taut`, lowest first:").nth(1).unwrap();
    let rows = table
        .lines()
        .skip_while(|line| !line.starts_with("| `"))
        .take_while(|line| line.starts_with("| `"));
    let names = |row: &str| {
        let cell = row.split('|').nth(1).unwrap();
        let names = cell.split(',').map(|name| name.trim().trim_matches('`'));
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    rows.enumerate()
        .flat_map(|(floor, row)| names(row).into_iter().map(move |name| (name, floor)))
        .collect()
}

/// The code of a file, without its comments and its inline tests, which stand last.
fn code(text: &str) -> String {
    let begins_tests = |at: &usize| {
        let rest = &text[*at..];
        let is_test = rest.starts_with("#[cfg(test)]") || rest.starts_with("#[cfg(all(test");
        let mut lines = rest.lines().map(str::trim);
        let item = lines.find(|line| !line.starts_with("#["));
        is_test && item.is_some_and(|item| item.starts_with("mod ") && item.contains('{'))
    };
    let mut places = text.match_indices("#[cfg(").map(|(at, _)| at);
    let product = &text[..places.find(begins_tests).unwrap_or(text.len())];
    let lines = product.lines().map(str::trim_start);
    lines
        .filter(|line| !line.starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The modules that code names behind `crate::`, also in a group of imports. Those that a
/// macro names are imported where it is used.
fn imports(code: &str) -> BTreeSet<String> {
    let identifier = |text: &str| {
        let end = text.find(|c: char| !c.is_ascii_lowercase() && c != '_' && !c.is_ascii_digit());
        text[..end.unwrap_or(text.len())].to_owned()
    };
    let mut modules = BTreeSet::new();
    let code = code.replace("$crate::", "");
    for behind in code.split("crate::").skip(1) {
        match behind.strip_prefix('{') {
            None => {
                modules.insert(identifier(behind));
            }
            Some(group) => {
                let mut depth = 0;
                let mut start = 0;
                for (at, letter) in group.char_indices() {
                    match letter {
                        '{' => depth += 1,
                        '}' | ',' if depth == 0 => {
                            let import = group[start..at].trim_start();
                            if !import.is_empty() {
                                modules.insert(identifier(import));
                            }
                            start = at + 1;
                            if letter == '}' {
                                break;
                            }
                        }
                        '}' => depth -= 1,
                        _ => {}
                    }
                }
            }
        }
    }
    modules
}

/// The files of a directory and those below it.
fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| match path.is_dir() {
            true => files(&path),
            false => vec![path],
        })
        .collect()
}

#[test]
fn modules_of_the_orb_import_only_from_lower_ones() {
    let floors = module_floors(&architecture());
    let source = root().join("crates/taut/src");
    let is_test = |path: &Path| path.ends_with("tests.rs") || path.ends_with("orders.rs");
    let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut unknown = BTreeSet::new();
    for path in files(&source) {
        let inside = path.strip_prefix(&source).unwrap();
        let module = inside.components().next().unwrap().as_os_str();
        let module = module.to_str().unwrap().trim_end_matches(".rs").to_owned();
        if module == "lib" || is_test(&path) {
            continue;
        }
        if !floors.contains_key(&module) {
            unknown.insert(module.clone());
        }
        let text = fs::read_to_string(&path).unwrap();
        for import in imports(&code(&text)) {
            // Items of the facade, `lib.rs`, are above all but what generated code names.
            let is_of_facade = import.is_empty() && module != "codegen";
            assert!(!is_of_facade, "{} imports of lib.rs", inside.display());
            let is_transport = import == "transport" || import == "connection";
            let is_poa = module == "poa" && !inside.ends_with("measure.rs");
            assert!(
                !is_transport || !is_poa,
                "{} imports {import}",
                inside.display()
            );
            let Some(low) = floors.get(&import) else {
                continue;
            };
            let high = floors.get(&module).copied().unwrap_or(usize::MAX);
            assert!(*low <= high, "{} imports {import}", inside.display());
            if import != module {
                edges.entry(module.clone()).or_default().insert(import);
            }
        }
    }
    assert!(unknown.is_empty(), "in no row of the page: {unknown:?}");
    // Modules of one row may import each other, but not in a circle.
    while !edges.is_empty() {
        let free: BTreeSet<_> = edges
            .iter()
            .filter(|(_, imports)| imports.iter().all(|import| !edges.contains_key(import)))
            .map(|(module, _)| module.clone())
            .collect();
        assert!(!free.is_empty(), "a circle of imports among {edges:?}");
        edges.retain(|module, _| !free.contains(module));
    }
}

#[test]
fn imports_are_found_in_groups_and_not_in_comments() {
    let text = "// crate::comment\nuse crate::{a::{B, c}, d_e};\nuse crate::f::G; $crate::m!();\n\
                #[cfg(test)]\nmod tests { use crate::tested; }";
    let found: Vec<_> = imports(&code(text)).into_iter().collect();
    assert_eq!(found, ["a", "d_e", "f"]);
    let text = "#[cfg(test)]\nmod tests;\n#[cfg(test)]\nuse crate::t;\nuse crate::a::B;";
    assert!(imports(&code(text)).contains("a"));
}
