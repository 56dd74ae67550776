//! `taut mock`, and what `taut call` does with attributes, references and `--trace`.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fs;

use serde_json::Value as Json;

use super::mocked::{IDL, Service};
use super::support::run;

#[test]
fn answers_are_the_default_values_of_their_types() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("account.ior");
    let mock = Service::mock(&["--store", file.to_str().unwrap()]);
    assert_eq!(
        fs::read_to_string(&file).unwrap().trim_end(),
        mock.reference
    );
    mock.answers(&["deposit", "amount=5"], "0");
    // An inout parameter comes back.
    let history = r#"{"items":[],"total":7}"#;
    mock.answers(&["history", "count=1", "total=7"], history);
    mock.answers(
        &["kind_of", r#"item={"text":"a","amount":1}"#],
        r#""current""#,
    );
    mock.answers(&["partner", "other=null"], "null");
    mock.answers(&["note", "text=a"], "null");
    let pinged = run(&["ping", &format!("@{}", file.display())]);
    assert_eq!(pinged.status, Some(0), "{pinged:?}");
    mock.end();
}

#[test]
fn an_attribute_that_was_set_keeps_its_value() {
    let mock = Service::mock(&[]);
    mock.answers(&["get", "owner"], r#""""#);
    mock.answers(&["set", "owner=Ada"], "null");
    mock.answers(&["get", "owner"], r#""Ada""#);
    mock.answers(&["set", "owner", "Grace"], "null");
    mock.answers(&["get", "owner"], r#""Grace""#);
    let outcome = mock.call(&["set", "balance=1"]);
    let message = "error: Bank::Account has no attribute `balance` to set: there are owner";
    assert_eq!(outcome.errors.trim_end(), message);
}

#[test]
fn a_seed_gives_the_same_values_each_time() {
    let values = |seed: &str| {
        let mock = Service::mock(&["--seed", seed]);
        let owner = mock.call(&["get", "owner"]).output;
        let history = mock.call(&["history", "count=1", "total=7"]).output;
        (owner, history)
    };
    assert_eq!(values("7"), values("7"));
    assert_ne!(values("7"), values("8"));
}

const SCRIPT: &str = r#"
[[answers]]
operation = "deposit"
arguments = { amount = 100 }
result = 150
times = 1

[[answers]]
operation = "deposit"
arguments = { amount = -1 }
exception = "Refused"
members = { why = "negative", missing = 1 }

[[answers]]
operation = "deposit"
arguments = { amount = -2 }
exception = "NO_PERMISSION"

[[answers]]
operation = "get balance"
result = 42
delay_ms = 1

[[answers]]
operation = "kind_of"
arguments = { item = { text = "s" } }
result = "savings"

[[answers]]
operation = "history"
out = { items = [{ text = "a", amount = 1 }] }
"#;

#[test]
fn a_script_says_the_answers() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("answers.toml");
    fs::write(&file, SCRIPT).unwrap();
    let mock = Service::mock(&["--script", file.to_str().unwrap()]);
    mock.answers(&["deposit", "amount=100"], "150");
    mock.answers(&["deposit", "amount=100"], "0");
    let refused =
        r#"{"$exception":"IDL:Bank/Refused:1.0","$members":{"missing":1,"why":"negative"}}"#;
    mock.answers(&["deposit", "amount=-1"], refused);
    let outcome = mock.call(&["deposit", "amount=-2"]);
    assert!(
        outcome
            .output
            .contains("IDL:omg.org/CORBA/NO_PERMISSION:1.0"),
        "{outcome:?}"
    );
    mock.answers(&["get", "balance"], "42");
    mock.answers(
        &["kind_of", r#"item={"text":"s","amount":1}"#],
        r#""savings""#,
    );
    mock.answers(
        &["kind_of", r#"item={"text":"t","amount":1}"#],
        r#""current""#,
    );
    let history = r#"{"items":[{"amount":1,"text":"a"}],"total":3}"#;
    mock.answers(&["history", "count=0", "total=3"], history);
}

#[test]
fn each_wrong_script_and_interface_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("answers.json");
    let path = file.to_str().unwrap();
    for (answer, message) in [
        (
            r#""operation": "x""#,
            "Bank::Account has no operation `x`: there are ",
        ),
        (
            r#""operation": "deposit", "arguments": {"sum": 1}"#,
            "deposit takes no `sum`, but amount",
        ),
        (
            r#""operation": "deposit", "result": "many""#,
            "result: expected long, found \"many\"",
        ),
        (
            r#""operation": "note", "result": 1"#,
            "note returns nothing",
        ),
        (
            r#""operation": "deposit", "out": {"rest": 1}"#,
            "deposit gives no `rest`, but none",
        ),
        (
            r#""operation": "deposit", "exception": "Lost""#,
            "`Lost` is no system exception, and of user exceptions deposit raises \
             IDL:Bank/Refused:1.0",
        ),
        (
            r#""operation": "deposit", "exception": "Refused", "members": {"why": "x"}"#,
            "members: the member `missing` is missing",
        ),
        (
            r#""operation": "deposit", "exception": "Refused", "result": 1"#,
            "it has an exception, and results beside it",
        ),
        (
            r#""operation": "deposit", "members": {"why": "x"}"#,
            "it has members, and no exception",
        ),
    ] {
        fs::write(&file, format!("{{\"answers\": [{{{answer}}}]}}")).unwrap();
        let outcome = run(&["mock", "--script", path, IDL, "Bank::Account"]);
        let expected = format!("error: {path}: answers[0]: {message}");
        assert!(outcome.errors.starts_with(&expected), "{outcome:?}");
        assert_eq!(outcome.status, Some(1));
    }
    let outcome = run(&[
        "mock",
        "--script",
        path,
        "--max-script-size",
        "9",
        IDL,
        "Bank::Account",
    ]);
    assert!(
        outcome.errors.contains(path) && outcome.status == Some(1),
        "{outcome:?}"
    );
    let outcome = run(&["mock", IDL, "Bank"]);
    let message = "error: the IDL has no interface Bank: it has Bank::Account\n";
    assert_eq!((&*outcome.errors, outcome.status), (message, Some(1)));
}

#[test]
fn a_trace_shows_each_message_with_its_octets() {
    let mock = Service::mock(&[]);
    let outcome = mock.call(&[
        "--trace",
        "--interface",
        "Bank::Account",
        "deposit",
        "amount=77",
    ]);
    assert_eq!(outcome.output, "0\n", "{outcome:?}");
    let lines: Vec<Json> = outcome
        .errors
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let kinds: Vec<_> = lines
        .iter()
        .map(|one| (&one["type"], &one["sent"]))
        .collect();
    let (sent, received) = (Json::from(true), Json::from(false));
    assert_eq!(
        kinds,
        [(&"Request".into(), &sent), (&"Reply".into(), &received)]
    );
    assert_eq!(lines[0]["values"]["amount"], 77);
    assert_eq!(lines[1]["answers"]["operation"], "deposit");
    assert!(lines[1]["answers"]["after_us"].is_u64());
    assert!(
        lines[0]["octets"].as_str().unwrap().starts_with("47494f50"),
        "GIOP"
    );
    assert!(lines[0]["peer"].as_str().unwrap().contains("127.0.0.1:"));

    let outcome = run(&[
        "call",
        "--idl",
        IDL,
        "--trace",
        &mock.reference,
        "deposit",
        "amount=77",
    ]);
    for expected in [
        "sent to ",
        "Request ",
        "  amount",
        "received from ",
        " after ",
        "0000  47 49 4f 50",
    ] {
        assert!(outcome.errors.contains(expected), "{expected}: {outcome:?}");
    }
}

#[test]
fn a_trace_of_a_call_that_fails_shows_what_there_was() {
    let outcome = run(&[
        "call",
        "--idl",
        IDL,
        "--trace",
        "--interface",
        "Bank::Account",
        "corbaloc::127.0.0.1:1/x",
        "get",
        "balance",
    ]);
    assert!(outcome.errors.contains("error: TRANSIENT"), "{outcome:?}");
    assert_eq!(outcome.status, Some(1));
    let mock = Service::mock(&[]);
    let ior: taut::Ior = mock.reference.parse().unwrap();
    let port = ior.iiop_profiles().next().unwrap().unwrap().port;
    let nobody = format!("corbaloc::127.0.0.1:{port}/nobody");
    let line = [
        "call",
        "--idl",
        IDL,
        "--trace",
        "--json",
        "--interface",
        "Bank::Account",
        &nobody,
        "get",
        "balance",
    ];
    let outcome = run(&line);
    let exception = "IDL:omg.org/CORBA/OBJECT_NOT_EXIST:1.0";
    assert!(outcome.output.contains(exception), "{outcome:?}");
    assert!(outcome.errors.contains(exception), "{outcome:?}");
    assert_eq!(outcome.errors.lines().count(), 2, "{outcome:?}");
    assert_eq!(outcome.status, Some(1));
}

#[test]
fn a_reference_in_a_file_is_an_argument() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("other.ior");
    let mock = Service::mock(&["--store", file.to_str().unwrap()]);
    mock.answers(&["partner", &format!("other=@{}", file.display())], "null");
    let outcome = mock.call(&["partner", "other=@/none"]);
    assert!(
        outcome
            .errors
            .starts_with("error: `other`: cannot read /none: "),
        "{outcome:?}"
    );
}

/// The examples of `--help` are carried out, with a mock in the place of the bank.
#[test]
fn the_examples_of_calls_work() {
    let mock = Service::mock(&[]);
    let mut count = 0;
    for command in ["call", "describe", "ping"] {
        let help = run(&[command, "--help"]).output;
        let (_, examples) = help.split_once("Examples:\n").unwrap();
        // A mock tells nobody its interface; `command::ifr` has a server that does.
        let is_for_mock = |line: &&str| command == "ping" || line.contains("--idl bank.idl");
        let examples = examples.lines().filter(|line| line.contains("bank.i"));
        for line in examples.filter(is_for_mock) {
            let line = line.trim().strip_prefix("taut ").unwrap();
            let words = line.split(' ').map(|word| match word {
                "bank.idl" => IDL.to_owned(),
                word if word.starts_with('@') || word.starts_with("corbaname:") => {
                    mock.reference.clone()
                }
                "10000" => "10".to_owned(),
                word => word.to_owned(),
            });
            let words: Vec<_> = words.collect();
            let words: Vec<_> = words.iter().map(String::as_str).collect();
            let outcome = run(&words);
            assert_eq!(outcome.status, Some(0), "{line}: {outcome:?}");
            count += 1;
        }
    }
    assert!(count >= 6, "{count}");
}
