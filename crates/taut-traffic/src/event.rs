//! The events of a capture.

use std::net::SocketAddr;
use std::time::Duration;

use taut_explain::{Fact, Mark, Preamble, Subject};

/// An event of a capture.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A message, or a fragment of one.
    Message(Message),
    /// Something about the capture or a connection.
    Note(Note),
}

/// The way that something took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Way {
    /// The connection's number in the capture, from 1.
    pub connection: u64,
    /// The sender.
    pub from: SocketAddr,
    /// To whom.
    pub to: SocketAddr,
    /// Whether the sender opened the connection; none when the capture does not
    /// show who did.
    pub from_opener: Option<bool>,
}

/// A message of GIOP.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Its number in the capture, from 1; fragments count.
    pub number: u64,
    /// When its last octet was captured, from 1970 on.
    pub time: Option<Duration>,
    /// Its way; none for octets that no packets carried.
    pub way: Option<Way>,
    /// Its header.
    pub preamble: Preamble,
    /// Which piece of a message it is.
    pub piece: Piece,
    /// The subject of the message; of a message in pieces, the last one tells.
    pub subject: Subject,
    /// The facts that the message states.
    pub facts: Vec<Fact>,
    /// Arguments, results or an exception's members by name, if the operation's
    /// IDL is known.
    pub values: Vec<Fact>,
    /// The message that this one answers, or cancels.
    pub answers: Option<Answer>,
    /// The rules that the message breaks, each with its place.
    pub marks: Vec<Mark>,
}

/// Whether a message is whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    /// It is in one piece.
    Whole,
    /// It is this piece of a message, from 1, and not the last; 0 when it is a
    /// fragment of none.
    Part(usize),
    /// It is the last of so many pieces, with which the message is whole.
    Last(usize),
    /// Only its header is there.
    Head,
}

/// The message that another one answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The number of the message that is answered.
    pub number: u64,
    /// Its operation, if it is a Request.
    pub operation: Option<String>,
    /// The time between the last octets of both.
    pub after: Option<Duration>,
}

/// Something about a capture or a connection that is no fault of a peer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// When, from 1970 on.
    pub time: Option<Duration>,
    /// Where.
    pub way: Option<Way>,
    /// What, in one line.
    pub text: String,
}
