//! Object references: what they hold, and where they lead.

mod binding;
mod codec;
mod collocation;
mod factory;
mod handles;
mod interface;
mod reference;
mod whereabouts;

pub(crate) use binding::{Binding, BindingCell, Bound, Route};
pub use codec::decode_nil;
pub(crate) use collocation::{
    AdapterHandle, Call, DirectTarget, Entered, Local, LocalAdapter, LocalCall, LocalOutcome,
    LocalServant, Views,
};
pub use collocation::{Passes, View, view};
pub(crate) use factory::{ReferenceFactory, profiles};
pub(crate) use interface::OperationHandle;
pub use interface::{CalledOperation, Interface};
pub use reference::{ObjectRef, Reference};
