//! The requests that a client really sends: a relay that reads it, and requests by octets.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::Arc;

use parking_lot::Mutex;
use taut::{SystemException, Version};
use taut_cdr::{ByteOrder, Decode as _, Encoder};
use taut_giop::Ior;
use taut_giop::ior::{IiopProfile, profile};
use taut_giop::message::{
    HEADER_SIZE, MessageHeader, MessageType, ReplyHeader, ReplyStatus, RequestHeader,
    ResponseFlags, TargetAddress, begin_body, begin_message, finish_message,
};
use taut_giop::service_context::ServiceContexts;
use taut_interop::relay_messages;
use test_tools::Direction;

/// A request as it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) operation: String,
    pub(crate) key: Vec<u8>,
    pub(crate) response: ResponseFlags,
    /// Whether it has service contexts.
    pub(crate) introduces: bool,
}

/// A relay to a server of this machine.
pub(crate) struct Tap {
    port: u16,
    sent: Arc<Mutex<Vec<Sent>>>,
}

impl Tap {
    /// A relay to where a reference leads, and the reference that leads to the relay.
    pub(crate) fn to(ior: &Ior) -> (Self, String) {
        let sent = Arc::new(Mutex::new(Vec::new()));
        let its = Arc::clone(&sent);
        let relay = relay_messages(iiop(ior).port, move |direction| {
            let its = Arc::clone(&its);
            move |header, message: &[u8]| {
                if (direction, header.message_type) == (Direction::There, MessageType::Request) {
                    note(&its, header, message);
                }
            }
        });
        let port = relay.unwrap().address().port();
        (Self { port, sent }, with_port(ior, port))
    }

    /// Returns the requests that have been sent since the last call.
    pub(crate) fn take(&self) -> Vec<Sent> {
        std::mem::take(&mut self.sent.lock())
    }

    /// Another reference to the same server, through the relay.
    pub(crate) fn through(&self, ior: &Ior) -> String {
        with_port(ior, self.port)
    }
}

/// The first profile of a reference.
pub(crate) fn iiop(ior: &Ior) -> IiopProfile {
    let first = &ior.profiles[0];
    assert_eq!(first.tag, profile::tag::INTERNET_IOP);
    IiopProfile::parse(&first.data).unwrap()
}

fn with_port(ior: &Ior, port: u16) -> String {
    let profile = IiopProfile { port, ..iiop(ior) };
    let profiles = vec![profile.to_profile().unwrap()];
    let type_id = ior.type_id.clone();
    Ior { type_id, profiles }.to_string()
}

fn note(sent: &Mutex<Vec<Sent>>, header: MessageHeader, message: &[u8]) {
    let mut input = header.decoder(message).unwrap();
    let request = RequestHeader::decode(header.version, &mut input).unwrap();
    let TargetAddress::Key(key) = request.target else {
        panic!("the target is named otherwise");
    };
    sent.lock().push(Sent {
        operation: String::from_utf8(request.operation.to_vec()).unwrap(),
        key: key.to_vec(),
        response: request.response,
        introduces: request.service_contexts.iter().next().is_some(),
    });
}

/// The next message, none at the stream's end.
fn read(from: &mut TcpStream) -> Option<Vec<u8>> {
    let mut message = vec![0; HEADER_SIZE];
    from.read_exact(&mut message).ok()?;
    let header = MessageHeader::parse(message.first_chunk().unwrap()).unwrap();
    message.resize(header.total_size(), 0);
    from.read_exact(&mut message[HEADER_SIZE..]).ok()?;
    Some(message)
}

/// A request with two longs.
pub(crate) fn request(version: Version, key: &[u8], operation: &[u8]) -> Vec<u8> {
    let mut out = Encoder::new(ByteOrder::NATIVE);
    begin_message(&mut out, version, MessageType::Request);
    let header = RequestHeader {
        request_id: 2,
        response: ResponseFlags::Expected,
        target: TargetAddress::Key(key),
        operation,
        service_contexts: ServiceContexts::EMPTY,
    };
    header.encode(version, &mut out).unwrap();
    let body = begin_body(version, &mut out);
    out.write(1_i32);
    out.write(2_i32);
    body.finish(&mut out);
    finish_message(&mut out).unwrap();
    out.into_buffer()
}

/// Sends a request with two longs to a server, and tells how it ends: with no
/// exception, or with this one.
pub(crate) fn ask(
    port: u16,
    version: Version,
    key: &[u8],
    operation: &[u8],
) -> Option<SystemException> {
    let request = request(version, key, operation);
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
    stream.write_all(&request).unwrap();
    let message = read(&mut stream).unwrap();
    let header = MessageHeader::parse(message.first_chunk().unwrap()).unwrap();
    let mut input = header.decoder(&message).unwrap();
    let reply = ReplyHeader::decode(version, &mut input).unwrap();
    match reply.status {
        ReplyStatus::NoException => None,
        ReplyStatus::SystemException => Some(SystemException::decode(&mut input).unwrap()),
        status => panic!("{status:?}"),
    }
}
