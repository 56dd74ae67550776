//! Messages of which not all fragments have come.

use alloc::vec::Vec;

use taut_cdr::{ByteOrder, Decoder, Realignment};

use super::limits::FramingLimits;
use crate::Version;
use crate::message::{FrameError, HEADER_SIZE, MessageHeader, MessageType};
use crate::service_context::ServiceContexts;

/// The messages that are incomplete: few, hence searched one by one.
#[derive(Debug)]
pub(super) struct Partials {
    messages: Vec<Partial>,
    /// The octets of all of them.
    bytes: usize,
}

#[derive(Debug)]
struct Partial {
    /// The header of the first piece.
    header: MessageHeader,
    /// The request id by which fragments name the message; GIOP 1.1 has none.
    request_id: Option<u32>,
    /// The message so far, with the header of the first piece.
    message: Vec<u8>,
    /// Where fragments of GIOP 1.1 begin whose alignment starts anew.
    realignments: Vec<Realignment>,
    /// The last fragments that carried nothing.
    empty_in_a_row: usize,
    /// Whether it had begun when [`Partials::drop_stale_unless`] was last called.
    stale: bool,
}

/// A message whose fragments have all come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reassembled {
    /// The header it would have had in one piece.
    pub header: MessageHeader,
    /// The whole message with that header.
    pub bytes: Vec<u8>,
    /// Where alignment starts anew, which only GIOP 1.1 does; mostly nowhere.
    /// [`MessageHeader::decoder`] does not know; give them to the decoder.
    pub realignments: Vec<Realignment>,
}

impl Reassembled {
    /// A decoder that stands behind the header.
    ///
    /// # Errors
    ///
    /// As [`MessageHeader::decoder`].
    pub fn decoder(&self) -> taut_cdr::Result<Decoder<'_>> {
        let input = self.header.decoder(&self.bytes)?;
        Ok(input.with_realignments(&self.realignments))
    }
}

impl Partials {
    pub(super) const fn new() -> Self {
        Self {
            messages: Vec::new(),
            bytes: 0,
        }
    }

    pub(super) fn count(&self) -> usize {
        self.messages.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Keeps the first piece of a message.
    pub(super) fn start(
        &mut self,
        header: MessageHeader,
        bytes: &[u8],
        limits: &FramingLimits,
    ) -> Result<(), FrameError> {
        let request_id = request_id_in_piece(&header, bytes)?;
        if self.position(request_id).is_some() {
            return Err(match request_id {
                Some(request_id) => FrameError::RequestIdInUse { request_id },
                None => FrameError::InterleavedFragments,
            });
        }
        if self.messages.len() >= limits.max_partial_messages {
            return Err(FrameError::TooManyPartials {
                limit: limits.max_partial_messages,
            });
        }
        check_alignment(header.version, bytes.len())?;
        self.check_size(0, bytes.len(), limits)?;
        self.bytes += bytes.len();
        self.messages.push(Partial {
            header,
            request_id,
            message: bytes.to_vec(),
            realignments: Vec::new(),
            empty_in_a_row: 0,
            stale: false,
        });
        Ok(())
    }

    /// Appends a fragment to its message; the message, if that was the last.
    pub(super) fn append(
        &mut self,
        header: MessageHeader,
        bytes: &[u8],
        limits: &FramingLimits,
    ) -> Result<Option<Reassembled>, FrameError> {
        let request_id = request_id_in_piece(&header, bytes)?;
        let Some(index) = self.position(request_id) else {
            return Err(FrameError::FragmentWithoutStart { request_id });
        };
        let payload = match request_id {
            Some(_) => &bytes[header.header_size() + 4..],
            None => &bytes[header.header_size()..],
        };
        let partial = &self.messages[index];
        if (partial.header.version, partial.header.order) != (header.version, header.order) {
            return Err(FrameError::FragmentMismatch);
        }
        self.check_size(partial.message.len(), payload.len(), limits)?;

        let partial = &mut self.messages[index];
        let position = partial.message.len();
        // A fragment of 1.1 is aligned from its own start; only where that
        // comes to something else than going on need it be remembered.
        if request_id.is_none()
            && !payload.is_empty()
            && (position % 8 != HEADER_SIZE % 8 || partial.is_realigned())
        {
            let phase = HEADER_SIZE;
            partial.realignments.push(Realignment { position, phase });
        }
        partial.message.extend_from_slice(payload);
        self.bytes += payload.len();
        if header.more_fragments {
            check_alignment(header.version, bytes.len())?;
            partial.empty_in_a_row = match payload {
                [] => partial.empty_in_a_row + 1,
                _ => 0,
            };
            if partial.empty_in_a_row > limits.max_empty_fragments {
                return Err(FrameError::TooManyEmptyFragments {
                    limit: limits.max_empty_fragments,
                });
            }
            return Ok(None);
        }
        Ok(Some(self.remove(index).finish()))
    }

    /// Drops what was kept of the request that a CancelRequest names.
    pub(super) fn cancel(&mut self, header: &MessageHeader, bytes: &[u8]) {
        let Some(cancelled) = read_request_id(header, bytes) else {
            return; // the receiver of the message will find it malformed
        };
        // Two of them, of 1.1 and 1.2, only a peer has that breaks the rules.
        self.messages.retain(|partial| {
            // The peer cancels what it asked, not what it answers.
            let is_cancelled = matches!(
                partial.header.message_type,
                MessageType::Request | MessageType::LocateRequest
            ) && partial.known_request_id() == Some(cancelled);
            if is_cancelled {
                self.bytes -= partial.message.len();
            }
            !is_cancelled
        });
    }

    /// Drops the messages that had begun when this was last called, but for those
    /// that somebody waits for.
    pub(super) fn drop_stale_unless(&mut self, is_awaited: impl Fn(u32) -> bool) -> usize {
        let before = self.messages.len();
        self.messages.retain_mut(|partial| {
            let is_stale = core::mem::replace(&mut partial.stale, true);
            !is_stale || partial.known_request_id().is_some_and(&is_awaited)
        });
        self.bytes = self.messages.iter().map(|kept| kept.message.len()).sum();
        before - self.messages.len()
    }

    fn position(&self, request_id: Option<u32>) -> Option<usize> {
        self.messages
            .iter()
            .position(|partial| partial.request_id == request_id)
    }

    fn remove(&mut self, index: usize) -> Partial {
        let partial = self.messages.swap_remove(index);
        self.bytes -= partial.message.len();
        partial
    }

    /// Whether a message of `size` octets may grow by `more`.
    fn check_size(
        &self,
        size: usize,
        more: usize,
        limits: &FramingLimits,
    ) -> Result<(), FrameError> {
        // Whatever the setting, a header cannot tell more than 32 bits.
        let limit = limits.max_reassembled_size.min(u32::MAX as usize);
        if size + more > limit {
            return Err(FrameError::ReassembledTooLarge {
                size: (size + more) as u64,
                limit,
            });
        }
        if self.bytes + more > limits.max_partial_bytes {
            return Err(FrameError::PartialsTooLarge {
                limit: limits.max_partial_bytes,
            });
        }
        Ok(())
    }
}

impl Partial {
    /// Whether alignment has started anew somewhere, so that going on is
    /// something else than aligning from the message's start.
    fn is_realigned(&self) -> bool {
        !self.realignments.is_empty()
    }

    /// The message with the header that it would have had in one piece.
    fn finish(self) -> Reassembled {
        let mut message = self.message;
        let header = MessageHeader {
            more_fragments: false,
            // Fits: `check_size` saw to it with every piece.
            size: (message.len() - self.header.header_size()) as u32,
            ..self.header
        };
        header.patch_pieces(&mut message);
        Reassembled {
            header,
            bytes: message,
            realignments: self.realignments,
        }
    }

    /// The request id, if as much of the message as is there tells it.
    fn known_request_id(&self) -> Option<u32> {
        if self.request_id.is_some() {
            return self.request_id;
        }
        let mut input = self.header.decoder(&self.message).ok()?;
        input = input.with_realignments(&self.realignments);
        ServiceContexts::decode(&mut input).ok()?;
        input.read().ok()
    }
}

/// The request id of a first piece or a fragment; GIOP 1.1 has none in a known
/// place.
fn request_id_in_piece(header: &MessageHeader, bytes: &[u8]) -> Result<Option<u32>, FrameError> {
    if header.version < Version::V1_2 {
        return Ok(None);
    }
    match read_request_id(header, bytes) {
        Some(request_id) => Ok(Some(request_id)),
        None => Err(FrameError::MissingRequestId),
    }
}

/// The four octets behind the header.
fn read_request_id(header: &MessageHeader, bytes: &[u8]) -> Option<u32> {
    let octets = *bytes.get(header.header_size()..)?.first_chunk()?;
    Some(match header.order {
        ByteOrder::Big => u32::from_be_bytes(octets),
        ByteOrder::Little => u32::from_le_bytes(octets),
    })
}

/// Refuses a piece of GIOP 1.2 that is not the last and whose size would break
/// the alignment of what follows. In GIOPlite alignment minds no pieces.
fn check_alignment(version: Version, piece: usize) -> Result<(), FrameError> {
    if version == Version::V1_2 && !piece.is_multiple_of(8) {
        return Err(FrameError::MisalignedFragment { size: piece });
    }
    Ok(())
}
