//! Asynchronous Method Invocation with other ORBs: Taut calls their servers, Taut's replies go
//! to omniORB's reply handlers, and omniORB's to those of Taut.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::process::Command;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use parking_lot::Mutex;
use taut::ami::{ExceptionHolder, ReplyHandler};
use taut::{
    CompletionStatus, Orb, Reference, Result, SystemException, SystemExceptionKind, Value, Version,
};
use taut_interop::{JacorbServer, Process, loopback_orb, peers};

#[allow(dead_code, missing_docs, reason = "a test uses a part of it")]
mod generated {
    taut::include_idl!("ami_test");
    taut::include_idl!("param_test_ami");
}

use generated::ami_test::clerk::FileError;
use generated::ami_test::{
    AmiClerkHandler, AmiClerkHandlerRef, AmiClerkHandlerSkeleton, Clerk, ClerkSkeleton, Refused,
};
use generated::interop::param_test::RaiseUserError;
use generated::interop::{
    AmiParamTestHandler, AmiParamTestHandlerRef, AmiParamTestHandlerSkeleton, ParamTest,
    ParamTestRef,
};

const TIME_OUT: Duration = Duration::from_secs(60);

const VERSIONS: [Version; 3] = [Version::V1_0, Version::V1_1, Version::V1_2];

type Held<'h> = Option<&'h Value<ExceptionHolder>>;

struct Filing;

impl Clerk for Filing {
    fn balance(&self) -> Result<i32> {
        Ok(42)
    }

    fn set_balance(&self, _: i32) -> Result<()> {
        Ok(())
    }

    fn file(&self, text: &str) -> std::result::Result<i32, FileError> {
        match text {
            "refuse" => Err(Refused {
                why: "asked for".to_owned(),
                how_much: 0.5,
            }
            .into()),
            "fail" => {
                let (kind, completed) = (SystemExceptionKind::NoMemory, CompletionStatus::No);
                Err(SystemException::new(kind, 77, completed).into())
            }
            _ => Ok(text.len() as i32),
        }
    }

    fn shift(&self, by: f64, place: &mut f64) -> Result<String> {
        let before = format!("{place:.2}");
        *place += by;
        Ok(before)
    }
}

/// A handler that tells what it gets in the words of omniORB's.
struct Telling(Mutex<Sender<String>>);

impl Telling {
    fn new() -> (Self, Receiver<String>) {
        let (told, heard) = channel();
        (Self(Mutex::new(told)), heard)
    }

    fn tell(&self, what: String) -> Result<()> {
        let _ = self.0.lock().send(what);
        Ok(())
    }

    fn tell_failure(&self, operation: &str, holder: Held<'_>) -> Result<()> {
        let failure = holder.unwrap().raise_exception::<(), SystemException>();
        self.tell(format!("{operation} {}", failure.unwrap_err()))
    }
}

impl ReplyHandler for Telling {}

impl AmiClerkHandler for Telling {
    fn get_balance(&self, ami_return_val: i32) -> Result<()> {
        self.tell(format!("get_balance {ami_return_val}"))
    }

    fn get_balance_excep(&self, holder: Held<'_>) -> Result<()> {
        self.tell_failure("get_balance", holder)
    }

    fn set_balance(&self) -> Result<()> {
        self.tell("set_balance".to_owned())
    }

    fn set_balance_excep(&self, holder: Held<'_>) -> Result<()> {
        self.tell_failure("set_balance", holder)
    }

    fn file(&self, ami_return_val: i32) -> Result<()> {
        self.tell(format!("file {ami_return_val}"))
    }

    fn file_excep(&self, holder: Held<'_>) -> Result<()> {
        self.tell(match holder.unwrap().raise_exception::<(), _>() {
            Err(FileError::Refused(refused)) => {
                format!("file refused {} {}", refused.why, refused.how_much)
            }
            Err(FileError::System(failure)) => {
                let kind = SystemExceptionKind::NoMemory;
                assert_eq!(failure.kind, kind);
                format!("file NO_MEMORY {}", failure.minor)
            }
            Ok(()) => unreachable!("it never does"),
        })
    }

    fn shift(&self, place: f64, before: &str) -> Result<()> {
        self.tell(format!("shift {place:.2} {before}"))
    }

    fn shift_excep(&self, holder: Held<'_>) -> Result<()> {
        self.tell_failure("shift", holder)
    }
}

/// The results that each handler has to get, in some order.
const RESULTS: [&str; 4] = ["file 4", "get_balance 42", "set_balance", "shift 1.75 1.25"];

const EXCEPTIONS: [&str; 2] = ["file NO_MEMORY 77", "file refused asked for 0.5"];

/// So many that come next, in the order of their texts.
fn sorted(count: usize, mut next: impl FnMut() -> String) -> Vec<String> {
    let mut replies: Vec<_> = (0..count).map(|_| next()).collect();
    replies.sort();
    replies
}

/// Calls a servant of Taut asynchronously, from Taut and from omniORB, each with a handler of its
/// own and with one of the other. Only results go from the one to the other: the exception
/// holder of omniORB 4.2 is a value without state, which holds nothing beyond its process.
#[test]
fn omniorb_and_taut_bring_replies_to_handlers_of_each_other() {
    let Some(program) = peers::omniorb("ami_peer") else {
        return;
    };
    for version in VERSIONS {
        let number = version.to_string();
        let orb = loopback_orb(|settings| settings.wire.giop_version = version).unwrap();
        let poa = orb.root_poa().unwrap();
        poa.manager().activate().unwrap();
        let clerk = poa.activate(ClerkSkeleton::new(Filing)).unwrap();
        let (telling, heard) = Telling::new();
        let handler = poa.activate(AmiClerkHandlerSkeleton::new(telling)).unwrap();
        let mut command = Command::new(&program);
        command.args([clerk.as_object(), handler.as_object()].map(ToString::to_string));
        command.args(["-ORBmaxGIOPVersion", &number]);
        let mut peer = Process::start(&mut command).unwrap();
        let reference = peer.read_line(TIME_OUT).unwrap();
        let object = orb.string_to_object(&reference).unwrap();
        let theirs: AmiClerkHandlerRef = object.unchecked_narrow();

        // Taut calls, for omniORB's handler and for its own.
        for handler in [&theirs, &handler] {
            clerk.sendc_set_balance(Some(handler), 3).unwrap();
            clerk.sendc_get_balance(Some(handler)).unwrap();
            clerk.sendc_shift(Some(handler), 0.5, 1.25).unwrap();
            clerk.sendc_file(Some(handler), "text").unwrap();
        }
        let told = sorted(RESULTS.len(), || peer.read_line(TIME_OUT).unwrap());
        assert_eq!(told, RESULTS, "{number}");
        let told = sorted(RESULTS.len(), || heard.recv_timeout(TIME_OUT).unwrap());
        assert_eq!(told, RESULTS, "{number}");
        for text in ["refuse", "fail"] {
            clerk.sendc_file(Some(&handler), text).unwrap();
        }
        let told = sorted(EXCEPTIONS.len(), || heard.recv_timeout(TIME_OUT).unwrap());
        assert_eq!(told, EXCEPTIONS, "{number}");
        // omniORB calls, for Taut's handler and for its own.
        peer.write_line("given").unwrap();
        let told = sorted(RESULTS.len(), || heard.recv_timeout(TIME_OUT).unwrap());
        assert_eq!(told, RESULTS, "{number}");
        peer.write_line("own").unwrap();
        let told = sorted(6, || peer.read_line(TIME_OUT).unwrap());
        let mut all = [&RESULTS[..], &EXCEPTIONS].concat();
        all.sort_unstable();
        assert_eq!(told, all, "{number}");
        peer.close_input();
        assert!(peer.wait(TIME_OUT).unwrap().success());
        orb.shutdown(true).unwrap();
    }
}

impl AmiParamTestHandler for Telling {
    fn test_double(&self, ami_return_val: f64, s2: f64, s3: f64) -> Result<()> {
        self.tell(format!("{ami_return_val} {s2} {s3}"))
    }

    fn test_double_excep(&self, holder: Held<'_>) -> Result<()> {
        self.tell_failure("test_double", holder)
    }

    fn test_unbounded_string(&self, ami_return_val: &str, s2: &str, s3: &str) -> Result<()> {
        self.tell(format!("{} {s2} {s3}", ami_return_val.len()))
    }

    fn test_unbounded_string_excep(&self, holder: Held<'_>) -> Result<()> {
        self.tell_failure("test_unbounded_string", holder)
    }

    fn raise_user(&self) -> Result<()> {
        self.tell("nothing".to_owned())
    }

    fn raise_user_excep(&self, holder: Held<'_>) -> Result<()> {
        self.tell(match holder.unwrap().raise_exception::<(), _>() {
            Err(RaiseUserError::A(a)) => format!("A {}", a.code),
            Err(RaiseUserError::B(b)) => format!("B {}", b.why.chars().count()),
            Err(RaiseUserError::Bare(_)) => "Bare".to_owned(),
            Err(RaiseUserError::System(failure)) => {
                format!("{:?} {}", failure.kind, failure.minor)
            }
            Ok(()) => unreachable!("it never does"),
        })
    }
}

/// Calls a server of another ORB, with a handler and with pollers.
fn with_server(orb: &Orb, target: &ParamTestRef) {
    let poa = orb.root_poa().unwrap();
    poa.manager().activate().unwrap();
    let (telling, heard) = Telling::new();
    let handler = poa.activate(AmiParamTestHandlerSkeleton::new(telling));
    let handler: AmiParamTestHandlerRef = handler.unwrap();
    let next = || heard.recv_timeout(TIME_OUT).unwrap();
    target.sendc_test_double(Some(&handler), 1.0, -1.5).unwrap();
    assert_eq!(next(), "1 1.5 -1.5");
    let a = "a";
    target
        .sendc_test_unbounded_string(Some(&handler), "", a)
        .unwrap();
    assert_eq!(next(), "0 a a");
    for (which, expected) in [
        (0, "nothing"),
        (1, "A -2147483648"),
        (2, "B 191"),
        (3, "Bare"),
        (4, "BadParam 7"),
    ] {
        target.sendc_raise_user(Some(&handler), which).unwrap();
        assert_eq!(next(), expected);
    }
    let poller = target.sendp_test_double(1.0, -1.5).unwrap();
    assert_eq!(
        poller.test_double(Some(TIME_OUT)).unwrap(),
        (1.0, 1.5, -1.5)
    );
    let poller = target.sendp_raise_user(3).unwrap();
    let raised = poller.raise_user(Some(TIME_OUT));
    assert!(matches!(raised, Err(RaiseUserError::Bare(_))));
}

#[test]
fn replies_of_omniorb_reach_handlers_and_pollers() {
    let Some(program) = peers::omniorb("param_server") else {
        return;
    };
    for version in VERSIONS {
        let mut command = Command::new(&program);
        command.args(["-ORBmaxGIOPVersion", &version.to_string()]);
        let mut server = Process::start(&mut command).unwrap();
        let reference = server.read_line(TIME_OUT).unwrap();
        let orb = loopback_orb(|settings| settings.wire.giop_version = version).unwrap();
        let target = orb.string_to_object(&reference).unwrap();
        with_server(&orb, &target.unchecked_narrow());
        orb.shutdown(true).unwrap();
        server.close_input();
        assert!(server.wait(TIME_OUT).unwrap().success());
    }
}

#[test]
fn replies_of_jacorb_reach_handlers_and_pollers() {
    let Some(server) = JacorbServer::start("ParamServer", &[], &VERSIONS).unwrap() else {
        return;
    };
    for (version, reference) in VERSIONS.into_iter().zip(&server.references) {
        let orb = loopback_orb(|settings| settings.wire.giop_version = version).unwrap();
        let target = orb.string_to_object(reference).unwrap();
        let target: ParamTestRef = target.unchecked_narrow();
        with_server(&orb, &target);
        // The server ends with the last.
        target.shutdown().unwrap();
        orb.shutdown(true).unwrap();
    }
    assert!(server.wait().unwrap().success());
}
