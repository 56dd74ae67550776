//! How many connections a client keeps, and for how long.

mod deadlines;
mod event_page;
mod failure_texts;

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use crate::common;
use crate::common::{Echo, EchoRef, Misbehaviour, Server};
use taut::{ConnectionSharing, Orb, Settings, SyncScope, SystemExceptionKind};

const PATIENCE: Duration = Duration::from_secs(10);
const IDLE: Duration = Duration::from_millis(200);

fn orb(adjust: impl FnOnce(&mut Settings)) -> Orb {
    Orb::builder().settings(adjust).build().unwrap()
}

fn find(orb: &Orb, url: &str) -> EchoRef {
    orb.string_to_object(url).unwrap().unchecked_narrow()
}

const GOODBYE: &[u8] = b"GIOP\x01\x02\x01\x05\0\0\0\0";

/// Answers one call.
fn answer(stream: &mut TcpStream) {
    answer_with(stream, b"");
}

/// Answers one call, and sends something else in the same piece.
fn answer_with(stream: &mut TcpStream, rest: &[u8]) {
    let mut header = [0; 12];
    stream.read_exact(&mut header).unwrap();
    let size = u32::from_ne_bytes(header[8..].try_into().unwrap());
    let mut body = vec![0; size as usize];
    stream.read_exact(&mut body).unwrap();
    let mut reply = b"GIOP\x01\x02\x01\x01\x0c\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0".to_vec();
    reply[12..16].copy_from_slice(&body[..4]);
    reply.extend(rest);
    stream.write_all(&reply).unwrap();
}

#[test]
fn a_connection_that_carries_no_call_is_closed_and_another_serves_the_next() {
    for sharing in [ConnectionSharing::Exclusive, ConnectionSharing::Shared] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let orb = orb(|settings| {
            settings.client.connection_sharing = sharing;
            settings.client.idle_timeout = Some(IDLE);
        });
        let echo = find(&orb, &format!("corbaloc:iiop:1.2@127.0.0.1:{port}/key"));
        thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..2 {
                    let (mut stream, _) = listener.accept().unwrap();
                    stream.set_read_timeout(Some(PATIENCE)).unwrap();
                    answer(&mut stream);
                    assert_eq!(stream.read(&mut [0]).unwrap(), 0);
                }
            });
            echo.ping().unwrap();
            thread::sleep(2 * IDLE);
            echo.ping().unwrap();
        });
    }
}

#[test]
fn a_connection_that_carries_calls_stays() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let orb = orb(|settings| {
        settings.client.idle_timeout = Some(IDLE);
        // Nobody answers on a second connection.
        settings.client.call_timeout = Some(PATIENCE);
    });
    let echo = find(&orb, &format!("corbaloc:iiop:1.2@127.0.0.1:{port}/key"));
    thread::scope(|scope| {
        scope.spawn(|| {
            let (mut stream, _) = listener.accept().unwrap();
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
            for _ in 0..20 {
                answer(&mut stream);
            }
            // One that takes long is a call too.
            thread::sleep(3 * IDLE);
            answer(&mut stream);
            listener.set_nonblocking(true).unwrap();
            assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
        });
        for _ in 0..20 {
            echo.ping().unwrap();
            thread::sleep(IDLE / 20);
        }
        echo.ping().unwrap();
    });
}

#[test]
fn the_connection_of_oneways_is_closed_too() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let orb = orb(|settings| {
        settings.client.idle_timeout = Some(IDLE);
        settings.client.sync_scope = SyncScope::None;
    });
    let echo = find(&orb, &format!("corbaloc:iiop:1.2@127.0.0.1:{port}/key"));
    echo.note("hello").unwrap();
    let (mut stream, _) = listener.accept().unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut octets = Vec::new();
    stream.read_to_end(&mut octets).unwrap();
    assert!(octets.starts_with(b"GIOP\x01\x02\x01\x00"));
}

#[test]
fn every_keep_alive_connects() {
    let server = Server::start();
    for keep_alive in [Duration::from_millis(500), Duration::from_secs(86_400)] {
        let orb = orb(|settings| settings.wire.keep_alive = Some(keep_alive));
        find(&orb, &server.ior()).ping().unwrap();
    }
}

/// How calls get to a server.
#[derive(Debug, Clone, Copy)]
enum Way {
    Exclusive,
    Shared,
    /// Oneways for which nobody waits.
    Queued,
}

impl Way {
    const ALL: [Self; 3] = [Self::Exclusive, Self::Shared, Self::Queued];

    fn client(self, max_client_connections: usize) -> Orb {
        orb(|settings| {
            settings.client.max_connections = max_client_connections;
            match self {
                Self::Exclusive => {}
                Self::Shared => settings.client.connection_sharing = ConnectionSharing::Shared,
                Self::Queued => settings.client.sync_scope = SyncScope::None,
            }
        })
    }

    /// Calls, and returns when the call has arrived.
    fn call(self, object: &EchoRef, server: &Server) {
        match self {
            Self::Exclusive | Self::Shared => object.ping().unwrap(),
            // A oneway that cannot be sent is lost: the one before may still be on its way.
            Self::Queued => common::eventually("the arrival of a oneway", || {
                let before = server.servant.notes().unwrap();
                object.note("hello").unwrap();
                thread::sleep(Duration::from_millis(20));
                server.servant.notes().unwrap() > before
            }),
        }
    }
}

#[test]
fn beyond_the_limit_an_idle_connection_gives_way() {
    for way in Way::ALL {
        let servers: Vec<_> = (0..5).map(|_| Server::start()).collect();
        let orb = way.client(2);
        let objects: Vec<_> = servers
            .iter()
            .map(|server| find(&orb, &server.ior()))
            .collect();
        for _ in 0..3 {
            for (object, server) in objects.iter().zip(&servers) {
                way.call(object, server);
            }
        }
    }
}

#[test]
fn an_idle_connection_of_oneways_gives_way_to_a_call() {
    let servers = [Server::start(), Server::start()];
    let orb = Way::Queued.client(1);
    let [one, other] = [0, 1].map(|index| find(&orb, &Server::ior(&servers[index])));
    Way::Queued.call(&one, &servers[0]);
    common::eventually("room for a call", || other.ping().is_ok());
    Way::Queued.call(&one, &servers[0]);
}

#[test]
fn a_shared_connection_that_has_ended_makes_room_for_its_successor() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let orb = Way::Shared.client(1);
    let echo = find(&orb, &format!("corbaloc:iiop:1.2@127.0.0.1:{port}/key"));
    thread::spawn(move || {
        for stream in listener.incoming() {
            answer_with(&mut stream.unwrap(), GOODBYE);
        }
    });
    for _ in 0..3 {
        echo.ping().unwrap();
    }
}

#[test]
fn an_endpoint_of_oneways_to_which_no_reference_leads_is_forgotten() {
    let listener = TcpListener::bind("0.0.0.0:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let orb = orb(|settings| {
        settings.client.sync_scope = SyncScope::None;
        settings.client.idle_timeout = None;
        settings.client.max_idle_endpoints = 1;
    });
    let note = |host: u8| {
        let url = format!("corbaloc:iiop:1.2@127.0.0.{host}:{port}/key");
        find(&orb, &url).note("hello").unwrap();
    };
    note(1);
    let (mut stream, _) = listener.accept().unwrap();
    stream.set_nonblocking(true).unwrap();
    let mut octets = [0; 1024];
    let mut hosts = 2..=u8::MAX;
    // Once its thread has gone, which waits for more at first.
    common::eventually("the end of the connection", || {
        note(hosts.next().unwrap());
        thread::sleep(IDLE);
        loop {
            match stream.read(&mut octets) {
                Ok(0) => return true,
                Ok(_) => {}
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::WouldBlock);
                    return false;
                }
            }
        }
    });
}

#[test]
fn beyond_the_limit_a_call_fails_when_all_connections_carry_one() {
    for way in [Way::Exclusive, Way::Shared] {
        let servers: Vec<_> = (0..3).map(|_| Server::start()).collect();
        let orb = way.client(2);
        let [one, two, three] = [0, 1, 2].map(|index| find(&orb, &Server::ior(&servers[index])));
        thread::scope(|scope| {
            for (busy, server) in [one, two].into_iter().zip(&servers) {
                scope.spawn(move || busy.misbehave(Misbehaviour::Blocks).unwrap());
                server.entered.recv_timeout(PATIENCE).unwrap();
            }
            let refused = three.ping().unwrap_err();
            assert_eq!(refused.kind, SystemExceptionKind::Transient);
            let text = refused.to_string();
            assert!(text.contains("too many connections"), "{text}");
            servers[0].release.send(()).unwrap();
            common::eventually("room for a connection", || three.ping().is_ok());
            servers[1].release.send(()).unwrap();
        });
    }
}
