//! Which call a message answers.

use taut_giop::Limits;
use taut_giop::message::{MessageHeader, MessageType};

use crate::message::Message;
use crate::messaging::Messaging;

/// The call that a message answers.
pub(in crate::connection) enum Answers {
    /// To the call with this request id.
    Call(u32),
    /// Nothing further: CloseConnection.
    Goodbye,
    /// It cannot be one.
    Nothing,
}

/// Finds the call that a message answers; its lists are read within the limits.
pub(in crate::connection) fn answers(
    messaging: Messaging,
    header: &MessageHeader,
    message: &Message,
    lists: &Limits,
) -> Answers {
    let read = || -> taut_cdr::Result<Option<u32>> {
        let mut input = messaging.decoder(header, &message.octets)?;
        Ok(match header.message_type {
            MessageType::Reply => {
                let reply = messaging.reply_header(header, &mut input, lists)?;
                Some(reply.request_id)
            }
            MessageType::LocateReply => {
                let reply = messaging.locate_reply_header(header, &mut input)?;
                Some(reply.request_id)
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
