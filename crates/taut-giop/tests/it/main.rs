//! The tests of messages, references, URLs and system exceptions, without a network.

mod common;
mod endpoints;
mod exceptions;
mod fragments_1_1;
mod framing;
mod hostile;
mod limits;
mod messages;
mod no_allocation;
mod properties;
mod real_time;
mod references;
