//! `taut-bench scalability`, from its arguments to its results.

use std::io;
use std::process::{Command, Output};

use serde_json::Value;

/// Short enough for a test; nothing is asserted about the times.
fn scalability(arguments: &[&str]) -> io::Result<Output> {
    Command::new(env!("CARGO_BIN_EXE_taut-bench"))
        .arg("scalability")
        .args(arguments)
        .output()
}

#[test]
fn each_number_of_servants_has_a_record_in_each_order() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("scalability.json");
    let json = format!("--json={}", file.display());
    let few = [
        "--systems=raw,taut",
        "--rounds=2",
        "--calls=20",
        "--servants=1,1500",
        &json,
    ];
    let output = scalability(&few).unwrap();
    assert!(output.status.success(), "{output:?}");

    let run: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let records = run["rows"].as_array().unwrap();
    let orders = ["train", "round_robin", "random", "last", "first"];
    let expected: Vec<_> = orders
        .iter()
        .flat_map(|order| {
            [
                ("raw", None, order),
                ("taut", Some(1), order),
                ("taut", Some(1500), order),
            ]
        })
        .collect();
    let found: Vec<_> = records
        .iter()
        .map(|record| {
            let word = |field: &str| record[field].as_str().unwrap();
            let order = orders
                .iter()
                .find(|order| **order == word("order"))
                .unwrap();
            (word("system"), record["servants"].as_u64(), order)
        })
        .collect();
    assert_eq!(found, expected);
    for record in records {
        assert_eq!(record["rounds"], 2);
        assert_eq!(
            record.get("ratio_one").is_some(),
            record["system"] == "taut"
        );
        assert_eq!(
            record.get("ratio_raw").is_some(),
            record["system"] == "taut"
        );
    }

    let text = String::from_utf8(output.stdout).unwrap();
    let lines = |start| {
        text.lines()
            .filter(|line| line.trim().starts_with(start))
            .count()
    };
    assert_eq!((lines("1500 "), lines("taut ")), (5, 5), "{text}");
}

#[test]
fn an_order_that_is_none_is_refused() {
    let output = scalability(&["--orders=worst"]).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        !output.status.success() && errors.contains("round_robin"),
        "{errors}"
    );
}

/// Its client and ours know the same orders, and both get more references than
/// the directory hands out at once.
#[test]
fn omniorb_is_measured_where_its_programs_are_built() {
    let few = [
        "--systems=omniorb",
        "--rounds=1",
        "--calls=20",
        "--servants=1,1500",
    ];
    let output = scalability(&few).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    if errors.contains("LEFT OUT") {
        let required = std::env::var("TAUT_REQUIRE_PEERS").is_ok_and(|value| value == "1");
        assert!(!required, "{errors}");
        eprintln!("{errors}");
        return;
    }
    assert!(output.status.success(), "{errors}");
    let text = String::from_utf8(output.stdout).unwrap();
    let verdicts = text.lines().filter(|line| line.contains("  omniorb  "));
    assert_eq!(verdicts.count(), 5, "{text}");
}
