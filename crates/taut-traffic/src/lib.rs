//! Captured GIOP traffic, explained message by message.
//!
//! [`Traffic`] reads a packet capture (pcap, pcapng), a hex dump or messages as
//! they are, and tells as [`Event`]s what is in it: each [`Message`] with what it
//! says, what it answers and where it breaks the standard, and [`Note`]s on what
//! the capture lacks.
//!
//! From below: `capture` finds the packets of a file and the TCP segments in them,
//! `stream` puts segments in order, `splitter` finds the messages in a stream,
//! `joiner` joins fragments, `conversation` matches replies with requests; what a
//! message says is told by [`taut_explain`], and what its arguments and
//! results are by [`Interfaces`], made of IDL.
//!
//! A capture may come from anybody. Nothing in it makes this crate panic, and
//! what is kept of it has a limit each ([`Limits`]).
//!
//! Not its business: how all this is shown.

mod capture;
mod connection;
mod conversation;
mod error;
mod event;
mod joiner;
mod limits;
mod splitter;
mod stream;
mod traffic;
mod values;

pub use error::CaptureError;
pub use event::{Answer, Event, Message, Note, Piece, Way};
pub use limits::Limits;
pub use traffic::{Options, Traffic};
pub use values::Interfaces;

/// The examples of the README, which are compiled with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
