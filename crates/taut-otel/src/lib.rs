//! Traces and metrics of CORBA calls, for OpenTelemetry.
//!
//! [`Telemetry`] registers interceptors with an ORB while it is made. Then
//!
//! - each call has a span on the client, a child of the current one of the caller, and each
//!   request one on the server, a child of the client's; the servant runs in its context;
//! - the context of a trace goes with the request, in a service context ([`TRACE_CONTEXT`]),
//!   as [`Fields`] that a propagator writes and reads: [`W3cTraceContext`], unless a program
//!   sets another;
//! - durations are measured, and exceptions counted, by operation.
//!
//! Names of attributes and metrics are in [`conventions`].
//!
//! A call never fails on account of its trace: what cannot be sent, or not be understood, is
//! left out, and the span has an event that tells so.
//!
//! # What it is not
//!
//! No SDK: a program chooses one, which samples and exports. No events of the ORB itself:
//! those go to `tracing`.

mod call;
mod client;
pub mod conventions;
mod fields;
mod instruments;
mod server;
mod telemetry;
mod thread_context;
mod w3c;

pub use fields::{FieldLimits, Fields, FieldsError, TRACE_CONTEXT};
pub use telemetry::{Telemetry, TelemetryBuilder};
pub use w3c::{TRACEPARENT, TRACESTATE, W3cTraceContext};

/// The examples of the README, which are compiled with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
