//! The interface repository of CORBA (CORBA 3.3 part 1, chapter 14).

taut::include_idl!("InterfaceRepository");

#[cfg(feature = "service")]
mod contents;
#[cfg(feature = "service")]
pub mod service;
#[cfg(feature = "service")]
mod store;

pub use corba::*;
