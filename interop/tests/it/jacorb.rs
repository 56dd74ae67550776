//! `Param_Test` between Taut and JacORB both ways, in every version of GIOP, with
//! fragments, forwards and servers that come back. Java starts slowly, so each
//! test has one process for all versions.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::thread;
use std::time::Duration;

use taut::{Orb, Reference, Version};
use taut_interop::param_test::{
    ParamTest, ParamTestRef, check_object, check_operations, check_shutdown,
    compare_with_known_gaps, serve, serve_callback,
};
use taut_interop::{HarnessError, JacorbClient, JacorbServer, loopback_orb, record, within};
use test_tools::free_port;

const TIME_OUT: Duration = Duration::from_secs(60);

/// How long a call may take. A call that takes longer fails by itself, so that the other
/// checks go on.
const PATIENCE: Duration = Duration::from_secs(8);

/// A version of GIOP, and whether Taut cuts its messages into fragments.
#[derive(Clone, Copy)]
struct Speech {
    version: Version,
    fragments: bool,
}

const SPEECHES: [Speech; 4] = [
    speech(Version::V1_0, false),
    speech(Version::V1_1, false),
    speech(Version::V1_2, false),
    speech(Version::V1_2, true),
];

const fn speech(version: Version, fragments: bool) -> Speech {
    Speech { version, fragments }
}

impl Speech {
    /// As lists of known gaps name it.
    fn name(self) -> String {
        let suffix = if self.fragments { "+fragments" } else { "" };
        format!("{}{suffix}", self.version)
    }

    /// An ORB that listens on the loopback and speaks so.
    fn orb(self) -> Orb {
        let orb = loopback_orb(|settings| {
            settings.wire.giop_version = self.version;
            settings.client.call_timeout = Some(PATIENCE);
            if self.fragments {
                // Small, so that most messages have some.
                settings.wire.fragment_size = 1_024;
            }
        });
        orb.unwrap()
    }
}

const VERSIONS: [Version; 3] = [Version::V1_0, Version::V1_1, Version::V1_2];

fn start_client() -> Option<JacorbClient> {
    JacorbClient::start("ParamClient").unwrap()
}

fn start_server(arguments: &[&str], versions: &[Version]) -> Option<JacorbServer> {
    JacorbServer::start("ParamServer", arguments, versions).unwrap()
}

/// Fails if there are faults that the list of known gaps does not have.
fn assert_none(faults: Vec<HarnessError>) {
    let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn taut_to_jacorb() {
    let versions = SPEECHES.map(|speech| speech.version);
    let Some(server) = start_server(&[], &versions) else {
        return;
    };
    let mut faults = Vec::new();
    for (speech, reference) in SPEECHES.into_iter().zip(server.references.clone()) {
        let orb = speech.orb();
        let checks = within(TIME_OUT, move || {
            let object = orb.string_to_object(&reference).unwrap();
            let profile = object.ior().iiop_profiles().next().unwrap().unwrap();
            assert_eq!(profile.version, speech.version);
            let target: ParamTestRef = object.narrow().unwrap();
            let callback = serve_callback(&orb, target.clone()).unwrap();
            let mut checks = check_object(&object);
            checks.extend(check_operations(&target, &target, &callback));
            checks.push(check_shutdown(&target));
            orb.shutdown(true).unwrap();
            checks
        })
        .unwrap();
        faults.extend(compare_with_known_gaps("taut", "jacorb", &speech.name(), &checks).err());
    }
    assert_none(faults);
    assert!(server.wait().unwrap().success());
}

#[test]
fn jacorb_to_taut() {
    let Some(mut client) = start_client() else {
        return;
    };
    let mut faults = Vec::new();
    for speech in SPEECHES {
        let server = speech.orb();
        let reference = serve(&server).unwrap().into_object().to_string();
        let checks = client.check(speech.version, &reference).unwrap();
        faults.extend(compare_with_known_gaps("jacorb", "taut", &speech.name(), &checks).err());
        // The client has done it, unless it failed before.
        let _ = server.shutdown(true);
    }
    assert_none(faults);
    assert!(client.end().unwrap().success());
}

#[test]
fn jacorb_to_jacorb() {
    let (Some(server), Some(mut client)) = (start_server(&[], &VERSIONS), start_client()) else {
        return;
    };
    let mut faults = Vec::new();
    for (version, reference) in VERSIONS.into_iter().zip(&server.references) {
        let checks = client.check(version, reference).unwrap();
        let name = version.to_string();
        faults.extend(compare_with_known_gaps("jacorb", "jacorb", &name, &checks).err());
    }
    assert_none(faults);
    assert!(client.end().unwrap().success());
    assert!(server.wait().unwrap().success());
}

/// Longer than a connection may be idle before a Taut client looks whether it
/// is still open.
const IDLE: Duration = Duration::from_millis(60);

#[test]
fn a_taut_client_finds_a_jacorb_server_that_was_restarted() {
    let port = free_port().unwrap().to_string();
    let start = || start_server(&["--port", &port], &[Version::V1_2]);
    let Some(server) = start() else {
        return;
    };
    let orb = taut_interop::over_the_wire().build().unwrap();
    let object = orb.string_to_object(&server.references[0]).unwrap();
    let target: ParamTestRef = object.unchecked_narrow();
    let call = || {
        let target = target.clone();
        within(TIME_OUT, move || target.test_long(0, &mut 1)).unwrap()
    };
    assert_eq!(call(), Ok((0, 1)));

    assert!(server.end().unwrap().success());
    thread::sleep(IDLE);
    let server = start().unwrap();
    assert_eq!(call(), Ok((0, 1)), "after an orderly end");

    drop(server);
    thread::sleep(IDLE);
    let server = start().unwrap();
    assert_eq!(call(), Ok((0, 1)), "after a sudden end");
    drop(server);
    record("restart", "taut", "jacorb", "1.2").unwrap();
}

/// A Taut server on a port, whose object also has the plain key `Param_Test`.
fn restartable(port: u16) -> Orb {
    let builder = taut_interop::over_the_wire().listen(&format!("127.0.0.1:{port}"));
    let orb = builder.unwrap().build().unwrap();
    let reference = serve(&orb).unwrap();
    orb.bind_object_key("Param_Test", reference.as_object());
    orb
}

#[test]
fn a_jacorb_client_follows_forwards_and_finds_a_taut_server_that_was_restarted() {
    let Some(mut client) = start_client() else {
        return;
    };
    let port = free_port().unwrap();
    let mut server = restartable(port);
    for version in VERSIONS {
        let call = format!("call {version} corbaloc:iiop:{version}@127.0.0.1:{port}/Param_Test");
        assert_eq!(client.ask(&call).unwrap(), "done", "GIOP {version}");
        server.shutdown(true).unwrap();
        server = restartable(port);
        assert_eq!(client.ask(&call).unwrap(), "done", "GIOP {version}");
        for scenario in ["forward", "restart"] {
            record(scenario, "jacorb", "taut", &version.to_string()).unwrap();
        }
    }
    assert!(client.end().unwrap().success());
    server.shutdown(true).unwrap();
}
