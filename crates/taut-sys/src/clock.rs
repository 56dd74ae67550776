//! Monotonic time that costs no system call.

#![allow(unsafe_code)]

use std::mem::MaybeUninit;

/// Milliseconds since an arbitrary start, to the granularity of the kernel's
/// tick (1 to 10 ms). Cheaper than [`std::time::Instant`]; made for "has this
/// lain idle?".
#[inline]
pub fn coarse_ms() -> u64 {
    // The C library's function rather than rustix's, whose look-up of the
    // kernel's clock fails under valgrind.
    let mut now = MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: the pointer is to a `timespec` that may be written. The clock has
    // existed since Linux 2.6.32; were it missing, the zeroes would stay.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_COARSE, now.as_mut_ptr()) };
    // SAFETY: all zeroes are a valid `timespec`, and so is what was written.
    let now = unsafe { now.assume_init() };
    now.tv_sec.unsigned_abs() * 1_000 + now.tv_nsec.unsigned_abs() / 1_000_000
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    #[test]
    fn it_goes_as_fast_as_the_fine_clock() {
        let (coarse, fine) = (super::coarse_ms(), Instant::now());
        std::thread::sleep(Duration::from_millis(60));
        let (coarse, fine) = (super::coarse_ms() - coarse, fine.elapsed());
        let coarse = Duration::from_millis(coarse);
        assert!(
            coarse.abs_diff(fine) <= Duration::from_millis(25),
            "{coarse:?}, {fine:?}"
        );
    }
}
