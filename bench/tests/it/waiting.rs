//! `taut-bench waiting`, from its arguments to its results. Nothing is asserted about
//! the times.

use std::process::Command;

use serde_json::Value;

#[test]
fn each_strategy_has_a_record_in_each_scene() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("waiting.json");
    let output = Command::new(env!("CARGO_BIN_EXE_taut-bench"))
        .args(["waiting", "--rounds=1", "--calls=20"])
        .arg(format!("--json={}", file.display()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let run: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let records = run["rows"].as_array().unwrap();
    let left_out = String::from_utf8(output.stderr).unwrap();
    for (scene, transports, strategies) in [
        ("split", 2, 4),
        ("same", 2, 3),
        ("busy", 2, 4),
        ("busy_same", 2, 3),
        ("many", 1, 4),
        ("many_same", 1, 3),
        ("threads", 2, 2),
        ("threads_same", 2, 2),
        ("reactor", 1, 4),
    ] {
        let needs_two = matches!(scene, "split" | "busy" | "many" | "threads" | "reactor");
        let of_it = records.iter().filter(|record| record["scene"] == scene);
        let expected = match needs_two && left_out.contains(&format!("scene {scene},")) {
            true => 0,
            false => transports * strategies,
        };
        assert_eq!(of_it.count(), expected, "{scene}: {left_out}");
    }
    for record in records {
        assert!(record["mean_ns"].as_u64().unwrap() > 0, "{record}");
        let is_compared = record["ratio_block"].is_number();
        assert_eq!(is_compared, record["strategy"] != "block", "{record}");
    }
}
