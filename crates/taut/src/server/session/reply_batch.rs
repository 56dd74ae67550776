//! Replies that are sent together, to requests that have arrived together.

use std::time::{Duration, Instant};

use crate::settings::{HAS_REACTOR, Settings};

/// So many up-calls in a row must have been quick before a reply waits for others. Each time
/// that one was not meanwhile it is more, up to [`MOST_WANTED`].
const FIRST_WANTED: u32 = 16;
const MOST_WANTED: u32 = 4_096;

/// Which replies of a connection wait for others, as the thread on duty knows it.
///
/// A reply waits only while the next request is there already, and for no longer than
/// `server.reply_batch_timeout` and the up-call that is under way then: of one that takes
/// longer others see to it that what waits is sent
/// ([`Peer::send_batch_at_once`](super::super::peer::Peer::send_batch_at_once)).
#[derive(Debug)]
pub(in crate::server) struct ReplyBatch {
    /// The most replies that are sent together. 0: each is sent by itself.
    messages: usize,
    octets: usize,
    timeout: Duration,
    /// How many up-calls in a row have been quick, and how many must have been.
    quick: u32,
    wanted: u32,
    /// How many replies wait, and their octets.
    waiting: usize,
    waiting_octets: usize,
    /// When the first of it began to.
    since: Option<Instant>,
}

impl ReplyBatch {
    /// Nothing waits. Where priorities count, nothing ever will.
    pub(super) fn new(settings: &Settings, is_real_time: bool) -> Self {
        let server = &settings.server;
        // Where requests are not carried out side by side, nobody sees to it that what waits is sent.
        let is_overseen = HAS_REACTOR && server.max_requests_per_connection > 1;
        let may_wait = is_overseen && !is_real_time && !server.reply_batch_timeout.is_zero();
        Self {
            messages: match server.reply_batch_messages {
                messages @ 2.. if may_wait => messages,
                _ => 0,
            },
            octets: server.reply_batch_octets,
            timeout: server.reply_batch_timeout,
            quick: 0,
            wanted: FIRST_WANTED,
            waiting: 0,
            waiting_octets: 0,
            since: None,
        }
    }

    /// Whether any reply may ever wait.
    #[inline]
    pub(super) fn is_wanted(&self) -> bool {
        self.messages > 0
    }

    /// Whether any reply waits.
    #[inline]
    pub(in crate::server) fn has_waiting(&self) -> bool {
        self.waiting > 0
    }

    /// Notes how long an up-call has taken.
    #[inline]
    pub(in crate::server) fn note_upcall(&mut self, time: Duration) {
        if time <= self.timeout {
            self.quick = self.quick.saturating_add(1);
            return;
        }
        self.quick = 0;
        if self.has_waiting() {
            self.wanted = (4 * self.wanted).min(MOST_WANTED);
        }
    }

    /// Whether a reply of so many octets may be sent together with what waits.
    #[inline]
    pub(in crate::server) fn has_room(&self, octets: usize) -> bool {
        self.waiting_octets + octets <= self.octets
    }

    /// Whether a reply of so many octets is to wait; then it does.
    #[inline]
    pub(in crate::server) fn admit(&mut self, octets: usize, now: Instant) -> bool {
        if self.quick < self.wanted || !self.has_room(octets) {
            return false;
        }
        self.since.get_or_insert(now);
        self.waiting += 1;
        self.waiting_octets += octets;
        true
    }

    /// Whether what waits is to be sent, whatever comes next.
    #[inline]
    pub(super) fn is_due(&self, now: Instant) -> bool {
        let is_late = |since| now.duration_since(since) >= self.timeout;
        self.waiting >= self.messages || self.since.is_some_and(is_late)
    }

    /// Notes that nothing waits any more.
    #[inline]
    pub(in crate::server) fn clear(&mut self) {
        self.waiting = 0;
        self.waiting_octets = 0;
        self.since = None;
    }
}

#[cfg(all(test, feature = "full"))]
mod tests {
    use super::*;

    fn batch(adjust: impl FnOnce(&mut Settings)) -> ReplyBatch {
        let mut settings = Settings::default();
        adjust(&mut settings);
        ReplyBatch::new(&settings, false)
    }

    #[test]
    fn nothing_waits_before_upcalls_have_been_quick() {
        let (mut batch, now) = (batch(|_| ()), Instant::now());
        for _ in 0..FIRST_WANTED {
            assert!(!batch.admit(24, now));
            batch.note_upcall(Duration::ZERO);
        }
        assert!(batch.admit(24, now) && batch.has_waiting());

        // A slow one while something waits: more must be quick.
        batch.note_upcall(Duration::from_millis(1));
        batch.clear();
        for _ in 0..4 * FIRST_WANTED {
            assert!(!batch.admit(24, now));
            batch.note_upcall(Duration::ZERO);
        }
        assert!(batch.admit(24, now));
    }

    #[test]
    fn what_waits_is_bounded_in_messages_octets_and_time() {
        let mut batch = batch(|settings| {
            settings.server.reply_batch_messages = 3;
            settings.server.reply_batch_octets = 100;
        });
        let now = Instant::now();
        for _ in 0..FIRST_WANTED {
            batch.note_upcall(Duration::ZERO);
        }
        assert!(!batch.admit(101, now), "too large");
        assert!(batch.admit(50, now) && !batch.is_due(now));
        assert!(batch.is_due(now + batch.timeout), "too late");
        assert!(
            batch.admit(50, now) && !batch.admit(1, now),
            "too many octets"
        );
        batch.clear();
        for _ in 0..3 {
            assert!(!batch.is_due(now) && batch.admit(1, now));
        }
        assert!(batch.is_due(now), "too many messages");
    }

    #[test]
    fn nothing_ever_waits_where_that_is_not_wanted() {
        assert!(batch(|_| ()).is_wanted());
        let adjustments: [fn(&mut Settings); 3] = [
            |settings| settings.server.reply_batch_messages = 1,
            |settings| settings.server.reply_batch_timeout = Duration::ZERO,
            |settings| settings.server.max_requests_per_connection = 1,
        ];
        for adjust in adjustments {
            assert!(!batch(adjust).is_wanted());
        }
        assert!(!ReplyBatch::new(&Settings::default(), true).is_wanted());
    }
}
