//! Every block of code of every page is compiled, or says why it is not.

use std::fs;
use std::path::{Path, PathBuf};

use test_tools::{code_blocks, is_in_documentation, pages};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The lines of a text without their indentation; empty lines are left out.
fn lines(text: &str) -> Vec<&str> {
    let lines = text.lines().map(str::trim);
    lines.filter(|line| !line.is_empty()).collect()
}

/// The files that are compiled, and those that a test compares with what the generator makes.
fn compiled() -> Vec<String> {
    let out = fs::read_dir(env!("OUT_DIR")).unwrap();
    let paths = out.map(|entry| entry.unwrap().path());
    let mut texts: Vec<_> = paths
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    texts.extend(
        crate::page::SHOWN
            .iter()
            .map(|(_, _, code)| (*code).to_owned()),
    );
    texts
}

fn contains(text: &[&str], block: &[&str]) -> bool {
    text.windows(block.len()).any(|part| part == block)
}

/// The reason for which a block at this place of a page is not compiled.
fn reason<'p>(page: &'p str, block: &str) -> Option<&'p str> {
    let at = block.as_ptr() as usize - page.as_ptr() as usize;
    let before = page[..at].trim_end().rsplit_once("```")?.0;
    let comment = before.trim_end().lines().last()?;
    let reason = comment
        .strip_prefix("<!-- ignored: ")?
        .strip_suffix(" -->")?;
    (!reason.trim().is_empty()).then_some(reason)
}

/// The faults of the blocks of a page.
fn faults(page: &str, compiled: &[Vec<&str>]) -> Vec<String> {
    let mut faults = Vec::new();
    for block in code_blocks(page) {
        let first = block.text.lines().next().unwrap_or_default();
        let (language, mark) = block
            .language
            .split_once(',')
            .unwrap_or((block.language, ""));
        if !["rust", "idl"].contains(&language) {
            continue;
        }
        let fault = match mark {
            "ignore" if reason(page, block.text).is_some() => None,
            "ignore" => Some("it says not why it is ignored"),
            "" => {
                let block = lines(block.text);
                let is_compiled = compiled.iter().any(|text| contains(text, &block));
                (!is_compiled).then_some("it is not compiled")
            }
            _ => Some("there is no such mark"),
        };
        faults.extend(fault.map(|fault| format!("{fault}: {first}")));
    }
    faults
}

#[test]
fn every_block_of_every_page_is_compiled_or_says_why_not() {
    let compiled = compiled();
    let compiled: Vec<_> = compiled.iter().map(|text| lines(text)).collect();
    let mut all = Vec::new();
    let mut count = 0;
    let all_pages = pages(&root()).unwrap().into_iter();
    for path in all_pages.filter(|page| !is_in_documentation(page)) {
        let page = fs::read_to_string(&path).unwrap();
        count += code_blocks(&page).len();
        let faults = faults(&page, &compiled);
        all.extend(
            faults
                .into_iter()
                .map(|fault| format!("{}: {fault}", path.display())),
        );
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
    assert!(count > 100, "{count}");
}

#[test]
fn blocks_that_are_not_compiled_are_found() {
    let compiled = vec![vec!["fn a() {", "}"]];
    for (page, is_sound) in [
        ("```rust\nfn a() {\n}\n```\n", true),
        ("```rust\nfn a() {\n\n  }\n```\n", true),
        ("```rust\nfn b() {\n}\n```\n", false),
        ("```rust,ignore\nfn b() {}\n```\n", false),
        (
            "<!-- ignored:  -->\n```rust,ignore\nfn b() {}\n```\n",
            false,
        ),
        (
            "<!-- ignored: a reason -->\n```rust,ignore\nfn b() {}\n```\n",
            true,
        ),
        ("```rust,no_run\nfn a() {\n}\n```\n", false),
        ("```idl\nmodule m {};\n```\n", false),
        ("```console\n$ taut\n```\n", true),
    ] {
        assert_eq!(faults(page, &compiled).is_empty(), is_sound, "{page}");
    }
}
