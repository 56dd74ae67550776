//! One message: its header, then what its type says.

#![no_main]

use libfuzzer_sys::fuzz_target;
use taut_cdr::{ByteOrder, Decode, Decoder, Encoder};
use taut_fuzz::Meter;
use taut_giop::message::{
    AddressingMode, CancelRequestHeader, LocateReplyHeader, LocateRequestHeader, LocateStatus,
    MessageHeader, MessageType, PlainRequest, QualifiedRequest, ReplyHeader, ReplyStatus,
    RequestHeader, ResponseFlags, TargetAddress, begin_message, is_plain_reply, plain_reply_body,
    read_priority_context,
};
use taut_giop::deadline_context::DeadlineContext;
use taut_giop::service_context::id;
use taut_giop::{Ior, SystemException, Version};

#[global_allocator]
static METER: Meter = Meter::new();

fuzz_target!(|bytes: &[u8]| {
    let Some(Ok(header)) = bytes.first_chunk().map(MessageHeader::parse) else {
        return;
    };
    let input = header.decoder(bytes).expect("longer than a header");
    match header.message_type {
        MessageType::Request => request(&header, input, bytes),
        MessageType::Reply => reply(&header, input, bytes),
        MessageType::LocateRequest => locate_request(&header, input, bytes),
        MessageType::LocateReply => locate_reply(&header, input, bytes),
        MessageType::CancelRequest => cancel_request(&header, input),
        // Of these there is nothing behind the header, or nothing of its own.
        MessageType::CloseConnection | MessageType::MessageError | MessageType::Fragment => {
            let written = header.to_bytes();
            let again = written.first_chunk().map(MessageHeader::parse);
            assert_eq!(again, Some(Ok(header)));
        }
    }
});

/// The full reader gives the same as the quick one, in front of service contexts.
fn is_read_as(full: &RequestHeader<'_>, header: &MessageHeader, plain: &PlainRequest<'_>) {
    assert_eq!((header.version, header.order), (Version::V1_2, ByteOrder::NATIVE));
    assert_eq!(full.request_id, plain.request_id);
    assert_eq!(full.target, TargetAddress::Key(plain.object_key));
    assert_eq!(full.operation, plain.operation);
    let response = match plain.response_expected {
        true => ResponseFlags::Expected,
        false => ResponseFlags::None,
    };
    assert_eq!(full.response, response);
}

/// Returns the octets that `write` writes behind a header like this one.
fn written(header: &MessageHeader, write: impl FnOnce(&mut Encoder)) -> Vec<u8> {
    let mut out = Encoder::new(header.order);
    begin_message(&mut out, header.version, header.message_type);
    write(&mut out);
    out.into_buffer()
}

fn request(header: &MessageHeader, mut input: Decoder<'_>, bytes: &[u8]) {
    let version = header.version;
    let decoded = METER.reading(bytes, |_| RequestHeader::decode(version, &mut input));
    // The quick reader of octets gives the same request as the full reader.
    if let Some(plain) = PlainRequest::read(bytes) {
        let full = decoded.expect("a plain request is a request");
        is_read_as(&full, header, &plain);
        assert!(full.service_contexts.is_empty());
        assert_eq!(input.position(), plain.body);
        assert_eq!(QualifiedRequest::read(bytes), None);
    }
    if let Some(qualified) = QualifiedRequest::read(bytes) {
        let full = decoded.expect("a qualified request is a request");
        is_read_as(&full, header, &qualified.plain);
        assert_eq!(input.position(), qualified.plain.body);
        let contexts = &full.service_contexts;
        let priority = contexts.find(id::RT_CORBA_PRIORITY);
        let priority = priority.map(|data| read_priority_context(data).expect("was read"));
        assert_eq!(priority, qualified.priority);
        let deadline = contexts.find(id::TAUT_DEADLINE);
        let deadline = deadline.map(|data| {
            DeadlineContext::from_context_data(data).expect("was read")
        });
        assert_eq!(deadline, qualified.deadline);
        let told = usize::from(priority.is_some()) + usize::from(deadline.is_some());
        assert_eq!(contexts.len(), told);
    }
    let Ok(request) = decoded else {
        return;
    };
    assert_eq!(
        request.service_contexts.iter().count(),
        request.service_contexts.len()
    );
    let key = request.target.object_key();
    // An operation with NUL is read, for no table has it, but not written.
    if request.operation.contains(&0) {
        return;
    }
    let message = written(header, |out| {
        request.encode(version, out).expect("was decoded");
    });
    let mut again = header.decoder(&message).expect("was begun");
    let again = RequestHeader::decode(version, &mut again).expect("was encoded");
    assert_eq!(again, request);
    assert_eq!(again.target.object_key().ok(), key.ok());
}

fn reply(header: &MessageHeader, mut input: Decoder<'_>, bytes: &[u8]) {
    let version = header.version;
    let decoded = METER.reading(bytes, |_| {
        let reply = ReplyHeader::decode(version, &mut input)?;
        read_outcome(reply.status as u32, &mut input);
        Ok::<_, taut_cdr::Error>(reply)
    });
    let Ok(reply) = decoded else {
        return;
    };
    if is_plain_reply(bytes, version, reply.request_id) {
        assert_eq!(reply.status, ReplyStatus::NoException);
        assert!(reply.service_contexts.is_empty());
        assert!(bytes.len() >= plain_reply_body(version));
    }
    let message = written(header, |out| {
        reply.encode(version, out).expect("was decoded");
    });
    let mut again = header.decoder(&message).expect("was begun");
    assert_eq!(ReplyHeader::decode(version, &mut again), Ok(reply));
}

/// Reads what follows a status that is no plain answer.
fn read_outcome(status: u32, input: &mut Decoder<'_>) {
    match status {
        2 => drop(SystemException::decode(input)),
        3 | 4 => drop(Ior::decode(input)),
        5 => drop(AddressingMode::decode(input)),
        _ => {}
    }
}

fn locate_request(header: &MessageHeader, mut input: Decoder<'_>, bytes: &[u8]) {
    let version = header.version;
    let decoded = METER.reading(bytes, |_| LocateRequestHeader::decode(version, &mut input));
    let Ok(request) = decoded else {
        return;
    };
    let _ = request.target.object_key();
    let message = written(header, |out| {
        request.encode(version, out).expect("was decoded");
    });
    let mut again = header.decoder(&message).expect("was begun");
    assert_eq!(
        LocateRequestHeader::decode(version, &mut again),
        Ok(request)
    );
}

fn locate_reply(header: &MessageHeader, mut input: Decoder<'_>, bytes: &[u8]) {
    let version = header.version;
    let decoded = METER.reading(bytes, |_| {
        let reply = LocateReplyHeader::decode(version, &mut input)?;
        match reply.status {
            LocateStatus::ObjectForward | LocateStatus::ObjectForwardPerm => {
                drop(Ior::decode(&mut input));
            }
            LocateStatus::LocSystemException => drop(SystemException::decode(&mut input)),
            LocateStatus::LocNeedsAddressingMode => drop(AddressingMode::decode(&mut input)),
            LocateStatus::UnknownObject | LocateStatus::ObjectHere => {}
        }
        Ok::<_, taut_cdr::Error>(reply)
    });
    let Ok(reply) = decoded else {
        return;
    };
    let message = written(header, |out| reply.encode(out));
    let mut again = header.decoder(&message).expect("was begun");
    assert_eq!(LocateReplyHeader::decode(version, &mut again), Ok(reply));
}

fn cancel_request(header: &MessageHeader, mut input: Decoder<'_>) {
    let Ok(cancel) = CancelRequestHeader::decode(&mut input) else {
        return;
    };
    let message = written(header, |out| cancel.encode(out));
    let mut again = header.decoder(&message).expect("was begun");
    assert_eq!(CancelRequestHeader::decode(&mut again), Ok(cancel));
}
