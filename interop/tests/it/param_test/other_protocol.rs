//! Taut with GIOPlite and other ORBs, which know nothing of it: both sides are told in
//! words, and nobody waits for a time-out.

use std::process::Command;
use std::time::{Duration, Instant};

use taut::{CompletionStatus, Orb, OrbBuilder, Reference, SystemExceptionKind, minor};
use taut_interop::param_test::{ParamTest, ParamTestRef, serve};
use taut_interop::{JacorbClient, JacorbServer, Process, over_the_wire, peers, within};

const TIME_OUT: Duration = Duration::from_secs(60);

fn lite_orb() -> Orb {
    let arguments = ["-ORBgioplite", "-ORBListenEndpoints", "127.0.0.1:0"];
    let mut arguments = arguments.map(str::to_owned).to_vec();
    let builder = over_the_wire().arguments(&mut arguments);
    builder.and_then(OrbBuilder::build).unwrap()
}

/// Calls an object of another ORB, and returns the exception that its user sees.
fn call_in_lite(reference: String) -> taut::SystemException {
    let orb = lite_orb();
    let (refused, took) = within(TIME_OUT, move || {
        let object = orb.string_to_object(&reference).unwrap();
        let target: ParamTestRef = object.unchecked_narrow();
        let begun = Instant::now();
        let refused = target.greeting().unwrap_err();
        orb.shutdown(true).unwrap();
        (refused, begun.elapsed())
    })
    .unwrap();
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert!(refused.to_string().contains("-ORBgioplite"), "{refused}");
    refused
}

/// Checks the exception of a client whose server closed the connection: nobody knows
/// whether it executed the request.
fn is_clear(refused: &taut::SystemException) {
    let found = (refused.kind, refused.minor, refused.completed);
    let expected = (
        SystemExceptionKind::CommFailure,
        minor::CONNECTION_LOST,
        CompletionStatus::Maybe,
    );
    assert_eq!(found, expected, "{refused}");
}

#[test]
fn a_client_with_gioplite_is_told_that_an_omniorb_server_speaks_giop() {
    let Some(program) = peers::omniorb("param_server") else {
        return;
    };
    let mut command = Command::new(program);
    command.args(["-ORBtraceLevel", "0"]);
    let mut server = Process::start(&mut command).unwrap();
    let reference = server.read_line(TIME_OUT).unwrap();
    let refused = call_in_lite(reference);
    is_clear(&refused);
    server.close_input();
    assert!(server.wait(TIME_OUT).unwrap().success());
}

#[test]
fn a_client_with_gioplite_is_told_that_a_jacorb_server_speaks_giop() {
    let Some(server) = JacorbServer::start("ParamServer", &[], &[taut::Version::V1_2]).unwrap()
    else {
        return;
    };
    let refused = call_in_lite(server.references[0].clone());
    is_clear(&refused);
}

#[test]
fn an_omniorb_client_is_told_that_a_server_speaks_gioplite() {
    let Some(program) = peers::omniorb("param_client") else {
        return;
    };
    for version in ["1.0", "1.1", "1.2"] {
        let server = lite_orb();
        let reference = serve(&server).unwrap().into_object().to_string();
        let mut command = Command::new(&program);
        command.arg(&reference);
        command.args(["-ORBmaxGIOPVersion", version, "-ORBtraceLevel", "0"]);
        let begun = Instant::now();
        let mut client = Process::start(&mut command).unwrap();
        let (lines, _) = client.finish(TIME_OUT).unwrap();
        assert!(begun.elapsed() < Duration::from_secs(20));
        told(version, &lines.join("\n"));
        server.shutdown(true).unwrap();
    }
}

#[test]
fn a_jacorb_client_is_told_that_a_server_speaks_gioplite() {
    let Some(mut client) = JacorbClient::start("ParamClient").unwrap() else {
        return;
    };
    let server = lite_orb();
    let reference = serve(&server).unwrap().into_object().to_string();
    let checks = client.check(taut::Version::V1_2, &reference).unwrap();
    let passed: Vec<_> = (checks.iter())
        .filter(|check| check.outcome.is_ok())
        .map(|check| &check.name)
        .collect();
    // That the object can no longer be called is what one of them waits for.
    assert!(passed.len() <= 1, "{passed:?}");
    let failed: Vec<_> = (checks.iter())
        .filter_map(|check| check.outcome.as_ref().err())
        .map(ToString::to_string)
        .collect();
    told("1.2", &failed.join("\n"));
    client.end().unwrap();
    server.shutdown(true).unwrap();
}

/// Checks that the text of a client names the exception.
fn told(version: &str, text: &str) {
    assert!(text.contains("INV_POLICY"), "GIOP {version}: {text}");
}
