//! A harness for tests against ORBs that Taut's authors did not write.
//!
//! The tests start real programs of other ORBs, talk to them and check what
//! they say. This crate finds those programs, starts and ends them, and has
//! what Taut's side of such a test needs.
//!
//! - [`peers`] finds what `cargo xtask peers` has built or installed, and says
//!   loudly what is left out when it is not there.
//! - [`Process`] is a started program: its lines are read with a time-out, and
//!   it never outlives the test.
//! - [`within`] gives a call that may hang a deadline.
//! - [`loopback_orb`] is an ORB of ours; [`OmniNames`] is omniORB's naming service
//!   on a port of its own; [`JacorbServer`] and [`JacorbClient`] are JacORB's
//!   programs.
//! - [`Check`] is what came of one check.
//! - [`over_the_wire`] makes ORBs that send messages even to themselves.
//! - [`param_test`] is the interface that both sides agree on, with its servant
//!   and its checks in Rust; what is known to fail is listed by name in
//!   `known_gaps/`. [`param_test_interpretive`] is the same, generated in the
//!   other marshaling strategy.
//! - [`record`](fn@record) keeps what passed, of which `cargo xtask interop` makes
//!   `docs/interop.md`.
//! - [`construct_test`] is another for the rest of IDL's constructs: unions,
//!   wide types, decimals, recursive types, `any`; with
//!   [`construct_test_interpretive`] beside it.
//! - [`session_test`] is about connections instead of values: calls back, forwards,
//!   servers that die; [`Relay`] counts what goes over a connection,
//!   and [`relay_messages`] shows it.
//! - [`big_endian`] has peers that write big-endian messages.
//!
//! Not its business: to build or install anything (`cargo xtask peers` does),
//! and to measure (`taut-bench` does).

pub mod big_endian;

/// The Rust of `idl/construct_test.idl`, marshaled by code.
macro_rules! generated {
    () => {
        taut::include_idl!("construct_test");
    };
}
pub mod construct_test;

/// The same, marshaled by table: for the module that follows.
macro_rules! generated {
    () => {
        taut::include_idl!("construct_test_interpretive");
    };
}
#[expect(
    clippy::duplicate_mod,
    reason = "the same suite for the other strategy"
)]
#[path = "construct_test/mod.rs"]
pub mod construct_test_interpretive;

/// The Rust of `idl/param_test.idl`, marshaled by code.
macro_rules! generated {
    () => {
        taut::include_idl!("param_test");
    };
}
pub mod param_test;

/// The same, marshaled by table: for the module that follows.
macro_rules! generated {
    () => {
        taut::include_idl!("param_test_interpretive");
    };
}
#[expect(
    clippy::duplicate_mod,
    reason = "the same suite for the other strategy"
)]
#[path = "param_test/mod.rs"]
pub mod param_test_interpretive;
pub mod peers;
pub mod random_idl;
pub mod session_test;

mod check;
mod deadline;
mod equivalence;
mod error;
mod jacorb;
mod jacorb_names;
mod known_gaps;
mod omni_names;
mod orb;
mod record;
mod relay;
mod report;
mod tables;
mod wire;

pub use check::Check;
pub use deadline::within;
pub use equivalence::is_equivalent;
pub use error::HarnessError;
pub use jacorb::{JacorbClient, JacorbServer};
pub use jacorb_names::JacorbNames;
pub use known_gaps::KnownGaps;
pub use omni_names::OmniNames;
pub use orb::{loopback_orb, run_until_input_ends};
pub use record::record;
pub use relay::{Relay, relay_messages};
pub use test_tools::Process;
pub use wire::over_the_wire;
