//! The open connections of a server.

mod peers;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use taut_sync::lock::{Condvar, Mutex};

use self::peers::Peers;
use super::peer::Peer;
use super::penalties::Penalties;
use crate::counters;
use crate::settings::{PenaltyPolicy, Settings};

/// How long a connection that gives way to another may take to close in turn, where the
/// other waits for its file descriptor.
const GRACE: Duration = Duration::from_millis(50);

/// How long the end of a connection that has been cut off may take at most.
const END_PATIENCE: Duration = Duration::from_secs(1);

/// Knows every open connection, to close them all at the end.
#[derive(Debug)]
pub(super) struct Registry {
    peers: Mutex<Peers>,
    left: Condvar,
    penalties: Mutex<Penalties>,
    /// So many connections that give way to others may still be open.
    most_leaving: usize,
    /// The requests of all connections that are answered later.
    deferred: AtomicUsize,
}

/// Why a connection is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// There are as many as there may be, and none is idle.
    Total,
    /// There are as many from its source as there may be, and none is idle.
    PerPeer,
    /// Too many from its source have broken the rules.
    Penalty,
}

impl Refusal {
    /// The setting that it comes from, and its value.
    pub(super) fn setting(self, settings: &Settings) -> (&'static str, usize) {
        match self {
            Self::Total => ("server.max_connections", settings.server.max_connections),
            Self::PerPeer => (
                "server.max_connections_per_peer",
                settings.server.max_connections_per_peer,
            ),
            Self::Penalty => (
                "server.max_protocol_errors_per_second",
                settings.server.max_protocol_errors_per_second as usize,
            ),
        }
    }
}

impl Registry {
    /// Without a connection.
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            peers: Mutex::default(),
            left: Condvar::new(),
            penalties: Mutex::new(Penalties::new(settings)),
            most_leaving: (settings.server.max_connections / 8).clamp(1, 64),
            deferred: AtomicUsize::new(0),
        }
    }

    /// Adds a connection, as far as the limits allow, and gives it a number. Where there
    /// are as many as may be, an idle one is closed for it.
    pub(super) fn enter(&self, peer: &Arc<Peer>, settings: &Settings) -> Result<u64, Refusal> {
        let exempts = |source| {
            settings
                .server
                .exempt_peers
                .iter()
                .any(|it| it.contains(source))
        };
        // Limits that are counted for each source do not concern exempt peers.
        let source = peer.source().filter(|source| !exempts(*source));
        let is_penalized =
            source.is_some_and(|source| self.penalties.lock().has(source, Instant::now()));
        if is_penalized && settings.server.penalty_policy == PenaltyPolicy::Refuse {
            return Err(Refusal::Penalty);
        }
        if is_penalized {
            peer.restrict();
        }
        let mut peers = self.peers.lock();
        let displaced = if let Some(source) = source
            && peers.count_of(source) >= settings.server.max_connections_per_peer
        {
            let idlest = peers.idlest_of(source).ok_or(Refusal::PerPeer)?;
            Some((idlest, Refusal::PerPeer))
        } else if peers.count() >= settings.server.max_connections {
            let idlest = peers.idlest().ok_or(Refusal::Total)?;
            Some((idlest, Refusal::Total))
        } else {
            None
        };
        let id = peers.add(peer);
        let overdue = peers.leaving_beyond(self.most_leaving);
        drop(peers);
        counters::server::opened();
        if let Some((displaced, reason)) = displaced {
            give_way(&displaced, reason, settings);
        }
        overdue.iter().for_each(|peer| peer.abort());
        Ok(id)
    }

    /// Closes the connection that has been idle for longest, and waits until one has
    /// gone. False when none is idle.
    pub(super) fn make_room(&self) -> bool {
        let mut peers = self.peers.lock();
        let Some(idlest) = peers.idlest() else {
            return false;
        };
        let gone = peers.gone();
        drop(peers);
        counters::server::timed_out("room");
        idlest.close();
        if !self.wait_until_more_are_gone(gone, GRACE) {
            idlest.abort();
            self.wait_until_more_are_gone(gone, END_PATIENCE);
        }
        true
    }

    fn wait_until_more_are_gone(&self, gone: u64, time: Duration) -> bool {
        let mut peers = self.peers.lock();
        let are_no_more = |peers: &mut Peers| peers.gone() == gone;
        let waited = self.left.wait_while_for(&mut peers, are_no_more, time);
        !waited.timed_out()
    }

    /// Removes a connection that has ended.
    pub(super) fn leave(&self, id: u64) {
        let Some(peer) = self.peers.lock().remove(id) else {
            return;
        };
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
        scratch.extend(self.peers.lock().all().cloned());
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
        while peers.all().any(|peer| condition(peer)) {
            match deadline {
                Some(deadline) => {
                    if self.left.wait_until(&mut peers, deadline).timed_out() {
                        return !peers.all().any(|peer| condition(peer));
                    }
                }
                None => self.left.wait(&mut peers),
            }
        }
        true
    }

    /// Counts a request that is answered later. False when there are as many as the `limit`
    /// says.
    pub(super) fn admit_deferral(&self, limit: usize) -> bool {
        let more = |deferred| (deferred < limit).then_some(deferred + 1);
        let (success, failure) = (Ordering::Relaxed, Ordering::Relaxed);
        self.deferred.fetch_update(success, failure, more).is_ok()
    }

    /// Notes that a request which is answered later has been.
    pub(super) fn end_deferral(&self) {
        self.deferred.fetch_sub(1, Ordering::Relaxed);
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
                setting = "server.max_protocol_errors_per_second",
                "too many protocol errors from this address: server.penalty_policy holds"
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

/// Closes an idle connection, which has to give way to another.
fn give_way(peer: &Peer, reason: Refusal, settings: &Settings) {
    let (setting, limit) = reason.setting(settings);
    counters::server::timed_out("room");
    tracing::debug!(
        peer = peer.name(),
        setting,
        limit,
        "idle while there is no room for another, closing the connection"
    );
    peer.close();
}
