//! The tests, for whichever Rust [`generated`] includes.

use std::process::Command;
use std::time::Duration;

use taut::{ByteOrder, Context, Orb, Reference as _};
use taut_interop::{Process, loopback_orb, peers};

generated!();

use context_test::{Properties, Shell, ShellRef, ShellSkeleton};

const TIME_OUT: Duration = Duration::from_secs(60);

/// As the omniORB peer: tells what it sees.
struct Teller;

impl Shell for Teller {
    fn seen(&self, prefix: &str, context: &Context) -> taut::Result<Properties> {
        let lines = context
            .iter()
            .map(|(name, value)| format!("{prefix}{name}={value}"));
        Ok(lines.collect())
    }
}

fn context() -> Context {
    let mut context = Context::new();
    for (name, value) in [
        ("user", "Ada"),
        ("users", "7"),
        ("screen.width", "80"),
        ("screen.depth", ""),
        ("screen", "left"),
    ] {
        context.set(name, value).unwrap();
    }
    context
}

const VERSIONS: [&str; 3] = ["1.0", "1.1", "1.2"];

/// An ORB that listens on the loopback and speaks in this byte order.
fn orb(order: ByteOrder) -> Orb {
    loopback_orb(|settings| settings.wire.byte_order = order).unwrap()
}

const SEEN: [&str; 3] = ["> screen.depth=", "> screen.width=80", "> user=Ada"];

fn check(shell: &ShellRef) {
    assert_eq!(shell.seen("> ", &context()).unwrap(), SEEN);
    assert_eq!(shell.seen("> ", &Context::new()).unwrap(), [""; 0]);
}

fn taut_calls_omniorb(order: ByteOrder) {
    let Some(program) = peers::omniorb("context_server") else {
        return;
    };
    for version in VERSIONS {
        let mut command = Command::new(&program);
        command.args(["-ORBmaxGIOPVersion", version]);
        let mut server = Process::start(&mut command).unwrap();
        let reference = server.read_line(TIME_OUT).unwrap();
        let orb = orb(order);
        check(&orb.string_to_object(&reference).unwrap().narrow().unwrap());
        server.close_input();
        assert!(server.wait(TIME_OUT).unwrap().success(), "GIOP {version}");
    }
}

fn taut_and_omniorb_call_taut(order: ByteOrder) {
    let server = orb(order);
    let poa = server.root_poa().unwrap();
    let shell = poa.activate(ShellSkeleton::new(Teller)).unwrap();
    poa.manager().activate().unwrap();
    let reference = server.object_to_string(shell.as_object());
    let object = orb(order).string_to_object(&reference).unwrap();
    check(&object.narrow().unwrap());

    let Some(program) = peers::omniorb("context_client") else {
        return;
    };
    for version in VERSIONS {
        let mut command = Command::new(&program);
        command.args([&reference, "> "]);
        command.args(
            context()
                .iter()
                .map(|(name, value)| format!("{name}={value}")),
        );
        command.args(["-ORBmaxGIOPVersion", version]);
        let (lines, status) = Process::start(&mut command)
            .unwrap()
            .finish(TIME_OUT)
            .unwrap();
        assert!(status.success(), "GIOP {version}");
        assert_eq!(lines, SEEN, "GIOP {version}");
    }
    server.shutdown(true).unwrap();
}

#[test]
fn omniorb_sees_what_taut_sends() {
    taut_calls_omniorb(ByteOrder::Little);
    taut_calls_omniorb(ByteOrder::Big);
}

#[test]
fn taut_sees_what_omniorb_and_taut_send() {
    taut_and_omniorb_call_taut(ByteOrder::Little);
    taut_and_omniorb_call_taut(ByteOrder::Big);
}
