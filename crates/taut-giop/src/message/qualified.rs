//! Requests that tell their quality, a priority or a deadline, and have no other service
//! context, and the replies that tell a priority (Real-time CORBA, model CLIENT_PROPAGATED).
//!
//! They are recognised by their octets, as plain messages are, and after those: a message that
//! is plain is not looked at twice.

use taut_cdr::{ByteOrder, Decoder, Encoder, Error, ErrorKind, Result};

use super::plain::{Start, body};
use super::{BodyStart, EncodedReplyHeader, HEADER_SIZE, MessageHeader, MessageType, PlainRequest};
use crate::Version;
use crate::deadline_context::DeadlineContext;
use crate::service_context::id;

/// The octets of the data of the context RTCorbaPriority: an encapsulation of a `short`.
const DATA_SIZE: usize = 4;

/// The octets of a list of service contexts that has this one alone: how many there are, its
/// id, the size of its data, and the data.
const LIST_SIZE: usize = 12 + DATA_SIZE;

/// The octets of the header of a reply that has this context alone, in GIOP 1.2.
const REPLY_SIZE: usize = HEADER_SIZE + 8 + LIST_SIZE;

/// Where its body begins.
const REPLY_BODY: usize = REPLY_SIZE.next_multiple_of(8);

/// Where the status of a reply stands in GIOP 1.2.
const STATUS_OFFSET: usize = HEADER_SIZE + 4;

/// Returns the data of the service context RTCorbaPriority for this priority.
#[inline]
pub const fn priority_context(order: ByteOrder, priority: i16) -> [u8; DATA_SIZE] {
    let [first, second] = match order {
        ByteOrder::Little => priority.to_le_bytes(),
        ByteOrder::Big => priority.to_be_bytes(),
    };
    [order.flag(), 0, first, second]
}

/// Reads the data of the service context RTCorbaPriority.
///
/// # Errors
///
/// When it is no encapsulation of a `short`, or the priority is negative.
pub fn read_priority_context(data: &[u8]) -> Result<i16> {
    let priority = Decoder::encapsulated(data)?.read()?;
    check(priority)?;
    Ok(priority)
}

/// Reads the data of the service context RTCorbaPriorityRange: the lowest and the highest
/// priority of the connection.
///
/// # Errors
///
/// When it is no encapsulation of two of `short`, one of them is negative, or the first is
/// higher than the second.
pub fn read_priority_range_context(data: &[u8]) -> Result<(i16, i16)> {
    let mut input = Decoder::encapsulated(data)?;
    let (low, high) = (input.read()?, input.read()?);
    check(low)?;
    match low <= high {
        true => Ok((low, high)),
        false => Err(invalid("a band of priorities ends below its beginning")),
    }
}

fn check(priority: i16) -> Result<()> {
    match priority >= 0 {
        true => Ok(()),
        false => Err(invalid("a CORBA priority is negative")),
    }
}

#[cold]
fn invalid(what: &'static str) -> Error {
    Error::new(ErrorKind::Invalid(what), 0)
}

/// A [plain](PlainRequest) Request of GIOP 1.2, but that it tells its quality: its only service
/// contexts are RTCorbaPriority and, behind it, Taut's deadline, or one of them, in this
/// machine's byte order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QualifiedRequest<'m> {
    /// The rest of the request.
    pub plain: PlainRequest<'m>,
    /// The CORBA priority of the caller, 0 or more.
    pub priority: Option<i16>,
    /// The deadline of the call.
    pub deadline: Option<DeadlineContext>,
}

impl<'m> QualifiedRequest<'m> {
    /// Reads octets that are just one whole message; none when they are anything but such a
    /// request.
    pub fn read(message: &'m [u8]) -> Option<Self> {
        if let Some((plain, priority)) = Self::read_prioritized(message) {
            return Some(Self {
                plain,
                priority: Some(priority),
                deadline: None,
            });
        }
        Self::read_with_deadline(message)
    }

    /// Reads a request that tells its priority alone, as most of them do.
    #[inline(always)]
    pub fn read_prioritized(message: &'m [u8]) -> Option<(PlainRequest<'m>, i16)> {
        let start = Start::read(message)?;
        let list = start.end.checked_add(3)? & !3;
        let octets = message.get(list..)?.first_chunk::<LIST_SIZE>()?;
        let priority = priority_in(octets, &LIST_START)?;
        let body = body(message, list + LIST_SIZE)?;
        Some((start.with_body(body), priority))
    }

    /// Reads a request that tells its deadline.
    pub fn read_with_deadline(message: &'m [u8]) -> Option<Self> {
        let start = Start::read(message)?;
        let list = start.end.checked_add(3)? & !3;
        let mut octets = message.get(list..)?;
        let priority = match octets.first_chunk::<LIST_SIZE>() {
            Some(first) if first[..4] == 2_u32.to_ne_bytes() => {
                let priority = priority_in(first, &LIST_OF_TWO_START)?;
                octets = &octets[LIST_SIZE..];
                Some(priority)
            }
            Some(first) if first[..4] == 1_u32.to_ne_bytes() => {
                octets = &octets[4..];
                None
            }
            _ => return None,
        };
        let deadline = octets.first_chunk::<DEADLINE_SIZE>()?;
        if deadline[..12] != DEADLINE_START {
            return None;
        }
        // The octets that fill it up have no meaning; whoever wants to see them reads in full.
        let deadline = DeadlineContext::from_context_data(&deadline[8..])
            .ok()
            .filter(|context| context.to_context_data() == deadline[8..])?;
        let behind = message.len() - octets.len() + DEADLINE_SIZE;
        let body = body(message, behind)?;
        Some(Self {
            plain: start.with_body(body),
            priority,
            deadline: Some(deadline),
        })
    }
}

/// The priority in the octets of a list that begins so, unless it is negative.
#[inline(always)]
fn priority_in(octets: &[u8; LIST_SIZE], begin: &[u8; LIST_SIZE - 2]) -> Option<i16> {
    let (start, priority) = octets.split_at(LIST_SIZE - 2);
    let priority = i16::from_ne_bytes([priority[0], priority[1]]);
    (start == begin && priority >= 0).then_some(priority)
}

/// The list that has just the context of a priority, up to the priority.
const LIST_START: [u8; LIST_SIZE - 2] = list_start(1);

/// The list that has one context behind that.
const LIST_OF_TWO_START: [u8; LIST_SIZE - 2] = list_start(2);

const fn list_start(count: u32) -> [u8; LIST_SIZE - 2] {
    let (count, id) = (count.to_ne_bytes(), id::RT_CORBA_PRIORITY.to_ne_bytes());
    let size = (DATA_SIZE as u32).to_ne_bytes();
    let data = priority_context(ByteOrder::NATIVE, 0);
    let mut list = [0; LIST_SIZE - 2];
    let mut at = 0;
    while at < 4 {
        list[at] = count[at];
        list[4 + at] = id[at];
        list[8 + at] = size[at];
        at += 1;
    }
    list[12] = data[0];
    list[13] = data[1];
    list
}

/// The octets of the context of a deadline: its id, the size of its data, and the data.
const DEADLINE_SIZE: usize = 8 + DeadlineContext::SIZE;

/// How they begin: up to what has a meaning in the data.
const DEADLINE_START: [u8; 12] = {
    let (id, size) = (
        id::TAUT_DEADLINE.to_ne_bytes(),
        DeadlineContext::SIZE as u32,
    );
    let size = size.to_ne_bytes();
    [
        id[0],
        id[1],
        id[2],
        id[3],
        size[0],
        size[1],
        size[2],
        size[3],
        ByteOrder::NATIVE.flag(),
        0,
        0,
        0,
    ]
};

/// Begins a Reply of GIOP 1.2 that has this service context alone, and its body, in an empty
/// encoder of this machine's byte order.
#[inline(always)]
pub fn begin_prioritized_reply(
    out: &mut Encoder,
    request_id: u32,
    priority: i16,
) -> (EncodedReplyHeader, BodyStart) {
    debug_assert!(out.is_empty() && out.order() == ByteOrder::NATIVE);
    let header = MessageHeader {
        version: Version::V1_2,
        order: ByteOrder::NATIVE,
        more_fragments: false,
        message_type: MessageType::Reply,
        size: 0,
    };
    let mut octets = [0; REPLY_BODY];
    octets[..HEADER_SIZE].copy_from_slice(&header.giop_bytes());
    octets[HEADER_SIZE..STATUS_OFFSET].copy_from_slice(&request_id.to_ne_bytes());
    octets[REPLY_SIZE - LIST_SIZE..REPLY_SIZE - 2].copy_from_slice(&LIST_START);
    octets[REPLY_SIZE - 2..REPLY_SIZE].copy_from_slice(&priority.to_ne_bytes());
    // With the padding in front of the body, which is taken back if there is none.
    out.write_bytes(&octets);
    let body = BodyStart::at(REPLY_SIZE, REPLY_BODY);
    (EncodedReplyHeader::at(STATUS_OFFSET), body)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::message::{
        ReplyHeader, ReplyStatus, RequestHeader, ResponseFlags, TargetAddress, begin_body,
        begin_message, finish_message,
    };
    use crate::service_context::{ServiceContext, ServiceContexts};

    fn request(
        (version, order): (Version, ByteOrder),
        response: ResponseFlags,
        contexts: &[ServiceContext<'_>],
        arguments: &[u8],
    ) -> Vec<u8> {
        let mut out = Encoder::new(order);
        begin_message(&mut out, version, MessageType::Request);
        let header = RequestHeader {
            request_id: 0x0102_0304,
            response,
            target: TargetAddress::Key(b"a key"),
            operation: b"ping",
            service_contexts: ServiceContexts::new(contexts),
        };
        header.encode(version, &mut out).unwrap();
        let start = begin_body(version, &mut out);
        out.write_bytes(arguments);
        start.finish(&mut out);
        finish_message(&mut out).unwrap();
        out.into_buffer()
    }

    fn context(data: &[u8]) -> ServiceContext<'_> {
        let id = id::RT_CORBA_PRIORITY;
        ServiceContext { id, data }
    }

    const NATIVE: (Version, ByteOrder) = (Version::V1_2, ByteOrder::NATIVE);

    #[test]
    fn the_contexts_have_the_octets_of_the_standard() {
        assert_eq!(priority_context(ByteOrder::Big, 0x0102), [0, 0, 1, 2]);
        assert_eq!(priority_context(ByteOrder::Little, 0x0102), [1, 0, 2, 1]);
        for order in [ByteOrder::Big, ByteOrder::Little] {
            for priority in [0, 1, 32_767] {
                let data = priority_context(order, priority);
                assert_eq!(read_priority_context(&data).unwrap(), priority);
            }
        }
        for wrong in [&b""[..], &[0], &[0, 0, 1], &[0, 0, 0x80, 0], &[2, 0, 0, 0]] {
            assert!(read_priority_context(wrong).is_err(), "{wrong:?}");
        }
        assert_eq!(
            read_priority_range_context(&[0, 0, 0, 1, 0, 9]).unwrap(),
            (1, 9)
        );
        assert_eq!(
            read_priority_range_context(&[1, 0, 7, 0, 7, 0]).unwrap(),
            (7, 7)
        );
        for wrong in [
            &[0, 0, 0, 9, 0, 1][..],
            &[0, 0, 0xff, 0, 0, 1],
            &[0, 0, 0, 1],
        ] {
            assert!(read_priority_range_context(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_request_with_a_priority_is_read_as_in_full_and_nothing_else_is() {
        for priority in [0, 1, 7_000, 32_767] {
            for (response, arguments) in [
                (ResponseFlags::Expected, &b""[..]),
                (ResponseFlags::None, b"arguments"),
            ] {
                let data = priority_context(ByteOrder::NATIVE, priority);
                let message = request(NATIVE, response, &[context(&data)], arguments);
                let found = QualifiedRequest::read(&message).unwrap();
                assert_eq!((found.priority, found.deadline), (Some(priority), None));
                let plain = found.plain;
                assert_eq!(
                    (plain.object_key, plain.operation),
                    (&b"a key"[..], &b"ping"[..])
                );
                assert_eq!(plain.request_id, 0x0102_0304);
                assert_eq!(plain.response_expected, response == ResponseFlags::Expected);
                assert_eq!(&message[plain.body..], arguments);
                assert_eq!(PlainRequest::read(&message), None);
                for cut in 0..message.len() {
                    assert_eq!(QualifiedRequest::read(&message[..cut]), None, "{cut}");
                }
                let longer = [&message[..], b"."].concat();
                assert_eq!(QualifiedRequest::read(&longer), None);
            }
        }
    }

    #[test]
    fn a_request_with_a_deadline_is_read_with_and_without_a_priority() {
        let deadline = DeadlineContext {
            operation: 3,
            time_left: 0x0102_0304_0506,
            sent_at: u64::MAX,
        };
        let data = deadline.to_context_data();
        let of_deadline = |data| ServiceContext {
            id: id::TAUT_DEADLINE,
            data,
        };
        let priority = priority_context(ByteOrder::NATIVE, 5);
        let (own, first) = (of_deadline(&data), context(&priority));
        let expected = ResponseFlags::Expected;
        for (contexts, priority) in [(&[own][..], None), (&[first, own], Some(5))] {
            for arguments in [&b""[..], b"arguments"] {
                let message = request(NATIVE, expected, contexts, arguments);
                let found = QualifiedRequest::read(&message).unwrap();
                assert_eq!((found.priority, found.deadline), (priority, Some(deadline)));
                assert_eq!(&message[found.plain.body..], arguments);
                for cut in 0..message.len() {
                    assert_eq!(QualifiedRequest::read(&message[..cut]), None, "{cut}");
                }
            }
        }
        let mut padded = data;
        padded[2] = 1;
        for contexts in [
            &[own, first][..],
            &[own, own],
            &[first, of_deadline(&padded)],
            &[of_deadline(&data[..23])],
            &[first, own, own],
        ] {
            let message = request(NATIVE, expected, contexts, b"arguments");
            assert_eq!(QualifiedRequest::read(&message), None, "{contexts:?}");
        }
    }

    #[test]
    fn other_requests_have_to_be_read_in_full() {
        let data = priority_context(ByteOrder::NATIVE, 5);
        let own = context(&data);
        let foreign = match ByteOrder::NATIVE {
            ByteOrder::Little => ByteOrder::Big,
            ByteOrder::Big => ByteOrder::Little,
        };
        let expected = ResponseFlags::Expected;
        let mut other_order = data;
        other_order.reverse();
        other_order.rotate_left(2);
        other_order[..2].copy_from_slice(&[foreign.flag(), 0]);
        let padded = [data[0], 1, data[2], data[3]];
        let negative = priority_context(ByteOrder::NATIVE, -1);
        let longer = [data[0], 0, data[2], data[3], 0];
        let range = ServiceContext {
            id: id::RT_CORBA_PRIORITY_RANGE,
            data: &data,
        };
        for (of, response, contexts) in [
            (NATIVE, expected, &[][..]),
            (NATIVE, expected, &[own, own]),
            (NATIVE, expected, &[range]),
            (NATIVE, expected, &[context(&other_order)]),
            (NATIVE, expected, &[context(&padded)]),
            (NATIVE, expected, &[context(&negative)]),
            (NATIVE, expected, &[context(&longer)]),
            (NATIVE, ResponseFlags::SyncWithServer, &[own]),
            ((Version::V1_2, foreign), expected, &[own]),
            ((Version::V1_1, ByteOrder::NATIVE), expected, &[own]),
            ((Version::LITE, ByteOrder::NATIVE), expected, &[own]),
        ] {
            let message = request(of, response, contexts, b"arguments");
            assert_eq!(
                QualifiedRequest::read(&message),
                None,
                "{of:?} {contexts:?}"
            );
        }
    }

    #[test]
    fn a_reply_with_a_priority_is_that_which_is_written_in_full() {
        for body in [&b""[..], b"x", b"a longer body"] {
            for status in [ReplyStatus::NoException, ReplyStatus::UserException] {
                let mut out = Encoder::new(ByteOrder::NATIVE);
                let (header, start) = begin_prioritized_reply(&mut out, 9, 300);
                header.set_status(&mut out, status);
                assert_eq!(header.request_id(&out), Some(9));
                out.write_bytes(body);
                start.finish(&mut out);
                finish_message(&mut out).unwrap();

                let data = priority_context(ByteOrder::NATIVE, 300);
                let contexts = [context(&data)];
                let mut full = Encoder::new(ByteOrder::NATIVE);
                begin_message(&mut full, Version::V1_2, MessageType::Reply);
                let header = ReplyHeader {
                    request_id: 9,
                    status,
                    service_contexts: ServiceContexts::new(&contexts),
                };
                header.encode(Version::V1_2, &mut full).unwrap();
                let start = begin_body(Version::V1_2, &mut full);
                full.write_bytes(body);
                start.finish(&mut full);
                finish_message(&mut full).unwrap();
                assert_eq!(out.as_bytes(), full.as_bytes());
            }
        }
    }
}
