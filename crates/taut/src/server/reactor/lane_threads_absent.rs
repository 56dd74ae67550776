//! The threads of lanes of thread pools in the shape `minimal`: there are none.

use std::marker::PhantomData;
use std::sync::Arc;

use super::Reactor;
use super::connection::ThreadBuffers;
use super::worker_pool::Worker;
use crate::server::pool::LaneRules;

/// The threads of a lane: there are none.
pub(super) struct LaneThreads<A>(LaneRules, PhantomData<fn() -> A>);

impl<A> LaneThreads<A> {
    pub(super) fn rules(&self) -> &Arc<LaneRules> {
        match self.0 {}
    }

    pub(super) fn work_off(&self, _: &Reactor<A>, _: &Worker, _: &mut ThreadBuffers) {}
}
