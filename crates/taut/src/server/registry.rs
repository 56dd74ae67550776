//! The open connections of a server.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::peer::Peer;
use super::penalties::Penalties;
use crate::counters;
use crate::settings::Settings;
use crate::transport::Source;

/// Knows every open connection, to close them all at the end.
#[derive(Debug)]
pub(super) struct Registry {
    peers: Mutex<Peers>,
    left: Condvar,
    penalties: Mutex<Penalties>,
}

#[derive(Debug, Default)]
struct Peers {
    open: HashMap<u64, Arc<Peer>>,
    /// How many of them come from each source.
    by_source: HashMap<Source, usize>,
    next_id: u64,
}

/// Why a connection is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// There are as many as there may be.
    Total,
    /// There are as many from its source as there may be.
    PerPeer,
    /// Too many from its source have broken the rules.
    Penalty,
}

impl Registry {
    /// Without a connection.
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            peers: Mutex::default(),
            left: Condvar::new(),
            penalties: Mutex::new(Penalties::new(settings)),
        }
    }

    /// Adds a connection, as far as the limits allow.
    pub(super) fn enter(&self, peer: &Arc<Peer>, settings: &Settings) -> Result<u64, Refusal> {
        if let Some(source) = peer.source()
            && self.penalties.lock().is_refused(source, Instant::now())
        {
            return Err(Refusal::Penalty);
        }
        let mut peers = self.peers.lock();
        if peers.open.len() >= settings.max_server_connections {
            return Err(Refusal::Total);
        }
        if let Some(source) = peer.source() {
            let count = peers.by_source.entry(source).or_default();
            if *count >= settings.max_connections_per_peer {
                return Err(Refusal::PerPeer);
            }
            *count += 1;
        }
        let id = peers.next_id;
        peers.next_id += 1;
        peers.open.insert(id, Arc::clone(peer));
        counters::server::opened();
        Ok(id)
    }

    /// Removes a connection that has ended.
    pub(super) fn leave(&self, id: u64) {
        let mut peers = self.peers.lock();
        let Some(peer) = peers.open.remove(&id) else {
            return;
        };
        if let Some(source) = peer.source()
            && let Entry::Occupied(mut count) = peers.by_source.entry(source)
        {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
        drop(peers);
        peer.tally().report();
        counters::server::closed();
        self.left.notify_all();
    }

    /// Runs `action` on every open connection.
    pub(super) fn for_each(&self, action: impl Fn(&Peer)) {
        self.for_each_with(&mut Vec::new(), action);
    }

    /// Runs `action` on every open connection; `scratch` is memory that serves
    /// many times.
    pub(super) fn for_each_with(&self, scratch: &mut Vec<Arc<Peer>>, action: impl Fn(&Peer)) {
        scratch.extend(self.peers.lock().open.values().cloned());
        for peer in scratch.drain(..) {
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

    /// Wakes those who wait: a connection carries out no further request. If that
    /// is because its client has broken the rules, it is held against its source.
    pub(super) fn note_end(&self, peer: &Peer) {
        if peer.has_breached()
            && let Some(source) = peer.source()
            && self.penalties.lock().note(source, Instant::now())
        {
            tracing::warn!(
                peer = peer.name(),
                setting = "max_protocol_errors_per_second",
                "refused: connections from this address, for a while"
            );
        }
        self.notify();
    }

    /// Wakes those who wait: a connection's state has changed.
    pub(super) fn notify(&self) {
        // Taking the lock orders the change before a waiter's next look.
        drop(self.peers.lock());
        self.left.notify_all();
    }
}
