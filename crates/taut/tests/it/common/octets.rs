//! Messages as octets, whole and in pieces.

use taut::Reference;
use taut_cdr::{ByteOrder, Encode, Encoder};
use taut_giop::Version;
use taut_giop::message::{MessageHeader, MessageType};
use taut_giop::service_context::ServiceContext;

use super::raw::Request;
use super::{Misbehaviour, Server};

/// A request for the server's object.
fn request(
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
    let request = Request {
        contexts: &[context],
        ..Request::new(request_id, operation)
    };
    request.to(server.echo.as_object(), arguments)
}

/// A request that the servant answers with what it is given.
pub(crate) fn echo(server: &Server, request_id: u32, text: &str) -> Vec<u8> {
    request(server, request_id, "echo", |out| text.encode(out).unwrap())
}

/// A request without arguments.
pub(crate) fn ping(server: &Server, request_id: u32) -> Vec<u8> {
    request(server, request_id, "ping", |_| ())
}

/// A request that the servant answers when the test lets it.
pub(crate) fn blocks(server: &Server, request_id: u32) -> Vec<u8> {
    let how = Misbehaviour::Blocks as u32;
    request(server, request_id, "misbehave", |out| {
        how.encode(out).unwrap();
    })
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
