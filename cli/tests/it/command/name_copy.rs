//! `taut name copy`, `export`, `import`, `check`, `watch` and `tree`.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fs;

use taut::Orb;
use taut_interop::{OmniNames, Process};
use taut_naming::{NameComponent, NamingContext, NamingContextRef};

use super::served::{Served, TIME_OUT};
use super::support::{LiveObject, run, taut};

const BANK: &str = "corbaloc:iiop:1.2@127.0.0.1:9/Bank";
const OTHER: &str = "corbaloc:iiop:1.2@127.0.0.1:9/Other";

/// A tree with a context of two names, one of them within itself.
fn plant(url: &str) {
    let all = |line: &str| {
        let mut arguments = vec!["name", "--ns", url];
        arguments.extend(line.split(' '));
        let outcome = run(&arguments);
        assert_eq!(outcome.status, Some(0), "{line}: {outcome:?}");
    };
    all(&format!("bind --parents bank/branch.city/teller {BANK}"));
    all(&format!("bind atm.old {OTHER}"));
    let branch = run(&["name", "--ns", url, "resolve", "bank/branch.city"]).output;
    all(&format!(
        "bind --context bank/branch.city/self {}",
        branch.trim()
    ));
    all(&format!("bind --context alias {}", branch.trim()));
}

/// The tree that [`plant`] makes, as it is listed.
const TREE: &str = "/
├── alias/
│   ├── self/  (shown above)
│   └── teller
├── atm.old
└── bank/
    └── branch.city/  (shown above)
";

#[test]
fn all_names_are_copied_from_one_service_to_another() {
    let (from, to) = (Served::start_in_memory(&[]), Served::start_in_memory(&[]));
    plant(&from.url);
    from.shows("tree", TREE);
    let copy = ["name", "copy", &from.url, &to.url];
    let outcome = run(&copy);
    assert_eq!(outcome.output, "6 bound, 0 unchanged\n", "{outcome:?}");
    to.shows("tree", TREE);
    // It may be repeated.
    assert_eq!(run(&copy).output, "0 bound, 6 unchanged\n");
    // An object of that name is not replaced unless that is asked for.
    to.shows(&format!("bind --rebind atm.old {BANK}"), "");
    let outcome = run(&copy);
    let expected = "error: AlreadyBound: \"atm.old\": the name is bound already to another object; \
                    --replace replaces it\n";
    assert_eq!(
        (outcome.errors.as_str(), outcome.status),
        (expected, Some(1))
    );
    let outcome = run(&["name", "copy", "--replace", &from.url, &to.url]);
    assert_eq!(outcome.output, "1 bound, 5 unchanged\n", "{outcome:?}");
    let outcome = run(&["name", "copy", "--max-names", "5", &from.url, &to.url]);
    assert!(
        outcome.errors.contains("--max-names allows more"),
        "{outcome:?}"
    );
}

#[test]
fn all_names_of_omniorbs_service_are_copied() {
    let Some(omni_names) = OmniNames::start().unwrap() else {
        return;
    };
    plant(&omni_names.corbaloc());
    let to = Served::start_in_memory(&[]);
    let outcome = run(&["name", "copy", &omni_names.corbaloc(), &to.url]);
    assert_eq!(outcome.output, "6 bound, 0 unchanged\n", "{outcome:?}");
    to.shows("tree", TREE);
    // And back, below a context there.
    let made = "bind_new";
    let orb = Orb::builder().build().unwrap();
    let root = orb.string_to_object(&omni_names.corbaloc()).unwrap();
    let root: NamingContextRef = root.narrow().unwrap();
    let context = root
        .bind_new_context(&[NameComponent {
            id: made.to_owned(),
            kind: String::new(),
        }])
        .unwrap();
    let context = taut::Reference::into_object(context.unwrap()).to_string();
    let outcome = run(&["name", "copy", &to.url, &context]);
    assert_eq!(outcome.output, "6 bound, 0 unchanged\n", "{outcome:?}");
    let tree = run(&["name", "tree", "--ns", &context]);
    assert_eq!(tree.output, TREE);
}

/// Two services are bound in each other, and one is copied into the other.
#[test]
fn a_copy_that_comes_back_to_itself_ends() {
    let (from, to) = (Served::start_in_memory(&[]), Served::start_in_memory(&[]));
    from.shows(&format!("bind a {BANK}"), "");
    from.shows(&format!("bind --context there {}", to.url), "");
    to.shows(&format!("bind --context back {}", from.url), "");
    to.shows(&format!("bind b {BANK}"), "");
    let outcome = run(&["name", "copy", "--max-names", "100", &from.url, &to.url]);
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    let listed = to.run("list").output;
    assert!(listed.contains("object   a\n"), "{listed}");
}

#[test]
fn names_are_written_to_a_file_and_read_back() {
    let (from, to) = (Served::start_in_memory(&[]), Served::start_in_memory(&[]));
    plant(&from.url);
    let exported = from.run("export").output;
    assert_eq!(exported.lines().count(), 6, "{exported}");
    for line in exported.lines() {
        let _: serde_json::Value = serde_json::from_str(line).unwrap();
    }
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("names.jsonl");
    fs::write(&file, &exported).unwrap();
    let file = file.to_str().unwrap();
    to.shows(&format!("import {file}"), "6 bound, 0 unchanged\n");
    to.shows(&format!("import {file}"), "0 bound, 6 unchanged\n");
    to.shows("tree", TREE);
    // A part of the tree, at another place.
    fs::write(file, from.run("export bank").output).unwrap();
    to.shows(&format!("bind --parents moved/here {BANK}"), "");
    to.shows(&format!("import {file} moved"), "3 bound, 0 unchanged\n");
    to.shows(
        "list -r moved",
        "moved/\n├── branch.city/\n│   ├── self/  (shown above)\n│   └── teller\n└── here\n",
    );
}

#[test]
fn a_faulty_line_is_named() {
    let to = Served::start_in_memory(&[]);
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("names.jsonl");
    for (line, expected) in [
        ("{", "EOF while parsing an object at line 1 column 1"),
        ("{}", "there are no \"components\""),
        (r#"{"components": []}"#, "\"components\" is empty"),
        (
            r#"{"components": [{"id": "a"}]}"#,
            "a component has no string \"kind\"",
        ),
        (
            r#"{"components": [{"id": "a", "kind": ""}], "type": "x"}"#,
            "\"type\" is neither \"object\" nor \"context\"",
        ),
        (
            r#"{"components": [{"id": "a", "kind": ""}, {"id": "b", "kind": ""}], "type": "object"}"#,
            "NotFound: \"a/b\": no such component \"a\"",
        ),
    ] {
        fs::write(&file, format!("\n{line}")).unwrap();
        let outcome = to.run(&format!("import {}", file.display()));
        let expected = format!("error: {}, line 2: {expected}\n", file.display());
        assert_eq!((outcome.errors, outcome.status), (expected, Some(1)));
    }
    let outcome = to.run(&format!("import --max-line 5 {}", file.display()));
    let expected = "line 2: it has more than 5 octets; --max-line allows more";
    assert!(outcome.errors.contains(expected), "{outcome:?}");
}

#[test]
fn dead_names_are_found_and_removed() {
    let served = Served::start_in_memory(&[]);
    let live = LiveObject::start();
    let other = Served::start_in_memory(&[]);
    served.shows(&format!("bind --parents a/live {}", live.reference), "");
    served.shows(&format!("bind a/gone {BANK}"), "");
    // A context that is destroyed while its name stays.
    other.shows(&format!("bind --parents dead/x {BANK}"), "");
    let dead = other.run("resolve dead").output;
    served.shows(&format!("bind --context a/dead {}", dead.trim()), "");
    other.shows("unbind dead/x", "");
    other.shows("unbind --destroy dead", "");

    let outcome = served.run("check");
    let lines: Vec<Vec<&str>> = outcome
        .output
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    let fields: Vec<_> = lines.iter().map(|line| (line[0], line[4])).collect();
    assert_eq!(
        fields,
        [
            ("alive", "a"),
            ("dead", "a/dead"),
            ("unreachable", "a/gone"),
            ("alive", "a/live")
        ]
    );
    assert!(lines.iter().all(|line| line[2] == "ms"), "{lines:?}");
    assert_eq!(outcome.status, Some(1));

    let json = served.run("check --json").output;
    for line in json.lines() {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(value["took_ms"].is_u64(), "{value}");
    }

    let outcome = served.run("check --unbind-dead");
    assert!(
        outcome.output.contains("unbound                a/dead\n"),
        "{outcome:?}"
    );
    // One is unreachable, which may be so for a moment only.
    assert_eq!(outcome.status, Some(1), "{outcome:?}");
    served.shows("list a", "object   gone\nobject   live\n");
    served.shows("unbind a/gone", "");
    let outcome = served.run("check --unbind-dead");
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
}

#[test]
fn changes_are_watched() {
    let served = Served::start_in_memory(&[]);
    served.shows(&format!("bind a {BANK}"), "");
    let mut command = taut();
    command.args(["name", "watch", "--ns", &served.url, "--initial"]);
    command.args(["--interval-ms", "50", "--count", "5"]);
    let mut watch = Process::start(&mut command).unwrap();
    let mut line = || watch.read_line(TIME_OUT).unwrap();
    assert_eq!(line(), "bound    object   a");
    served.shows(&format!("bind --parents room/b {BANK}"), "");
    let mut lines = [line(), line()];
    lines.sort();
    assert_eq!(
        lines,
        ["bound    context  room", "bound    object   room/b"]
    );
    served.shows(&format!("bind --rebind a {OTHER}"), "");
    assert_eq!(line(), "rebound  object   a");
    served.shows("unbind room/b", "");
    assert_eq!(line(), "unbound  object   room/b");
    assert!(watch.wait(TIME_OUT).unwrap().success());
}
