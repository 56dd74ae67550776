//! How many times took how long.

/// Each doubling of the time has so many steps, as a power of 2: a time is told to 3 %.
const STEP_BITS: u32 = 5;

/// Times of twice 2 to the power of this, in nanoseconds, and more are counted as that: some 36
/// minutes.
const LARGEST_BITS: u32 = 40;

const STEPS: usize = ((LARGEST_BITS - STEP_BITS + 2) as usize) << STEP_BITS;

/// How many times took how long. It needs memory when it is made, and none afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distribution {
    counts: Box<[u32]>,
    count: u64,
    longest_ns: u64,
}

impl Default for Distribution {
    fn default() -> Self {
        Self {
            counts: vec![0; STEPS].into(),
            count: 0,
            longest_ns: 0,
        }
    }
}

impl Distribution {
    /// Adds a time.
    pub fn add(&mut self, ns: u64) {
        let count = &mut self.counts[step(ns)];
        *count = count.saturating_add(1);
        self.count += 1;
        self.longest_ns = self.longest_ns.max(ns);
    }

    /// The number of times.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The longest time in nanoseconds, exactly. None of no times.
    pub fn longest_ns(&self) -> Option<u64> {
        (self.count > 0).then_some(self.longest_ns)
    }

    /// The time in nanoseconds that so many percent of all do not exceed (nearest rank), to 3 %.
    /// None of no times.
    pub fn percentile_ns(&self, percent: f64) -> Option<u64> {
        let rank = (self.count as f64 * percent / 100.0).ceil().max(1.0) as u64;
        let mut seen = 0;
        let reaches = |count: &u32| {
            seen += u64::from(*count);
            seen >= rank
        };
        let place = self.counts.iter().position(reaches)?;
        Some(middle(place).min(self.longest_ns))
    }
}

/// The step of a time.
fn step(ns: u64) -> usize {
    let ns = ns.min((1 << (LARGEST_BITS + 1)) - 1);
    let octave = (ns >> STEP_BITS).checked_ilog2().map_or(0, |log| log + 1);
    // Below the first octave each time has a step of its own.
    let shift = octave.saturating_sub(1);
    ((shift as usize) << STEP_BITS) + (ns >> shift) as usize
}

/// The time in the middle of a step.
fn middle(step: usize) -> u64 {
    let shift = (step >> STEP_BITS).saturating_sub(1);
    let within = step - (shift << STEP_BITS);
    ((within as u64) << shift) + (1_u64 << shift) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_time_is_told_to_three_percent() {
        for ns in (0..200).chain((7..LARGEST_BITS).map(|bits| (1 << bits) + 12_345)) {
            let told = middle(step(ns));
            assert!(told.abs_diff(ns) * 32 <= ns.max(32), "{ns}: {told}");
        }
        assert!(step(u64::MAX) < STEPS);
    }

    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        let mut distribution = Distribution::default();
        assert_eq!(
            (distribution.percentile_ns(50.0), distribution.longest_ns()),
            (None, None)
        );
        (1..=20).for_each(|ns| distribution.add(ns));
        distribution.add(1_000_001);
        assert_eq!(distribution.percentile_ns(0.0), Some(1));
        assert_eq!(distribution.percentile_ns(50.0), Some(11));
        assert!(distribution.percentile_ns(100.0) <= Some(1_000_001));
        assert_eq!(
            (distribution.count(), distribution.longest_ns()),
            (21, Some(1_000_001))
        );
    }
}
