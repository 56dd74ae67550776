//! Few numbers for many.

use std::fmt;

/// The nearest rank: the least sample that `percent` of all do not exceed, for
/// samples in ascending order. None when there are no samples.
pub(crate) fn percentile(sorted: &[u64], percent: usize) -> Option<u64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

/// The median of samples in any order; of an even number, the lower of the two
/// in the middle. None when there are no samples.
pub(crate) fn median(samples: impl IntoIterator<Item = u64>) -> Option<u64> {
    let mut sorted: Vec<u64> = samples.into_iter().collect();
    sorted.sort_unstable();
    percentile(&sorted, 50)
}

/// Where values lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    /// The value in the middle; of an even number, the mean of the two there.
    pub(crate) median: f64,
    /// The least value.
    pub(crate) min: f64,
    /// The greatest value.
    pub(crate) max: f64,
}

impl Spread {
    /// The spread of values in any order; none when there are no values.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = values.into_iter().collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let (&min, &max) = (sorted.first()?, sorted.last()?);
        let (below, above) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
        Some(Self {
            median: f64::midpoint(below, above),
            min,
            max,
        })
    }

    /// The spread of how many times its baseline each time is: both are those of rounds,
    /// in one order. None without a round of both.
    pub(crate) fn of_ratios(
        times: impl IntoIterator<Item = u64>,
        baselines: impl IntoIterator<Item = u64>,
    ) -> Option<Self> {
        let pairs = times.into_iter().zip(baselines);
        Self::of(pairs.map(|(time, baseline)| ratio(time, baseline)))
    }
}

/// The median, and in brackets the least and the greatest.
impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { median, min, max } = self;
        let decimals = f.precision().unwrap_or(3);
        write!(f, "{median:.decimals$} ({min:.decimals$}-{max:.decimals$})")
    }
}

/// How many times `baseline` a value is, for two times in one unit.
#[expect(
    clippy::cast_precision_loss,
    reason = "nanoseconds of a call are far below 2^53"
)]
pub(crate) fn ratio(value: u64, baseline: u64) -> f64 {
    value as f64 / baseline as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_the_nearest_rank() {
        let hundred: Vec<u64> = (1..=100).collect();
        for (sorted, percent, expected) in [
            (&hundred[..], 50, Some(50)),
            (&hundred, 99, Some(99)),
            (&hundred, 100, Some(100)),
            (&hundred, 0, Some(1)),
            (&hundred[..1], 99, Some(1)),
            (&hundred[..2], 50, Some(1)),
            (&hundred[..3], 50, Some(2)),
            (&hundred[..10], 99, Some(10)),
            (&[], 50, None),
        ] {
            assert_eq!(
                percentile(sorted, percent),
                expected,
                "{percent} % of {}",
                sorted.len()
            );
        }
    }

    #[test]
    fn a_median_needs_no_order() {
        assert_eq!(median([9, 1, 5]), Some(5));
        assert_eq!(median([]), None);
    }

    #[test]
    fn a_spread_needs_no_order() {
        let spread = |median, min, max| Some(Spread { median, min, max });
        assert_eq!(Spread::of([3.0, 1.0, 2.0]), spread(2.0, 1.0, 3.0));
        assert_eq!(Spread::of([4.0, 1.0, 2.0, 3.0]), spread(2.5, 1.0, 4.0));
        assert_eq!(Spread::of([7.0]), spread(7.0, 7.0, 7.0));
        assert_eq!(Spread::of([]), None);
    }

    #[test]
    fn ratios_are_those_of_a_round() {
        let ratios = Spread::of_ratios([20, 40, 30], [10, 40, 10]).unwrap();
        assert_eq!((ratios.median, ratios.min, ratios.max), (2.0, 1.0, 3.0));
        assert_eq!(Spread::of_ratios([20], []), None);
    }

    #[test]
    fn a_spread_is_shown_with_as_many_decimals_as_are_asked_for() {
        let spread = Spread::of([1.0, 2.0, 4.0]).unwrap();
        assert_eq!(spread.to_string(), "2.000 (1.000-4.000)");
        assert_eq!(format!("{spread:.0}"), "2 (1-4)");
    }

    #[test]
    fn a_ratio_is_the_value_over_the_baseline() {
        assert!((ratio(15, 10) - 1.5).abs() < f64::EPSILON);
    }
}
