//! The settings and arguments that pages name are those of `docs/limits.md`, which a test of `taut`
//! compares with the code.

use std::fs;
use std::path::{Path, PathBuf};

use test_tools::{code_blocks, pages};

/// Pages on which arguments and settings may be of another ORB or of another time.
const OTHERS: [&str; 5] = [
    "CHANGELOG.md",
    "coming-from-omniorb.md",
    "coming-from-tao.md",
    "coming-from-jacorb.md",
    "limits.md",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The settings in the code spans of a page, and the arguments in its spans and blocks.
fn named(page: &str) -> Vec<String> {
    let mut text = page.to_owned();
    let mut found = Vec::new();
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let mut arguments = |text: &str| {
        for rest in text.split("-ORB").skip(1) {
            let end = rest
                .find(|c: char| !c.is_alphanumeric())
                .unwrap_or(rest.len());
            if end > 0 {
                found.push(format!("-ORB{}", &rest[..end]));
            }
        }
    };
    for block in code_blocks(page) {
        text = text.replace(block.text, "");
        arguments(block.text);
    }
    let spans: Vec<_> = text.split('`').skip(1).step_by(2).collect();
    spans.iter().for_each(|span| arguments(span));
    let groups = ["client.", "server.", "wire.", "limits."];
    let settings = spans.iter().filter(|span| {
        groups.iter().any(|group| span.starts_with(group)) && span.chars().all(is_name)
    });
    let settings = settings.filter(|span| !span.ends_with(".rs"));
    found.extend(settings.map(|span| (*span).to_owned()));
    found
}

fn is_documented(name: &str, limits: &str) -> bool {
    ["`", " "]
        .iter()
        .any(|end| limits.contains(&format!("`{name}{end}")))
}

#[test]
fn settings_and_arguments_of_pages_are_documented() {
    let limits = fs::read_to_string(root().join("docs/limits.md")).unwrap();
    let mut unknown = Vec::new();
    let mut count = 0;
    for path in pages(&root()).unwrap() {
        if OTHERS.iter().any(|other| path.ends_with(other)) {
            continue;
        }
        let page = fs::read_to_string(&path).unwrap();
        for name in named(&page) {
            count += 1;
            if !is_documented(&name, &limits) {
                unknown.push(format!("{}: {name}", path.display()));
            }
        }
    }
    assert!(
        unknown.is_empty(),
        "not in docs/limits.md:\n{}",
        unknown.join("\n")
    );
    assert!(count > 100, "{count}");
}

#[test]
fn names_are_found_in_spans_and_blocks() {
    let page = "`client.call_timeout`, `-ORBCallTimeout 5s`, `server.rs`, client.no\n\n```console\n$ a -ORBx b\n```\n";
    assert_eq!(
        named(page),
        ["-ORBx", "-ORBCallTimeout", "client.call_timeout"]
    );
    let limits = "| `client.call_timeout` | `-ORBCallTimeout 5s`; |";
    assert!(is_documented("-ORBCallTimeout", limits));
    assert!(!is_documented("-ORBCall", limits));
}
