//! `docs/errors.md` says what to do about each minor code of the standard that Taut raises. (That it
//! has every code, and advice for each of Taut's own, is a test of `taut-giop`.)

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::packages::root;

/// The exceptions and minor codes of the standard that a source raises: `SystemExceptionKind::K`
/// with a number behind it, wherever lines break.
fn raised(source: &str, found: &mut BTreeSet<(String, u32)>) {
    let product = source.split("#[cfg(test)]").next().unwrap_or_default();
    let code: String = product.split_whitespace().collect();
    let mut parts = code.split("SystemExceptionKind::");
    let mut before = parts.next().unwrap_or_default();
    for part in parts {
        // `new` takes whole codes, which are those of Taut, or 0.
        let is_whole = before.ends_with("new(");
        before = part;
        let Some((kind, rest)) = part.split_once(',') else {
            continue;
        };
        let is_kind = kind.chars().all(char::is_alphanumeric);
        let digits = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        let (number, rest) = rest.split_at(digits);
        if let Ok(number) = number.parse()
            && is_kind
            && number != 0
            && !is_whole
            && rest.starts_with([',', ')'])
        {
            found.insert((standard_name(kind), number));
        }
    }
}

/// `OBJECT_NOT_EXIST` for `ObjectNotExist`.
fn standard_name(kind: &str) -> String {
    let mut name = String::new();
    for letter in kind.chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.extend(letter.to_uppercase());
    }
    name
}

/// The minor codes of the standard for which the page says what to do, with their sections.
fn advised(page: &str) -> BTreeSet<(String, u32)> {
    let mut section = "";
    let mut found = BTreeSet::new();
    for line in page.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            section = title;
        }
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        let [_, code, _, advice, _] = cells[..] else {
            continue;
        };
        if let Some(Ok(number)) = code.strip_prefix("OMG ").map(str::parse)
            && !advice.is_empty()
        {
            found.insert((section.to_owned(), number));
        }
    }
    found
}

fn collect(directory: &Path, found: &mut BTreeSet<(String, u32)>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let is_test = path.ends_with("tests") || path.ends_with("tests.rs");
        if path.is_dir() && !is_test {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !is_test {
            raised(&fs::read_to_string(&path).unwrap(), found);
        }
    }
}

#[test]
fn there_is_advice_for_each_code_of_the_standard_that_is_raised() {
    let page = fs::read_to_string(root().join("docs/errors.md")).unwrap();
    let advised = advised(&page);
    let mut raised = BTreeSet::new();
    for crate_ in ["taut", "taut-giop"] {
        collect(&root().join("crates").join(crate_).join("src"), &mut raised);
    }
    assert!(raised.len() > 15, "{raised:?}");
    let missing: Vec<_> = raised.difference(&advised).collect();
    assert!(
        missing.is_empty(),
        "docs/errors.md has no advice for {missing:?}"
    );
}

#[test]
fn raised_codes_and_advice_are_found() {
    let mut found = BTreeSet::new();
    let source = "refusal(SystemExceptionKind::ObjAdapter, 4); E::omg(\n SystemExceptionKind::Unknown,\n 1,\n c);\n\
                  E::new(SystemExceptionKind::BadParam, 9, c); (SystemExceptionKind::NoResources, minor::X)\n\
                  #[cfg(test)]\nmod tests { refusal(SystemExceptionKind::Timeout, 3) }";
    raised(source, &mut found);
    let expected = [("OBJ_ADAPTER".to_owned(), 4), ("UNKNOWN".to_owned(), 1)];
    assert_eq!(found, BTreeSet::from(expected));
    let page = "## UNKNOWN\n\n| minor | means | do |\n|---|---|---|\n| OMG 1 | x | y |\n| OMG 2 | x |  |\n";
    assert_eq!(advised(page), BTreeSet::from([("UNKNOWN".to_owned(), 1)]));
}
