//! `taut call`, `taut describe` and `taut ping`: against Taut's naming service, and omniORB's
//! where that is installed.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use serde_json::{Value as Json, json};
use taut::Ior;
use taut_giop::ior::TaggedProfile;
use taut_interop::OmniNames;

use super::served::Served;
use super::support::{LiveObject, Outcome, run};

const IDL: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../services/naming/idl/CosNaming.idl"
);

fn call(url: &str, line: &[&str]) -> Outcome {
    let mut arguments = vec!["call", "--idl", IDL, "--json", url];
    arguments.extend(line);
    run(&arguments)
}

/// The JSON that a call writes, and whether it succeeded.
#[track_caller]
fn result(url: &str, line: &[&str]) -> (Json, bool) {
    let outcome = call(url, line);
    let json = serde_json::from_str(&outcome.output);
    let json = json.unwrap_or_else(|_| panic!("{outcome:?}"));
    (json, outcome.status == Some(0))
}

/// Calls a naming service by every kind of value that it has.
pub(super) fn calls_a_naming_service(url: &str) {
    let bank = r#"n=[{"id": "bank", "kind": ""}]"#;
    let (context, is_ok) = result(url, &["bind_new_context", bank]);
    let context = context.as_str().unwrap();
    assert!(is_ok && context.starts_with("IOR:"), "{context}");
    // A reference in a result is the object of the next call, or an argument.
    let name = r#"n=[{"id": "same", "kind": "x"}]"#;
    let bound = result(url, &["bind", name, &format!("obj={context}")]);
    assert_eq!(bound, (Json::Null, true));
    let (again, _) = result(url, &["resolve", name]);
    assert!(again.as_str().unwrap().starts_with("IOR:"));
    let listed = result(context, &["list", "how_many=10"]);
    assert_eq!(listed, (json!({"bl": [], "bi": null}), true));
    let (listed, _) = result(url, &[r#"list"#, r#"{"how_many": 10}"#]);
    let mut types: Vec<_> = listed["bl"].as_array().unwrap().iter().collect();
    types.sort_by_key(|one| one["binding_type"].to_string());
    let expected = json!({
        "binding_name": [{"id": "bank", "kind": ""}],
        "binding_type": "ncontext",
    });
    assert_eq!(*types[0], expected);
    // Strings need no quotes.
    let text = result(url, &["to_string", r#"n=[{"id": "a.b", "kind": "c"}]"#]);
    assert_eq!(text, (json!(r"a\.b.c"), true));
    let name = result(url, &["to_name", "sn=7/b.c"]);
    let expected = json!([{"id": "7", "kind": ""}, {"id": "b", "kind": "c"}]);
    assert_eq!(name, (expected, true));
    let raised = result(url, &["resolve", r#"n=[{"id": "none", "kind": ""}]"#]);
    let expected = json!({
        "$exception": "IDL:omg.org/CosNaming/NamingContext/NotFound:1.0",
        "$members": {"why": "missing_node", "rest_of_name": [{"id": "none", "kind": ""}]},
    });
    assert_eq!(raised, (expected, false));
}

#[test]
fn each_kind_of_value_goes_to_a_naming_service_of_taut() {
    let served = Served::start_in_memory(&[]);
    calls_a_naming_service(&served.url);
    let repeated = result(&served.url, &["--repeat", "20", "to_name", "sn=a"]);
    assert_eq!(repeated.0["calls"], 20);
    assert!(repeated.0["microseconds"]["p50"].as_f64().unwrap() > 0.0);
}

#[test]
fn each_kind_of_value_goes_to_a_naming_service_of_omniorb() {
    if let Some(names) = OmniNames::start().unwrap() {
        calls_a_naming_service(&names.corbaloc());
    }
}

#[test]
fn each_wrong_input_is_told() {
    let served = Served::start_in_memory(&[]);
    for (line, message) in [
        ("resolve", "the argument `n` is missing: write n=VALUE"),
        ("resolve m=1 n=[]", "the operation takes no `m`: it takes n"),
        ("bind n=[] obj", "`obj` is no argument: write NAME=VALUE"),
        (
            "list how_many=many",
            "`many` is no JSON: expected value at line 1 column 1",
        ),
        (
            "list how_many=-1",
            "`how_many`: -1 is beyond the range of unsigned long",
        ),
        ("list how_many=1 how_many=2", "`how_many` is given twice"),
        (
            "resolve n=[{\"id\":\"a\"}]",
            "`n`: [0]: the member `kind` is missing",
        ),
        (
            "resolve {\"n\":1",
            "the arguments are no JSON: EOF while parsing an object at line 1 column 6",
        ),
        (
            "destroy {\"n\":1}",
            "the operation takes no `n`: it takes nothing",
        ),
        ("get", "get needs the name of an attribute"),
        (
            "get name",
            "CosNaming::NamingContextExt has no attribute to get",
        ),
        ("bind n=[] obj=bank", "`obj`: "),
    ] {
        let arguments: Vec<_> = line.split(' ').collect();
        let outcome = call(&served.url, &arguments);
        assert!(
            outcome.errors.starts_with(&format!("error: {message}")),
            "{line}: {outcome:?}"
        );
        assert_eq!(outcome.status, Some(1), "{line}");
    }
    let outcome = call(&served.url, &["list_all"]);
    let begin =
        "error: CosNaming::NamingContextExt has no operation `list_all`: there are to_string, ";
    assert!(outcome.errors.starts_with(begin), "{outcome:?}");
    let outcome = call(&served.url, &["--interface", "Bank", "list", "1"]);
    let begin = "error: the IDL has no interface Bank: it has CosNaming::BindingIterator, ";
    assert!(outcome.errors.starts_with(begin), "{outcome:?}");
}

#[test]
fn an_exception_of_the_system_is_told() {
    let outcome = run(&[
        "call",
        "--idl",
        IDL,
        "--interface",
        "CosNaming::NamingContext",
        "corbaloc::127.0.0.1:1/x",
        "new_context",
    ]);
    assert!(
        outcome.errors.starts_with("error: TRANSIENT: "),
        "{outcome:?}"
    );
    assert_eq!(outcome.status, Some(1));
}

#[test]
fn an_object_is_described_by_its_most_derived_interface() {
    let served = Served::start_in_memory(&[]);
    let outcome = run(&["describe", "--idl", IDL, &served.url]);
    let lines: Vec<_> = outcome.output.lines().collect();
    let first = "interface CosNaming::NamingContextExt  IDL:omg.org/CosNaming/NamingContextExt:1.0";
    assert_eq!(lines[0], first);
    assert!(lines.contains(&"  inherits IDL:omg.org/CosNaming/NamingContext:1.0"));
    let list = "  void list(in unsigned long how_many, out BindingList bl, out BindingIterator bi)";
    assert!(lines.contains(&list), "{lines:#?}");
    // A reference that tells a base leads there too.
    let (context, _) = result(&served.url, &["new_context"]);
    let mut ior: Ior = context.as_str().unwrap().parse().unwrap();
    ior.type_id = "IDL:omg.org/CosNaming/NamingContext:1.0".to_owned();
    let outcome = run(&["describe", "--idl", IDL, &ior.to_string()]);
    assert_eq!(outcome.output.lines().next(), Some(first), "{outcome:?}");
    let outcome = run(&["describe", "--idl", IDL, &served.url, "--json"]);
    let json: Json = serde_json::from_str(&outcome.output).unwrap();
    assert_eq!(json["name"], "CosNaming::NamingContextExt");
    let to_name = &json["operations"][1];
    assert_eq!(to_name["name"], "to_name");
    let parameter = json!({"name": "sn", "mode": "in", "type": "StringName"});
    assert_eq!(to_name["parameters"], json!([parameter]));
}

#[test]
fn each_profile_is_tried() {
    let object = LiveObject::start();
    let outcome = run(&["ping", &object.reference]);
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    assert!(outcome.output.contains("  answers after "), "{outcome:?}");
    let outcome = run(&["ping", "--json", &object.reference]);
    let json: Json = serde_json::from_str(&outcome.output).unwrap();
    assert_eq!(json["type_id"], "IDL:omg.org/CosNaming/BindingIterator:1.0");
    let profile = &json["profiles"][0];
    assert_eq!(
        (&profile["answers"], &profile["is_a"]),
        (&json!(true), &json!(true))
    );
    assert!(profile["best_ms"].as_f64().unwrap() > 0.0);
}

#[test]
fn a_profile_that_taut_cannot_reach_says_why() {
    let object = LiveObject::start();
    let mut ior: Ior = object.reference.parse().unwrap();
    let mut iiop = ior.iiop_profiles().next().unwrap().unwrap();
    iiop.port = 0;
    let components = TaggedProfile {
        tag: 1,
        data: vec![0, 0, 0, 0, 0, 0, 0, 0],
    };
    let mut foreign = ior.profiles[0].clone();
    foreign.tag = 0x5141_4141;
    ior.profiles = vec![iiop.to_profile().unwrap(), components, foreign];
    let outcome = run(&["ping", "--json", &ior.to_string()]);
    assert_eq!(outcome.status, Some(1), "{outcome:?}");
    let json: Json = serde_json::from_str(&outcome.output).unwrap();
    let profiles = json["profiles"].as_array().unwrap();
    let faults: Vec<_> = profiles
        .iter()
        .map(|one| one["fault"].as_str().unwrap())
        .collect();
    assert_eq!(faults.len(), 2);
    assert!(faults[0].starts_with("its port is 0: the server takes connections with TLS"));
    assert!(faults[1].starts_with("it is of a transport that taut does not have"));
    assert_eq!(profiles[0]["profile"], "TAG_INTERNET_IOP 1.2");
}

#[test]
fn an_object_of_another_interface_than_the_reference_says_is_told() {
    let object = LiveObject::start();
    let mut ior: Ior = object.reference.parse().unwrap();
    ior.type_id = "IDL:Bank/Account:1.0".to_owned();
    let outcome = run(&["ping", &ior.to_string()]);
    assert_eq!(outcome.status, Some(1), "{outcome:?}");
    let expected = "  is no IDL:Bank/Account:1.0, as the reference says: ";
    assert!(outcome.output.contains(expected), "{outcome:?}");
}

#[test]
fn an_object_that_does_not_answer_has_the_reason_and_what_to_try() {
    let holding = LiveObject::start_holding();
    let served = Served::start_in_memory(&[]);
    let other = served.url.replace("NameService", "Other");
    for (reference, fault, advice) in [
        (
            "corbaloc::127.0.0.1:1/x",
            "TRANSIENT",
            "look whether the server runs",
        ),
        (&*other, "its server says that it does not exist", ""),
        (&holding.reference, "TIMEOUT", "the server is overloaded"),
    ] {
        let outcome = run(&["ping", "--timeout", "1", reference]);
        assert_eq!(outcome.status, Some(1), "{outcome:?}");
        assert!(outcome.output.contains(fault), "{outcome:?}");
        assert!(outcome.output.contains(advice), "{outcome:?}");
    }
}
