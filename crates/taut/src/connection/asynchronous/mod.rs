//! Connections for calls that are awaited: any number of calls on each, and no thread that
//! waits.
//!
//! One thread for each ORB, the *engine*, reads all these connections, and sends what their
//! callers could not send at once. A future that polls writes its request into the
//! connection's buffer; while few calls are in flight it sends that itself, and leaves it to
//! the engine, which sends all of one turn together, while there are many. Names are looked
//! up and connections opened by threads that may block.

mod calls;
mod connection;
mod engine;
mod home;
#[cfg(all(test, loom))]
mod orders;
mod outbox;
mod reading;
mod task;
mod timers;
mod workers;

pub(crate) use connection::{AsyncConnection, Awaits, Began, Lost, Sent, Ticket, Writing};
pub(crate) use engine::{Engine, LazyEngine};
pub(crate) use home::{Awaited, Home};
pub(crate) use task::{Place, Task};
pub(crate) use timers::TimerKey;
