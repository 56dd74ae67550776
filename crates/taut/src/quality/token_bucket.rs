//! Rates that are kept on average, with bursts.

use std::time::{Duration, Instant};

/// A bucket into which tokens flow at a rate, up to a burst; what is done takes some out. It may
/// owe tokens for what has turned out to cost more than was there.
#[derive(Debug, Clone, Copy)]
pub(super) struct TokenBucket {
    /// Tokens in a second.
    rate: f64,
    burst: f64,
    tokens: f64,
    filled: Instant,
}

impl TokenBucket {
    /// A full bucket, whose burst is what flows in within this time, and `least` at least.
    pub(super) fn new(rate: f64, burst: Duration, least: f64, now: Instant) -> Self {
        let burst = (rate * burst.as_secs_f64()).max(least);
        Self {
            rate,
            burst,
            tokens: burst,
            filled: now,
        }
    }

    /// Has the tokens flow in that have come until now, and others flow at this rate from here
    /// on, with a burst as of a [new](Self::new) bucket.
    pub(super) fn set_rate(&mut self, rate: f64, burst: Duration, least: f64, now: Instant) {
        self.fill(now);
        self.rate = rate;
        self.burst = (rate * burst.as_secs_f64()).max(least);
        self.tokens = self.tokens.min(self.burst);
    }

    /// Has the tokens flow in that have come until now.
    pub(super) fn fill(&mut self, now: Instant) {
        let time = now.saturating_duration_since(self.filled);
        self.tokens = (self.tokens + self.rate * time.as_secs_f64()).min(self.burst);
        self.filled = now;
    }

    /// The tokens that are there; less than 0 if some are owed.
    pub(super) fn tokens(&self) -> f64 {
        self.tokens
    }

    /// Takes tokens out, which may be owed then.
    pub(super) fn take(&mut self, tokens: f64) {
        self.tokens -= tokens;
    }

    /// How long it takes until so many tokens are there.
    pub(super) fn until(&self, tokens: f64) -> Duration {
        let missing = tokens - self.tokens;
        match missing > 0.0 {
            true if self.rate > 0.0 => {
                let seconds = missing / self.rate;
                Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
            }
            true => Duration::MAX,
            false => Duration::ZERO,
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_at_their_rate_up_to_the_burst_and_may_be_owed() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut bucket = TokenBucket::new(100.0, Duration::from_millis(50), 1.0, start);
        assert_eq!(bucket.tokens(), 5.0);
        bucket.take(8.0);
        assert_eq!(bucket.until(1.0), Duration::from_millis(40));
        bucket.fill(at(40));
        assert!((bucket.tokens() - 1.0).abs() < 1e-9);
        assert_eq!(bucket.until(0.5), Duration::ZERO);
        bucket.fill(at(10_000));
        assert_eq!(bucket.tokens(), 5.0);
        bucket.set_rate(10.0, Duration::from_millis(50), 1.0, at(10_000));
        assert_eq!(bucket.tokens(), 1.0);
        let stopped = TokenBucket::new(0.0, Duration::ZERO, 1.0, start);
        assert_eq!((stopped.tokens(), stopped.until(2.0)), (1.0, Duration::MAX));
    }
}
