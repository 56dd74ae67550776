//! How often something may happen.

use std::time::{Duration, Instant};

/// So many times in each span of time, and no more.
#[derive(Debug)]
pub(super) struct Rate {
    limit: u32,
    span: Duration,
    /// How often it has happened since `since`.
    count: u32,
    since: Option<Instant>,
}

impl Rate {
    /// At most `limit` times in each second.
    pub(super) const fn per_second(limit: u32) -> Self {
        Self::per(Duration::from_secs(1), limit)
    }

    /// At most `limit` times in each `span`.
    pub(super) const fn per(span: Duration, limit: u32) -> Self {
        Self {
            limit,
            span,
            count: 0,
            since: None,
        }
    }

    /// Whether it may happen now once more.
    pub(super) fn admits(&mut self, now: Instant) -> bool {
        match self.since {
            Some(since) if now.duration_since(since) < self.span => {}
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
