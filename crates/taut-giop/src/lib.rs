//! The General Inter-ORB Protocol as values (CORBA 3.3 part 2, 9.4 to 9.8):
//! every message of GIOP 1.0 to 1.2, object references and the URLs that name
//! them, service contexts, code sets, and system exceptions.
//!
//! It also has the messages of [GIOPlite](message::lite), which is no part of the standard.
//!
//! The crate turns bytes into these values and back, and does nothing else: it
//! opens no socket, reads no clock and starts no thread. The ORB decides which message is
//! sent to which peer, and when. It is `no_std` and needs `alloc`.
//!
//! The principal types, from the wire upwards:
//!
//! - [`message::MessageHeader`] and the headers behind it
//!   ([`message::RequestHeader`], [`message::ReplyHeader`], …), which borrow
//!   from the message and allocate nothing;
//! - [`framing::Framer`], which finds messages in a stream and joins fragments;
//! - [`SystemException`], the meanings of its minor codes ([`minor`]), and the report
//!   for people that it may carry ([`ExceptionReport`]);
//! - [`Ior`], with profiles ([`ior::IiopProfile`]) and components
//!   ([`component`]); what this crate does not know it keeps octet for octet;
//! - [`url::ObjectUrl`] and [`naming::NameComponent`], what people write;
//! - [`real_time`], the service contexts of priorities, and the endpoints of lanes;
//! - [`operation_table::OperationTable`], which finds an operation by its name.
//!
//! Nothing that a peer sends makes it panic, or allocate more than a small
//! multiple of what has arrived; counts that a peer chooses have a limit
//! ([`Limits`]).

#![cfg_attr(docsrs, feature(doc_cfg))]
#![no_std]

extern crate alloc;

pub mod bidirectional;
pub mod code_set;
pub mod component;
pub mod deadline_context;
mod exception;
mod exposed_policy;
pub mod framing;
pub mod ior;
mod limits;
pub mod message;
pub mod naming;
mod numbers;
pub mod operation_handle;
pub mod operation_table;
pub mod perfect_hash;
pub mod real_time;
pub mod service_context;
mod tagged;
pub mod url;
mod version;

pub use exception::{
    CompletionStatus, ConnectAttempt, ConnectFailure, ExceptionReport, LimitReached, RaisedBy,
    SystemException, SystemExceptionKind, minor,
};
pub use exposed_policy::ExposedPolicy;
pub use ior::Ior;
pub use limits::Limits;
pub use version::Version;

/// The examples of the README, which are compiled with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
