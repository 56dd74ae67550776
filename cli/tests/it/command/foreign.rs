//! The commands that call, and those that record, between other ORBs.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value as Json, json};
use taut::Version;
use taut_interop::{Check, JacorbClient, JacorbNames, JacorbServer, Process, peers};

use super::call::calls_a_naming_service;
use super::mocked::Service;
use super::served::TIME_OUT;
use super::support::run;

const IDL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../interop/idl/param_test.idl");

/// A server of omniORB's with every type of parameters, and its reference.
fn omniorb_server() -> Option<(Process, String)> {
    let mut command = Command::new(peers::omniorb("param_server")?);
    let mut server = Process::start(&mut command).unwrap();
    let reference = server.read_line(TIME_OUT).unwrap();
    Some((server, reference))
}

/// The calls of a recording.
fn calls(file: &Path) -> Vec<Json> {
    let text = fs::read_to_string(file).unwrap();
    let lines = text.lines().skip(1);
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn calls_go_to_a_naming_service_of_jacorb() {
    if let Some(names) = JacorbNames::start().unwrap() {
        calls_a_naming_service(&names.reference);
    }
}

#[test]
fn calls_go_to_a_server_of_omniorb() {
    let Some((_server, reference)) = omniorb_server() else {
        return;
    };
    let call = |line: &[&str]| {
        let outcome = run(&[&["call", "--json", "--idl", IDL, &reference], line].concat());
        assert_eq!(outcome.errors, "", "{line:?}");
        serde_json::from_str::<Json>(&outcome.output).unwrap()
    };
    let short = call(&["test_short", "s1=0", "s2=1"]);
    assert_eq!(short, json!({"$result": 0, "s2": 2, "s3": 1}));
    let text = call(&["test_unbounded_string", "s1=", "s2=a"]);
    assert_eq!(text, json!({"$result": "", "s2": "a", "s3": "a"}));
    let wrong = call(&["test_short", "s1=5", "s2=5"]);
    assert_eq!(wrong["$exception"], "IDL:omg.org/CORBA/BAD_PARAM:1.0");
    let described = run(&["describe", "--idl", IDL, &reference]);
    assert!(
        described
            .output
            .starts_with("interface interop::Param_Test  "),
        "{described:?}"
    );
    let pinged = run(&["ping", &reference]);
    assert_eq!(pinged.status, Some(0), "{pinged:?}");
    assert!(
        pinged
            .output
            .contains("  is a IDL:taut.test/interop/Param_Test:1.0"),
        "{pinged:?}"
    );
}

/// The operations whose outcomes differ when they are called again: the servant compares a
/// reference with its own, which leads past the recording; the client that it calls back is gone; it
/// counts.
const DIFFERENT: [&str; 3] = ["test_objref", "call_back", "notified"];

/// The calls of omniORB's client to omniORB's server are recorded in each version of GIOP, all of
/// them by their types, and made again.
#[test]
fn the_calls_of_omniorb_are_recorded_and_made_again() {
    let (Some((_server, reference)), Some(client)) =
        (omniorb_server(), peers::omniorb("param_client"))
    else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    for version in ["1.0", "1.1", "1.2"] {
        let file = directory.path().join(version);
        let recording = Service::record(&file, &["--idl", IDL], &reference);
        let mut command = Command::new(&client);
        command.args([&recording.reference, "-ORBmaxGIOPVersion", version]);
        let (lines, _) = Process::start(&mut command)
            .unwrap()
            .finish(TIME_OUT)
            .unwrap();
        let checks = lines.iter().map(|line| Check::parse(line).unwrap());
        let passed = checks.filter(|check| check.outcome.is_ok()).count();
        assert!(passed > 10, "{lines:?}");
        recording.end();
        let found = calls(&file);
        assert!(found.len() > passed, "{}", found.len());
        for call in &found {
            let text = call.to_string();
            assert!(!text.contains("$octets"), "{version}: {text}");
        }
        let file = file.to_str().unwrap();
        let again = run(&["replay", "--json", "--idl", IDL, file, &reference]);
        let mut lines: Vec<Json> = again
            .output
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let numbers = lines.pop().unwrap();
        for line in lines {
            assert!(
                DIFFERENT.iter().any(|name| line["operation"] == *name),
                "{version}: {line}"
            );
        }
        assert_eq!(numbers["not_made"], 0, "{version}: {numbers}");
        assert!(numbers["same"].as_u64() > Some(100), "{version}: {numbers}");
    }
}

/// The octets of JacORB, which is big-endian, are recorded without IDL, and sent again as they
/// were.
#[test]
fn the_octets_of_jacorb_are_recorded_and_sent_again() {
    let start = || JacorbServer::start("ParamServer", &[], &[Version::V1_2]).unwrap();
    let (Some(server), Some(mut client)) = (start(), JacorbClient::start("ParamClient").unwrap())
    else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("calls");
    let recording = Service::record(&file, &[], &server.references[0]);
    let checks = client.check(Version::V1_2, &recording.reference).unwrap();
    assert!(checks.len() > 10, "{}", checks.len());
    client.end().unwrap();
    server.wait().unwrap();
    recording.end();
    let found = calls(&file);
    let short = found
        .iter()
        .find(|one| one["operation"] == "test_short")
        .unwrap();
    assert_eq!(short["arguments"]["$byte_order"], "big-endian");

    let server = start().unwrap();
    let (file, reference) = (file.to_str().unwrap(), &server.references[0]);
    // References are octets here, which differ from server to server.
    let only = [
        "--only",
        "test_short",
        "--only",
        "test_strseq",
        "--only",
        "test_fixed_struct",
    ];
    let arguments = [&["replay", "--json"], &only[..], &[file, reference]].concat();
    let again = run(&arguments);
    let numbers = again.output.lines().last().unwrap();
    let numbers: Json = serde_json::from_str(numbers).unwrap();
    assert_eq!(
        (&numbers["different"], &numbers["not_made"]),
        (&json!(0), &json!(0)),
        "{again:?}"
    );
    assert!(numbers["same"].as_u64() > Some(10), "{again:?}");
    server.end().unwrap();
}
