//! A hostile client: a socket.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use taut_giop::message::MessageType;

use crate::common::Server;
use crate::common::raw::{Message, PATIENCE};

pub(crate) struct Attacker {
    stream: TcpStream,
    /// As the server's events name it.
    pub name: String,
}

/// The end of an attacker's connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// MessageError.
    MessageError,
    /// CloseConnection.
    CloseConnection,
    /// The end of the stream, without a word.
    Silence,
}

impl Outcome {
    /// None for a message that does not end the connection.
    pub(crate) fn of(message: &Message) -> Option<Self> {
        match message.message_type() {
            MessageType::MessageError => Some(Self::MessageError),
            MessageType::CloseConnection => Some(Self::CloseConnection),
            _ => None,
        }
    }
}

impl Attacker {
    pub(crate) fn connect(server: &Server) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        let name = stream.local_addr().unwrap().to_string();
        Self { stream, name }
    }

    /// Gives up sending what is not taken for a while, which a system may go on to try for a
    /// minute. For attackers that send without end.
    pub(crate) fn give_up_soon(&self) {
        let patience = Some(Duration::from_secs(2));
        self.stream.set_write_timeout(patience).unwrap();
    }

    pub(crate) fn many(server: &Server, count: usize) -> Vec<Self> {
        (0..count).map(|_| Self::connect(server)).collect()
    }

    /// Sends octets. False when the server does not take them any more.
    pub(crate) fn send(&mut self, octets: &[u8]) -> bool {
        self.stream.write_all(octets).is_ok()
    }

    /// Sends nothing from here on.
    pub(crate) fn fall_silent(&self) {
        let _ = self.stream.shutdown(Shutdown::Write);
    }

    /// The next whole message; none at the end.
    pub(crate) fn receive(&mut self) -> Option<Message> {
        Message::read(&mut self.stream).ok()
    }

    /// Takes a few octets, if there are any.
    pub(crate) fn sip(&mut self, octets: usize) {
        let _ = self.stream.read(&mut vec![0; octets]);
    }

    /// Takes all that comes until the end, however that is, and says how many octets
    /// these were.
    pub(crate) fn drain(&mut self) -> usize {
        let mut all = Vec::new();
        match self.stream.read_to_end(&mut all) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                panic!("the server keeps the connection of {}", self.name)
            }
            // Another end than that of the stream is a reset.
            _ => all.len(),
        }
    }

    /// Receives the reply that must come next.
    pub(crate) fn receive_reply(&mut self) {
        let message = self.receive().unwrap();
        assert_eq!(message.message_type(), MessageType::Reply);
    }

    /// Receives until the end: how many replies there were, and the end.
    pub(crate) fn end(&mut self) -> (usize, Outcome) {
        let mut replies = 0;
        let mut outcome = Outcome::Silence;
        while let Some(message) = self.receive() {
            match Outcome::of(&message) {
                Some(end) => outcome = end,
                None => replies += 1,
            }
        }
        let mut more = [0];
        match self.stream.read(&mut more) {
            Ok(0) => {}
            Err(error) if error.kind() != ErrorKind::WouldBlock => {}
            still => panic!(
                "the server keeps the connection of {}: {still:?}",
                self.name
            ),
        }
        (replies, outcome)
    }

    /// A second hand on the same connection.
    pub(crate) fn another(&self) -> Self {
        Self {
            stream: self.stream.try_clone().unwrap(),
            name: self.name.clone(),
        }
    }
}
