//! `taut-bench allocation`, from its arguments to its results.

use std::process::Command;

use serde_json::Value;

/// Short enough for a test; nothing is asserted about the times.
#[test]
fn every_size_is_taken_from_both() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("allocation.json");
    let output = Command::new(env!("CARGO_BIN_EXE_taut-bench"))
        .args(["allocation", "--rounds=2", "--mixes=2"])
        .arg(format!("--json={}", file.display()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let run: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let records = run["rows"].as_array().unwrap();
    let ways: Vec<_> = records
        .iter()
        .map(|it| (&it["bytes"], &it["way"]))
        .collect();
    let sizes = [4_096, 65_536, 1_048_576].map(Value::from);
    let (pool, global) = (Value::from("pool"), Value::from("global"));
    let expected: Vec<_> = (sizes.iter())
        .flat_map(|size| [(size, &pool), (size, &global)])
        .collect();
    assert_eq!(ways, expected);
    for record in records {
        let times = ["median_ns", "p99_ns", "max_ns"].map(|name| record[name].as_f64().unwrap());
        assert!(times.is_sorted() && times[0] > 0.0, "{record}");
        assert_eq!(
            record.get("ratio_pool").is_some(),
            record["way"] == "global"
        );
    }
}
