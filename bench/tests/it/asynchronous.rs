//! `taut-bench async`, from its arguments to its results. Nothing is asserted about the times.

use std::process::Command;

use serde_json::Value;

#[test]
fn each_system_makes_calls_with_each_number_under_way() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("async.json");
    let output = Command::new(env!("CARGO_BIN_EXE_taut-bench"))
        .args(["async", "--rounds=1", "--turn-ms=1", "--modes=same"])
        .args(["--in-flight=1,16,256,10000"])
        .arg(format!("--json={}", file.display()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let errors = String::from_utf8(output.stderr).unwrap();
    let left_out = |name: &str| errors.contains(&format!("LEFT OUT: {name}"));
    let required = std::env::var("TAUT_REQUIRE_PEERS").is_ok_and(|value| value == "1");
    assert!(!(left_out("omniORB") && required), "{errors}");
    // tonic is built by its own chore, and for this benchmark only.
    let systems: Vec<&str> = [
        ("raw", false),
        ("raw_each", false),
        ("taut", false),
        ("omniorb", left_out("omniORB")),
        ("tonic", left_out("tonic")),
    ]
    .into_iter()
    .filter_map(|(name, is_left_out)| (!is_left_out).then_some(name))
    .collect();

    let run: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(run["bench"], "async");
    let rows = run["rows"].as_array().unwrap();
    let found: Vec<_> = rows
        .iter()
        .map(|row| {
            (
                row["in_flight"].as_u64().unwrap(),
                row["system"].as_str().unwrap(),
            )
        })
        .collect();
    let expected: Vec<_> = [1, 16, 256, 10_000]
        .into_iter()
        .flat_map(|in_flight| systems.iter().map(move |&system| (in_flight, system)))
        .collect();
    assert_eq!(found, expected);
    for row in rows {
        let in_flight = row["in_flight"].as_u64().unwrap();
        assert!(row["calls"].as_u64().unwrap() >= 2 * in_flight, "{row}");
        assert!(row["calls_per_s"].as_f64().unwrap() > 0.0, "{row}");
        assert_eq!(
            row.get("share_raw").is_none(),
            row["system"] == "raw",
            "{row}"
        );
        let has_no_ratio = row["system"] == "tonic" || left_out("tonic");
        assert_eq!(row.get("times_tonic").is_none(), has_no_ratio, "{row}");
    }

    let table = String::from_utf8(output.stdout).unwrap();
    for text in ["mode same: 1 rounds", "share of raw", "raw each"] {
        assert!(table.contains(text), "{table}");
    }
}

#[test]
fn no_call_under_way_at_all_makes_no_sense() {
    let output = Command::new(env!("CARGO_BIN_EXE_taut-bench"))
        .args(["async", "--rounds=1", "--turn-ms=1", "--in-flight=0"])
        .output()
        .unwrap();
    assert!(!output.status.success());
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("--in-flight"), "{errors}");
}
