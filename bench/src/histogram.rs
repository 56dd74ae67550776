//! How many samples took how long, in steps that grow with the time.

use std::collections::BTreeMap;

use serde::Serialize;

/// The steps in which a time doubles: each is 4.4 % longer than the one before.
const STEPS_PER_OCTAVE: u32 = 16;

/// Counts of samples, by steps of their logarithm.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Histogram {
    counts: BTreeMap<u32, u64>,
}

/// The samples from one time up to another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Step {
    pub(crate) from_ns: f64,
    pub(crate) to_ns: f64,
    /// The share of all samples.
    pub(crate) share: f64,
}

impl Histogram {
    /// Counts samples in nanoseconds.
    pub(crate) fn of(samples_ns: &[u64]) -> Self {
        let mut counts = BTreeMap::new();
        for &sample_ns in samples_ns {
            *counts.entry(step(sample_ns)).or_default() += 1;
        }
        Self { counts }
    }

    /// The steps from the first with samples to the last, those between without
    /// samples among them.
    pub(crate) fn steps(&self) -> Vec<Step> {
        let (Some((&first, _)), Some((&last, _))) =
            (self.counts.first_key_value(), self.counts.last_key_value())
        else {
            return Vec::new();
        };
        let all: u64 = self.counts.values().sum();
        let counted = |step| self.counts.get(&step).copied().unwrap_or_default();
        let step = |step| Step {
            from_ns: begin(step),
            to_ns: begin(step + 1),
            share: crate::statistics::ratio(counted(step), all),
        };
        (first..=last).map(step).collect()
    }
}

/// The step that a sample belongs to.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a logarithm of at least 0 and below 64"
)]
fn step(sample_ns: u64) -> u32 {
    ((sample_ns.max(1) as f64).log2() * f64::from(STEPS_PER_OCTAVE)) as u32
}

/// Where a step begins, in nanoseconds.
fn begin(step: u32) -> f64 {
    (f64::from(step) / f64::from(STEPS_PER_OCTAVE)).exp2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sample_lies_within_its_step() {
        for sample_ns in [1, 2, 3, 999, 1_000, 12_345, 1 << 40] {
            let steps = Histogram::of(&[sample_ns]).steps();
            assert_eq!(steps.len(), 1);
            let Step {
                from_ns,
                to_ns,
                share,
            } = steps[0];
            #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
            let sample = sample_ns as f64;
            assert!(
                from_ns <= sample * 1.000_001 && sample < to_ns,
                "{sample_ns}"
            );
            assert_eq!(share, 1.0);
        }
    }

    #[test]
    fn the_steps_have_no_gaps_and_hold_all_samples() {
        let samples: Vec<u64> = (0..1_000).map(|sample| 5_000 + sample * sample).collect();
        let steps = Histogram::of(&samples).steps();
        assert!(
            steps
                .windows(2)
                .all(|pair| pair[0].to_ns == pair[1].from_ns)
        );
        let all: f64 = steps.iter().map(|step| step.share).sum();
        assert!((all - 1.0).abs() < 1e-9);
        assert!(steps[0].from_ns <= 5_000.0);
        assert!(Histogram::of(&[]).steps().is_empty());
    }
}
