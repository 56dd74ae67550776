//! The protocols of messages, and all that connections need of them.
//!
//! A connection carries the messages of one protocol, its [`Messaging`]. Everything above
//! this module asks that value to find messages among octets, to read their headers, to
//! write them and to cut them, and knows no layout. There are GIOP and GIOPlite
//! (`docs/gioplite.md`). A further one is a variant, and an arm of the functions in
//! [`reading`](self) and [`writing`](self).
//!
//! The kinds of messages ([`MessageType`]), and the rules for what is in them, are those of
//! GIOP for all protocols. A message has a [`Version`], by which it is laid out; that of
//! GIOPlite is [`Version::LITE`], and what is encoded in such a message is encoded as in
//! GIOP 1.2.
//!
//! A plain call of GIOP pays for the other protocol with a comparison of a byte on each side.

mod arrival;
mod assembly;
mod fragment_sweep;
mod fragmentation;
mod reading;
mod writing;

use taut_giop::framing::refusal;
use taut_giop::message::{
    FrameError, HEADER_SIZE, HeaderBytes, MAGIC, MessageHeader, MessageType, lite,
};
use taut_giop::{Limits, Version};

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
    /// GIOPlite, which only ORBs of Taut speak with each other.
    Lite,
}

/// The most octets that a message without a body has in any protocol.
pub(crate) const BODYLESS_MAX: usize = HEADER_SIZE;

impl Messaging {
    /// The protocol of connections that are opened and accepted under these settings.
    pub(crate) fn of(settings: &Settings) -> Self {
        #[cfg(feature = "full")]
        if settings.wire.giop_lite {
            return Self::Lite;
        }
        let _ = settings;
        Self::Giop
    }

    /// The protocol in which messages of a version are laid out: known to the compiler where
    /// the version is.
    #[inline(always)]
    pub(crate) const fn of_version(version: Version) -> Self {
        match cfg!(feature = "full") && version.is_lite() {
            true => Self::Lite,
            false => Self::Giop,
        }
    }

    /// Whether this is GIOPlite, which the shape `minimal` does not have.
    #[inline(always)]
    pub(crate) const fn is_lite(self) -> bool {
        cfg!(feature = "full") && matches!(self, Self::Lite)
    }

    /// The number of octets that every message has at least.
    #[inline]
    pub(crate) const fn header_size(self) -> usize {
        match self.is_lite() {
            false => HEADER_SIZE,
            true => lite::HEADER_SIZE,
        }
    }

    /// The version by which messages are laid out, where the two sides could agree on this
    /// one of GIOP.
    #[inline]
    pub(crate) fn version(self, agreed: Version) -> Version {
        match self.is_lite() {
            false => agreed,
            true => Version::LITE,
        }
    }

    /// The version of GIOP that the message at the start of these octets is written in, if
    /// they tell it.
    pub(crate) fn version_of(self, octets: &[u8]) -> Option<Version> {
        match (self, octets.split_first_chunk()) {
            (Self::Giop, Some((&MAGIC, &[major, minor, ..]))) => Some(Version::new(major, minor)),
            _ => None,
        }
    }

    /// The message of a type that has no body: CloseConnection or MessageError.
    pub(crate) fn bodyless(self, version: Version, message_type: MessageType) -> HeaderBytes {
        MessageHeader::bodyless(self.version(version), message_type).to_bytes()
    }

    /// The last message to a peer that broke the rules of framing with what begins these
    /// `octets`, on a connection where this version was `spoken`. A client that asks
    /// something in GIOP where GIOPlite is expected gets a reply with the reason.
    pub(crate) fn answer(self, error: &FrameError, spoken: Version, octets: &[u8]) -> Box<[u8]> {
        if self.is_lite()
            && error.is_of_other_protocol()
            && let Some(reply) = refusal(octets, &Limits::DEFAULT)
        {
            return reply.into();
        }
        error.answer(self.version(spoken)).to_vec().into()
    }

    /// Whether these octets, the first that have arrived and not been read, are a
    /// CloseConnection.
    pub(crate) fn is_goodbye(self, octets: &[u8]) -> bool {
        let header = match self.is_lite() {
            false => octets
                .first_chunk()
                .and_then(|header| MessageHeader::parse(header).ok()),
            true => octets
                .first_chunk()
                .and_then(|header| lite::parse(header).ok()),
        };
        header.is_some_and(|header| header.message_type == MessageType::CloseConnection)
    }
}

#[cfg(all(test, not(loom), feature = "full"))]
mod tests {
    use super::*;

    #[test]
    fn a_goodbye_is_known_in_every_version_and_nothing_else_is_taken_for_one() {
        let lite = Messaging::Lite;
        let goodbye = lite.bodyless(Version::V1_2, MessageType::CloseConnection);
        assert!(lite.is_goodbye(&goodbye) && !Messaging::Giop.is_goodbye(&goodbye));
        assert!(lite.is_goodbye(&[&*goodbye, b"more"].concat()));
        assert!(!lite.is_goodbye(&goodbye[..lite.header_size() - 1]));
        let error = lite.bodyless(Version::V1_2, MessageType::MessageError);
        assert!(!lite.is_goodbye(&error));

        let messaging = Messaging::Giop;
        for minor in 0..=2 {
            let version = Version::new(1, minor);
            let goodbye = messaging.bodyless(version, MessageType::CloseConnection);
            assert!(messaging.is_goodbye(&goodbye));
            assert!(messaging.is_goodbye(&[&*goodbye, b"more"].concat()));
            assert!(!messaging.is_goodbye(&goodbye[..messaging.header_size() - 1]));
            let error = messaging.bodyless(version, MessageType::MessageError);
            assert!(!messaging.is_goodbye(&error));
            assert_eq!(messaging.version_of(&error), Some(version));
        }
        assert_eq!(messaging.version_of(b"GIOP\x01"), None);
        assert_eq!(messaging.version_of(b"POST / HTTP"), None);
    }
}
