//! A stream of messages, read at once and read in small portions.

#![no_main]

use libfuzzer_sys::fuzz_target;
use taut_fuzz::Meter;
use taut_giop::framing::{Framer, FramingLimits, Step};
use taut_giop::message::FrameError;

#[global_allocator]
static METER: Meter = Meter::new();

const LIMITS: FramingLimits = FramingLimits {
    max_message_size: 4096,
    max_reassembled_size: 4096,
    max_partial_messages: 4,
    max_partial_bytes: 8192,
    max_empty_fragments: 2,
};

/// The messages in a stream that comes in portions of these sizes, and what is
/// wrong with it.
fn read(stream: &[u8], portions: &[u8]) -> (Vec<Vec<u8>>, Option<FrameError>) {
    let mut framer = Framer::new(LIMITS);
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
                Err(error) => return (messages, Some(error)),
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
    // Of wrong magic only as much is reported as has arrived.
    assert_eq!(
        error.map(|error| core::mem::discriminant(&error)),
        same_error.map(|error| core::mem::discriminant(&error))
    );
});
