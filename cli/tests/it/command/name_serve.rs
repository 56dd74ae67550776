//! `taut name serve`: a service by itself, its end, its faults, and what becomes of its names when
//! it is killed.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fs;
use std::os::unix::net::UnixDatagram;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::time::Duration;

use taut::Orb;
use taut_interop::Process;

use super::served::{Served, TIME_OUT, signal};
use super::support::{Outcome, run, taut};

const BANK: &str = "corbaloc:iiop:1.2@127.0.0.1:9/Bank";

#[test]
fn names_and_references_of_contexts_outlive_the_service() {
    let directory = tempfile::tempdir().unwrap();
    let mut served = Served::start(&directory.path().join("names"));
    served.shows(&format!("bind --parents bank/main {BANK}"), "");
    let context = served.run("resolve bank").output;
    let status = served.end();
    assert!(status.success(), "{status}");

    let again = served.again();
    again.shows("list -r", "/\n└── bank/\n    └── main\n");
    // The reference of the first life leads to the context of the second.
    let listed = run(&["name", "list", "--ns", context.trim()]);
    assert_eq!(listed.output, "object   main\n", "{listed:?}");
}

#[test]
fn every_signal_for_an_end_ends_it_in_order() {
    for number in ["-TERM", "-INT"] {
        let mut served = Served::start_in_memory(&[]);
        signal(served.process.id(), number);
        let status = served.process.wait(TIME_OUT).unwrap();
        assert_eq!(status.code(), Some(0), "{number}: {status}");
    }
}

#[test]
fn omniorbs_client_finds_it() {
    let Some(nameclt) = test_tools::tool("nameclt") else {
        return;
    };
    let served = Served::start_in_memory(&[]);
    let run = |arguments: &[&str]| {
        let mut command = Command::new(&nameclt);
        let root = format!("NameService={}", served.url);
        command.args(["-ORBInitRef", &root]).args(arguments);
        let mut process = Process::start(&mut command).unwrap();
        process.close_input();
        let (lines, status) = process.finish(TIME_OUT).unwrap();
        assert!(status.success(), "{arguments:?}: {lines:?}");
        lines
    };
    run(&["bind_new_context", "room"]);
    run(&["bind", "room/x.kind", BANK]);
    assert_eq!(run(&["list", "room"]), ["x.kind"]);
    let found = run(&["resolve", "room/x.kind"]);
    let resolved = served.run("resolve room/x.kind").output;
    // Both write the reference as they like; it leads to the same object.
    let orb = Orb::builder().build().unwrap();
    let object = |text: &str| orb.string_to_object(text.trim()).unwrap();
    assert_eq!(object(&found[0]), object(&resolved));
    run(&["-advanced", "rebind", "room/x.kind", BANK]);
    run(&["unbind", "room/x.kind"]);
    run(&["remove_context", "room"]);
    served.shows("list", "");
}

#[test]
fn a_service_that_is_read_only_answers_and_refuses() {
    let directory = tempfile::tempdir().unwrap();
    let mut served = Served::start(&directory.path().join("names"));
    served.shows(&format!("bind x {BANK}"), "");
    served.end();
    let read_only = served.again_with(&["--read-only"]);
    read_only.shows("list", "object   x\n");
    let refused = read_only.run("unbind x");
    let expected = "NO_PERMISSION: the naming service is read-only";
    assert!(refused.errors.contains(expected), "{refused:?}");
    assert_eq!(refused.status, Some(1));
}

#[test]
fn limits_are_refused_by_their_names() {
    let served = Served::start_in_memory(&["--max-bindings", "1", "--max-component-octets", "4"]);
    let long = served.run(&format!("bind abcde {BANK}"));
    assert!(long.errors.contains("max_component_octets"), "{long:?}");
    served.shows(&format!("bind abcd {BANK}"), "");
    let full = served.run(&format!("bind b {BANK}"));
    assert!(full.errors.contains("max_bindings"), "{full:?}");
}

#[test]
fn the_service_manager_is_told_of_the_beginning_and_the_end() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("notices");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(TIME_OUT)).unwrap();
    let notice = || {
        let mut buffer = [0; 1000];
        let length = socket.recv(&mut buffer).unwrap();
        String::from_utf8(buffer[..length].to_vec()).unwrap()
    };
    let mut command = Served::command("memory".as_ref(), test_tools::free_port().unwrap(), &[]);
    command.env("NOTIFY_SOCKET", &path);
    let mut process = Process::start(&mut command).unwrap();
    let ready = notice();
    let url = process.read_line(TIME_OUT).unwrap();
    let expected = format!("READY=1\nSTATUS={url}, names in memory");
    assert_eq!(ready, expected);
    signal(process.id(), "-TERM");
    assert_eq!(notice(), "STOPPING=1");
    assert!(process.wait(TIME_OUT).unwrap().success());
}

#[test]
fn faults_at_the_start_name_their_remedy() {
    let directory = tempfile::tempdir().unwrap();
    let garbage = directory.path().join("garbage");
    fs::write(&garbage, "no names").unwrap();
    let serve = |store: &str, endpoint: &str| -> Outcome {
        let mut command = taut();
        command.args(["name", "serve", "--store", store, "--endpoint", endpoint]);
        command.output().unwrap().into()
    };
    let outcome = serve(garbage.to_str().unwrap(), "127.0.0.1:0");
    let expected = format!(
        "error: the file of names {} cannot be opened: it is no file of names; give the path of \
         another one, or of none\n",
        garbage.display()
    );
    assert_eq!((outcome.errors, outcome.status), (expected, Some(1)));
    assert_eq!(fs::read(&garbage).unwrap(), b"no names");

    let served = Served::start_in_memory(&[]);
    let outcome = serve("memory", &format!("127.0.0.1:{}", served.port));
    assert!(outcome.errors.contains("in use"), "{outcome:?}");
    assert_eq!(outcome.status, Some(1));

    let outcome = serve("memory", "shmiop://x");
    assert!(outcome.errors.contains("shmiop"), "{outcome:?}");
}

#[test]
fn a_service_that_is_killed_leaves_its_file_to_the_next() {
    let directory = tempfile::tempdir().unwrap();
    let mut served = Served::start(&directory.path().join("names"));
    served.shows(&format!("bind x {BANK}"), "");
    signal(served.process.id(), "-KILL");
    let status = served.process.wait(Duration::from_secs(20)).unwrap();
    assert_eq!(status.signal(), Some(9));
    served.again().shows("list", "object   x\n");
}
