//! The protocols of messages, and all that connections need of them.
//!
//! A connection carries the messages of one protocol, its [`Messaging`]. Everything above
//! this module asks that value to find messages among octets, to read their headers, to
//! write them and to cut them, and knows no layout. GIOP is the only protocol now. Another
//! is a further variant, and a further arm of the functions in [`reading`](self) and
//! [`writing`](self).
//!
//! The kinds of messages ([`MessageType`]), and the rules for what is in them, are those of
//! GIOP for all protocols: a message has a [`Version`] of GIOP, by which its contents are
//! encoded.
//!
//! What a plain call asks is known from the octets: with one protocol, the functions for it
//! are those of `taut-giop`; with several, one comparison of a byte precedes them.

mod arrival;
mod assembly;
mod fragment_sweep;
mod fragmentation;
mod reading;
mod writing;

use taut_giop::Version;
use taut_giop::message::{FrameError, HEADER_SIZE, MAGIC, MessageHeader, MessageType};

use crate::settings::Settings;

pub(crate) use arrival::Arrival;
pub(crate) use assembly::{Assembly, Found};
pub(crate) use fragmentation::Fragmentation;
pub(crate) use reading::PLAIN_REPLY_BODY_MAX;

/// The protocol of the messages on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Messaging {
    /// GIOP, of which each message tells its version (CORBA 3.3 part 2, 9.4).
    Giop,
}

/// The most octets that a message without a body has in any protocol.
pub(crate) const BODYLESS_MAX: usize = HEADER_SIZE;

/// A message that is nothing but a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bodyless {
    octets: [u8; BODYLESS_MAX],
    size: usize,
}

impl Bodyless {
    /// The message of these octets.
    fn new<const SIZE: usize>(octets: [u8; SIZE]) -> Self {
        let mut room = [0; BODYLESS_MAX];
        room[..SIZE].copy_from_slice(&octets);
        Self {
            octets: room,
            size: SIZE,
        }
    }

    /// The octets of the message.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.octets[..self.size]
    }
}

impl Messaging {
    /// The protocol of connections that are opened and accepted under these settings.
    pub(crate) fn of(_: &Settings) -> Self {
        Self::Giop
    }

    /// The number of octets that every message has at least.
    #[inline]
    pub(crate) const fn header_size(self) -> usize {
        match self {
            Self::Giop => HEADER_SIZE,
        }
    }

    /// The version of GIOP by which requests are encoded, where the two sides could agree on
    /// this one.
    pub(crate) fn version(self, agreed: Version) -> Version {
        match self {
            Self::Giop => agreed,
        }
    }

    /// The version of GIOP that the message at the start of these octets is written in, if
    /// they tell it.
    pub(crate) fn version_of(self, octets: &[u8]) -> Option<Version> {
        match self {
            Self::Giop => match octets.split_first_chunk() {
                Some((&MAGIC, &[major, minor, ..])) => Some(Version::new(major, minor)),
                _ => None,
            },
        }
    }

    /// The message of a type that has no body: CloseConnection or MessageError.
    pub(crate) fn bodyless(self, version: Version, message_type: MessageType) -> Bodyless {
        match self {
            Self::Giop => Bodyless::new(MessageHeader::bodyless(version, message_type).to_bytes()),
        }
    }

    /// The last message to a peer that broke the rules of framing with what begins these
    /// `octets`, on a connection where this version was `spoken`.
    pub(crate) fn answer(self, error: &FrameError, spoken: Version, _octets: &[u8]) -> Box<[u8]> {
        match self {
            Self::Giop => error.answer(spoken).into(),
        }
    }

    /// Whether these octets, the first that have arrived and not been read, are a
    /// CloseConnection.
    pub(crate) fn is_goodbye(self, octets: &[u8]) -> bool {
        match self {
            Self::Giop => octets
                .first_chunk()
                .and_then(|header| MessageHeader::parse(header).ok())
                .is_some_and(|header| header.message_type == MessageType::CloseConnection),
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_goodbye_is_known_in_every_version_and_nothing_else_is_taken_for_one() {
        let messaging = Messaging::Giop;
        for minor in 0..=2 {
            let version = Version::new(1, minor);
            let goodbye = messaging.bodyless(version, MessageType::CloseConnection);
            assert!(messaging.is_goodbye(goodbye.as_bytes()));
            assert!(messaging.is_goodbye(&[goodbye.as_bytes(), b"more"].concat()));
            assert!(!messaging.is_goodbye(&goodbye.as_bytes()[..messaging.header_size() - 1]));
            let error = messaging.bodyless(version, MessageType::MessageError);
            assert!(!messaging.is_goodbye(error.as_bytes()));
            assert_eq!(messaging.version_of(error.as_bytes()), Some(version));
        }
        assert_eq!(messaging.version_of(b"GIOP\x01"), None);
        assert_eq!(messaging.version_of(b"POST / HTTP"), None);
    }
}
