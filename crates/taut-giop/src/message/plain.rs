//! Messages as most of them are: in one piece, in this machine's byte order,
//! without service contexts. They are recognised by their octets, before any
//! general reading; whatever is not plain has to be read in full.

use taut_cdr::{ByteOrder, Encoder};

use super::header::SIZE_OFFSET;
use super::{EncodedReplyHeader, HEADER_SIZE, MessageHeader, MessageType, ResponseFlags, lite};
use crate::Version;

/// The octets of a Reply's header, all versions of GIOP, without service contexts.
const PLAIN_REPLY_SIZE: usize = HEADER_SIZE + 12;

/// A reply's header as most replies have it: NO_EXCEPTION, no service
/// contexts.
#[inline]
fn plain_reply(
    version: Version,
    order: ByteOrder,
    request_id: u32,
    size: u32,
) -> [u8; PLAIN_REPLY_SIZE] {
    let header = MessageHeader {
        version,
        order,
        more_fragments: false,
        message_type: MessageType::Reply,
        size,
    };
    let mut octets = [0; PLAIN_REPLY_SIZE];
    octets[..HEADER_SIZE].copy_from_slice(&header.giop_bytes());
    let offset = request_id_offset(version);
    octets[offset..offset + 4].copy_from_slice(&match order {
        ByteOrder::Little => request_id.to_le_bytes(),
        ByteOrder::Big => request_id.to_be_bytes(),
    });
    octets
}

/// Where the request id stands when there are no service contexts, which come
/// before it until GIOP 1.1 and behind it since.
#[inline]
const fn request_id_offset(version: Version) -> usize {
    if version.has_layout_1_2() {
        HEADER_SIZE
    } else {
        HEADER_SIZE + 4
    }
}

/// Begins a Reply without service contexts in an empty encoder;
/// [`super::begin_body`] comes next.
#[inline]
pub fn begin_plain_reply(
    out: &mut Encoder,
    version: Version,
    request_id: u32,
) -> EncodedReplyHeader {
    debug_assert!(out.is_empty());
    if version.is_lite() {
        out.write_bytes(&lite::plain_reply(out.order(), request_id, 0));
        return EncodedReplyHeader::at(lite::BEHIND_ID);
    }
    out.write_bytes(&plain_reply(version, out.order(), request_id, 0));
    EncodedReplyHeader::at(request_id_offset(version) + 4)
}

/// Whether `message` is, in one piece, just the reply that was most likely to
/// come: to this request, in this machine's byte order, NO_EXCEPTION, without
/// service contexts. The body, if there is one, then begins behind
/// [`plain_reply_body`] octets. Anything else needs to be read in full.
#[inline(always)]
pub fn is_plain_reply(message: &[u8], version: Version, request_id: u32) -> bool {
    begins_plain_reply(message, message.len(), version, request_id)
}

/// Whether `octets` are the first ones of such a reply, which has `total` in all.
#[inline(always)]
pub fn begins_plain_reply(octets: &[u8], total: usize, version: Version, request_id: u32) -> bool {
    match version {
        // Most octets are constant then.
        Version::V1_2 => begins_plain_giop(octets, total, Version::V1_2, request_id),
        _ => begins_other_plain_reply(octets, total, version, request_id),
    }
}

#[inline(always)]
fn begins_plain_giop(octets: &[u8], total: usize, version: Version, request_id: u32) -> bool {
    let Some(header) = octets.first_chunk::<PLAIN_REPLY_SIZE>() else {
        return false;
    };
    let size = total.checked_sub(HEADER_SIZE).map(u32::try_from);
    let Some(Ok(size)) = size else {
        return false;
    };
    *header == plain_reply(version, ByteOrder::NATIVE, request_id, size)
}

/// The same for what is asked for seldom.
#[cold]
#[inline(never)]
fn begins_other_plain_reply(
    octets: &[u8],
    total: usize,
    version: Version,
    request_id: u32,
) -> bool {
    match version.is_lite() {
        true => lite::begins_plain_reply(octets, total, request_id),
        false => begins_plain_giop(octets, total, version, request_id),
    }
}

/// Where the body of a plain reply begins, in all versions of GIOP.
pub const PLAIN_REPLY_BODY: usize = PLAIN_REPLY_SIZE;

/// Where the body of a plain reply in this version begins.
#[inline]
pub const fn plain_reply_body(version: Version) -> usize {
    match version.is_lite() {
        true => lite::PLAIN_REPLY_BODY,
        false => PLAIN_REPLY_BODY,
    }
}

/// A Request that expects the reply of its servant or none at all, names its target
/// by key, is of GIOP 1.2 or GIOPlite, in this machine's byte order, and has no service
/// contexts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlainRequest<'m> {
    /// The request's id.
    pub request_id: u32,
    /// Whether there is to be a reply.
    pub response_expected: bool,
    /// The object key.
    pub object_key: &'m [u8],
    /// The operation's name.
    pub operation: &'m [u8],
    /// Where the arguments begin, from the message's start; its length when
    /// there are none.
    pub body: usize,
}

/// Where the parts of a plain request stand: the response flags behind the request
/// id, then the addressing mode, and the object key behind its length.
const FLAGS_OFFSET: usize = HEADER_SIZE + 4;
const MODE_OFFSET: usize = HEADER_SIZE + 8;
const KEY_OFFSET: usize = HEADER_SIZE + 16;

impl<'m> PlainRequest<'m> {
    /// Reads the first message in `octets`, behind which there may be others, and says
    /// which octets it is; none when it is anything but a plain request, or not all of it
    /// is there.
    #[inline]
    pub fn first(octets: &'m [u8]) -> Option<(Self, &'m [u8])> {
        let size = octets.get(SIZE_OFFSET..)?.first_chunk::<4>()?;
        let total = HEADER_SIZE.checked_add(u32::from_ne_bytes(*size) as usize)?;
        let message = octets.get(..total)?;
        Self::read(message).map(|request| (request, message))
    }

    /// Reads octets that are just one whole message; none when they are
    /// anything but a plain request.
    #[inline]
    pub fn read(message: &'m [u8]) -> Option<Self> {
        let start = Start::read(message)?;
        let (contexts, behind) = number(message, start.end)?;
        if contexts != 0 {
            return None;
        }
        let body = body(message, behind)?;
        Some(start.with_body(body))
    }
}

/// The octets of a plain request in front of its service contexts.
pub(super) struct Start<'m> {
    request_id: u32,
    response_expected: bool,
    object_key: &'m [u8],
    operation: &'m [u8],
    /// Where the operation's name ends.
    pub(super) end: usize,
}

impl<'m> Start<'m> {
    /// Reads octets that are just one whole message, up to its service contexts; none when it
    /// does not begin as a plain request does.
    #[inline(always)]
    pub(super) fn read(message: &'m [u8]) -> Option<Self> {
        // One look whether all of this is there serves for each.
        let head = message.first_chunk::<KEY_OFFSET>()?;
        let word =
            |at: usize| u32::from_ne_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        if head[..SIZE_OFFSET] != PLAIN_REQUEST_START
            || word(SIZE_OFFSET) as usize != message.len() - HEADER_SIZE
            || !matches!(head[FLAGS_OFFSET], EXPECTED | NOT_EXPECTED)
            || head[MODE_OFFSET..MODE_OFFSET + 2] != [0, 0]
        {
            return None;
        }
        let key_length = word(KEY_OFFSET - 4) as usize;
        let object_key = message[KEY_OFFSET..].get(..key_length)?;
        let behind_key = KEY_OFFSET + key_length;
        let (name, end) = counted(message, behind_key)?;
        let (0, operation) = name.split_last()? else {
            return None;
        };
        Some(Self {
            request_id: word(HEADER_SIZE),
            response_expected: head[FLAGS_OFFSET] == EXPECTED,
            object_key,
            operation,
            end,
        })
    }

    /// The request, whose arguments begin there.
    #[inline(always)]
    pub(super) fn with_body(self, body: usize) -> PlainRequest<'m> {
        PlainRequest {
            request_id: self.request_id,
            response_expected: self.response_expected,
            object_key: self.object_key,
            operation: self.operation,
            body,
        }
    }
}

/// How a plain request begins: all that stands before the message's size.
const PLAIN_REQUEST_START: [u8; SIZE_OFFSET] = [
    b'G',
    b'I',
    b'O',
    b'P',
    Version::V1_2.major,
    Version::V1_2.minor,
    ByteOrder::NATIVE.flag(),
    MessageType::Request as u8,
];

/// The response flags of plain requests.
const EXPECTED: u8 = ResponseFlags::Expected.to_octet();
const NOT_EXPECTED: u8 = ResponseFlags::None.to_octet();

/// Where the body begins whose header ends at `behind`: padding stands only in front of
/// arguments, and then all of it.
#[inline]
pub(super) fn body(message: &[u8], behind: usize) -> Option<usize> {
    match behind.checked_add(7)? & !7 {
        aligned if aligned <= message.len() => Some(aligned),
        _ if behind == message.len() => Some(behind),
        _ => None,
    }
}

/// The aligned number at or behind `offset`, and where it ends.
#[inline]
fn number(message: &[u8], offset: usize) -> Option<(u32, usize)> {
    let start = offset.checked_add(3)? & !3;
    let (octets, _) = message.get(start..)?.split_first_chunk::<4>()?;
    Some((u32::from_ne_bytes(*octets), start + 4))
}

/// The sequence of octets at or behind `offset`, and where it ends.
#[inline]
pub(super) fn counted(message: &[u8], offset: usize) -> Option<(&[u8], usize)> {
    let (count, start) = number(message, offset)?;
    let octets = message.get(start..)?.get(..count as usize)?;
    Some((octets, start + octets.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{
        ReplyHeader, ReplyStatus, RequestHeader, TargetAddress, begin_body, begin_message,
        finish_message,
    };
    use crate::service_context::{ServiceContext, ServiceContexts};
    use alloc::vec;
    use alloc::vec::Vec;

    const VERSIONS: [Version; 4] = [Version::V1_0, Version::V1_1, Version::V1_2, Version::LITE];

    const FOREIGN: ByteOrder = match ByteOrder::NATIVE {
        ByteOrder::Little => ByteOrder::Big,
        ByteOrder::Big => ByteOrder::Little,
    };

    #[test]
    fn a_plain_reply_is_known_by_its_octets_and_nothing_else_is() {
        for version in VERSIONS {
            let reply = |order, id, status, contexts, body: &[u8]| {
                let mut out = Encoder::new(order);
                begin_message(&mut out, version, MessageType::Reply);
                let header = ReplyHeader {
                    request_id: id,
                    status,
                    service_contexts: contexts,
                };
                header.encode(version, &mut out).unwrap();
                let start = begin_body(version, &mut out);
                out.write_bytes(body);
                start.finish(&mut out);
                finish_message(&mut out).unwrap();
                out.into_buffer()
            };
            let plain = ReplyStatus::NoException;
            let none = ServiceContexts::EMPTY;
            for body in [&b""[..], b"x", b"longer body"] {
                let whole = reply(ByteOrder::NATIVE, 9, plain, none, body);
                assert!(is_plain_reply(&whole, version, 9));
                let begin = plain_reply_body(version);
                assert_eq!(&whole[begin..], body);
                for cut in 0..whole.len() {
                    assert!(!is_plain_reply(&whole[..cut], version, 9));
                    let begins = |total| begins_plain_reply(&whole[..cut], total, version, 9);
                    assert_eq!(begins(whole.len()), cut >= begin, "{cut}");
                    assert!(!begins(whole.len() + 1) && !begins(0));
                }
                assert!(!is_plain_reply(&[&whole[..], b"."].concat(), version, 9));

                for order in [ByteOrder::NATIVE, FOREIGN] {
                    let mut out = Encoder::new(order);
                    let header = begin_plain_reply(&mut out, version, 9);
                    header.set_status(&mut out, plain);
                    let start = begin_body(version, &mut out);
                    out.write_bytes(body);
                    start.finish(&mut out);
                    finish_message(&mut out).unwrap();
                    assert_eq!(out.as_bytes(), reply(order, 9, plain, none, body));
                }
            }
            let contexts = [ServiceContext { id: 1, data: b"" }];
            for other in [
                reply(FOREIGN, 9, plain, none, b"x"),
                reply(ByteOrder::NATIVE, 8, plain, none, b"x"),
                reply(ByteOrder::NATIVE, 9, ReplyStatus::UserException, none, b"x"),
                reply(
                    ByteOrder::NATIVE,
                    9,
                    plain,
                    ServiceContexts::new(&contexts),
                    b"x",
                ),
            ] {
                assert!(!is_plain_reply(&other, version, 9));
            }
        }
    }

    #[test]
    fn a_plain_request_that_ended_within_its_padding_was_taken_for_whole() {
        let header = RequestHeader {
            request_id: 4,
            response: ResponseFlags::Expected,
            target: TargetAddress::Key(b""),
            operation: b"nobody",
            service_contexts: ServiceContexts::EMPTY,
        };
        let message = request(Version::V1_2, ByteOrder::NATIVE, header);
        let of_size = |size: usize| {
            let mut message = message[..size].to_vec();
            message[8..12].copy_from_slice(&((size - HEADER_SIZE) as u32).to_ne_bytes());
            PlainRequest::read(&message).map(|plain| plain.body)
        };
        assert_eq!(of_size(44), Some(44));
        for size in 45..48 {
            assert_eq!(of_size(size), None, "{size}");
        }
        assert_eq!(of_size(48), Some(48));
        assert_eq!(of_size(49), Some(48));
    }

    fn request(version: Version, order: ByteOrder, header: RequestHeader<'_>) -> Vec<u8> {
        let mut out = Encoder::new(order);
        begin_message(&mut out, version, MessageType::Request);
        header.encode(version, &mut out).unwrap();
        let start = begin_body(version, &mut out);
        out.write_bytes(b"arguments");
        start.finish(&mut out);
        finish_message(&mut out).unwrap();
        out.into_buffer()
    }

    /// How a protocol's plain requests are read.
    struct Reading {
        version: Version,
        read: fn(&[u8]) -> Option<PlainRequest<'_>>,
        header_size: usize,
    }

    #[test]
    fn a_plain_request_is_read_as_in_full_and_nothing_else_is() {
        read_as_in_full(&Reading {
            version: Version::V1_2,
            read: |octets| PlainRequest::read(octets),
            header_size: HEADER_SIZE,
        });
        read_as_in_full(&Reading {
            version: Version::LITE,
            read: |octets| PlainRequest::read_lite(octets),
            header_size: lite::HEADER_SIZE,
        });
    }

    /// The request is found at the start of octets, whatever is behind it.
    fn is_found_first(request: PlainRequest<'_>, message: &[u8]) {
        for behind in [&b""[..], b"x", message] {
            let octets = [message, behind].concat();
            assert_eq!(PlainRequest::first(&octets), Some((request, message)));
        }
        for cut in 0..message.len() {
            assert_eq!(PlainRequest::first(&message[..cut]), None, "cut at {cut}");
        }
    }

    fn read_as_in_full(reading: &Reading) {
        let &Reading {
            version,
            read,
            header_size,
        } = reading;
        for key in [&b""[..], b"k", b"keys", b"a longer key"] {
            for operation in ["o", "ping", "_get_attribute"] {
                let plain = RequestHeader {
                    request_id: 0x0102_0304,
                    response: ResponseFlags::Expected,
                    target: TargetAddress::Key(key),
                    operation: operation.as_bytes(),
                    service_contexts: ServiceContexts::EMPTY,
                };
                let message = request(version, ByteOrder::NATIVE, plain);
                let found = read(&message).unwrap();
                assert_eq!(found.request_id, plain.request_id);
                assert_eq!(found.object_key, key);
                assert_eq!(found.operation, plain.operation);
                assert_eq!(&message[found.body..], b"arguments");
                for cut in 0..message.len() {
                    assert_eq!(read(&message[..cut]), None, "cut at {cut}");
                    let mut short = message[..cut].to_vec();
                    if let Some(size) = cut.checked_sub(header_size) {
                        short[header_size - 4..header_size]
                            .copy_from_slice(&(size as u32).to_ne_bytes());
                    }
                    // Cut short and true to it, it is none, or one without arguments.
                    let body = read(&short).map(|found| found.body);
                    assert!(
                        body.is_none_or(|body| body == cut.min(found.body)),
                        "cut at {cut}"
                    );
                }
                assert_eq!(read(&message.repeat(2)), None);
                if version == Version::V1_2 {
                    is_found_first(found, &message);
                }

                assert!(found.response_expected);
                let oneway = RequestHeader {
                    response: ResponseFlags::None,
                    ..plain
                };
                let oneway = request(version, ByteOrder::NATIVE, oneway);
                let expected = PlainRequest {
                    response_expected: false,
                    ..found
                };
                assert_eq!(read(&oneway), Some(expected));

                let contexts = [ServiceContext { id: 1, data: b"" }];
                let contexts = ServiceContexts::new(&contexts);
                let acknowledged = ResponseFlags::SyncWithServer;
                let profile = TargetAddress::Profile { tag: 0, data: key };
                let mut others = vec![
                    (version, FOREIGN, plain),
                    (
                        version,
                        ByteOrder::NATIVE,
                        RequestHeader {
                            response: acknowledged,
                            ..plain
                        },
                    ),
                    (
                        version,
                        ByteOrder::NATIVE,
                        RequestHeader {
                            service_contexts: contexts,
                            ..plain
                        },
                    ),
                ];
                let by_profile = RequestHeader {
                    target: profile,
                    ..plain
                };
                for other in VERSIONS {
                    if other != version {
                        others.push((other, ByteOrder::NATIVE, plain));
                    }
                    if other == Version::V1_2 {
                        others.push((other, ByteOrder::NATIVE, by_profile));
                    }
                }
                for (version, order, header) in others {
                    assert_eq!(read(&request(version, order, header)), None);
                }
            }
        }
    }

    #[test]
    fn lengths_that_lie_are_no_plain_request() {
        let plain = RequestHeader {
            request_id: 1,
            response: ResponseFlags::Expected,
            target: TargetAddress::Key(b"key"),
            operation: b"ping",
            service_contexts: ServiceContexts::EMPTY,
        };
        type Read = fn(&[u8]) -> Option<PlainRequest<'_>>;
        let readings: [(Version, Read, usize); 2] = [
            (
                Version::V1_2,
                |octets| PlainRequest::read(octets),
                KEY_OFFSET,
            ),
            (
                Version::LITE,
                |octets| PlainRequest::read_lite(octets),
                lite::BEHIND_ID + 4,
            ),
        ];
        for (version, read, key) in readings {
            let message = request(version, ByteOrder::NATIVE, plain);
            assert!(read(&message).is_some());
            for offset in [key - 4, key + 4] {
                for length in [u32::MAX, u32::MAX - 3, 1_000] {
                    let mut message = message.clone();
                    message[offset..offset + 4].copy_from_slice(&length.to_ne_bytes());
                    assert_eq!(read(&message), None);
                }
            }
        }
    }
}
