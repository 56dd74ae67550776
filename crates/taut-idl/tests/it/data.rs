//! Runs the sources in `tests/data`. `ok/*.idl` must compile to the model in
//! `*.model` (and may give the warnings in `*.stderr`); `err/*.idl` must be
//! rejected with the diagnostics in `*.stderr`. With `TAUT_BLESS=1` in the
//! environment, the expectations are rewritten from what comes out.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use taut_idl::{Compilation, Options, compile_with};

#[test]
fn sources_that_are_sound() {
    let mut failures = Vec::new();
    for source in sources("ok") {
        let compilation = compile_source("ok", &source);
        if compilation.has_errors() {
            failures.push(format!("{source}:\n{}", compilation.render(false)));
            continue;
        }
        compare(
            "ok",
            &source,
            "model",
            &crate::support::dump(&compilation),
            &mut failures,
        );
        compare(
            "ok",
            &source,
            "stderr",
            &compilation.render(false),
            &mut failures,
        );
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn sources_that_are_wrong() {
    let mut failures = Vec::new();
    for source in sources("err") {
        let compilation = compile_source("err", &source);
        if !compilation.has_errors() {
            failures.push(format!("{source} compiles, but should not"));
            continue;
        }
        compare(
            "err",
            &source,
            "stderr",
            &compilation.render(false),
            &mut failures,
        );
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The list of rules speaks of cases that are there.
#[test]
fn rules_are_listed_with_their_cases() {
    let list = fs::read_to_string(directory("README.md")).unwrap();
    let mut missing = Vec::new();
    let rows = list.lines().filter(|line| line.starts_with("| "));
    for row in rows.filter(|row| !row.starts_with("| Rule")) {
        let cells: Vec<&str> = row.split('|').collect();
        for (kind, cell) in [("ok", cells[2]), ("err", cells[3])] {
            let names = cell.split('`').skip(1).step_by(2);
            missing.extend(
                names
                    .map(|name| directory(kind).join(name).with_extension("idl"))
                    .filter(|case| !case.exists()),
            );
        }
    }
    assert!(missing.is_empty(), "there is no {missing:?}");
}

fn directory(kind: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(kind)
}

/// The names of all cases, in order.
fn sources(kind: &str) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(directory(kind))
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().into_string().ok())
        .filter(|name| name.ends_with(".idl"))
        .collect();
    names.sort();
    assert!(!names.is_empty());
    names
}

/// Compiles one case by names that do not depend on where the tests lie. The files that it
/// includes lie in `include` beside it.
fn compile_source(kind: &str, name: &str) -> Compilation {
    let directory = directory(kind);
    let mut files = HashMap::new();
    let mut load = |folder: PathBuf, prefix: &str| {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "idl") {
                let name = path.file_name().unwrap().to_str().unwrap();
                files.insert(
                    PathBuf::from(format!("{prefix}{name}")),
                    fs::read(&path).unwrap(),
                );
            }
        }
    };
    load(directory.clone(), "");
    load(directory.join("include"), "include/");
    let options = Options {
        include_paths: vec!["include".into()],
        ..Options::default()
    };
    compile_with(&[name], &options, &mut files)
}

fn compare(kind: &str, source: &str, extension: &str, actual: &str, failures: &mut Vec<String>) {
    let path = directory(kind).join(source).with_extension(extension);
    let expected = fs::read_to_string(&path).unwrap_or_default();
    if expected == actual {
        return;
    }
    if std::env::var_os("TAUT_BLESS").is_some() {
        if actual.is_empty() {
            fs::remove_file(&path).unwrap();
        } else {
            fs::write(&path, actual).unwrap();
        }
        return;
    }
    let shown = path.display();
    failures.push(format!(
        "{shown}\n--- expected\n{expected}--- actual\n{actual}"
    ));
}
