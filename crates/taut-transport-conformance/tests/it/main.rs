//! The conformance suite, run on the sockets that every ORB has.

mod sockets;
