//! The fate of the options of a reference's connections.

use std::iter;
use std::sync::Arc;

use super::call_context::with_that_of_thread;
use super::qos::Qos;
use crate::object::ObjectRef;
use crate::transport::ConnectionReport;

impl ObjectRef {
    /// Returns what became of the options of the connection over which calls by this reference
    /// go in this thread, by the policies that they have: which it has, which its transport
    /// does not know, and which the system refuses. None before the first such call. Of several
    /// connections it is the one that was opened last to the address that is tried first of
    /// those that have accepted.
    ///
    /// Without options beside `wire.keep_alive`, `wire.send_buffer` and `wire.receive_buffer`
    /// nothing is reported.
    pub fn connection_report(&self) -> Option<Arc<ConnectionReport>> {
        let qos = with_that_of_thread(|context| Qos::of(self, context));
        let core = self.core();
        let binding = qos.separated(core, self.binding().get()?);
        let (preferred, _) = binding.preferred();
        let order = match qos.route_order(core, &binding).ok()? {
            Some(order) => order,
            None => iter::once(preferred)
                .chain(0..binding.routes().count())
                .collect(),
        };
        let routes = order
            .into_iter()
            .filter_map(|index| binding.routes().nth(index));
        routes
            .filter_map(|route| route.endpoint.connection_report())
            .next()
    }
}
