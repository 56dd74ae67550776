//! `taut ifr serve`, and `taut call` and `taut describe` without an IDL file.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use taut::{Interface, Orb, SystemException};
use taut_dynamic::{DynamicImplementation, DynamicRequest, DynamicServant, Signature, Value};
use taut_ifr::service::OwnInterfaces;
use taut_interop::Process;
use taut_types::{TCKind, TypeCode};

use super::served::{TIME_OUT, signal};
use super::support::{LiveObject, run, taut};

/// The repository's own IDL.
const IDL: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../services/ifr/idl/InterfaceRepository.idl"
);

/// An interface repository of the command; it is killed when the value is dropped.
struct Repository {
    process: Process,
    url: String,
}

impl Repository {
    fn start(arguments: &[&str]) -> Self {
        let mut command = taut();
        command.args(["ifr", "serve", "--endpoint", "127.0.0.1:0"]);
        let mut process = Process::start(command.args(arguments)).unwrap();
        let url = process.read_line(TIME_OUT).unwrap();
        Self { process, url }
    }

    fn ends_in_order(mut self) {
        signal(self.process.id(), "-TERM");
        assert!(self.process.wait(TIME_OUT).unwrap().success());
    }
}

#[test]
fn a_repository_tells_of_its_own_interface() {
    let repository = Repository::start(&[IDL]);
    let url = &*repository.url;
    assert!(url.ends_with("/InterfaceRepository"), "{url}");
    let ifr = format!("--ifr={url}");
    let outcome = run(&["describe", &ifr, url]);
    let lines: Vec<_> = outcome.output.lines().collect();
    assert_eq!(
        lines[0],
        "interface CORBA::Repository  IDL:omg.org/CORBA/Repository:1.0"
    );
    assert!(
        lines.contains(&"  inherits IDL:omg.org/CORBA/Container:1.0"),
        "{outcome:?}"
    );
    let lookup = "  Contained lookup_id(in RepositoryId search_id)";
    assert!(lines.contains(&lookup), "{outcome:?}");

    // The repository is the initial reference of that name.
    let initial = format!("InterfaceRepository={url}");
    let call = [
        "call",
        "-ORBInitRef",
        &initial,
        "--ifr",
        url,
        "lookup_id",
        "--json",
    ];
    let mut arguments = call.to_vec();
    arguments.push("search_id=IDL:omg.org/CORBA/InterfaceDef:1.0");
    let outcome = run(&arguments);
    let interface: String = serde_json::from_str(&outcome.output).unwrap();
    assert!(interface.starts_with("IOR:"), "{outcome:?}");
    let outcome = run(&[
        "call",
        &ifr,
        "--interface",
        "IDL:omg.org/CORBA/InterfaceDef:1.0",
        &interface,
        "get",
        "absolute_name",
    ]);
    assert_eq!(outcome.output, "\"::CORBA::InterfaceDef\"\n", "{outcome:?}");
    repository.ends_in_order();
}

#[test]
fn definitions_are_kept_in_a_file_and_replaced_by_newer_idl() {
    let directory = tempfile::tempdir().unwrap();
    let (store, idl) = (
        directory.path().join("store"),
        directory.path().join("a.idl"),
    );
    let (store, file) = (store.to_str().unwrap(), idl.to_str().unwrap());
    fs::write(&idl, "interface A { void old(); };").unwrap();
    Repository::start(&["--store", store, file]).ends_in_order();

    let describe = |repository: &Repository| {
        let ifr = format!("--ifr={}", repository.url);
        run(&[
            "describe",
            &ifr,
            "--interface",
            "IDL:A:1.0",
            &repository.url,
        ])
    };
    let repository = Repository::start(&["--store", store]);
    let expected = "interface A  IDL:A:1.0\n  void old()\n";
    assert_eq!(describe(&repository).output, expected);
    repository.ends_in_order();

    fs::write(&idl, "interface A { long new_one(in short s); };").unwrap();
    let repository = Repository::start(&["--store", store, file]);
    let expected = "interface A  IDL:A:1.0\n  long new_one(in short s)\n";
    assert_eq!(describe(&repository).output, expected);
    // Another one cannot have the file.
    let outcome = run(&[
        "ifr",
        "serve",
        "--endpoint",
        "127.0.0.1:0",
        "--store",
        store,
    ]);
    assert!(
        outcome.errors.contains("another process has it"),
        "{outcome:?}"
    );
    assert_eq!(outcome.status, Some(1));
    repository.ends_in_order();
}

#[test]
fn each_wrong_input_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let idl = directory.path().join("map.idl");
    let file = idl.to_str().unwrap();
    let serve = |text: &str| {
        fs::write(&idl, text).unwrap();
        run(&["ifr", "serve", "--endpoint", "127.0.0.1:0", file])
    };
    let outcome = serve("struct A { map<long, string> m; };");
    let message = "error: `A` cannot be in an interface repository: it has a map";
    assert!(outcome.errors.starts_with(message), "{outcome:?}");
    let outcome = serve("interface A : B {};");
    assert!(outcome.errors.contains("error"), "{outcome:?}");
    assert_eq!(outcome.status, Some(1));

    // Servers without a repository.
    let object = LiveObject::start();
    let outcome = run(&["describe", &object.reference]);
    let message = "error: the server has no interface repository: --idl FILE tells its interface";
    assert!(outcome.errors.starts_with(message), "{outcome:?}");
    let outcome = run(&["call", "--interface", "A", &object.reference, "f"]);
    let message =
        "error: the server knows the interface itself: --interface A needs --idl or --ifr";
    assert!(outcome.errors.starts_with(message), "{outcome:?}");
    let outcome = run(&["describe", "--ifr", &object.reference]);
    assert!(
        outcome
            .errors
            .contains("-ORBInitRef InterfaceRepository=URL"),
        "{outcome:?}"
    );
    let repository = Repository::start(&[]);
    let ifr = format!("--ifr={}", repository.url);
    let outcome = run(&["describe", &ifr, &object.reference]);
    let message = "error: the interface repository has no interface IDL:omg.org/CosNaming/";
    assert!(outcome.errors.starts_with(message), "{outcome:?}");
}

/// Adds numbers.
struct Adder;

impl DynamicImplementation for Adder {
    fn primary_interface(&self) -> &'static Interface {
        Interface::dynamic("IDL:Adder:1.0", &[])
    }

    fn invoke(&self, request: &mut DynamicRequest<'_, '_>) -> Result<(), SystemException> {
        let long = || TypeCode::primitive(TCKind::Long).unwrap();
        let signature = Signature::new("add")
            .with(taut_dynamic::Mode::In, "a", long())
            .with(taut_dynamic::Mode::In, "b", long())
            .returning(long());
        let values = request.arguments(&signature)?;
        let [Value::Long(a), Value::Long(b)] = values[..] else {
            return Err(request.unknown_operation());
        };
        request.set_result(&signature, &Value::Long(a + b), &[])
    }
}

#[test]
fn an_object_is_called_by_what_its_server_tells() {
    let file = Path::new("adder.idl").to_path_buf();
    let text = b"interface Adder { long add(in long a, in long b); };";
    let mut files = std::collections::HashMap::from([(file.clone(), text.to_vec())]);
    let options = taut_idl::Options::default();
    let (_, bundle) = taut_idl::bundle::compile_with(&[file], &options, &mut files);
    let own = OwnInterfaces::new([&*bundle.to_octets().leak()]);
    let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
    let orb = builder.interface_repository(own).build().unwrap();
    let root = orb.root_poa().unwrap();
    let id = root
        .activate_object(DynamicServant::from(Arc::new(Adder)))
        .unwrap();
    root.manager().activate().unwrap();
    let reference = root.id_to_reference(&id).unwrap().to_string();

    let outcome = run(&["call", &reference, "add", "a=3", "b=4"]);
    assert_eq!(
        (&*outcome.output, outcome.status),
        ("7\n", Some(0)),
        "{outcome:?}"
    );
    let outcome = run(&["describe", &reference]);
    let expected = "interface Adder  IDL:Adder:1.0\n  long add(in long a, in long b)\n";
    assert_eq!(outcome.output, expected);
    let outcome = run(&["call", &reference, "subtract"]);
    let message = "error: Adder has no operation `subtract`: there are add";
    assert!(outcome.errors.starts_with(message), "{outcome:?}");
    orb.shutdown(true).unwrap();
}
