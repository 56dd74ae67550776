//! A relay between a client and a server, which counts what goes through it.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use parking_lot::Mutex;
use taut_giop::message::{HEADER_SIZE, MessageHeader, MessageType};

use crate::error::HarnessError;

/// Listens on a port of the loopback, and passes on what comes there to another
/// and back. It counts the GIOP messages by their type.
///
/// Its threads end with the connections; the listener stays as long as the
/// process.
#[derive(Debug)]
pub struct Relay {
    port: u16,
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
    /// Begins to relay to a port of the loopback.
    ///
    /// # Errors
    ///
    /// [`HarnessError::Resource`] when no port is free.
    pub fn start(target: u16) -> Result<Self, HarnessError> {
        let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
        let resource = |source| HarnessError::Resource {
            what: "port for a relay",
            source,
        };
        let listener = bound.map_err(resource)?;
        let port = listener.local_addr().map_err(resource)?.port();
        let counts = Arc::new(Mutex::new(Counts::default()));
        let its_counts = Arc::clone(&counts);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                its_counts.lock().connections += 1;
                // Dropping the client tells it that there is no server.
                let _ = relay(client, target, &its_counts);
            }
        });
        Ok(Self { port, counts })
    }

    /// Where it listens.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// How many connections have been opened.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.counts.lock().connections
    }

    /// How many messages of a type have come from those who opened connections.
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

fn relay(client: TcpStream, target: u16, counts: &Arc<Mutex<Counts>>) -> io::Result<()> {
    let server = TcpStream::connect((Ipv4Addr::LOCALHOST, target))?;
    let (from_client, from_server) = (client.try_clone()?, server.try_clone()?);
    let (there, back) = (Arc::clone(counts), Arc::clone(counts));
    thread::spawn(move || {
        pass_on(from_client, server, |message| {
            there.lock().there.push(message)
        })
    });
    thread::spawn(move || {
        pass_on(from_server, client, |message| {
            back.lock().back.push(message)
        })
    });
    Ok(())
}

fn count(messages: &[MessageType], message_type: MessageType) -> usize {
    messages
        .iter()
        .filter(|known| **known == message_type)
        .count()
}

/// Passes on whole messages until the stream ends, and then ends the other.
fn pass_on(mut from: TcpStream, mut to: TcpStream, mut note: impl FnMut(MessageType)) {
    let mut header = [0; HEADER_SIZE];
    while from.read_exact(&mut header).is_ok() {
        let Ok(parsed) = MessageHeader::parse(&header) else {
            break;
        };
        note(parsed.message_type);
        let mut body = (&mut from).take(parsed.size.into());
        let passed = to.write_all(&header);
        match passed.and_then(|()| io::copy(&mut body, &mut to)) {
            Ok(passed) if passed == u64::from(parsed.size) => {}
            _ => break,
        }
    }
    // Fails when the other side is gone already.
    let _ = to.shutdown(Shutdown::Write);
}
