//! How often something may happen.

use std::time::{Duration, Instant};

/// So many times a second, and no more.
#[derive(Debug)]
pub(super) struct Rate {
    limit: u32,
    /// How often it has happened since `since`.
    count: u32,
    since: Option<Instant>,
}

impl Rate {
    /// At most `limit` times in each second.
    pub(super) const fn per_second(limit: u32) -> Self {
        Self {
            limit,
            count: 0,
            since: None,
        }
    }

    /// Whether it may happen now once more.
    pub(super) fn admits(&mut self, now: Instant) -> bool {
        match self.since {
            Some(since) if now.duration_since(since) < Duration::from_secs(1) => {}
            _ => {
                self.since = Some(now);
                self.count = 0;
            }
        }
        self.count = self.count.saturating_add(1);
        self.count <= self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_second_admits_as_many_as_the_limit() {
        let start = Instant::now();
        let mut rate = Rate::per_second(2);
        let admitted = |rate: &mut Rate, ms| rate.admits(start + Duration::from_millis(ms));
        assert!(admitted(&mut rate, 0));
        assert!(admitted(&mut rate, 500));
        assert!(!admitted(&mut rate, 999));
        assert!(admitted(&mut rate, 1_000));
        assert!(admitted(&mut rate, 1_001));
        assert!(!admitted(&mut rate, 1_002));
        assert!(!Rate::per_second(0).admits(start));
    }
}
