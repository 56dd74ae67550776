//! Looks after a server's connections now and then: ends those whose clients
//! keep it waiting, and closes those that lie idle.

use std::time::{Duration, Instant};

use super::peer::Peer;
use super::registry::Registry;
use crate::lifecycle::Lifecycle;
use crate::settings::Settings;

/// How often, at most and at least, it looks.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(1);
const LONGEST_INTERVAL: Duration = Duration::from_secs(1);

/// Up to so many connections are looked at without more memory.
const FEW: usize = 64;

/// Looks until the ORB stops.
pub(super) fn watch(registry: &Registry, lifecycle: &Lifecycle, settings: &Settings) {
    // Looking twice within the time finds an idle connection after at least
    // half of it.
    let idle_interval = settings.idle_timeout.map(|timeout| timeout / 2);
    let mut next_idle = idle_interval.map(|interval| Instant::now() + interval);
    let interval = (settings.header_timeout.min(settings.message_timeout) / 4)
        .min(idle_interval.unwrap_or(LONGEST_INTERVAL))
        .clamp(SHORTEST_INTERVAL, LONGEST_INTERVAL);
    let mut scratch = Vec::with_capacity(FEW);
    while !lifecycle.stops_within(interval) {
        let now = Instant::now();
        registry.for_each_with(&mut scratch, |peer| {
            peer.close_if_overdue(now, settings.drain_timeout)
        });
        if let (Some(next), Some(interval)) = (&mut next_idle, idle_interval)
            && *next <= now
        {
            *next = now + interval;
            registry.for_each_with(&mut scratch, Peer::close_if_idle);
        }
    }
}
