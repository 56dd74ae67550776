//! The peer whose requests a thread of the server serves.

use std::sync::Arc;

use scoped_tls::scoped_thread_local;

use super::duty::Shift;
use super::peer::Peer;
use crate::transport::Source;
use crate::upcall;

scoped_thread_local!(static SERVED: InService);

/// A peer, and which of the threads that serve its requests does.
#[derive(Debug, Clone)]
pub(super) struct InService {
    pub(super) peer: Arc<Peer>,
    /// The shift of the thread that reads the connection, or has done so before it was relieved;
    /// none of one to which it has left a request.
    pub(super) shift: Option<Shift>,
}

impl InService {
    /// Leaves the reply to the request of this id, which the thread carries out, to another.
    pub(super) fn leave_reply(&self, request_id: u32) {
        let shift = self.shift;
        // Unless the thread is on duty, the id has been noted, or will be by the thread that has
        // relieved it.
        if !shift.is_some_and(|shift| self.peer.duty().leave_reply(shift)) {
            self.peer.handover().toggle_apart(request_id);
        }
    }
}

/// Runs `run`, which serves requests of this peer in the calling thread.
pub(super) fn serving<R>(served: &InService, run: impl FnOnce() -> R) -> R {
    SERVED.set(served, run)
}

/// Returns the name of the peer whose request the calling thread carries out; none within a
/// call of the same process, or where the thread is not one of a server's.
pub(crate) fn peer_name() -> Option<String> {
    // Up-calls within that of the request are calls of this process.
    match upcall::is_outermost() && SERVED.is_set() {
        true => Some(SERVED.with(|served| served.peer.name().to_owned())),
        false => None,
    }
}

/// Returns where the peer is whose request the calling thread carries out; none as for
/// [`peer_name`].
pub(crate) fn peer_source() -> Option<Source> {
    match upcall::is_outermost() && SERVED.is_set() {
        true => SERVED.with(|served| served.peer.source()),
        false => None,
    }
}

/// The peer whose request a thread carries out, for another thread that goes on with it.
pub(crate) struct PeerInService(Option<InService>);

impl PeerInService {
    /// Runs `run`, which goes on with a request of this peer in the calling thread.
    pub(crate) fn serving<R>(&self, run: impl FnOnce() -> R) -> R {
        match &self.0 {
            Some(served) => serving(served, run),
            None => run(),
        }
    }
}

/// Returns the peer whose request the calling thread carries out.
pub(crate) fn peer_in_service() -> PeerInService {
    PeerInService(current())
}

/// Returns the peer whose request the calling thread carries out, if it is one of a server's.
pub(super) fn current() -> Option<InService> {
    match SERVED.is_set() {
        true => Some(SERVED.with(InService::clone)),
        false => None,
    }
}
