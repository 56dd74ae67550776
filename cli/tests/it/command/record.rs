//! `taut record` and `taut replay`.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};

use super::mocked::{IDL, Service};
use super::support::{Outcome, run};

/// The calls of a recording, without what differs from time to time.
fn calls(file: &Path) -> Vec<Json> {
    let text = fs::read_to_string(file).unwrap();
    let mut lines = text
        .lines()
        .map(|line| serde_json::from_str::<Json>(line).unwrap());
    assert_eq!(lines.next().unwrap()["recording"], 1);
    let calls = lines.map(|mut line| {
        let object = line.as_object_mut().unwrap();
        assert!(object.remove("time").unwrap().is_string());
        let took = object.remove("took_us");
        assert_eq!(took.is_some(), !object.contains_key("oneway"), "{object:?}");
        object.remove("connection").unwrap();
        line
    });
    calls.collect()
}

fn replay(arguments: &[&str], file: &Path, reference: &str) -> Outcome {
    let mut all = vec!["replay"];
    all.extend(arguments);
    all.extend([file.to_str().unwrap(), reference]);
    run(&all)
}

/// Calls by each kind of outcome.
fn call_each(recording: &Service) {
    recording.answers(&["deposit", "amount=100"], "150");
    recording.answers(
        &["history", "count=1", "total=7"],
        r#"{"items":[],"total":7}"#,
    );
    recording.call(&["deposit", "amount=-1"]);
    recording.call(&["deposit", "amount=-2"]);
    recording.answers(&["note", "text=é"], "null");
    recording.answers(&["get", "owner"], r#""""#);
}

const SCRIPT: &str = r#"{"answers": [
    {"operation": "deposit", "arguments": {"amount": 100}, "result": 150},
    {"operation": "deposit", "arguments": {"amount": -1}, "exception": "Bank::Refused",
     "members": {"why": "negative", "missing": 1}},
    {"operation": "deposit", "arguments": {"amount": -2}, "exception": "NO_PERMISSION"}
]}"#;

#[test]
fn calls_are_recorded_by_their_types_and_made_again() {
    let directory = tempfile::tempdir().unwrap();
    let (script, file) = (
        directory.path().join("s.json"),
        directory.path().join("calls.jsonl"),
    );
    fs::write(&script, SCRIPT).unwrap();
    let scripted = ["--script", script.to_str().unwrap()];
    let mock = Service::mock(&scripted);
    let recording = Service::record(&file, &["--idl", IDL], &mock.reference);
    call_each(&recording);
    recording.end();
    let found = calls(&file);
    let without = |name: &str| {
        found
            .iter()
            .filter(|one| one["operation"] != name)
            .collect::<Vec<_>>()
    };
    let found = without("_is_a");
    let expected = [
        json!({"operation": "deposit", "arguments": {"amount": 100}, "result": 150}),
        json!({"operation": "history", "arguments": {"count": 1, "total": 7},
               "result": {"items": [], "total": 7}}),
        json!({"operation": "deposit", "arguments": {"amount": -1}, "exception":
               {"$exception": "IDL:Bank/Refused:1.0",
                "$members": {"why": "negative", "missing": 1}}}),
        json!({"operation": "deposit", "arguments": {"amount": -2}, "exception":
               {"$exception": "IDL:omg.org/CORBA/NO_PERMISSION:1.0", "$minor": 0,
                "$completed": "COMPLETED_NO"}}),
        json!({"operation": "note", "arguments": {"text": "é"}, "oneway": true}),
        json!({"operation": "_get_owner", "arguments": {}, "result": ""}),
    ];
    assert_eq!(found, expected.iter().collect::<Vec<_>>());

    // The same object again, then one that answers otherwise.
    let again = replay(&["--idl", IDL], &file, &mock.reference);
    assert_eq!(again.status, Some(0), "{again:?}");
    assert!(
        again
            .output
            .contains("0 different, 0 not made, 1 not compared"),
        "{again:?}"
    );
    let other = Service::mock(&[]);
    let only = ["--idl", IDL, "--only", "deposit", "--speed", "1000"];
    let again = replay(&only, &file, &other.reference);
    assert_eq!(again.status, Some(1), "{again:?}");
    assert!(
        again
            .output
            .contains("deposit: result: recorded 150, now 0\n"),
        "{again:?}"
    );
    assert!(
        again.output.contains("deposit: outcome: recorded {"),
        "{again:?}"
    );
    assert!(
        again.output.contains("3 calls: 0 the same, 3 different"),
        "{again:?}"
    );
    let in_json = [&only[..], &["--json"]].concat();
    let again = replay(&in_json, &file, &other.reference);
    let lines: Vec<Json> = again
        .output
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        (&lines[0]["place"], &lines[0]["recorded"]),
        (&json!("result"), &json!(150))
    );
    assert_eq!(lines[3]["different"], 3);
}

#[test]
fn calls_are_recorded_as_octets_without_idl_and_made_again() {
    let directory = tempfile::tempdir().unwrap();
    let (script, file) = (
        directory.path().join("s.json"),
        directory.path().join("calls.jsonl"),
    );
    fs::write(&script, SCRIPT).unwrap();
    let mock = Service::mock(&["--script", script.to_str().unwrap()]);
    let recording = Service::record(&file, &[], &mock.reference);
    call_each(&recording);
    // A client of the other byte order.
    let order = if cfg!(target_endian = "little") {
        "big-endian"
    } else {
        "little-endian"
    };
    let other = [
        "-ORBByteOrder",
        order.split('-').next().unwrap(),
        "deposit",
        "amount=1",
    ];
    recording.answers(&other, "0");
    recording.end();
    let found = calls(&file);
    let deposit = found
        .iter()
        .find(|one| one["operation"] == "deposit")
        .unwrap();
    assert_eq!(deposit["result"]["$octets"], "lgAAAA==");
    let last = found.last().unwrap();
    assert_eq!(last["arguments"]["$byte_order"], order);
    assert_eq!(
        last["arguments"]["$octets"],
        if order == "big-endian" {
            "AAAAAQ=="
        } else {
            "AQAAAA=="
        }
    );
    let again = replay(&[], &file, &mock.reference);
    assert_eq!(again.status, Some(0), "{again:?}");
    let other = Service::mock(&[]);
    let again = replay(&["--only", "deposit"], &file, &other.reference);
    assert!(
        again.output.contains("4 calls: 1 the same, 3 different"),
        "{again:?}"
    );
    assert!(
        again
            .output
            .contains("result.$octets: recorded \"lgAAAA==\", now"),
        "{again:?}"
    );
}

#[test]
fn references_of_earlier_results_are_those_of_this_time() {
    let directory = tempfile::tempdir().unwrap();
    let (script, file) = (
        directory.path().join("s.json"),
        directory.path().join("calls.jsonl"),
    );
    let partner = Service::mock(&[]);
    // Answers with a partner to nil, and to that partner with nil.
    let write = |partner: &str| {
        let script = json!({"answers": [
            {"operation": "partner", "arguments": {"other": null}, "result": partner},
            {"operation": "partner", "arguments": {"other": partner}, "result": null},
            {"operation": "partner", "exception": "BAD_PARAM"},
        ]});
        script.to_string()
    };
    fs::write(&script, write(&partner.reference)).unwrap();
    let scripted = ["--script", script.to_str().unwrap()];
    let mock = Service::mock(&scripted);
    let recording = Service::record(&file, &["--idl", IDL], &mock.reference);
    let found = recording.call(&["partner", "other=null"]);
    let found: Json = serde_json::from_str(&found.output).unwrap();
    let found = found.as_str().unwrap().to_owned();
    recording.answers(&["partner", &format!("other={found}")], "null");
    recording.end();

    let partner = Service::mock(&[]);
    fs::write(&script, write(&partner.reference)).unwrap();
    let mock = Service::mock(&scripted);
    let again = replay(&["--idl", IDL], &file, &mock.reference);
    assert_eq!(again.status, Some(0), "{again:?}");
}

#[test]
fn each_wrong_recording_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("calls.jsonl");
    let mock = Service::mock(&[]);
    let place = file.display();
    for (text, message) in [
        ("{", "line 1: it is no JSON: "),
        ("\n{}", "line 2: there is no `operation` in it"),
        (
            "{\"recording\": 9}",
            "line 1: the recording's format 9 is not known",
        ),
    ] {
        fs::write(&file, text).unwrap();
        let outcome = replay(&[], &file, &mock.reference);
        let expected = format!("error: {place}, {message}");
        assert!(outcome.errors.starts_with(&expected), "{outcome:?}");
        assert_eq!(outcome.status, Some(1));
    }
    fs::write(&file, "{\"operation\": \"x\"}").unwrap();
    let outcome = replay(&["--max-line-size", "9"], &file, &mock.reference);
    let message = "line 1: it has more than 9 octets (--max-line-size)";
    assert!(outcome.errors.contains(message), "{outcome:?}");
    for (arguments, fault) in [
        (
            r#"{"amount": 1}"#,
            "the IDL has no operation with its arguments",
        ),
        (r#"{"$octets": "?"}"#, "$octets is no text in Base64"),
        ("1", "its arguments are no object"),
    ] {
        let line = format!("{{\"operation\": \"deposit\", \"arguments\": {arguments}}}");
        fs::write(&file, line).unwrap();
        let outcome = replay(&[], &file, &mock.reference);
        assert!(outcome.output.contains(fault), "{outcome:?}");
        assert!(
            outcome
                .output
                .contains("1 calls: 0 the same, 0 different, 1 not made"),
            "{outcome:?}"
        );
        assert_eq!(outcome.status, Some(1));
    }
    let outcome = replay(&["--speed", "0"], &file, &mock.reference);
    assert_eq!(outcome.status, Some(2), "{outcome:?}");
}

#[test]
fn each_wrong_input_of_a_recording_is_told() {
    let mock = Service::mock(&[]);
    for (endpoint, message) in [
        ("127.0.0.1", "cannot listen at 127.0.0.1: "),
        (
            "0.0.0.0:0",
            "no client can connect to 0.0.0.0: give --publish HOST",
        ),
    ] {
        let outcome = run(&["record", endpoint, &mock.reference]);
        let expected = format!("error: {message}");
        assert!(outcome.errors.starts_with(&expected), "{outcome:?}");
    }
    let outcome = run(&[
        "record",
        "--idl",
        IDL,
        "--interface",
        "X",
        "127.0.0.1:0",
        &mock.reference,
    ]);
    assert!(
        outcome
            .errors
            .starts_with("error: the IDL has no interface X"),
        "{outcome:?}"
    );
    let outcome = run(&["record", "127.0.0.1:0", "corbaloc:uiop:/none|x/y"]);
    assert_eq!(outcome.status, Some(1), "{outcome:?}");
}

#[test]
fn octets_that_are_no_giop_go_through_and_are_not_recorded() {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("calls.jsonl");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let recording = Service::record(&file, &[], &format!("corbaloc::127.0.0.1:{port}/x"));
    let reference: taut::Ior = recording.reference.parse().unwrap();
    let profile = reference.iiop_profiles().next().unwrap().unwrap();
    let mut client = TcpStream::connect((profile.host.as_str(), profile.port)).unwrap();
    client.write_all(b"this is no message of GIOP").unwrap();
    client.shutdown(std::net::Shutdown::Write).unwrap();
    let (mut server, _) = listener.accept().unwrap();
    let mut text = String::new();
    server.read_to_string(&mut text).unwrap();
    assert_eq!(text, "this is no message of GIOP");
    server.write_all(b"nor is this").unwrap();
    drop(server);
    text.clear();
    client.read_to_string(&mut text).unwrap();
    assert_eq!(text, "nor is this");
    recording.end();
    assert!(calls(&file).is_empty());
}
