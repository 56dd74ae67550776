//! `taut-bench param-test`, from its arguments to its results. Nothing is asserted about the
//! times.

use std::process::Command;

use serde_json::Value;

#[test]
fn each_type_goes_in_both_strategies_in_calls_and_alone() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("param-test.json");
    let output = Command::new(env!("CARGO_BIN_EXE_taut-bench"))
        .args(["param-test", "--rounds=1", "--calls=3"])
        .arg(format!("--json={}", file.display()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let run: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let rows = run["rows"].as_array().unwrap();
    for case in ["call", "alone"] {
        let rows: Vec<_> = rows.iter().filter(|row| row["case"] == case).collect();
        assert_eq!(rows.len(), 14, "{case}");
        for both in rows.chunks(2) {
            assert_eq!(both[0]["type"], both[1]["type"]);
            let strategies = [&both[0]["strategy"], &both[1]["strategy"]];
            assert_eq!(strategies, ["compiled", "interpretive"]);
        }
    }
}
