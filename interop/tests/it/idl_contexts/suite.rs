//! The tests, for whichever Rust [`generated`] includes.

use std::process::Command;
use std::time::Duration;

use taut::{
    ByteOrder, CallContext, CollocationStrategy, Context, Orb, Reference as _, RequestContext,
};
use taut_interop::{Process, loopback_orb, peers};

generated!();

use context_test::{Properties, Shell, ShellRef, ShellSkeleton};

const TIME_OUT: Duration = Duration::from_secs(60);

/// As the omniORB peer: tells what it sees.
struct Teller;

impl Shell for Teller {
    fn seen(&self, prefix: &str, context: &Context) -> taut::Result<Properties> {
        // A peer that does not know it ignores it.
        let asked = RequestContext::service_context(ASKED)?.unwrap_or_default();
        RequestContext::add_to_reply(ANSWERED, [b"answer to ", &asked[..]].concat())?;
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

/// Service contexts of ours.
const ASKED: u32 = 0x4d59_0001;
const ANSWERED: u32 = 0x4d59_0002;

/// Calls with service contexts. Returns the one that Taut answers with.
fn check_with_service_contexts(shell: &ShellRef) -> Option<Vec<u8>> {
    let context = CallContext::new().with_service_context(ASKED, b"question");
    context.within(|| check(shell));
    context.reply_service_context(ANSWERED)
}

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
        let shell = orb.string_to_object(&reference).unwrap().narrow().unwrap();
        check(&shell);
        assert_eq!(check_with_service_contexts(&shell), None);
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
    for way in [CollocationStrategy::Off, CollocationStrategy::Direct] {
        let shell = object.narrow::<ShellRef>().unwrap().with_collocation(way);
        check(&shell);
        let answer = check_with_service_contexts(&shell);
        assert_eq!(answer.as_deref(), Some(&b"answer to question"[..]));
    }

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
