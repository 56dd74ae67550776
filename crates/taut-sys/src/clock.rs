//! Monotonic time that costs no system call.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Time since an arbitrary start, to the granularity of the kernel's tick (1 to
/// 10 ms). Cheaper than [`std::time::Instant`]; made for "has this lain idle?".
pub fn coarse() -> Duration {
    let now = clock_gettime(ClockId::MonotonicCoarse);
    let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
    let nanoseconds = u32::try_from(now.tv_nsec).unwrap_or(0);
    Duration::new(seconds, nanoseconds)
}
