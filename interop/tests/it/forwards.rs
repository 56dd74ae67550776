//! LOCATION_FORWARD and LocateRequest between Taut and other ORBs, both ways, and
//! what happens when the target of a forward dies.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::process::Command;
use std::time::Duration;

use taut::{CompletionStatus, Located, Orb, Reference, SystemExceptionKind, Version};
use taut_giop::message::MessageType;
use taut_interop::session_test::{
    Ending, Peer, Session, SessionClient, SessionRef, SessionServer, serve_session,
};
use taut_interop::{Relay, loopback_orb, record, within};
use test_tools::free_port;

const TIME_OUT: Duration = Duration::from_secs(60);

const VERSIONS: [Version; 3] = [Version::V1_0, Version::V1_1, Version::V1_2];

/// An ORB that listens on the loopback and speaks up to this version of GIOP.
fn orb(version: Version) -> Orb {
    let orb = loopback_orb(|settings| {
        settings.wire.giop_version = version;
        settings.client.call_timeout = Some(TIME_OUT);
    });
    orb.unwrap()
}

fn session(orb: &Orb, reference: &str) -> SessionRef {
    orb.string_to_object(reference).unwrap().unchecked_narrow()
}

/// A Taut server in a process of its own, with the plain key `Session`.
fn taut_server(name: &str) -> SessionServer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_session_server"));
    SessionServer::start(command.args(["0", name])).unwrap()
}

/// The object of another ORB's server sends Taut's calls on.
fn taut_follows(peer: Peer, version: Version) {
    let (Some(forwarder), Some(first), Some(second)) =
        (peer.server(), peer.server(), peer.server())
    else {
        return;
    };
    let forwarder = forwarder.serve().unwrap();
    let first = first.name("first").serve().unwrap();
    let second = second.name("second").serve().unwrap();
    within(TIME_OUT, move || {
        let orb = orb(version);
        let own = serve_session(&orb, "taut").unwrap();
        let forwards = session(&orb, forwarder.reference());
        let moved = forwards.moved().unwrap().unwrap();
        let to = |server: &SessionServer| {
            let target = session(&orb, server.reference());
            forwards.r#move(Some(&target)).unwrap();
        };
        let lost = moved.name().unwrap_err();
        assert_eq!(lost.kind, SystemExceptionKind::ObjectNotExist);

        to(&first);
        assert_eq!(moved.name().unwrap(), "first");
        // It is known from now on; nobody asks again.
        to(&second);
        assert_eq!(moved.name().unwrap(), "first");
        assert_eq!(forwards.moved().unwrap().unwrap().name().unwrap(), "second");

        first.end(Ending::InOrder).unwrap();
        assert_eq!(moved.name().unwrap(), "second", "after an orderly end");

        // Killed while it is called: not called again, but found elsewhere then.
        let directory = tempfile::tempdir().unwrap();
        let log = directory.path().join("log");
        let (its_moved, its_log) = (moved.clone(), log.to_str().unwrap().to_owned());
        let call = std::thread::spawn(move || its_moved.work(&its_log, 50_000));
        while !log.exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        forwards.r#move(Some(&own)).unwrap();
        second.end(Ending::Sudden).unwrap();
        let lost = call.join().unwrap().unwrap_err();
        assert_eq!(lost.kind, SystemExceptionKind::CommFailure);
        assert_eq!(lost.completed, CompletionStatus::Maybe);
        assert_eq!(moved.name().unwrap(), "taut", "after a sudden end");
        assert_eq!(std::fs::read_to_string(&log).unwrap(), "second\n");

        // Where everybody is gone, nothing has been done.
        forwarder.end(Ending::Sudden).unwrap();
        assert_eq!(moved.name().unwrap(), "taut");
        orb.shutdown(true).unwrap();
    })
    .unwrap();
    for scenario in ["forward", "lost_target"] {
        record(scenario, "taut", peer.name(), &version.to_string()).unwrap();
    }
}

#[test]
fn taut_follows_the_forwards_of_omniorb() {
    for version in VERSIONS {
        taut_follows(Peer::OmniOrb, version);
    }
}

#[test]
fn taut_follows_the_forwards_of_jacorb() {
    for version in VERSIONS {
        taut_follows(Peer::JacOrb, version);
    }
}

/// Asks a client for the name of the server to which a plain key leads.
fn name(client: &mut SessionClient, url: &str) -> String {
    client.ask(&format!("name {url}")).unwrap()
}

/// The same, asked again while the answer is that a connection was lost: JacORB
/// tells that to whoever calls first, even if nothing has been sent.
fn name_after_loss(client: &mut SessionClient, url: &str, peer: Peer) -> String {
    let answer = name(client, url);
    match peer == Peer::JacOrb && answer.starts_with("COMM_FAILURE") {
        true => name(client, url),
        false => answer,
    }
}

/// A plain key of Taut's sends another ORB's calls on.
fn follows_taut(peer: Peer) {
    let Some(client) = peer.client() else {
        return;
    };
    let mut client = client.call().unwrap();
    let forwarder = orb(Version::V1_2);
    // Makes it a server.
    forwarder.root_poa().unwrap();
    let address = forwarder.published_addresses()[0].clone();
    for version in VERSIONS {
        let (first, second) = (taut_server("first"), taut_server("second"));
        let key = format!("Moved{version}");
        let to = |server: &SessionServer| {
            let target = forwarder.string_to_object(server.reference()).unwrap();
            forwarder.bind_object_key(&key, &target);
        };
        let url = format!("corbaloc:iiop:{version}@{address}/{key}");
        to(&first);
        assert_eq!(name(&mut client, &url), "first", "GIOP {version}");
        to(&second);
        assert_eq!(name(&mut client, &url), "first", "GIOP {version}");
        first.end(Ending::Sudden).unwrap();
        let found = name_after_loss(&mut client, &url, peer);
        assert_eq!(found, "second", "GIOP {version}");
        second.end(Ending::InOrder).unwrap();
        let third = taut_server("third");
        to(&third);
        let found = name_after_loss(&mut client, &url, peer);
        assert_eq!(found, "third", "GIOP {version}");
        record("lost_target", peer.name(), "taut", &version.to_string()).unwrap();
    }
    forwarder.shutdown(true).unwrap();
}

#[test]
fn omniorb_goes_back_to_a_plain_key_when_its_object_dies() {
    follows_taut(Peer::OmniOrb);
}

#[test]
fn jacorb_goes_back_to_a_plain_key_when_its_object_dies() {
    follows_taut(Peer::JacOrb);
}

#[test]
fn jacorb_says_by_locate_request_which_objects_there_are() {
    let Some(program) = Peer::JacOrb.server() else {
        return;
    };
    let port = free_port().unwrap();
    let server = program.port(port).serve().unwrap();
    within(TIME_OUT, move || {
        for version in VERSIONS {
            let orb = orb(version);
            let address = format!("corbaloc:iiop:{version}@127.0.0.1:{port}");
            let locate = |id: &str| {
                let url = format!("{address}/SessionServer/peers/{id}");
                let located = orb.string_to_object(&url).unwrap().locate();
                located.map_err(|exception| exception.kind)
            };
            assert_eq!(locate("session"), Ok(Located::Here), "GIOP {version}");
            // Where it can, JacORB says it by an exception.
            let unknown = match version {
                Version::V1_2 => Err(SystemExceptionKind::ObjectNotExist),
                _ => Ok(Located::Unknown),
            };
            assert_eq!(locate("nobody"), unknown, "GIOP {version}");
            record("locate", "taut", "jacorb", &version.to_string()).unwrap();
        }
    })
    .unwrap();
    server.end(Ending::InOrder).unwrap();
}

/// Another ORB asks where Taut's objects are before it calls them.
fn locates_objects_of_taut(peer: Peer, option: Option<&str>, unknown: &str) {
    let Some(mut client) = peer.client() else {
        return;
    };
    if let Some(option) = option {
        client = client.arg(option);
    }
    let mut client = client.call().unwrap();
    for version in VERSIONS {
        let server = orb(version);
        let own = serve_session(&server, "taut").unwrap();
        server.bind_object_key("Session", own.as_object());
        let relay = Relay::start(server.published_addresses()[0].port().unwrap()).unwrap();
        let address = format!("corbaloc:iiop:{version}@127.0.0.1:{}", relay.port());
        // The answer to the first is OBJECT_FORWARD.
        let found = name(&mut client, &format!("{address}/Session"));
        assert_eq!(found, "taut", "GIOP {version}");
        let asked = relay.there(MessageType::LocateRequest);
        assert_ne!(asked, 0, "GIOP {version}");
        assert_eq!(relay.back(MessageType::LocateReply), asked);
        assert_eq!(relay.there(MessageType::Request), 0, "GIOP {version}");
        let found = name(&mut client, &format!("{address}/Nobody"));
        assert!(found.starts_with(unknown), "{found}");
        assert_eq!(relay.there(MessageType::Request), 0, "GIOP {version}");
        record("locate", peer.name(), "taut", &version.to_string()).unwrap();
        server.shutdown(true).unwrap();
    }
}

#[test]
fn omniorb_locates_objects_of_taut() {
    locates_objects_of_taut(Peer::OmniOrb, None, "OBJECT_NOT_EXIST");
}

#[test]
fn jacorb_locates_objects_of_taut() {
    locates_objects_of_taut(Peer::JacOrb, Some("--locate"), "UNKNOWN");
}
