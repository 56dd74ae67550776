//! GIOPlite, version 1: the messages of GIOP 1.2 without what two ORBs of Taut both know.
//!
//! It is not compliant with CORBA: only two ORBs of Taut that have both been told to use
//! it can talk to each other. A message begins with eight octets:
//!
//! | octet | content |
//! |---|---|
//! | 0 | the type, with the numbers of GIOP; a message of GIOP begins with `G`, which is none |
//! | 1 | bit 0: little-endian; bit 1: more fragments follow; bit 2: there are service contexts; bits 4 to 7: the version, 1 |
//! | 2 | Request: the response flags; LocateReply: the status; else 0 |
//! | 3 | 0 |
//! | 4 to 7 | octets behind these eight |
//!
//! The request id follows, unless the type has no body. Behind it come
//!
//! - in a Request, the object key, the operation's name, the service contexts if there are
//!   any, and the arguments at a multiple of 8;
//! - in a Reply, the status, the service contexts if there are any, and the results at a
//!   multiple of 8;
//! - in a LocateRequest, the object key;
//! - in a LocateReply, what its status says, at its own alignment;
//! - in a Fragment, more of the message with this request id. Unlike those of GIOP 1.2,
//!   pieces may have any size.
//!
//! All else is as in GIOP 1.2: alignment counts from octet 0 of the message, and a target
//! can only be named by its key.

use taut_cdr::{ByteOrder, Decoder, Encoder, Error, ErrorKind, Result};

use super::header::{MORE_FRAGMENTS, not_begun, too_long};
use super::request::read_operation;
use super::{
    EncodedReplyHeader, EncodedRequestHeader, FrameError, LocateReplyHeader, LocateStatus, MAGIC,
    MessageHeader, MessageType, PlainRequest, ReplyHeader, ReplyStatus, RequestHeader,
    ResponseFlags, TargetAddress,
};
use crate::service_context::ServiceContexts;
use crate::{Limits, Version};

/// Octets of the header that every message of GIOPlite begins with.
pub const HEADER_SIZE: usize = 8;

/// The offset of the octet that says how the message is laid out.
pub(super) const FLAGS_OFFSET: usize = 1;
/// The offset of the octet that some types of messages need besides.
pub(super) const DETAIL_OFFSET: usize = 2;
/// The offset of the message's size.
pub(super) const SIZE_OFFSET: usize = 4;
/// The offset of the first octet behind the request id.
pub(super) const BEHIND_ID: usize = HEADER_SIZE + 4;

/// The flag that announces service contexts.
const SERVICE_CONTEXTS: u8 = 4;
/// The version in the flags' upper half.
const VERSION: u8 = Version::LITE.minor << 4;
const VERSION_MASK: u8 = 0xf0;

/// Where the body of a plain reply begins, behind the request id and the status.
pub(super) const PLAIN_REPLY_BODY: usize = BEHIND_ID + 4;

/// The octets of a header, which says that there are no service contexts, and nothing of
/// what some types say besides.
#[inline]
pub(super) fn header(header: &MessageHeader) -> [u8; HEADER_SIZE] {
    let mut flags = VERSION | header.order.flag();
    if header.more_fragments {
        flags |= MORE_FRAGMENTS;
    }
    let [s0, s1, s2, s3] = header.size_bytes();
    [header.message_type as u8, flags, 0, 0, s0, s1, s2, s3]
}

/// Reads a header and checks what can be checked without its message.
///
/// # Errors
///
/// When the octets are no header of a message of GIOPlite that may exist.
#[inline]
pub fn parse(bytes: &[u8; HEADER_SIZE]) -> core::result::Result<MessageHeader, FrameError> {
    let [octet, flags, detail, reserved, s0, s1, s2, s3] = *bytes;
    let not_lite = FrameError::NotLite {
        found: [octet, flags, detail, reserved],
    };
    let Some(message_type) = MessageType::from_octet(octet) else {
        return Err(not_lite);
    };
    if flags & VERSION_MASK != VERSION {
        return Err(FrameError::UnsupportedLite {
            version: flags >> 4,
        });
    }
    let version = Version::LITE;
    if flags & !(VERSION_MASK | known_flags(message_type)) != 0 {
        return Err(match announces_fragments_only(flags, message_type) {
            true => FrameError::NotFragmentable {
                version,
                message_type,
            },
            false => FrameError::InvalidFlags { version, flags },
        });
    }
    let has_detail = matches!(
        message_type,
        MessageType::Request | MessageType::LocateReply
    );
    if reserved != 0 || detail != 0 && !has_detail {
        return Err(not_lite);
    }
    let order = ByteOrder::from_flag(flags);
    let size = match order {
        ByteOrder::Big => u32::from_be_bytes([s0, s1, s2, s3]),
        ByteOrder::Little => u32::from_le_bytes([s0, s1, s2, s3]),
    };
    if size == 0 && !message_type.is_bodyless() {
        return Err(FrameError::EmptyMessage { message_type });
    }
    Ok(MessageHeader {
        version,
        order,
        more_fragments: flags & MORE_FRAGMENTS != 0,
        message_type,
        size,
    })
}

/// The flags that messages of this type may have, beside the version.
#[inline]
fn known_flags(message_type: MessageType) -> u8 {
    let contexts = match message_type {
        MessageType::Request | MessageType::Reply => SERVICE_CONTEXTS,
        _ => 0,
    };
    let fragments = match message_type.is_fragmentable(Version::LITE) {
        true => MORE_FRAGMENTS,
        false => 0,
    };
    1 | contexts | fragments
}

/// Whether flags are wrong in nothing but announcing fragments.
fn announces_fragments_only(flags: u8, message_type: MessageType) -> bool {
    flags & !(VERSION_MASK | known_flags(message_type)) == MORE_FRAGMENTS
}

/// Whether a message that begins so is likely to be one of GIOPlite, of any version.
pub(super) fn seems_to_begin([octet, flags, detail, reserved]: [u8; 4]) -> bool {
    let Some(message_type) = MessageType::from_octet(octet) else {
        return false;
    };
    flags & VERSION_MASK != 0
        && flags & !(VERSION_MASK | known_flags(message_type)) == 0
        && detail < 6
        && reserved == 0
}

/// Checks octets that are fewer than a header, as far as they go.
///
/// # Errors
///
/// When no header begins so.
pub(crate) fn check_so_far(bytes: &[u8]) -> core::result::Result<(), FrameError> {
    let mut header = [0, VERSION, 0, 0, 0, 0, 0, 1];
    if let Some(&octet) = bytes.first()
        && MessageType::from_octet(octet).is_some_and(MessageType::is_bodyless)
    {
        header[SIZE_OFFSET..].fill(0);
    }
    let there = bytes.len().min(DETAIL_OFFSET + 2);
    header[..there].copy_from_slice(&bytes[..there]);
    parse(&header).map(|_| ())
}

/// Whether the message that was begun in this encoder is one of GIOPlite, of which
/// nothing but the first header is there.
#[inline]
pub(super) fn is_begun(out: &Encoder) -> bool {
    out.len() == HEADER_SIZE && out.as_bytes()[0] != MAGIC[0]
}

/// Ends a message of GIOPlite as [`super::finish_message`] does.
///
/// # Errors
///
/// Those of that one.
#[cold]
#[inline(never)]
pub fn finish_message(out: &mut Encoder) -> Result<()> {
    let size = out.len().checked_sub(HEADER_SIZE);
    let Some(size) = size.filter(|_| out.as_bytes()[0] != MAGIC[0]) else {
        return Err(not_begun(out));
    };
    let Ok(size) = u32::try_from(size + out.tail_len()?) else {
        return Err(too_long(out));
    };
    out.patch(SIZE_OFFSET, size);
    out.forget();
    Ok(())
}

/// Appends service contexts if there are any, and says so in the header.
fn encode_contexts(contexts: &ServiceContexts<'_>, out: &mut Encoder) -> Result<()> {
    if contexts.is_empty() {
        return Ok(());
    }
    let flags = out.as_bytes()[FLAGS_OFFSET] | SERVICE_CONTEXTS;
    out.patch(FLAGS_OFFSET, flags);
    contexts.encode(out)
}

/// Reads service contexts if the header says that there are any.
fn decode_contexts<'m>(input: &mut Decoder<'m>, limits: &Limits) -> Result<ServiceContexts<'m>> {
    match octet(input, FLAGS_OFFSET) & SERVICE_CONTEXTS {
        0 => Ok(ServiceContexts::EMPTY),
        _ => ServiceContexts::decode_within(input, limits),
    }
}

/// An octet of the header, behind which the decoder stands.
fn octet(input: &Decoder<'_>, offset: usize) -> u8 {
    input.bytes().get(offset).copied().unwrap_or_default()
}

/// Appends the header of a Request.
pub(super) fn encode_request(
    header: &RequestHeader<'_>,
    out: &mut Encoder,
) -> Result<EncodedRequestHeader> {
    out.patch(DETAIL_OFFSET, header.response.to_octet());
    out.write(header.request_id);
    header.target.encode_key(out)?;
    let target_end = out.len();
    header.encode_operation(out)?;
    encode_contexts(&header.service_contexts, out)?;
    Ok(EncodedRequestHeader::at(HEADER_SIZE, target_end))
}

/// Reads the header of a Request.
pub(super) fn decode_request<'m>(
    input: &mut Decoder<'m>,
    limits: &Limits,
) -> Result<RequestHeader<'m>> {
    let Some(response) = ResponseFlags::from_octet(octet(input, DETAIL_OFFSET)) else {
        let kind = ErrorKind::Invalid("the response flags are none of 0, 1 and 3");
        return Err(Error::new(kind, DETAIL_OFFSET));
    };
    let request_id = input.read()?;
    let target = TargetAddress::Key(input.read_octets()?);
    let operation = read_operation(input)?;
    let service_contexts = decode_contexts(input, limits)?;
    input.align(8)?;
    Ok(RequestHeader {
        request_id,
        response,
        target,
        operation,
        service_contexts,
    })
}

/// Appends the header of a Reply.
pub(super) fn encode_reply(
    header: &ReplyHeader<'_>,
    out: &mut Encoder,
) -> Result<EncodedReplyHeader> {
    out.write(header.request_id);
    out.write(header.status as u32);
    encode_contexts(&header.service_contexts, out)?;
    Ok(EncodedReplyHeader::at(BEHIND_ID))
}

/// Reads the header of a Reply.
pub(super) fn decode_reply<'m>(
    input: &mut Decoder<'m>,
    limits: &Limits,
) -> Result<ReplyHeader<'m>> {
    let request_id = input.read()?;
    let status = ReplyStatus::ALL[input.read_ordinal(6)? as usize];
    let service_contexts = decode_contexts(input, limits)?;
    input.align(8)?;
    Ok(ReplyHeader {
        request_id,
        status,
        service_contexts,
    })
}

/// Appends the header of a LocateReply.
pub(super) fn encode_locate_reply(header: &LocateReplyHeader, out: &mut Encoder) {
    out.patch(DETAIL_OFFSET, header.status as u8);
    out.write(header.request_id);
}

/// Reads the header of a LocateReply.
pub(super) fn decode_locate_reply(input: &mut Decoder<'_>) -> Result<LocateReplyHeader> {
    let number = octet(input, DETAIL_OFFSET);
    let Some(status) = LocateStatus::ALL.get(usize::from(number)) else {
        let kind = ErrorKind::Invalid("there is no such status");
        return Err(Error::new(kind, DETAIL_OFFSET));
    };
    Ok(LocateReplyHeader {
        status: *status,
        request_id: input.read()?,
    })
}

/// The octets of a Reply's header as most replies have it: NO_EXCEPTION, no service
/// contexts.
#[inline]
pub(super) fn plain_reply(order: ByteOrder, request_id: u32, size: u32) -> [u8; PLAIN_REPLY_BODY] {
    let mut octets = [0; PLAIN_REPLY_BODY];
    octets[..HEADER_SIZE].copy_from_slice(&header(&MessageHeader {
        version: Version::LITE,
        order,
        more_fragments: false,
        message_type: MessageType::Reply,
        size,
    }));
    octets[HEADER_SIZE..BEHIND_ID].copy_from_slice(&match order {
        ByteOrder::Little => request_id.to_le_bytes(),
        ByteOrder::Big => request_id.to_be_bytes(),
    });
    octets
}

/// Whether `octets` are the first ones of such a reply, which has `total` in all.
#[inline]
pub(super) fn begins_plain_reply(octets: &[u8], total: usize, request_id: u32) -> bool {
    let Some(header) = octets.first_chunk::<PLAIN_REPLY_BODY>() else {
        return false;
    };
    let size = total.checked_sub(HEADER_SIZE).map(u32::try_from);
    let Some(Ok(size)) = size else {
        return false;
    };
    *header == plain_reply(ByteOrder::NATIVE, request_id, size)
}

impl<'m> PlainRequest<'m> {
    /// Reads octets that are just one whole message of GIOPlite; none when they are
    /// anything but a plain request.
    #[inline]
    pub fn read_lite(message: &'m [u8]) -> Option<Self> {
        let head = message.first_chunk::<KEY_OFFSET>()?;
        let word =
            |at: usize| u32::from_ne_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let response = head[DETAIL_OFFSET];
        if head[..DETAIL_OFFSET] != PLAIN_REQUEST_START
            || head[DETAIL_OFFSET + 1] != 0
            || word(SIZE_OFFSET) as usize != message.len() - HEADER_SIZE
        {
            return None;
        }
        let response_expected = match ResponseFlags::from_octet(response)? {
            ResponseFlags::Expected => true,
            ResponseFlags::None => false,
            ResponseFlags::SyncWithServer => return None,
        };
        let key_length = word(BEHIND_ID) as usize;
        let object_key = message[KEY_OFFSET..].get(..key_length)?;
        let behind_key = KEY_OFFSET + key_length;
        let (name, behind) = super::plain::counted(message, behind_key)?;
        let (0, operation) = name.split_last()? else {
            return None;
        };
        Some(Self {
            request_id: word(HEADER_SIZE),
            response_expected,
            object_key,
            operation,
            body: super::plain::body(message, behind)?,
        })
    }
}

/// Where the object key of a request begins, behind its length.
const KEY_OFFSET: usize = BEHIND_ID + 4;

/// How a plain request begins: the type, and flags without service contexts.
const PLAIN_REQUEST_START: [u8; DETAIL_OFFSET] = [
    MessageType::Request as u8,
    VERSION | ByteOrder::NATIVE.flag(),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(octet: u8, flags: u8, detail: u8, reserved: u8, size: u8) -> [u8; HEADER_SIZE] {
        match flags & 1 {
            0 => [octet, flags, detail, reserved, 0, 0, 0, size],
            _ => [octet, flags, detail, reserved, size, 0, 0, 0],
        }
    }

    /// type, flags, detail, reserved, size, and whether it is a header.
    const CASES: &[(u8, u8, u8, u8, u8, bool)] = &[
        (0, 0x10, 0, 0, 4, true),
        (0, 0x11, 3, 0, 4, true),
        (0, 0x17, 3, 0, 4, true),
        (0, 0x18, 3, 0, 4, false), // an unknown flag
        (0, 0x20, 3, 0, 4, false), // another version
        (0, 0x01, 3, 0, 4, false),
        (0, 0x10, 3, 1, 4, false), // what is reserved
        (0, 0x10, 3, 0, 0, false), // no request id
        (1, 0x17, 0, 0, 8, true),
        (1, 0x17, 2, 0, 8, false), // a detail
        (1, 0x10, 0, 0, 0, false),
        (2, 0x11, 0, 0, 4, true),
        (2, 0x13, 0, 0, 4, false), // fragments
        (2, 0x14, 0, 0, 4, false), // service contexts
        (2, 0x10, 1, 0, 4, false), // a detail
        (3, 0x12, 0, 0, 4, true),
        (3, 0x14, 0, 0, 4, false),
        (4, 0x12, 5, 0, 4, true),
        (5, 0x10, 0, 0, 0, true),
        (5, 0x12, 0, 0, 0, false),
        (6, 0x11, 0, 0, 0, true),
        (7, 0x12, 0, 0, 4, true),
        (7, 0x10, 0, 0, 0, false),
        (7, 0x14, 0, 0, 4, false),
        (8, 0x10, 0, 0, 4, false),
        (b'G', b'I', b'O', b'P', 4, false),
    ];

    #[test]
    fn headers_are_accepted_by_the_rules() {
        for &(octet, flags, detail, reserved, size, good) in CASES {
            let bytes = bytes(octet, flags, detail, reserved, size);
            let parsed = parse(&bytes);
            assert_eq!(parsed.is_ok(), good, "{bytes:?}: {parsed:?}");
            for cut in 0..HEADER_SIZE {
                let so_far = check_so_far(&bytes[..cut]);
                let is_seen = cut >= 4 && size != 0 || matches!(octet, 8 | b'G') && cut > 0;
                assert!(!good || so_far.is_ok(), "{bytes:?}: {so_far:?}");
                assert!(good || !is_seen || so_far.is_err(), "{bytes:?} to {cut}");
            }
            if let Ok(header) = parsed {
                assert_eq!(u32::from(size), header.size);
                assert_eq!(header.total_size(), HEADER_SIZE + usize::from(size));
                assert_eq!(header.to_bytes().len(), HEADER_SIZE);
                assert_eq!(parse(header.to_bytes().first_chunk().unwrap()), Ok(header));
                let mut patched = bytes;
                header.patch_pieces(&mut patched);
                assert_eq!(patched, bytes);
                assert!(seems_to_begin(*bytes.first_chunk().unwrap()));
            }
        }
    }

    #[test]
    fn a_peer_of_the_other_protocol_is_known_by_its_first_octets() {
        let giop = parse(b"GIOP\x01\x02\x01\x00").unwrap_err();
        assert!(giop.is_of_other_protocol(), "{giop}");
        assert!(alloc::format!("{giop}").contains("-ORBgioplite"), "{giop}");
        for octets in [b"HTTP/1.1", b"GET / HT", b"GIOS\x01\x02\x01\x00"] {
            let other = parse(octets).unwrap_err();
            assert!(!other.is_of_other_protocol(), "{other}");
        }
        for (found, is_lite) in [
            ([0, 0x11, 3, 0], true),
            ([0, 0x21, 3, 0], true),
            (*b"HTTP", false),
            ([0; 4], false),
            ([22, 3, 1, 0], false), // TLS
        ] {
            let error = FrameError::BadMagic { found };
            assert_eq!(error.is_of_other_protocol(), is_lite, "{error}");
            let says = alloc::format!("{error}").contains("-ORBgioplite");
            assert_eq!(says, is_lite, "{error}");
        }
    }
}
