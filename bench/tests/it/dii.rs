//! `taut-bench dii`, from its arguments to its results.

use std::io;
use std::process::{Command, Output};

use serde_json::Value;

/// Short enough for a test; nothing is asserted about the times.
fn dii(arguments: &[&str]) -> io::Result<Output> {
    Command::new(env!("CARGO_BIN_EXE_taut-bench"))
        .args([
            "dii",
            "--rounds=2",
            "--calls=3",
            "--turn-mib=1",
            "--flood-kib=4",
        ])
        .args(arguments)
        .output()
}

#[test]
fn every_contender_calls_every_type() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("dii.json");
    let output = dii(&["--only=, 1 KiB", &format!("--json={}", file.display())]).unwrap();
    assert!(output.status.success(), "{output:?}");
    let run: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let rows = run["rows"].as_array().unwrap();
    let of = |contender: &str| -> Vec<_> {
        let of_contender = rows.iter().filter(|row| row["contender"] == contender);
        of_contender
            .map(|row| (row["case"].clone(), row["way"].clone()))
            .collect()
    };
    let raw = of("raw");
    assert_eq!(raw.len(), 12, "{raw:?}");
    for contender in ["static", "reuse", "anew", "dsi"] {
        assert_eq!(of(contender), raw, "{contender}");
    }
    assert_eq!(of("deferred").len(), 6);

    let errors = String::from_utf8_lossy(&output.stderr);
    let is_without = errors.contains("LEFT OUT: omniORB");
    let required = std::env::var("TAUT_REQUIRE_PEERS").is_ok_and(|value| value == "1");
    assert!(!(is_without && required), "{errors}");
    for contender in ["omniorb_static", "omniorb_dii", "omniorb_dsi"] {
        assert!(is_without || of(contender) == raw, "{contender}: {errors}");
    }
    for row in rows {
        let is_reuse = row["contender"] == "reuse";
        assert_eq!(row.get("met").is_some(), is_reuse, "{row}");
        assert_eq!(row.get("times_anew").is_some(), is_reuse, "{row}");
        assert_eq!(
            row.get("speed").is_none(),
            row["contender"] == "static",
            "{row}"
        );
    }
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.contains("BinStructs, 1 KiB"), "{table}");
}

#[test]
fn no_row_at_all_is_an_error() {
    let output = dii(&["--only=no such row"]).unwrap();
    assert!(!output.status.success());
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        errors.contains("nothing is left to be measured"),
        "{errors}"
    );
}
