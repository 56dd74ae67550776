//! The open connections of a server.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::connection::Peer;

/// Knows every open connection, to close them all at the end.
#[derive(Debug, Default)]
pub(super) struct Registry {
    peers: Mutex<Peers>,
    left: Condvar,
}

#[derive(Debug, Default)]
struct Peers {
    open: HashMap<u64, Arc<Peer>>,
    next_id: u64,
}

impl Registry {
    /// Adds a connection, unless there are `limit` already.
    pub(super) fn enter(&self, peer: &Arc<Peer>, limit: usize) -> Option<u64> {
        let mut peers = self.peers.lock();
        if peers.open.len() >= limit {
            return None;
        }
        let id = peers.next_id;
        peers.next_id += 1;
        peers.open.insert(id, Arc::clone(peer));
        Some(id)
    }

    /// Removes a connection that has ended.
    pub(super) fn leave(&self, id: u64) {
        self.peers.lock().open.remove(&id);
        self.left.notify_all();
    }

    /// Runs `action` on every open connection.
    pub(super) fn for_each(&self, action: impl Fn(&Peer)) {
        let open: Vec<Arc<Peer>> = self.peers.lock().open.values().cloned().collect();
        for peer in open {
            action(&peer);
        }
    }

    /// Waits until no connection satisfies `condition`, or until the time-out,
    /// if there is one. True when none does.
    pub(super) fn wait_until_none(
        &self,
        condition: impl Fn(&Peer) -> bool,
        timeout: Option<Duration>,
    ) -> bool {
        let deadline = timeout.map(|timeout| Instant::now() + timeout);
        let mut peers = self.peers.lock();
        while peers.open.values().any(|peer| condition(peer)) {
            match deadline {
                Some(deadline) => {
                    if self.left.wait_until(&mut peers, deadline).timed_out() {
                        return !peers.open.values().any(|peer| condition(peer));
                    }
                }
                None => self.left.wait(&mut peers),
            }
        }
        true
    }

    /// Wakes those who wait: a connection's state has changed.
    pub(super) fn notify(&self) {
        // Taking the lock orders the change before a waiter's next look.
        drop(self.peers.lock());
        self.left.notify_all();
    }
}
