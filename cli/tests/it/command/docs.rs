//! The examples in `docs/cli.md` are true: each `$ taut …` in a `console`
//! block is run, in the order of the page, and must write what follows it.
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
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = package.join("../docs/cli.md");
    let expected = fs::read_to_string(&page).unwrap();
    let names = OmniNames::start().unwrap();

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
        let Some(command) = command else {
            continue;
        };
        skips_output = false;
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
        return fs::write(&page, &found).unwrap();
    }
    assert!(found == expected, "the page should be\n{found}");
    assert!(examples >= 4, "only {examples} examples");
}
