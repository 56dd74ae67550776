//! `taut-bench real-time`, from its arguments to its results. Nothing is asserted about the
//! times.

use std::process::Command;

use serde_json::Value;

/// The releases of a turn.
const RELEASES: u64 = 20;

#[test]
fn each_system_is_called_periodically_beside_each_flood() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("real-time.json");
    let output = Command::new(env!("CARGO_BIN_EXE_taut-bench"))
        .args([
            "real-time",
            "--rounds=2",
            "--seconds=0.02",
            "--period-us=1000",
        ])
        .args(["--clients=0,3", "--modes=same"])
        .arg(format!("--json={}", file.display()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let errors = String::from_utf8(output.stderr).unwrap();
    let left_out = errors.contains("LEFT OUT: omniORB");
    let required = std::env::var("TAUT_REQUIRE_PEERS").is_ok_and(|value| value == "1");
    assert!(!(left_out && required), "{errors}");
    let has_right = !errors.contains("LEFT OUT: SCHED_FIFO");

    let run: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(run["bench"], "real-time");
    let rows = run["rows"].as_array().unwrap();
    let called: Vec<&str> = ["raw", "taut", "taut_lanes", "taut_bands", "omniorb"]
        .into_iter()
        .filter(|name| !(left_out && *name == "omniorb"))
        .collect();
    let found: Vec<_> = rows
        .iter()
        .map(|row| {
            (
                row["clients"].as_u64().unwrap(),
                row["system"].as_str().unwrap(),
            )
        })
        .collect();
    let mut expected = vec![(0, "machine")];
    for clients in [0, 3] {
        expected.extend(called.iter().map(|&system| (clients, system)));
    }
    assert_eq!(found, expected);
    for row in rows {
        let (calls, missed) = (
            row["calls"].as_u64().unwrap(),
            row["missed"].as_u64().unwrap(),
        );
        assert_eq!(row["releases"], 2 * RELEASES, "{row}");
        assert!(calls >= 2 && calls + missed >= 2 * RELEASES, "{row}");
        assert_eq!(
            row["scheduling"],
            if has_right { "fifo" } else { "other" },
            "{row}"
        );
        let times = ["median_ns", "p99_ns", "p999_ns", "p9999_ns", "max_ns"];
        let times = times.map(|name| row[name].as_u64().unwrap());
        assert!(times.is_sorted() && times[0] > 0, "{row}");
        let is_compared = !["machine", "raw"].contains(&row["system"].as_str().unwrap());
        assert_eq!(row.get("p9999_times_raw").is_some(), is_compared, "{row}");
        let flood = row["flood_calls_per_s"].as_f64();
        assert_eq!(
            flood.is_some_and(|it| it > 0.0),
            row["clients"] == 3,
            "{row}"
        );
    }
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(
        table.contains("p99.99 × raw") && table.contains("missed"),
        "{table}"
    );
}

#[test]
fn turns_have_a_length() {
    for argument in [
        "--seconds=0",
        "--seconds=long",
        "--period-us=1",
        "--priority=1",
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_taut-bench"))
            .args(["real-time", argument])
            .output()
            .unwrap();
        assert!(!output.status.success());
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(
            errors.contains(argument.split('=').next().unwrap()),
            "{errors}"
        );
    }
}
