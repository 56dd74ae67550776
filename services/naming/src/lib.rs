//! CosNaming, the standard's naming service (OMG Naming Service 1.3): its stubs, skeletons and
//! types, a [`Registration`] for servers, and the service itself.
//!
//! Everything of the standard is in [`cos_naming`], generated from `idl/CosNaming.idl`, and leases,
//! which only Taut's naming service has, in [`taut_naming`]; what one needs most is re-exported
//! here. A client resolves a name so:
//!
//! ```no_run
//! use taut_naming::naming_context::ResolveError;
//! use taut_naming::{NameComponent, NamingContext, NamingContextRef};
//!
//! fn printer(root: &NamingContextRef) -> Result<Option<taut::ObjectRef>, ResolveError> {
//!     let name = [NameComponent { id: "printer".to_owned(), kind: String::new() }];
//!     root.resolve(&name)
//! }
//! ```
//!
//! IDL that includes `CosNaming.idl` uses this crate's types when the build
//! script of its crate says so:
//!
//! ```text
//! taut_build::Config::new()
//!     .include(std::env::var("DEP_TAUT_NAMING_INCLUDE")?)
//!     .extern_module("CosNaming", "::taut_naming::cos_naming")
//! ```
//!
//! # The service
//!
//! With the feature `service` there is the naming service itself: `service`, upon a keeper of
//! names, a `store`. The command `taut name serve` is made of them. With the feature `etcd` there is
//! a store that several services share.
//!
//! # What it is not
//!
//! It does not parse names: stringified names are a matter of `taut_giop`, resolving initial
//! references one of `taut`.

taut::include_idl!("CosNaming");
taut::include_idl!("TautNaming");

mod leases;
mod registration;
mod resolver;
#[cfg(feature = "service")]
pub mod service;
#[cfg(feature = "service")]
pub mod store;

pub use leases::{LeaseError, LeaseKeeper};
pub use registration::{Registration, RegistrationError};
pub use resolver::{Resolver, ResolverError};

pub use cos_naming::{
    Binding, BindingIterator, BindingIteratorRef, BindingIteratorSkeleton, BindingList,
    BindingType, Istring, Name, NameComponent, NamingContext, NamingContextExt,
    NamingContextExtRef, NamingContextExtSkeleton, NamingContextRef, NamingContextSkeleton,
    naming_context, naming_context_ext,
};

pub use self::taut_naming::{
    Lease, LeaseId, LeasingContext, LeasingContextRef, LeasingContextSkeleton, NoSuchLease,
    leasing_context,
};

/// The examples of the README, which are compiled with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
