//! The examples in `docs/cli.md` and in the README are true: each `$ taut …` in a
//! `console` block is run, in the order of the page, and must write what follows it.
//!
//! Those of `taut name` talk to one naming service, which is empty at the top
//! of the page, and are left out where none is installed. `TAUT_BLESS=1` in the
//! environment writes what is seen now.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::Path;
use std::{env, fs};

use super::support::{Outcome, taut};
use taut_interop::OmniNames;

#[test]
fn the_examples_of_the_page_are_true() {
    let examples = run_examples("../docs/cli.md");
    assert!(examples >= 4, "only {examples} examples");
}

#[test]
fn the_examples_of_the_readme_are_true() {
    assert_eq!(run_examples("README.md"), 1);
}

/// Runs the examples of a page and compares it with what they write. Returns their number.
fn run_examples(page: &str) -> usize {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = package.join(page);
    let expected = fs::read_to_string(&page).unwrap();
    let needs_names = expected.contains("$ taut name");
    let names = needs_names.then(|| OmniNames::start().unwrap()).flatten();

    let mut found = String::new();
    let mut in_console = false;
    let mut skips_output = false;
    let mut examples = 0;
    for line in expected.lines() {
        let ends = line.starts_with("```");
        if ends {
            in_console = line == "```console";
            skips_output = false;
        }
        let command = line.strip_prefix("$ ").filter(|_| in_console);
        if skips_output && command.is_none() {
            continue;
        }
        found.push_str(line);
        found.push('\n');
        skips_output = false;
        let Some(command) = command.filter(|command| command.starts_with("taut ")) else {
            continue;
        };
        let needs_names = command.starts_with("taut name");
        if needs_names && names.is_none() {
            continue;
        }
        let mut taut = taut();
        taut.current_dir(package.join("tests/data/docs"));
        if let Some(names) = &names {
            let reference = format!("-ORBInitRef NameService={}", names.corbaloc());
            taut.env("TAUT_ORB_ARGUMENTS", reference);
        }
        taut.args(command.split(' ').skip(1));
        let outcome = Outcome::from(taut.output().unwrap());
        found.push_str(&outcome.output);
        found.push_str(&outcome.errors);
        skips_output = true;
        examples += 1;
    }
    if env::var_os("TAUT_BLESS").is_some() {
        fs::write(&page, &found).unwrap();
        return examples;
    }
    assert!(found == expected, "the page should be\n{found}");
    examples
}
