//! `taut-bench probes`, from its arguments to its results.

use std::io;
use std::process::{Command, Output};

/// Short enough for a test; nothing is asserted about the times.
fn probes(arguments: &[&str]) -> io::Result<Output> {
    Command::new(env!("CARGO_BIN_EXE_taut-bench"))
        .args(["probes", "--rounds=2", "--calls=50"])
        .args(arguments)
        .output()
}

#[cfg(not(feature = "probes"))]
#[test]
fn without_the_feature_the_remedy_is_told() {
    let output = probes(&[]).unwrap();
    assert!(!output.status.success());
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("cargo xtask bench probes"), "{errors}");
}

#[cfg(feature = "probes")]
#[test]
fn every_step_of_every_kind_of_call_has_a_record() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("probes.json");
    let output = probes(&[&format!("--json={}", file.display())]).unwrap();
    assert!(output.status.success(), "{output:?}");
    let run: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let records = run["rows"].as_array().unwrap();
    let cases = ["void", "string", "octet_seq", "octet_seq"];
    assert_eq!(records.len(), cases.len() * 17);
    for (kind, case) in records.chunks(17).zip(cases) {
        let calls = |it: &&serde_json::Value| it["step"] == "the call";
        let call = kind.iter().find(calls).unwrap();
        let share = call["orb_share"].as_f64().unwrap();
        assert!(share > 0.0 && share < 1.0, "{call}");
        for record in kind {
            assert_eq!(record["case"], case);
            // The server may still have the last reply of a round in its hands.
            let count = record["count"].as_u64().unwrap();
            let is_exact = record["side"] == "client";
            assert!(
                count == 100 || !is_exact && (98..=100).contains(&count),
                "{record}"
            );
        }
    }
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("reply written") && text.contains("of a call"),
        "{text}"
    );
}
