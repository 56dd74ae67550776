//! `taut-bench naming`, from its arguments to its results. Nothing is asserted about the times.

use std::process::Command;

use serde_json::Value;

#[test]
fn names_are_found_and_bound_in_every_service() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("naming.json");
    let output = Command::new(env!("CARGO_BIN_EXE_taut-bench"))
        .args(["naming", "--rounds=1", "--turn-ms=20", "--bindings=100"])
        .args(["--clients=1,3"])
        .arg(format!("--json={}", file.display()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let run: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let rows = run["rows"].as_array().unwrap();
    let left_out = String::from_utf8_lossy(&output.stderr);
    let left_out = left_out.matches("LEFT OUT").count();
    // Each left-out service is told of once for each shape.
    let services = 5 - left_out / 2;
    let of = |case: &str| {
        rows.iter()
            .filter(|row| row["case"] == case)
            .collect::<Vec<_>>()
    };
    let calls = of("calls");
    assert_eq!(calls.len(), services * 2 * 2 * 2, "{output:?}");
    for row in calls {
        assert!(row["calls"].as_u64().unwrap() > 0, "{row}");
    }
    let starts = of("start");
    let of_taut: Vec<_> = starts
        .iter()
        .filter(|row| row["service"] == "taut")
        .collect();
    assert_eq!(of_taut.len(), 4, "two shapes, two ends");
    for row in of_taut {
        assert!(row["start_ms"].as_f64().unwrap() > 0.0, "{row}");
        assert!(row["file_kib"].as_u64().unwrap() > 0, "{row}");
    }
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("resolve, calls a second: 1 rounds"), "{text}");
}

#[test]
fn a_service_that_is_too_slow_to_fill_is_left_out() {
    if test_tools::on_path("omniNames").is_none() {
        return;
    }
    let output = Command::new(env!("CARGO_BIN_EXE_taut-bench"))
        .args([
            "naming",
            "--rounds=1",
            "--turn-ms=1",
            "--bindings=1000000",
            "--fill-s=1",
        ])
        .args(["--clients=1", "--shapes=flat", "--services=omniorb"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    let expected = "LEFT OUT: omniorb with 1000000 names, flat, which it does not have in 1 s";
    assert!(said.contains(expected), "{said}");
}
