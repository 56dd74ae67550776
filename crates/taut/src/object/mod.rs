//! Object references: what they hold, and where they lead.

mod binding;
mod binding_cell;
mod codec;
#[cfg(feature = "collocation")]
mod collocation;
mod factory;
mod handles;
mod interface;
mod reference;
mod view;
mod whereabouts;

pub(crate) use binding::{Binding, Route};
pub(crate) use binding_cell::{BindingCell, Bound};
pub use codec::decode_nil;
#[cfg(feature = "collocation")]
pub(crate) use collocation::{
    AdapterHandle, Call, DirectServant, DirectTarget, Entered, Found, Local, LocalAdapter,
    LocalCall, LocalOutcome, LocalServant,
};
pub(crate) use factory::{ReferenceFactory, profiles};
pub(crate) use interface::OperationHandle;
pub use interface::{CalledOperation, Interface};
pub use reference::{ObjectRef, Reference};
pub use view::{Passes, View, view};
