//! `Construct_Test` between Taut and JacORB both ways, in every version of GIOP.
//! Java starts slowly, so each test has one process for all versions.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::time::Duration;

use taut::{Orb, Reference, Version};
use taut_interop::construct_test::{
    ConstructTestRef, check_constructs, compare_constructs_with_known_gaps, serve_constructs,
};
use taut_interop::{Check, HarnessError, JacorbClient, JacorbServer, loopback_orb, within};

const TIME_OUT: Duration = Duration::from_secs(60);

/// How long a call may take. A call that takes longer fails by itself, so that the other
/// checks go on.
const PATIENCE: Duration = Duration::from_secs(8);

const VERSIONS: [Version; 3] = [Version::V1_0, Version::V1_1, Version::V1_2];

fn orb(version: Version) -> Orb {
    let orb = loopback_orb(|settings| {
        settings.wire.giop_version = version;
        settings.client.call_timeout = Some(PATIENCE);
    });
    orb.unwrap()
}

fn start_server() -> Option<JacorbServer> {
    JacorbServer::start("ConstructServer", &[], &VERSIONS).unwrap()
}

fn start_client() -> Option<JacorbClient> {
    JacorbClient::start("ConstructClient").unwrap()
}

/// Compares the checks of a client with the list of known gaps.
fn compare(
    client: &str,
    server: &str,
    version: Version,
    checks: &[Check],
) -> Result<(), HarnessError> {
    compare_constructs_with_known_gaps(client, server, &version.to_string(), checks)
}

fn assert_none(faults: &[HarnessError]) {
    let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn taut_to_jacorb() {
    let Some(server) = start_server() else {
        return;
    };
    let mut faults = Vec::new();
    for (version, reference) in VERSIONS.into_iter().zip(server.references.clone()) {
        let orb = orb(version);
        let checks = within(TIME_OUT, move || {
            let object = orb.string_to_object(&reference).unwrap();
            let target: ConstructTestRef = object.narrow().unwrap();
            let checks = check_constructs(&target);
            orb.shutdown(true).unwrap();
            checks
        })
        .unwrap();
        faults.extend(compare("taut", "jacorb", version, &checks).err());
    }
    assert_none(&faults);
    assert!(server.wait().unwrap().success());
}

#[test]
fn jacorb_to_taut() {
    let Some(mut client) = start_client() else {
        return;
    };
    let mut faults = Vec::new();
    for version in VERSIONS {
        let server = orb(version);
        let reference = serve_constructs(&server).unwrap().into_object().to_string();
        let checks = client.check(version, &reference).unwrap();
        faults.extend(compare("jacorb", "taut", version, &checks).err());
        // The client has done it, unless it failed before.
        let _ = server.shutdown(true);
    }
    assert_none(&faults);
    assert!(client.end().unwrap().success());
}

#[test]
fn jacorb_to_jacorb() {
    let (Some(server), Some(mut client)) = (start_server(), start_client()) else {
        return;
    };
    let mut faults = Vec::new();
    for (version, reference) in VERSIONS.into_iter().zip(server.references.clone()) {
        let checks = client.check(version, &reference).unwrap();
        faults.extend(compare("jacorb", "jacorb", version, &checks).err());
    }
    assert_none(&faults);
    assert!(client.end().unwrap().success());
    assert!(server.wait().unwrap().success());
}
