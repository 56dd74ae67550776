//! Requests both ways on one connection, between Taut and other ORBs: calls back
//! to a client to which no connection can be opened, or to which none is.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::time::{Duration, Instant};
use std::{fs, thread};

use taut::{BidirectionalPolicy, Orb, Reference};
use taut_interop::session_test::{Peer, Session, SessionRef, serve_listener, serve_session};
use taut_interop::{record, within};
use test_tools::free_port;

const TIME_OUT: Duration = Duration::from_secs(60);

/// How deep calls go back and forth.
const DEPTHS: [i32; 4] = [0, 1, 3, 8];

/// The large messages, in octets.
const LARGE: [u32; 2] = [100_000, 1 << 20];

/// How many calls come when no call of the client's is under way.
const LATER: u32 = 50;

fn orb(endpoint: &str, bidirectional: BidirectionalPolicy) -> Orb {
    let builder = taut_interop::over_the_wire().listen(endpoint).unwrap();
    builder
        .settings(|settings| {
            settings.wire.bidirectional = bidirectional;
            settings.client.call_timeout = Some(Duration::from_secs(20));
            // The large messages go in pieces, those of either side between the
            // other's.
            settings.wire.fragment_size = 8_192;
        })
        .build()
        .unwrap()
}

/// An ORB whose objects nobody can reach by a connection of his own.
fn unreachable(bidirectional: BidirectionalPolicy) -> Orb {
    let dead = free_port().unwrap();
    orb(
        &format!("127.0.0.1:0/publish=127.0.0.1:{dead}"),
        bidirectional,
    )
}

/// How many connections this machine has, or lately had, to a port of its own.
fn connections_to(port: u16) -> usize {
    let ending = format!(":{port:04X}");
    ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .filter_map(|table| fs::read_to_string(table).ok())
        .flat_map(|table| {
            let far = |line: &str| line.split_whitespace().nth(2).map(str::to_owned);
            table.lines().filter_map(far).collect::<Vec<_>>()
        })
        .filter(|far| far.ends_with(&ending))
        .count()
}

/// The port that a reference names.
fn port_of(orb: &Orb, reference: &str) -> u16 {
    let object = orb.string_to_object(reference).unwrap();
    object.ior().iiop_profiles().next().unwrap().unwrap().port
}

/// Waits until a count has reached what it should.
fn await_count(expected: u32, mut count: impl FnMut() -> u32) {
    let started = Instant::now();
    while count() != expected {
        assert!(started.elapsed() < TIME_OUT, "{} of {expected}", count());
        thread::sleep(Duration::from_millis(5));
    }
}

/// The server calls objects of a Taut client to which it cannot connect.
fn calls_back_a_taut_client(peer: Peer) {
    let Some(program) = peer.server() else {
        return;
    };
    let server = program.bidirectional().serve().unwrap();
    let reference = server.reference().to_owned();
    within(TIME_OUT, move || {
        let connect = |policy| {
            let orb = unreachable(policy);
            let session: SessionRef = orb.string_to_object(&reference).unwrap().unchecked_narrow();
            let (listener, servant) = serve_listener(&orb, session.clone()).unwrap();
            (orb, session, listener, servant)
        };
        // So there is no other way to it.
        let (_normal, session, listener, servant) = connect(BidirectionalPolicy::Normal);
        session.tell(Some(&listener), 0).unwrap_err();
        assert_eq!(servant.heard(), 0);

        let (orb, session, listener, servant) = connect(BidirectionalPolicy::Both);
        for depth in DEPTHS {
            assert_eq!(session.tell(Some(&listener), depth), Ok(2 * depth + 1));
        }
        for length in LARGE {
            assert_eq!(session.tell_much(Some(&listener), length), Ok(true));
        }
        thread::scope(|scope| {
            for depth in 0..8 {
                let (session, listener) = (&session, &listener);
                scope.spawn(move || {
                    for _ in 0..10 {
                        assert_eq!(session.tell(Some(listener), depth), Ok(2 * depth + 1));
                    }
                });
            }
        });
        let heard = servant.heard();
        session.tell_later(Some(&listener), LATER).unwrap();
        await_count(heard + LATER, || servant.heard());
        await_count(LATER, || session.told().unwrap());
        orb.shutdown(true).unwrap();
    })
    .unwrap();
    record("bidirectional", "taut", peer.name(), "1.2").unwrap();
}

/// Taut calls objects of a client without connecting to it.
fn is_called_back_by_a_taut_server(peer: Peer) {
    let (Some(normal), Some(both)) = (peer.client(), peer.client()) else {
        return;
    };
    let server = orb("127.0.0.1:0", BidirectionalPolicy::Both);
    let session = serve_session(&server, "taut").unwrap().into_object();

    // Without the policy a connection is opened, and seen.
    let mut client = normal.call().unwrap();
    let outcome = client.ask(&format!("tell {session} 3")).unwrap();
    assert_eq!(outcome, "7");
    let port = port_of(&server, &client.ask("listener").unwrap());
    assert_ne!(connections_to(port), 0, "port {port}");

    let mut client = both.bidirectional().call().unwrap();
    for depth in DEPTHS {
        let outcome = client.ask(&format!("tell {session} {depth}")).unwrap();
        assert_eq!(outcome, (2 * depth + 1).to_string(), "depth {depth}");
    }
    for length in LARGE {
        let outcome = client.ask(&format!("tell_much {session} {length}"));
        assert_eq!(outcome.unwrap(), "1", "{length} octets");
    }
    let outcome = client.ask(&format!("tell_later {session} {LATER}"));
    assert_eq!(outcome.unwrap(), "done");
    await_count(LATER, || {
        let told = client.ask(&format!("told {session}")).unwrap();
        told.parse().unwrap()
    });
    let port = port_of(&server, &client.ask("listener").unwrap());
    assert_eq!(connections_to(port), 0, "port {port}");
    server.shutdown(true).unwrap();
    record("bidirectional", peer.name(), "taut", "1.2").unwrap();
}

#[test]
fn omniorb_calls_back_over_the_connection_of_a_taut_client() {
    calls_back_a_taut_client(Peer::OmniOrb);
}

#[test]
fn jacorb_calls_back_over_the_connection_of_a_taut_client() {
    calls_back_a_taut_client(Peer::JacOrb);
}

#[test]
fn taut_calls_back_over_the_connection_of_an_omniorb_client() {
    is_called_back_by_a_taut_server(Peer::OmniOrb);
}

#[test]
fn taut_calls_back_over_the_connection_of_a_jacorb_client() {
    is_called_back_by_a_taut_server(Peer::JacOrb);
}
