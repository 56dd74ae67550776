//! From a stream of bytes to messages, and from fragments to whole messages
//! (CORBA 3.3 part 2, 9.4.1 and 9.4.9).
//!
//! A [`Framer`] is given whatever bytes have arrived, from a message boundary
//! on, and says what to do next: read more, take a message, or go on behind a
//! fragment that it kept. It reads nothing itself and knows no time.
//!
//! A message that is whole and in one piece is handed back in place, after a few
//! comparisons and without allocation.
//!
//! # Fragments of GIOP 1.1
//!
//! GIOP 1.1 aligns what is in a fragment from that fragment's own start, where
//! 1.2 goes on as if the message had never been cut. The pieces are joined
//! without a gap; where alignment starts anew, the message says
//! ([`Reassembled::realignments`]).

mod fragments;
mod limits;
mod partial;
mod refusal;

use crate::Version;
use crate::message::{FrameError, HEADER_SIZE, MAGIC, MessageHeader, MessageType, lite};
use partial::Partials;

pub use fragments::{Fragments, MIN_FRAGMENT_SIZE, Piece};
pub use limits::FramingLimits;
pub use partial::Reassembled;
pub use refusal::refusal;

/// The item that a [`Framer`] found at the start of the bytes it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step<'b> {
    /// The message is not all there.
    NeedMore {
        /// Octets that are needed, those already there included. Less than a
        /// header: only the header's size is known yet.
        total: usize,
    },
    /// A message in one piece.
    Message {
        /// Its header.
        header: MessageHeader,
        /// The whole message with its header, in place.
        bytes: &'b [u8],
        /// Octets to go on behind.
        consumed: usize,
    },
    /// The last fragment of a message came, which is now whole.
    Reassembled {
        /// The message.
        message: Reassembled,
        /// Octets to go on behind: those of the last fragment.
        consumed: usize,
    },
    /// A piece of a message was kept.
    Absorbed {
        /// Octets to go on behind.
        consumed: usize,
    },
}

/// Finds the messages in the bytes from one peer, and joins fragments.
#[derive(Debug)]
pub struct Framer {
    limits: FramingLimits,
    partials: Partials,
    /// The reader of headers of GIOPlite; `None` where GIOP is spoken. Programs that never
    /// speak GIOPlite have no code for it.
    lite: Option<ReadLite>,
}

/// Reads the header of the first message in octets, or says how many of them are needed for
/// that, given the most octets that a message may have.
type ReadLite = fn(&[u8], usize) -> Result<Result<MessageHeader, usize>, FrameError>;

impl Framer {
    /// A framer for one direction of one connection on which GIOP is spoken.
    pub const fn new(limits: FramingLimits) -> Self {
        Self {
            limits,
            partials: Partials::new(),
            lite: None,
        }
    }

    /// A framer for one direction of one connection on which GIOPlite is spoken.
    pub const fn lite(limits: FramingLimits) -> Self {
        let mut framer = Self::new(limits);
        framer.lite = Some(read_lite);
        framer
    }

    /// A framer for one direction of one connection on which GIOPlite is spoken if this is
    /// its version, and else GIOP, of whatever version.
    pub const fn of(version: Version, limits: FramingLimits) -> Self {
        match version.is_lite() {
            true => Self::lite(limits),
            false => Self::new(limits),
        }
    }

    /// The limits in force.
    pub fn limits(&self) -> &FramingLimits {
        &self.limits
    }

    /// How many messages are incomplete.
    pub fn partial_messages(&self) -> usize {
        self.partials.count()
    }

    /// Octets kept of incomplete messages.
    pub fn partial_bytes(&self) -> usize {
        self.partials.bytes()
    }

    /// Drops the messages that were already incomplete at the call before this
    /// one, and says how many. Called every so often, this gives incomplete
    /// messages an age limit between one and two such intervals. Their age counts
    /// from the first piece: fragments that trickle in do not keep a message
    /// young. A peer that goes on with a dropped message commits a protocol error.
    pub fn drop_stale_partials(&mut self) -> usize {
        self.drop_stale_partials_unless(|_| false)
    }

    /// [`drop_stale_partials`](Self::drop_stale_partials), but keeps those of which
    /// `is_awaited` says, given their request id, that somebody waits for them.
    pub fn drop_stale_partials_unless(&mut self, is_awaited: impl Fn(u32) -> bool) -> usize {
        self.partials.drop_stale_unless(is_awaited)
    }

    /// Looks at the first message in `bytes`, which must begin at a message
    /// boundary, and may be cut anywhere.
    ///
    /// A CancelRequest drops what was kept of its request and is handed back as
    /// a message nevertheless.
    ///
    /// # Errors
    ///
    /// When the bytes are no message that may come next. The framer must not be
    /// used again: there is no next message boundary.
    #[inline]
    pub fn next<'b>(&mut self, bytes: &'b [u8]) -> Result<Step<'b>, FrameError> {
        let header = match self.lite {
            None => match bytes.first_chunk::<HEADER_SIZE>() {
                Some(header) => MessageHeader::parse(header)?,
                None => return check_magic_so_far(bytes),
            },
            Some(read) => match read(bytes, self.limits.max_message_size)? {
                Ok(header) => header,
                Err(total) => return Ok(Step::NeedMore { total }),
            },
        };
        self.step(header, bytes)
    }

    /// Decides about the first message in `bytes`, whose header this is.
    #[inline]
    fn step<'b>(&mut self, header: MessageHeader, bytes: &'b [u8]) -> Result<Step<'b>, FrameError> {
        let total = header.total_size();
        if total > self.limits.max_message_size {
            return Err(FrameError::MessageTooLarge {
                size: u64::from(header.size) + header.header_size() as u64,
                limit: self.limits.max_message_size,
            });
        }
        let Some(bytes) = bytes.get(..total) else {
            return Ok(Step::NeedMore { total });
        };
        if has_to_do_with_fragments(&header) {
            return self.piece(header, bytes);
        }
        Ok(Step::Message {
            header,
            bytes,
            consumed: total,
        })
    }

    /// The header of the first message in `bytes`, if all of it is there, and it has
    /// nothing to do with fragments: [`next`](Self::next) would hand back just that.
    #[inline]
    pub fn whole(&self, bytes: &[u8]) -> Option<MessageHeader> {
        let header = match self.lite {
            None => MessageHeader::parse(bytes.first_chunk()?).ok()?,
            Some(read) => read(bytes, self.limits.max_message_size).ok()?.ok()?,
        };
        let total = header.total_size();
        let is_whole = total <= bytes.len() && total <= self.limits.max_message_size;
        (is_whole && !has_to_do_with_fragments(&header)).then_some(header)
    }

    /// A whole message that has to do with fragments.
    #[cold]
    fn piece<'b>(
        &mut self,
        header: MessageHeader,
        bytes: &'b [u8],
    ) -> Result<Step<'b>, FrameError> {
        let consumed = bytes.len();
        match header.message_type {
            MessageType::CancelRequest => {
                self.partials.cancel(&header, bytes);
                Ok(Step::Message {
                    header,
                    bytes,
                    consumed,
                })
            }
            MessageType::Fragment => {
                Ok(match self.partials.append(header, bytes, &self.limits)? {
                    None => Step::Absorbed { consumed },
                    Some(message) => Step::Reassembled { message, consumed },
                })
            }
            _ => {
                self.partials.start(header, bytes, &self.limits)?;
                Ok(Step::Absorbed { consumed })
            }
        }
    }
}

impl Default for Framer {
    fn default() -> Self {
        Self::new(FramingLimits::DEFAULT)
    }
}

/// A [`ReadLite`].
///
/// From a peer that speaks GIOP instead, a whole message is awaited before that is an error,
/// so that there is something to [answer](refusal).
fn read_lite(bytes: &[u8], max_size: usize) -> Result<Result<MessageHeader, usize>, FrameError> {
    if let Some(total) = rest_of_giop(bytes, max_size) {
        return Ok(Err(total));
    }
    match bytes.first_chunk() {
        Some(header) => lite::parse(header).map(Ok),
        None => {
            lite::check_so_far(bytes)?;
            Ok(Err(lite::HEADER_SIZE))
        }
    }
}

/// How many octets a message of GIOP has that a peer has begun where it should speak
/// GIOPlite; none if all of it is there, or it is no such message.
fn rest_of_giop(bytes: &[u8], max_size: usize) -> Option<usize> {
    let there = bytes.len().min(MAGIC.len());
    if there == 0 || bytes[..there] != MAGIC[..there] {
        return None;
    }
    let Some(header) = bytes.first_chunk::<HEADER_SIZE>() else {
        return Some(HEADER_SIZE);
    };
    let total = MessageHeader::parse(header).ok()?.total_size();
    (total > bytes.len() && total <= max_size).then_some(total)
}

#[inline]
fn has_to_do_with_fragments(header: &MessageHeader) -> bool {
    header.more_fragments
        || matches!(
            header.message_type,
            MessageType::Fragment | MessageType::CancelRequest
        )
}

/// Fewer octets than a header: a peer that does not speak GIOP at all must not
/// keep a connection open by being brief.
#[cold]
fn check_magic_so_far(bytes: &[u8]) -> Result<Step<'_>, FrameError> {
    let there = bytes.len().min(MAGIC.len());
    if bytes[..there] == MAGIC[..there] {
        return Ok(Step::NeedMore { total: HEADER_SIZE });
    }
    let mut found = [0; 4];
    found[..there].copy_from_slice(&bytes[..there]);
    Err(FrameError::BadMagic { found })
}
