//! Messages as octets, and connections of which a test writes every octet:
//! what no ORB would send, or not in this order.

use std::io::{ErrorKind, Read, Write};
use std::time::Duration;

use taut::codegen::{Decoder, Encoder};
use taut::{ByteOrder, ObjectRef, Orb, Version};
use taut_giop::ior::profile;
use taut_giop::message::{
    self, HEADER_SIZE, MessageHeader, MessageType, ReplyHeader, ReplyStatus, RequestHeader,
    ResponseFlags, TargetAddress,
};
use taut_giop::service_context::{ServiceContext, ServiceContexts};

use super::wire::Wire;

/// How long a test waits for what must come.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A request, little-endian. A part that a test does not set is as most clients send it.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    pub version: Version,
    pub id: u32,
    pub response: ResponseFlags,
    pub operation: &'a str,
    pub contexts: &'a [ServiceContext<'a>],
}

impl<'a> Request<'a> {
    /// A request of GIOP 1.2 that wants a reply and has no service contexts.
    pub fn new(id: u32, operation: &'a str) -> Self {
        Self {
            version: Version::V1_2,
            id,
            response: ResponseFlags::Expected,
            operation,
            contexts: &[],
        }
    }

    /// The whole message, for the object of `target`.
    pub fn to(&self, target: &ObjectRef, arguments: impl FnOnce(&mut Encoder)) -> Vec<u8> {
        let profile = &target.ior().profiles[0];
        let key = profile::object_key(profile.tag, &profile.data);
        let header = RequestHeader {
            request_id: self.id,
            response: self.response,
            target: TargetAddress::Key(key.unwrap().unwrap()),
            operation: self.operation.as_bytes(),
            service_contexts: ServiceContexts::new(self.contexts),
        };
        let mut out = Encoder::new(ByteOrder::Little);
        message::begin_message(&mut out, self.version, MessageType::Request);
        header.encode(self.version, &mut out).unwrap();
        end(self.version, out, arguments)
    }
}

/// A reply of GIOP 1.2, little-endian.
pub fn reply(request_id: u32, status: ReplyStatus, results: impl FnOnce(&mut Encoder)) -> Vec<u8> {
    let header = ReplyHeader {
        request_id,
        status,
        service_contexts: ServiceContexts::EMPTY,
    };
    let mut out = Encoder::new(ByteOrder::Little);
    message::begin_message(&mut out, Version::V1_2, MessageType::Reply);
    header.encode(Version::V1_2, &mut out).unwrap();
    end(Version::V1_2, out, results)
}

/// A reply of GIOP 1.2 without results.
pub fn empty_reply(request_id: u32) -> Vec<u8> {
    reply(request_id, ReplyStatus::NoException, |_| ())
}

fn end(version: Version, mut out: Encoder, write: impl FnOnce(&mut Encoder)) -> Vec<u8> {
    let body = message::begin_body(version, &mut out);
    write(&mut out);
    body.finish(&mut out);
    message::finish_message(&mut out).unwrap();
    out.as_bytes().to_vec()
}

/// A message that has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub header: MessageHeader,
    /// The header's among them.
    pub octets: Vec<u8>,
}

impl Message {
    /// Reads one; the end of the stream is an error.
    pub fn read(stream: &mut impl Read) -> std::io::Result<Self> {
        let mut octets = vec![0; HEADER_SIZE];
        stream.read_exact(&mut octets)?;
        let header = MessageHeader::parse(octets.first_chunk().unwrap()).unwrap();
        octets.resize(header.total_size(), 0);
        stream.read_exact(&mut octets[HEADER_SIZE..])?;
        Ok(Self { header, octets })
    }

    pub fn message_type(&self) -> MessageType {
        self.header.message_type
    }

    /// The id that it says of a request, its own or another's.
    pub fn request_id(&self) -> u32 {
        let mut input = self.header.decoder(&self.octets).unwrap();
        let is_old = self.header.version != Version::V1_2;
        if is_old
            && matches!(
                self.message_type(),
                MessageType::Request | MessageType::Reply
            )
        {
            ServiceContexts::decode(&mut input).unwrap();
        }
        input.read().unwrap()
    }

    /// Returns the status of a reply, and a decoder that stands at the results.
    pub fn outcome(&self) -> (ReplyStatus, Decoder<'_>) {
        assert_eq!(self.message_type(), MessageType::Reply, "{self:?}");
        let version = self.header.version;
        let mut input = self.header.decoder(&self.octets).unwrap();
        let header = ReplyHeader::decode(version, &mut input).unwrap();
        (header.status, input)
    }
}

/// Reads the pieces of one message, which may be one.
pub fn read_pieces(stream: &mut impl Read) -> Vec<Message> {
    let mut pieces = vec![Message::read(stream).unwrap()];
    while pieces.last().unwrap().header.more_fragments {
        let piece = Message::read(stream).unwrap();
        assert_eq!(piece.message_type(), MessageType::Fragment);
        pieces.push(piece);
    }
    pieces
}

/// A client that speaks octets.
pub struct RawClient {
    pub stream: Wire,
}

impl RawClient {
    pub fn connect(orb: &Orb) -> Self {
        let stream = Wire::to(orb);
        stream.set_read_timeout(Some(PATIENCE));
        Self { stream }
    }

    pub fn send(&mut self, octets: &[u8]) {
        self.stream.write_all(octets).unwrap();
    }

    /// The next message; None at the end of the stream.
    pub fn receive(&mut self) -> Option<Message> {
        match Message::read(&mut self.stream) {
            Ok(message) => Some(message),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                panic!("nothing came, nor the end")
            }
            Err(_) => None,
        }
    }

    /// The reply to the request with this id, which must come next.
    pub fn receive_reply(&mut self, request_id: u32) -> Message {
        let message = self.receive().unwrap();
        let what = (message.message_type(), message.request_id());
        assert_eq!(what, (MessageType::Reply, request_id));
        message
    }

    /// The type of the next message, None at the end of the stream.
    pub fn receive_type(&mut self) -> Option<MessageType> {
        self.receive().map(|message| message.message_type())
    }

    /// Whether nothing comes for a while. If something does, it is lost.
    pub fn hears_nothing_for(&mut self, time: Duration) -> bool {
        self.stream.set_read_timeout(Some(time));
        let heard = self.stream.read(&mut [0]);
        self.stream.set_read_timeout(Some(PATIENCE));
        heard.is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
    }
}

/// An object at a port where a test answers itself.
pub fn url_at(port: u16) -> String {
    format!("corbaloc:iiop:1.2@127.0.0.1:{port}/key")
}
