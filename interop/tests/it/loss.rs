//! Servers that end while a client of another ORB waits for a reply: what the
//! client is told, that nothing is carried out twice, and that the next call finds
//! the next server.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::process::Command;
use std::thread;
use std::time::Duration;

use taut::{BidirectionalPolicy, CompletionStatus, ConnectionSharing, Orb, SystemExceptionKind};
use taut_interop::session_test::{Ending, ExecutionLog, Peer, Session, SessionRef, SessionServer};
use taut_interop::{record, within};
use test_tools::free_port;

const TIME_OUT: Duration = Duration::from_secs(60);

/// How long a call lasts whose server is killed meanwhile.
const LONG_MS: u32 = 50_000;

/// How long a call lasts whose server ends in order meanwhile.
const SHORT_MS: u32 = 500;

/// Taut calls, and the server ends in the middle of it.
fn taut_loses_its_server(peer: Peer, orb: &Orb) {
    if peer.server().is_none() {
        return;
    }
    let port = free_port().unwrap();
    let start = || peer.server().unwrap().port(port).serve().unwrap();
    let mut server = start();
    let object = orb.string_to_object(server.reference()).unwrap();
    let session: SessionRef = object.unchecked_narrow();
    let log = ExecutionLog::new().unwrap();
    let work = |pause_ms| {
        let (session, path) = (session.clone(), log.path().to_owned());
        thread::spawn(move || within(TIME_OUT, move || session.work(&path, pause_ms)).unwrap())
    };

    for round in 1..=2 {
        let before = log.executions();
        let call = work(LONG_MS);
        log.await_execution(before + 1).unwrap();
        server.end(Ending::Sudden).unwrap();
        let lost = call.join().unwrap().unwrap_err();
        assert_eq!(lost.kind, SystemExceptionKind::CommFailure, "round {round}");
        assert_eq!(lost.completed, CompletionStatus::Maybe, "round {round}");

        server = start();
        assert_eq!(work(0).join().unwrap(), Ok(()), "round {round}");
        assert_eq!(log.executions(), before + 2, "round {round}");
    }

    let before = log.executions();
    let call = work(SHORT_MS);
    log.await_execution(before + 1).unwrap();
    server.end(Ending::InOrder).unwrap();
    assert_eq!(call.join().unwrap(), Ok(()), "a server that ends in order");
    server = start();
    assert_eq!(work(0).join().unwrap(), Ok(()), "after it");
    assert_eq!(log.executions(), before + 2);
    server.end(Ending::InOrder).unwrap();
    record("lost_server", "taut", peer.name(), "1.2").unwrap();
}

/// Each call on a connection of its own; all on one; on one that is read by the
/// server's reactor.
fn clients() -> [Orb; 3] {
    let shared = taut_interop::over_the_wire().settings(|settings| {
        settings.client.connection_sharing = ConnectionSharing::Shared;
    });
    let both_ways = taut_interop::over_the_wire().settings(|settings| {
        settings.wire.bidirectional = BidirectionalPolicy::Both;
    });
    let both_ways = both_ways.listen("127.0.0.1:0").unwrap().build().unwrap();
    // From here on it is a server.
    both_ways.root_poa().unwrap();
    [
        taut_interop::over_the_wire().build().unwrap(),
        shared.build().unwrap(),
        both_ways,
    ]
}

#[test]
fn a_taut_client_loses_its_omniorb_server() {
    for client in clients() {
        taut_loses_its_server(Peer::OmniOrb, &client);
    }
}

#[test]
fn a_taut_client_loses_its_jacorb_server() {
    for client in clients() {
        taut_loses_its_server(Peer::JacOrb, &client);
    }
}

/// The other ORB calls, and Taut's server ends in the middle of it.
fn loses_its_taut_server(peer: Peer) {
    let Some(client) = peer.client() else {
        return;
    };
    let port = free_port().unwrap();
    let start = |name: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_session_server"));
        SessionServer::start(command.args([&port.to_string(), name])).unwrap()
    };
    let mut server = start("first");
    // After a forward, omniORB itself repeats a call that was lost, though it may
    // have been carried out; so the reference, not the plain key.
    let reference = server.reference().to_owned();
    let url = format!("corbaloc:iiop:1.2@127.0.0.1:{port}/Session");
    let mut client = client.call().unwrap();
    let log = ExecutionLog::new().unwrap();
    let work = |url: &str, pause_ms: u32| format!("work {url} {} {pause_ms}", log.path());

    assert_eq!(client.ask(&format!("name {url}")).unwrap(), "first");
    client.begin(&work(&reference, LONG_MS)).unwrap();
    log.await_execution(1).unwrap();
    server.end(Ending::Sudden).unwrap();
    let lost = client.outcome().unwrap();
    assert!(lost.starts_with("COMM_FAILURE"), "{lost}");
    assert!(lost.contains("COMPLETED_MAYBE"), "{lost}");
    assert_eq!(log.executions(), 1);

    server = start("second");
    assert_eq!(client.ask(&format!("name {url}")).unwrap(), "second");
    client.begin(&work(&url, SHORT_MS)).unwrap();
    log.await_execution(2).unwrap();
    server.end(Ending::InOrder).unwrap();
    assert_eq!(client.outcome().unwrap(), "done");

    server = start("third");
    assert_eq!(client.ask(&format!("name {url}")).unwrap(), "third");
    assert_eq!(client.ask(&work(&url, 0)).unwrap(), "done");
    assert_eq!(log.executions(), 3);
    server.end(Ending::InOrder).unwrap();
    record("lost_server", peer.name(), "taut", "1.2").unwrap();
}

#[test]
fn an_omniorb_client_loses_its_taut_server() {
    loses_its_taut_server(Peer::OmniOrb);
}

#[test]
fn a_jacorb_client_loses_its_taut_server() {
    loses_its_taut_server(Peer::JacOrb);
}
