//! How messages that are too large for one piece are sent.

use std::io;

use super::Messaging;
use crate::settings::Settings;

/// The size of the pieces in which messages are sent on a connection, and their protocol.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fragmentation {
    messaging: Messaging,
    /// `wire.fragment_size`: larger messages are sent in pieces of this size.
    max_size: usize,
}

impl Fragmentation {
    /// The pieces that the settings ask for.
    pub(crate) fn new(messaging: Messaging, settings: &Settings) -> Self {
        Self {
            messaging,
            max_size: settings.wire.fragment_size,
        }
    }

    /// The protocol of the messages.
    #[inline(always)]
    pub(crate) fn messaging(&self) -> Messaging {
        self.messaging
    }

    /// Whether a message of `size` octets is sent in one piece.
    #[inline(always)]
    pub(crate) fn is_one_piece(&self, size: usize) -> bool {
        size <= self.max_size
    }

    /// Sends a message in pieces, each by one call of `send`: with what goes before it,
    /// and what of the message it carries.
    ///
    /// # Errors
    ///
    /// Those of `send`, and one for a message that is not whole.
    #[cold]
    #[inline(never)]
    pub(crate) fn send_pieces(
        &self,
        message: &[u8],
        send: &mut dyn FnMut([&[u8]; 2]) -> io::Result<()>,
    ) -> io::Result<()> {
        let not_whole = || io::Error::other("the octets to be sent are no whole message");
        let pieces = self.messaging.fragments(message, self.max_size);
        for piece in pieces.ok_or_else(not_whole)? {
            send([piece.head(), piece.payload])?;
        }
        Ok(())
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::{Assembly, Found};
    use super::*;

    /// A Request of eighty octets.
    fn message() -> Vec<u8> {
        let mut message = b"GIOP\x01\x02\x01\x00\x44\0\0\0\x01\0\0\0".to_vec();
        message.extend(16..80);
        message
    }

    #[test]
    fn pieces_are_no_larger_than_asked_and_join_to_the_message() {
        let mut settings = Settings::default();
        settings.wire.fragment_size = 32;
        let fragmentation = Fragmentation::new(Messaging::Giop, &settings);
        assert!(fragmentation.is_one_piece(32) && !fragmentation.is_one_piece(33));
        let mut octets = Vec::new();
        let mut largest = 0;
        let sent = fragmentation.send_pieces(&message(), &mut |parts| {
            largest = largest.max(parts.concat().len());
            octets.extend(parts.concat());
            Ok(())
        });
        assert!(sent.is_ok() && largest == 32, "{sent:?} {largest}");
        let mut assembly = Assembly::new(Messaging::Giop, &settings);
        let Ok(Found::Reassembled(whole)) = assembly.next(&octets, &mut 0) else {
            panic!("the last piece was sent");
        };
        assert_eq!(whole.bytes, message());
    }

    #[test]
    fn what_fails_or_is_not_whole_is_not_sent_on() {
        let mut settings = Settings::default();
        settings.wire.fragment_size = 32;
        let fragmentation = Fragmentation::new(Messaging::Giop, &settings);
        let mut calls = 0;
        let sent = fragmentation.send_pieces(&message(), &mut |_| {
            calls += 1;
            Err(io::ErrorKind::BrokenPipe.into())
        });
        assert_eq!(sent.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        let cut = fragmentation.send_pieces(&message()[..79], &mut |_| panic!("not whole"));
        assert!(cut.is_err());
        assert_eq!(calls, 1);
    }
}
