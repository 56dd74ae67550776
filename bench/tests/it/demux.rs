//! `taut-bench demux`, from the command line to the file.

use std::fs;
use std::process::Command;

use serde_json::Value;

#[test]
fn every_look_up_finds_what_it_should() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("demux.json");
    let output = Command::new(env!("CARGO_BIN_EXE_taut-bench"))
        .args(["demux", "--rounds", "1", "--max-count", "100"])
        .args(["--no-instructions", "--json"])
        .arg(&file)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");

    let run: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let records = run["rows"].as_array().unwrap();
    let has = |subject: &str, strategy: &str| {
        records.iter().any(|record| {
            run["bench"] == "demux"
                && record["case"] == subject
                && record["strategy"] == strategy
                && record["rounds"] == 1
                && record["median_ns"].as_f64().unwrap() > 0.0
        })
    };
    for (subject, strategies) in [
        (
            "object_system_id",
            &["active", "dynamic_hash", "linear"][..],
        ),
        ("object_user_id", &["active", "dynamic_hash", "linear"]),
        ("poa_depth", &["active", "dynamic_hash", "linear"]),
        (
            "operation",
            &["perfect_hash", "binary", "dynamic_hash", "linear"],
        ),
        ("servant", &["dynamic_hash", "linear"]),
        ("dispatch_depth", &["active"]),
    ] {
        for strategy in strategies {
            assert!(has(subject, strategy), "{subject} by {strategy}");
        }
    }

    let told = String::from_utf8(output.stdout).unwrap();
    for claim in ["the whole way takes", "flat from 1 to 25", "(1999: 45.80)"] {
        assert!(told.contains(claim), "{claim}: {told}");
    }
}

#[test]
fn what_is_counted_by_valgrind_is_looked_up() {
    let look_ups = |case: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_taut-bench"));
        command.args(["demux-look-ups", case]).output().unwrap()
    };
    let output = look_ups("Operation/PerfectHash/1000/Same");
    let count: u64 = String::from_utf8(output.stdout)
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    assert!(count >= 2_000);
    assert!(!look_ups("Operation/PerfectHash/1001/Same").status.success());
}
