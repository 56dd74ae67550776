//! Which CPUs a thread may run on, and for how long one has run.

use std::io;
use std::time::Duration;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};

/// The CPUs on which the calling thread may run, in ascending order.
///
/// # Errors
///
/// An error of the operating system.
pub fn allowed() -> io::Result<Vec<usize>> {
    let set = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU)
        .filter(|&cpu| set.is_set(cpu))
        .collect())
}

/// Binds the calling thread, and the threads and processes that it starts from
/// now on, to one CPU.
///
/// # Errors
///
/// An error of the operating system, such as `EINVAL` for a CPU that the process may not
/// use.
pub fn pin(cpu: usize) -> io::Result<()> {
    pin_to(&[cpu])
}

/// Binds the calling thread, and the threads and processes that it starts from now on, to some
/// CPUs.
///
/// # Errors
///
/// An error of the operating system, such as `EINVAL` for CPUs none of which the process may use;
/// the same for no CPU at all.
pub fn pin_to(cpus: &[usize]) -> io::Result<()> {
    let mut set = CpuSet::new();
    for &cpu in cpus {
        if cpu >= CpuSet::MAX_CPU {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        }
        set.set(cpu);
    }
    Ok(sched_setaffinity(None, &set)?)
}

/// The system's number of the calling thread.
pub fn thread_id() -> i32 {
    rustix::thread::gettid().as_raw_nonzero().get()
}

/// How long the calling thread has run so far, without the time in which it slept or
/// others had its CPU.
pub fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    // It is never negative.
    Duration::try_from(time).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    #[test]
    fn the_time_of_a_thread_is_that_in_which_it_runs() {
        let (start, before) = (Instant::now(), super::thread_time());
        std::thread::sleep(Duration::from_millis(50));
        let slept = super::thread_time() - before;
        assert!(start.elapsed() - slept >= Duration::from_millis(25));
        while super::thread_time() - before < slept + Duration::from_millis(1) {}
    }

    #[test]
    fn a_pinned_thread_may_run_on_its_cpu_only() {
        let cpu = *super::allowed().unwrap().last().unwrap();
        std::thread::spawn(move || {
            super::pin(cpu).unwrap();
            assert_eq!(super::allowed().unwrap(), [cpu]);
        })
        .join()
        .unwrap();
        assert!(super::pin(usize::MAX).is_err());
    }

    #[test]
    fn a_thread_may_be_bound_to_several_cpus() {
        let cpus = super::allowed().unwrap();
        std::thread::spawn(move || {
            super::pin_to(&cpus).unwrap();
            assert_eq!(super::allowed().unwrap(), cpus);
            assert!(super::pin_to(&[]).is_err());
            assert!(super::pin_to(&[cpus[0], usize::MAX]).is_err());
            assert_eq!(super::allowed().unwrap(), cpus);
        })
        .join()
        .unwrap();
    }
}
