//! The server side of the ORB core: listeners, connections, and the way of a
//! request to the object adapter and back.

mod accepting;
mod adapter;
#[cfg_attr(not(feature = "full"), path = "admission_absent.rs")]
mod admission;
mod bidirectional;
mod deferral;
mod duty;
mod end;
mod endpoint;
#[cfg_attr(not(feature = "full"), path = "engine_absent.rs")]
mod engine;
#[cfg_attr(not(feature = "full"), path = "expiry_absent.rs")]
mod expiry;
mod handover;
#[cfg(feature = "full")]
mod in_process;
#[cfg_attr(not(feature = "full"), path = "intercepted_absent.rs")]
mod intercepted;
mod interpretive;
mod lane;
mod listener;
mod listening;
mod load;
mod operations;
mod outbox;
mod own_thread;
mod peer;
mod peer_in_service;
mod penalties;
mod pending_output;
#[cfg_attr(not(feature = "full"), path = "pool/absent.rs")]
mod pool;
#[cfg_attr(not(feature = "full"), path = "protocols_absent.rs")]
mod protocols;
mod rate;
mod reactor;
mod registry;
mod request;
mod request_in_progress;
mod service;
mod session;
mod standby;
mod watch;

pub(crate) use adapter::{AroundServant, Disposition, ObjectAdapter, Presence, SentPriority};
pub(crate) use admission::Arrival;
pub(crate) use deferral::DeferredReply;
pub use endpoint::{EndpointError, ListenEndpoint};
#[cfg(feature = "full")]
pub(crate) use in_process::serve as serve_in_process;
pub use interpretive::{answer, receive};
pub(crate) use listening::Server;
pub use operations::HashedOperationTable;
pub(crate) use peer_in_service::{peer_in_service, peer_name, peer_source};
#[cfg(feature = "full")]
pub use pool::{InvalidThreadpool, RequestBuffering, Threadpool, ThreadpoolError, ThreadpoolLane};
pub(crate) use pool::{LaneListen, serves_pool};
pub use request::ServerRequest;
pub(crate) use request::stale_handle;
