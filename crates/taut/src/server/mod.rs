//! The server side of the ORB core: listeners, connections, and the way of a
//! request to the object adapter and back.

mod accepting;
mod adapter;
#[cfg(feature = "bidirectional")]
mod bidirectional;
mod dispatch;
mod duty;
mod endpoint;
#[cfg(feature = "reactor")]
mod engine;
mod exchange;
#[cfg(feature = "reactor")]
mod handover;
mod interpretive;
mod listening;
mod operations;
#[cfg(feature = "reactor")]
mod outbox;
mod own_thread;
mod peer;
mod penalties;
mod pending_output;
mod rate;
#[cfg(feature = "reactor")]
mod reactor;
mod registry;
mod request;
mod session;
#[cfg(feature = "reactor")]
mod standby;
mod watch;

pub(crate) use adapter::{Disposition, ObjectAdapter, Presence};
pub use endpoint::{EndpointError, ListenEndpoint};
pub use interpretive::{answer, receive};
pub(crate) use listening::Server;
pub use operations::HashedOperationTable;
pub use request::ServerRequest;
pub(crate) use request::stale_handle;
