//! What became of the options of a reference's connections.

use std::sync::Arc;

use super::call_context::with_that_of_thread;
use super::qos::Qos;
use crate::object::ObjectRef;
use crate::transport::ConnectionReport;

impl ObjectRef {
    /// Returns what became of the options of the connection over which calls by this reference
    /// go in this thread, by the policies that they have: which it has, which its transport
    /// does not know, and which the system refuses. None before the first call. Of several
    /// connections it is the one that was opened last, to the address that has served last.
    ///
    /// Without options beside `wire.keep_alive`, `wire.send_buffer` and `wire.receive_buffer`
    /// nothing is reported.
    pub fn connection_report(&self) -> Option<Arc<ConnectionReport>> {
        let qos = with_that_of_thread(|context| Qos::of(self, context));
        let binding = qos.separated(self.core(), self.binding().get()?);
        let (_, route) = binding.preferred();
        Some(route.endpoint.connection_report())
    }
}
