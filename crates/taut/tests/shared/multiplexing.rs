//! Requests of one connection that must be carried out at the same time.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/volley.rs"]
mod volley;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use common::{Echo, EchoError, Server};
use taut::{Orb, OrbBuilder, Reference};
use volley::players;

const PATIENCE: Duration = Duration::from_secs(10);

fn play(adjust: impl Fn(OrbBuilder) -> OrbBuilder) {
    let (one, _other) = players(adjust);
    for depth in [1, 2, 9, 12] {
        let text = ">".repeat(depth);
        let back = one.servant.echo(&text).unwrap();
        assert_eq!(back, "<".repeat(depth));
    }
}

#[test]
fn calls_that_nest_go_over_one_connection_each_way() {
    play(|builder| builder);
}

#[test]
fn calls_that_nest_are_served_by_a_reactor_too() {
    play(|builder| builder.settings(|settings| settings.connection_threads = 0));
}

#[test]
fn calls_nest_as_deeply_as_the_setting_says_and_no_deeper() {
    let limited = |builder: OrbBuilder| {
        builder.settings(|settings| {
            settings.max_requests_per_connection = 2;
            settings.call_timeout = Some(Duration::from_secs(3));
        })
    };
    let (one, _other) = players(limited);
    // Two of these are carried out by each side at once.
    assert_eq!(one.servant.echo(">>>>").unwrap(), "<<<<");
    let too_deep = one.servant.echo(">>>>>>").unwrap_err();
    let EchoError::System(exception) = too_deep else {
        panic!("{too_deep:?}");
    };
    assert_eq!(exception.kind, taut::SystemExceptionKind::Timeout);
}

/// A connection of which the test writes every octet.
struct Raw {
    stream: TcpStream,
    object_key: Vec<u8>,
}

impl Raw {
    fn connect(server: &Server) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let profile = &server.echo.as_object().ior().profiles[0];
        let profile = taut_giop::ior::IiopProfile::parse(&profile.data).unwrap();
        Self {
            stream,
            object_key: profile.object_key.to_vec(),
        }
    }

    /// A request in GIOP 1.0, with `arguments` from a boundary of 4 octets on.
    fn request(&self, id: u32, operation: &str, arguments: &[u8], is_twoway: bool) -> Vec<u8> {
        let mut body = Vec::new();
        let word = |body: &mut Vec<u8>, value: usize| {
            while !body.len().is_multiple_of(4) {
                body.push(0);
            }
            body.extend((value as u32).to_le_bytes());
        };
        word(&mut body, 0); // service contexts
        word(&mut body, id as usize);
        body.push(u8::from(is_twoway));
        word(&mut body, self.object_key.len());
        body.extend(&self.object_key);
        word(&mut body, operation.len() + 1);
        body.extend(operation.as_bytes());
        body.push(0);
        word(&mut body, 0); // principal
        body.extend(arguments);
        let mut message = b"GIOP\x01\x00\x01\x00".to_vec();
        message.extend((body.len() as u32).to_le_bytes());
        message.extend(body);
        message
    }

    fn send(&mut self, messages: &[Vec<u8>]) {
        self.stream.write_all(&messages.concat()).unwrap();
    }

    /// The type of the next message, and the id of the request if it is a reply.
    /// None at the end.
    fn receive(&mut self) -> Option<(u8, u32)> {
        let mut message = vec![0; 12];
        self.stream.read_exact(&mut message).ok()?;
        let size = u32::from_le_bytes(message[8..12].try_into().unwrap());
        message.resize(12 + size as usize, 0);
        self.stream.read_exact(&mut message[12..]).unwrap();
        let word = |at: usize| Some(u32::from_le_bytes(*message.get(at..)?.first_chunk()?));
        Some((message[7], word(16).unwrap_or(0)))
    }
}

const BLOCKS: [u8; 4] = 2_u32.to_le_bytes();
const REPLY: u8 = 1;
const CLOSE_CONNECTION: u8 = 5;
const MESSAGE_ERROR: u8 = 6;

/// Connections with threads of their own, and those that share.
fn servers() -> [Server; 2] {
    [64, 0].map(|connection_threads| {
        let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
        Server::start_with(builder.settings(|settings| {
            settings.connection_threads = connection_threads;
        }))
    })
}

#[test]
fn what_was_read_together_with_a_request_that_blocks_is_carried_out() {
    for server in servers() {
        let mut raw = Raw::connect(&server);
        // More behind the blocking request than itself, and the last in halves.
        let last = raw.request(4, "ping", &[], true);
        raw.send(&[
            raw.request(1, "misbehave", &BLOCKS, true),
            raw.request(2, "ping", &[], true),
            raw.request(3, "ping", &[], true),
            last[..20].to_vec(),
        ]);
        server.entered.recv_timeout(PATIENCE).unwrap();
        assert_eq!(raw.receive(), Some((REPLY, 2)));
        assert_eq!(raw.receive(), Some((REPLY, 3)));
        raw.send(&[last[20..].to_vec()]);
        assert_eq!(raw.receive(), Some((REPLY, 4)));
        server.release.send(()).unwrap();
        assert_eq!(raw.receive(), Some((REPLY, 1)));
        // And less behind it.
        raw.send(&[
            raw.request(5, "misbehave", &BLOCKS, true),
            last[..20].to_vec(),
        ]);
        server.entered.recv_timeout(PATIENCE).unwrap();
        raw.send(&[last[20..].to_vec()]);
        assert_eq!(raw.receive(), Some((REPLY, 4)));
        server.release.send(()).unwrap();
        assert_eq!(raw.receive(), Some((REPLY, 5)));
    }
}

#[test]
fn the_id_of_a_request_under_way_cannot_be_used_again() {
    for server in servers() {
        let mut raw = Raw::connect(&server);
        raw.send(&[raw.request(7, "misbehave", &BLOCKS, true)]);
        server.entered.recv_timeout(PATIENCE).unwrap();
        raw.send(&[raw.request(7, "ping", &[], true)]);
        assert_eq!(raw.receive(), Some((MESSAGE_ERROR, 0)));
        server.release.send(()).unwrap();
        assert_eq!(raw.receive(), None);
    }
}

#[test]
fn a_closing_connection_waits_for_all_that_is_under_way() {
    for server in servers() {
        let mut raw = Raw::connect(&server);
        raw.send(&[raw.request(1, "misbehave", &BLOCKS, true)]);
        server.entered.recv_timeout(PATIENCE).unwrap();
        raw.send(&[raw.request(2, "ping", &[], true)]);
        assert_eq!(raw.receive(), Some((REPLY, 2)));
        thread::scope(|scope| {
            let ending = scope.spawn(|| server.orb.shutdown(true));
            thread::sleep(Duration::from_millis(50));
            server.release.send(()).unwrap();
            assert_eq!(raw.receive(), Some((REPLY, 1)));
            assert_eq!(raw.receive(), Some((CLOSE_CONNECTION, 0)));
            assert_eq!(raw.receive(), None);
            drop(raw);
            ending.join().unwrap().unwrap();
        });
    }
}

#[test]
fn a_server_ends_only_when_the_servants_of_clients_that_are_gone_have_ended() {
    for server in servers() {
        let mut raw = Raw::connect(&server);
        raw.send(&[raw.request(1, "misbehave", &BLOCKS, true)]);
        server.entered.recv_timeout(PATIENCE).unwrap();
        raw.send(&[raw.request(2, "ping", &[], true)]);
        assert_eq!(raw.receive(), Some((REPLY, 2)));
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
fn oneways_keep_their_order_and_nested_ones_do_not_wait() {
    let (one, other) = players(|builder| builder);
    // The oneway's servant calls back, and the callback calls once more.
    let peer = one.servant.peer.lock().clone().unwrap();
    peer.note(">>>>").unwrap();
    peer.ping().unwrap();
    drop(other);
}
