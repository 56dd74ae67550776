//! References that tell policies (TAG_POLICIES), as clients of other ORBs get them: they call
//! the object, and pass the reference on.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use taut::policy::{
    Policy, PolicyType, PriorityRange, ReplyPriorityPolicy, RequestPriorityPolicy, SetOverrideType,
};
use taut::{Orb, Reference, Version};
use taut_interop::param_test::{compare_with_known_gaps, serve};
use taut_interop::{Check, JacorbClient, Process, loopback_orb, peers};

const TIME_OUT: Duration = Duration::from_secs(60);

/// A server whose references tell two policies, and the reference of its object.
fn telling(version: Version) -> (Orb, String) {
    let orb = loopback_orb(|settings| settings.wire.giop_version = version).unwrap();
    let range = PriorityRange { min: 3, max: 5 };
    let told: [Policy; 2] = [
        RequestPriorityPolicy(range).into(),
        ReplyPriorityPolicy(range).into(),
    ];
    let manager = orb.policy_manager();
    manager
        .set_policy_overrides(&told, SetOverrideType::Set)
        .unwrap();
    let object = serve(&orb).unwrap().into_object();
    manager
        .set_policy_overrides(&[], SetOverrideType::Set)
        .unwrap();
    let [request, _] = told;
    let found = object.get_policy(PolicyType::REQUEST_PRIORITY).unwrap();
    // There are no components before 1.1.
    let is_told = version >= Version::V1_1;
    assert_eq!(found, is_told.then_some(request));
    (orb, object.to_string())
}

const VERSIONS: [Version; 3] = [Version::V1_0, Version::V1_1, Version::V1_2];

#[test]
fn omniorb_calls_an_object_whose_reference_tells_policies() {
    let Some(program) = peers::omniorb("param_client") else {
        return;
    };
    for version in VERSIONS {
        let (server, reference) = telling(version);
        check_by_omniorb(&program, version, &reference);
        server.run();
    }
}

/// Has omniORB's client call everything, and end the server.
pub(crate) fn check_by_omniorb(program: &Path, version: Version, reference: &str) {
    let version = version.to_string();
    let mut command = Command::new(program);
    command.args(["--shutdown", reference]);
    command.args(["-ORBmaxGIOPVersion", &version, "-ORBtraceLevel", "0"]);
    let mut client = Process::start(&mut command).unwrap();
    let (lines, _) = client.finish(TIME_OUT).unwrap();
    let checks = lines.iter().map(|line| Check::parse(line).unwrap());
    let checks: Vec<_> = checks.collect();
    compare_with_known_gaps("omniorb", "taut", &version, &checks).unwrap();
}

#[test]
fn jacorb_calls_an_object_whose_reference_tells_policies() {
    let Some(mut client) = JacorbClient::start("ParamClient").unwrap() else {
        return;
    };
    for version in VERSIONS {
        let (server, reference) = telling(version);
        let checks = client.check(version, &reference).unwrap();
        compare_with_known_gaps("jacorb", "taut", &version.to_string(), &checks).unwrap();
        // The client has done it, unless it failed before.
        let _ = server.shutdown(true);
    }
    assert!(client.end().unwrap().success());
}
