//! The interfaces of `idl/session_test.idl`, which are about connections: their
//! servants in Rust, and the programs of other ORBs that have or call them.

mod execution_log;
mod programs;
mod servant;

taut::include_idl!("session_test");

pub use execution_log::ExecutionLog;
pub use programs::{Ending, Peer, Program, SessionClient, SessionServer};
pub use servant::{ListenerServant, SessionServant, serve_listener, serve_session};
pub use sessions::{
    Listener, ListenerRef, ListenerSkeleton, Octets, Session, SessionRef, SessionSkeleton,
};
