//! Hostile servers: what they do to those who call them.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use taut::{ConnectionSharing, Ior, Orb, Settings, SystemException, SystemExceptionKind};
use taut_cdr::Encode;
use taut_giop::message::ReplyStatus;

use crate::arena::{assert_told_of, turn, with_memory_below};
use crate::common::events;
use crate::common::raw::{Message, empty_reply, reply, url_at};
use crate::common::{Echo, EchoRef, client_with};

/// A server that answers every request with what it is told to.
struct HostileServer {
    port: u16,
    requests: &'static AtomicUsize,
}

impl HostileServer {
    /// `answer` gets the number of the request, its id, the server's port and
    /// the connection.
    fn start(
        answer: impl Fn(usize, u32, u16, &mut TcpStream) -> std::io::Result<()>
        + Send
        + Sync
        + Copy
        + 'static,
    ) -> Self {
        let listener = TcpListener::bind("0.0.0.0:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests: &AtomicUsize = Box::leak(Box::default());
        // Both end with their clients, the listener with the test.
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                thread::spawn(move || {
                    while let Ok(request) = Message::read(&mut stream) {
                        let number = requests.fetch_add(1, Ordering::SeqCst);
                        if answer(number, request.request_id(), port, &mut stream).is_err() {
                            break;
                        }
                    }
                });
            }
        });
        Self { port, requests }
    }

    fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }

    fn name(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    fn client(&self, adjust: impl FnOnce(&mut Settings)) -> EchoRef {
        client_with(&url_at(self.port), adjust)
    }
}

fn forward(request_id: u32, host: &str, port: u16) -> Vec<u8> {
    let url = format!("corbaloc:iiop:1.2@{host}:{port}/key");
    let orb = Orb::builder().build().unwrap();
    let there: Ior = orb.string_to_object(&url).unwrap().ior().clone();
    reply(request_id, ReplyStatus::LocationForward, |out| {
        there.encode(out).unwrap();
    })
}

fn failure(echo: &EchoRef) -> (SystemExceptionKind, String) {
    let error: SystemException = echo.ping().unwrap_err();
    (error.kind, error.to_string())
}

#[test]
fn a_server_that_forwards_to_itself_gets_a_few_requests_and_no_more() {
    let _turn = turn();
    events::restart();
    let server = HostileServer::start(|_, id, port, stream| {
        stream.write_all(&forward(id, "127.0.0.1", port))
    });
    let echo = server.client(|settings| settings.client.max_forwards = 5);
    for call in 1..=20 {
        let (kind, text) = failure(&echo);
        assert_eq!(kind, SystemExceptionKind::Transient);
        assert!(text.contains("forwarded too often"), "{text}");
        assert_eq!(server.requests(), 6 * call);
    }
    assert_told_of([&*server.name()], "max_forwards");
}

#[test]
fn a_server_that_forwards_to_ever_new_addresses_leaves_few_connections() {
    const CALLS: usize = 300;
    let _turn = turn();
    // All of 127.0.0.0/8 is this machine.
    let server = HostileServer::start(|number, id, port, stream| match number % 2 {
        0 => {
            let host = format!("127.0.{}.{}", 1 + number / 200, 1 + number % 200);
            stream.write_all(&forward(id, &host, port))
        }
        _ => stream.write_all(&reply(id, ReplyStatus::SystemException, |out| {
            // After this the client asks the original reference again.
            "IDL:omg.org/CORBA/OBJECT_NOT_EXIST:1.0"
                .encode(out)
                .unwrap();
            0_u32.encode(out).unwrap();
            1_u32.encode(out).unwrap();
        })),
    });
    let echo = server.client(|settings| {
        settings.client.max_forwards = 1;
        settings.client.max_idle_endpoints = 10;
    });
    let descriptors = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let before = descriptors();
    for _ in 0..CALLS {
        echo.ping().unwrap_err();
    }
    assert!(server.requests() > CALLS);
    // Both ends of each connection are in this process.
    let open = || descriptors().saturating_sub(before);
    crate::common::eventually("the end of connections nobody needs", || open() <= 2 * 12);
}

#[test]
fn a_server_that_asks_for_one_form_of_the_target_and_then_another_is_not_obeyed_for_ever() {
    let _turn = turn();
    let server = HostileServer::start(|number, id, _, stream| {
        let mode = (number % 2 == 0) as u16;
        let message = reply(id, ReplyStatus::NeedsAddressingMode, |out| {
            mode.encode(out).unwrap();
        });
        stream.write_all(&message)
    });
    let echo = server.client(|settings| settings.client.max_forwards = 5);
    assert_eq!(failure(&echo).0, SystemExceptionKind::Transient);
    assert!(server.requests() <= 7, "{}", server.requests());
}

/// Replies to nobody, until the client has enough.
fn stray_replies(
    sharing: ConnectionSharing,
    adjust: impl Fn(&mut Settings),
) -> (HostileServer, EchoRef) {
    let server = HostileServer::start(|_, id, _, stream| {
        let stray = empty_reply(id.wrapping_add(1_000_001));
        let many = stray.repeat(100);
        loop {
            stream.write_all(&many)?;
        }
    });
    let echo = server.client(|settings| {
        settings.client.connection_sharing = sharing;
        adjust(settings);
    });
    (server, echo)
}

#[test]
fn replies_to_nobody_end_the_connection_when_there_are_too_many() {
    let _turn = turn();
    for sharing in [ConnectionSharing::Exclusive, ConnectionSharing::Shared] {
        events::restart();
        let (server, echo) =
            stray_replies(sharing, |settings| settings.client.max_stray_replies = 500);
        with_memory_below(1 << 20, || {
            for call in 1..=5 {
                assert_eq!(failure(&echo).0, SystemExceptionKind::CommFailure);
                assert_eq!(server.requests(), call);
            }
        });
        assert_told_of([&*server.name()], "max_stray_replies");
        assert_eq!(events::with("max_stray_replies").len(), 5);
    }
}

#[test]
fn replies_to_nobody_give_a_call_no_further_time() {
    let _turn = turn();
    for sharing in [ConnectionSharing::Exclusive, ConnectionSharing::Shared] {
        let (_server, echo) = stray_replies(sharing, |settings| {
            settings.client.max_stray_replies = usize::MAX;
            settings.client.call_timeout = Some(Duration::from_millis(200));
        });
        assert_eq!(failure(&echo).0, SystemExceptionKind::Timeout);
    }
}

#[test]
fn a_few_replies_to_nobody_are_passed_over() {
    let _turn = turn();
    for sharing in [ConnectionSharing::Exclusive, ConnectionSharing::Shared] {
        let server = HostileServer::start(|_, id, _, stream| {
            let stray = empty_reply(id.wrapping_add(1));
            stream.write_all(&stray.repeat(50))?;
            stream.write_all(&empty_reply(id))
        });
        let echo = server.client(|settings| settings.client.connection_sharing = sharing);
        for _ in 0..100 {
            echo.ping().unwrap();
        }
        assert_eq!(server.requests(), 100);
    }
}

#[test]
fn a_reply_that_trickles_ends_with_the_time_of_its_call() {
    let _turn = turn();
    let server = HostileServer::start(|_, id, _, stream| {
        stream.set_nodelay(true)?;
        for octet in empty_reply(id) {
            stream.write_all(&[octet])?;
            thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    });
    let timeout = Some(Duration::from_millis(200));
    let echo = server.client(|settings| settings.client.call_timeout = timeout);
    assert_eq!(failure(&echo).0, SystemExceptionKind::Timeout);
}

#[test]
fn a_reply_that_promises_much_gets_no_memory_for_it() {
    let _turn = turn();
    let server = HostileServer::start(|_, _, _, stream| {
        stream.write_all(b"GIOP\x01\x02\x01\x01\x00\x00\xff\x00")?;
        Err(std::io::ErrorKind::Other.into())
    });
    let echo = server.client(|_| ());
    with_memory_below(512 * 1024, || {
        for _ in 0..20 {
            assert_eq!(failure(&echo).0, SystemExceptionKind::CommFailure);
        }
    });
}
