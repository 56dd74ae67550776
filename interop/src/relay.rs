//! A relay between a client and a server, which counts the messages that pass.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use parking_lot::Mutex;
use taut_giop::message::{HEADER_SIZE, MessageHeader, MessageType};
use test_tools::Direction;

use crate::error::HarnessError;

/// A relay to a port of the loopback, which counts the GIOP messages by their type.
#[derive(Debug)]
pub struct Relay {
    relay: test_tools::Relay,
    counts: Arc<Mutex<Counts>>,
}

/// The connections and messages that have passed.
#[derive(Debug, Default)]
struct Counts {
    connections: usize,
    /// From the side that opened the connection.
    there: Vec<MessageType>,
    /// From the side that accepted it.
    back: Vec<MessageType>,
}

impl Relay {
    /// Starts a relay to a port of the loopback.
    ///
    /// # Errors
    ///
    /// [`HarnessError::Resource`] when no port is free.
    pub fn start(target: u16) -> Result<Self, HarnessError> {
        let counts = Arc::<Mutex<Counts>>::default();
        let its_counts = Arc::clone(&counts);
        let relay = relay_messages(target, move |direction| {
            let counts = Arc::clone(&its_counts);
            counts.lock().connections += usize::from(direction == Direction::There);
            move |header, _: &[u8]| {
                let mut counts = counts.lock();
                match direction {
                    Direction::There => counts.there.push(header.message_type),
                    Direction::Back => counts.back.push(header.message_type),
                }
            }
        })?;
        Ok(Self { relay, counts })
    }

    /// The port at which the relay listens.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.relay.address().port()
    }

    /// How many connections have been opened.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.counts.lock().connections
    }

    /// How many messages of a type have come from the sides that opened connections.
    #[must_use]
    pub fn there(&self, message_type: MessageType) -> usize {
        count(&self.counts.lock().there, message_type)
    }

    /// How many messages of a type have come back.
    #[must_use]
    pub fn back(&self, message_type: MessageType) -> usize {
        count(&self.counts.lock().back, message_type)
    }
}

fn count(messages: &[MessageType], message_type: MessageType) -> usize {
    let same = messages.iter().filter(|known| **known == message_type);
    same.count()
}

/// Starts a relay to a port of the loopback. The observers of each connection see its GIOP
/// messages whole, each when its last octet is about to be passed on.
///
/// # Errors
///
/// [`HarnessError::Resource`] when no port is free.
pub fn relay_messages<O: FnMut(MessageHeader, &[u8]) + Send + 'static>(
    target: u16,
    mut observer: impl FnMut(Direction) -> O + Send + 'static,
) -> Result<test_tools::Relay, HarnessError> {
    let server = SocketAddr::from((Ipv4Addr::LOCALHOST, target));
    let relay =
        test_tools::Relay::start(server, move |direction| whole_messages(observer(direction)));
    relay.map_err(|source| HarnessError::Resource {
        what: "port for a relay",
        source,
    })
}

/// Joins octets to messages. Octets that are no GIOP are not observed.
fn whole_messages(mut observe: impl FnMut(MessageHeader, &[u8])) -> impl FnMut(&[u8]) {
    let mut received = Vec::new();
    move |octets| {
        received.extend_from_slice(octets);
        while let Some(header) = received.first_chunk::<HEADER_SIZE>() {
            let Ok(header) = MessageHeader::parse(header) else {
                return;
            };
            let size = header.total_size();
            if received.len() < size {
                return;
            }
            observe(header, &received[..size]);
            received.drain(..size);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_seen_whole_wherever_they_are_cut() {
        let close = b"GIOP\x01\x02\x01\x05\0\0\0\0";
        let octets = [&b"GIOP\x01\x02\x01\x07\x03\0\0\0abc"[..], close].concat();
        for cut in 0..octets.len() {
            let mut seen = Vec::new();
            let mut observe = whole_messages(|header, message| {
                seen.push((header.message_type, message.len()));
            });
            observe(&octets[..cut]);
            observe(&octets[cut..]);
            drop(observe);
            let expected = [
                (MessageType::Fragment, HEADER_SIZE + 3),
                (MessageType::CloseConnection, HEADER_SIZE),
            ];
            assert_eq!(seen, expected, "cut at {cut}");
        }
    }
}
