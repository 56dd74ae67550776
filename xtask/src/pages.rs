//! The chores that pages name: there are such.

use std::fs;
use std::path::Path;

use clap::Parser;
use test_tools::{commands, named_commands, pages};

use crate::Arguments;

/// The fault of a command, which begins with `cargo xtask`.
fn fault(words: &[String]) -> Option<String> {
    let error = Arguments::try_parse_from(words.iter().skip(1)).err()?;
    error.use_stderr().then(|| error.to_string())
}

#[test]
fn chores_of_pages_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut faults = Vec::new();
    let mut count = 0;
    for path in pages(&root).unwrap() {
        let page = fs::read_to_string(&path).unwrap();
        let program = "cargo xtask";
        for command in [commands(&page, program), named_commands(&page, program)].concat() {
            count += 1;
            let fault = fault(&command);
            faults.extend(fault.map(|fault| format!("{}: {command:?}: {fault}", path.display())));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(count > 20, "{count}");
}

#[test]
fn chores_that_are_not_there_are_found() {
    let fault = |line: &str| {
        let words: Vec<_> = line.split(' ').map(str::to_owned).collect();
        fault(&words)
    };
    assert_eq!(fault("cargo xtask codegen --check"), None);
    assert!(fault("cargo xtask codegen --chek").is_some());
    assert!(fault("cargo xtask clean").is_some());
}
