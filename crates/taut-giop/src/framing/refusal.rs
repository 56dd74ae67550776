//! The answer of a server that speaks GIOPlite to a client that speaks GIOP.

use alloc::vec::Vec;

use taut_cdr::{Decoder, Encode, Encoder, Result};

use crate::message::{
    LocateReplyHeader, LocateRequestHeader, LocateStatus, MessageHeader, MessageType, ReplyHeader,
    ReplyStatus, RequestHeader, ResponseFlags, begin_body, begin_message, finish_message,
};
use crate::service_context::ServiceContexts;
use crate::{CompletionStatus, Limits, SystemException, SystemExceptionKind, Version, minor};

/// The answer to a message of GIOP where GIOPlite is expected: to a Request or LocateRequest
/// a reply, in GIOP, with INV_POLICY and
/// [`minor::OTHER_MESSAGING_PROTOCOL`], and CloseConnection behind it.
///
/// Before GIOP 1.2 no LocateReply has an exception: it says there that the object is here,
/// for the Request that follows is answered with the exception.
///
/// None if `message` is no whole first piece of a message to which there can be such a
/// reply: answer with [`FrameError::answer`](crate::message::FrameError::answer).
pub fn refusal(message: &[u8], limits: &Limits) -> Option<Vec<u8>> {
    let header = MessageHeader::parse(message.first_chunk()?).ok()?;
    let mut input = header.decoder(message.get(..header.total_size())?).ok()?;
    let mut out = Encoder::new(header.order);
    match header.message_type {
        MessageType::Request => refuse_request(header.version, &mut input, limits, &mut out),
        MessageType::LocateRequest => refuse_locate(header.version, &mut input, limits, &mut out),
        _ => return None,
    }
    .ok()?;
    if out.is_empty() {
        return None;
    }
    let goodbye = MessageHeader {
        order: header.order,
        ..MessageHeader::bodyless(header.version, MessageType::CloseConnection)
    };
    out.write_bytes(&goodbye.to_bytes());
    Some(out.into_buffer())
}

/// Writes the reply to a Request, unless none is expected.
fn refuse_request(
    version: Version,
    input: &mut Decoder<'_>,
    limits: &Limits,
    out: &mut Encoder,
) -> Result<()> {
    let request = RequestHeader::decode_within(version, input, limits)?;
    if request.response == ResponseFlags::None {
        return Ok(());
    }
    begin_message(out, version, MessageType::Reply);
    ReplyHeader {
        request_id: request.request_id,
        status: ReplyStatus::SystemException,
        service_contexts: ServiceContexts::EMPTY,
    }
    .encode(version, out)?;
    let body = begin_body(version, out);
    exception().encode(out)?;
    body.finish(out);
    finish_message(out)
}

/// Writes the reply to a LocateRequest.
fn refuse_locate(
    version: Version,
    input: &mut Decoder<'_>,
    limits: &Limits,
    out: &mut Encoder,
) -> Result<()> {
    let request = LocateRequestHeader::decode_within(version, input, limits)?;
    let has_exception = version >= Version::V1_2;
    begin_message(out, version, MessageType::LocateReply);
    LocateReplyHeader {
        request_id: request.request_id,
        status: match has_exception {
            true => LocateStatus::LocSystemException,
            false => LocateStatus::ObjectHere,
        },
    }
    .encode(out);
    if has_exception {
        exception().encode(out)?;
    }
    finish_message(out)
}

fn exception() -> SystemException {
    SystemException::new(
        SystemExceptionKind::InvPolicy,
        minor::OTHER_MESSAGING_PROTOCOL,
        CompletionStatus::No,
    )
}
