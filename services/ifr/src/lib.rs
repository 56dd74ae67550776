//! The interface repository of CORBA (CORBA 3.3 part 1, chapter 14): its stubs, skeletons and
//! types, and the repository itself.
//!
//! Everything is in [`corba`], generated from `idl/InterfaceRepository.idl`, and re-exported here.
//! A client asks an object for its interface by `taut::ObjectRef::get_interface`, and that for its
//! operations:
//!
//! ```no_run
//! use taut_ifr::{InterfaceDef, InterfaceDefRef};
//!
//! fn operations(interface: &InterfaceDefRef) -> taut::Result<Vec<String>> {
//!     let described = interface.describe_interface()?;
//!     Ok(described.operations.into_iter().map(|one| one.name).collect())
//! }
//! ```
//!
//! # The service
//!
//! With the feature `service` there is the repository itself: `service`, for a server's own
//! interfaces or as a service of its own, with a store.
//!
//! # What it is not
//!
//! It has nothing of the repository of components, and makes no calls by descriptions: that is
//! `taut-dynamic`.

taut::include_idl!("InterfaceRepository");

#[cfg(feature = "service")]
mod contents;
#[cfg(feature = "service")]
pub mod service;
#[cfg(feature = "service")]
mod store;

pub use corba::*;

/// The examples of the README, which are compiled with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
