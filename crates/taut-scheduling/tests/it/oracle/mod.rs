//! The analysis against an oracle: a clock that ticks, and executes random task sets tick by
//! tick in all situations that can be the worst.

mod clock;
mod dynamic;
mod fixed;
mod random;

/// The number of random task sets for each strategy.
const SETS: u64 = 10_000;
