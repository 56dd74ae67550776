//! Cutting a message into fragments (CORBA 3.3 part 2, 9.4.9).
//!
//! Only messages of GIOP 1.2 and of GIOPlite are cut. In 1.1 a piece must not end within a
//! number, which code that cuts finished octets cannot know, and is aligned from
//! its own start; besides, omniORB refuses some of such pieces and JacORB all.

use crate::Version;
use crate::message::{HEADER_SIZE, MessageHeader, MessageType};

/// The header of a fragment of GIOP 1.2, and the request id behind it; in GIOPlite there
/// are fewer octets.
const FRAGMENT_HEADER: usize = HEADER_SIZE + 4;

/// The least size that a fragment can be asked to have.
pub const MIN_FRAGMENT_SIZE: usize = 32;

/// One piece of a message, ready to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece<'m> {
    head: [u8; FRAGMENT_HEADER],
    head_size: usize,
    /// The octets of the message that the piece carries.
    pub payload: &'m [u8],
}

impl Piece<'_> {
    /// Returns the octets that go before the payload.
    pub fn head(&self) -> &[u8] {
        &self.head[..self.head_size]
    }
}

/// The pieces of a message, in order.
#[derive(Debug, Clone)]
pub struct Fragments<'m> {
    header: MessageHeader,
    /// The header's octets, padded.
    first: [u8; HEADER_SIZE],
    /// The request id by which the fragments name their message.
    request_id: [u8; 4],
    /// Octets of a piece at most, its header included.
    max_size: usize,
    /// The octets that have not been sent, without the message's header.
    rest: &'m [u8],
    is_first: bool,
}

impl<'m> Fragments<'m> {
    /// Cuts a whole message into pieces of at most `max_size` octets each, or of
    /// [`MIN_FRAGMENT_SIZE`] if that is more.
    ///
    /// A message that is no larger, that may not be cut, or that is older than
    /// GIOP 1.2, is one piece. None when `message` is not one whole message.
    pub fn new(message: &'m [u8], max_size: usize) -> Option<Self> {
        let header = MessageHeader::of_message(message)?;
        if header.total_size() != message.len() {
            return None;
        }
        let (head, rest) = message.split_at(header.header_size());
        let mut first = [0; HEADER_SIZE];
        first[..head.len()].copy_from_slice(head);
        Some(Self {
            header,
            first,
            request_id: rest.first_chunk().copied().unwrap_or_default(),
            max_size: match is_cut(&header) {
                true => max_size.max(MIN_FRAGMENT_SIZE),
                false => usize::MAX,
            },
            rest,
            is_first: true,
        })
    }

    /// The head of the piece that comes next, of which neither the size is known nor
    /// whether it is the last, and its length.
    fn head(&self) -> ([u8; FRAGMENT_HEADER], usize) {
        let size = self.header.header_size();
        let mut head = [0; FRAGMENT_HEADER];
        if self.is_first {
            head[..size].copy_from_slice(&self.first[..size]);
            return (head, size);
        }
        let header = MessageHeader {
            message_type: MessageType::Fragment,
            ..self.header
        };
        head[..size].copy_from_slice(&header.to_bytes());
        head[size..size + 4].copy_from_slice(&self.request_id);
        (head, size + 4)
    }
}

/// Whether such a message may be sent in pieces.
fn is_cut(header: &MessageHeader) -> bool {
    header.version >= Version::V1_2 && header.message_type.is_fragmentable(header.version)
}

impl<'m> Iterator for Fragments<'m> {
    type Item = Piece<'m>;

    fn next(&mut self) -> Option<Piece<'m>> {
        if self.rest.is_empty() && !self.is_first {
            return None;
        }
        let (mut head, head_size) = self.head();
        let is_last = self.rest.len() <= self.max_size - head_size;
        let taken = match is_last {
            true => self.rest.len(),
            // A piece that is not the last is a multiple of 8 octets in all.
            false => (self.max_size & !7) - head_size,
        };
        let (payload, rest) = self.rest.split_at(taken);
        self.rest = rest;
        self.is_first = false;
        MessageHeader {
            more_fragments: !is_last,
            // No more than the message had in all, which its header could tell.
            size: (head_size - self.header.header_size() + taken) as u32,
            ..self.header
        }
        .patch_pieces(&mut head);
        Some(Piece {
            head,
            head_size,
            payload,
        })
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use taut_cdr::ByteOrder;

    use super::super::{Framer, FramingLimits, Step};
    use super::*;

    /// A Request whose body is counted up.
    fn message(version: Version, order: ByteOrder, size: usize) -> Vec<u8> {
        let header = MessageHeader {
            version,
            order,
            more_fragments: false,
            message_type: MessageType::Request,
            size: size as u32,
        };
        let mut message = header.to_bytes().to_vec();
        if version.is_lite() {
            // The response flags of a Request.
            message[2] = 3;
        }
        message.extend((0..size).map(|number| number as u8));
        message
    }

    /// Joins pieces as a peer does; returns the message and the size of the largest piece.
    fn joined(version: Version, pieces: Fragments<'_>) -> (Vec<u8>, usize) {
        let mut framer = Framer::of(version, FramingLimits::DEFAULT);
        let mut largest = 0;
        for piece in pieces {
            let octets = [piece.head(), piece.payload].concat();
            largest = largest.max(octets.len());
            match framer.next(&octets).unwrap() {
                Step::Absorbed { consumed } => assert_eq!(consumed, octets.len()),
                Step::Message { bytes, .. } => return (bytes.to_vec(), largest),
                Step::Reassembled { message, .. } => {
                    assert!(message.realignments.is_empty());
                    return (message.bytes, largest);
                }
                Step::NeedMore { .. } => panic!("a piece is not whole"),
            }
        }
        panic!("the last piece says that more follow");
    }

    #[test]
    fn pieces_are_as_large_as_allowed_and_join_to_the_message() {
        let versions = [Version::V1_2, Version::LITE];
        let orders = [ByteOrder::Big, ByteOrder::Little];
        for (version, order) in versions
            .iter()
            .flat_map(|v| orders.map(|order| (*v, order)))
        {
            for size in 4..200 {
                let message = message(version, order, size);
                for max_size in [0, 32, 33, 39, 40, 64, 1_000] {
                    let pieces = Fragments::new(&message, max_size).unwrap();
                    let count = pieces.clone().count();
                    let (whole, largest) = joined(version, pieces);
                    assert_eq!(whole, message);
                    assert!(largest <= max_size.max(MIN_FRAGMENT_SIZE));
                    assert_eq!(count == 1, message.len() <= max_size.max(32));
                }
            }
        }
    }

    #[test]
    fn what_may_not_be_cut_is_one_piece() {
        let cancel = MessageHeader {
            message_type: MessageType::CancelRequest,
            ..MessageHeader::parse(b"GIOP\x01\x02\0\0\0\0\x01\0").unwrap()
        };
        let cancel = [&cancel.to_bytes()[..], &[0; 256]].concat();
        let mut pieces = Fragments::new(&cancel, 40).unwrap();
        assert_eq!(pieces.next().unwrap().payload.len(), 256);
        assert!(pieces.next().is_none());

        let message = message(Version::V1_2, ByteOrder::Little, 500);
        assert!(Fragments::new(&message[..400], 40).is_none());
        assert!(Fragments::new(b"GIOP", 40).is_none());
    }

    /// A cut of GIOP 1.1 that knows nothing of what it cuts may split a number of
    /// 8 octets, and peers refuse it.
    #[test]
    fn messages_before_1_2_were_cut_within_numbers() {
        for version in [Version::V1_0, Version::V1_1] {
            let message = message(version, ByteOrder::Little, 500);
            let mut pieces = Fragments::new(&message, 40).unwrap();
            let whole = pieces.next().unwrap();
            assert_eq!([whole.head(), whole.payload].concat(), message);
            assert!(pieces.next().is_none());
        }
    }
}
