//! How many times took how long.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Each doubling of the time has so many steps: 2 to the power of this, so that a time
/// is told to 3 %.
const STEP_BITS: u32 = 5;

/// Times of 2 to the power of this and more are counted as that: minutes.
const LARGEST_BITS: u32 = 40;

const STEPS: usize = ((LARGEST_BITS - STEP_BITS + 2) as usize) << STEP_BITS;

/// Counts of times in ticks. One thread adds, any may read: plain numbers, for nobody
/// needs all of them to be of one moment.
#[derive(Debug)]
pub(super) struct Histogram {
    counts: [AtomicU32; STEPS],
    sum: AtomicU64,
    min: AtomicU64,
}

impl Histogram {
    pub(super) const fn new() -> Self {
        Self {
            counts: [const { AtomicU32::new(0) }; STEPS],
            sum: AtomicU64::new(0),
            min: AtomicU64::new(u64::MAX),
        }
    }

    /// Adds a time. Only the thread whose histogram it is does.
    #[inline]
    pub(super) fn add(&self, ticks: u64) {
        // No other thread writes, so that reading and writing need not be one.
        let count = &self.counts[step(ticks)];
        count.store(count.load(Relaxed).saturating_add(1), Relaxed);
        self.sum
            .store(self.sum.load(Relaxed).wrapping_add(ticks), Relaxed);
        if ticks < self.min.load(Relaxed) {
            self.min.store(ticks, Relaxed);
        }
    }

    /// Forgets all times.
    pub(super) fn clear(&self) {
        for count in &self.counts {
            count.store(0, Relaxed);
        }
        self.sum.store(0, Relaxed);
        self.min.store(u64::MAX, Relaxed);
    }
}

/// The times of several histograms.
#[derive(Debug, Clone)]
pub(super) struct Times {
    counts: Vec<u64>,
    sum: u64,
    min: u64,
}

impl Times {
    pub(super) const NONE: Self = Self {
        counts: Vec::new(),
        sum: 0,
        min: u64::MAX,
    };

    /// Adds what a histogram has.
    pub(super) fn add(&mut self, histogram: &Histogram) {
        self.counts.resize(STEPS, 0);
        for (sum, count) in self.counts.iter_mut().zip(&histogram.counts) {
            *sum += u64::from(count.load(Relaxed));
        }
        self.sum = self.sum.wrapping_add(histogram.sum.load(Relaxed));
        self.min = self.min.min(histogram.min.load(Relaxed));
    }

    pub(super) fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The mean in ticks; none of no times.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a mean need not be exact to the last digit"
    )]
    pub(super) fn mean(&self) -> Option<f64> {
        let count = self.count();
        (count > 0).then(|| self.sum as f64 / count as f64)
    }

    /// The least in ticks; none of no times.
    pub(super) fn min(&self) -> Option<u64> {
        (self.count() > 0).then_some(self.min)
    }

    /// The time in ticks that so many percent of all do not exceed (nearest rank); none
    /// of no times.
    pub(super) fn percentile(&self, percent: u64) -> Option<u64> {
        let rank = (self.count() * percent).div_ceil(100).max(1);
        let mut seen = 0;
        let reaches = |count: &u64| {
            seen += count;
            seen >= rank
        };
        let place = self.counts.iter().position(reaches)?;
        Some(middle(place).max(self.min))
    }
}

/// The step of a time.
#[inline]
fn step(ticks: u64) -> usize {
    let ticks = ticks.min((1 << (LARGEST_BITS + 1)) - 1);
    let octave = (ticks >> STEP_BITS)
        .checked_ilog2()
        .map_or(0, |log| log + 1);
    // Below the first octave each time has a step of its own.
    let shift = octave.saturating_sub(1);
    let within = (ticks >> shift) as usize;
    ((shift as usize) << STEP_BITS) + within
}

/// The time in the middle of a step.
fn middle(step: usize) -> u64 {
    let octave = step >> STEP_BITS;
    let shift = octave.saturating_sub(1);
    let within = step - (shift << STEP_BITS);
    let (begin, width) = ((within as u64) << shift, 1_u64 << shift);
    begin + width / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_time_is_told_to_three_percent() {
        for ticks in (0..200).chain((7..LARGEST_BITS).map(|bits| (1 << bits) + 12_345)) {
            let told = middle(step(ticks));
            assert!(
                told.abs_diff(ticks) * 32 <= ticks.max(32),
                "{ticks}: {told}"
            );
        }
        assert!(step(u64::MAX) < STEPS);
        let steps: Vec<usize> = (0..100_000).map(step).collect();
        assert!(steps.is_sorted());
    }

    #[test]
    fn times_of_several_histograms_are_told_together() {
        let histograms = [Histogram::new(), Histogram::new()];
        for ticks in 1..=10 {
            histograms[0].add(ticks);
            histograms[1].add(10 + ticks);
        }
        let mut times = Times::NONE;
        assert_eq!(
            (times.count(), times.mean(), times.percentile(50)),
            (0, None, None)
        );
        histograms.iter().for_each(|histogram| times.add(histogram));
        assert_eq!((times.count(), times.min()), (20, Some(1)));
        assert_eq!(times.mean(), Some(10.5));
        assert_eq!(
            (times.percentile(50), times.percentile(99)),
            (Some(10), Some(20))
        );
        histograms[0].clear();
        let mut times = Times::NONE;
        times.add(&histograms[0]);
        assert_eq!((times.count(), times.min()), (0, None));
    }
}
