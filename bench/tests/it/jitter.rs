//! `taut-bench jitter`, from its arguments to its results.

use std::io;
use std::process::{Command, Output};

use serde_json::Value;

/// Short enough for a test; nothing is asserted about the times.
fn jitter(arguments: &[&str]) -> io::Result<Output> {
    Command::new(env!("CARGO_BIN_EXE_taut-bench"))
        .args(["jitter", "--rounds=2", "--calls=301"])
        .args(arguments)
        .output()
}

#[test]
fn each_system_has_its_percentiles_and_counts() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("jitter.json");
    let output = jitter(&[&format!("--json={}", file.display())]).unwrap();
    assert!(output.status.success(), "{output:?}");

    let run: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let records = run["rows"].as_array().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let left_out = errors.contains("LEFT OUT: omniORB");
    let required = std::env::var("TAUT_REQUIRE_PEERS").is_ok_and(|value| value == "1");
    assert!(!(left_out && required), "{errors}");
    let systems: Vec<_> = records.iter().map(|record| &record["system"]).collect();
    let all = ["raw", "taut", "omniorb"];
    assert_eq!(systems, all[..all.len() - usize::from(left_out)]);
    for record in records {
        assert_eq!(
            (&record["rounds"], &record["calls"]),
            (&2.into(), &302.into())
        );
        let times = [
            "median_ns",
            "p90_ns",
            "p99_ns",
            "p999_ns",
            "p9999_ns",
            "max_ns",
        ];
        let times = times.map(|name| record[name].as_u64().unwrap());
        assert!(times.is_sorted() && times[0] > 0, "{record}");
        // On one CPU, each call has the client wait for the server, and the other way
        // round.
        let switches = ["voluntary_switches", "involuntary_switches"];
        let switches = switches.map(|name| record[name].as_u64().unwrap());
        assert!(switches.iter().sum::<u64>() >= 302, "{record}");
        let steps = record["histogram"].as_array().unwrap();
        let shares = steps.iter().map(|step| step["share"].as_f64().unwrap());
        assert!((shares.sum::<f64>() - 1.0).abs() < 1e-9, "{record}");
        let is_omniorb = record["system"] == "omniorb";
        assert_eq!(record.get("allocations").is_none(), is_omniorb);
        if !is_omniorb {
            assert_eq!(record["allocations"], 0.0, "{record}");
        }
    }

    let table = String::from_utf8(output.stdout).unwrap();
    assert!(
        table.contains("p99.99") && table.contains("forced switches"),
        "{table}"
    );
}
