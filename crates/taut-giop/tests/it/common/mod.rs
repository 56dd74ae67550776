//! The parts that several tests share.

#![allow(dead_code, unused_imports, unreachable_pub, missing_docs)]
#![allow(clippy::unwrap_used)]

pub mod arbitrary;
pub mod atoms;
pub mod octets;
pub mod pair;
pub mod said;
pub mod script;

pub use octets::{from_hexadecimal, omniorb_messages};
use taut_cdr::{ByteOrder, Encoder};
use taut_giop::Version;
use taut_giop::message::{
    MessageHeader, MessageType, ReplyStatus, begin_message, finish_message, lite,
};

pub const VERSIONS: [Version; 3] = [Version::V1_0, Version::V1_1, Version::V1_2];
/// The same, and GIOPlite.
pub const PROTOCOLS: [Version; 4] = [Version::V1_0, Version::V1_1, Version::V1_2, Version::LITE];
pub const ORDERS: [ByteOrder; 2] = [ByteOrder::Big, ByteOrder::Little];

/// All that GIOP 1.2 has; the first four are those of older versions.
pub const STATUSES: [ReplyStatus; 6] = [
    ReplyStatus::NoException,
    ReplyStatus::UserException,
    ReplyStatus::SystemException,
    ReplyStatus::LocationForward,
    ReplyStatus::LocationForwardPerm,
    ReplyStatus::NeedsAddressingMode,
];

/// A message with what `content` writes.
pub fn message(
    version: Version,
    order: ByteOrder,
    message_type: MessageType,
    content: impl FnOnce(&mut Encoder),
) -> Vec<u8> {
    let mut out = Encoder::new(order);
    begin_message(&mut out, version, message_type);
    content(&mut out);
    finish_message(&mut out).unwrap();
    out.into_buffer()
}

pub fn header(bytes: &[u8]) -> MessageHeader {
    match bytes[0] {
        b'G' => MessageHeader::parse(bytes.first_chunk().unwrap()).unwrap(),
        _ => lite::parse(bytes.first_chunk().unwrap()).unwrap(),
    }
}

/// One piece of a message, big-endian, with `content` behind its header.
pub fn piece(version: Version, message_type: MessageType, more: bool, content: &[u8]) -> Vec<u8> {
    piece_of(version, ByteOrder::Big, message_type, more, content)
}

/// One piece of a message, with `content` behind its header.
pub fn piece_of(
    version: Version,
    order: ByteOrder,
    message_type: MessageType,
    more: bool,
    content: &[u8],
) -> Vec<u8> {
    let header = MessageHeader {
        version,
        order,
        more_fragments: more,
        message_type,
        size: content.len() as u32,
    };
    [&header.to_bytes()[..], content].concat()
}

/// The octets of a number in a byte order.
pub fn in_order<const N: usize>(order: ByteOrder, mut big_endian: [u8; N]) -> [u8; N] {
    if order == ByteOrder::Little {
        big_endian.reverse();
    }
    big_endian
}

/// Cuts a message into pieces that end at `cuts`, which ascend: for 1.1 just where
/// alignment goes on as if it had not been cut.
pub fn fragment(message: &[u8], cuts: &[usize]) -> Vec<Vec<u8>> {
    let first = header(message);
    let mut bounds = cuts.to_vec();
    bounds.push(message.len());
    let mut start = first.header_size();
    let request_id_at = start..start + 4;
    let mut pieces = Vec::new();
    for (index, &end) in bounds.iter().enumerate() {
        let (message_type, request_id) = match index {
            0 => (first.message_type, &[][..]),
            _ if first.version < Version::V1_2 => (MessageType::Fragment, &[][..]),
            _ => (MessageType::Fragment, &message[request_id_at.clone()]),
        };
        let content = [request_id, &message[start..end]].concat();
        let more = index < cuts.len();
        pieces.push(piece_of(
            first.version,
            first.order,
            message_type,
            more,
            &content,
        ));
        if index == 0 {
            keep_rest_of_header(&mut pieces[0], message);
        }
        start = end;
    }
    pieces
}

/// Has a first piece say of its message what is not in a [`MessageHeader`].
fn keep_rest_of_header(piece: &mut [u8], message: &[u8]) {
    if message[0] != b'G' {
        piece[1] |= message[1];
        piece[2] = message[2];
    }
}
