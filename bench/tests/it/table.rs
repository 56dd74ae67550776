//! `taut-bench table`, from its arguments to its results.

use std::io;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// Short enough for a test; nothing is asserted about the times.
fn table(arguments: &[&str]) -> io::Result<Output> {
    Command::new(env!("CARGO_BIN_EXE_taut-bench"))
        .arg("table")
        .args(["--rounds=2", "--calls=3", "--turn-mib=1", "--flood-mib=1"])
        .args(arguments)
        .output()
}

fn records(file: &Path) -> io::Result<Vec<Value>> {
    let mut run: Value = serde_json::from_slice(&std::fs::read(file)?)?;
    Ok(serde_json::from_value(run["rows"].take())?)
}

/// Whether an ORB's programs are not built; only without them may it be left out.
fn is_without(orb: &str, output: &Output) -> bool {
    let errors = String::from_utf8_lossy(&output.stderr);
    let left_out = errors.contains(&format!("LEFT OUT: {orb}"));
    let required = std::env::var("TAUT_REQUIRE_PEERS").is_ok_and(|value| value == "1");
    assert!(!(left_out && required), "{errors}");
    left_out
}

#[test]
fn every_row_is_measured_for_every_system() {
    let directory = tempfile::tempdir().unwrap();
    let (json, html) = (
        directory.path().join("table.json"),
        directory.path().join("table.html"),
    );
    let output = table(&[
        &format!("--json={}", json.display()),
        &format!("--html={}", html.display()),
    ])
    .unwrap();
    assert!(output.status.success(), "{output:?}");

    let records = records(&json).unwrap();
    let of = |system: &str| -> Vec<_> {
        let of_system = records.iter().filter(|it| it["system"] == system);
        of_system
            .map(|it| (it["row"].clone(), it["mode"].clone()))
            .collect()
    };
    let (raw, taut, omniorb) = (of("raw"), of("taut"), of("omniorb"));
    assert!(of("jacorb").is_empty(), "nobody has asked for it");
    assert!(raw.len() >= 78, "{raw:?}");
    assert_eq!(raw, taut);
    match is_without("omniORB", &output) {
        true => assert!(omniorb.is_empty()),
        // Its client knows all kinds of calls that ours does, and so do the servers.
        false => assert_eq!(raw, omniorb),
    }
    for record in &records {
        let is_taut = record["system"] == "taut";
        assert_eq!(record.get("goal").is_some(), is_taut, "{record}");
        assert_eq!(record.get("met").is_some(), is_taut, "{record}");
        assert_eq!(record.get("ratio_raw").is_some(), record["system"] != "raw");
        assert!(record["median_ns"].as_u64() <= record["max_ns"].as_u64());
    }

    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.contains("goals are met"), "{table}");
    let progress = String::from_utf8(output.stderr).unwrap();
    assert!(
        progress.contains(&format!("{:3}/", raw.len())),
        "{progress}"
    );
    let page = std::fs::read_to_string(&html).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
}

#[test]
fn jacorb_is_measured_on_request() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("table.json");
    let json = format!("--json={}", file.display());
    let output = table(&["--jacorb", "--only=struct", &json]).unwrap();
    assert!(output.status.success(), "{output:?}");
    let of = |system: &str| -> Vec<_> {
        let records = records(&file).unwrap().into_iter();
        let of_system = records.filter(|it| it["system"] == system);
        of_system.map(|it| it["row"].clone()).collect()
    };
    let (taut, jacorb) = (of("taut"), of("jacorb"));
    assert_eq!(taut.len(), 3, "{taut:?}");
    match is_without("JacORB", &output) {
        true => assert!(jacorb.is_empty()),
        false => assert_eq!(taut, jacorb),
    }
}

/// Raw sockets exchange the same octets as Taut: the messages of a call without arguments
/// are a request and the smallest reply that GIOP 1.2 has.
#[test]
fn raw_sockets_move_the_octets_of_taut_s_messages() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("table.json");
    let json = format!("--json={}", file.display());
    let output = table(&["--only=octets, 8 KiB", &json]).unwrap();
    assert!(output.status.success(), "{output:?}");
    let records = records(&file).unwrap();
    let call = records.iter().find(|it| it["way"] == "call").unwrap();
    assert_eq!(call["octets_back"], 24 + 4 + 8_192);
    let flood = records.iter().find(|it| it["way"] == "flood").unwrap();
    assert_eq!(flood["bytes"], 1 << 20);
    assert_eq!(flood["octets_back"], 24);
    assert!(flood["octets_there"].as_u64() > flood["bytes"].as_u64());
}

#[test]
fn no_row_at_all_is_an_error() {
    let output = table(&["--only=no such row"]).unwrap();
    assert!(!output.status.success());
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        errors.contains("nothing is left to be measured"),
        "{errors}"
    );
}

#[test]
fn a_page_that_cannot_be_written_fails_the_run() {
    let output = table(&["--only=IDL_Cubit: octet", "--html=/nonexistent/table.html"]).unwrap();
    assert!(!output.status.success());
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("/nonexistent/table.html"), "{errors}");
}
