//! Interface repositories: Taut's read and changed by the clients of omniORB and JacORB, and
//! JacORB's read by Taut.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use taut::{Interface, ObjectRef, Orb, Reference as _, SystemException};
use taut_dynamic::{
    DynamicImplementation, DynamicRequest, DynamicServant, InterfaceDescription, Interfaces, Mode,
    RepositoryError, Signature,
};
use taut_ifr::service::{InterfaceRepository, OwnInterfaces, RepositorySettings, RepositoryStore};
use taut_interop::{Process, peers};

const TIME_OUT: Duration = Duration::from_secs(60);

const PARAM_TEST: &str = "IDL:taut.test/interop/Param_Test:1.0";

/// An object that has an interface, and no operations that anybody calls.
struct Described(&'static Interface);

impl DynamicImplementation for Described {
    fn primary_interface(&self) -> &'static Interface {
        self.0
    }

    fn invoke(&self, request: &mut DynamicRequest<'_, '_>) -> Result<(), SystemException> {
        Err(request.unknown_operation())
    }
}

/// The interfaces of an IDL file, from the file.
fn interfaces(stem: &str) -> (taut_idl::Model, Interfaces) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("idl/{stem}.idl"));
    let compilation = taut_idl::compile(&[path], &taut_idl::Options::default());
    assert!(!compilation.has_errors(), "{}", compilation.render(false));
    let interfaces = Interfaces::new(&compilation.model);
    (compilation.model, interfaces)
}

/// The lines in which a peer's client tells of an interface, sorted.
fn expected(interface: &InterfaceDescription) -> Vec<String> {
    let mut lines = vec![format!(
        "interface {} {} 1.0 14",
        interface.name.rsplit("::").next().unwrap(),
        interface.repository_id
    )];
    lines.extend(interface.bases.iter().map(|base| format!("base {base}")));
    for (name, signature) in &interface.operations {
        let signature = signature.as_ref().unwrap();
        if let Some(attribute) = name.strip_prefix("_get_") {
            let setter = format!("_set_{attribute}");
            let readonly = match interface.operations.iter().any(|(one, _)| *one == setter) {
                true => "",
                false => "readonly ",
            };
            let kind = signature.result.kind() as u32;
            lines.push(format!("attribute {readonly}{kind} {attribute}"));
        } else if !name.starts_with("_set_") {
            lines.push(operation(signature));
        }
    }
    lines.sort();
    lines
}

fn operation(signature: &Signature) -> String {
    let oneway = if signature.is_oneway { "oneway " } else { "" };
    let kind = signature.result.kind() as u32;
    let mut line = format!("operation {oneway}{kind} {} (", signature.operation);
    for parameter in &signature.parameters {
        let mode = match parameter.mode {
            Mode::In => "in",
            Mode::Out => "out",
            Mode::InOut => "inout",
        };
        let kind = parameter.type_code.kind() as u32;
        line += &format!("{mode} {kind} {},", parameter.name);
    }
    line.push(')');
    for exception in &signature.exceptions {
        line += &format!(" {}", exception.id().unwrap());
    }
    line
}

/// The lines of what a peer's client makes in a repository.
const CHANGES: &[&str] = &[
    "made IDL:peer/M/Ps:1.0 3 IDL:peer/M/P:1.0 x",
    "named ::M::Ps",
    "described 10 IDL:peer/M/P:1.0 in IDL:peer/M:1.0",
    "refused BAD_PARAM 2",
    "destroyed all",
];

/// Has a peer's client ask an object of Taut's and its interface repository.
fn check(command: impl FnOnce() -> Option<Command>) {
    let Some(mut command) = command() else {
        return;
    };
    let own = OwnInterfaces::new([taut::idl_bundle!("param_test")]);
    let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
    let orb = builder.interface_repository(own).build().unwrap();
    let root = orb.root_poa().unwrap();
    let servant = DynamicServant::from(Arc::new(Described(Interface::dynamic(PARAM_TEST, &[]))));
    let id = root.activate_object(servant).unwrap();
    root.manager().activate().unwrap();
    let object = root.id_to_reference(&id).unwrap();
    let (store, settings) = (RepositoryStore::memory(), RepositorySettings::default());
    let repository = InterfaceRepository::start(&orb, store, settings).unwrap();
    let (model, interfaces) = interfaces("param_test");
    repository.load(&model).unwrap();

    let repository = repository.reference().as_object().to_string();
    command.args([object.to_string(), repository]);
    let mut process = Process::start(&mut command).unwrap();
    let (mut lines, status) = process.finish(TIME_OUT).unwrap();
    assert!(status.success(), "{status}: {lines:?}");
    let changes = lines.split_off(lines.len() - CHANGES.len());
    assert_eq!(changes, CHANGES);
    let found = lines.pop().unwrap();
    let interface = interfaces.find(PARAM_TEST).unwrap();
    let operations = interface.operations.iter();
    let operations = operations
        .filter(|(name, _)| !name.starts_with('_'))
        .count();
    assert_eq!(found, format!("found {PARAM_TEST} {operations}"));
    lines.sort();
    assert_eq!(lines, expected(interface));
    orb.shutdown(true).unwrap();
}

#[test]
fn omniorbs_client_reads_and_changes_tauts_repository() {
    check(|| peers::omniorb("interface_client").map(Command::new));
}

#[test]
fn jacorbs_client_reads_and_changes_tauts_repository() {
    check(|| peers::jacorb("InterfaceClient"));
}

#[test]
fn taut_reads_jacorbs_repository() {
    let Some(mut command) = peers::jacorb("InterfaceServer") else {
        return;
    };
    let mut server = Process::start(&mut command).unwrap();
    let reference = server.read_line(TIME_OUT).unwrap();
    let orb = Orb::builder().build().unwrap();
    let repository = orb.string_to_object(&reference).unwrap();
    let (_, interfaces) = interfaces("session_test");
    for expected in interfaces.all() {
        // JacORB finds an interface by the name of its class in Java, without the prefix.
        let id = expected.repository_id.replace("taut.test/", "");
        let found = once_known(&repository, &id);
        assert_eq!(found.repository_id, expected.repository_id);
        assert_eq!(found.name, expected.name);
        assert_eq!(found.bases, expected.bases);
        assert_eq!(java(&found), java(expected));
    }
    let unknown = InterfaceDescription::from_repository(&repository, "IDL:None:1.0");
    assert!(
        matches!(unknown, Err(RepositoryError::Unknown { .. })),
        "{unknown:?}"
    );
    orb.shutdown(true).unwrap();
    server.close_input();
    server.wait(TIME_OUT).unwrap();
}

/// An interface of JacORB's repository, which tells its reference before it has read all classes.
fn once_known(repository: &ObjectRef, id: &str) -> InterfaceDescription {
    let patience = Instant::now() + TIME_OUT;
    loop {
        match InterfaceDescription::from_repository(repository, id) {
            Err(RepositoryError::Unknown { .. }) if Instant::now() < patience => {
                thread::sleep(Duration::from_millis(50));
            }
            found => return found.unwrap(),
        }
    }
}

/// The operations, sorted, as Java has them: it does not tell `unsigned long` (5) from `long` (3), and
/// JacORB reads IDL from classes.
fn java(interface: &InterfaceDescription) -> Vec<String> {
    let signatures = interface.operations.iter().map(|(_, signature)| {
        let line = operation(signature.as_ref().unwrap());
        line.replace(" 5 ", " 3 ")
    });
    let mut lines: Vec<_> = signatures.collect();
    lines.sort();
    lines
}

/// A client that has no IDL calls an object of which the server tells everything.
#[test]
fn an_objects_own_description_is_that_of_its_idl() {
    let own = OwnInterfaces::new([taut::idl_bundle!("param_test")]);
    let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
    let orb = builder.interface_repository(own).build().unwrap();
    let root = orb.root_poa().unwrap();
    let servant = DynamicServant::from(Arc::new(Described(Interface::dynamic(PARAM_TEST, &[]))));
    let id = root.activate_object(servant).unwrap();
    root.manager().activate().unwrap();
    let client = Orb::builder().build().unwrap();
    let object = root.id_to_reference(&id).unwrap().to_string();
    let object = client.string_to_object(&object).unwrap();
    let found = InterfaceDescription::of_object(&object).unwrap();
    let (_, interfaces) = interfaces("param_test");
    let expected = interfaces.find(PARAM_TEST).unwrap();
    for (name, signature) in &expected.operations {
        assert_eq!(
            found.signature(name).unwrap(),
            signature.as_ref().unwrap(),
            "{name}"
        );
    }
    assert_eq!(found.operations.len(), expected.operations.len());
    assert_eq!(
        (&found.name, &found.bases),
        (&expected.name, &expected.bases)
    );
    client.shutdown(true).unwrap();
    orb.shutdown(true).unwrap();
}
