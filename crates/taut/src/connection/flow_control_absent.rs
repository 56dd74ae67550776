//! The flow of connections in the shape `minimal`, where nobody watches it.

use std::sync::Arc;

use crate::transport::Stream;

/// Whether the flow of connections is watched: it is not.
#[derive(Debug, Default)]
pub(crate) struct FlowWatch;

/// The flow of the connections to an endpoint, which nobody watches.
#[derive(Debug)]
pub(super) struct Flow;

impl Flow {
    pub(super) const fn new(_: &Arc<FlowWatch>) -> Self {
        Self
    }

    pub(super) const fn watched(&self, stream: Stream) -> Stream {
        stream
    }
}
