//! The program, as its page shows it.

use std::process::Command;

#[test]
fn the_demonstration_runs_and_prints_what_its_page_says() {
    let output = Command::new(env!("CARGO_BIN_EXE_taut-web-shop"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    let page = include_str!("../../README.md");
    let shown = page.split("```text\n").nth(1).unwrap();
    let shown = shown.split("```").next().unwrap();
    let lines = |text: &str| text.lines().map(without_numbers).collect::<Vec<_>>();
    assert_eq!(lines(&said), lines(shown));
}

/// A line without what differs from run to run: ports and times.
fn without_numbers(line: &str) -> String {
    let mut constant = Vec::new();
    for word in line.split_whitespace() {
        if word == "µs" {
            constant.pop();
        }
        constant.push(match word.contains("127.0.0.1:") {
            true => "ADDRESS",
            false => word,
        });
    }
    constant.join(" ")
}
