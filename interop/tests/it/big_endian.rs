//! All of `Param_Test` in big-endian messages, to a Taut server and to a Taut
//! client, in every version of GIOP.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::time::Duration;

use taut::{Orb, Reference, Version};
use taut_interop::big_endian::{BigEndianClient, serve_big_endian};
use taut_interop::param_test::{check_object, check_operations, serve, serve_callback};
use taut_interop::{Check, loopback_orb, within};

const VERSIONS: [Version; 3] = [Version::V1_0, Version::V1_1, Version::V1_2];

const TIME_OUT: Duration = Duration::from_secs(60);

fn orb(version: Version) -> Orb {
    loopback_orb(|settings| settings.wire.giop_version = version).unwrap()
}

fn assert_all_pass(version: Version, checks: &[Check]) {
    let failed: Vec<_> = checks
        .iter()
        .filter(|check| check.outcome.is_err())
        .collect();
    assert!(failed.is_empty(), "GIOP {version}: {failed:#?}");
}

#[test]
fn a_taut_server_understands_big_endian_requests() {
    for version in VERSIONS {
        let server = orb(version);
        let reference = serve(&server).unwrap().into_object().to_string();
        let client = orb(version);
        let orb = client.clone();
        let checks = within(TIME_OUT, move || {
            let object = orb.string_to_object(&reference).unwrap();
            let own = object.unchecked_narrow();
            let callback = serve_callback(&orb, object.unchecked_narrow()).unwrap();
            let target = BigEndianClient::connect(&orb, &object).unwrap();
            check_operations(&target, &own, &callback)
        })
        .unwrap();
        assert_all_pass(version, &checks);
        client.shutdown(true).unwrap();
        server.shutdown(true).unwrap();
    }
}

#[test]
fn a_taut_client_understands_big_endian_replies() {
    for version in VERSIONS {
        let server = orb(version);
        let reference = serve_big_endian(&server, version).unwrap();
        let reference = reference.into_object().to_string();
        let client = orb(version);
        let orb = client.clone();
        let checks = within(TIME_OUT, move || {
            let object = orb.string_to_object(&reference).unwrap();
            let target = object.unchecked_narrow();
            let callback = serve_callback(&orb, object.unchecked_narrow()).unwrap();
            let mut checks = check_object(&object);
            checks.extend(check_operations(&target, &target, &callback));
            checks
        })
        .unwrap();
        assert_all_pass(version, &checks);
        client.shutdown(true).unwrap();
        server.shutdown(true).unwrap();
    }
}
