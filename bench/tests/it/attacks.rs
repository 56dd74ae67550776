//! `taut-bench attacks`, from its arguments to its results. Nothing is asserted
//! about the times.

use std::process::Command;

use serde_json::Value;

#[test]
fn a_client_makes_all_its_calls_under_each_attack() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("attacks.json");
    let output = Command::new(env!("CARGO_BIN_EXE_taut-bench"))
        .args(["attacks", "--rounds=1", "--calls=200"])
        .arg(format!("--json={}", file.display()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let run: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let records = run["rows"].as_array().unwrap();
    assert_eq!(records.len(), 2 * 12);
    for record in records {
        assert!(record["attackers"].as_u64().unwrap() > 0, "{record}");
        assert!(record["share"].as_f64().unwrap() > 0.0, "{record}");
    }
}

#[test]
fn a_share_that_is_too_small_fails_the_run() {
    let output = Command::new(env!("CARGO_BIN_EXE_taut-bench"))
        .args(["attacks", "--rounds=1", "--calls=50", "--least-share=1000"])
        .args(["--attacks=half_open", "--threads=reactor"])
        .output()
        .unwrap();
    assert!(!output.status.success());
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("half_open"), "{errors}");
}
