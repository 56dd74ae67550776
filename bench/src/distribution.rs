//! How samples are distributed: how many took how long.

use hdrhistogram::Histogram;
use serde::Serialize;

use crate::statistics::ratio;

/// The steps in which a time doubles: each is 4.4 % longer than the one before.
const STEPS_PER_OCTAVE: f64 = 16.0;

/// The digits to which a sample is told: below 32 µs each nanosecond, above to 0.01 %.
const DIGITS: u8 = 4;

/// Counts of samples in nanoseconds, at least one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Distribution(Histogram<u64>);

/// The samples from one time up to another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Step {
    pub(crate) from_ns: f64,
    pub(crate) to_ns: f64,
    /// The share of all samples.
    pub(crate) share: f64,
}

impl Distribution {
    /// The distribution of samples in nanoseconds. None without a sample.
    pub(crate) fn of(samples_ns: impl IntoIterator<Item = u64>) -> Option<Self> {
        // Fails for more than 5 digits.
        let mut counts = Histogram::new(DIGITS).ok()?;
        for sample_ns in samples_ns {
            // Fails where memory does for a histogram that resizes itself.
            counts.record(sample_ns).ok()?;
        }
        (!counts.is_empty()).then_some(Self(counts))
    }

    /// How many samples there are.
    pub(crate) fn count(&self) -> u64 {
        self.0.len()
    }

    /// The time that so many percent of all samples do not exceed (nearest rank).
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53 samples")]
    pub(crate) fn percentile(&self, percent: f64) -> u64 {
        let count = self.count() as f64;
        // Of 10,000 samples 99.9 % are 9,990, and not one more because of a rounding error.
        let rank = (count * percent / 100.0 - 1e-6).ceil().max(1.0);
        self.0.value_at_quantile((rank - 0.5) / count)
    }

    /// The steps from the first with samples to the last, those between without
    /// samples among them. On a logarithmic axis all are equally wide.
    pub(crate) fn steps(&self) -> Vec<Step> {
        let ratio_of_steps = (1.0 / STEPS_PER_OCTAVE).exp2();
        let mut steps = Vec::new();
        let mut from_ns = 0.0;
        for step in self.0.iter_log(1, ratio_of_steps) {
            #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
            let to_ns = step.value_iterated_to() as f64 + 1.0;
            let share = ratio(step.count_since_last_iteration(), self.count());
            if share > 0.0 || !steps.is_empty() {
                steps.push(Step {
                    from_ns,
                    to_ns,
                    share,
                });
            }
            from_ns = to_ns;
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sample_lies_within_its_step() {
        for sample_ns in [1, 2, 3, 999, 1_000, 12_345, 1 << 40] {
            let steps = Distribution::of([sample_ns]).unwrap().steps();
            assert_eq!(steps.len(), 1, "{sample_ns}: {steps:?}");
            #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
            let sample = sample_ns as f64;
            let step = steps[0];
            assert!(step.from_ns <= sample && sample < step.to_ns, "{step:?}");
            assert_eq!(step.share, 1.0);
        }
    }

    #[test]
    fn the_steps_have_no_gaps_and_hold_all_samples() {
        let samples = (0..1_000).map(|sample| 5_000 + sample * sample);
        let steps = Distribution::of(samples).unwrap().steps();
        for pair in steps.windows(2) {
            assert_eq!(pair[0].to_ns, pair[1].from_ns);
            let width = pair[1].to_ns / pair[1].from_ns;
            assert!((1.04..1.05).contains(&width), "{pair:?}");
        }
        let all: f64 = steps.iter().map(|step| step.share).sum();
        assert!((all - 1.0).abs() < 1e-9);
        assert!(Distribution::of([]).is_none());
    }

    #[test]
    fn a_percentile_is_the_nearest_rank() {
        let of = |samples: std::ops::RangeInclusive<u64>| Distribution::of(samples).unwrap();
        let (ten, many) = (of(1..=10), of(1..=10_000));
        let percentiles = [50.0, 90.0, 99.0, 100.0].map(|percent| ten.percentile(percent));
        assert_eq!(percentiles, [5, 9, 10, 10]);
        let percentiles = [50.0, 99.0, 99.8, 99.9, 99.99].map(|it| many.percentile(it));
        assert_eq!(percentiles, [5_000, 9_900, 9_980, 9_990, 9_999]);
    }
}
