//! A stream of messages of GIOPlite, read at once and in small portions; and each of its
//! messages, as its type says.

#![no_main]

use libfuzzer_sys::fuzz_target;
use taut_cdr::{ByteOrder, Decode, Decoder, Encoder};
use taut_fuzz::Meter;
use taut_giop::framing::{Fragments, Framer, FramingLimits, Step, refusal};
use taut_giop::message::{
    CancelRequestHeader, FrameError, LocateReplyHeader, LocateRequestHeader, MessageHeader,
    MessageType, PlainRequest, ReplyHeader, ReplyStatus, RequestHeader, ResponseFlags,
    TargetAddress, begin_message, is_plain_reply, lite, plain_reply_body,
};
use taut_giop::{Ior, Limits, SystemException, Version};

#[global_allocator]
static METER: Meter = Meter::new();

const LIMITS: FramingLimits = FramingLimits {
    max_message_size: 4096,
    max_reassembled_size: 4096,
    max_partial_messages: 4,
    max_partial_bytes: 8192,
    max_empty_fragments: 2,
};

/// The messages in a stream that comes in portions of these sizes, and what is wrong with
/// it, with the octets that are.
fn read(stream: &[u8], portions: &[u8]) -> (Vec<Vec<u8>>, Option<(FrameError, usize)>) {
    let mut framer = Framer::of(Version::LITE, LIMITS);
    let mut messages = Vec::new();
    let mut portions = portions.iter().cycle();
    let (mut start, mut end) = (0, 0);
    loop {
        if end < stream.len() {
            let portion = portions
                .next()
                .map_or(stream.len(), |&size| usize::from(size) + 1);
            end = (end + portion).min(stream.len());
        }
        loop {
            let consumed = match framer.next(&stream[start..end]) {
                Err(error) => return (messages, Some((error, start))),
                Ok(Step::NeedMore { total }) => {
                    assert!(total > end - start);
                    break;
                }
                Ok(Step::Absorbed { consumed }) => consumed,
                Ok(Step::Message {
                    bytes, consumed, ..
                }) => {
                    messages.push(bytes.to_vec());
                    consumed
                }
                Ok(Step::Reassembled { message, consumed }) => {
                    assert!(message.realignments.is_empty());
                    messages.push(message.bytes);
                    consumed
                }
            };
            assert!(consumed > 0);
            start += consumed;
        }
        if end == stream.len() {
            return (messages, None);
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((portions, stream)) = bytes.split_first_chunk::<4>() else {
        return;
    };
    let (messages, error) = METER.reading(stream, |stream| read(stream, &[]));
    let (in_portions, same_error) = read(stream, portions);
    assert_eq!(messages, in_portions);
    // Of what is no message only as much is reported as has arrived.
    let kind = |error: &(FrameError, usize)| (core::mem::discriminant(&error.0), error.1);
    assert_eq!(error.as_ref().map(kind), same_error.as_ref().map(kind));
    if let Some((error, at)) = error {
        assert!(!error.to_string().is_empty());
        assert!(!error.answer(Version::LITE).is_empty());
        let _ = refusal(&stream[at..], &Limits::DEFAULT);
    }
    for message in &messages {
        examine(message);
    }
});

/// One whole message.
fn examine(bytes: &[u8]) {
    let header = bytes.first_chunk().map(lite::parse);
    let header = header.expect("was framed").expect("was framed");
    assert_eq!(header.total_size(), bytes.len());
    let input = header.decoder(bytes).expect("longer than a header");
    match header.message_type {
        MessageType::Request => request(&header, input, bytes),
        MessageType::Reply => reply(&header, input, bytes),
        MessageType::LocateRequest => locate_request(&header, input),
        MessageType::LocateReply => locate_reply(&header, input),
        MessageType::CancelRequest => cancel_request(&header, input),
        MessageType::CloseConnection | MessageType::MessageError => return,
        MessageType::Fragment => panic!("a framer hands out no fragment"),
    }
    joins_again(bytes);
}

/// Cuts a message, and joins the pieces.
fn joins_again(bytes: &[u8]) {
    let mut framer = Framer::of(Version::LITE, LIMITS);
    for piece in Fragments::new(bytes, 40).expect("was framed") {
        let octets = [piece.head(), piece.payload].concat();
        match framer.next(&octets).expect("was cut") {
            Step::Absorbed { .. } => {}
            Step::Message { bytes: whole, .. } => assert_eq!(whole, bytes),
            Step::Reassembled { message, .. } => assert_eq!(message.bytes, bytes),
            Step::NeedMore { .. } => panic!("a piece is whole"),
        }
    }
    assert_eq!(framer.partial_messages(), 0);
}

/// The message that `write` writes behind a header like this one.
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
    if let Some(plain) = PlainRequest::read_lite(bytes) {
        let full = decoded.expect("a plain request is a request");
        assert_eq!(header.order, ByteOrder::NATIVE);
        assert_eq!(full.request_id, plain.request_id);
        assert_eq!(full.target, TargetAddress::Key(plain.object_key));
        assert_eq!(full.operation, plain.operation);
        let response = match plain.response_expected {
            true => ResponseFlags::Expected,
            false => ResponseFlags::None,
        };
        assert_eq!(full.response, response);
        assert!(full.service_contexts.is_empty());
        assert_eq!(input.position(), plain.body);
    }
    let Ok(request) = decoded else {
        return;
    };
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
}

fn reply(header: &MessageHeader, mut input: Decoder<'_>, bytes: &[u8]) {
    let version = header.version;
    let decoded = METER.reading(bytes, |_| {
        let reply = ReplyHeader::decode(version, &mut input)?;
        match reply.status {
            ReplyStatus::SystemException => drop(SystemException::decode(&mut input)),
            ReplyStatus::LocationForward => drop(Ior::decode(&mut input)),
            _ => {}
        }
        Ok::<_, taut_cdr::Error>(reply)
    });
    let Ok(reply) = decoded else {
        return;
    };
    let start = [MessageType::Reply as u8, 0x10 | ByteOrder::NATIVE.flag()];
    let is_plain = bytes[..2] == start && reply.status == ReplyStatus::NoException;
    assert_eq!(is_plain_reply(bytes, version, reply.request_id), is_plain);
    if is_plain {
        assert!(reply.service_contexts.is_empty());
        assert_eq!(input.position(), plain_reply_body(version));
    }
    let message = written(header, |out| {
        reply.encode(version, out).expect("was decoded");
    });
    let mut again = header.decoder(&message).expect("was begun");
    assert_eq!(ReplyHeader::decode(version, &mut again), Ok(reply));
}

fn locate_request(header: &MessageHeader, mut input: Decoder<'_>) {
    let version = header.version;
    let Ok(request) = LocateRequestHeader::decode(version, &mut input) else {
        return;
    };
    let message = written(header, |out| {
        request.encode(version, out).expect("was decoded");
    });
    let mut again = header.decoder(&message).expect("was begun");
    assert_eq!(
        LocateRequestHeader::decode(version, &mut again),
        Ok(request)
    );
}

fn locate_reply(header: &MessageHeader, mut input: Decoder<'_>) {
    let version = header.version;
    let Ok(reply) = LocateReplyHeader::decode(version, &mut input) else {
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
