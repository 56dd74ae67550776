//! The flow of the connections that a reference's calls use.

use super::ObjectRef;
use crate::quality::FlowControl;

impl ObjectRef {
    /// Returns the flow of the connections to the place where calls by this reference go first:
    /// for callers, of oneways above all, that would rather not call while the transport takes no
    /// more. None if the flow is not watched ([`Orb::watch_flow`](crate::Orb::watch_flow)), and
    /// before the first call by the reference.
    pub fn flow_control(&self) -> Option<FlowControl> {
        let binding = self.binding().get()?;
        let (_, route) = binding.preferred();
        route.endpoint.flow_control()
    }
}
