//! How long calls take.

use std::time::Duration;

use hdrhistogram::Histogram;
use serde_json::json;

use crate::failure::Failure;

/// The significant digits of a time.
const DIGITS: u8 = 3;

/// The quantiles that are shown, with their names.
const QUANTILES: [(&str, f64); 5] = [
    ("p50", 0.5),
    ("p90", 0.9),
    ("p99", 0.99),
    ("p99.9", 0.999),
    ("max", 1.0),
];

/// The distribution of times.
pub(crate) struct Latency(Histogram<u64>);

impl Latency {
    /// No times yet.
    ///
    /// # Errors
    ///
    /// When there is no memory for them.
    pub(crate) fn new() -> Result<Self, Failure> {
        Histogram::new(DIGITS).map(Self).map_err(Failure::new)
    }

    pub(crate) fn note(&mut self, time: Duration) {
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        // It grows as it has to.
        let _ = self.0.record(nanoseconds);
    }

    fn times(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        QUANTILES.into_iter().map(|(name, quantile)| {
            let nanoseconds = self.0.value_at_quantile(quantile);
            (name, nanoseconds as f64 / 1_000.0)
        })
    }

    /// Returns a line for each quantile, in microseconds.
    pub(crate) fn to_text(&self) -> String {
        let mut text = format!("{} calls, in µs\n", self.0.len());
        for (name, time) in self.times() {
            text += &format!("{name:>6} {time:>12.1}\n");
        }
        text
    }

    /// Returns an object in one line.
    pub(crate) fn to_json(&self) -> String {
        let times: serde_json::Map<_, _> = self
            .times()
            .map(|(name, time)| (name.to_owned(), time.into()))
            .collect();
        format!(
            "{}\n",
            json!({"calls": self.0.len(), "microseconds": times})
        )
    }
}
