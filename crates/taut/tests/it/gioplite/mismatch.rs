//! Two ORBs of which one speaks GIOPlite and the other GIOP.

use std::io::Write as _;
use std::thread;
use std::time::{Duration, Instant};

use taut::{CompletionStatus, Reference, Settings, SystemException, SystemExceptionKind, minor};

use super::lite;
use crate::common::mode::{Mode, for_each_mode};
use crate::common::raw::{Message, empty_reply};
use crate::common::{Echo, Server, client_with};

for_each_mode! {
    [tcp, shared] { a_peer_that_has_spoken_the_protocol_is_not_taken_for_one_of_the_other }
}

fn giop(_: &mut Settings) {}

/// The exception of a call to a server of the other protocol.
fn refused(result: taut::Result<()>) -> SystemException {
    let exception = result.unwrap_err();
    assert_eq!(
        (exception.kind, exception.minor, exception.completed),
        (
            SystemExceptionKind::InvPolicy,
            minor::OTHER_MESSAGING_PROTOCOL,
            CompletionStatus::No
        ),
        "{exception}"
    );
    assert!(
        exception.to_string().contains("-ORBgioplite"),
        "{exception}"
    );
    exception
}

#[test]
fn one_side_alone_gets_an_exception_that_names_the_remedy() {
    type Adjust = fn(&mut Settings);
    for (of_server, of_client) in [(giop as Adjust, lite as Adjust), (lite, giop)] {
        let server = Server::with(of_server);
        let echo = client_with(&server.ior(), of_client);
        let begun = Instant::now();
        refused(echo.ping());
        let located = echo.as_object().locate();
        refused(located.map(|_| ()));
        // Nothing waits for a time-out.
        assert!(begun.elapsed() < Duration::from_secs(10));
        // Those that speak the same are not concerned.
        client_with(&server.ior(), of_server).ping().unwrap();
    }
}

#[cfg(feature = "full")]
#[test]
fn one_side_alone_gets_it_on_shared_connections_and_from_a_reactor() {
    fn shared(settings: &mut Settings) {
        settings.client.connection_sharing = taut::ConnectionSharing::Shared;
        settings.server.connection_threads = 0;
    }
    type Adjust = fn(&mut Settings);
    for (of_server, of_client) in [(giop as Adjust, lite as Adjust), (lite, giop)] {
        let server = Server::with(|settings| {
            shared(settings);
            of_server(settings);
        });
        let echo = client_with(&server.ior(), |settings| {
            shared(settings);
            of_client(settings);
        });
        for _ in 0..3 {
            refused(echo.ping());
        }
    }
}

/// Servers that answer what they do not understand by closing.
#[test]
fn a_server_that_closes_at_the_first_request_may_not_know_gioplite() {
    let listening = Mode::tcp().listening();
    let echo = client_with(&listening.url(), lite);
    let call = thread::spawn(move || echo.ping());
    let mut stream = listening.accept();
    let mut octets = [0; 8];
    std::io::Read::read_exact(&mut stream, &mut octets).unwrap();
    drop(stream);
    let exception = call.join().unwrap().unwrap_err();
    // Nobody knows whether it has carried the request out.
    assert_eq!(
        (exception.kind, exception.minor, exception.completed),
        (
            SystemExceptionKind::CommFailure,
            minor::CONNECTION_LOST,
            CompletionStatus::Maybe
        )
    );
    assert!(
        exception.to_string().contains("-ORBgioplite"),
        "{exception}"
    );
}

/// Found by review: octets like those of the other protocol, in answer to a later request,
/// were taken for a sign that the servant had not run, and the call was made again.
fn a_peer_that_has_spoken_the_protocol_is_not_taken_for_one_of_the_other(mode: Mode) {
    let listening = mode.listening();
    let echo = mode.client(&listening.url());
    let calls = thread::spawn(move || {
        echo.ping().unwrap();
        echo.ping().unwrap_err()
    });
    let mut stream = listening.accept();
    let first = Message::read(&mut stream).unwrap();
    stream.write_all(&empty_reply(first.request_id())).unwrap();
    Message::read(&mut stream).unwrap();
    stream
        .write_all(&[1, 0x10, 0, 0, 0, 0, 0, 8, 0, 0, 0, 1])
        .unwrap();
    let exception = calls.join().unwrap();
    assert_eq!(
        (exception.kind, exception.minor, exception.completed),
        (
            SystemExceptionKind::CommFailure,
            minor::PROTOCOL_ERROR,
            CompletionStatus::Maybe
        ),
        "{exception}"
    );
    assert!(listening.is_deserted());
}
