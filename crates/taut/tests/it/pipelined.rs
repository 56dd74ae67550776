//! Requests of one connection that come before the replies to those before them.

#[cfg(feature = "full")]
mod batches;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::common::{Server, octets};
use taut_giop::framing::Fragments;

/// The size of a GIOP message's header.
const HEADER: usize = 12;

/// The request id and the octets of the next reply.
fn reply(stream: &mut TcpStream) -> (u32, Vec<u8>) {
    let mut header = [0; HEADER];
    stream.read_exact(&mut header).unwrap();
    assert_eq!(&header[..8], b"GIOP\x01\x02\x01\x01", "a whole reply");
    let size = u32::from_le_bytes(header[8..].try_into().unwrap());
    let mut body = vec![0; size as usize];
    stream.read_exact(&mut body).unwrap();
    (u32::from_le_bytes(body[..4].try_into().unwrap()), body)
}

#[test]
fn requests_that_come_in_one_go_are_all_answered() {
    let server = Server::start();
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    let patience = Some(Duration::from_secs(10));
    stream.set_read_timeout(patience).unwrap();

    let long = "in fragments ".repeat(100);
    let whole = octets::echo(&server, 4, &long);
    let fragments = Fragments::new(&whole, 256).unwrap();
    let pieces = fragments.flat_map(|piece| [piece.head().to_vec(), piece.payload.to_vec()]);
    let cut = octets::echo(&server, 6, "cut");
    let (begin, end) = cut.split_at(HEADER + 5);
    let texts = ["short", long.as_str(), "cut"];

    let mut message = octets::echo(&server, 2, texts[0]);
    message.extend(pieces.flatten());
    message.extend(begin);
    stream.write_all(&message).unwrap();
    std::thread::sleep(Duration::from_millis(20));
    stream.write_all(end).unwrap();

    let mut replies: Vec<_> = texts.iter().map(|_| reply(&mut stream)).collect();
    // Only where several are carried out at once may one overtake another.
    if cfg!(feature = "full") {
        replies.sort_by_key(|(id, _)| *id);
    }
    for ((id, body), (expected, text)) in replies.iter().zip([2, 4, 6].iter().zip(texts)) {
        assert_eq!(id, expected);
        let has_text = |part: &[u8]| part == text.as_bytes();
        assert!(body.windows(text.len()).any(has_text), "{text}");
    }
}
