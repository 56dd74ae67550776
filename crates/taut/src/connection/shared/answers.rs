//! Which call a message answers.

use taut_cdr::Decoder;
use taut_giop::Limits;
use taut_giop::message::{HEADER_SIZE, LocateReplyHeader, MessageHeader, MessageType, ReplyHeader};

use crate::message::Message;

/// What a message is the answer to.
pub(super) enum Answers {
    /// To the call with this request id.
    Call(u32),
    /// Nothing further: CloseConnection.
    Goodbye,
    /// It cannot be one.
    Nothing,
}

/// What a message is the answer to; its lists are read within the limits.
pub(super) fn answers(header: &MessageHeader, message: &Message, lists: &Limits) -> Answers {
    let read = || -> taut_cdr::Result<Option<u32>> {
        let mut input: Decoder<'_> = header.decoder(&message.octets)?;
        debug_assert_eq!(input.position(), HEADER_SIZE);
        Ok(match header.message_type {
            MessageType::Reply => {
                Some(ReplyHeader::decode_within(header.version, &mut input, lists)?.request_id)
            }
            MessageType::LocateReply => {
                Some(LocateReplyHeader::decode(header.version, &mut input)?.request_id)
            }
            _ => None,
        })
    };
    match read() {
        Ok(Some(request_id)) => Answers::Call(request_id),
        Ok(None) if header.message_type == MessageType::CloseConnection => Answers::Goodbye,
        _ => Answers::Nothing,
    }
}
