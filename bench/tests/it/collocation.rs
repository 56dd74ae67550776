//! `taut-bench collocation`, from its arguments to its results.

use std::process::Command;

use serde_json::Value;

#[test]
fn each_way_has_a_record_for_each_payload() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("collocation.json");
    // Short enough for a test; nothing is asserted about the times.
    let output = Command::new(env!("CARGO_BIN_EXE_taut-bench"))
        .args(["collocation", "--rounds=2", "--samples=2", "--batch=5"])
        .arg(format!("--json={}", file.display()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");

    let run: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let records = run["rows"].as_array().unwrap();
    let of = |system: &str, way: &str| -> Vec<(Option<u64>, f64)> {
        records
            .iter()
            .filter(|record| record["system"] == system && record["way"] == way)
            .map(|record| {
                (
                    record["bytes"].as_u64(),
                    record["allocations"].as_f64().unwrap(),
                )
            })
            .collect()
    };
    let baseline = of("raw", "trait_object");
    // The result of each call is one piece of memory.
    assert_eq!(baseline, [(None, 0.0), (Some(16), 1.0), (Some(4096), 1.0)]);
    assert_eq!(of("taut", "remote").len(), 3);
    // None without omniORB.
    for way in ["through_poa", "shortcut"] {
        let omniorb = of("omniorb", way);
        assert!(omniorb.is_empty() || omniorb.len() == 3, "{records:?}");
        for (bytes, allocations) in omniorb {
            assert!(bytes.is_none() || allocations >= 1.0, "{records:?}");
        }
    }
}
