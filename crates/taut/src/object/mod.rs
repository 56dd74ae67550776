//! Object references: what they hold, and where they lead.

mod binding;
mod codec;
mod factory;
mod interface;
mod reference;

pub(crate) use binding::{Binding, BindingCell, Bound, Route};
pub use codec::decode_nil;
pub(crate) use factory::{ReferenceFactory, profiles};
pub use interface::Interface;
pub use reference::{ObjectRef, Reference};
