//! How long calls take.

use std::time::Duration;

use hdrhistogram::Histogram;
use serde_json::json;

/// The quantiles that are shown, with their names.
const QUANTILES: [(&str, f64); 5] = [
    ("p50", 0.5),
    ("p90", 0.9),
    ("p99", 0.99),
    ("p99.9", 0.999),
    ("max", 1.0),
];

/// The distribution of times.
pub(crate) struct Latency(Option<Histogram<u64>>);

impl Latency {
    pub(crate) fn new() -> Self {
        // Three digits are always possible.
        Self(Histogram::new(3).ok())
    }

    pub(crate) fn note(&mut self, time: Duration) {
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        if let Some(histogram) = &mut self.0 {
            // It grows as it has to.
            let _ = histogram.record(nanoseconds);
        }
    }

    fn times(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        let micros = |nanoseconds: u64| nanoseconds as f64 / 1_000.0;
        QUANTILES.into_iter().filter_map(move |(name, quantile)| {
            let histogram = self.0.as_ref()?;
            Some((name, micros(histogram.value_at_quantile(quantile))))
        })
    }

    fn count(&self) -> u64 {
        self.0.as_ref().map_or(0, Histogram::len)
    }

    /// Returns a line for each quantile, in microseconds.
    pub(crate) fn to_text(&self) -> String {
        let mut text = format!("{} calls, in µs\n", self.count());
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
            json!({"calls": self.count(), "microseconds": times})
        )
    }
}
