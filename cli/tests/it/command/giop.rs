//! `taut giop`: golden outputs for captures between Taut and omniORB, and for
//! messages by hand that break the standard.
//!
//! Each `data/giop/NAME.*` is explained, with the IDL of the tests against other
//! ORBs; `NAME.txt` is what is to be seen. `TAUT_BLESS=1` in the environment
//! writes what is seen now; look at the difference before you commit it.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::{env, fs};

use super::support::{Outcome, run, taut};
use taut_explain::Rule;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/giop")
        .join(name)
}

fn explain(capture: &Path, options: &[&str]) -> Outcome {
    let idl = Path::new(env!("CARGO_MANIFEST_DIR")).join("../interop/idl/param_test.idl");
    let mut command = taut();
    command.arg("giop").arg(capture).arg("--idl").arg(idl);
    command.args(options).output().unwrap().into()
}

#[test]
fn captures_are_explained() {
    let mut count = 0;
    let mut wrong = Vec::new();
    for file in fs::read_dir(data("")).unwrap() {
        let capture = file.unwrap().path();
        if capture.extension().is_some_and(|kind| kind == "txt") {
            continue;
        }
        count += 1;
        let outcome = explain(&capture, &[]);
        let found = format!(
            "{}{}[exit status {}]\n",
            outcome.output,
            outcome.errors,
            outcome.status.unwrap()
        );
        let golden = capture.with_extension("txt");
        if env::var_os("TAUT_BLESS").is_some() {
            fs::write(&golden, &found).unwrap();
        }
        if fs::read_to_string(&golden).unwrap_or_default() != found {
            wrong.push(format!("{}: found\n{found}", capture.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 7, "only {count} captures were there");
}

#[test]
fn the_faults_by_hand_break_every_rule_that_one_side_can_break_alone() {
    let outcome = explain(&data("faults.hex"), &["--json"]);
    assert_eq!(outcome.status, Some(1));
    for rule in Rule::ALL {
        // These take two sides, or types.
        let is_elsewhere = matches!(
            rule,
            Rule::Direction | Rule::Unasked | Rule::AfterClose | Rule::Enum | Rule::Value
        );
        let mark = format!("\"rule\":\"{}\"", rule.name());
        assert_eq!(outcome.output.contains(&mark), !is_elsewhere, "{rule:?}");
    }
}

#[test]
fn marks_decide_the_exit_status_unless_they_are_allowed() {
    let capture = data("exceptions.pcap");
    assert_eq!(explain(&capture, &[]).status, Some(1));
    let options = ["--allow", "padding", "--allow", "reserved"];
    let outcome = explain(&capture, &options);
    assert_eq!(outcome.status, Some(0), "{}", outcome.errors);
    assert!(!outcome.output.contains("!!"));
    let outcome = explain(&capture, &["--allow", "nonsense"]);
    assert_eq!(outcome.status, Some(2));
    assert!(outcome.errors.contains("after-close"), "{}", outcome.errors);
}

#[test]
fn programs_get_an_object_a_line() {
    let outcome = explain(&data("forward.pcap"), &["--json"]);
    let lines: Vec<serde_json::Value> = outcome
        .output
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let reply = &lines[1];
    assert_eq!(reply["type"], "Reply");
    assert_eq!(reply["answers"]["message"], 1);
    assert_eq!(reply["content"]["status"], "LOCATION_FORWARD");
    let profile = &reply["content"]["forward_to"]["profiles"][0];
    assert_eq!(profile["content"]["object_key"]["form"], "Taut");
    assert_eq!(
        lines[0]["values"]["logical_type_id"],
        "IDL:taut.test/bench/Pinger:1.0"
    );
}

#[test]
fn octets_come_from_standard_input_and_the_command_line() {
    let digits = fs::read_to_string(data("whole.hex")).unwrap();
    let expected = run(&["giop", digits.trim()]);
    assert_eq!(expected.status, Some(0), "{}", expected.errors);
    assert!(expected.output.contains("_is_a"), "{}", expected.output);

    let octets: Vec<u8> = digits
        .trim()
        .replace('\n', "")
        .as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect();
    for input in [octets, digits.into_bytes()] {
        let mut child = taut()
            .args(["giop", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(&input).unwrap();
        let outcome = Outcome::from(child.wait_with_output().unwrap());
        assert_eq!(outcome, expected);
    }
}

#[test]
fn what_cannot_be_read_gets_an_error_that_names_it() {
    for (argument, error) in [
        ("/nonexistent", "No such file"),
        ("4749", "No such file"),
        ("47494f500", "odd number of digits"),
        ("/dev/null", "nothing to explain"),
    ] {
        let outcome = run(&["giop", argument]);
        assert_eq!(outcome.status, Some(1), "{argument}");
        assert!(outcome.errors.contains(error), "{}", outcome.errors);
    }
    let idl = data("faults.hex");
    let idl = idl.to_str().unwrap();
    let outcome = run(&["giop", idl, "--idl", idl]);
    assert_eq!(outcome.status, Some(1));
    assert!(
        outcome.errors.contains("faults.hex:1:1"),
        "{}",
        outcome.errors
    );
}

/// The numbers of the messages that are shown with these options.
fn shown(capture: &str, options: &[&str]) -> Vec<u64> {
    let options: Vec<&str> = ["--json"].iter().chain(options).copied().collect();
    let outcome = explain(&data(capture), &options);
    let lines = outcome.output.lines();
    let lines = lines.map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    lines.filter_map(|line| line["message"].as_u64()).collect()
}

#[test]
fn messages_are_chosen_by_connection_and_by_operation() {
    let all = shown("calls.pcapng", &[]);
    let first = shown("calls.pcapng", &["--connection", "1"]);
    let second = shown("calls.pcapng", &["--connection", "127.0.0.1:44064"]);
    assert_eq!((first.len(), second.len()), (7, 6));
    let both = ["--connection", "1", "--connection", "2"];
    assert_eq!(shown("calls.pcapng", &both), all);
    assert_eq!(shown("calls.pcapng", &["--connection", "127.0.0.1"]), all);

    let calls = shown("calls.pcapng", &["--operation", "call"]);
    assert_eq!(calls.len(), 6, "three requests and their replies");
    let options = ["--operation", "call_back", "--connection", "1"];
    let outcome = explain(&data("calls.pcapng"), &options);
    let is_whole = outcome.output.contains("call_back");
    assert_eq!(is_whole, outcome.status == Some(0), "{outcome:?}");

    let outcome = explain(&data("calls.pcapng"), &["--operation", "nothing"]);
    assert_eq!(outcome.status, Some(1));
    let error = "of its 13 messages none is of that connection and operation";
    assert!(outcome.errors.contains(error), "{}", outcome.errors);
    let outcome = explain(&data("calls.pcapng"), &["--connection", "somewhere"]);
    assert_eq!(outcome.status, Some(2));
}

#[test]
fn a_summary_counts_by_connection_and_by_operation() {
    let outcome = explain(&data("exceptions.pcap"), &["--summary"]);
    assert_eq!(outcome.status, Some(1), "it has marks");
    let expected = "\
connection  ends                                messages  octets  marks
1           127.0.0.1:33127 -> 127.0.0.1:44048        21    1703     10

operation     requests  oneways  results  user exc.  system exc.  forwards  unanswered   mean  longest
_get_level           1        0        1          0            0         0           0  10 µs    10 µs
_set_level           1        0        1          0            0         0           0  10 µs    10 µs
raise_user           5        0        1          3            1         0           0  18 µs    38 µs
raise_system         1        0        0          0            1         0           0  12 µs    12 µs
notified             1        0        1          0            0         0           0  11 µs    11 µs
notify               2        2        0          0            0         0           0      -        -
";
    assert_eq!(outcome.output, expected);

    let options = ["--summary", "--json", "--operation", "notify"];
    let outcome = explain(&data("exceptions.pcap"), &options);
    let json: serde_json::Value = serde_json::from_str(&outcome.output).unwrap();
    assert_eq!(json["operations"].as_array().unwrap().len(), 1);
    assert_eq!(json["operations"][0]["oneways"], 2);
    assert_eq!(json["connections"][0]["messages"], 2);

    let outcome = explain(&data("exceptions.pcap"), &["--summary", "--max-rows", "2"]);
    let others = "and 9 requests of other operations (--max-rows)\n";
    assert!(outcome.output.ends_with(others), "{}", outcome.output);
}
