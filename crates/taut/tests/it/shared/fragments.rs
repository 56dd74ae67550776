//! Replies in fragments on a shared connection.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use super::MODE;
use crate::common;
use crate::common::{Echo, EchoRef};
use taut::{Orb, Settings, SystemExceptionKind};

const REQUEST: u8 = 0;

/// A reply without results, in GIOP 1.2.
fn whole(request_id: [u8; 4]) -> Vec<u8> {
    let mut reply = b"GIOP\x01\x02\x01\x01\x0c\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0".to_vec();
    reply[12..16].copy_from_slice(&request_id);
    reply
}

/// Its beginning: more fragments follow.
fn beginning(request_id: [u8; 4]) -> Vec<u8> {
    let mut fragment = whole(request_id);
    fragment[6] |= 2;
    fragment
}

/// The last of its fragments, which carries nothing.
fn end(request_id: [u8; 4]) -> Vec<u8> {
    let mut fragment = b"GIOP\x01\x02\x01\x07\x04\0\0\0\0\0\0\0".to_vec();
    fragment[12..].copy_from_slice(&request_id);
    fragment
}

/// The id of the next request; others than requests are passed over.
fn next_request(stream: &mut TcpStream) -> Option<[u8; 4]> {
    loop {
        let mut header = [0; 12];
        stream.read_exact(&mut header).ok()?;
        let size = u32::from_le_bytes(header[8..].try_into().unwrap());
        let mut body = vec![0; size as usize];
        stream.read_exact(&mut body).ok()?;
        if header[7] == REQUEST {
            return Some(body[..4].try_into().unwrap());
        }
    }
}

/// A client, and where its connection comes in.
fn client(adjust: impl FnOnce(&mut Settings)) -> (EchoRef, TcpListener) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let orb = Orb::builder()
        .settings(|settings| MODE.adjust(settings))
        .settings(adjust);
    let port = listener.local_addr().unwrap().port();
    let url = format!("corbaloc:iiop:1.2@127.0.0.1:{port}/key");
    let object = orb.build().unwrap().string_to_object(&url).unwrap();
    (object.unchecked_narrow(), listener)
}

#[test]
fn half_a_reply_to_a_call_that_was_given_up_is_dropped_when_it_is_old() {
    const CALLS: usize = 12;
    let (echo, listener) = client(|settings| {
        settings.client.call_timeout = Some(Duration::from_millis(100));
        settings.limits.message_timeout = Duration::from_millis(90);
        settings.limits.framing.max_partial_messages = 4;
    });
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        drop(listener); // there will be no other connection
        for _ in 0..CALLS {
            let id = next_request(&mut stream).unwrap();
            stream.write_all(&beginning(id)).unwrap();
        }
        while let Some(id) = next_request(&mut stream) {
            stream.write_all(&whole(id)).unwrap();
        }
    });
    for _ in 0..CALLS {
        let over = echo.ping().unwrap_err();
        assert_eq!(over.kind, SystemExceptionKind::Timeout, "{over}");
    }
    common::eventually("a reply", || echo.ping().is_ok());
}

#[test]
fn half_a_reply_for_which_somebody_waits_is_kept_however_old() {
    let (echo, listener) =
        client(|settings| settings.limits.message_timeout = Duration::from_millis(1));
    let (begun, has_begun) = channel();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        drop(listener);
        let slow = next_request(&mut stream).unwrap();
        stream.write_all(&beginning(slow)).unwrap();
        begun.send(()).unwrap();
        for _ in 0..10 {
            let id = next_request(&mut stream).unwrap();
            thread::sleep(Duration::from_millis(3));
            stream.write_all(&whole(id)).unwrap();
        }
        stream.write_all(&end(slow)).unwrap();
    });
    thread::scope(|scope| {
        let slow = scope.spawn(|| echo.ping());
        has_begun.recv().unwrap();
        for _ in 0..10 {
            thread::sleep(Duration::from_millis(3));
            echo.ping().unwrap();
        }
        slow.join().unwrap().unwrap();
    });
}
