//! `taut name` against omniORB's naming service. Left out, loudly, where that
//! is not installed.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use super::support::{LiveObject, Outcome, run, taut};
use taut::Orb;
use taut_interop::OmniNames;
use taut_naming::{NameComponent, NamingContext, NamingContextRef};

const BANK: &str = "corbaloc:iiop:1.2@127.0.0.1:9/Bank";

/// A naming service of this test's own.
struct Service {
    names: OmniNames,
}

impl Service {
    fn start() -> Option<Self> {
        Some(Self {
            names: OmniNames::start().unwrap()?,
        })
    }

    fn run(&self, line: &str) -> Outcome {
        let url = self.names.corbaloc();
        let mut arguments = vec!["name", "--ns", &url];
        arguments.extend(line.split(' '));
        run(&arguments)
    }

    /// Runs a command that must succeed, and checks its output.
    #[track_caller]
    fn shows(&self, line: &str, expected: &str) {
        let outcome = self.run(line);
        assert_eq!(
            (
                outcome.output.as_str(),
                outcome.errors.as_str(),
                outcome.status
            ),
            (expected, "", Some(0)),
            "{line}"
        );
    }

    /// Runs a command that must fail, and checks its message.
    #[track_caller]
    fn fails(&self, line: &str, expected: &str) {
        let outcome = self.run(line);
        assert_eq!(
            (outcome.errors.as_str(), outcome.status),
            (format!("error: {expected}\n").as_str(), Some(1)),
            "{line}"
        );
    }

    fn root(&self, orb: &Orb) -> NamingContextRef {
        let object = orb.string_to_object(&self.names.corbaloc()).unwrap();
        object.narrow().unwrap()
    }
}

#[test]
fn names_are_bound_listed_resolved_and_unbound() {
    let Some(service) = Service::start() else {
        return;
    };
    service.shows("list", "");
    service.shows(
        &format!("bind --parents bank/branch.city/teller {BANK}"),
        "",
    );
    service.shows(&format!("bind atm.old {BANK}"), "");
    service.shows("list", "object   atm.old\ncontext  bank\n");
    service.shows("list bank", "context  branch.city\n");
    service.shows(
        "list -r",
        "/\n├── atm.old\n└── bank/\n    └── branch.city/\n        └── teller\n",
    );

    let resolved = service.run("resolve bank/branch.city/teller");
    assert!(resolved.output.starts_with("IOR:"), "{resolved:?}");
    let explained = service.run("resolve --explain bank/branch.city/teller");
    assert!(
        explained.output.contains("  object key  \"Bank\"\n"),
        "{explained:?}"
    );
    let json = service.run("resolve --json atm.old").output;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["profiles"][0]["content"]["port"], 9);

    service.shows("unbind bank/branch.city/teller", "");
    service.shows("list bank/branch.city", "");
    service.fails(
        "unbind --destroy bank",
        "NotEmpty: \"bank\": the context still has names in it",
    );
    service.shows("unbind --destroy bank/branch.city", "");
    service.shows("list bank", "");
}

#[test]
fn what_the_service_refuses_is_said_in_words() {
    let Some(service) = Service::start() else {
        return;
    };
    let object = LiveObject::start();
    service.shows(&format!("bind --parents a/object {}", object.reference), "");
    for (line, expected) in [
        ("resolve a/b", "NotFound: \"a/b\": no such component \"b\""),
        (
            "resolve x.y/b",
            "NotFound: \"x.y/b\": no such component \"x.y\"",
        ),
        ("list a/b", "NotFound: \"a/b\": no such component \"b\""),
        (
            "resolve a/object/c",
            "NotFound: \"a/object/c\": \"object\" is an object, not a context that a name could \
             lead through",
        ),
        (
            "list a/object",
            "\"a/object\" is not a naming context but a \
             IDL:omg.org/CosNaming/BindingIterator:1.0",
        ),
        (
            "unbind nothing",
            "NotFound: \"nothing\": no such component \"nothing\"",
        ),
        (
            "bind a/object corbaloc::h/k",
            "AlreadyBound: \"a/object\": the name is bound already",
        ),
        (
            "bind x/y corbaloc::h/k",
            "NotFound: \"x/y\": no such component \"x\"",
        ),
        (
            "resolve a//b",
            "the name \"a//b\" is malformed: a component of the name is empty (write \".\") at \
             octet 2",
        ),
        (
            "bind z corbaloc::h:x/k",
            "the port is not a number up to 65535, at character 13\n  corbaloc::h:x/k\n              ^",
        ),
        (
            "list --max-names 0",
            "there are more than 0 names; --max-names allows more",
        ),
    ] {
        service.fails(line, expected);
    }
    service.shows("bind --rebind a/object corbaloc::h/other", "");
    let explained = service.run("resolve --explain a/object").output;
    assert!(explained.contains("\"other\""), "{explained}");
}

#[test]
fn a_large_context_is_listed_by_way_of_its_iterator() {
    let Some(service) = Service::start() else {
        return;
    };
    let orb = Orb::builder().build().unwrap();
    let root = service.root(&orb);
    let object = orb.string_to_object(BANK).unwrap();
    let mut expected = String::new();
    for number in 0..450 {
        let id = format!("n{number:03}");
        expected.push_str(&format!("object   {id}\n"));
        let kind = String::new();
        root.bind(&[NameComponent { id, kind }], Some(&object))
            .unwrap();
    }
    service.shows("list", &expected);
    service.shows("list --max-names 450", &expected);
    service.fails(
        "list --max-names 449",
        "there are more than 449 names; --max-names allows more",
    );
}

#[test]
fn contexts_within_themselves_end() {
    let Some(service) = Service::start() else {
        return;
    };
    service.shows(&format!("bind --parents a/b/object {BANK}"), "");
    let url = service.names.corbaloc();
    service.shows(&format!("bind --context a/b/root {url}"), "");
    // The tree begins at a URL, which is another reference than the service's
    // own: it takes one round until the root is recognised.
    let outcome = service.run("list -r a");
    assert_eq!(
        outcome.output,
        "a/\n└── b/\n    ├── object\n    └── root/\n        └── a/  (shown above)\n"
    );
    assert_eq!(outcome.status, Some(0));
    service.shows(
        "list -r --max-depth 1 a",
        "a/\n└── b/  (not shown: --max-depth allows more)\n",
    );
    service.fails(
        &format!("bind --context nobody {BANK}"),
        "the reference does not answer: TRANSIENT: no address of the reference accepted a \
         connection (Taut minor 32), COMPLETED_NO; calling _is_a; tried 127.0.0.1:9: refused",
    );
}

/// A reference to an object that its server does not know.
fn dead_reference(live: &LiveObject) -> String {
    let orb = Orb::builder().build().unwrap();
    let object = orb.string_to_object(&live.reference).unwrap();
    let mut ior = object.ior().clone();
    let profile = &mut ior.profiles[0].data;
    // The first octets of a key are followed by what tells one life of a server from another.
    let key = profile.windows(4).position(|octets| octets == b"\0Ta\x01");
    let incarnation = key.unwrap() + 4;
    profile[incarnation..incarnation + 16].fill(0x5a);
    ior.to_string()
}

#[test]
fn a_listing_tells_which_objects_are_alive() {
    let Some(service) = Service::start() else {
        return;
    };
    let live = LiveObject::start();
    let silent = LiveObject::start_holding();
    for (name, reference) in [
        ("live", live.reference.as_str()),
        ("gone", BANK),
        ("dead", &dead_reference(&live)),
        ("silent", &silent.reference),
    ] {
        service.shows(&format!("bind --parents all/{name} {reference}"), "");
    }
    let outcome = service.run("list --check --check-timeout 1 all");
    let lines: Vec<&str> = outcome.output.lines().collect();
    assert!(
        lines[0].starts_with("dead         object   dead  (its server says"),
        "{outcome:?}"
    );
    assert!(
        lines[1].starts_with("unreachable  object   gone  (TRANSIENT"),
        "{outcome:?}"
    );
    assert_eq!(lines[2], "alive        object   live");
    assert!(
        lines[3].starts_with("unreachable  object   silent  (TIMEOUT"),
        "{outcome:?}"
    );
    assert!(
        lines[3].ends_with("--check-timeout allows more than 1 s)"),
        "{outcome:?}"
    );
    assert_eq!(lines.len(), 4);
    let error = "error: 3 names are bound to objects that are dead or unreachable\n";
    assert_eq!((outcome.errors.as_str(), outcome.status), (error, Some(1)));

    let outcome = service.run("list -r --check --json --check-timeout 1");
    let json: serde_json::Value = serde_json::from_str(&outcome.output).unwrap();
    let names: Vec<_> = json
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["name"])
        .collect();
    assert_eq!(
        names,
        ["all", "all/dead", "all/gone", "all/live", "all/silent"]
    );
    assert_eq!(json[0]["type"], "context");
    assert_eq!(json[0]["state"], "alive");
    assert_eq!(json[3]["state"], "alive");
    assert_eq!(json[3]["reference"], live.reference);
    assert_eq!(json[4]["state"], "unreachable");

    service.shows("unbind all/gone", "");
    service.shows("unbind all/silent", "");
    let outcome = service.run("list -r --check");
    let tree = "/\n└── all/\n    ├── dead  dead  (";
    assert!(outcome.output.starts_with(tree), "{outcome:?}");
    assert!(outcome.output.ends_with("\n    └── live\n"), "{outcome:?}");
    service.shows("unbind all/dead", "");
    service.shows("list --check all", "alive        object   live\n");
}

#[test]
fn programs_get_the_names_as_json() {
    let Some(service) = Service::start() else {
        return;
    };
    service.shows("list --json", "[]\n");
    service.shows(&format!("bind --parents a.x/b {BANK}"), "");
    let outcome = service.run("list --json -r");
    let json: serde_json::Value = serde_json::from_str(&outcome.output).unwrap();
    let expected = serde_json::json!([
        { "name": "a.x", "components": [{ "id": "a", "kind": "x" }], "type": "context" },
        {
            "name": "a.x/b",
            "components": [{ "id": "a", "kind": "x" }, { "id": "b", "kind": "" }],
            "type": "object",
        },
    ]);
    assert_eq!(json, expected);
    assert_eq!(outcome.status, Some(0));
}

#[test]
fn an_empty_context_has_a_title_in_a_tree() {
    if let Some(service) = Service::start() {
        service.shows("list -r", "/\n");
    }
}

/// The address that the command tries, at which nobody listens.
fn events(verbose: &[&str], variable: Option<&str>) -> Outcome {
    let mut command = taut();
    command.args(["name", "list", "--ns", "corbaloc::127.0.0.1:9/NameService"]);
    command.args(verbose).env_remove("RUST_LOG");
    if let Some(variable) = variable {
        command.env("RUST_LOG", variable);
    }
    command.output().unwrap().into()
}

#[test]
fn an_operator_learns_which_address_failed() {
    let has_event = |outcome: &Outcome| {
        let lines = outcome.errors.lines();
        let is_event =
            |line: &str| line.contains("connecting failed") && line.contains("127.0.0.1:9");
        lines.filter(|line| is_event(line)).count()
    };
    assert_eq!(has_event(&events(&[], None)), 0);
    assert_eq!(has_event(&events(&["--verbose"], None)), 1);
    assert_eq!(has_event(&events(&["-vv"], None)), 1);
    assert_eq!(has_event(&events(&[], Some("taut=debug"))), 1);
    assert_eq!(
        has_event(&events(&[], Some("warn,taut::connection=debug"))),
        1
    );
    assert_eq!(has_event(&events(&[], Some("taut=warn"))), 0);
    let wrong = events(&[], Some("taut=nonsense"));
    let warning = "warning: RUST_LOG=taut=nonsense is passed over: ";
    assert!(wrong.errors.starts_with(warning), "{}", wrong.errors);
    assert_eq!(wrong.status, Some(1));
}

#[test]
fn the_naming_service_is_configured_in_three_ways() {
    let Some(service) = Service::start() else {
        return;
    };
    service.shows(&format!("bind here {BANK}"), "");
    let reference = format!("NameService={}", service.names.corbaloc());
    let listed = Outcome {
        output: "object   here\n".to_owned(),
        errors: String::new(),
        status: Some(0),
    };
    assert_eq!(run(&["name", "list", "-ORBInitRef", &reference]), listed);
    let mut command = taut();
    command.env("TAUT_ORB_ARGUMENTS", format!("-ORBInitRef {reference}"));
    command.args(["name", "list"]);
    assert_eq!(Outcome::from(command.output().unwrap()), listed);
}

#[test]
fn without_a_naming_service_the_remedy_is_named() {
    for (arguments, expected) in [
        (
            &["name", "list"][..],
            "no initial reference is called \"NameService\"; configure one with -ORBInitRef \
             NameService=URL, or give --ns URL",
        ),
        (
            &["name", "list", "-ORBInitRef"],
            "-ORBInitRef needs a value",
        ),
        (
            &["name", "list", "--ns", "ior:00"],
            "the reference is malformed: the data ends early: 4 octets needed, 0 left at octet 1, \
             at character 7\n  ior:00\n        ^",
        ),
        (
            &["name", "list", "--ns", "corbaloc:shmiop:x/y"],
            "corbaloc:shmiop:x/y: \"shmiop\" was read as a protocol, and this ORB speaks iiop and \
             uiop only",
        ),
    ] {
        let outcome = run(arguments);
        assert_eq!(
            outcome.errors,
            format!("error: {expected}\n"),
            "{arguments:?}"
        );
        assert_eq!(outcome.status, Some(1));
    }
}

#[test]
fn a_service_that_never_answers_is_given_up() {
    let silent = LiveObject::start_holding();
    let line = ["name", "list", "--timeout", "1", "--ns", &silent.reference];
    let outcome = run(&line);
    let expected = "error: the naming service has not answered for 1 s; --timeout allows more\n";
    assert_eq!(
        (outcome.errors.as_str(), outcome.status),
        (expected, Some(1))
    );
}
