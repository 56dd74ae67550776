//! Looks after a server's connections now and then: ends those whose clients
//! keep it waiting, and closes those that lie idle.

use std::time::{Duration, Instant};

use super::peer::Peer;
use super::pending_output::PendingOutput;
use super::registry::Registry;
use crate::core::OrbCore;

/// How often, at most and at least, it looks for what is overdue.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(1);
const LONGEST_INTERVAL: Duration = Duration::from_secs(1);

/// Up to so many connections are looked at without more memory.
const FEW: usize = 64;

/// Something that is done again and again.
struct Chore {
    interval: Duration,
    next: Instant,
}

impl Chore {
    fn every(interval: Duration) -> Self {
        Self {
            interval,
            next: Instant::now() + interval,
        }
    }

    fn is_due(&mut self, now: Instant) -> bool {
        let is_due = self.next <= now;
        if is_due {
            self.next = now + self.interval;
        }
        is_due
    }
}

/// Looks until the ORB stops. `look` looks after what is not the registry's, and
/// says when to look again.
pub(super) fn watch(
    registry: &Registry,
    output: &PendingOutput,
    core: &OrbCore,
    look: impl Fn() -> Duration,
) {
    let settings = &core.settings;
    // Looking twice within the time finds an idle connection after at least
    // half of it.
    let idle_interval = settings.server.idle_timeout.map(|timeout| timeout / 2);
    let interval = (settings
        .server
        .header_timeout
        .min(settings.limits.message_timeout)
        / 4)
    .min(settings.server.drain_timeout)
    .min(idle_interval.unwrap_or(LONGEST_INTERVAL))
    .clamp(SHORTEST_INTERVAL, LONGEST_INTERVAL);
    let mut overdue = Chore::every(interval);
    let mut report = Chore::every(LONGEST_INTERVAL);
    let mut idle = idle_interval.map(Chore::every);
    let mut scratch = Vec::with_capacity(FEW);
    let mut pause = interval;
    while !core.lifecycle.stops_within(pause) {
        let now = Instant::now();
        if overdue.is_due(now) {
            registry.for_each_with(&mut scratch, |peer| peer.close_if_overdue(now));
        }
        if idle.as_mut().is_some_and(|idle| idle.is_due(now)) {
            registry.for_each_with(&mut scratch, Peer::close_if_idle);
        }
        if report.is_due(now) {
            output.give_memory_back();
            if cfg!(feature = "metrics") {
                registry.for_each_with(&mut scratch, |peer| peer.tally().report());
            }
        }
        pause = look().min(overdue.next.saturating_duration_since(now));
    }
}
