//! Calls over GIOPlite in each manner that ORBs can be set to.

use std::thread;
use std::time::Duration;

use taut::{
    BidirectionalPolicy, ByteOrder, ConnectionSharing, Located, Orb, Reference, Settings,
    SyncScope, SystemExceptionKind, minor,
};

use super::lite;
use crate::common::mode::Mode;
use crate::common::volley::Player;
use crate::common::{
    Echo, EchoError, EchoRef, FAILURE, Misbehaviour, Refused, Server, eventually, orb_and_client,
};

/// A change of settings.
type Manner = fn(&mut Settings);

/// The settings of both sides beside GIOPlite, with a name.
const MANNERS: [(&str, Manner); 7] = [
    ("a connection for each call", |_| ()),
    ("shared", |settings| {
        settings.client.connection_sharing = ConnectionSharing::Shared;
    }),
    ("reactor", |settings| settings.server.connection_threads = 0),
    ("shared and reactor", |settings| {
        settings.client.connection_sharing = ConnectionSharing::Shared;
        settings.server.connection_threads = 0;
    }),
    ("fragments", |settings| settings.wire.fragment_size = 64),
    ("shared fragments", |settings| {
        settings.wire.fragment_size = 32;
        settings.client.connection_sharing = ConnectionSharing::Shared;
        settings.server.connection_threads = 0;
    }),
    ("big-endian", |settings| {
        settings.wire.byte_order = ByteOrder::Big
    }),
];

fn server(endpoint: &str, manner: Manner) -> Server {
    let builder = Orb::builder().listen(endpoint).unwrap();
    Server::start_with(builder.settings(lite).settings(manner))
}

fn client(server: &Server, manner: Manner) -> (Orb, EchoRef) {
    orb_and_client(&server.ior(), |settings| {
        lite(settings);
        manner(settings);
    })
}

#[test]
fn calls_bring_their_outcomes_in_every_manner() {
    for endpoint in ["127.0.0.1:0", "uiop://"] {
        for (name, manner) in MANNERS {
            let server = server(endpoint, manner);
            let (orb, echo) = client(&server, manner);
            let what = format!("{name} over {endpoint}");
            assert_eq!(echo.as_object().locate().unwrap(), Located::Here, "{what}");
            assert_eq!(echo.as_object().non_existent(), Ok(false), "{what}");
            echo.ping().unwrap();
            for text in ["", "x", "Grüße 日本語", &"long ".repeat(20_000)] {
                assert_eq!(echo.echo(text).unwrap(), text, "{what}");
            }
            let refused = EchoError::Refused(Refused {
                why: "asked for".to_owned(),
            });
            assert_eq!(echo.echo("refuse"), Err(refused), "{what}");
            assert_eq!(echo.misbehave(Misbehaviour::Fails), Err(FAILURE), "{what}");
            // The reference that comes back is called in GIOPlite as well.
            let myself = echo.myself().unwrap().unwrap();
            assert_eq!(myself.echo("again").unwrap(), "again", "{what}");
            let unknown = server.url("nobody");
            let unknown = orb.string_to_object(&unknown).unwrap();
            assert_eq!(unknown.non_existent(), Ok(true), "{what}");
            assert_eq!(unknown.locate().unwrap(), Located::Unknown, "{what}");
            orb.shutdown(true).unwrap();
        }
    }
}

#[test]
fn oneways_arrive_whatever_they_wait_for() {
    for (name, manner) in MANNERS {
        let server = server("127.0.0.1:0", manner);
        let (_orb, echo) = client(&server, manner);
        let scopes = [
            SyncScope::None,
            SyncScope::WithTransport,
            SyncScope::WithServer,
            SyncScope::WithTarget,
        ];
        for (scope, count) in scopes.into_iter().zip(1..) {
            let echo: EchoRef = echo.with_sync_scope(scope);
            for text in ["", "some text", &"much text".repeat(100)] {
                echo.note(text).unwrap();
            }
            eventually(name, || echo.notes().unwrap() == 3 * count);
        }
    }
}

#[test]
fn many_threads_call_at_once() {
    for (name, manner) in MANNERS {
        let server = server("127.0.0.1:0", manner);
        let (_orb, echo) = client(&server, manner);
        thread::scope(|scope| {
            for caller in 0..4 {
                let echo = &echo;
                scope.spawn(move || {
                    for call in 0..50 {
                        let text = format!("{caller} {call} ").repeat(call);
                        assert_eq!(echo.echo(&text).unwrap(), text, "{name}");
                        echo.note(&text).unwrap();
                    }
                });
            }
        });
        eventually(name, || echo.notes().unwrap() == 200);
    }
}

#[test]
fn a_call_that_takes_too_long_is_given_up_and_the_next_one_is_answered() {
    for (name, manner) in MANNERS {
        let server = server("127.0.0.1:0", manner);
        let (_orb, echo) = client(&server, manner);
        echo.ping().unwrap();
        let hurried: EchoRef = echo.with_call_timeout(Some(Duration::from_millis(50)));
        let late = hurried.misbehave(Misbehaviour::Blocks).unwrap_err();
        assert_eq!(
            (late.kind, late.minor),
            (SystemExceptionKind::Timeout, minor::CALL_TIMED_OUT),
            "{name}"
        );
        server.release.send(()).unwrap();
        assert_eq!(echo.echo("next").unwrap(), "next", "{name}");
    }
}

/// CloseConnection of GIOPlite: what the server says when its connections have been idle,
/// or it ends.
#[test]
fn a_connection_that_the_server_closes_is_opened_again() {
    for (name, manner) in MANNERS {
        let server = {
            let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
            let builder = builder.settings(lite).settings(manner);
            Server::start_with(builder.settings(|settings| {
                settings.server.idle_timeout = Some(Duration::from_millis(200));
            }))
        };
        let (_orb, echo) = client(&server, manner);
        for pause_ms in [0, 400] {
            thread::sleep(Duration::from_millis(pause_ms));
            assert_eq!(echo.echo("round").unwrap(), "round", "{name}");
        }
    }
}

#[test]
fn calls_back_come_over_the_clients_own_connection() {
    let manners: [Manner; 3] = [
        |_| (),
        |settings| settings.server.connection_threads = 0,
        |settings| settings.wire.fragment_size = 40,
    ];
    for manner in manners {
        let both = |settings: &mut Settings| {
            lite(settings);
            manner(settings);
            settings.wire.bidirectional = BidirectionalPolicy::Both;
        };
        // Nobody can connect to the client.
        let port = test_tools::free_port().unwrap();
        let client = Player::at(
            Mode::tcp(),
            &format!("127.0.0.1:0/publish=127.0.0.1:{port}"),
            both,
        );
        let server = Player::new(Mode::tcp(), both);
        client.plays_with(&server);
        server.plays_with(&client);
        for player in [&client, &server] {
            for depth in [1, 2, 3, 8] {
                let back = player.servant.echo(&">".repeat(depth)).unwrap();
                assert_eq!(back, "<".repeat(depth));
            }
        }
    }
}

#[test]
fn a_request_has_the_octets_that_the_layout_says() {
    use std::io::Write as _;
    use taut_giop::message::PlainRequest;

    let listener = Mode::tcp().listening();
    let url = listener.url();
    let (_orb, echo) = orb_and_client(&url, lite);
    let call = thread::spawn(move || echo.ping());
    let mut stream = listener.accept();
    let mut octets = vec![0; 8];
    std::io::Read::read_exact(&mut stream, &mut octets).unwrap();
    let size = u32::from_ne_bytes(*octets[4..].first_chunk().unwrap());
    octets.resize(8 + size as usize, 0);
    std::io::Read::read_exact(&mut stream, &mut octets[8..]).unwrap();
    let request = PlainRequest::read_lite(&octets).unwrap();
    assert_eq!(
        (request.object_key, request.operation, octets.len()),
        (&b"key"[..], &b"ping"[..], 8 + 4 + 4 + 3 + 1 + 4 + 5)
    );
    // The request id stays, and the status behind it is NO_EXCEPTION.
    let mut reply = octets[..12].to_vec();
    reply[0] = 1;
    reply[2] = 0;
    reply[4..8].copy_from_slice(&8_u32.to_ne_bytes());
    reply.extend([0; 4]);
    stream.write_all(&reply).unwrap();
    call.join().unwrap().unwrap();
}
