//! A shop on the web: an HTTP service in front of CORBA servers.
//!
//! - [`web`] answers HTTP requests with calls that are awaited: a request's time-out is the
//!   call's, and a client that goes away cancels the call;
//! - [`servers`] has the two CORBA servers: a catalogue, which calls a warehouse;
//! - [`traced`] gives each HTTP request a span, of which those of the calls are children;
//! - [`http`] is the smallest client that serves for a demonstration.

taut::include_idl!("shop");

pub mod http;
pub mod servers;
pub mod traced;
pub mod web;
