//! Tests that every transport of the ORB Taut has to pass.
//!
//! A transport implements [`taut_transport::Protocol`]. A [`Subject`] is one together with
//! the places at which a test may listen, and [`tests!`] makes a test of each check, twice:
//! once with the transport as it is, and once with [faults](Faulty) injected that it may
//! have at any time: short sends and receives, and delays.
//!
//! ```
//! fn subject() -> taut_transport_conformance::Subject {
//!     taut_transport_conformance::Subject::new(taut_transport::Tcp, || "127.0.0.1:0".into())
//! }
//!
//! taut_transport_conformance::tests!(crate::subject());
//! ```
//!
//! Each check panics with what is wrong. None measures time; each waits at most
//! [`PATIENCE`] for what has to happen.

#![expect(
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    reason = "a check fails by a panic"
)]

mod addresses;
mod faults;
mod flow;
mod lifetime;
mod messages;
mod random;
mod readiness;
mod subject;

pub use addresses::{addresses_are_written_as_they_are_read, nobody_listens};
pub use faults::{Faults, Faulty};
pub use flow::{
    back_pressure, octets_come_in_order, parts_come_in_order, short_receives, time_outs,
};
pub use lifetime::{
    acceptor_ends, cancellation, death_of_the_peer, half_close, many_at_once, reset,
};
pub use messages::messages_of_random_sizes;
pub use readiness::{arrivals_are_told, events};
pub use subject::{PATIENCE, Subject};

/// Makes tests of all checks, for the [`Subject`] that the expression gives.
#[macro_export]
macro_rules! tests {
    ($subject:expr) => {
        $crate::test_each! {
            $subject;
            addresses_are_written_as_they_are_read
            nobody_listens
            octets_come_in_order
            short_receives
            parts_come_in_order
            back_pressure
            time_outs
            half_close
            death_of_the_peer
            reset
            cancellation
            many_at_once
            acceptor_ends
            arrivals_are_told
            events
            messages_of_random_sizes
        }
    };
}

/// Makes two tests of each check.
#[doc(hidden)]
#[macro_export]
macro_rules! test_each {
    ($subject:expr; $($check:ident)+) => {
        mod as_it_is {
            use super::*;
            $(#[test] fn $check() { $crate::$check(&$subject); })+
        }

        mod with_faults {
            use super::*;
            $(#[test] fn $check() { $crate::$check(&$subject.with_faults()); })+
        }
    };
}

/// The examples of the README, which are compiled with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
