//! `taut name serve` upon a disk that is full: the changes for which there is no room end with an
//! exception, nothing that was acknowledged is lost, and the service goes on.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fs;
use std::path::Path;
use std::process::Command;

use taut::{Orb, minor};
use taut_interop::Process;
use taut_naming::naming_context::BindError;
use taut_naming::{BindingIterator, NameComponent, NamingContext, NamingContextRef};

use super::served::{Served, TIME_OUT, signal};

const BANK: &str = "corbaloc:iiop:1.2@127.0.0.1:9/Bank";

fn component(id: &str) -> Vec<NameComponent> {
    let kind = String::new();
    let id = id.to_owned();
    vec![NameComponent { id, kind }]
}

fn root(url: &str) -> NamingContextRef {
    let orb = Orb::builder().build().unwrap();
    orb.string_to_object(url).unwrap().narrow().unwrap()
}

/// Binds long names until there is no room; returns those that are bound.
fn bound_until_full(url: &str) -> Vec<String> {
    let orb = Orb::builder().build().unwrap();
    let root = root(url);
    let object = orb.string_to_object(BANK).unwrap();
    let long = "x".repeat(3000);
    let mut bound = Vec::new();
    let exception = loop {
        let id = format!("{}{long}", bound.len());
        match root.bind(&component(&id), Some(&object)) {
            Ok(()) => bound.push(id),
            Err(BindError::System(exception)) => break exception,
            Err(error) => panic!("{error:?}"),
        }
        assert!(bound.len() < 10_000, "the disk is never full");
    };
    assert_eq!(exception.minor, minor::NAME_STORE_FAILED, "{exception}");
    assert!(!bound.is_empty());
    bound
}

/// All names lead to the object, and there are no others but perhaps the one whose fate the exception
/// left open.
fn assert_bound(url: &str, bound: &[String]) {
    let orb = Orb::builder().build().unwrap();
    let root = root(url);
    let object = orb.string_to_object(BANK).unwrap();
    for id in bound {
        let found = root.resolve(&component(id)).unwrap();
        assert_eq!(found.as_ref(), Some(&object));
    }
    let (first, iterator) = root.list(100).unwrap();
    let mut all = first.len();
    while let Some((true, piece)) = iterator.as_ref().map(|rest| rest.next_n(100).unwrap()) {
        all += piece.len();
    }
    assert!(all == bound.len() || all == bound.len() + 1, "{all}");
}

/// The command that has a shell do something first.
fn behind(script: &str, command: &Command) -> Command {
    let mut shell = Command::new("sh");
    shell
        .arg("-c")
        .arg(format!("{script}; exec \"$@\""))
        .arg("sh");
    shell.arg(command.get_program()).args(command.get_args());
    shell.env_remove("TAUT_ORB_ARGUMENTS").env("NO_COLOR", "1");
    shell
}

/// A disk is as good as full for a process that may write no larger files.
#[test]
fn a_file_that_may_not_grow_keeps_what_it_has() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("names");
    let mut served = Served::start(&file);
    served.end();
    let blocks = fs::metadata(&file).unwrap().len() / 512 + 200;
    let command = Served::command(&file, served.port, &[]);
    let script = format!("trap '' XFSZ; ulimit -f {blocks}");
    let mut process = Process::start(&mut behind(&script, &command)).unwrap();
    let url = process.read_line(TIME_OUT).unwrap();
    let bound = bound_until_full(&url);
    // It goes on to answer.
    assert_bound(&url, &bound);
    signal(process.id(), "-TERM");
    process.wait(TIME_OUT).unwrap();
    assert_bound(&served.again().url, &bound);
}

/// Whether this process may mount a file system that nobody else sees.
fn may_mount(directory: &Path) -> bool {
    let mut mount = Command::new("unshare");
    mount
        .args(["-m", "mount", "-t", "tmpfs", "tmpfs"])
        .arg(directory);
    mount.output().is_ok_and(|output| output.status.success())
}

#[test]
fn a_file_system_without_room_keeps_what_it_has() {
    let directory = tempfile::tempdir().unwrap();
    let disk = directory.path().join("disk");
    fs::create_dir(&disk).unwrap();
    if !may_mount(&disk) {
        eprintln!("LEFT OUT: a file system of its own, for which one has to be root");
        return;
    }
    let command = Served::command(&disk.join("names"), test_tools::free_port().unwrap(), &[]);
    let script = "mount -t tmpfs -o size=3m tmpfs \"$TAUT_DISK\"";
    let mut private = Command::new("unshare");
    let shell = behind(script, &command);
    private
        .arg("-m")
        .arg(shell.get_program())
        .args(shell.get_args());
    private
        .env("TAUT_DISK", &disk)
        .env_remove("TAUT_ORB_ARGUMENTS");
    let mut process = Process::start(&mut private).unwrap();
    let url = process.read_line(TIME_OUT).unwrap();
    let bound = bound_until_full(&url);
    assert_bound(&url, &bound);
    // Room for others is made by those who go.
    let root = root(&url);
    for id in &bound[..bound.len() / 2] {
        match root.unbind(&component(id)) {
            Ok(()) => {}
            // Even that takes room.
            Err(error) => panic!("{error:?}"),
        }
    }
    let bound = &bound[bound.len() / 2..];
    assert_bound(&url, bound);
    // The file is taken out of the file system as a kill would leave it.
    let within = disk.strip_prefix("/").unwrap().join("names");
    let seen = Path::new("/proc")
        .join(process.id().to_string())
        .join("root")
        .join(within);
    let copy = directory.path().join("names");
    fs::copy(seen, &copy).unwrap();
    signal(process.id(), "-KILL");
    process.wait(TIME_OUT).unwrap();
    assert_bound(&Served::start(&copy).url, bound);
}
