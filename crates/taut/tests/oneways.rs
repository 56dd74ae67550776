//! What oneways wait for.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;

use std::io::Read;
use std::net::TcpListener;
use std::sync::atomic::Ordering;
use std::time::Duration;

use common::raw::url_at;
use common::{Echo, Server, client_with, eventually, orb_and_client};
use taut::{CompletionStatus, Orb, Reference, SyncScope, SystemExceptionKind, Version};

const PATIENCE: Duration = Duration::from_secs(10);

#[test]
fn each_scope_brings_all_oneways_in_their_order() {
    for version in [Version::V1_0, Version::V1_1, Version::V1_2] {
        for scope in [
            SyncScope::None,
            SyncScope::WithTransport,
            SyncScope::WithServer,
            SyncScope::WithTarget,
        ] {
            let server = Server::start();
            let (orb, echo) = orb_and_client(&server.ior(), |settings| {
                settings.sync_scope = scope;
                settings.giop_version = version;
            });
            for number in 0..300 {
                echo.note(&number.to_string()).unwrap();
            }
            if scope == SyncScope::WithTarget {
                assert_eq!(server.servant.notes.load(Ordering::SeqCst), 300);
            }
            orb.shutdown(true).unwrap();
            eventually("the last oneway", || {
                server.servant.notes.load(Ordering::SeqCst) == 300
            });
        }
    }
}

#[test]
fn a_scope_is_the_references_own() {
    let server = Server::start();
    let echo = server.client();
    assert_eq!(echo.as_object().sync_scope(), SyncScope::WithTransport);
    let strict = echo.with_sync_scope(SyncScope::WithTarget);
    assert_eq!(strict.as_object().sync_scope(), SyncScope::WithTarget);
    assert_eq!(echo.as_object().sync_scope(), SyncScope::WithTransport);
    assert_eq!(echo, strict);
    strict.note("hello").unwrap();
    assert_eq!(server.servant.notes.load(Ordering::SeqCst), 1);
}

#[test]
fn an_object_that_does_not_exist_is_found_out_by_those_who_wait_for_it() {
    let server = Server::start();
    let id = server.poa.reference_to_id(server.echo.as_object()).unwrap();
    let echo = server.client();
    server.poa.deactivate_object(&id).unwrap();
    for scope in [
        SyncScope::None,
        SyncScope::WithTransport,
        SyncScope::WithServer,
    ] {
        echo.with_sync_scope(scope).note("hello").unwrap();
    }
    let refused = echo.with_sync_scope(SyncScope::WithTarget).note("hello");
    assert_eq!(
        refused.unwrap_err().kind,
        SystemExceptionKind::ObjectNotExist
    );
}

#[test]
fn with_server_is_answered_before_the_servant_is_called() {
    let server = Server::start();
    server.poa.manager().hold_requests().unwrap();
    let echo = server.client().with_sync_scope(SyncScope::WithServer);
    echo.note("hello").unwrap();
    assert_eq!(server.servant.notes.load(Ordering::SeqCst), 0);
    server.poa.manager().activate().unwrap();
    eventually("the oneway", || {
        server.servant.notes.load(Ordering::SeqCst) == 1
    });
}

#[test]
fn without_a_scope_nobody_waits_for_a_server_that_takes_nothing() {
    const LIMIT: usize = 50;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let echo = client_with(&url_at(port), |settings| {
        settings.sync_scope = SyncScope::None;
        settings.max_queued_oneways = LIMIT;
    });
    // Sockets hold less than this.
    let text = "x".repeat(200_000);
    let refused = (0..1_000).find_map(|_| echo.note(&text).err()).unwrap();
    assert_eq!(refused.kind, SystemExceptionKind::Transient);
    assert_eq!(refused.completed, CompletionStatus::No);
    assert!(
        refused.to_string().contains("too many oneways"),
        "{refused}"
    );

    // What was taken arrives once somebody reads.
    let (mut stream, _) = listener.accept().unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut octets = vec![0; LIMIT * text.len()];
    stream.read_exact(&mut octets).unwrap();
    assert!(octets.starts_with(b"GIOP\x01\x02"));
}

#[test]
fn without_a_scope_octets_have_a_limit_too() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let echo = client_with(&url_at(port), |settings| {
        settings.sync_scope = SyncScope::None;
        settings.max_queued_oneway_octets = 10_000;
    });
    echo.note(&"x".repeat(9_000)).unwrap();
    let refused = echo.note(&"x".repeat(10_000)).unwrap_err();
    assert_eq!(refused.kind, SystemExceptionKind::Transient);
}

#[test]
fn without_a_scope_a_server_that_comes_back_is_found() {
    let server = Server::start();
    let port = server.port();
    server.orb.bind_object_key("echo", server.echo.as_object());
    let url = format!("corbaloc:iiop:1.2@127.0.0.1:{port}/echo");
    let echo = client_with(&url, |settings| settings.sync_scope = SyncScope::None);
    // A plain key is forwarded, which a oneway cannot be: a call finds it first.
    echo.ping().unwrap();
    echo.note("first").unwrap();
    eventually("the first", || {
        server.servant.notes.load(Ordering::SeqCst) == 1
    });
    server.orb.shutdown(true).unwrap();
    // Nobody is there: this is lost, and nobody is told.
    echo.note("lost").unwrap();

    let builder = Orb::builder().listen(&format!("127.0.0.1:{port}")).unwrap();
    let server = Server::start_with(builder);
    server.orb.bind_object_key("echo", server.echo.as_object());
    echo.ping().unwrap();
    echo.note("again").unwrap();
    eventually("the one after", || {
        server.servant.notes.load(Ordering::SeqCst) == 1
    });
}

#[test]
fn without_a_scope_large_oneways_go_in_fragments() {
    let server = Server::start();
    let echo = client_with(&server.ior(), |settings| {
        settings.sync_scope = SyncScope::None;
        settings.fragment_size = 1_024;
    });
    echo.note(&"x".repeat(100_000)).unwrap();
    eventually("the oneway", || {
        server.servant.notes.load(Ordering::SeqCst) == 1
    });
}
