//! The facts about the connections that a reference's calls use.

use std::sync::Arc;

use super::call_context::{Terms, with_that_of_thread};
use crate::object::{ObjectRef, Route};
use crate::quality::FlowControl;
use crate::transport::ConnectionReport;

impl ObjectRef {
    /// Returns what became of the options of the connection over which calls by this reference
    /// go in this thread, by the priority and the policies that they have: which it has, which
    /// its transport does not know, and which the system refuses. None before the first such
    /// call. Of several connections it is the one that was opened last to the address that is
    /// tried first of those that have accepted.
    ///
    /// Without options beside `wire.keep_alive`, `wire.send_buffer` and `wire.receive_buffer`
    /// nothing is reported.
    pub fn connection_report(&self) -> Option<Arc<ConnectionReport>> {
        self.find_route_of_calls(|route| route.endpoint.connection_report())
    }

    /// Returns the flow of the connections to the place where calls by this reference go first in
    /// this thread, by the priority and the policies that they have: for callers, of oneways above
    /// all, that would rather not call while the transport takes no more. None if the flow is not
    /// watched ([`Orb::watch_flow`](crate::Orb::watch_flow)), and before the first call by the
    /// reference.
    pub fn flow_control(&self) -> Option<FlowControl> {
        let flow = |route: &Route| Some(route.endpoint.flow_control());
        self.find_route_of_calls(flow)?
    }

    /// Returns what `look` finds first at the routes that calls of this thread try, in their
    /// order.
    fn find_route_of_calls<R>(&self, look: impl Fn(&Route) -> Option<R>) -> Option<R> {
        with_that_of_thread(|context| {
            let terms = Terms::of(self, context);
            let binding = self.binding().get()?;
            let way = terms.way(self, &binding).ok()?;
            let order = terms.qos.route_order(self.core(), &way).ok()?;
            let order = order.unwrap_or_else(|| way.usual_order());
            let mut routes = order
                .into_iter()
                .filter_map(|index| way.routes().nth(index));
            routes.find_map(look)
        })
    }
}
