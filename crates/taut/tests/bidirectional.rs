//! Requests both ways on one connection.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;
#[path = "common/volley.rs"]
mod volley;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use common::{Echo, EchoError};
use taut::{BidirectionalPolicy, OrbBuilder, Reference, SystemExceptionKind};
use taut_giop::bidirectional::{ListenPoint, to_context_data};
use volley::Player;

const PATIENCE: Duration = Duration::from_secs(10);

fn both(builder: OrbBuilder) -> OrbBuilder {
    builder.settings(|settings| settings.bidirectional = BidirectionalPolicy::Both)
}

/// A port of this machine at which nobody listens.
fn dead_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// A client whose objects can be reached by its own connections only.
fn unreachable(adjust: impl FnOnce(OrbBuilder) -> OrbBuilder) -> Player {
    let endpoint = format!("127.0.0.1:0/publish=127.0.0.1:{}", dead_port());
    Player::at(&endpoint, adjust)
}

#[test]
fn calls_back_come_over_the_clients_own_connection_however_deep() {
    let (client, server) = (unreachable(both), Player::new(both));
    client.plays_with(&server);
    server.plays_with(&client);
    for depth in [1, 2, 3, 8, 20] {
        let back = client.servant.echo(&">".repeat(depth)).unwrap();
        assert_eq!(back, "<".repeat(depth));
    }
    // And when none of the client's calls is under way.
    for depth in [1, 4, 7] {
        let back = server.servant.echo(&">".repeat(depth)).unwrap();
        assert_eq!(back, "<".repeat(depth));
    }
    let large = "x".repeat(3_000_000);
    assert_eq!(
        server.servant.echo(&format!(">{large}")).unwrap(),
        format!("{large}<")
    );
}

#[test]
fn many_threads_on_both_sides_share_the_connection() {
    let (client, server) = (unreachable(both), Player::new(both));
    client.plays_with(&server);
    server.plays_with(&client);
    client.servant.echo(">").unwrap();
    std::thread::scope(|scope| {
        for player in [&client, &server, &client, &server] {
            scope.spawn(move || {
                for call in 0..100 {
                    let text = format!(">>{call}");
                    assert_eq!(player.servant.echo(&text).unwrap(), format!("{call}<<"));
                }
            });
        }
    });
}

#[test]
fn without_the_policy_on_both_sides_there_is_no_way_back() {
    let normal = |builder: OrbBuilder| builder;
    for (client, server) in [
        (unreachable(normal), Player::new(both)),
        (unreachable(both), Player::new(normal)),
    ] {
        client.plays_with(&server);
        server.plays_with(&client);
        assert_eq!(client.servant.echo(">").unwrap(), "<");
        let EchoError::System(refused) = client.servant.echo(">>").unwrap_err() else {
            panic!("no system exception");
        };
        assert_eq!(refused.kind, SystemExceptionKind::Transient);
    }
}

#[test]
fn giop_before_1_2_has_no_way_back() {
    let old = |builder: OrbBuilder| {
        both(builder).settings(|settings| settings.giop_version = taut::Version::V1_1)
    };
    let (client, server) = (unreachable(old), Player::new(old));
    client.plays_with(&server);
    server.plays_with(&client);
    assert_eq!(client.servant.echo(">").unwrap(), "<");
    client.servant.echo(">>").unwrap_err();
}

#[test]
fn when_the_connection_ends_the_next_one_serves() {
    let client = unreachable(both);
    let server = Player::new(both);
    client.plays_with(&server);
    server.plays_with(&client);
    assert_eq!(client.servant.echo(">>").unwrap(), "<<");
    server.orb.shutdown(true).unwrap();
    client.servant.echo(">").unwrap_err();

    let server = Player::new(both);
    client.plays_with(&server);
    server.plays_with(&client);
    assert_eq!(client.servant.echo(">>>>").unwrap(), "<<<<");
}

/// A client that speaks octets.
struct Raw {
    stream: TcpStream,
    object_key: Vec<u8>,
}

impl Raw {
    fn connect(server: &Player) -> Self {
        let port = server.orb.published_addresses()[0].port;
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let profile = &server.echo.as_object().ior().profiles[0];
        let profile = taut_giop::ior::IiopProfile::parse(&profile.data).unwrap();
        Self {
            stream,
            object_key: profile.object_key.to_vec(),
        }
    }

    /// Calls `echo` in GIOP 1.2, little-endian, with this BI_DIR_IIOP context.
    fn echo(&mut self, context: &[u8], text: &str) {
        let mut body = Vec::new();
        let align = |body: &mut Vec<u8>, to: usize| {
            while !body.len().is_multiple_of(to) {
                body.push(0);
            }
        };
        let word = |body: &mut Vec<u8>, value: usize| {
            align(body, 4);
            body.extend((value as u32).to_le_bytes());
        };
        let octets = |body: &mut Vec<u8>, octets: &[u8]| {
            word(body, octets.len());
            body.extend(octets);
        };
        word(&mut body, 0); // request id
        body.extend([3, 0, 0, 0]); // response expected
        body.extend([0; 4]); // by key
        octets(&mut body, &self.object_key);
        octets(&mut body, b"echo\0");
        word(&mut body, 1);
        word(&mut body, 5);
        octets(&mut body, context);
        // The body is aligned from the message's start, whose header has 12 octets.
        align(&mut body, 4);
        if body.len() % 8 != 4 {
            body.extend([0; 4]);
        }
        octets(&mut body, &[text.as_bytes(), b"\0"].concat());
        let mut message = b"GIOP\x01\x02\x01\x00".to_vec();
        message.extend((body.len() as u32).to_le_bytes());
        message.extend(body);
        self.stream.write_all(&message).unwrap();
    }

    /// A message's type, and its body.
    fn receive(&mut self) -> (u8, Vec<u8>) {
        let mut header = [0; 12];
        self.stream.read_exact(&mut header).unwrap();
        let size = u32::from_le_bytes(header[8..].try_into().unwrap());
        let mut body = vec![0; size as usize];
        self.stream.read_exact(&mut body).unwrap();
        (header[7], body)
    }
}

const REQUEST: u8 = 0;
const REPLY: u8 = 1;

fn point(host: &str, port: u16) -> Vec<u8> {
    let host = host.to_owned();
    to_context_data(&[ListenPoint { host, port }]).unwrap()
}

#[test]
fn nobody_gets_calls_that_are_meant_for_others() {
    let (client, server) = (Player::new(both), Player::new(both));
    server.plays_with(&client);
    // The thief names an address that is not his; 192.0.2.1 is nobody's.
    let far = Player::at("127.0.0.1:0/publish=192.0.2.1:2809", |builder| {
        both(builder).settings(|settings| settings.connect_timeout = Duration::from_millis(100))
    });
    let mut thief = Raw::connect(&server);
    thief.echo(&point("192.0.2.1", 2809), "hello");
    assert_eq!(thief.receive().0, REPLY);
    server.plays_with(&far);
    let EchoError::System(failed) = server.servant.echo(">").unwrap_err() else {
        panic!("no system exception");
    };
    // It has been tried, and not over the thief's connection.
    assert_ne!(failed.kind, SystemExceptionKind::Timeout);
}

#[test]
fn the_side_that_accepts_uses_odd_ids_and_its_requests_are_answered() {
    let server = Player::new(both);
    let port = dead_port();
    let client = Player::at(&format!("127.0.0.1:0/publish=127.0.0.1:{port}"), both);
    server.plays_with(&client);
    let mut raw = Raw::connect(&server);
    raw.echo(&point("127.0.0.1", port), ">back");
    let (message_type, body) = raw.receive();
    assert_eq!(message_type, REQUEST);
    assert_eq!(body[0] % 2, 1);
    // The connection goes, and the call with it; the server stays.
    drop(raw);
    let other = Player::new(both);
    other.plays_with(&server);
    assert_eq!(other.servant.echo(">").unwrap(), "<");
}

#[test]
fn end_points_that_cannot_be_read_are_marshal() {
    let server = Player::new(both);
    for context in [
        b"\0\0\0\0\xff\xff\xff\xff".to_vec(),
        to_context_data(&vec![
            ListenPoint {
                host: "127.0.0.1".to_owned(),
                port: 1
            };
            17
        ])
        .unwrap(),
    ] {
        let mut raw = Raw::connect(&server);
        raw.echo(&context, "hello");
        let (message_type, body) = raw.receive();
        assert_eq!(message_type, REPLY);
        assert_eq!(body[4], 2, "a system exception");
        let text = String::from_utf8_lossy(&body).into_owned();
        assert!(text.contains("MARSHAL"), "{text}");
    }
}
