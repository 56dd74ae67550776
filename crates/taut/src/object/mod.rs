//! Object references: what they hold, and where they lead.

mod binding;
mod binding_cell;
mod codec;
#[cfg_attr(not(feature = "full"), path = "collocation/absent.rs")]
mod collocation;
mod factory;
mod handles;
mod interface;
#[cfg_attr(not(feature = "full"), path = "lanes_absent.rs")]
mod lanes;
mod pool_endpoints;
mod reference;
#[cfg(feature = "full")]
mod route_order;
mod served;
mod view;
mod whereabouts;

pub(crate) use binding::{Binding, Route};
#[cfg(feature = "full")]
pub(crate) use binding::{Wanted, WantedOptions};
pub(crate) use binding_cell::{BindingCell, Bound};
pub use codec::decode_nil;
pub(crate) use collocation::{AdapterHandle, LocalServant};
#[cfg(feature = "full")]
pub(crate) use collocation::{
    Call, DirectServant, DirectTarget, Entered, Found, Local, LocalAdapter, LocalCall,
    LocalOutcome, LocalRequest,
};
pub(crate) use factory::{AddedComponent, ReferenceFactory, Told, profile_tags, profiles};
pub(crate) use interface::OperationHandle;
pub use interface::{CalledOperation, Interface};
pub(crate) use pool_endpoints::PoolEndpoints;
pub use reference::{ObjectRef, Reference};
#[cfg(feature = "full")]
pub(crate) use route_order::RouteOrder;
pub(crate) use served::ServedObject;
pub use view::{Passes, View, view};
pub(crate) use whereabouts::components;
