//! The header of every message: twelve octets in GIOP, eight in GIOPlite.

use core::ops::Deref;

use taut_cdr::{ByteOrder, Decoder, Encoder, Error, ErrorKind, Result};

use super::frame_error::FrameError;
use super::lite;
use super::message_type::MessageType;
use crate::Version;

/// Octets of the header that every message of GIOP begins with.
pub const HEADER_SIZE: usize = 12;

/// The first four octets of every message of GIOP.
pub const MAGIC: [u8; 4] = *b"GIOP";

/// Where the header tells the message's size.
pub(super) const SIZE_OFFSET: usize = 8;

/// The flag that announces further fragments.
pub(super) const MORE_FRAGMENTS: u8 = 2;

/// The header that every message begins with (CORBA 3.3 part 2, 9.4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageHeader {
    /// The version of GIOP that the message is written in.
    pub version: Version,
    /// The byte order of everything behind the flags.
    pub order: ByteOrder,
    /// Whether fragments of this message follow.
    pub more_fragments: bool,
    /// The type of the message.
    pub message_type: MessageType,
    /// Octets behind this header.
    pub size: u32,
}

impl MessageHeader {
    /// The whole of a message that has no body: CloseConnection or MessageError.
    #[inline]
    pub const fn bodyless(version: Version, message_type: MessageType) -> Self {
        Self {
            version,
            order: ByteOrder::NATIVE,
            more_fragments: false,
            message_type,
            size: 0,
        }
    }

    /// Reads a header of GIOP and checks what can be checked without its message. That of
    /// GIOPlite is read by [`lite::parse`].
    ///
    /// # Errors
    ///
    /// When the octets are no header of a GIOP 1.0, 1.1 or 1.2 message that may
    /// exist: wrong magic, version, type or flags, no octets where the type must
    /// have some, or fragments announced where there can be none.
    #[inline]
    pub fn parse(bytes: &[u8; HEADER_SIZE]) -> core::result::Result<Self, FrameError> {
        let [m0, m1, m2, m3, major, minor, flags, octet, s0, s1, s2, s3] = *bytes;
        if [m0, m1, m2, m3] != MAGIC {
            return Err(FrameError::BadMagic {
                found: [m0, m1, m2, m3],
            });
        }
        let version = Version::new(major, minor);
        if !version.is_supported() {
            return Err(FrameError::UnsupportedVersion {
                version,
                highest: Version::HIGHEST,
            });
        }
        let known_flags = if minor == 0 { 1 } else { 1 | MORE_FRAGMENTS };
        if flags & !known_flags != 0 {
            return Err(FrameError::InvalidFlags { version, flags });
        }
        let message_type = match MessageType::from_octet(octet) {
            Some(known) if known != MessageType::Fragment || minor >= 1 => known,
            _ => return Err(FrameError::UnknownType { version, octet }),
        };
        let order = ByteOrder::from_flag(flags);
        let size = match order {
            ByteOrder::Big => u32::from_be_bytes([s0, s1, s2, s3]),
            ByteOrder::Little => u32::from_le_bytes([s0, s1, s2, s3]),
        };
        // In GIOP 1.1 a fragment has no header of its own, and the last one may
        // have nothing left to carry.
        let may_be_empty = message_type == MessageType::Fragment && minor == 1;
        if size == 0 && !message_type.is_bodyless() && !may_be_empty {
            return Err(FrameError::EmptyMessage { message_type });
        }
        let more_fragments = flags & MORE_FRAGMENTS != 0;
        if more_fragments && !message_type.is_fragmentable(version) {
            return Err(FrameError::NotFragmentable {
                version,
                message_type,
            });
        }
        Ok(Self {
            version,
            order,
            more_fragments,
            message_type,
            size,
        })
    }

    /// Reads the header of a message, whose first octet tells the protocol; none if that
    /// can be no message's.
    pub(crate) fn of_message(message: &[u8]) -> Option<Self> {
        match message.first()? == &MAGIC[0] {
            true => Self::parse(message.first_chunk()?).ok(),
            false => lite::parse(message.first_chunk()?).ok(),
        }
    }

    /// The header's octets. In GIOPlite they are those of a message without service
    /// contexts, and with 0 where some types of messages say more.
    pub fn to_bytes(&self) -> HeaderBytes {
        let mut bytes = [0; HEADER_SIZE];
        let len = self.header_size();
        match self.version.is_lite() {
            true => bytes[..len].copy_from_slice(&lite::header(self)),
            false => bytes = self.giop_bytes(),
        }
        HeaderBytes {
            bytes,
            len: len as u8,
        }
    }

    /// The octets of a header of GIOP.
    #[inline]
    pub(super) fn giop_bytes(&self) -> [u8; HEADER_SIZE] {
        let mut bytes = [0; HEADER_SIZE];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4] = self.version.major;
        bytes[5] = self.version.minor;
        bytes[6] = self.order.flag();
        if self.more_fragments {
            bytes[6] |= MORE_FRAGMENTS;
        }
        bytes[7] = self.message_type as u8;
        bytes[SIZE_OFFSET..].copy_from_slice(&self.size_bytes());
        bytes
    }

    /// The octets of the size.
    pub(super) fn size_bytes(&self) -> [u8; 4] {
        match self.order {
            ByteOrder::Big => self.size.to_be_bytes(),
            ByteOrder::Little => self.size.to_le_bytes(),
        }
    }

    /// Puts right what a header says of its message's pieces: whether more follow, and the
    /// size. It is at the start of `message`, and says all else already.
    ///
    /// # Panics
    ///
    /// When `message` is shorter than its header.
    pub(crate) fn patch_pieces(&self, message: &mut [u8]) {
        let (flags, size) = match self.version.is_lite() {
            true => (lite::FLAGS_OFFSET, lite::SIZE_OFFSET),
            false => (6, SIZE_OFFSET),
        };
        message[flags] &= !MORE_FRAGMENTS;
        if self.more_fragments {
            message[flags] |= MORE_FRAGMENTS;
        }
        message[size..size + 4].copy_from_slice(&self.size_bytes());
    }

    /// Octets of this header.
    #[inline]
    pub const fn header_size(&self) -> usize {
        match self.version.is_lite() {
            true => lite::HEADER_SIZE,
            false => HEADER_SIZE,
        }
    }

    /// Octets of the message, this header included.
    #[inline]
    pub const fn total_size(&self) -> usize {
        (self.size as usize).saturating_add(self.header_size())
    }

    /// A decoder that stands behind the header in `message`, the octets of the
    /// whole message. Alignment counts from the message's first octet.
    ///
    /// # Errors
    ///
    /// When `message` is shorter than a header.
    #[inline]
    pub fn decoder<'m>(&self, message: &'m [u8]) -> Result<Decoder<'m>> {
        let mut input = Decoder::new(message, self.order);
        input.skip(self.header_size())?;
        Ok(input)
    }
}

/// The octets of a [`MessageHeader`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeaderBytes {
    bytes: [u8; HEADER_SIZE],
    /// How many of them there are; the others are 0.
    len: u8,
}

impl HeaderBytes {
    /// The octets.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

impl Deref for HeaderBytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl FrameError {
    /// The MessageError to answer with before the connection is closed: in the
    /// highest version spoken here when the version was at fault, else in the version
    /// `spoken` on the connection; that is GIOP 1.0, which every peer understands,
    /// where none was (CORBA 3.3 part 2, 9.4.8), or the peer speaks GIOP instead of
    /// GIOPlite.
    pub fn answer(&self, spoken: Version) -> HeaderBytes {
        let version = match self {
            Self::UnsupportedVersion { highest, .. } => *highest,
            Self::NotLite { .. } if self.is_of_other_protocol() => Version::V1_0,
            _ => spoken,
        };
        MessageHeader::bodyless(version, MessageType::MessageError).to_bytes()
    }
}

/// Begins a message in an encoder that must be empty: writes the header, with a
/// size that [`finish_message`] puts right. The message has the encoder's byte
/// order, and in GIOPlite is one without service contexts.
#[inline]
pub fn begin_message(out: &mut Encoder, version: Version, message_type: MessageType) {
    debug_assert!(out.is_empty(), "a message begins at the buffer's start");
    let header = MessageHeader {
        version,
        order: out.order(),
        more_fragments: false,
        message_type,
        size: 0,
    };
    match version.is_lite() {
        true => out.write_bytes(&lite::header(&header)),
        false => out.write_bytes(&header.giop_bytes()),
    }
}

/// Ends a message that [`begin_message`] began: tells its size in the header, with its
/// tail if it has one.
///
/// # Errors
///
/// [`ErrorKind::TooLong`] when the size does not fit in 32 bits, and
/// [`ErrorKind::Invalid`] when no message was begun, or something was written behind
/// its tail.
#[inline]
pub fn finish_message(out: &mut Encoder) -> Result<()> {
    // By its first octet a message tells whether it is one of GIOP.
    match out.as_bytes().first() {
        Some(&octet) if octet == MAGIC[0] => finish_giop_message(out),
        _ => lite::finish_message(out),
    }
}

/// [`finish_message`] of a message that is known to be one of GIOP.
///
/// # Errors
///
/// Those of that one.
#[inline(always)]
pub fn finish_giop_message(out: &mut Encoder) -> Result<()> {
    let Some(size) = out.len().checked_sub(HEADER_SIZE) else {
        return Err(not_begun(out));
    };
    match u32::try_from(size + out.tail_len()?) {
        Ok(size) => {
            out.patch(SIZE_OFFSET, size);
            // The objects that the message shared need not live as long as the buffer.
            out.forget();
            Ok(())
        }
        Err(_) => Err(too_long(out)),
    }
}

#[cold]
#[inline(never)]
pub(super) fn not_begun(out: &Encoder) -> Error {
    Error::new(ErrorKind::Invalid("no message was begun"), out.len())
}

#[cold]
#[inline(never)]
pub(super) fn too_long(out: &Encoder) -> Error {
    Error::new(ErrorKind::TooLong, out.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(minor: u8, flags: u8, octet: u8, size: u32) -> [u8; HEADER_SIZE] {
        let mut bytes = *b"GIOP\x01\0\0\0\0\0\0\0";
        bytes[5] = minor;
        bytes[6] = flags;
        bytes[7] = octet;
        let size = if flags & 1 == 1 {
            size.to_le_bytes()
        } else {
            size.to_be_bytes()
        };
        bytes[8..].copy_from_slice(&size);
        bytes
    }

    /// minor, flags, type, size, and whether it is a header.
    const CASES: &[(u8, u8, u8, u32, bool)] = &[
        (0, 0, 0, 4, true),
        (0, 1, 0, 4, true),
        (0, 2, 0, 4, false), // 1.0 knows no fragments
        (0, 3, 0, 4, false),
        (0, 0, 7, 4, false),
        (0, 0, 8, 4, false),
        (1, 3, 0, 4, true),
        (1, 3, 1, 4, true),
        (1, 2, 3, 4, false), // LocateRequest is fragmentable from 1.2 on
        (1, 2, 4, 4, false),
        (1, 2, 7, 4, true),
        (1, 0, 7, 0, true), // the last fragment of 1.1 may be empty
        (1, 4, 0, 4, false),
        (2, 2, 3, 4, true),
        (2, 2, 4, 4, true),
        (2, 2, 2, 4, false),
        (2, 2, 5, 0, false),
        (2, 2, 6, 0, false),
        (2, 0, 5, 0, true),
        (2, 0, 6, 0, true),
        (2, 0, 0, 0, false), // empty messages of types that have a header
        (2, 0, 1, 0, false),
        (2, 0, 2, 0, false),
        (2, 0, 3, 0, false),
        (2, 0, 4, 0, false),
        (2, 0, 7, 0, false),
        (2, 0x81, 0, 4, false),
        (2, 1, 0, u32::MAX, true),
        (3, 0, 0, 4, false),
    ];

    #[test]
    fn headers_are_accepted_by_the_rules_of_their_version() {
        for &(minor, flags, octet, size, good) in CASES {
            let bytes = bytes(minor, flags, octet, size);
            let parsed = MessageHeader::parse(&bytes);
            assert_eq!(parsed.is_ok(), good, "{bytes:?}: {parsed:?}");
            if let Ok(header) = parsed {
                assert_eq!(header.size, size);
                assert_eq!(header.to_bytes()[..], bytes);
            }
        }
    }

    #[test]
    fn a_message_tells_its_size_in_its_own_order() {
        for order in [ByteOrder::Big, ByteOrder::Little] {
            let mut out = Encoder::new(order);
            begin_message(&mut out, Version::V1_1, MessageType::CancelRequest);
            out.write(7_u32);
            finish_message(&mut out).unwrap();
            let header: &[u8; HEADER_SIZE] = out.as_bytes()[..HEADER_SIZE].try_into().unwrap();
            let header = MessageHeader::parse(header).unwrap();
            assert_eq!((header.size, header.order), (4, order));
            assert_eq!(header.total_size(), out.len());
        }
    }

    #[test]
    fn a_message_that_was_not_begun_cannot_end() {
        let mut out = Encoder::new(ByteOrder::Big);
        assert!(finish_message(&mut out).is_err());
        out.write_bytes(b"GIOP\x01\x02\0\0");
        assert!(finish_message(&mut out).is_err());
    }
}
