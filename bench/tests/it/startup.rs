//! `taut-bench startup`, from its arguments to its results. Nothing is asserted about the times.

use std::process::Command;

use serde_json::Value;

#[test]
fn servers_start_and_objects_are_activated() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("startup.json");
    let output = Command::new(env!("CARGO_BIN_EXE_taut-bench"))
        .args([
            "startup",
            "--rounds=1",
            "--objects=1,500",
            "--connections=3",
        ])
        .arg(format!("--json={}", file.display()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let run: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let rows = run["rows"].as_array().unwrap();
    let of =
        |case: &str| -> Vec<&Value> { rows.iter().filter(|row| row["case"] == case).collect() };
    let starts = of("start");
    let left_out = String::from_utf8_lossy(&output.stderr).contains("LEFT OUT: omniORB");
    assert_eq!(starts.len(), 3 - usize::from(left_out));
    for row in &starts {
        assert!(row["first_reference_ns"].as_f64().unwrap() > 0.0, "{row}");
        let has_reply = row["system"] != "nothing";
        assert_eq!(row.get("first_reply_ns").is_some(), has_reply, "{row}");
    }
    let activations = of("activation");
    assert_eq!(activations.len(), 2 * 3);
    for row in activations {
        assert!(row["object_ns"].as_f64().unwrap() > 0.0, "{row}");
        let octets = row["object_octets"].as_f64().unwrap();
        assert!(row["objects"] == 1 || octets > 50.0, "{row}");
    }
    assert_eq!(of("memory").len(), 3);
}
