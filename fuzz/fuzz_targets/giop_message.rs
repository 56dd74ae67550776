//! One message: its header, then what its type says.

#![no_main]

use libfuzzer_sys::fuzz_target;
use taut_cdr::{Decode, Encoder};
use taut_giop::SystemException;
use taut_giop::message::{
    CancelRequestHeader, LocateReplyHeader, LocateRequestHeader, MessageHeader, MessageType,
    ReplyHeader, ReplyStatus, RequestHeader, begin_message,
};

fuzz_target!(|bytes: &[u8]| {
    let Some(Ok(header)) = bytes.first_chunk().map(MessageHeader::parse) else {
        return;
    };
    let version = header.version;
    let mut input = header.decoder(bytes).expect("longer than a header");
    let mut out = Encoder::new(header.order);
    begin_message(&mut out, version, header.message_type);
    match header.message_type {
        MessageType::Request => {
            let Ok(request) = RequestHeader::decode(version, &mut input) else {
                return;
            };
            let key = request.target.object_key();
            request.encode(version, &mut out).expect("was decoded");
            let mut again = header.decoder(out.as_bytes()).expect("was begun");
            let again = RequestHeader::decode(version, &mut again).expect("was encoded");
            assert_eq!(again, request);
            assert_eq!(again.target.object_key().ok(), key.ok());
        }
        MessageType::Reply => {
            let Ok(reply) = ReplyHeader::decode(version, &mut input) else {
                return;
            };
            if reply.status == ReplyStatus::SystemException {
                let _ = SystemException::decode(&mut input);
            }
            reply.encode(version, &mut out).expect("was decoded");
            let mut again = header.decoder(out.as_bytes()).expect("was begun");
            assert_eq!(ReplyHeader::decode(version, &mut again), Ok(reply));
        }
        MessageType::LocateRequest => {
            let Ok(request) = LocateRequestHeader::decode(version, &mut input) else {
                return;
            };
            request.encode(version, &mut out).expect("was decoded");
            let mut again = header.decoder(out.as_bytes()).expect("was begun");
            assert_eq!(
                LocateRequestHeader::decode(version, &mut again),
                Ok(request)
            );
        }
        MessageType::LocateReply => {
            let _ = LocateReplyHeader::decode(version, &mut input);
        }
        MessageType::CancelRequest => {
            let _ = CancelRequestHeader::decode(&mut input);
        }
        MessageType::CloseConnection | MessageType::MessageError | MessageType::Fragment => {}
    }
});
