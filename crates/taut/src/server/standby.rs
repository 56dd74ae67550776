//! Looks after the connections that have a thread of their own: where a servant
//! keeps that thread, the reactor stands by for a further request.

use std::sync::Arc;
use std::time::Duration;

use taut_sync::lock::Mutex;

use super::ObjectAdapter;
use super::peer::Peer;
use super::reactor::Reactor;
use taut_sync::slot_table::SlotId;

/// How often to look while anything happens, and when nothing does. A thread
/// that is at the same servant at two looks is taken to be kept.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(10);
const LONGEST_INTERVAL: Duration = Duration::from_millis(80);

/// The connections with threads of their own.
#[derive(Debug, Default)]
pub(super) struct OwnThreads {
    list: Mutex<List>,
}

#[derive(Debug, Default)]
struct List {
    guarded: Vec<Guarded>,
    interval: Duration,
}

#[derive(Debug)]
struct Guarded {
    registry_id: u64,
    peer: Arc<Peer>,
    /// The request that was carried out when it was last looked at, or last
    /// before.
    request_id: u32,
    /// Where the reactor stands by.
    place: Option<SlotId>,
}

impl OwnThreads {
    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.list.lock().guarded.len()
    }

    /// Adds a connection that gets a thread.
    pub(super) fn enter(&self, registry_id: u64, peer: &Arc<Peer>) {
        self.list.lock().guarded.push(Guarded {
            registry_id,
            peer: Arc::clone(peer),
            request_id: 0,
            place: None,
        });
    }

    /// Removes one whose thread ends; the reactor need not stand by any more.
    pub(super) fn leave<A: ObjectAdapter>(&self, registry_id: u64, reactor: Option<&Reactor<A>>) {
        let mut list = self.list.lock();
        let is_it = |guarded: &Guarded| guarded.registry_id == registry_id;
        let Some(position) = list.guarded.iter().position(is_it) else {
            return;
        };
        let guarded = list.guarded.swap_remove(position);
        if let (Some(place), Some(reactor)) = (guarded.place, reactor) {
            reactor.stand_down(place, &guarded.peer);
        }
    }

    /// Looks at all, and says when to look again. The reactor is asked for when
    /// it must stand by.
    pub(super) fn look<A: ObjectAdapter>(
        &self,
        reactor: impl Fn() -> Option<Arc<Reactor<A>>>,
    ) -> Duration {
        let mut list = self.list.lock();
        let mut has_moved = false;
        for guarded in &mut list.guarded {
            let peer = &guarded.peer;
            if peer.is_reactive() {
                continue; // its thread has been relieved
            }
            peer.send_batch_at_once();
            let request_id = peer.request_id();
            has_moved |= request_id != guarded.request_id || peer.is_busy();
            guarded.request_id = request_id;
            match (peer.is_kept(), guarded.place) {
                (true, None) => {
                    guarded.place = reactor().and_then(|reactor| {
                        let placed = reactor.stand_by(peer, guarded.registry_id);
                        placed
                            .inspect_err(|error| {
                                tracing::warn!(%error, "the reactor cannot stand by");
                            })
                            .ok()
                    });
                }
                (false, Some(place)) => {
                    if let Some(reactor) = reactor() {
                        reactor.stand_down(place, peer);
                    }
                    guarded.place = None;
                }
                _ => {}
            }
        }
        list.interval = match has_moved {
            true => SHORTEST_INTERVAL,
            false => (list.interval * 2).clamp(SHORTEST_INTERVAL, LONGEST_INTERVAL),
        };
        list.interval
    }
}
