//! Names that are bound upon leases, whose owners and whose service are killed.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use taut_interop::Process;
use test_tools::EtcdCluster;

use super::served::{Served, TIME_OUT, signal};
use super::support::taut;

const BANK: &str = "corbaloc:iiop:1.2@127.0.0.1:9/Bank";

/// The shortest time that etcd grants.
const LEASE: &str = "2s";

/// `taut name bind --lease`, once the name is bound.
fn owner(served: &Served, line: &str) -> Process {
    let mut command: Command = taut();
    command.args(["name", "--ns", &served.url, "bind", "--lease"]);
    command.args(line.split(' ')).arg(BANK);
    let mut owner = Process::start(&mut command).unwrap();
    let told = owner.read_line(TIME_OUT).unwrap();
    assert!(told.contains("is bound until this command ends"), "{told}");
    owner
}

/// Waits until no name is bound. It is not asked how long that takes: a machine may be busy.
fn wait_until_empty(served: &Served) {
    let started = Instant::now();
    while !served.run("list").output.is_empty() {
        assert!(started.elapsed() < TIME_OUT, "the name stays");
        thread::sleep(Duration::from_millis(50));
    }
}

/// The name of an owner that is killed vanishes; that of one that ends is unbound, and that of one
/// that lives stays.
fn owners_end(served: &Served) {
    let mut ended = owner(served, &format!("{LEASE} ended"));
    signal(ended.id(), "-TERM");
    assert!(ended.wait(TIME_OUT).unwrap().success());
    served.shows("list", "");

    let living = owner(served, "6s living");
    let killed = owner(served, &format!("{LEASE} killed"));
    served.shows("list", "object   killed\nobject   living\n");
    drop(killed);
    let started = Instant::now();
    while served.run("list").output.contains("killed") {
        assert!(started.elapsed() < TIME_OUT, "the name stays");
        thread::sleep(Duration::from_millis(50));
    }
    // Longer than its time, since it is renewed.
    thread::sleep(Duration::from_secs(7));
    served.shows("list", "object   living\n");
    drop(living);
    wait_until_empty(served);
}

#[test]
fn names_in_memory_end_with_their_owners() {
    owners_end(&Served::start_in_memory(&[]));
}

#[test]
fn names_in_etcd_end_with_their_owners() {
    let directory = tempfile::tempdir().unwrap();
    let Some(etcd) = EtcdCluster::start(directory.path(), 1).unwrap() else {
        return;
    };
    let store = format!("etcd://{}", etcd.addresses());
    owners_end(&Served::start(Path::new(&store)));
}

#[test]
fn a_service_that_begins_again_forgets_no_lease() {
    let directory = tempfile::tempdir().unwrap();
    let served = Served::start(&directory.path().join("names"));
    // Long enough for the service to come back on a busy machine.
    let living = owner(&served, "20s living");
    let killed = owner(&served, &format!("{LEASE} killed"));
    drop(killed);
    drop(served.process);
    let again = Served::start_at(&directory.path().join("names"), served.port, &[]);
    let started = Instant::now();
    while again.run("list").output != "object   living\n" {
        assert!(started.elapsed() < TIME_OUT, "{:?}", again.run("list"));
        thread::sleep(Duration::from_millis(50));
    }
    drop(living);
}

#[test]
fn leases_are_refused_by_their_limits() {
    let served = Served::start_in_memory(&["--max-leases", "0", "--max-lease-seconds", "5"]);
    let refused = served.run(&format!("bind --lease 10s x {BANK}"));
    assert!(refused.errors.contains("max_leases"), "{refused:?}");
    assert_eq!(refused.status, Some(1));

    let served = Served::start_in_memory(&["--max-lease-seconds", "5"]);
    let mut command = taut();
    command.args([
        "name",
        "--ns",
        &served.url,
        "bind",
        "--lease",
        "1h",
        "x",
        BANK,
    ]);
    let mut owner = Process::start(&mut command).unwrap();
    let told = owner.read_line(TIME_OUT).unwrap();
    assert!(told.contains("5 s at most"), "{told}");
    let taken = served.run(&format!("bind --lease 10s x {BANK}"));
    assert!(taken.errors.contains("AlreadyBound"), "{taken:?}");
}
