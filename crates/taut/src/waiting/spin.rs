//! Looking again and again.

use std::hint;
use std::io;
use std::time::{Duration, Instant};

use super::learner::Spin;

/// The outcome of a spin.
pub(super) struct Spun<T> {
    /// The value that was found, or why nothing can be found; none when the time was over.
    pub(super) found: Option<io::Result<T>>,
    pub(super) report: Spin,
}

/// After so many parts of the time that has passed it is looked again: who has waited for
/// long waits a little longer, and asks the system, whose lock on a socket the sender
/// needs too, less often.
const PARTS: u64 = 16;

/// Looks until something is found, or the time is over; at least once.
pub(super) fn spin<T>(limit_ns: u64, mut look: impl FnMut() -> io::Result<T>) -> Spun<T> {
    let mut found = None;
    let report = spin_until(limit_ns, &mut || match look() {
        Err(nothing) if nothing.kind() == io::ErrorKind::WouldBlock => false,
        anything => {
            found = Some(anything);
            true
        }
    });
    Spun { found, report }
}

/// Looks until a look is the last, or the time is over; at least once. It is one function
/// for whatever is looked for: a look costs more than a call.
#[inline(never)]
fn spin_until(limit_ns: u64, look: &mut dyn FnMut() -> bool) -> Spin {
    let start = Instant::now();
    let mut passed_ns = 0;
    let mut gap_ns = 0;
    // A thread that looks at nothing but the clock sees how long it did not run.
    let mut look_at_clock = |passed_ns: &mut u64| {
        let now_ns = nanoseconds(start.elapsed());
        gap_ns = now_ns.saturating_sub(*passed_ns).max(gap_ns);
        *passed_ns = now_ns;
    };
    let is_caught = loop {
        let is_caught = look();
        look_at_clock(&mut passed_ns);
        if is_caught || passed_ns >= limit_ns {
            break is_caught;
        }
        let next_ns = (passed_ns + passed_ns / PARTS).min(limit_ns);
        while passed_ns < next_ns {
            hint::spin_loop();
            look_at_clock(&mut passed_ns);
        }
    };
    Spin {
        waited_ns: passed_ns,
        gap_ns,
        is_caught,
    }
}

/// A time in nanoseconds; those of more than 584 years are all the same.
pub(super) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing<T>() -> io::Result<T> {
        Err(io::ErrorKind::WouldBlock.into())
    }

    #[test]
    fn what_is_found_ends_it() {
        let mut looks = 0;
        let spun = spin(u64::MAX, || {
            looks += 1;
            if looks == 5 { Ok(7) } else { nothing() }
        });
        assert_eq!((spun.found.unwrap().unwrap(), looks), (7, 5));
        assert!(spun.report.is_caught);
    }

    #[test]
    fn so_does_an_error() {
        let spun = spin::<()>(u64::MAX, || Err(io::ErrorKind::ConnectionReset.into()));
        let error = spun.found.unwrap().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
    }

    #[test]
    fn the_time_ends_it_after_one_look_at_least() {
        for limit_ns in [0, 100_000] {
            let mut looks = 0_u64;
            let spun = spin::<()>(limit_ns, || {
                looks += 1;
                nothing()
            });
            assert!(spun.found.is_none() && !spun.report.is_caught);
            assert!(spun.report.waited_ns >= limit_ns && looks >= 1);
            assert!(spun.report.gap_ns <= spun.report.waited_ns);
            // A look takes ten nanoseconds at least, and later ones are ever farther
            // apart.
            assert!(looks <= 1 + limit_ns / 10);
        }
    }

    #[test]
    fn a_pause_in_between_is_noted() {
        let mut looks = 0;
        let spun = spin(u64::MAX, || {
            looks += 1;
            std::thread::sleep(Duration::from_millis(if looks == 2 { 5 } else { 0 }));
            if looks == 3 { Ok(()) } else { nothing() }
        });
        assert!(spun.report.gap_ns >= 5_000_000);
    }
}
