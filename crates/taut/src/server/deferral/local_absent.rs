//! Replies to callers of this process, in the shape `minimal`: there are no such callers.

use std::sync::Arc;

use taut_giop::SystemException;

use crate::messaging::Messaging;
use crate::server::{Disposition, ServerRequest};
use crate::service_contexts::ServiceContextList;

/// The place where a reply is left for the caller.
#[derive(Debug)]
pub(in crate::server) enum LocalReply {}

/// A reply.
#[derive(Debug)]
pub(in crate::server) struct Given {
    pub(in crate::server) outcome: Result<Disposition, SystemException>,
    pub(in crate::server) octets: Vec<u8>,
    pub(in crate::server) contexts: ServiceContextList,
}

impl Default for Given {
    fn default() -> Self {
        Self {
            outcome: Ok(Disposition::Done),
            octets: Vec::new(),
            contexts: ServiceContextList::default(),
        }
    }
}

impl LocalReply {
    pub(super) fn defer(_: &ServerRequest<'_>) -> Option<(Arc<Self>, Messaging)> {
        None
    }

    pub(super) fn complete(&self, _: Given) {
        match *self {}
    }
}
