//! Calls between Taut and omniORB over Unix-domain sockets alone: by omniORB's component
//! in IIOP profiles, where neither side can be reached over TCP.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use taut::{Orb, Reference};
use taut_interop::param_test::{
    ParamTestRef, check_object, check_operations, check_shutdown, serve, serve_callback,
};
use taut_interop::{Check, Process, over_the_wire, peers, record, within};

const TIME_OUT: Duration = Duration::from_secs(60);

/// An ORB that listens at a socket, and says that it also does at a port where nobody
/// answers.
fn orb(socket: &Path) -> Orb {
    let dead = TcpListener::bind("127.0.0.1:0").unwrap();
    let dead = dead.local_addr().unwrap().port();
    let builder = over_the_wire()
        .listen(&format!("127.0.0.1:0/publish=127.0.0.1:{dead}"))
        .and_then(|builder| builder.listen(&format!("uiop://{}", socket.display())));
    builder.unwrap().build().unwrap()
}

fn failed(checks: &[Check]) -> Vec<&str> {
    let failed = checks.iter().filter(|check| check.outcome.is_err());
    failed.map(|check| &*check.name).collect()
}

#[test]
fn taut_calls_an_omniorb_server_over_its_socket_and_is_called_back() {
    let Some(program) = peers::omniorb("param_server") else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let mut command = Command::new(program);
    let endpoint = format!("giop:unix:{}", directory.path().join("omniorb").display());
    command.args(["-ORBendPoint", &endpoint, "-ORBtraceLevel", "0"]);
    let mut server = Process::start(&mut command).unwrap();
    let reference = server.read_line(TIME_OUT).unwrap();
    let orb = orb(&directory.path().join("taut"));
    let checks = within(TIME_OUT, move || {
        let object = orb.string_to_object(&reference).unwrap();
        let profile = object.ior().iiop_profiles().next().unwrap().unwrap();
        assert_eq!(profile.port, 0, "it can be reached over TCP");
        let target: ParamTestRef = object.narrow().unwrap();
        let callback = serve_callback(&orb, target.clone()).unwrap();
        let mut checks = check_object(&object);
        checks.extend(check_operations(&target, &target, &callback));
        checks.push(check_shutdown(&target));
        orb.shutdown(true).unwrap();
        checks
    });
    assert_eq!(failed(&checks.unwrap()), [""; 0]);
    assert!(server.wait(TIME_OUT).unwrap().success());
    record("unix", "taut", "omniorb", "1.2").unwrap();
}

#[test]
fn an_omniorb_client_calls_a_taut_server_over_its_socket() {
    let Some(program) = peers::omniorb("param_client") else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let server = orb(&directory.path().join("taut"));
    let reference = serve(&server).unwrap().into_object().to_string();
    let endpoint = format!("giop:unix:{}", directory.path().join("omniorb").display());
    let mut command = Command::new(program);
    command.args(["--shutdown", &reference]);
    command.args(["-ORBendPoint", &endpoint, "-ORBtraceLevel", "0"]);
    let mut client = Process::start(&mut command).unwrap();
    let (lines, _) = client.finish(TIME_OUT).unwrap();
    let checks: Vec<_> = lines
        .iter()
        .map(|line| Check::parse(line).unwrap())
        .collect();
    assert!(checks.len() > 40, "{lines:#?}");
    assert_eq!(failed(&checks), [""; 0]);
    server.run();
    record("unix", "omniorb", "taut", "1.2").unwrap();
}
