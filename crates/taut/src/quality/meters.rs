//! Rates of requests, octets and CPU time together.

use std::time::{Duration, Instant};

use super::token_bucket::TokenBucket;
use super::{Admission, ArrivedRequest, Usage};

/// How much may be asked of a server in a second, on average. There is no limit on anything else.
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use]
pub struct Rates {
    requests: Option<f64>,
    octets: Option<f64>,
    cpu_time: Option<f64>,
    pub(super) burst: Duration,
}

/// The treatment of requests beyond a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Excess {
    /// They are refused: TRANSIENT, Taut minor 117.
    #[default]
    Refuse,
    /// They wait, each at most so long, and are refused then. The thread waits with them, and
    /// the connection is not read meanwhile, so that a client that floods is slowed down.
    Wait(Duration),
}

impl Default for Rates {
    fn default() -> Self {
        Self::new()
    }
}

impl Rates {
    /// No limits, with bursts of 100 ms.
    pub const fn new() -> Self {
        Self {
            requests: None,
            octets: None,
            cpu_time: None,
            burst: Duration::from_millis(100),
        }
    }

    /// So many requests.
    pub fn requests_per_second(mut self, requests: u32) -> Self {
        self.requests = Some(requests.into());
        self
    }

    /// So many octets of arguments and replies.
    pub fn octets_per_second(mut self, octets: u32) -> Self {
        self.octets = Some(octets.into());
        self
    }

    /// So much time of a CPU, in all the threads that carry requests out.
    pub fn cpu_time_per_second(mut self, time: Duration) -> Self {
        self.cpu_time = Some(time.as_secs_f64());
        self
    }

    /// A burst may use at once as much as so much time brings.
    pub fn burst(mut self, burst: Duration) -> Self {
        self.burst = burst;
        self
    }

    /// Whether CPU time has a limit.
    pub(super) fn limit_cpu_time(&self) -> bool {
        self.cpu_time.is_some()
    }
}

/// The buckets of a client, or of all.
#[derive(Debug, Clone, Copy)]
pub(super) struct Meters {
    requests: Option<TokenBucket>,
    octets: Option<TokenBucket>,
    cpu_time: Option<TokenBucket>,
}

/// The least burst: of a request; of octets and seconds any will do, for they may be owed.
const LEAST: [f64; 3] = [1.0, 1.0, 1e-6];

impl Meters {
    /// Full buckets for a part of these rates.
    pub(super) fn new(rates: &Rates, part: f64, now: Instant) -> Self {
        let bucket = |rate: Option<f64>, least| {
            rate.map(|rate| TokenBucket::new(rate * part, rates.burst, least, now))
        };
        Self {
            requests: bucket(rates.requests, LEAST[0]),
            octets: bucket(rates.octets, LEAST[1]),
            cpu_time: bucket(rates.cpu_time, LEAST[2]),
        }
    }

    /// The same with so little in each that one request may come.
    pub(super) fn drained(mut self) -> Self {
        let buckets = [&mut self.requests, &mut self.octets, &mut self.cpu_time];
        for (bucket, least) in buckets.into_iter().zip(LEAST) {
            if let Some(bucket) = bucket {
                bucket.take(bucket.tokens() - least);
            }
        }
        self
    }

    fn each(&self) -> [Option<TokenBucket>; 3] {
        [self.requests, self.octets, self.cpu_time]
    }

    /// Has the buckets filled for a part of these rates from here on.
    pub(super) fn set_part(&mut self, rates: &Rates, part: f64, now: Instant) {
        let set = |bucket: &mut Option<TokenBucket>, rate: Option<f64>, least| {
            if let (Some(bucket), Some(rate)) = (bucket, rate) {
                bucket.set_rate(rate * part, rates.burst, least, now);
            }
        };
        set(&mut self.requests, rates.requests, LEAST[0]);
        set(&mut self.octets, rates.octets, LEAST[1]);
        set(&mut self.cpu_time, rates.cpu_time, LEAST[2]);
    }

    /// Has what has come until now flow into the buckets.
    pub(super) fn fill(&mut self, now: Instant) {
        let buckets = [&mut self.requests, &mut self.octets, &mut self.cpu_time];
        for bucket in buckets.into_iter().flatten() {
            bucket.fill(now);
        }
    }

    /// How long it takes until a request may come; 0 if it may come now.
    pub(super) fn until_open(&self) -> Duration {
        let all = self.each().into_iter().zip(LEAST);
        let times = all.filter_map(|(bucket, least)| Some(bucket?.until(least)));
        times.max().unwrap_or_default()
    }

    /// Whether so much is left for a request besides what `others` have left.
    pub(super) fn has_besides(&self, others: &[f64; 3]) -> bool {
        let all = self.each().into_iter().zip(LEAST).zip(others);
        all.into_iter().all(|((bucket, least), others)| {
            bucket.is_none_or(|bucket| bucket.tokens() - others >= least)
        })
    }

    /// Adds what is left to a sum.
    pub(super) fn add_left_to(&self, sum: &mut [f64; 3]) {
        for (bucket, sum) in self.each().into_iter().zip(sum) {
            *sum += bucket.map_or(0.0, |bucket| bucket.tokens().max(0.0));
        }
    }

    /// Takes what a request costs before it is carried out.
    pub(super) fn take(&mut self, request: &ArrivedRequest) {
        if let Some(requests) = &mut self.requests {
            requests.take(1.0);
        }
        if let Some(octets) = &mut self.octets {
            octets.take(request.octets as f64);
        }
    }

    /// Takes what a request has cost besides.
    pub(super) fn take_usage(&mut self, usage: &Usage) {
        if let Some(octets) = &mut self.octets {
            octets.take(usage.reply_octets as f64);
        }
        if let (Some(time), Some(used)) = (&mut self.cpu_time, usage.cpu_time) {
            time.take(used.as_secs_f64());
        }
    }
}

impl Excess {
    /// The decision about a request that may come after this time.
    pub(super) fn decide(self, until_open: Duration, waited: Duration) -> Admission {
        match self {
            Self::Wait(most) if waited < most => {
                // A wait that is too short to be one would turn in circles.
                let wait = until_open.max(Duration::from_micros(50));
                Admission::Wait(wait.min(most - waited))
            }
            Self::Wait(_) | Self::Refuse => Admission::RefuseRequest,
        }
    }
}
