//! `taut schedule`: verdicts, tables, pictures, faults.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use super::support::run;

const INFEASIBLE: &str = "\
[[operation]]
name = \"fast\"
period = \"5ms\"
wcet = \"2ms\"

[[operation]]
name = \"slow\"
period = \"7ms\"
wcet = \"4ms\"
";

/// The file that `docs/cli.md` shows.
fn sound() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/docs/avionics.toml");
    path.to_str().unwrap().to_owned()
}

/// A directory with a file of this text, and the file's path.
fn file(text: &str) -> (TempDir, String) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.toml");
    fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (directory, path)
}

#[test]
fn a_file_whose_deadlines_hold_is_passed_over_in_silence() {
    let outcome = run(&["schedule", "check", "--strategy", "edf", &sound()]);
    assert_eq!((&outcome.output[..], &outcome.errors[..]), ("", ""));
    assert_eq!(outcome.status, Some(0));
}

#[test]
fn a_missed_deadline_is_shown_with_its_operation_and_the_missing_time() {
    let (_directory, path) = file(INFEASIBLE);
    let outcome = run(&["schedule", "check", &path]);
    assert_eq!((&outcome.output[..], outcome.status), ("", Some(1)));
    let errors = outcome.errors.replace(&path, "a.toml");
    for part in [
        "error[deadline-missed]: `slow` takes up to 8ms and has a deadline of 7ms: 1ms are missing\n",
        " --> a.toml:7:8\n",
        "7 | name = \"slow\"\n",
        "\nerror: 1 of 2 tasks miss their deadlines\n",
    ] {
        assert!(errors.contains(part), "{part:?} in\n{errors}");
    }
    assert_eq!(
        run(&["schedule", "check", "--strategy", "mlf", &path]).status,
        Some(0)
    );
}

#[test]
fn faults_of_a_file_are_shown_with_their_lines() {
    for (text, parts) in [
        (
            "strategy = \"x\"",
            ["there is no strategy `x`", " --> a.toml:1:12\n"],
        ),
        (
            "[[operation]]\nname = \"a\"\nwcet = \"1ms\"\ncalls = [\"b\"]\nperiod = \"2ms\"",
            [
                "fatal[unresolved-dependency]: `b` is called by `a`",
                "= help: give it",
            ],
        ),
        (
            "[[operation]]\nname = \"a\"\ncalls = [\"a\"]\nperiod = \"2ms\"",
            [
                "fatal[cyclic-dependencies]: operations call",
                " --> a.toml:2:8\n",
            ],
        ),
    ] {
        let (_directory, path) = file(text);
        let outcome = run(&["schedule", "check", &path]);
        assert_eq!(outcome.status, Some(1));
        let errors = outcome.errors.replace(&path, "a.toml");
        for part in parts {
            assert!(errors.contains(part), "{part:?} in\n{errors}");
        }
    }
    let outcome = run(&["schedule", "check", "/no/such/file.toml"]);
    assert!(
        outcome.errors.contains("cannot read /no/such/file.toml"),
        "{outcome:?}"
    );
    let outcome = run(&["schedule", "check", "--strategy", "x", "a"]);
    assert_eq!(outcome.status, Some(2));
}

#[test]
fn a_report_as_json_has_all_tasks() {
    let outcome = run(&["schedule", "report", "--json", &sound()]);
    let report: Value = serde_json::from_str(&outcome.output).unwrap();
    assert_eq!(report["is_feasible"], true);
    let tasks = report["tasks"].as_array().unwrap();
    assert_eq!(tasks.len(), 4);
    assert_eq!(tasks[1]["name"], "Nav::Filter::step");
    assert_eq!(tasks[1]["total_ns"], 7_000_000);
    assert_eq!(
        tasks[3]["name"],
        "Log::write (called by Sensors::Radar::sweep)"
    );
    assert!(
        tasks.iter().all(|task| task["longest_ns"].is_number()),
        "{tasks:?}"
    );
    let outcome = run(&["schedule", "report", "--json", "--no-growth", &sound()]);
    let report: Value = serde_json::from_str(&outcome.output).unwrap();
    assert_eq!(report["tasks"][0]["longest_ns"], Value::Null);
}

#[test]
fn measured_times_change_the_verdict() {
    let (directory, path) = file(INFEASIBLE);
    let measured = directory.path().join("times.toml");
    fs::write(&measured, "[measured]\nslow = \"3ms\"\nfast = \"1500us\"\n").unwrap();
    let measured = measured.to_str().unwrap();
    let outcome = run(&["schedule", "check", "--measured", measured, &path]);
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    let arguments = [
        "schedule",
        "check",
        "--measured",
        measured,
        "--margin",
        "50",
        &path,
    ];
    assert_eq!(run(&arguments).status, Some(1));
    fs::write(measured, "[measured]\nslow = \"5ms\"\n").unwrap();
    let outcome = run(&["schedule", "check", "--measured", measured, &path]);
    assert!(
        outcome
            .errors
            .contains("warning[measured-beyond-worst-case]"),
        "{outcome:?}"
    );
    fs::write(measured, "[measured]\nslow = 5\n").unwrap();
    let outcome = run(&["schedule", "check", "--measured", measured, &path]);
    assert!(
        outcome.errors.contains(&format!("{measured}:2:8")),
        "{outcome:?}"
    );
}

#[test]
fn a_simulation_writes_its_table_picture_and_trace() {
    let (directory, path) = file(INFEASIBLE);
    let place = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (svg, trace) = (place("a.svg"), place("a.json"));
    let outcome = run(&[
        "schedule", "simulate", "--until", "35ms", "--svg", &svg, "--trace", &trace, &path,
    ]);
    assert_eq!(outcome.status, Some(1));
    assert!(outcome.output.contains("35ms simulated"), "{outcome:?}");
    assert!(
        outcome
            .output
            .lines()
            .any(|line| line.starts_with("slow") && line.contains("missed"))
    );
    assert!(
        outcome.errors.contains("1 of 2 tasks miss their deadlines"),
        "{outcome:?}"
    );
    assert!(fs::read_to_string(svg).unwrap().starts_with("<svg "));
    let trace: Value = serde_json::from_str(&fs::read_to_string(trace).unwrap()).unwrap();
    assert!(trace["traceEvents"].as_array().unwrap().len() > 10);
    let outcome = run(&["schedule", "simulate", "--strategy", "edf", &path]);
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    let outcome = run(&["schedule", "simulate", "--svg", "/no/such/a.svg", &path]);
    assert!(
        outcome.errors.contains("/no/such/a.svg cannot be written"),
        "{outcome:?}"
    );
}

#[test]
fn measured_times_are_put_into_the_file_with_a_margin() {
    let (directory, path) = file(INFEASIBLE);
    let measured = directory.path().join("times.toml");
    fs::write(
        &measured,
        "[measured]\nfast = \"1ms\"\nslow = \"5ms\"\n[typical]\nslow = \"3ms\"\n",
    )
    .unwrap();
    let measured = measured.to_str().unwrap();
    let feedback = [
        "schedule",
        "feedback",
        "--measured",
        measured,
        "--margin",
        "20",
    ];
    let outcome = run(&[&feedback[..], &[&path]].concat());
    let expected = INFEASIBLE
        .replace("\"2ms\"", "\"1.2ms\"")
        .replace("name = \"slow\"\n", "name = \"slow\"\ntypical = \"3ms\"\n")
        .replace("\"4ms\"", "\"6ms\"");
    assert_eq!((&outcome.output, outcome.status), (&expected, Some(0)));
    let warning = "warning[measured-beyond-worst-case]: an execution of `slow` took 5ms";
    assert!(outcome.errors.contains(warning), "{outcome:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), INFEASIBLE);
    let outcome = run(&[&feedback[..], &["--in-place", &path]].concat());
    assert_eq!((&outcome.output[..], outcome.status), ("", Some(0)));
    assert_eq!(fs::read_to_string(&path).unwrap(), expected);
    // Of a link, the file that it leads to is written, and keeps its permissions.
    let link = directory.path().join("link.toml");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    fs::write(&path, INFEASIBLE).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    run(&[&feedback[..], &["--in-place", link.to_str().unwrap()]].concat());
    assert_eq!(fs::read_to_string(&path).unwrap(), expected);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o640
    );
    for wrong in [vec!["--in-place", "-"], vec!["--recorded", &path]] {
        assert_ne!(run(&[&feedback[..], &wrong].concat()).status, Some(0));
    }
}

#[test]
fn times_come_of_a_recorded_trace_too() {
    let (directory, path) = file(INFEASIBLE);
    let trace = directory.path().join("trace.json");
    let trace = trace.to_str().unwrap();
    let simulate = [
        "schedule", "simulate", "--trace", trace, "--until", "35ms", &path,
    ];
    assert_eq!(run(&simulate).status, Some(1), "a deadline is missed");
    let outcome = run(&["schedule", "feedback", "--recorded", trace, &path]);
    // Simulated jobs take their worst cases, in however many pieces.
    let expected = INFEASIBLE
        .replace("name = \"fast\"\n", "name = \"fast\"\ntypical = \"2ms\"\n")
        .replace("name = \"slow\"\n", "name = \"slow\"\ntypical = \"4ms\"\n");
    assert_eq!(
        (&outcome.output, outcome.status),
        (&expected, Some(0)),
        "{outcome:?}"
    );
    let outcome = run(&["schedule", "feedback", "--recorded", &path, &path]);
    assert!(
        outcome.errors.contains("is no trace of a timeline"),
        "{outcome:?}"
    );
    fs::write(trace, "{\"traceEvents\":[]}").unwrap();
    let outcome = run(&["schedule", "feedback", "--recorded", trace, &path]);
    assert!(
        outcome.errors.contains("no job ends in the trace"),
        "{outcome:?}"
    );
}
