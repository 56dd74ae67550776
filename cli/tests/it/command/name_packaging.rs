//! The naming service under a service manager: sockets that it has opened, the units and the
//! container file of `packaging/`.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use taut_interop::Process;

use super::served::{Served, TIME_OUT, signal};
use super::support::{run, taut};

const BANK: &str = "corbaloc:iiop:1.2@127.0.0.1:9/Bank";

fn packaging() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging")
}

fn names_at(url: &str) -> String {
    let outcome = run(&["name", "--ns", url, "list"]);
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    outcome.output
}

/// Starts a service with this socket as the only one that the service manager has opened.
fn activated(socket: &TcpListener, arguments: &[&str]) -> Process {
    let mut command = Command::new("sh");
    // The socket becomes descriptor 3, and the process keeps its number.
    command
        .args([
            "-c",
            "exec 3<&0 </dev/null; LISTEN_FDS=1 LISTEN_PID=$$ exec \"$@\"",
            "sh",
        ])
        .arg(taut().get_program())
        .args(["name", "serve"])
        .args(arguments)
        .env_remove("TAUT_ORB_ARGUMENTS")
        .stdin(Stdio::from(std::os::fd::OwnedFd::from(
            socket.try_clone().unwrap(),
        )));
    Process::start_with_input(&mut command).unwrap()
}

#[test]
fn a_socket_that_the_service_manager_has_opened_is_served_and_outlives_the_service() {
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port();
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("names");
    let arguments = ["--store", store.to_str().unwrap()];
    let mut first = activated(&socket, &arguments);
    let url = first.read_line(TIME_OUT).unwrap();
    assert_eq!(
        url,
        format!("corbaloc:iiop:1.2@127.0.0.1:{port}/NameService")
    );
    let bound = run(&["name", "--ns", &url, "bind", "x", BANK]);
    assert_eq!(bound.status, Some(0), "{bound:?}");
    signal(first.id(), "-TERM");
    assert!(first.wait(TIME_OUT).unwrap().success());

    // A client that comes meanwhile waits in the socket until the next one serves.
    let waits = std::thread::spawn({
        let url = url.clone();
        move || names_at(&url)
    });
    let mut second = activated(&socket, &arguments);
    assert_eq!(second.read_line(TIME_OUT).unwrap(), url);
    assert_eq!(waits.join().unwrap(), "object   x\n");
    signal(second.id(), "-TERM");
    assert!(second.wait(TIME_OUT).unwrap().success());
}

#[test]
fn an_endpoint_says_what_a_socket_of_the_service_manager_publishes() {
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port();
    let endpoint = "*:2809/publish=localhost";
    let mut served = activated(&socket, &["--store", "memory", "--endpoint", endpoint]);
    let url = served.read_line(TIME_OUT).unwrap();
    assert_eq!(
        url,
        format!("corbaloc:iiop:1.2@localhost:{port}/NameService")
    );
    assert_eq!(names_at(&url), "");
}

#[test]
fn what_is_no_socket_is_refused() {
    let run = |count: &str, endpoint: &str| {
        let mut command = Command::new("sh");
        let script = format!("exec 3</dev/null; LISTEN_FDS={count} LISTEN_PID=$$ exec \"$@\"");
        command.args(["-c", &script, "sh"]);
        command.arg(taut().get_program());
        command.args(["name", "serve", "--store", "memory", "--endpoint", endpoint]);
        command
            .env_remove("TAUT_ORB_ARGUMENTS")
            .env("NO_COLOR", "1");
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let refused = run("1", "*:2809");
    assert!(
        refused.contains("descriptor 3 is no TCP socket that listens"),
        "{refused}"
    );
    let refused = run("many", "*:2809");
    assert!(
        refused.contains("LISTEN_FDS=\"many\" is no number of sockets"),
        "{refused}"
    );
    let refused = run("1", "uiop:///tmp/taut-never");
    assert!(
        refused.contains("only a TCP socket can be taken over"),
        "{refused}"
    );
}

#[test]
fn systemds_own_activation_starts_it_at_the_first_client() {
    let Some(activate) = test_tools::tool("systemd-socket-activate") else {
        return;
    };
    let port = test_tools::free_port().unwrap();
    let mut command = Command::new(activate);
    command.arg(format!("--listen=127.0.0.1:{port}"));
    command.arg(taut().get_program());
    command.args(["name", "serve", "--store", "memory"]);
    command
        .env_remove("TAUT_ORB_ARGUMENTS")
        .stderr(Stdio::null());
    let mut process = Process::start(&mut command).unwrap();
    let url = format!("corbaloc:iiop:1.2@127.0.0.1:{port}/NameService");
    // It listens a moment after it has begun.
    let started = std::time::Instant::now();
    while run(&["name", "--ns", &url, "list"]).status != Some(0) {
        assert!(started.elapsed() < TIME_OUT, "{:?}", process.status());
    }
    assert_eq!(process.read_line(TIME_OUT).unwrap(), url);
    // The activator has become the service.
    signal(process.id(), "-TERM");
    assert!(process.wait(TIME_OUT).unwrap().success());
}

/// The value of a key that a unit has once.
fn value<'u>(unit: &'u str, key: &str) -> &'u str {
    let lines = unit
        .lines()
        .filter_map(|line| line.strip_prefix(key)?.strip_prefix('='));
    let values: Vec<_> = lines.collect();
    assert_eq!(values.len(), 1, "{key}");
    values[0]
}

#[test]
fn the_units_are_sound_and_start_the_service() {
    let units = packaging().join("systemd");
    let read = |name: &str| fs::read_to_string(units.join(name)).unwrap();
    let (service, socket) = (read("taut-name.service"), read("taut-name.socket"));
    assert_eq!(value(&socket, "ListenStream"), "2809");
    assert_eq!(value(&service, "Type"), "notify");
    let start = value(&service, "ExecStart");
    let arguments = start.strip_prefix("/usr/bin/taut ").unwrap();

    // As the unit starts it: a directory for state, a socket, a place for notices.
    let directory = tempfile::tempdir().unwrap();
    let mut command = taut();
    command
        .args(arguments.split(' '))
        .args(["--endpoint", "127.0.0.1:0"]);
    command.env("STATE_DIRECTORY", directory.path());
    let mut process = Process::start(&mut command).unwrap();
    let url = process.read_line(TIME_OUT).unwrap();
    assert_eq!(names_at(&url), "");
    assert!(directory.path().join("names").exists());
    signal(process.id(), "-TERM");
    assert!(process.wait(TIME_OUT).unwrap().success());

    let Some(analyze) = test_tools::tool("systemd-analyze") else {
        return;
    };
    // The command is not installed where the units say.
    let here = service.replace("/usr/bin/taut", taut().get_program().to_str().unwrap());
    fs::write(directory.path().join("taut-name.service"), here).unwrap();
    fs::write(directory.path().join("taut-name.socket"), socket).unwrap();
    let mut verify = Command::new(analyze);
    verify.args(["verify", "--man=no", "--recursive-errors=no"]);
    verify.args(["taut-name.service", "taut-name.socket"].map(|unit| directory.path().join(unit)));
    let output = verify.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.success() && !said.contains("taut-name"),
        "{said}"
    );
}

/// The words of an instruction of a container file that is written as a list.
fn words(file: &str, instruction: &str) -> Vec<String> {
    let line = file
        .lines()
        .find_map(|line| line.strip_prefix(instruction)?.strip_prefix(' '));
    serde_json::from_str(line.unwrap()).unwrap()
}

#[test]
fn the_container_starts_the_service_and_asks_it() {
    let file = fs::read_to_string(packaging().join("container/Containerfile")).unwrap();
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
    let workspace = fs::read_to_string(workspace).unwrap();
    let rust = workspace
        .lines()
        .find_map(|line| line.strip_prefix("rust-version = "));
    let rust = rust.unwrap().trim_matches('"');
    assert!(
        file.contains(&format!("library/rust:{rust}-")),
        "it is built by Rust {rust}"
    );
    let exposed = file
        .lines()
        .find_map(|line| line.strip_prefix("EXPOSE "))
        .unwrap();
    assert_eq!(exposed, "2809");

    let directory = tempfile::tempdir().unwrap();
    let entry = words(&file, "ENTRYPOINT");
    assert_eq!(entry[0], "taut");
    let mut command = taut();
    command
        .args(&entry[1..])
        .args(["--endpoint", "127.0.0.1:0"]);
    command.env("STATE_DIRECTORY", directory.path());
    let mut process = Process::start(&mut command).unwrap();
    let url = process.read_line(TIME_OUT).unwrap();
    let port = url.rsplit_once(':').unwrap().1.split_once('/').unwrap().0;
    let check = words(&file, "HEALTHCHECK CMD").join(" ");
    let check = check.replace(exposed, port);
    let outcome = run(&check.split(' ').skip(1).collect::<Vec<_>>());
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    let stop = file
        .lines()
        .find_map(|line| line.strip_prefix("STOPSIGNAL SIG"))
        .unwrap();
    signal(process.id(), &format!("-{stop}"));
    assert!(process.wait(TIME_OUT).unwrap().success());
    let outcome = run(&check.split(' ').skip(1).collect::<Vec<_>>());
    assert_eq!(outcome.status, Some(1), "{outcome:?}");
}

#[test]
fn each_change_is_logged_on_request_and_refusals_always() {
    let log = |arguments: &[&str]| {
        let directory = tempfile::tempdir().unwrap();
        let log = directory.path().join("log");
        let port = test_tools::free_port().unwrap();
        let mut command = Served::command("memory".as_ref(), port, arguments);
        command.stderr(Stdio::from(fs::File::create(&log).unwrap()));
        let mut process = Process::start(&mut command).unwrap();
        let url = process.read_line(TIME_OUT).unwrap();
        run(&["name", "--ns", &url, "bind", "--parents", "a/b.c", BANK]);
        run(&["name", "--ns", &url, "resolve", "a/b.c"]);
        signal(process.id(), "-TERM");
        assert!(process.wait(TIME_OUT).unwrap().success());
        fs::read_to_string(log).unwrap()
    };
    assert_eq!(log(&[]), "");
    let logged = log(&["--log-changes"]);
    let lines: Vec<_> = logged.lines().collect();
    assert_eq!(lines.len(), 2, "{logged}");
    assert!(
        lines[0].contains("bind_new_context a in context 0 peer=\"127.0.0.1:"),
        "{logged}"
    );
    assert!(
        lines[1].contains("names changed change=bind a/b.c in context 0"),
        "{logged}"
    );
    let refused = log(&["--allow-changes-from", "192.0.2.0/24,unix"]);
    assert!(
        refused.contains("a change is not permitted change=bind_new_context a"),
        "{refused}"
    );
}
