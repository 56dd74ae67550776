//! The omniORB peers among themselves: shows that the programs, the values on
//! which both sides agree, and the harness are sound before Taut is tested
//! against them.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use taut_interop::param_test::compare_with_known_gaps;
use taut_interop::{Check, OmniNames, Process, peers};

const TIME_OUT: Duration = Duration::from_secs(60);

/// Starts a server of ours; gives it and its reference.
fn start_server(program: &Path, arguments: &[&str]) -> (Process, String) {
    let mut server = Process::start(Command::new(program).args(arguments)).unwrap();
    let reference = server.read_line(TIME_OUT).unwrap();
    assert!(reference.starts_with("IOR:"), "{reference}");
    (server, reference)
}

fn param_programs() -> Option<(PathBuf, PathBuf)> {
    Some((
        peers::omniorb("param_server")?,
        peers::omniorb("param_client")?,
    ))
}

#[test]
fn every_operation_passes_in_every_version_of_giop_but_the_known_gaps() {
    let Some((server_program, client_program)) = param_programs() else {
        return;
    };
    for version in ["1.0", "1.1", "1.2"] {
        let options = ["-ORBmaxGIOPVersion", version, "-ORBtraceLevel", "0"];
        let (mut server, reference) = start_server(&server_program, &options);
        let mut client = Command::new(&client_program);
        client.args(["--shutdown", &reference]).args(options);
        let (lines, status) = Process::start(&mut client)
            .unwrap()
            .finish(TIME_OUT)
            .unwrap();

        let checks: Vec<_> = lines
            .iter()
            .map(|line| Check::parse(line).unwrap())
            .collect();
        compare_with_known_gaps("omniorb", "omniorb", version, &checks).unwrap();
        let failed = checks.iter().any(|check| check.outcome.is_err());
        assert_eq!(status.code(), Some(i32::from(failed)));
        assert!(server.wait(TIME_OUT).unwrap().success(), "GIOP {version}");
    }
}

#[test]
fn a_server_ends_with_its_input() {
    for program in ["param_server", "ping_server"] {
        let Some(program) = peers::omniorb(program) else {
            return;
        };
        let (mut server, _) = start_server(&program, &[]);
        server.close_input();
        assert!(server.wait(TIME_OUT).unwrap().success());
    }
}

#[test]
fn a_client_without_a_server_fails() {
    let Some((server_program, client_program)) = param_programs() else {
        return;
    };
    let (server, reference) = start_server(&server_program, &[]);
    drop(server);
    let mut client = Command::new(client_program);
    client.arg(reference).stderr(Stdio::null());
    let (lines, status) = Process::start(&mut client)
        .unwrap()
        .finish(TIME_OUT)
        .unwrap();
    assert_eq!(status.code(), Some(1), "{lines:#?}");
    assert!(
        !lines.iter().any(|line| line.starts_with("ok")),
        "{lines:#?}"
    );
}

#[test]
fn the_ping_client_answers_with_ordered_times() {
    let (Some(server), Some(client)) =
        (peers::omniorb("ping_server"), peers::omniorb("ping_client"))
    else {
        return;
    };
    let (_server, reference) = start_server(&server, &[]);
    let mut client = Process::start(Command::new(client).arg(reference)).unwrap();
    for calls in [1, 2, 200] {
        client.write_line(&format!("run {calls}")).unwrap();
        let line = client.read_line(TIME_OUT).unwrap();
        let times_ns: Vec<u64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
        let [median, p99, min, max, mean] = times_ns[..] else {
            panic!("{line}");
        };
        assert!(
            0 < min && min <= median && median <= p99 && p99 <= max,
            "{line}"
        );
        assert!(min <= mean && mean <= max, "{line}");
    }
    client.write_line("quit").unwrap();
    assert!(client.wait(TIME_OUT).unwrap().success());
}

#[test]
fn the_ping_client_refuses_malformed_commands() {
    let (Some(server), Some(client)) =
        (peers::omniorb("ping_server"), peers::omniorb("ping_client"))
    else {
        return;
    };
    let (_server, reference) = start_server(&server, &[]);
    for command in [
        "run 0",
        "run -1",
        "run",
        "run 5 x",
        "walk 5",
        "run 99999999999",
    ] {
        let mut client = Command::new(&client);
        client.arg(&reference).stderr(Stdio::null());
        let mut client = Process::start(&mut client).unwrap();
        client.write_line(command).unwrap();
        let (lines, status) = client.finish(TIME_OUT).unwrap();
        assert_eq!((lines.len(), status.code()), (0, Some(2)), "{command}");
    }
}

#[test]
fn omni_names_binds_and_lists_names() {
    let (Some(names), Some(nameclt)) = (OmniNames::start().unwrap(), test_tools::tool("nameclt"))
    else {
        return;
    };
    let run = |arguments: &[&str]| {
        let mut command = Command::new(&nameclt);
        let root = format!("NameService={}", names.corbaloc());
        command.args(["-ORBInitRef", &root]).args(arguments);
        Process::start(&mut command)
            .unwrap()
            .finish(TIME_OUT)
            .unwrap()
    };
    assert!(run(&["list"]).0.is_empty(), "names of somebody else");
    assert!(run(&["bind_new_context", "harness"]).1.success());
    assert_eq!(run(&["list"]).0, ["harness/"]);

    let other = OmniNames::start().unwrap().unwrap();
    assert_ne!(other.port(), names.port());
}

#[test]
fn strace_is_found() {
    if let Some(strace) = test_tools::tool("strace") {
        let mut version = Process::start(Command::new(strace).arg("-V")).unwrap();
        assert!(version.finish(TIME_OUT).unwrap().0[0].starts_with("strace"));
    }
}
