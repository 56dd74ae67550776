//! The peer whose requests a thread of the server serves.

use std::sync::Arc;

use scoped_tls::scoped_thread_local;

use super::peer::Peer;
use crate::upcall;

scoped_thread_local!(static PEER: Peer);

/// Runs `run`, which serves requests of this peer in the calling thread.
pub(super) fn serving<R>(peer: &Peer, run: impl FnOnce() -> R) -> R {
    PEER.set(peer, run)
}

/// Returns the name of the peer whose request the calling thread carries out; none within a
/// call of the same process, or where the thread is not one of a server's.
pub(crate) fn peer_name() -> Option<String> {
    // Up-calls within that of the request are calls of this process.
    match upcall::is_outermost() && PEER.is_set() {
        true => Some(PEER.with(|peer| peer.name().to_owned())),
        false => None,
    }
}

/// The peer whose request a thread carries out, for another thread that goes on with it.
pub(crate) struct PeerInService(Option<Arc<Peer>>);

impl PeerInService {
    /// Runs `run`, which goes on with a request of this peer in the calling thread.
    pub(crate) fn serving<R>(&self, run: impl FnOnce() -> R) -> R {
        match &self.0 {
            Some(peer) => serving(peer, run),
            None => run(),
        }
    }
}

/// Returns the peer whose request the calling thread carries out.
pub(crate) fn peer_in_service() -> PeerInService {
    PeerInService(current())
}

/// Returns the peer whose request the calling thread carries out, if it is one of a server's.
pub(super) fn current() -> Option<Arc<Peer>> {
    match PEER.is_set() {
        true => PEER.with(Peer::share),
        false => None,
    }
}
