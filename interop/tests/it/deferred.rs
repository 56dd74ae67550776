//! Servants that answer later, by futures and by responders, called by other ORBs, by Taut,
//! and within their process.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::process::Command;
use std::time::Duration;

use taut::{CollocationStrategy, Orb, Reference, Version};
use taut_interop::param_test::{
    ParamTestRef, check_operations, compare_with_known_gaps, serve_callback, serve_later,
};
use taut_interop::{Check, JacorbClient, Process, loopback_orb, param_test_interpretive, peers};

const TIME_OUT: Duration = Duration::from_secs(60);

/// How the server reads its connections.
#[derive(Debug, Clone, Copy)]
enum Reading {
    OwnThreads,
    Reactor,
}

const READINGS: [Reading; 2] = [Reading::OwnThreads, Reading::Reactor];

fn server(version: Version, reading: Reading) -> Orb {
    let orb = loopback_orb(|settings| {
        settings.wire.giop_version = version;
        if let Reading::Reactor = reading {
            settings.server.connection_threads = 0;
        }
    });
    orb.unwrap()
}

const VERSIONS: [Version; 3] = [Version::V1_0, Version::V1_1, Version::V1_2];

#[test]
fn omniorb_calls_a_servant_that_answers_later() {
    let Some(program) = peers::omniorb("param_client") else {
        return;
    };
    for version in VERSIONS {
        for reading in READINGS {
            let server = server(version, reading);
            let reference = serve_later(&server).unwrap().into_object().to_string();
            let number = version.to_string();
            let mut command = Command::new(&program);
            command.args(["--shutdown", &reference]);
            command.args(["-ORBmaxGIOPVersion", &number, "-ORBtraceLevel", "0"]);
            let mut client = Process::start(&mut command).unwrap();
            let (lines, _) = client.finish(TIME_OUT).unwrap();
            let checks: Vec<_> = lines
                .iter()
                .map(|line| Check::parse(line).unwrap())
                .collect();
            compare_with_known_gaps("omniorb", "taut", &number, &checks).unwrap();
            server.run();
        }
    }
}

#[test]
fn jacorb_calls_a_servant_that_answers_later() {
    let Some(mut client) = JacorbClient::start("ParamClient").unwrap() else {
        return;
    };
    for version in VERSIONS {
        let server = server(version, Reading::OwnThreads);
        let reference = serve_later(&server).unwrap().into_object().to_string();
        let checks = client.check(version, &reference).unwrap();
        compare_with_known_gaps("jacorb", "taut", &version.to_string(), &checks).unwrap();
        // The client has done it, unless it failed before.
        let _ = server.shutdown(true);
    }
    assert!(client.end().unwrap().success());
}

fn all_pass(checks: &[Check]) {
    let failed: Vec<_> = checks
        .iter()
        .filter(|check| check.outcome.is_err())
        .collect();
    assert!(failed.is_empty() && !checks.is_empty(), "{failed:?}");
}

#[test]
fn a_caller_in_the_servants_process_waits_for_the_answer() {
    for strategy in [
        CollocationStrategy::ThroughPoa,
        CollocationStrategy::Direct,
        CollocationStrategy::Off,
    ] {
        let orb = Orb::builder().listen("127.0.0.1:0").unwrap();
        let orb = orb.settings(|settings| settings.client.collocation = strategy);
        let orb = orb.build().unwrap();
        let target: ParamTestRef = serve_later(&orb).unwrap();
        let callback = serve_callback(&orb, target.clone()).unwrap();
        all_pass(&check_operations(&target, &target, &callback));
        orb.shutdown(true).unwrap();
    }
}

#[test]
fn servants_whose_other_values_are_marshaled_by_table_answer_later_too() {
    use param_test_interpretive::{check_operations, serve_callback, serve_later};
    let orb = server(Version::V1_2, Reading::Reactor);
    let target = serve_later(&orb).unwrap();
    let callback = serve_callback(&orb, target.clone()).unwrap();
    all_pass(&check_operations(&target, &target, &callback));
    orb.shutdown(true).unwrap();
}
