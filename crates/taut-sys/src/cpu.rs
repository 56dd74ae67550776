//! Which CPUs a thread may run on.

use std::io;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The CPUs on which the calling thread may run, in ascending order.
///
/// # Errors
///
/// What the operating system answers.
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
/// What the operating system answers, such as `EINVAL` for a CPU that the
/// process may not use.
pub fn pin(cpu: usize) -> io::Result<()> {
    if cpu >= CpuSet::MAX_CPU {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    }
    let mut set = CpuSet::new();
    set.set(cpu);
    Ok(sched_setaffinity(None, &set)?)
}

#[cfg(test)]
mod tests {
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
}
