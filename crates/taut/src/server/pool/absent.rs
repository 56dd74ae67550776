//! Thread pools in the shape `minimal`: there are none.

use std::marker::PhantomData;
use std::sync::Arc;

use taut_giop::SystemException;

use super::lane::Lane;
use super::service::Service;
use super::{Disposition, ListenEndpoint, ObjectAdapter, SentPriority, ServerRequest};
use crate::core::OrbCore;
use crate::object::PoolEndpoints;

/// The rules of a lane of a thread pool: there is none.
#[derive(Debug)]
pub(super) enum LaneRules {}

impl LaneRules {
    /// Begins a thread that accepts connections.
    pub(super) const fn begin_accepting(_: Option<&Arc<Self>>, _: &OrbCore) {}

    /// None.
    pub(super) const fn pool_of(_: Option<&Arc<Self>>) -> Option<u32> {
        None
    }

    /// Nothing is put off: the shape has no lanes whose threads could all be at work.
    pub(super) fn put_off<A: ObjectAdapter>(
        _: Option<&Arc<Self>>,
        _: &Service<A>,
        _: (&[u8], SentPriority),
        _: &mut ServerRequest<'_>,
    ) -> Result<Disposition, SystemException> {
        Ok(Disposition::Readdress)
    }
}

/// Where a lane listens: nowhere.
#[derive(Debug, Clone)]
pub(crate) enum LaneListen {}

impl LaneListen {
    pub(crate) fn new(_: &str, _: Vec<ListenEndpoint>) -> Result<Self, &'static str> {
        Err("this shape has no lanes")
    }

    pub(crate) fn endpoints(&self) -> &[ListenEndpoint] {
        match *self {}
    }
}

/// The thread pools of a server: none.
pub(super) struct Pools<A>(PhantomData<fn() -> A>);

impl<A> Pools<A> {
    pub(super) fn new(_: Vec<LaneListen>) -> Self {
        Self(PhantomData)
    }

    pub(super) fn close(&self) -> Vec<Arc<Lane<A>>> {
        Vec::new()
    }

    pub(super) fn endpoints_of(&self, _: u32) -> Option<Arc<PoolEndpoints>> {
        None
    }
}

/// False: there is no pool.
pub(crate) const fn serves_pool(_: u32) -> bool {
    false
}
