//! A counter that goes on at a constant rate, for times of a few nanoseconds.
//!
//! On x86-64 it is the processor's time-stamp counter, which all processors since 2008
//! keep at one rate, whatever their own; elsewhere it is the system's monotonic clock.

#![allow(unsafe_code)]

use std::hint;
use std::time::{Duration, Instant};

/// For so long the counter is compared with the system's clock.
const COMPARED: Duration = Duration::from_millis(20);

/// Reads the counter. Readings of one thread do not decrease; those of two CPUs may differ
/// by a few nanoseconds.
#[inline]
#[must_use]
pub fn now() -> u64 {
    counter()
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn counter() -> u64 {
    // SAFETY: every x86-64 processor has the instruction, and the systems that Taut runs
    // on let programs use it.
    unsafe { std::arch::x86_64::_rdtsc() }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn counter() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    // It is never negative, and no machine runs for centuries.
    let time = Duration::try_from(time).unwrap_or_default();
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// How many nanoseconds a tick of the counter is, by comparison with the system's clock.
/// Takes 20 ms.
#[must_use]
pub fn nanoseconds() -> f64 {
    let (start, first) = (Instant::now(), now());
    while start.elapsed() < COMPARED {
        hint::spin_loop();
    }
    let (elapsed, last) = (start.elapsed(), now());
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let ticks = last.saturating_sub(first).max(1) as f64;
    elapsed.as_secs_f64() * 1e9 / ticks
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    #[test]
    fn ticks_go_on_as_the_clock_does() {
        let nanoseconds = super::nanoseconds();
        let (start, first) = (Instant::now(), super::now());
        std::thread::sleep(Duration::from_millis(100));
        let ticks = super::now() - first;
        let told = Duration::from_secs_f64(ticks as f64 * nanoseconds / 1e9);
        let elapsed = start.elapsed();
        // The machine may be busy between two readings.
        assert!(told >= Duration::from_millis(90), "{told:?} of {elapsed:?}");
        assert!(told < elapsed * 2, "{told:?} of {elapsed:?}");
    }

    #[test]
    fn readings_do_not_decrease() {
        let mut last = super::now();
        for _ in 0..10_000 {
            let next = super::now();
            assert!(next >= last);
            last = next;
        }
    }
}
