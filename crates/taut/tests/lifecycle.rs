//! The end of ORBs and of connections, and what happens to calls then.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use common::{Echo, EchoRef, EchoSkeleton, Misbehaviour, Server};
use taut::{CompletionStatus, Orb, Reference, SystemException, SystemExceptionKind};

const SHUT_DOWN: SystemException =
    SystemException::omg(SystemExceptionKind::BadInvOrder, 4, CompletionStatus::No);

#[test]
fn shutdown_waits_for_the_calls_that_run_and_answers_them() {
    let server = Server::start();
    let echo = server.client();
    let other = server.client();
    other.ping().unwrap();
    thread::scope(|scope| {
        let call = scope.spawn(|| echo.misbehave(Misbehaviour::Blocks));
        server.entered.recv().unwrap();
        let shutdown = scope.spawn(|| server.orb.shutdown(true));
        thread::sleep(Duration::from_millis(100));
        assert!(
            !shutdown.is_finished(),
            "shutdown did not wait for the running call"
        );
        server.release.send(()).unwrap();
        assert_eq!(call.join().unwrap(), Ok(()));
        shutdown.join().unwrap().unwrap();
    });
    // Run returns at once when all is over; the port is closed.
    server.orb.run();
    assert!(TcpStream::connect(("127.0.0.1", server.port())).is_err());
    for echo in [echo, other] {
        let refused = echo.ping().unwrap_err();
        assert_eq!(refused.kind, SystemExceptionKind::Transient);
        assert_eq!(refused.completed, CompletionStatus::No);
    }
    assert_eq!(server.echo.ping(), Err(SHUT_DOWN));
    assert!(server.orb.root_poa().is_err());
    assert_eq!(server.orb.shutdown(true), Ok(()));
}

#[test]
fn a_servant_cannot_wait_for_its_own_end_but_can_begin_it() {
    struct Ender(Orb);
    impl Echo for Ender {
        fn ping(&self) -> taut::Result<()> {
            let deadlock =
                SystemException::omg(SystemExceptionKind::BadInvOrder, 3, CompletionStatus::No);
            assert_eq!(self.0.shutdown(true), Err(deadlock));
            self.0.shutdown(false)
        }
        fn echo(&self, _: &str) -> Result<String, common::EchoError> {
            Ok(String::new())
        }
        fn note(&self, _: &str) -> taut::Result<()> {
            Ok(())
        }
        fn notes(&self) -> taut::Result<u32> {
            Ok(0)
        }
        fn myself(&self) -> taut::Result<Option<EchoRef>> {
            Ok(None)
        }
        fn misbehave(&self, _: Misbehaviour) -> taut::Result<()> {
            Ok(())
        }
    }
    let orb = Orb::builder()
        .listen("127.0.0.1:0")
        .unwrap()
        .build()
        .unwrap();
    let poa = orb.root_poa().unwrap();
    let echo = poa
        .activate(EchoSkeleton(std::sync::Arc::new(Ender(orb.clone()))))
        .unwrap();
    poa.manager().activate().unwrap();
    common::client(&echo.as_object().to_string())
        .ping()
        .unwrap();
    orb.run();
}

#[cfg(feature = "poa-managers")]
#[test]
fn shutdown_wakes_the_requests_that_a_holding_manager_keeps() {
    let server = Server::start();
    server.poa.manager().hold_requests(false).unwrap();
    let echo = server.client();
    thread::scope(|scope| {
        let call = scope.spawn(|| echo.ping());
        thread::sleep(Duration::from_millis(50));
        server.orb.shutdown(true).unwrap();
        let refused = call.join().unwrap().unwrap_err();
        assert_eq!(refused.completed, CompletionStatus::No, "{refused}");
    });
}

/// Accepts a connection and answers each request that it reads with the next
/// of `answers`, closing at the end. Returns how many requests it saw.
fn scripted(listener: &TcpListener, answers: &[&[u8]]) -> usize {
    let (mut stream, _) = listener.accept().unwrap();
    let mut requests = 0;
    let mut octets = [0; 4096];
    for answer in answers {
        let count = stream.read(&mut octets).unwrap();
        if count == 0 {
            break;
        }
        requests += 1;
        let mut answer = answer.to_vec();
        // A reply carries the request's id, which follows the header in GIOP 1.2.
        if answer.len() >= 16 && octets[5] == 2 {
            answer[12..16].copy_from_slice(&octets[12..16]);
        }
        stream.write_all(&answer).unwrap();
    }
    requests
}

const CLOSE: &[u8] = b"GIOP\x01\x02\x01\x05\0\0\0\0";
const EMPTY_REPLY: &[u8] = b"GIOP\x01\x02\x01\x01\x0c\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

/// A reference into the void at a port.
fn reference_to(port: u16) -> EchoRef {
    common::client(&format!("corbaloc:iiop:1.2@127.0.0.1:{port}/key"))
}

#[test]
fn a_call_that_close_connection_answers_is_sent_again() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::scope(|scope| {
        let script = scope.spawn(|| {
            let first = scripted(&listener, &[EMPTY_REPLY, CLOSE]);
            (first, scripted(&listener, &[EMPTY_REPLY]))
        });
        let echo = reference_to(port);
        assert_eq!(echo.ping(), Ok(()));
        assert_eq!(echo.ping(), Ok(()), "the second call was not sent again");
        assert_eq!(script.join().unwrap(), (2, 1));
    });
}

#[test]
fn a_call_is_never_sent_again_when_it_may_have_been_executed() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::scope(|scope| {
        let script = scope.spawn(|| scripted(&listener, &[EMPTY_REPLY, b""]));
        let echo = reference_to(port);
        assert_eq!(echo.ping(), Ok(()));
        let lost = echo.ping().unwrap_err();
        assert_eq!(lost.kind, SystemExceptionKind::CommFailure);
        assert_eq!(lost.completed, CompletionStatus::Maybe);
        assert_eq!(script.join().unwrap(), 2);
        listener.set_nonblocking(true).unwrap();
        assert!(listener.accept().is_err(), "the call was sent again");
    });
}

#[test]
fn an_idle_connection_that_died_is_replaced_before_a_call_uses_it() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::scope(|scope| {
        // The server goes away between two calls without a word, as when it
        // crashes and starts anew.
        let script = scope.spawn(|| {
            (
                scripted(&listener, &[EMPTY_REPLY]),
                scripted(&listener, &[EMPTY_REPLY]),
            )
        });
        let echo = reference_to(port);
        assert_eq!(echo.ping(), Ok(()));
        thread::sleep(Duration::from_millis(100));
        assert_eq!(echo.ping(), Ok(()));
        assert_eq!(script.join().unwrap(), (1, 1));
    });
}

#[test]
fn asking_where_an_object_is_survives_the_end_of_an_idle_connection_too() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let here = b"GIOP\x01\x02\x01\x04\x08\0\0\0\0\0\0\0\x01\0\0\0";
    thread::scope(|scope| {
        scope.spawn(|| (scripted(&listener, &[here]), scripted(&listener, &[here])));
        let echo = reference_to(port);
        for _ in 0..2 {
            assert_eq!(echo.as_object().locate(), Ok(taut::Located::Here));
            thread::sleep(Duration::from_millis(100));
        }
    });
}

#[test]
fn a_server_that_closes_says_so_and_waits_for_the_client() {
    let server = Server::start();
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    thread::sleep(Duration::from_millis(50));
    thread::scope(|scope| {
        let shutdown = scope.spawn(|| server.orb.shutdown(true));
        let mut octets = Vec::new();
        stream.read_to_end(&mut octets).unwrap();
        assert_eq!(octets[..4], *b"GIOP");
        assert_eq!(octets[7..], [5, 0, 0, 0, 0], "not a CloseConnection");
        drop(stream);
        shutdown.join().unwrap().unwrap();
    });
}

#[test]
fn reconnecting_clients_find_a_restarted_server() {
    let first = Server::start();
    let port = first.port();
    first.orb.bind_object_key("Echo", first.echo.as_object());
    let echo = common::client(&format!("corbaloc:iiop:1.2@127.0.0.1:{port}/Echo"));
    echo.ping().unwrap();
    first.orb.shutdown(true).unwrap();
    assert!(echo.ping().is_err());

    let builder = Orb::builder().listen(&format!("127.0.0.1:{port}")).unwrap();
    let second = Server::start_with(builder);
    second.orb.bind_object_key("Echo", second.echo.as_object());
    // The forward of the first server's life is dead; the plain key is not.
    echo.ping().unwrap();
}

#[test]
fn as_many_connections_as_allowed_and_no_more() {
    let server = Server::start();
    let orb = Orb::builder()
        .settings(|settings| {
            settings.max_connections_per_endpoint = 1;
            settings.connection_wait = Duration::from_millis(50);
        })
        .build()
        .unwrap();
    let echo: EchoRef = orb
        .string_to_object(&server.ior())
        .unwrap()
        .unchecked_narrow();
    thread::scope(|scope| {
        let call = scope.spawn(|| echo.misbehave(Misbehaviour::Blocks));
        server.entered.recv().unwrap();
        let refused = echo.ping().unwrap_err();
        assert_eq!(
            refused.to_string(),
            "TRANSIENT: all connections to the endpoint are in use (Taut minor 33), COMPLETED_NO"
        );
        server.release.send(()).unwrap();
        call.join().unwrap().unwrap();
    });
    echo.ping().unwrap();
}

#[test]
fn a_call_ends_by_its_time_out_however_the_reply_trickles_in() {
    let timeout = Duration::from_millis(100);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let orb = Orb::builder()
        .settings(|settings| settings.call_timeout = Some(timeout))
        .build()
        .unwrap();
    let url = format!("corbaloc:iiop:1.2@127.0.0.1:{port}/key");
    let echo: EchoRef = orb.string_to_object(&url).unwrap().unchecked_narrow();
    thread::scope(|scope| {
        scope.spawn(|| {
            // Silent; then an octet at a time, too slow to come to an end.
            let silent = listener.accept().unwrap();
            let (mut slow, _) = listener.accept().unwrap();
            for octet in EMPTY_REPLY {
                if slow.write_all(&[*octet]).is_err() {
                    break;
                }
                thread::sleep(timeout / 4);
            }
            drop(silent);
            // In time, but not at once, and the connection is kept.
            let (mut good, _) = listener.accept().unwrap();
            for _ in 0..2 {
                let mut request = [0; 4096];
                let _ = good.read(&mut request).unwrap();
                let mut reply = EMPTY_REPLY.to_vec();
                reply[12..16].copy_from_slice(&request[12..16]);
                good.write_all(&reply[..10]).unwrap();
                thread::sleep(timeout / 4);
                good.write_all(&reply[10..]).unwrap();
            }
        });
        for _ in 0..2 {
            let ended = echo.ping().unwrap_err();
            assert_eq!(
                ended.to_string(),
                "TIMEOUT: the reply did not come in time (Taut minor 38), COMPLETED_MAYBE"
            );
        }
        assert_eq!(echo.ping(), Ok(()));
        assert_eq!(echo.ping(), Ok(()));
    });
}
