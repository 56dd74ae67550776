//! The commands that pages show: `taut` understands them.

use std::fs;
use std::path::Path;

use clap::Parser;
use test_tools::{commands, pages};

use crate::arguments::{self, Cli};

/// The fault of a command.
fn fault(words: &[String]) -> Option<String> {
    let (_, rest) = arguments::divide(words.iter().map(Into::into));
    let error = Cli::try_parse_from(rest).err()?;
    // The answer to --help is no fault.
    error.use_stderr().then(|| error.to_string())
}

#[test]
fn commands_of_pages_are_understood() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut faults = Vec::new();
    let mut count = 0;
    for path in pages(&root).unwrap() {
        let page = fs::read_to_string(&path).unwrap();
        for command in commands(&page, "taut") {
            count += 1;
            let fault = fault(&command);
            faults.extend(fault.map(|fault| format!("{}: {command:?}: {fault}", path.display())));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(count > 20, "{count}");
}

#[test]
fn wrong_commands_are_found() {
    let fault = |line: &str| {
        let words: Vec<_> = line.split(' ').map(str::to_owned).collect();
        fault(&words)
    };
    assert_eq!(fault("taut ior IOR:00 -ORBInitRef A=b"), None);
    assert_eq!(fault("taut ior --help"), None);
    assert!(fault("taut ior --jason IOR:00").is_some());
    assert!(fault("taut look").is_some());
}
