//! Values of value types: identities, derived types, chunks, and what hostile
//! octets do.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod anys;
mod dynamic;
mod hostile;
mod omniorb_vectors;
mod round_trips;
pub(crate) mod types;
mod wire;

use taut_cdr::{ByteOrder, CharCodeSet, Decode, Decoder, Encode, Encoder, Realignment};
use taut_types::value::Value;
use types::Node;

const ORDERS: [ByteOrder; 2] = [ByteOrder::Big, ByteOrder::Little];

fn node(id: i32, left: Option<Value<Node>>, right: Option<Value<Node>>) -> Value<Node> {
    Value::new(Node { id, left, right })
}

fn encode<T: Encode>(value: &T, order: ByteOrder, offset: usize) -> Vec<u8> {
    let mut out = Encoder::new(order);
    out.set_char_code_set(CharCodeSet::Utf8);
    out.write_bytes(&vec![0xaa; offset]);
    value.encode(&mut out).unwrap();
    assert_eq!(out.chunk_level(), 0);
    out.into_buffer()
}

fn decoder(octets: &[u8], order: ByteOrder) -> Decoder<'_> {
    Decoder::new(octets, order).with_char_code_set(CharCodeSet::Utf8)
}

fn decode<T: for<'m> Decode<'m>>(
    octets: &[u8],
    order: ByteOrder,
    offset: usize,
) -> taut_cdr::Result<T> {
    let mut input = decoder(octets, order);
    input.skip(offset)?;
    let value = T::decode(&mut input)?;
    assert_eq!(input.remaining(), 0, "octets are left over");
    Ok(value)
}

/// As from a message of many fragments, each of which happens to be aligned as
/// a whole message is.
fn decode_in_pieces<T: for<'m> Decode<'m>>(octets: &[u8], order: ByteOrder, offset: usize) -> T {
    let places: Vec<_> = (8..octets.len())
        .step_by(8)
        .map(|position| Realignment { position, phase: 0 })
        .collect();
    let mut input = decoder(octets, order).with_realignments(&places);
    input.skip(offset).unwrap();
    T::decode(&mut input).unwrap()
}

/// In both orders and at all alignments; what came out of the last.
fn round_trip<T: Encode + for<'m> Decode<'m> + PartialEq + std::fmt::Debug>(value: &T) -> T {
    let mut last = None;
    for order in ORDERS {
        for offset in 0..9 {
            let octets = encode(value, order, offset);
            let received: T = decode(&octets, order, offset).unwrap();
            assert_eq!(received, *value);
            assert_eq!(decode_in_pieces::<T>(&octets, order, offset), *value);
            for cut in offset..octets.len() {
                assert!(
                    decode::<T>(&octets[..cut], order, offset).is_err(),
                    "cut at {cut}"
                );
            }
            last = Some(received);
        }
    }
    last.unwrap()
}
