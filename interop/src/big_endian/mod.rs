//! Peers that write big-endian messages, whatever machine they run on.
//!
//! [`BigEndianClient`] speaks for a `Param_Test` that a server of any kind has;
//! [`serve_big_endian`] puts a servant behind a server of its own. Both write
//! and read messages with `taut_giop` and `taut_cdr`, without an ORB, one
//! message at a time, and never fragment.

mod client;
mod server;
mod wire;

pub use client::BigEndianClient;
pub use server::serve_big_endian;
