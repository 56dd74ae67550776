//! `docs/status.md` names tests that there are.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The rows of the page's tables that tell a status: their cells.
fn rows(page: &str) -> Vec<Vec<&str>> {
    let lines = page.lines().filter_map(|line| line.strip_prefix('|'));
    let rows = lines.map(|line| line.trim_end_matches('|').split('|').map(str::trim));
    let rows = rows.map(Iterator::collect::<Vec<_>>);
    let is_told = |row: &Vec<&str>| {
        let is_head = row.contains(&"status");
        !is_head && !row.iter().all(|cell| cell.starts_with("---"))
    };
    rows.filter(is_told).collect()
}

/// The fault of the test that a row names.
fn fault(row: &[&str]) -> Option<String> {
    let is_status = |cell: &&&str| ["there", "partly", "not there"].contains(*cell);
    let Some(status) = row.iter().find(is_status) else {
        return Some("it tells no status".to_owned());
    };
    let test = row.last().unwrap();
    if *status == "not there" {
        return (!test.is_empty()).then(|| "a test of what is not there".to_owned());
    }
    let Some(test) = test
        .strip_prefix('`')
        .and_then(|test| test.strip_suffix('`'))
    else {
        return Some("it names no test".to_owned());
    };
    let (file, function) = test.split_once("::").unwrap_or((test, ""));
    let Ok(text) = fs::read_to_string(root().join(file)) else {
        return Some(format!("there is no file {file}"));
    };
    let is_there = || text.contains(&format!("fn {function}("));
    (!function.is_empty() && !is_there()).then(|| format!("{file} has no {function}"))
}

#[test]
fn every_test_that_the_status_page_names_is_there() {
    let page = fs::read_to_string(root().join("docs/status.md")).unwrap();
    let rows = rows(&page);
    assert!(rows.len() > 80, "{}", rows.len());
    let faults: Vec<_> = rows
        .iter()
        .filter_map(|row| Some((row, fault(row)?)))
        .collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn wrong_rows_of_a_status_page_are_found() {
    let page = "| a | status | test |\n|---|---|---|\n| x | there | `cli/Cargo.toml` |\n";
    assert_eq!(rows(page), [["x", "there", "`cli/Cargo.toml`"]]);
    let here = "`cli/tests/it/repository/status.rs::rows`";
    for (status, test, is_sound) in [
        ("there", here, true),
        ("partly", "`cli/Cargo.toml`", true),
        ("not there", "", true),
        ("there", "", false),
        ("not there", here, false),
        ("there", "`cli/none.rs::rows`", false),
        ("there", "`cli/tests/it/repository/status.rs::none`", false),
        ("soon", here, false),
    ] {
        assert_eq!(
            fault(&["x", status, test]).is_none(),
            is_sound,
            "{status} {test}"
        );
    }
}
