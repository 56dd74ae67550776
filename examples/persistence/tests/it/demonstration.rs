//! The example does what its README shows.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::process::Command;

#[test]
fn the_counter_goes_on_through_four_lives_and_the_client_is_told_of_the_gaps() {
    let program = env!("CARGO_BIN_EXE_taut-persistence");
    let output = Command::new(program).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    let answers: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("  the client: next() "))
        .map(|answer| answer.split(':').next().unwrap())
        .collect();
    let gap = "raised TRANSIENT";
    let expected = [
        "= 1", "= 2", gap, "= 3", "= 4", gap, "= 5", "= 6", gap, "= 7",
    ];
    assert_eq!(answers, expected);
}
