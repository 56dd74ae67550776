//! `taut name --json`: each command, and each way to fail, for programs.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use serde_json::{Value, json};

use super::served::Served;
use super::support::Outcome;

const BANK: &str = "corbaloc:iiop:1.2@127.0.0.1:9/Bank";

/// The lines of JSON that a command that succeeds writes.
#[track_caller]
fn lines(served: &Served, line: &str) -> Vec<Value> {
    let outcome = served.run(&format!("--json {line}"));
    let ends_well = (outcome.errors.as_str(), outcome.status);
    assert_eq!(ends_well, ("", Some(0)), "{line}");
    parsed(&outcome.output)
}

/// The object that a command that fails writes to standard error; it may have written results.
#[track_caller]
fn failure(served: &Served, line: &str) -> Value {
    let outcome: Outcome = served.run(&format!("--json {line}"));
    assert_eq!(outcome.status, Some(1), "{line}");
    let mut errors = parsed(&outcome.errors);
    assert_eq!(errors.len(), 1, "{line}: {errors:?}");
    errors.remove(0)
}

fn parsed(text: &str) -> Vec<Value> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn component(id: &str) -> Value {
    json!({ "id": id, "kind": "" })
}

#[test]
fn each_change_is_a_line() {
    let served = Served::start_in_memory(&[]);
    let bound = json!({
        "event": "bound", "name": "a/b", "components": [component("a"), component("b")],
    });
    let bind = format!("bind --parents a/b {BANK}");
    assert_eq!(lines(&served, &bind), [bound]);
    let exported = lines(&served, "export");
    assert_eq!(exported.len(), 2);

    let file = tempfile::NamedTempFile::new().unwrap();
    let text: String = exported.iter().map(|one| format!("{one}\n")).collect();
    std::fs::write(&file, text).unwrap();
    let import = format!("import {}", file.path().display());
    let unchanged = json!({ "bound": 0, "unchanged": 2 });
    assert_eq!(lines(&served, &import), [unchanged]);
    let other = Served::start_in_memory(&[]);
    let copy = format!("copy {} {}", served.url, other.url);
    let copied = json!({ "bound": 2, "unchanged": 0 });
    assert_eq!(lines(&served, &copy), [copied]);

    let unbound = |name: &str, components: &[Value]| json!({ "event": "unbound", "name": name, "components": components });
    let of_b = unbound("a/b", &[component("a"), component("b")]);
    assert_eq!(lines(&served, "unbind a/b"), [of_b]);
    let destroyed = json!({ "event": "destroyed", "name": "a", "components": [component("a")] });
    let of_a = unbound("a", &[component("a")]);
    assert_eq!(lines(&served, "unbind --destroy a"), [destroyed, of_a]);
}

#[test]
fn dead_names_that_are_unbound_are_lines_as_well() {
    let served = Served::start_in_memory(&[]);
    lines(&served, &format!("bind --context x {}", served.url));
    lines(
        &served,
        &format!(
            "bind dead {}/Nobody",
            served.url.rsplit_once('/').unwrap().0
        ),
    );
    let found = lines(&served, "check --unbind-dead");
    let of = |name: &str, key: &str| -> Vec<Value> {
        let of_name = found.iter().filter(|line| line["name"] == name);
        of_name.map(|line| line[key].clone()).collect()
    };
    assert_eq!(
        of("dead", "state"),
        [json!("dead"), Value::Null],
        "{found:?}"
    );
    assert_eq!(of("dead", "event"), [Value::Null, json!("unbound")]);
    assert_eq!(of("x", "state"), [json!("alive")]);
}

#[test]
fn each_failure_is_an_object_on_standard_error() {
    let served = Served::start_in_memory(&[]);
    lines(&served, &format!("bind x {BANK}"));
    let exception = |name: &str| format!("IDL:omg.org/CosNaming/NamingContext/{name}:1.0");
    let found = failure(&served, "resolve x/y");
    let expected = json!({
        "error": "NotFound: \"x/y\": \"x\" is an object, not a context that a name could lead through",
        "exception": exception("NotFound"), "why": "not_context", "name": "x/y",
        "rest_of_name": "x/y",
    });
    assert_eq!(found, expected);
    let found = failure(&served, &format!("bind x {BANK}"));
    assert_eq!(found["exception"], exception("AlreadyBound"));
    let found = failure(&served, "unbind nobody");
    assert_eq!(
        (&found["why"], &found["name"]),
        (&json!("missing_node"), &json!("nobody"))
    );
    let found = failure(&served, "list a//b");
    assert!(
        found["error"].is_string() && found["exception"].is_null(),
        "{found}"
    );
    // A line of results may come before.
    let found = failure(&served, "check --check-timeout 1");
    assert!(
        found["error"].as_str().unwrap().contains("unreachable"),
        "{found}"
    );

    let read_only = Served::start_in_memory(&["--read-only"]);
    let found = failure(&read_only, &format!("bind x {BANK}"));
    assert_eq!(found["exception"], "IDL:omg.org/CORBA/NO_PERMISSION:1.0");
    assert_eq!(found["minor"], taut::minor::NAMES_READ_ONLY);
}

#[test]
fn the_service_says_where_it_is() {
    let served = Served::start_in_memory(&["--json"]);
    let line: Value = serde_json::from_str(&served.url).unwrap();
    let url = format!("corbaloc:iiop:1.2@127.0.0.1:{}/NameService", served.port);
    assert_eq!(line, json!({ "url": url, "status": "names in memory" }));
}
