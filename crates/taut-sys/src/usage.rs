//! The resources of the machine that a process has used.

#![allow(unsafe_code)]

use std::mem::MaybeUninit;
#[cfg(target_os = "linux")]
use std::os::linux::fs::MetadataExt;
use std::{fs, io};

/// How many threads the calling process has. None where the system does not tell.
pub fn threads() -> Option<u64> {
    // A directory has two links, and one for each directory in it.
    #[cfg(target_os = "linux")]
    return fs::metadata("/proc/self/task")
        .ok()?
        .st_nlink()
        .checked_sub(2);
    #[cfg(not(target_os = "linux"))]
    None
}

/// Counts since the start of a process, those of all its threads together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Page faults that needed no disk.
    pub minor_faults: u64,
    /// Page faults that waited for the disk.
    pub major_faults: u64,
    /// How often a thread gave its CPU away, to wait for something.
    pub voluntary_switches: u64,
    /// How often a thread had its CPU taken away.
    pub involuntary_switches: u64,
}

impl Usage {
    /// Of the calling process, threads that have ended among its own.
    ///
    /// # Errors
    ///
    /// An error of the operating system.
    pub fn of_this_process() -> io::Result<Self> {
        let mut usage = MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: the pointer is to memory for one `rusage` that may be written.
        let result = unsafe { libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) };
        if result != 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: all octets were zero, which is a valid value of the numbers that a
        // `rusage` consists of, and the system has written numbers.
        let usage = unsafe { usage.assume_init() };
        let count = |number: libc::c_long| u64::try_from(number).unwrap_or_default();
        Ok(Self {
            minor_faults: count(usage.ru_minflt),
            major_faults: count(usage.ru_majflt),
            voluntary_switches: count(usage.ru_nvcsw),
            involuntary_switches: count(usage.ru_nivcsw),
        })
    }

    /// Of another process. The switches of threads that have ended are not among them.
    ///
    /// # Errors
    ///
    /// When there is no such process, or `/proc` says what is not understood.
    pub fn of(process: u32) -> io::Result<Self> {
        let not_understood = || io::Error::other("/proc says what is not understood");
        let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
        // The program's name, in parentheses, may be anything.
        let (_, fields) = stat.rsplit_once(") ").ok_or_else(not_understood)?;
        let field = |place: usize| {
            let field = fields.split(' ').nth(place)?;
            field.parse().ok()
        };
        let mut usage = Self {
            minor_faults: field(7).ok_or_else(not_understood)?,
            major_faults: field(9).ok_or_else(not_understood)?,
            ..Self::default()
        };
        for thread in fs::read_dir(format!("/proc/{process}/task"))? {
            // A thread may end meanwhile.
            let Ok(status) = fs::read_to_string(thread?.path().join("status")) else {
                continue;
            };
            let count = |name: &str| {
                let line = status.lines().find_map(|line| line.strip_prefix(name))?;
                line.trim().parse::<u64>().ok()
            };
            usage.voluntary_switches +=
                count("voluntary_ctxt_switches:").ok_or_else(not_understood)?;
            usage.involuntary_switches +=
                count("nonvoluntary_ctxt_switches:").ok_or_else(not_understood)?;
        }
        Ok(usage)
    }

    /// Returns the counts since an earlier look at the same process.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            minor_faults: self.minor_faults.saturating_sub(earlier.minor_faults),
            major_faults: self.major_faults.saturating_sub(earlier.major_faults),
            voluntary_switches: self
                .voluntary_switches
                .saturating_sub(earlier.voluntary_switches),
            involuntary_switches: self
                .involuntary_switches
                .saturating_sub(earlier.involuntary_switches),
        }
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            minor_faults: self.minor_faults + other.minor_faults,
            major_faults: self.major_faults + other.major_faults,
            voluntary_switches: self.voluntary_switches + other.voluntary_switches,
            involuntary_switches: self.involuntary_switches + other.involuntary_switches,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Usage, threads};

    #[test]
    fn threads_are_counted() {
        assert!(threads().unwrap() >= 1);
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        let waiting = std::thread::spawn(move || receiver.recv());
        // Other tests begin and end threads meanwhile: these two are certain to be there.
        assert!(threads().unwrap() >= 2);
        drop(sender);
        waiting.join().unwrap().unwrap_err();
    }

    #[test]
    fn sleeping_is_a_switch_and_new_memory_a_fault() {
        let before = Usage::of_this_process().unwrap();
        for _ in 0..10 {
            std::thread::sleep(Duration::from_millis(1));
        }
        // More than an allocator keeps for who comes next.
        let memory = std::hint::black_box(vec![1_u8; 64 << 20]);
        let more = Usage::of_this_process().unwrap().since(before);
        assert!(more.voluntary_switches >= 10, "{more:?}");
        // Pages may be large.
        assert!(more.minor_faults >= 4, "{more:?}");
        drop(memory);
    }

    #[test]
    fn this_process_is_as_others_see_it() {
        let sleeper = || {
            for _ in 0..20 {
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        let before = Usage::of(std::process::id()).unwrap();
        sleeper();
        let more = Usage::of(std::process::id()).unwrap().since(before);
        assert!(more.voluntary_switches >= 20, "{more:?}");
        let faults = Usage::of(std::process::id()).unwrap().minor_faults;
        assert!(Usage::of_this_process().unwrap().minor_faults >= faults);
        assert!(Usage::of(u32::MAX).is_err());
    }
}
