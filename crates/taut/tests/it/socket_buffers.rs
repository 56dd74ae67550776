//! `wire.send_buffer` and `wire.receive_buffer`: how much the system keeps of a connection that one
//! end does not read.

use std::io::ErrorKind;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::raw::Request;
use crate::common::{Echo, EchoRef, Server};
use taut::{Orb, Reference, Settings};
use taut_cdr::Encode;
use taut_sys::stream::StreamSocket;
use taut_sys::tcp::{TcpListener, TcpStream};

/// When nothing has gone for so long, nothing more will.
const STUCK: Duration = Duration::from_millis(300);

/// A small and a large buffer.
const SMALL: usize = 4 << 10;
const LARGE: usize = 100_000;

fn listen() -> (TcpListener, u16) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let port = listener.local_address().unwrap().port();
    (listener, port)
}

/// A client that has a connection.
fn connected(port: u16, adjust: impl FnOnce(&mut Settings)) -> EchoRef {
    let orb = Orb::builder().settings(adjust).build().unwrap();
    let url = format!("corbaloc:iiop:1.2@127.0.0.1:{port}/key");
    let echo: EchoRef = orb.string_to_object(&url).unwrap().unchecked_narrow();
    echo.note("hello").unwrap();
    echo
}

/// How many octets go, of these again and again, while nobody reads at the other end. The
/// sender's own system keeps few of them.
fn taken(stream: &TcpStream, octets: &[u8]) -> usize {
    stream.set_send_buffer(SMALL).unwrap();
    let (mut taken, mut last) = (0, Instant::now());
    while last.elapsed() < STUCK {
        match stream.try_send(&octets[taken % octets.len()..]) {
            Ok(sent) => {
                taken += sent;
                last = Instant::now();
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                thread::sleep(Duration::from_millis(5));
            }
            Err(error) => panic!("{error}"),
        }
    }
    taken
}

#[test]
fn a_client_keeps_what_has_arrived_as_far_as_its_receive_buffer_goes() {
    let [small, large] = [SMALL, LARGE].map(|octets| {
        let (listener, port) = listen();
        let _echo = connected(port, |settings| settings.wire.receive_buffer = Some(octets));
        let (peer, _) = listener.accept().unwrap();
        taken(&peer, &[0; 1_024])
    });
    assert!(4 * small < large, "{small} and {large}");
}

#[test]
fn a_client_waits_when_its_send_buffer_is_full() {
    let [small, large] = [SMALL, LARGE].map(|octets| {
        let (listener, port) = listen();
        let echo = connected(port, |settings| settings.wire.send_buffer = Some(octets));
        let (peer, _) = listener.accept().unwrap();
        peer.set_receive_buffer(SMALL).unwrap();
        let sent = AtomicUsize::new(0);
        thread::scope(|scope| {
            scope.spawn(|| {
                let text = "x".repeat(1_024);
                while echo.note(&text).is_ok() {
                    sent.fetch_add(1, Ordering::Relaxed);
                }
            });
            let mut last = 0;
            loop {
                thread::sleep(STUCK);
                let now = sent.load(Ordering::Relaxed);
                if now == last {
                    break;
                }
                last = now;
            }
            // Then what waits fails, and nobody takes another connection.
            drop((listener, peer));
            last
        })
    });
    assert!(4 * small < large, "{small} and {large}");
}

#[test]
fn a_server_takes_no_more_requests_when_its_buffers_are_full() {
    let [small, large] = [SMALL, LARGE].map(|octets| {
        let server = Server::with(|settings| {
            settings.wire.send_buffer = Some(octets);
            settings.wire.receive_buffer = Some(octets);
        });
        let text = "x".repeat(1_024);
        let request = Request::new(1, "echo").to(server.client().as_object(), |out| {
            text.encode(out).unwrap();
        });
        let address = (Ipv4Addr::LOCALHOST, server.port()).into();
        let stream = TcpStream::connect(address, Some(STUCK)).unwrap();
        stream.set_receive_buffer(SMALL).unwrap();
        taken(&stream, &request)
    });
    assert!(4 * small < large, "{small} and {large}");
}
