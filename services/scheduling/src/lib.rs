//! RtecScheduler, the scheduling service with the interfaces of TAO: its stubs, skeletons and
//! types, and the service itself.
//!
//! [`rtec_base`] and [`rtec_scheduler`] are generated from TAO's interfaces, [`taut_scheduling`]
//! from those of the privileged side, which has what RT_Infos have no members for.
//!
//! # The service
//!
//! With the feature `service` there is the service itself. A **configuration run** collects the
//! descriptions of all operations while the application runs once, computes the schedule and
//! writes it to a file; a **production run** serves what is in such a file, by look-ups that take
//! constant time, no lock and no memory. The command `taut schedule serve` is made of it.
//!
//! # What it is not
//!
//! It does not analyze: that is the crate `taut-scheduling`, which knows no ORB. It executes
//! nothing.

taut::include_idl!("TautScheduling");

#[cfg(feature = "service")]
pub mod service;

/// The examples of the README, which are compiled with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
