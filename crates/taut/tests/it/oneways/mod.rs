//! The scopes of oneways: the events that they wait for.

mod batches;
mod together;

use std::io::Read;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::common::raw::{self, PATIENCE, url_at};
use crate::common::{Echo, Server, client_with, eventually, orb_and_client, serve};
use parking_lot::Mutex;
use taut::{CompletionStatus, Orb, Reference, Settings, SyncScope, SystemExceptionKind, Version};
use test_tools::free_port;

const SCOPES: [SyncScope; 4] = [
    SyncScope::None,
    SyncScope::WithTransport,
    SyncScope::WithServer,
    SyncScope::WithTarget,
];

#[test]
fn all_oneways_of_each_scope_arrive_even_when_the_client_ends() {
    for version in [Version::V1_0, Version::V1_1, Version::V1_2] {
        for scope in SCOPES {
            let server = Server::start();
            let (orb, echo) = orb_and_client(&server.ior(), |settings| {
                settings.client.sync_scope = scope;
                settings.wire.giop_version = version;
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

/// A servant that writes down what it is told, the first of it slowly.
#[derive(Default)]
struct Scribe(Mutex<Vec<String>>);

impl Echo for Scribe {
    fn note(&self, text: &str) -> taut::Result<()> {
        if text == "0" {
            std::thread::sleep(SLOW);
        }
        self.0.lock().push(text.to_owned());
        Ok(())
    }
}

/// So long that another thread would carry out what follows meanwhile.
const SLOW: Duration = Duration::from_millis(100);

#[test]
fn oneways_keep_their_order_where_one_request_at_a_time_is_carried_out() {
    let expected: Vec<_> = (0..50).map(|number| number.to_string()).collect();
    for connection_threads in [64, 0] {
        for scope in SCOPES {
            let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
            let server = builder.settings(|settings| {
                settings.server.connection_threads = connection_threads;
                settings.server.max_requests_per_connection = 1;
            });
            let server = server.build().unwrap();
            let scribe = Arc::new(Scribe::default());
            let ior = serve(&server, &scribe).as_object().to_string();
            let echo = client_with(&ior, |settings| settings.client.sync_scope = scope);
            for text in &expected {
                echo.note(text).unwrap();
            }
            eventually("the last oneway", || {
                scribe.0.lock().len() == expected.len()
            });
            assert_eq!(
                *scribe.0.lock(),
                expected,
                "{scope:?}, {connection_threads} threads"
            );
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
    server.poa.manager().hold_requests(false).unwrap();
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
        settings.client.sync_scope = SyncScope::None;
        settings.client.max_queued_oneways = LIMIT;
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

    // A oneway that was taken arrives once somebody reads.
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
        settings.client.sync_scope = SyncScope::None;
        settings.client.max_queued_oneway_octets = 10_000;
    });
    echo.note(&"x".repeat(9_000)).unwrap();
    let refused = echo.note(&"x".repeat(10_000)).unwrap_err();
    assert_eq!(refused.kind, SystemExceptionKind::Transient);
}

#[test]
fn without_a_scope_a_server_that_comes_back_is_found() {
    let endpoint = format!("127.0.0.1:{}", free_port().unwrap());
    let builder = Orb::builder().listen(&endpoint).unwrap();
    let server = Server::start_with(builder);
    server.orb.bind_object_key("echo", server.echo.as_object());
    let url = format!("corbaloc:iiop:1.2@{endpoint}/echo");
    let echo = client_with(&url, |settings| {
        settings.client.sync_scope = SyncScope::None
    });
    // A plain key is forwarded, which a oneway cannot be: a call finds it first.
    echo.ping().unwrap();
    echo.note("first").unwrap();
    eventually("the first", || {
        server.servant.notes.load(Ordering::SeqCst) == 1
    });
    server.orb.shutdown(true).unwrap();
    // Nobody is there: this is lost, and nobody is told.
    echo.note("lost").unwrap();

    let builder = Orb::builder().listen(&endpoint).unwrap();
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
    let adjust = |settings: &mut Settings| {
        settings.client.sync_scope = SyncScope::None;
        settings.wire.fragment_size = 1_024;
    };
    let server = Server::start();
    let echo = client_with(&server.ior(), adjust);
    echo.note(&"x".repeat(100_000)).unwrap();
    eventually("the oneway", || {
        server.servant.notes.load(Ordering::SeqCst) == 1
    });

    // The octets of the oneway on its way.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let echo = client_with(&url_at(listener.local_addr().unwrap().port()), adjust);
    echo.note(&"x".repeat(100_000)).unwrap();
    let (mut stream, _) = listener.accept().unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let pieces = raw::read_pieces(&mut stream);
    assert!(pieces.len() >= 100_000 / 1_024, "{}", pieces.len());
    assert!(pieces.iter().all(|piece| piece.octets.len() <= 1_024));
}
