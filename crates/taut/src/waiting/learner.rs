//! Whether it pays to spin before blocking, learned from how long waits last.
//!
//! No clock, no socket: a thread that waits asks for [`Advice`] before, and tells how long it
//! took if the advice was to measure or to spin. Most of the time nothing is measured.
//!
//! ```text
//! Resting ──────────► Trial ──────────► Spinning
//!    ▲   after `rest`   │ does not pay     │ pays no more
//!    └──────────────────┴──────────────────┘   `rest` grows
//! ```
//!
//! A trial lets some waits block, and takes their time; then it lets others spin for a
//! little longer than that, in turn with further ones that block. Waits that spin must be
//! shorter. If the peer needs this CPU itself, if other threads do, or if the peer takes
//! its time, they are not; that is known after two waits that spun in vain, each
//! of which has cost about as much as it costs to block. The rest after it
//! is long enough for this to stay below 3 % even if it is so for ever.

/// How many waits rest at the beginning, and after a trial in vain at the least.
const FIRST_REST: u32 = 128;
/// How many rest in the end, if no trial succeeds.
const LONGEST_REST: u32 = 65_536;
/// How many times longer each rest is than the one before.
const REST_GROWTH: u32 = 4;
/// How many waits of either kind a trial compares.
const SAMPLES: usize = 8;
/// How many of those that spin may do so in vain.
const TOLERATED_MISSES: usize = 2;
/// The longest spin: what sleeping and waking costs at the most, so that a spin in vain
/// costs no more than one that succeeds can save.
const LONGEST_SPIN_NS: u64 = 100_000;
/// From when on a time without a look at the clock tells that another thread had the CPU;
/// an interrupt takes less.
const SHORT_GAP_NS: u64 = 15_000;
/// From when on the other did not give it back of its own accord: the CPUs are too few.
const LONG_GAP_NS: u64 = 500_000;
/// How many times as long as such a gap must have been spun before, for others to want
/// the CPU no more than that; else so many times as long is rested.
const TIMES_GAP: u64 = 32;
/// The time beyond which earlier spinning does not matter.
const MOST_SPUN_NS: u64 = 1_000_000_000;
/// The credit that a wait loses which spins in vain; one that does not adds 1.
const MISS: u32 = 8;
const FIRST_CREDIT: u32 = 16;
const MOST_CREDIT: u32 = 64;
/// So many successes make what failed before forgotten.
const LONG_SUCCESS: u32 = 8_192;

/// The advice for the wait that comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Advice {
    /// To block.
    Block,
    /// To block, and to tell [`Learner::note_blocked`] how long it took.
    Measure,
    /// To look for so long before blocking, and to tell [`Learner::note_spun`] what came
    /// of it.
    Spin { limit_ns: u64 },
}

/// The outcome of a spin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spin {
    /// How long it took, without the blocking that may have followed.
    pub(super) waited_ns: u64,
    /// The longest time in it without a look at the clock.
    pub(super) gap_ns: u64,
    /// Whether something was found.
    pub(super) is_caught: bool,
}

/// The knowledge about the waits at one place.
#[derive(Debug)]
pub(super) struct Learner {
    phase: Phase,
    /// How many waits rest after the next failure.
    rest: u32,
    longest_spin_ns: u64,
    /// The state of a generator of numbers in no order.
    random: u32,
}

#[derive(Debug)]
enum Phase {
    /// So many waits more just block.
    Resting {
        left: u32,
    },
    Trial(Trial),
    /// It pays.
    Spinning {
        limit_ns: u64,
        /// How long a wait takes that blocks.
        blocked_ns: u64,
        /// How long has been spun without a gap that is set off against it.
        spun_ns: u64,
        credit: u32,
        caught: u32,
    },
}

#[derive(Debug)]
struct Trial {
    blocked_ns: Samples,
    spun_ns: Samples,
    /// How long to spin; none until it is known how long waits take that block.
    limit_ns: Option<u64>,
    misses: usize,
    /// Whether the wait that comes, or that is going on, spins.
    spins: bool,
    /// Whether it is the second of two, of which one blocks and one spins.
    is_second: bool,
}

/// A few times, in nanoseconds; those beyond four seconds are all the same.
#[derive(Debug, Default)]
struct Samples {
    times_ns: [u32; SAMPLES],
    count: usize,
}

impl Learner {
    /// Nothing is known yet. No spin is advised that is longer than this, or than
    /// what it can save.
    pub(super) fn new(longest_spin_ns: u64) -> Self {
        Self {
            phase: Phase::Resting { left: FIRST_REST },
            rest: 2 * FIRST_REST,
            longest_spin_ns: longest_spin_ns.min(LONGEST_SPIN_NS),
            random: 0x9e37_79b9,
        }
    }

    /// Gives advice for the wait that comes.
    #[inline]
    pub(super) fn advise(&mut self) -> Advice {
        match &mut self.phase {
            Phase::Resting { left: 0 } => {
                self.phase = Phase::Trial(Trial::new());
                Advice::Measure
            }
            Phase::Resting { left } => {
                *left -= 1;
                Advice::Block
            }
            Phase::Trial(trial) => trial.advise(),
            Phase::Spinning { limit_ns, .. } => Advice::Spin {
                limit_ns: *limit_ns,
            },
        }
    }

    /// Takes the time of a wait that blocked.
    pub(super) fn note_blocked(&mut self, waited_ns: u64) {
        // The numbers are mixed with times, so that two sides of a connection do not
        // keep step.
        self.random ^= (waited_ns & 0xffff) as u32;
        let random = self.next_random();
        let Phase::Trial(trial) = &mut self.phase else {
            return;
        };
        trial.blocked_ns.add(waited_ns);
        if trial.limit_ns.is_some() {
            trial.pass_on(random);
            return self.judge();
        }
        if !trial.blocked_ns.are_complete() {
            return;
        }
        let median_ns = trial.blocked_ns.median();
        if median_ns > self.longest_spin_ns {
            // A thread that waits for so long saves little by being there at once.
            return self.rest();
        }
        let limit_ns = median_ns + median_ns / 4;
        trial.limit_ns = Some(limit_ns.min(self.longest_spin_ns));
        trial.blocked_ns = Samples::default();
        trial.begin_two(random);
    }

    /// Takes what came of looking.
    #[inline]
    pub(super) fn note_spun(&mut self, spin: &Spin) {
        let is_long = spin.gap_ns >= LONG_GAP_NS;
        let is_caught = spin.is_caught && spin.gap_ns < SHORT_GAP_NS;
        if let Phase::Spinning { spun_ns, .. } = &mut self.phase {
            *spun_ns = (*spun_ns + spin.waited_ns.min(MOST_SPUN_NS)).min(MOST_SPUN_NS);
        }
        match &mut self.phase {
            Phase::Resting { .. } => {}
            Phase::Trial(trial) => {
                trial.misses += usize::from(!is_caught);
                trial.spun_ns.add(spin.waited_ns);
                let caught = trial.spun_ns.count - trial.misses;
                let is_in_vain = trial.misses >= TOLERATED_MISSES && trial.misses > caught;
                if is_in_vain || is_long || trial.misses > TOLERATED_MISSES {
                    return self.rest();
                }
                let random = self.next_random();
                if let Phase::Trial(trial) = &mut self.phase {
                    trial.pass_on(random);
                }
                self.judge();
            }
            Phase::Spinning { credit, caught, .. } if is_caught => {
                *credit = (*credit + 1).min(MOST_CREDIT);
                *caught += 1;
                if *caught == LONG_SUCCESS {
                    self.rest = 2 * FIRST_REST;
                }
            }
            Phase::Spinning {
                credit,
                spun_ns,
                blocked_ns,
                ..
            } => {
                let gap_ns = if is_long { spin.gap_ns } else { 0 };
                let set_off = spun_ns.checked_sub(gap_ns.saturating_mul(TIMES_GAP));
                match (credit.checked_sub(MISS), set_off) {
                    (Some(left), Some(spun)) => (*credit, *spun_ns) = (left, spun),
                    _ => {
                        let waits = gap_ns / (*blocked_ns).max(1);
                        self.rest_for(waits.saturating_mul(TIMES_GAP));
                    }
                }
            }
        }
    }

    /// Ends a trial that has all it needs.
    fn judge(&mut self) {
        let Phase::Trial(trial) = &self.phase else {
            return;
        };
        let (Some(limit_ns), true, true) = (
            trial.limit_ns,
            trial.blocked_ns.are_complete(),
            trial.spun_ns.are_complete(),
        ) else {
            return;
        };
        let (blocked_ns, spun_ns) = (trial.blocked_ns.median(), trial.spun_ns.median());
        if spun_ns + blocked_ns / 8 > blocked_ns {
            return self.rest();
        }
        self.phase = Phase::Spinning {
            limit_ns,
            blocked_ns,
            spun_ns: 0,
            credit: FIRST_CREDIT,
            caught: 0,
        };
    }

    /// Leaves it for a while, and for longer the next time.
    fn rest(&mut self) {
        self.rest_for(0);
    }

    /// [`rest`](Self::rest), for so many waits at the least, within reason.
    fn rest_for(&mut self, waits: u64) {
        let most = u64::from(16 * LONGEST_REST);
        let waits = u32::try_from(waits.min(most)).unwrap_or(u32::MAX);
        self.phase = Phase::Resting {
            left: self.rest.max(waits),
        };
        self.rest = (self.rest * REST_GROWTH).min(LONGEST_REST);
    }

    /// The next number of Marsaglia's generator of 32 bits.
    fn next_random(&mut self) -> u32 {
        let mut next = self.random.max(1);
        next ^= next << 13;
        next ^= next >> 17;
        next ^= next << 5;
        self.random = next;
        next
    }
}

impl Trial {
    fn new() -> Self {
        Self {
            blocked_ns: Samples::default(),
            spun_ns: Samples::default(),
            limit_ns: None,
            misses: 0,
            spins: false,
            is_second: false,
        }
    }

    fn advise(&self) -> Advice {
        match self.limit_ns {
            Some(limit_ns) if self.spins => Advice::Spin { limit_ns },
            _ => Advice::Measure,
        }
    }

    /// Lets two waits come, one that blocks and one that spins, in either order: the
    /// other side of the connection may try the same at the same time.
    fn begin_two(&mut self, random: u32) {
        self.spins = random & 1 == 0;
        self.is_second = false;
    }

    /// Goes on to the wait after this.
    fn pass_on(&mut self, random: u32) {
        if self.is_second {
            return self.begin_two(random);
        }
        self.spins = !self.spins;
        self.is_second = true;
    }
}

impl Samples {
    fn add(&mut self, time_ns: u64) {
        if let Some(place) = self.times_ns.get_mut(self.count) {
            *place = u32::try_from(time_ns).unwrap_or(u32::MAX);
            self.count += 1;
        }
    }

    fn are_complete(&self) -> bool {
        self.count == SAMPLES
    }

    /// The lower of the two in the middle, once they are complete.
    fn median(&self) -> u64 {
        let mut sorted = self.times_ns;
        sorted.sort_unstable();
        u64::from(sorted[(SAMPLES - 1) / 2])
    }
}

#[cfg(test)]
mod tests;
