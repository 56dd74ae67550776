//! `taut shell`, with lines from standard input.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fs;
use std::fs::File;

use super::mocked::{IDL, Service};
use super::support::{Outcome, taut};

fn shell(reference: &str, arguments: &[&str], lines: &str) -> Outcome {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("lines");
    fs::write(&file, lines).unwrap();
    let mut command = taut();
    command
        .args(["shell", "--idl", IDL])
        .args(arguments)
        .arg(reference);
    command.stdin(File::open(&file).unwrap());
    command.output().unwrap().into()
}

#[test]
fn lines_are_carried_out_one_by_one() {
    let mock = Service::mock(&[]);
    let lines = "\
# Blank lines and comments are passed over.

set owner=Ada
get owner
deposit amount=100
kind_of item={\"text\": \"a b\", \"amount\": 1}
set owner=$1
history count=1 total=$2
history {\"count\": 1, \"total\": 3}
get owner
quit
get none
";
    let outcome = shell(&mock.reference, &[], lines);
    let expected = "\
$1 = \"Ada\"
$2 = 0
$3 = \"current\"
$4 = {
  \"items\": [],
  \"total\": 0
}
$5 = {
  \"items\": [],
  \"total\": 3
}
$6 = \"Ada\"
";
    assert_eq!((&*outcome.output, &*outcome.errors), (expected, ""));
    assert_eq!(outcome.status, Some(0));
}

#[test]
fn a_reference_in_a_result_is_the_next_object() {
    let directory = tempfile::tempdir().unwrap();
    let script = directory.path().join("answers.json");
    let partner = Service::mock(&[]);
    let text = format!(
        "{{\"answers\": [{{\"operation\": \"partner\", \"result\": \"{}\"}}]}}",
        partner.reference
    );
    fs::write(&script, text).unwrap();
    let mock = Service::mock(&["--script", script.to_str().unwrap()]);
    let lines = "partner other=null\nuse $1\nset owner=second\nget owner\npartner $1\n";
    let outcome = shell(&mock.reference, &["--json"], lines);
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    let found: Vec<_> = outcome.output.lines().skip(1).collect();
    assert_eq!(found, ["null", "\"second\"", "null"]);
    partner.answers(&["get", "owner"], "\"second\"");
}

#[test]
fn each_wrong_line_is_told_and_the_others_are_carried_out() {
    let mock = Service::mock(&[]);
    for (line, message) in [
        (
            "nothing",
            "Bank::Account has no operation `nothing`: there are ",
        ),
        (
            "deposit",
            "the argument `amount` is missing: write amount=VALUE",
        ),
        ("deposit amount=$3", "there is no $3: there are 1 results"),
        ("deposit amount=$1.x", "$1 has no part .x"),
        ("deposit 'amount", "a quote ' is not closed"),
        ("use", "use needs one reference: use REFERENCE, use $1"),
        ("use corbaloc:", "corbaloc:"),
    ] {
        let lines = format!("get balance\n{line}\nget balance\n");
        let outcome = shell(&mock.reference, &[], &lines);
        let expected = format!("error: standard input, line 2: {message}");
        assert!(
            outcome.errors.starts_with(&expected) || line.ends_with(':'),
            "{outcome:?}"
        );
        assert!(outcome.errors.starts_with("error: "), "{outcome:?}");
        assert_eq!(outcome.output, "$1 = 0\n$2 = 0\n", "{outcome:?}");
        assert_eq!(outcome.status, Some(1));
    }
    let outcome = shell(&mock.reference, &["--max-line-size", "20"], &"x".repeat(99));
    let message = "line 1: it has more than 20 octets (--max-line-size)";
    assert!(outcome.errors.contains(message), "{outcome:?}");
}

#[test]
fn help_and_describe_tell_what_there_is() {
    let mock = Service::mock(&[]);
    let outcome = shell(&mock.reference, &[], "help\n:describe\n");
    for expected in [
        "use REFERENCE",
        "interface Bank::Account",
        "  attribute string owner",
    ] {
        assert!(outcome.output.contains(expected), "{expected}: {outcome:?}");
    }
}
