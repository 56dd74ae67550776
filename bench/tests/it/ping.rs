//! `taut-bench ping`, from its arguments to its results.

use std::io;
use std::process::{Command, Output};

use serde_json::Value;

/// Short enough for a test; nothing is asserted about the times.
fn ping(arguments: &[&str]) -> io::Result<Output> {
    Command::new(env!("CARGO_BIN_EXE_taut-bench"))
        .args(["ping", "--rounds=2", "--calls=20"])
        .args(arguments)
        .output()
}

#[test]
fn each_system_has_a_record_and_a_line() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("ping.json");
    let json = format!("--json={}", file.display());
    let output = ping(&["--modes=same", "--systems=raw,taut,raw", &json]).unwrap();
    assert!(output.status.success(), "{output:?}");

    let run: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let records = run["rows"].as_array().unwrap();
    let systems: Vec<_> = records.iter().map(|record| &record["system"]).collect();
    assert_eq!(systems, ["raw", "taut"]);
    for record in records {
        assert_eq!(
            (&record["mode"], &record["case"]),
            (&"same".into(), &"void".into())
        );
        assert_eq!(record["rounds"], 2);
        assert!(
            record["median_ns"].as_u64() <= record["p99_ns"].as_u64(),
            "{record}"
        );
        assert_eq!(
            record.get("ratio_raw").is_some(),
            record["system"] == "taut"
        );
    }

    let table = String::from_utf8(output.stdout).unwrap();
    for system in ["raw", "taut"] {
        let lines = table.lines().filter(|line| line.trim().starts_with(system));
        assert_eq!(lines.count(), 1, "{table}");
    }
}

#[test]
fn raw_sockets_may_refill_the_return_stack_over_each_transport() {
    let arguments = [
        "--refill",
        "--modes=same",
        "--systems=raw",
        "--transports=tcp,unix",
    ];
    let output = ping(&arguments).unwrap();
    assert!(output.status.success(), "{output:?}");
    let table = String::from_utf8(output.stdout).unwrap();
    let lines = table.lines().filter(|line| line.trim().starts_with("raw"));
    assert_eq!(lines.count(), 2, "{table}");
}

#[test]
fn results_that_cannot_be_written_fail_the_run() {
    let output = ping(&[
        "--modes=same",
        "--systems=raw",
        "--json=/nonexistent/ping.json",
    ])
    .unwrap();
    assert!(!output.status.success());
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("/nonexistent/ping.json"), "{errors}");
}
