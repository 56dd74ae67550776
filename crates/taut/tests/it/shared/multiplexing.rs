//! Requests of one connection that must be carried out at the same time.

use std::thread;
use std::time::Duration;

use super::MODE;
use crate::common::raw::{PATIENCE, RawClient, Request};
use crate::common::volley::players;
use crate::common::{Echo, EchoError, Misbehaviour, Server, eventually};
use taut::codegen::Encode;
use taut::{Reference, Settings, Version};
use taut_giop::message::MessageType;

fn play(adjust: impl Fn(&mut Settings)) {
    let (one, _other) = players(MODE, adjust);
    for depth in [1, 2, 9, 12] {
        let text = ">".repeat(depth);
        let back = one.servant.echo(&text).unwrap();
        assert_eq!(back, "<".repeat(depth));
    }
}

#[test]
fn calls_that_nest_go_over_one_connection_each_way() {
    play(|settings| settings.server.max_connections_per_peer = 1);
}

#[test]
fn calls_that_nest_are_served_by_a_reactor_too() {
    play(|settings| {
        settings.server.connection_threads = 0;
        settings.server.max_connections_per_peer = 1;
    });
}

/// Found with calls that nest: where no thread was left, they waited for ever.
#[test]
fn calls_that_nest_deeper_than_there_are_threads_end_with_the_setting() {
    for connection_threads in [64, 0] {
        let (one, _other) = players(MODE, |settings| {
            settings.server.connection_threads = connection_threads;
            settings.server.reactor_threads = 1;
            settings.server.max_reactor_threads = 4;
        });
        for _ in 0..2 {
            assert_eq!(one.servant.echo(">>>>>>>>").unwrap(), "<<<<<<<<");
            let too_deep = one.servant.echo(&">".repeat(40)).unwrap_err();
            let EchoError::System(exception) = too_deep else {
                panic!("{too_deep:?}");
            };
            let text = exception.to_string();
            assert!(
                text.starts_with("NO_RESOURCES: ") && text.contains("max_reactor_threads"),
                "{text}"
            );
        }
    }
}

#[test]
fn calls_nest_as_deeply_as_there_are_threads_by_default() {
    let (one, _other) = players(MODE, |_| ());
    let text = ">".repeat(120);
    assert_eq!(one.servant.echo(&text).unwrap(), "<".repeat(120));
    // Deeper, they come to an end as well.
    one.servant.echo(&">".repeat(300)).unwrap_err();
    assert_eq!(one.servant.echo(">>").unwrap(), "<<");
}

#[test]
fn calls_nest_as_deeply_as_the_setting_says_and_no_deeper() {
    let (one, _other) = players(MODE, |settings| {
        settings.server.max_requests_per_connection = 2;
        settings.client.call_timeout = Some(Duration::from_secs(3));
    });
    // Two of these are carried out by each side at once.
    assert_eq!(one.servant.echo(">>>>").unwrap(), "<<<<");
    let too_deep = one.servant.echo(">>>>>>").unwrap_err();
    let EchoError::System(exception) = too_deep else {
        panic!("{too_deep:?}");
    };
    assert_eq!(exception.kind, taut::SystemExceptionKind::Timeout);
}

/// A request in GIOP 1.0, which is read by the general reader; one in GIOP 1.2
/// would be read by its octets.
fn request(server: &Server, id: u32, operation: &str) -> Vec<u8> {
    let request = Request {
        version: Version::V1_0,
        ..Request::new(id, operation)
    };
    request.to(server.echo.as_object(), |out| {
        if operation == "misbehave" {
            (Misbehaviour::Blocks as u32).encode(out).unwrap();
        }
    })
}

/// Connections with threads of their own, and those that share.
fn servers() -> [Server; 2] {
    [64, 0].map(|threads| MODE.server_with(|settings| settings.server.connection_threads = threads))
}

#[test]
fn what_was_read_together_with_a_request_that_blocks_is_carried_out() {
    for server in servers() {
        let mut raw = RawClient::connect(&server.orb);
        // More behind the blocking request than itself, and the last in halves.
        let last = request(&server, 4, "ping");
        raw.send(
            &[
                request(&server, 1, "misbehave"),
                request(&server, 2, "ping"),
                request(&server, 3, "ping"),
                last[..20].to_vec(),
            ]
            .concat(),
        );
        server.entered.recv_timeout(PATIENCE).unwrap();
        raw.receive_reply(2);
        raw.receive_reply(3);
        raw.send(&last[20..]);
        raw.receive_reply(4);
        server.release.send(()).unwrap();
        raw.receive_reply(1);
        // And less behind it.
        raw.send(&[request(&server, 5, "misbehave"), last[..20].to_vec()].concat());
        server.entered.recv_timeout(PATIENCE).unwrap();
        raw.send(&last[20..]);
        raw.receive_reply(4);
        server.release.send(()).unwrap();
        raw.receive_reply(5);
    }
}

#[test]
fn the_id_of_a_request_under_way_cannot_be_used_again() {
    for server in servers() {
        let mut raw = RawClient::connect(&server.orb);
        raw.send(&request(&server, 7, "misbehave"));
        server.entered.recv_timeout(PATIENCE).unwrap();
        raw.send(&request(&server, 7, "ping"));
        assert_eq!(raw.receive_type(), Some(MessageType::MessageError));
        server.release.send(()).unwrap();
        assert_eq!(raw.receive(), None);
    }
}

#[test]
fn a_closing_connection_waits_for_all_that_is_under_way() {
    for server in servers() {
        let mut raw = RawClient::connect(&server.orb);
        raw.send(&request(&server, 1, "misbehave"));
        server.entered.recv_timeout(PATIENCE).unwrap();
        raw.send(&request(&server, 2, "ping"));
        raw.receive_reply(2);
        thread::scope(|scope| {
            let ending = scope.spawn(|| server.orb.shutdown(true));
            thread::sleep(Duration::from_millis(50));
            server.release.send(()).unwrap();
            raw.receive_reply(1);
            assert_eq!(raw.receive_type(), Some(MessageType::CloseConnection));
            assert_eq!(raw.receive(), None);
            drop(raw);
            ending.join().unwrap().unwrap();
        });
    }
}

#[test]
fn a_server_ends_only_when_the_servants_of_clients_that_are_gone_have_ended() {
    for server in servers() {
        let mut raw = RawClient::connect(&server.orb);
        raw.send(&request(&server, 1, "misbehave"));
        server.entered.recv_timeout(PATIENCE).unwrap();
        raw.send(&request(&server, 2, "ping"));
        raw.receive_reply(2);
        drop(raw);
        thread::sleep(Duration::from_millis(50));
        thread::scope(|scope| {
            let ending = scope.spawn(|| server.orb.shutdown(true));
            thread::sleep(Duration::from_millis(100));
            assert!(!ending.is_finished());
            server.release.send(()).unwrap();
            ending.join().unwrap().unwrap();
        });
    }
}

#[test]
fn calls_nest_in_a_oneway() {
    let (one, other) = players(MODE, |_| ());
    // The oneway's servant calls back, and the callback calls once more.
    let peer = one.servant.peer.lock().clone().unwrap();
    peer.note(">>>>").unwrap();
    eventually("the end of the oneway", || {
        !other.servant.noted.lock().is_empty()
    });
    assert_eq!(*other.servant.noted.lock(), [Ok("<<<<".to_owned())]);
}
