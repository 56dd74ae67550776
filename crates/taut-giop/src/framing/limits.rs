//! The limits of fragments and messages.

/// The limits that a [`Framer`](super::Framer) sets to a peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FramingLimits {
    /// Octets of one message, or one fragment, its header included; 16 MiB
    /// unless set. Beyond: [`FrameError::MessageTooLarge`](crate::framing::FrameError::MessageTooLarge).
    pub max_message_size: usize,
    /// Octets of a message made of fragments, its header included; 16 MiB unless
    /// set. Beyond: [`FrameError::ReassembledTooLarge`](crate::framing::FrameError::ReassembledTooLarge).
    pub max_reassembled_size: usize,
    /// Messages that may be incomplete at once; 16 unless set. Beyond:
    /// [`FrameError::TooManyPartials`](crate::framing::FrameError::TooManyPartials).
    pub max_partial_messages: usize,
    /// Octets of all incomplete messages; 32 MiB unless set. Beyond:
    /// [`FrameError::PartialsTooLarge`](crate::framing::FrameError::PartialsTooLarge).
    pub max_partial_bytes: usize,
    /// Fragments of a message that carry nothing and are not the last, in a row;
    /// 2 unless set. Beyond: [`FrameError::TooManyEmptyFragments`](crate::framing::FrameError::TooManyEmptyFragments).
    pub max_empty_fragments: usize,
}

impl FramingLimits {
    /// The limits that hold unless others are set.
    pub const DEFAULT: Self = Self {
        max_message_size: 16 << 20,
        max_reassembled_size: 16 << 20,
        max_partial_messages: 16,
        max_partial_bytes: 32 << 20,
        max_empty_fragments: 2,
    };
}

impl Default for FramingLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
