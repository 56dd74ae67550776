//! Other ORBs see a component that they do not know.

use std::time::Duration;

use taut::{Orb, Reference as _};
use taut_interop::session_test::{Peer, Session, SessionRef, serve_listener, serve_session};
use taut_interop::within;

const TIME_OUT: Duration = Duration::from_secs(60);

fn orb() -> Orb {
    Orb::builder()
        .settings(|settings| {
            settings.wire.operation_handles = true;
            settings.client.call_timeout = Some(TIME_OUT);
        })
        .listen("127.0.0.1:0")
        .and_then(taut::OrbBuilder::build)
        .unwrap()
}

/// Their clients call objects whose references have handles.
fn called_by(peer: Peer) {
    let Some(client) = peer.client() else {
        return;
    };
    let mut client = client.call().unwrap();
    let orb = orb();
    let session = serve_session(&orb, "with handles").unwrap();
    assert!(super::handles_of(session.as_object()).is_some());
    let url = session.as_object().to_string();
    for _ in 0..2 {
        let answer = client.ask(&format!("name {url}")).unwrap();
        assert_eq!(answer, "with handles");
    }
    orb.shutdown(true).unwrap();
}

/// Their servers are called by clients that would use handles; what is passed to them
/// has some, comes back and is called.
fn calls(peer: Peer) {
    let Some(server) = peer.server() else {
        return;
    };
    let server = server.name("without").serve().unwrap();
    within(TIME_OUT, move || {
        let orb = orb();
        let own = serve_session(&orb, "own").unwrap();
        let object = orb.string_to_object(server.reference()).unwrap();
        let session: SessionRef = object.unchecked_narrow();
        assert_eq!(super::handles_of(session.as_object()), None);
        for _ in 0..3 {
            assert_eq!(session.name().unwrap(), "without");
        }
        // It calls the listener, which calls it.
        let (listener, _) = serve_listener(&orb, session.clone()).unwrap();
        assert_eq!(session.tell(Some(&listener), 2).unwrap(), 5);
        // It forwards to an object whose reference it was given.
        session.r#move(Some(&own)).unwrap();
        let moved = session.moved().unwrap().unwrap();
        for _ in 0..3 {
            assert_eq!(moved.name().unwrap(), "own");
        }
        orb.shutdown(true).unwrap();
    })
    .unwrap();
}

#[test]
fn omniorb_calls_an_object_whose_reference_has_handles() {
    called_by(Peer::OmniOrb);
}

#[test]
fn jacorb_calls_an_object_whose_reference_has_handles() {
    called_by(Peer::JacOrb);
}

#[test]
fn omniorb_is_called_by_who_would_use_handles() {
    calls(Peer::OmniOrb);
}

#[test]
fn jacorb_is_called_by_who_would_use_handles() {
    calls(Peer::JacOrb);
}
