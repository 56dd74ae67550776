//! Traces and metrics of CORBA calls, for OpenTelemetry.
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
