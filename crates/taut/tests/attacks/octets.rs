//! Messages as octets, whole and in pieces.

use taut_cdr::{ByteOrder, Encode, Encoder};
use taut_giop::Version;
use taut_giop::ior::IiopProfile;
use taut_giop::message::{
    self, MessageHeader, MessageType, RequestHeader, ResponseFlags, TargetAddress,
};
use taut_giop::service_context::{ServiceContext, ServiceContexts};

use crate::common::Server;
use taut::Reference;

pub(crate) const CLOSE_CONNECTION: &[u8] = b"GIOP\x01\x00\x01\x05\0\0\0\0";

/// The message type in a message's header.
pub(crate) const TYPE: usize = 7;
pub(crate) const MESSAGE_ERROR: u8 = 6;

/// A request of GIOP 1.2 for the server's object.
pub(crate) fn request(
    server: &Server,
    request_id: u32,
    operation: &str,
    arguments: impl FnOnce(&mut Encoder),
) -> Vec<u8> {
    // A context that nobody knows, so that there is one.
    let context = ServiceContext {
        id: 0x7A7A_7A7A,
        data: &[1; 4],
    };
    request_with(server, request_id, operation, context, arguments)
}

/// A request with a service context of one's choice.
pub(crate) fn request_with(
    server: &Server,
    request_id: u32,
    operation: &str,
    context: ServiceContext<'_>,
    arguments: impl FnOnce(&mut Encoder),
) -> Vec<u8> {
    let profile = &server.echo.as_object().ior().profiles[0];
    let key = IiopProfile::parse(&profile.data).unwrap().object_key;
    let mut out = Encoder::new(ByteOrder::Little);
    message::begin_message(&mut out, Version::V1_2, MessageType::Request);
    RequestHeader {
        request_id,
        response: ResponseFlags::Expected,
        target: TargetAddress::Key(&key),
        operation: operation.as_bytes(),
        service_contexts: ServiceContexts::new(&[context]),
    }
    .encode(Version::V1_2, &mut out)
    .unwrap();
    let body = message::begin_body(Version::V1_2, &mut out);
    arguments(&mut out);
    body.finish(&mut out);
    message::finish_message(&mut out).unwrap();
    out.as_bytes().to_vec()
}

/// A request that the servant answers with what it is given.
pub(crate) fn echo(server: &Server, request_id: u32, text: &str) -> Vec<u8> {
    request(server, request_id, "echo", |out| text.encode(out).unwrap())
}

/// A request without arguments.
pub(crate) fn ping(server: &Server, request_id: u32) -> Vec<u8> {
    request(server, request_id, "ping", |_| ())
}

pub(crate) fn cancel(request_id: u32) -> Vec<u8> {
    whole(MessageType::CancelRequest, &request_id.to_le_bytes())
}

/// A message of GIOP 1.2 with this body.
pub(crate) fn whole(message_type: MessageType, body: &[u8]) -> Vec<u8> {
    piece(message_type, body, false)
}

/// The first piece of a request, of which more is promised.
pub(crate) fn first_piece(request_id: u32, payload: usize) -> Vec<u8> {
    let body = [&request_id.to_le_bytes()[..], &vec![0; payload]].concat();
    piece(MessageType::Request, &body, true)
}

/// A further piece, of which more is promised.
pub(crate) fn next_piece(request_id: u32, payload: usize) -> Vec<u8> {
    let body = [&request_id.to_le_bytes()[..], &vec![0; payload]].concat();
    piece(MessageType::Fragment, &body, true)
}

fn piece(message_type: MessageType, body: &[u8], more_fragments: bool) -> Vec<u8> {
    let header = MessageHeader {
        version: Version::V1_2,
        order: ByteOrder::Little,
        more_fragments,
        message_type,
        size: body.len() as u32,
    };
    [&header.to_bytes()[..], body].concat()
}
