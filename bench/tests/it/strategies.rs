//! `taut-bench strategies`, from its arguments to its results.

use std::process::Command;

use serde_json::Value;

/// Short enough for a test; nothing is asserted about the times.
#[test]
fn every_kind_of_call_is_made_in_both_strategies() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("strategies.json");
    let output = Command::new(env!("CARGO_BIN_EXE_taut-bench"))
        .args(["strategies", "--rounds=2", "--calls=5"])
        .arg(format!("--json={}", file.display()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let run: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let records = run["rows"].as_array().unwrap();
    assert!(records.len() >= 48, "{}", records.len());
    for both in records.chunks(2) {
        let [code, tables] = both else {
            panic!("{both:?}")
        };
        assert_eq!(code["case"], tables["case"]);
        assert_eq!(
            (&code["strategy"], &tables["strategy"]),
            (&"compiled".into(), &"interpretive".into())
        );
        assert!(code.get("speed").is_none());
        let met = tables["speed"].as_f64() >= tables["goal"].as_f64();
        assert_eq!(tables["met"], met, "{tables}");
    }
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("BinStructs, 64 KiB"), "{text}");
}
