//! The program prints what its README shows.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::process::Command;

#[test]
fn the_safe_opens_for_those_whom_its_server_knows() {
    let output = Command::new(env!("CARGO_BIN_EXE_authentication"))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let printed = String::from_utf8(output.stdout).unwrap();
    let readme = include_str!("../../README.md");
    let shown = readme.split("```text\n").nth(1).unwrap();
    let shown = shown.split("```").next().unwrap();
    assert_eq!(printed, shown);
}
