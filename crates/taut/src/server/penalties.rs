//! Sources whose clients break the rules again and again.

use std::time::{Duration, Instant};

use super::rate::Rate;
use crate::settings::Settings;
use crate::sorted_map::SortedMap;
use crate::transport::Source;

/// Of so many sources at the most something is remembered.
const MOST_SOURCES: usize = 4_096;

/// The breaches of machines and users, and the penalties for them.
#[derive(Debug)]
pub(super) struct Penalties {
    /// How many breaches there may be in a second.
    limit: u32,
    /// For how long a source is penalized beyond it.
    time: Duration,
    by_source: SortedMap<Source, Record>,
}

#[derive(Debug)]
struct Record {
    breaches: Rate,
    last: Instant,
    /// Until when the source is penalized.
    until: Option<Instant>,
}

impl Penalties {
    /// Nothing is held against anybody.
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            limit: settings.server.max_protocol_errors_per_second,
            time: settings.server.penalty,
            by_source: SortedMap::new(),
        }
    }

    /// Notes that a client from this source has broken the rules. True when this is
    /// once too often: from now on the source is penalized.
    pub(super) fn note(&mut self, source: Source, now: Instant) -> bool {
        if self.by_source.len() >= MOST_SOURCES {
            self.forget(now);
        }
        let limit = self.limit;
        let record = self.by_source.get_or_insert_with(source, || Record {
            breaches: Rate::per_second(limit),
            last: now,
            until: None,
        });
        record.last = now;
        if record.breaches.admits(now) || record.is_penalized(now) {
            return false;
        }
        record.until = now.checked_add(self.time);
        true
    }

    /// Whether clients from a source have lately broken the rules too often.
    pub(super) fn has(&self, source: Source, now: Instant) -> bool {
        let record = self.by_source.get(&source);
        record.is_some_and(|record| record.is_penalized(now))
    }

    /// Forgets what is of no consequence any more; everything, if there is still
    /// too much.
    fn forget(&mut self, now: Instant) {
        let is_recent = |last| now.duration_since(last) < Duration::from_secs(1);
        self.by_source
            .retain(|_, record| record.is_penalized(now) || is_recent(record.last));
        if self.by_source.len() >= MOST_SOURCES {
            self.by_source.clear();
        }
    }
}

impl Record {
    fn is_penalized(&self, now: Instant) -> bool {
        self.until.is_some_and(|until| until > now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: Duration = Duration::from_secs(10);

    fn penalties(limit: u32) -> Penalties {
        let mut settings = Settings::default();
        settings.server.max_protocol_errors_per_second = limit;
        settings.server.penalty = TIME;
        Penalties::new(&settings)
    }

    #[test]
    fn a_source_is_penalized_for_a_while_after_too_many_breaches() {
        let mut penalties = penalties(2);
        let (here, there) = (Source::User(1), Source::User(2));
        let start = Instant::now();
        assert!(!penalties.note(here, start));
        assert!(!penalties.note(here, start));
        assert!(!penalties.has(here, start));
        assert!(penalties.note(here, start));
        assert!(penalties.has(here, start));
        assert!(!penalties.has(there, start));
        // One that was accepted before does not make it longer.
        assert!(!penalties.note(here, start + TIME / 2));
        assert!(!penalties.has(here, start + TIME));
    }

    #[test]
    fn few_a_second_are_borne() {
        let mut penalties = penalties(1);
        let start = Instant::now();
        for second in 0..10 {
            let now = start + Duration::from_secs(second);
            assert!(!penalties.note(Source::User(1), now));
        }
    }

    #[test]
    fn not_all_sources_are_remembered() {
        let mut penalties = penalties(0);
        let start = Instant::now();
        for number in 0..100_000_u32 {
            penalties.note(Source::User(number), start);
            assert!(penalties.by_source.len() <= MOST_SOURCES);
        }
    }
}
